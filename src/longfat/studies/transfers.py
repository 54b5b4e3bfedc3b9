"""Around TCP: a file by parallel streams and by blasts of datagrams (the data of the page).

Runs are the segment engine's, some of them ns-3's too, over one link and back. RBUDP's model is
that of its paper (He, Leigh, Yu and DeFanti 2002) in its form, the rate of sending over 1 and the
round trips that pass besides, with how many blasts there are worked out here.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sympy import Eq, Integer, Sum, oo, symbols

from longfat import statistics
from longfat.experiment import Experiment, Runs
from longfat.papers.ledger import Equations
from longfat.papers.survey.files import (
    BASE,
    LARGEST_RUN,
    METHODS,
    PACKET_BYTES,
    RATE,
    SEGMENT,
    TUNINGS,
    WAYS,
    Way,
    flow,
    joined,
    left_to,
    scenario,
    tuned,
)
from longfat.scenario import Record, Scenario
from longfat.studies.setting import Setting
from longfat.transfers import Adapts, Cut, GridFtp, Transfer

# --- RBUDP's model

S, B, R, p, K, T = symbols("S B R p K T", positive=True)  # bytes, bytes/s, s, loss, blasts, s
N, V, B_a, B_best = symbols("N V B_a B_best", positive=True)  # packets, bytes sent, rates
m = symbols("m", integer=True, nonnegative=True)

EQ = Equations("transfers")
EQ[1] = Eq(V, S / (1 - p))  # all that is sent: every blast is p times as long as the one before
EQ[2] = Eq(K, Sum(1 - (1 - p**m) ** N, (m, 0, oo)))  # blasts: after m of them all are there
EQ[3] = Eq(T, V / B + K * R)  # each ends with a round trip: what is missing?
EQ[4] = Eq(B_a, S / T)  # the rate achieved
EQ[5] = Eq(B_best, B / (1 + R * B / S))  # without losses: one blast, one round trip


NAMES = {
    1: "What all blasts send",
    2: "The mean number of blasts",
    3: "The time of a file",
    4: "The rate achieved",
    5: "The best rate",
}
MEANINGS = {
    1: "Each blast is $p$ times as long as the one before:",
    2: "After $m$ blasts all are there with probability $(1 - p^m)^N$:",
    3: "What is sent, at the rate $B$, and a round trip for each blast:",
    4: "The file over its time:",
    5: "Without losses, with one blast:",
}
DERIVATIONS: dict[int, Any] = {}  # short enough for the page itself


def sent_by_blasts() -> Sum:
    """Return what all blasts send, as the geometric series that (1) sums up."""
    return Sum(S * p**m, (m, 0, oo))


def best() -> Any:
    """Return (4) for p = 0 and one blast, which (5) says."""
    return EQ[4].rhs.subs(T, EQ[3].rhs).subs(V, EQ[1].rhs).subs({p: 0, K: Integer(1)})


def blasts(packets: ArrayLike, loss: ArrayLike) -> np.ndarray:
    """Return the mean number of blasts until `packets` are there, each lost by itself: (2)."""
    number, lost = np.broadcast_arrays(np.asarray(packets, float), np.asarray(loss, float))
    found = np.ones(number.shape)
    for m_ in range(1, 2000):
        # 1 - (1 - p^m)^N, without losing what is small
        more = -np.expm1(number * np.log1p(-(lost**m_)))
        found = found + more
        if np.all(more < 1e-12):
            break
    return found[()]


def rbudp_time(
    file_bytes: ArrayLike,
    rate_bps: ArrayLike,
    loss: ArrayLike,
    rtt_s: ArrayLike,
    payload_bytes: float = 1468,
) -> np.ndarray:
    """Return how long RBUDP takes until the source knows that all is there (3), in s.

    Without the handshake of its control connections, a round trip more. `rate_bps` is of payload.

    >>> from longfat.studies import transfers
    >>> round(float(transfers.rbudp_time(1e9, rate_bps=540e6, loss=0.0, rtt_s=0.1)), 2)
    14.91
    """
    size, loss = np.asarray(file_bytes, float), np.asarray(loss, float)
    rounds = blasts(np.ceil(size / payload_bytes), loss)
    sent = size / (1 - loss)
    return (8 * sent / np.asarray(rate_bps, float) + rounds * np.asarray(rtt_s, float))[()]


# --- how long a file takes


def _file(way: str, how: str, bytes: float, seed: int) -> Scenario:
    return scenario(how, WAYS[way], bytes, seed=seed)


def sizes(runs: Runs) -> pd.DataFrame:
    """Return how long files take: a row a path, method and size.

    Columns: way, how, bytes, time (s, mean), halfwidth (95 %), fluid (what the link alone would
    take, s), ratio, sent (all packets with data and their headers, over the file), done (runs that
    were).
    """
    return _timed(runs.transfers("transfers-sizes"))


def large(runs: Runs) -> pd.DataFrame:
    """Return how long a gigabyte takes, as `sizes` does."""
    return _timed(runs.transfers("transfers-large"))


def _timed(rows: pd.DataFrame) -> pd.DataFrame:
    by = ["way", "how", "bytes"]
    rows["sent"] = (rows["bytes_sent"] + rows["control_bytes"]) / rows["bytes"]
    table = statistics.interval(rows, by, "transfer_time_s").rename(
        columns={"transfer_time_s": "time", "repetitions": "done"}
    )
    table = table.merge(rows.groupby(by)["sent"].mean().reset_index(), on=by)
    table["fluid"] = [8 * r.bytes / WAYS[r.way].rate_bps for r in table.itertuples()]
    table["ratio"] = table["time"] / table["fluid"]
    table["place"] = [METHODS.index(name) for name in table["how"]]
    table["path"] = [list(WAYS).index(name) for name in table["way"]]
    table = table.sort_values(["path", "bytes", "place"]).drop(columns=["path", "place"])
    return table.reset_index(drop=True)


def by_model(file_bytes: float, way: Way, streams: int = 1) -> dict[str, float]:
    """Return the times of a large file by equations, in s: standard TCP's streams, and RBUDP.

    A stream has the throughput of its response function at the path's loss, and all together at
    most the link's; slow start is left out. RBUDP is (3) with a handshake.
    """
    payload = way.rate_bps * SEGMENT / PACKET_BYTES
    window = np.sqrt(1.5 / way.loss)  # segments: the survey's (8)
    rate = min(payload, streams * 8 * SEGMENT * window / way.rtt_s)
    return {
        "streams": 8 * file_bytes / rate,
        "rbudp": way.rtt_s
        + float(rbudp_time(file_bytes, RATE * way.rate_bps, way.loss, way.rtt_s)),
    }


def largest(ways: Sequence[str] = tuple(WAYS)) -> pd.DataFrame:
    """Return the times of a terabyte by the model: way, fluid, one, eight (streams), rbudp (s)."""
    rows = []
    for name in ways:
        way = WAYS[name]
        rows.append(
            {
                "way": name,
                "fluid": 8e12 / way.rate_bps,
                "one": by_model(1e12, way)["streams"],
                "eight": by_model(1e12, way, 8)["streams"],
                "rbudp": by_model(1e12, way)["rbudp"],
            }
        )
    return pd.DataFrame(rows)


# --- RBUDP beside its model


MODEL_PATH = Way(100e6, 0.1, 0.0)


def _modelled(loss: float, bytes: float, seed: int) -> Scenario:
    return scenario("RBUDP", MODEL_PATH._replace(loss=loss), bytes, seed=seed)


def modelled(runs: Runs) -> pd.DataFrame:
    """Return RBUDP's times beside (3): loss, bytes, time, halfwidth, model, ratio, holds,
    ratio_halfwidth.

    `holds` says whether the model's assumption does, that a blast costs one round trip beside its
    data: the bitmap goes in the first window of its TCP connection, and the chance that a message
    of control is lost on the way to the receiver is below 2 %. Times are until the source knows,
    less the handshake.
    """
    way = MODEL_PATH
    rows = runs.transfers("transfers-rbudp")
    rows["time"] = rows["acknowledged_s"] - way.rtt_s
    table = statistics.interval(rows, ["loss", "bytes"], "time")
    table["model"] = rbudp_time(table["bytes"], RATE * way.rate_bps, table["loss"], way.rtt_s)
    table["ratio"] = table["time"] / table["model"]
    table["ratio_halfwidth"] = table["halfwidth"] / table["model"]
    packets = table["bytes"] / 1468
    lost = (blasts(packets, table["loss"]) + 2) * table["loss"]
    table["holds"] = (packets / 8 <= 10 * 536) & (lost < 0.02)
    return table


# --- a rate that is not the link's


RATES_PATH, RATES_BYTES = Way(10e6, 0.1, 1e-4), 2e7
RATES_FLUID_S = 8 * RATES_BYTES / RATES_PATH.rate_bps


def _rated(how: str, part: float, seed: int) -> Scenario:
    rate_bps, duration_s = part * RATES_PATH.rate_bps, 100 * RATES_FLUID_S
    return scenario(
        how, RATES_PATH, RATES_BYTES, seed=seed, rate_bps=rate_bps, duration_s=duration_s
    )


def rates(runs: Runs) -> pd.DataFrame:
    """Return what a rate of sending that misses the link's costs: how, part (of the link's rate),
    time and known over the fluid limit, and sent over the file.

    A transfer that is not done in a hundred times the fluid limit has no time.
    """
    rows, fluid = runs.transfers("transfers-rates"), RATES_FLUID_S
    rows["time"] = rows["transfer_time_s"] / fluid
    rows["known"] = rows["acknowledged_s"] / fluid
    rows["sent"] = (rows["bytes_sent"] + rows["control_bytes"]) / RATES_BYTES
    done = rows.groupby(["how", "part"], sort=False)
    return (
        done[["time", "known", "sent"]].agg(lambda column: column.mean(skipna=False)).reset_index()
    )


# --- tunings


KNOWN = {tuning.name: tuning for tuning in TUNINGS}


def _tuned(tuning: str, bytes: float, seed: int) -> Scenario:
    return tuned(KNOWN[tuning], bytes, seed)


def tunings(runs: Runs) -> pd.DataFrame:
    """Return what each tuning (`TUNINGS`) makes of a short and a long file.

    Columns: tuning, bytes, time (s), and faster, with low and high: the time with `BASE` over it,
    run by run (the mean of the logarithms), and its 95 % interval, missing where chance has no
    part.
    """
    rows = runs.transfers("transfers-tunings")
    times = rows.pivot_table(index=["bytes", "seed"], columns="tuning", values="transfer_time_s")
    found = []
    for name in dict.fromkeys(rows["tuning"]):
        for size in dict.fromkeys(rows["bytes"]):
            ratio = statistics.paired(times.loc[size, BASE], times.loc[size, name], ratio=True)
            if times.loc[size, [BASE, name]].std().max() < 1e-6:
                ratio |= {"low": np.nan, "high": np.nan}
            found.append(
                {"tuning": name, "bytes": size, "time": times.loc[size, name].mean()}
                | {"faster": ratio["measured"], "low": ratio["low"], "high": ratio["high"]}
            )
    return pd.DataFrame(found)


# --- harm


HARM_PATH = Way(10e6, 0.1, 0.0)


HARM_BYTES = {"": 3e7}
WAYS_BYTES = {name: min(3e8, 3 * way.rate_bps) for name, way in WAYS.items()}


def harm(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno, there before, has left while a file goes over by each method.

    Columns: how, left (its goodput in that time over that beside one standard TCP with the same
    file), low, high (95 %), share (of what both carry), and time (s). Each run begins the transfer
    at another moment of the neighbour's life.
    """
    return _harm(runs, "transfers-harm", HARM_BYTES, statistics.unpaired).drop(columns="way")


def harm_by_path(runs: Runs) -> pd.DataFrame:
    """Return what `harm` does for each path, with its way: the file is what the link alone carries
    in 24 s, at most 300 MB, and the neighbour has been there for 60 round trips, 20 s at least.

    Until the file comes, the neighbour has met the same losses whatever the method: the interval is
    that of the ratios run by run, the mean of the logarithms.
    """
    compare = functools.partial(statistics.paired, ratio=True)
    return _harm(runs, "transfers-harm-by-path", WAYS_BYTES, compare)


def _together(way: str, how: str, seed: int) -> Scenario:
    """Return a NewReno and, from some moment on, a file by a method; without one, all before it."""
    path, size = WAYS.get(way, HARM_PATH), (HARM_BYTES | WAYS_BYTES)[way]
    start = max(20, 60 * path.rtt_s) + 1.37 * seed
    ends = max(600.0, start + 800 * size / path.rate_bps) if way else 600.0
    timer = {} if path.rtt_s <= 0.5 else {"min_rto_s": 2 * path.rtt_s}
    neighbour = flow("newreno", name="neighbour", **timer)
    plain = scenario(how or "standard TCP", path, size, seed=seed, duration_s=ends)
    if not how:
        return plain.replace(flows=[neighbour], transfers=[], duration_s=start)
    return joined(plain, neighbour, start)


def _harm(
    runs: Runs,
    experiment: str,
    files: Mapping[str, float],
    compare: Callable[..., dict[str, float]],
) -> pd.DataFrame:
    design = runs.design(experiment)
    results = dict(
        zip(design.itertuples(index=False, name=None), runs.results(experiment), strict=True)
    )
    rows = runs.transfers(experiment)
    got = []
    for point in rows[["way", "how", "seed"]].itertuples(index=False, name=None):
        got.append(left_to(results[point], results[point[0], "", point[2]]))
    rows["neighbour"] = got
    found = []
    for name in dict.fromkeys(rows["way"]):
        by = rows[rows["way"] == name].groupby("how", sort=False)
        among = by.get_group("standard TCP")["neighbour"]
        for how in by.groups:
            own = by.get_group(how)
            ratio = compare(own["neighbour"], among)
            carried = 8 * files[name] / own["transfer_time_s"]
            found.append(
                {"way": name, "how": how}
                | {"left": ratio["measured"], "low": ratio["low"], "high": ratio["high"]}
                | {
                    "share": (own["neighbour"] / (own["neighbour"] + carried)).mean(),
                    "time": own["transfer_time_s"].mean(),
                }
            )
    return pd.DataFrame(found)


SETTLING = ("rate_bps", "error_rate")


def _settling() -> Scenario:
    way = Way(10e6, 0.02, 0.0)
    record = Record(series=SETTLING, points=300)
    return scenario(
        "Tsunami", way, 4e7, rate_bps=1.2 * way.rate_bps, record=record, duration_s=100.0
    )


def settling(runs: Runs) -> pd.DataFrame:
    """Return Tsunami's rate and error rate over time where it is asked for more than the link has.

    Columns: time_s, series (rate_bps or error_rate), value.
    """
    (result,) = runs.results("transfers-settling")
    parts = []
    for series in SETTLING:
        trace = result.traces[series]
        parts.append(
            pd.DataFrame({"time_s": trace["time_s"], "series": series, "value": trace[series]})
        )
    return pd.concat(parts, ignore_index=True)


# --- what the survey says of these methods


class Sentence(NamedTuple):
    """A sentence of the survey's, and the measure that stands for it: kept from `least` on."""

    words: str
    measure: str
    least: float


SENTENCES = (
    Sentence(
        "who knows a rate that is his alone sends at just that rate",
        "standard TCP's time over RBUDP's, 1 GB over JAPAN",
        1.2,
    ),
    Sentence(
        "parts of one file at the same time make it faster (GridFTP)",
        "standard TCP's time over that of GridFTP's 8 streams, 1 GB over JAPAN",
        1.2,
    ),
    Sentence(
        "several connections raise the throughput to some degree",
        "standard TCP's time over that of 4 connections, 1 GB over JAPAN",
        1.2,
    ),
    Sentence(
        "a larger first window helps very short files",
        "time from a window of 1 over that from 3, 100 KB",
        1.2,
    ),
    Sentence(
        "and does little for large ones",
        "time from a window of 3 over that from 1, 1 GB",
        0.95,
    ),
    Sentence(
        "a larger MSS raises the throughput to some degree",
        "time with 1500-byte packets over that with 9000, 1 GB",
        1.2,
    ),
    Sentence(
        "relays avoid what comes from a long round trip",
        "time without a relay over that with one, 1 GB",
        1.2,
    ),
)


def sentences(large: pd.DataFrame, tuned: pd.DataFrame) -> pd.DataFrame:
    """Return what became of the survey's sentences (`SENTENCES`), by the tables of `large` and
    `tunings`: words, measure, measured, least, kept ("yes" or "no")."""
    japan = large[large["way"] == "JAPAN"].set_index("how")["time"]
    faster = tuned.set_index(["tuning", "bytes"])["faster"]
    one = "standard TCP, first window of 1"
    longest = tuned["bytes"].max()
    measured = (
        japan["standard TCP"] / japan["RBUDP"],
        japan["standard TCP"] / japan["GridFTP, 8 streams"],
        japan["standard TCP"] / japan["4 parallel"],
        1 / faster[one, tuned["bytes"].min()],
        faster[one, longest],
        faster["9000-byte packets", longest],
        faster["relay in the middle", longest],
    )
    rows = [
        sentence._asdict() | {"measured": value, "kept": "yes" if value >= sentence.least else "no"}
        for sentence, value in zip(SENTENCES, measured, strict=True)
    ]
    return pd.DataFrame(rows)


# --- a transfer that breaks, and a number of streams found on the way


CUT_AT_S, ON_AT_S = 9.5, 12.0


LARGE_WAY, LARGE_BYTES = WAYS["JAPAN"], 1e9
MARKERS = {"no markers": None, "a marker every 5 s": 5.0, "a marker every 1 s": 1.0}
NOT_CUT = "not cut"


def _broken(markers: str, seed: int) -> Scenario:
    plain = scenario("GridFTP, 8 streams", LARGE_WAY, LARGE_BYTES, seed=seed)
    if markers == NOT_CUT:
        return plain
    how = GridFtp(
        flows=tuple(range(8)),
        cuts=(Cut(at_s=CUT_AT_S, flows=tuple(range(8, 16))),),
        marker_every_s=MARKERS[markers],
    )
    later = [one.model_copy(update={"start_s": ON_AT_S}) for one in plain.flows]
    carried = Transfer(bytes=round(LARGE_BYTES), method=how)
    return plain.replace(flows=[*plain.flows, *later], transfers=[carried])


def breaks(runs: Runs) -> pd.DataFrame:
    """Return what restart markers save where all connections break and others go on.

    GridFTP's eight streams are cut after `CUT_AT_S` and go on at `ON_AT_S`. Columns: markers (what
    there is, text), time (s, mean), later (s, than without a break), and sent (packets' bytes over
    the file).
    """
    table = runs.transfers("transfers-breaks")
    table["sent"] = table["bytes_sent"] / LARGE_BYTES
    means = table.groupby("markers", sort=False)[["transfer_time_s", "sent"]].mean().reset_index()
    means = means.rename(columns={"transfer_time_s": "time"})
    means["later"] = means["time"] - means["time"].iloc[0]
    return means


STREAMS = {f"{n} stated" if n > 1 else "one": n for n in (1, 2, 4, 8, 16)}
DOUBLED = {f"doubled every {every:g} s": every for every in (1.0, 5.0)}


def _streams(rule: str, seed: int) -> Scenario:
    number = STREAMS.get(rule, max(STREAMS.values()))
    every_s = DOUBLED.get(rule)
    adapts = {"adapts": Adapts(every_s=every_s)} if every_s else {}
    how = GridFtp(flows=tuple(range(number)), **adapts)
    plain = scenario("standard TCP", LARGE_WAY, LARGE_BYTES, seed=seed)
    carried = Transfer(bytes=round(LARGE_BYTES), method=how)
    timer = {"min_rto_s": max(1.0, 2 * LARGE_WAY.rtt_s)}
    return plain.replace(flows=[flow(**timer)] * number, transfers=[carried])


def streams(runs: Runs) -> pd.DataFrame:
    """Return the time of a file by the number of GridFTP's streams, stated or found on the way.

    Columns: rule (how the number came about, text), used (streams that carried something, mean),
    time (s, mean) and halfwidth (95 %).
    """
    rows = runs.transfers("transfers-streams")
    rows["used"] = [
        (result.flows["delivered_bytes"] > 0).sum() for result in runs.results("transfers-streams")
    ]
    table = statistics.interval(rows, ["rule"], "transfer_time_s")
    table = table.rename(columns={"transfer_time_s": "time"})
    table["used"] = table["rule"].map(rows.groupby("rule")["used"].mean())
    order = {name: place for place, name in enumerate([*STREAMS, *DOUBLED])}
    return table.sort_values("rule", key=lambda names: names.map(order)).reset_index(drop=True)


# --- ns-3 beside the segment engine


BESIDE = {"JAPAN": 2e7, "satellite": 1e7, "lossy radio": 2e6}  # bytes
BESIDE_METHODS = ("standard TCP", "4 parallel", "GridFTP, 8 streams", "RBUDP", "Tsunami")


def _shared_link_scenario(way: str, how: str, seed: int) -> Scenario:
    return scenario(how, WAYS[way], BESIDE[way], seed=seed)


def beside_ns3(runs: Runs) -> pd.DataFrame:
    """Return the times of files on ns-3 beside those on the segment engine, run by run.

    Columns: way, how, ns3 (s, mean), ratio (the segment engine's time over ns-3's, the mean of the
    logarithms), low, high (95 %; missing where all runs have one ratio).
    """
    by = ["way", "how", "seed"]
    ns3, here = (
        runs.transfers(name)[[*by, "transfer_time_s"]].rename(columns={"transfer_time_s": engine})
        for name, engine in (("transfers-ns3", "ns3"), ("transfers-beside", "segment"))
    )
    found = []
    for (way, how), both in ns3.merge(here, on=by).groupby(["way", "how"], sort=False):
        ratio = statistics.paired(both["segment"], both["ns3"], ratio=True)
        alike = np.allclose(ratio["low"], ratio["high"], rtol=1e-12)
        bounds = dict.fromkeys(("low", "high"), np.nan) if alike else ratio
        row = {"way": way, "how": how, "ns3": both["ns3"].mean(), "ratio": ratio["measured"]}
        found.append(row | {"low": bounds["low"], "high": bounds["high"]})
    return pd.DataFrame(found)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page."""
    paths: dict[str, Any] = {"way": WAYS, "how": METHODS}
    both: dict[str, Any] = {"way": BESIDE, "how": BESIDE_METHODS}
    few, often = at.repetitions(3), at.repetitions(8)
    return (
        Experiment(
            name="transfers-sizes",
            build=_file,
            points=paths | {"bytes": (1e6, 1e7, 1e8)},
            repetitions=at.repetitions(2),
        ),
        Experiment(
            name="transfers-large",
            build=_file,
            points=paths | {"bytes": (LARGEST_RUN,)},
            repetitions=2,
        ),
        Experiment(
            name="transfers-rbudp",
            build=_modelled,
            points={"loss": (0.0, 1e-3, 1e-2, 0.1, 0.2), "bytes": (1e6, 1e7, 5e7, 5e8)},
            repetitions=at.repetitions(20),
        ),
        Experiment(
            name="transfers-rates",
            build=_rated,
            points={
                "how": ("RBUDP", "Tsunami"),
                "part": (0.3, 0.6, 0.9, 0.95, 1.05, 1.2, 1.5, 2.0),
            },
            repetitions=few,
        ),
        Experiment(
            name="transfers-tunings",
            build=_tuned,
            points={"tuning": KNOWN, "bytes": (1e5, 1e9)},
            repetitions=at.repetitions(6),
        ),
        Experiment(
            name="transfers-harm",
            build=_together,
            points={"way": HARM_BYTES, "how": (*METHODS, "")},
            repetitions=at.repetitions(5),
        ),
        Experiment(
            name="transfers-harm-by-path",
            build=_together,
            points={"way": WAYS_BYTES, "how": (*METHODS, "")},
            repetitions=often,
        ),
        Experiment(name="transfers-settling", build=_settling),
        Experiment(
            name="transfers-breaks",
            build=_broken,
            points={"markers": (NOT_CUT, *MARKERS)},
            repetitions=few,
        ),
        Experiment(
            name="transfers-streams",
            build=_streams,
            points={"rule": (*STREAMS, *DOUBLED)},
            repetitions=often,
        ),
        Experiment(
            name="transfers-ns3",
            build=_shared_link_scenario,
            points=both,
            repetitions=often,
            engine="ns3",
        ),
        Experiment(
            name="transfers-beside",
            build=_shared_link_scenario,
            points=both,
            repetitions=often,
        ),
    )
