"""Around TCP: a file by parallel streams and by blasts of datagrams (the data of the page).

Runs are the segment engine's, some of them ns-3's too, over one link and back. RBUDP's model is
that of its paper (He, Leigh, Yu and DeFanti 2002) in its form, the rate of sending over 1 and the
round trips that pass besides, with how many blasts there are worked out here.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sympy import Eq, Integer, Sum, oo, symbols

from longfat import statistics
from longfat.faults import OF_ITS_SOCKET
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
    scenario,
    tuned,
)
from longfat.result import Result
from longfat.scenario import Record
from longfat.sweeps import simulate_all
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


def _rows(results: Iterable[Result], design: pd.DataFrame) -> pd.DataFrame:
    """Return the transfers of runs, a row a run, beside their design."""
    rows = pd.concat([result.transfers for result in results], ignore_index=True)
    return pd.concat([design.reset_index(drop=True), rows.drop(columns="method")], axis=1)


# --- how long a file takes


def sizes(
    ways: Sequence[str] = tuple(WAYS),
    methods: Sequence[str] = METHODS,
    bytes_: Sequence[float] = (1e6, 1e7, 1e8),
    seeds: int = 2,
) -> pd.DataFrame:
    """Return how long files take: a row a path, method and size.

    Columns: way, how, bytes, time (s, mean), halfwidth (95 %), fluid (what the link alone would
    take, s), ratio, sent (all packets with data and their headers, over the file), done (runs that
    were).
    """
    design = statistics.combinations(
        way=list(ways), how=list(methods), bytes=list(bytes_), seed=list(range(1, seeds + 1))
    )
    runs = [scenario(r.how, WAYS[r.way], r.bytes, seed=r.seed) for r in design.itertuples()]
    return _timed(_rows(simulate_all(runs, experiment="transfers-sizes"), design))


def large(
    ways: Sequence[str] = tuple(WAYS), methods: Sequence[str] = METHODS, seeds: int = 2
) -> pd.DataFrame:
    """Return how long a gigabyte takes, as `sizes` does."""
    design = statistics.combinations(
        way=list(ways), how=list(methods), bytes=[LARGEST_RUN], seed=list(range(1, seeds + 1))
    )
    runs = [scenario(r.how, WAYS[r.way], r.bytes, seed=r.seed) for r in design.itertuples()]
    return _timed(_rows(simulate_all(runs, experiment="transfers-large"), design))


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


def modelled(
    losses: Sequence[float] = (0.0, 1e-3, 1e-2, 0.1, 0.2),
    bytes_: Sequence[float] = (1e6, 1e7, 5e7, 5e8),
    seeds: int = 20,
    way: Way = Way(100e6, 0.1, 0.0),  # noqa: B008 (it does not change)
) -> pd.DataFrame:
    """Return RBUDP's times beside (3): loss, bytes, time, halfwidth, model, ratio, holds.

    `holds` says whether the model's assumption does, that a blast costs one round trip beside its
    data: the bitmap goes in the first window of its TCP connection, and the chance that a message
    of control is lost on the way to the receiver is below 2 %. Times are until the source knows,
    less the handshake.
    """
    design = statistics.combinations(
        loss=list(losses), bytes=list(bytes_), seed=list(range(1, seeds + 1))
    )
    runs = [
        scenario("RBUDP", way._replace(loss=r.loss), r.bytes, seed=r.seed)
        for r in design.itertuples()
    ]
    rows = _rows(simulate_all(runs, experiment="transfers-rbudp"), design)
    rows["time"] = rows["known_s"] - way.rtt_s
    table = statistics.interval(rows, ["loss", "bytes"], "time")
    table["model"] = rbudp_time(table["bytes"], RATE * way.rate_bps, table["loss"], way.rtt_s)
    table["ratio"] = table["time"] / table["model"]
    packets = table["bytes"] / 1468
    lost = (blasts(packets, table["loss"]) + 2) * table["loss"]
    table["holds"] = (packets / 8 <= 10 * 536) & (lost < 0.02)
    return table


# --- a rate that is not the link's


def rates(
    parts: Sequence[float] = (0.3, 0.6, 0.9, 0.95, 1.05, 1.2, 1.5, 2.0),
    methods: Sequence[str] = ("RBUDP", "Tsunami"),
    seeds: int = 3,
    way: Way = Way(10e6, 0.1, 1e-4),  # noqa: B008
    file_bytes: float = 2e7,
) -> pd.DataFrame:
    """Return what a rate of sending that misses the link's costs: how, part (of the link's rate),
    time and known over the fluid limit, and sent over the file.

    A transfer that is not done in a hundred times the fluid limit has no time.
    """
    design = statistics.combinations(
        how=list(methods), part=list(parts), seed=list(range(1, seeds + 1))
    )
    fluid = 8 * file_bytes / way.rate_bps
    runs = [
        scenario(
            r.how,
            way,
            file_bytes,
            seed=r.seed,
            rate_bps=r.part * way.rate_bps,
            duration_s=100 * fluid,
        )
        for r in design.itertuples()
    ]
    rows = _rows(simulate_all(runs, experiment="transfers-rates"), design)
    rows["time"] = rows["transfer_time_s"] / fluid
    rows["known"] = rows["known_s"] / fluid
    rows["sent"] = (rows["bytes_sent"] + rows["control_bytes"]) / file_bytes
    done = rows.groupby(["how", "part"], sort=False)
    return (
        done[["time", "known", "sent"]].agg(lambda column: column.mean(skipna=False)).reset_index()
    )


# --- tunings


def tunings(
    names: Sequence[str] = (),
    bytes_: Sequence[float] = (1e5, 1e9),
    seeds: int = 6,
) -> pd.DataFrame:
    """Return what each tuning (`TUNINGS`) makes of a short and a long file.

    Columns: tuning, bytes, time (s), and faster, with low and high: the time with `BASE` over it,
    run by run (the mean of the logarithms), and its 95 % interval, missing where chance has no
    part.
    """
    known = {tuning.name: tuning for tuning in TUNINGS}
    names = list(names or known)
    design = statistics.combinations(
        tuning=list(dict.fromkeys([*names, BASE])),
        bytes=list(bytes_),
        seed=list(range(1, seeds + 1)),
    )
    runs = [tuned(known[r.tuning], r.bytes, r.seed) for r in design.itertuples()]
    rows = _rows(simulate_all(runs, experiment="transfers-tunings"), design)
    times = rows.pivot_table(index=["bytes", "seed"], columns="tuning", values="transfer_time_s")
    found = []
    for name in names:
        for size in bytes_:
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


def harm(methods: Sequence[str] = METHODS, seeds: int = 5, file_bytes: float = 3e7) -> pd.DataFrame:
    """Return what a NewReno, there before, has left while a file goes over by each method.

    Columns: how, left (its goodput in that time over that beside one standard TCP with the same
    file), low, high (95 %), share (of what both carry), and time (s). Each run begins the transfer
    at another moment of the neighbour's life.
    """
    table = _harm({"": HARM_PATH}, {"": file_bytes}, methods, seeds, experiment="transfers-harm")
    return table.drop(columns="way")


def harm_by_path(
    ways: Sequence[str] = tuple(WAYS), methods: Sequence[str] = METHODS, seeds: int = 8
) -> pd.DataFrame:
    """Return what `harm` does for each path, with its way: the file is what the link alone carries
    in 24 s, at most 300 MB, and the neighbour has been there for 60 round trips, 20 s at least.

    Until the file comes, the neighbour has met the same losses whatever the method: the interval is
    that of the ratios run by run, the mean of the logarithms.
    """
    paths = {name: WAYS[name] for name in ways}
    files = {name: min(3e8, 3 * way.rate_bps) for name, way in paths.items()}
    compare = functools.partial(statistics.paired, ratio=True)
    return _harm(paths, files, methods, seeds, "transfers-harm-by-path", compare)


def _harm(
    ways: Mapping[str, Way],
    files: Mapping[str, float],
    methods: Sequence[str],
    seeds: int,
    experiment: str,
    compare: Callable[..., dict[str, float]] = statistics.unpaired,
) -> pd.DataFrame:
    design = statistics.combinations(
        way=list(ways),
        how=list(dict.fromkeys([*methods, "standard TCP"])),
        seed=list(range(1, seeds + 1)),
    )
    runs, alone = [], []
    for r in design.itertuples():
        way, size = ways[r.way], files[r.way]
        start = max(20, 60 * way.rtt_s) + 1.37 * r.seed
        ends = max(600.0, start + 800 * size / way.rate_bps)
        timer = {} if way.rtt_s <= 0.5 else {"min_rto_s": 2 * way.rtt_s}
        neighbour = flow("newreno", name="neighbour", **timer)
        plain = scenario(r.how, way, size, seed=r.seed, duration_s=ends)
        late = [one.model_copy(update={"start_s": start}) for one in plain.flows]
        (moved,) = plain.transfers
        if not late:
            on_time = moved.method.model_copy(update={"start_s": start})
            moved = moved.model_copy(update={"method": on_time})
        alone.append(plain.with_(flows=[neighbour], transfers=[], duration_s=start))
        runs.append(plain.with_(flows=[*late, neighbour], transfers=[moved]))
    results = simulate_all([*runs, *alone], experiment=experiment)
    rows = _rows(results[: len(runs)], design)
    got = []
    for together, before in zip(results[: len(runs)], results[len(runs) :], strict=True):
        time = together.provenance["simulated_s"] - before.scenario.duration_s
        delivered = [one.flows["delivered_bytes"].iloc[-1] for one in (together, before)]
        got.append((delivered[0] - delivered[1]) / time)
    rows["neighbour"] = got
    found = []
    for name in ways:
        by = rows[rows["way"] == name].groupby("how")
        among = by.get_group("standard TCP")["neighbour"]
        for how in methods:
            own = by.get_group(how)
            ratio = compare(own["neighbour"], among)
            carried = files[name] / own["transfer_time_s"]
            found.append(
                {"way": name, "how": how}
                | {"left": ratio["measured"], "low": ratio["low"], "high": ratio["high"]}
                | {
                    "share": (own["neighbour"] / (own["neighbour"] + carried)).mean(),
                    "time": own["transfer_time_s"].mean(),
                }
            )
    return pd.DataFrame(found)


def settling(
    part: float = 1.2,
    file_bytes: float = 4e7,
    way: Way = Way(10e6, 0.02, 0.0),  # noqa: B008
) -> pd.DataFrame:
    """Return Tsunami's rate and error rate over time where it is asked for more than the link has.

    Columns: time_s, series (rate_bps or error_rate), value.
    """
    record = Record(series=("rate_bps", "error_rate"), points=300)
    run = scenario(
        "Tsunami", way, file_bytes, rate_bps=part * way.rate_bps, record=record, duration_s=100.0
    )
    (result,) = simulate_all([run], experiment="transfers-settling")
    parts = []
    for series in record.series:
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
        "less than 5 % of the time, 1 GB: 1.05 over the gain from 1 to 3",
        1.0,
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
        1.05 * faster[one, longest],
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


def breaks(
    markers_s: Sequence[float | None] = (None, 5.0, 1.0),
    seeds: int = 3,
    file_bytes: float = 1e9,
    way: Way = WAYS["JAPAN"],
) -> pd.DataFrame:
    """Return what restart markers save where all connections break and others go on.

    GridFTP's eight streams are cut after `CUT_AT_S` and go on at `ON_AT_S`. Columns: markers (what
    there is, text), time (s, mean), later (s, than without a break), and sent (packets' bytes over
    the file).
    """
    plain = [scenario("GridFTP, 8 streams", way, file_bytes, seed=s + 1) for s in range(seeds)]
    legs = {"not cut": plain}
    for every in markers_s:
        how = GridFtp(
            flows=tuple(range(8)),
            cuts=(Cut(at_s=CUT_AT_S, flows=tuple(range(8, 16))),),
            marker_every_s=every,
        )
        name = "no markers" if every is None else f"a marker every {every:g} s"
        legs[name] = [
            one.with_(
                flows=[
                    *one.flows,
                    *(f.model_copy(update={"start_s": ON_AT_S}) for f in one.flows),
                ],
                transfers=[Transfer(bytes=round(file_bytes), method=how)],
            )
            for one in plain
        ]
    results = simulate_all(
        [run for runs in legs.values() for run in runs], experiment="transfers-breaks"
    )
    table = pd.concat([result.transfers for result in results], ignore_index=True)
    table["markers"] = [name for name, runs in legs.items() for _ in runs]
    table["sent"] = table["bytes_sent"] / file_bytes
    means = table.groupby("markers", sort=False)[["transfer_time_s", "sent"]].mean().reset_index()
    means = means.rename(columns={"transfer_time_s": "time"})
    means["later"] = means["time"] - means["time"].iloc[0]
    return means


def streams(
    numbers: Sequence[int] = (1, 2, 4, 8, 16),
    every_s: Sequence[float] = (1.0, 5.0),
    seeds: int = 8,
    file_bytes: float = 1e9,
    way: Way = WAYS["JAPAN"],
) -> pd.DataFrame:
    """Return the time of a file by the number of GridFTP's streams, stated or found on the way.

    Columns: rule (how the number came about, text), used (streams that carried something, mean),
    time (s, mean) and halfwidth (95 %).
    """
    timer = {"min_rto_s": max(1.0, 2 * way.rtt_s)}
    most = max(numbers)
    kinds = {
        f"{n} stated" if n > 1 else "one": (n, GridFtp(flows=tuple(range(n)))) for n in numbers
    } | {
        f"doubled every {every:g} s": (
            most,
            GridFtp(flows=tuple(range(most)), adapts=Adapts(every_s=every)),
        )
        for every in every_s
    }
    design = statistics.combinations(rule=list(kinds), seed=list(range(1, seeds + 1)))
    runs = []
    for row in design.itertuples():
        number, how = kinds[row.rule]
        plain = scenario("standard TCP", way, file_bytes, seed=row.seed)
        carried = Transfer(bytes=round(file_bytes), method=how)
        runs.append(plain.with_(flows=[flow(**timer)] * number, transfers=[carried]))
    results = simulate_all(runs, experiment="transfers-streams")
    rows = _rows(results, design)
    rows["used"] = [(result.flows["delivered_bytes"] > 0).sum() for result in results]
    table = statistics.interval(rows, ["rule"], "transfer_time_s")
    table = table.rename(columns={"transfer_time_s": "time"})
    table["used"] = table["rule"].map(rows.groupby("rule")["used"].mean())
    order = {name: place for place, name in enumerate(kinds)}
    return table.sort_values("rule", key=lambda names: names.map(order)).reset_index(drop=True)


# --- ns-3 beside the segment engine


BESIDE = {"JAPAN": 2e7, "satellite": 1e7, "lossy radio": 2e6}  # bytes
BESIDE_METHODS = ("standard TCP", "4 parallel", "GridFTP, 8 streams", "RBUDP", "Tsunami")


def beside_ns3(
    ways: Mapping[str, float] = MappingProxyType(BESIDE),
    methods: Sequence[str] = BESIDE_METHODS,
    seeds: int = 8,
) -> pd.DataFrame:
    """Return the times of files on ns-3 beside those on the segment engine, run by run.

    Columns: way, how, ns3 (s, mean), same and rfc (the segment engine's time over ns-3's, the mean
    of the logarithms, with the faults of ns-3's socket and without any), each with _low and _high
    (95 %; missing where all runs are equal), and equal (runs whose times are the same to the last
    digit with the faults, of `runs`).
    """
    design = statistics.combinations(
        way=list(ways), how=list(methods), seed=list(range(1, seeds + 1))
    )
    plain = [scenario(r.how, WAYS[r.way], ways[r.way], seed=r.seed) for r in design.itertuples()]
    faulty = [one.with_(faults=OF_ITS_SOCKET) for one in plain]
    results = simulate_all(plain, "ns3", experiment="transfers-ns3")
    results += simulate_all([*faulty, *plain], experiment="transfers-beside")
    times = [result.transfers["transfer_time_s"].item() for result in results]
    for name, own in zip(("ns3", "same", "rfc"), np.split(np.array(times), 3), strict=True):
        design[name] = own
    found = []
    for (way, how), own in design.groupby(["way", "how"], sort=False):
        row = {"way": way, "how": how, "ns3": own["ns3"].mean()}
        for name in ("same", "rfc"):
            ratio = statistics.paired(own[name], own["ns3"], ratio=True)
            equal = np.allclose(own[name], own["ns3"], rtol=1e-12)
            bounds = {"low": np.nan, "high": np.nan} if equal else ratio
            row |= {name: ratio["measured"]}
            row |= {f"{name}_low": bounds["low"], f"{name}_high": bounds["high"]}
        row |= {"equal": int((own["same"] == own["ns3"]).sum()), "runs": len(own)}
        found.append(row)
    return pd.DataFrame(found)
