"""Every sender that the papers name, each where it shows what it promises: the data of the page.

All runs are the segment engine's, over one link and back: segments of 1000 bytes, an ACK for each,
round trips by an exact clock, but for LEDBAT and TCP-LP, which need timestamps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.cc import catalogue
from longfat.errors import InputError
from longfat.experiment import Experiment, Runs
from longfat.network import duplex, reference
from longfat.scenario import CongestionControl, Flow, Record, Scenario

PACKET_BITS = 8 * 1054
RATE_BPS, RTT_S = 10e6, 0.1  # the path of the page cross-check
FAST: dict[str, Any] = {"rate_bps": 200e6, "buffer": 0.5, "loss": 5e-6, "window": 10_000}
# The receiver takes twice what path and buffer hold.
SATELLITE: dict[str, Any] = {"rate_bps": 20e6, "rtt_s": 0.55, "buffer": 0.5, "window": 3914}
# Without them these two are standard TCP.
BY_TIMESTAMPS = ("ledbat", "lp")
# FAST wants so many of its segments in the queue; its own default is more than a buffer here holds.
PARAMETERS = {"fast": {"alpha_segments": 20.0}}
SAME_AS_NEWRENO = ("gaimd", "standard")  # at their defaults
WITH_ROUTERS = ("cadpc", "xcp")  # which are those of the page on routers
YIELD_S = 60.0
# Of the page after this one (senders_long.py): later than the archives of all senders.
OF_LONG_PAGE = (
    *("cdg-linux", "chd-freebsd", "cherry", "hd-freebsd"),
    *("hybla-2004", "peach", "probing"),
)

# Whose queue is shown: loss as the signal, then delay, then rate.
QUEUES = (
    *("newreno", "cubic", "illinois", "compound"),
    *("card", "dual", "vegas", "fast"),
    *("africa", "pert", "cdg", "hd"),
    *("chd", "lp", "ledbat", "yeah"),
    *("westwood-plus", "ucc", "bbr", "bbr3"),
)
GROWTH = (
    *("newreno", "highspeed", "scalable", "bic"),
    *("cubic", "htcp", "illinois", "compound"),
    *("yeah", "africa", "westwood-plus", "hybla"),
)
YIELDING = ("newreno", "cubic", "vegas", "cdg", "lp", "ledbat", "bbr", "bbr3")
FAR = ("newreno", "cubic", "htcp", "hybla", "bbr3")
TOLERANT = (
    *("newreno", "veno", "westwood", "westwood-plus", "tcpj", "cdg"),
    *("ucc", "bbr", "bbr3"),
)


def senders() -> list[str]:
    """Return the congestion controls of this package that the archives of all senders have.

    Those that are NewReno by default, or need routers of their own, are left out.
    """
    others = (*SAME_AS_NEWRENO, *WITH_ROUTERS, *OF_LONG_PAGE)
    ours = [
        name
        for name, algorithm in catalogue.algorithms().items()
        if algorithm.header and algorithm.header.parent == catalogue.FOLDER
    ]
    return [name for name in ours if name not in others]


def scenario(
    sender: str,
    *,
    beside: str = "",
    rate_bps: float = RATE_BPS,
    rtt_s: float = RTT_S,
    buffer: float = 1.0,
    loss: float = 0.0,
    duration_s: float = 60.0,
    start_s: float = 0.0,
    window: int = 64_000,
    beside_start_s: float = 0.0,
    seed: int = 1,
    record: Record | None = None,
) -> Scenario:
    """Return a path with a flow of `sender`, that starts later if asked to, and one of `beside`.

    The neighbour starts at `beside_start_s`. `buffer` is in bandwidth-delay products, `window` the
    receiver's, in segments.
    """

    def flow(name: str, **fields: Any) -> Flow:
        return Flow(
            source="sender",
            target="receiver",
            congestion_control=CongestionControl(name=name, parameters=PARAMETERS.get(name, {})),
            timestamps=name in BY_TIMESTAMPS,
            receive_buffer_bytes=1000 * window,
            **fields,
        )

    flows = [flow(sender, start_s=start_s)]
    return Scenario(
        links=duplex(
            "sender",
            "receiver",
            rate_bps=rate_bps,
            delay_s=rtt_s / 2,
            queue_packets=max(2, round(buffer * rate_bps * rtt_s / PACKET_BITS)),
            loss_per_packet=loss,
            backward={"loss_per_packet": 0.0, "queue_packets": 10_000},
        ),
        flows=flows + ([flow(beside, start_s=beside_start_s)] if beside else []),
        duration_s=duration_s,
        seed=seed,
        record=record or Record(),
    )


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How often runs are repeated: over drawn losses, over the satellite, and by starting times."""

    seeds: int
    seeds_satellite: int
    starts: int


def setting(profile: str = "paper", seeds: int | None = None, starts: int | None = None) -> Setting:
    """Return the setting at a profile; what is given counts for each kind of runs.

    Raises InputError for another profile and for less than one run.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    for name, count in (("seeds", seeds), ("starts", starts)):
        if count is not None and count < 1:
            raise InputError(f"{name} is {count}: it must be 1 or more")
    quick = profile == "quick"
    return Setting(
        seeds=seeds or (2 if quick else 5),
        seeds_satellite=seeds or (2 if quick else 8),
        starts=starts or (2 if quick else 8),
    )


def _alone(sender: str, rtt_s: float, seed: int) -> Scenario:
    """Return a sender alone for 100 s; the receiver takes twice what path and buffer hold."""
    window = round(4 * RATE_BPS * rtt_s / PACKET_BITS)
    return scenario(sender, rtt_s=rtt_s, loss=1e-3, seed=seed, duration_s=100.0, window=window)


def started(sender: str, start: int) -> Scenario:
    """Return a sender beside a NewReno, at one of several starting times."""
    return scenario(sender, beside="newreno", start_s=1 + 0.137 * start)


def _queues(sender: str) -> Scenario:
    record = Record(series=("queue_packets",), points=300)
    return scenario(sender, record=record, duration_s=40.0)


def _growth(sender: str) -> Scenario:
    record = Record(series=("cwnd_segments",), points=300)
    return scenario(sender, record=record, duration_s=60.0, **FAST)


def _yielding(sender: str) -> Scenario:
    record = Record(series=("delivered_bytes",), points=round(2 * YIELD_S))
    return scenario(
        sender, beside="newreno", beside_start_s=20.0, duration_s=YIELD_S, record=record
    )


def _cdg(control: CongestionControl | str, loss: float, seed: int) -> Scenario:
    return reference(congestion_control=control, loss=loss, seed=seed)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the page: every sender where it shows what it promises.

    `senders-cdg-segment` has the CDG of our header, which then forgives no loss either, over the
    path of the page cross-check, as Linux's in `senders-cdg-linux`.
    """
    strict = CongestionControl(name="cdg", parameters={"tolerates_loss": False})
    satellite = SATELLITE | {"duration_s": 100.0}
    losses: dict[str, Sequence] = {"loss": (1e-4, 1e-3, 1e-2)}
    return (
        Experiment(name="senders-queues", build=_queues, points={"sender": QUEUES}),
        Experiment(name="senders-growth", build=_growth, points={"sender": GROWTH}),
        Experiment(name="senders-yielding", build=_yielding, points={"sender": YIELDING}),
        Experiment(
            name="senders-round-trips",
            build=_alone,
            points={"sender": FAR, "rtt_s": (0.025, 0.05, 0.1, 0.2, 0.4, 0.6)},
            repetitions=at.seeds,
        ),
        Experiment(
            name="senders-lossy",
            build=scenario,
            points={"sender": TOLERANT, **losses},
            repetitions=at.seeds,
        ),
        Experiment(
            name="senders-beside-newreno",
            build=started,
            points={"sender": senders(), "start": range(1, at.starts + 1)},
        ),
        Experiment(
            name="senders-satellite",
            build=partial(scenario, **satellite),
            points={"sender": senders(), "loss": (1e-4, 1e-3)},
            repetitions=at.seeds_satellite,
        ),
        Experiment(
            name="senders-unlimited",
            build=partial(scenario, **(satellite | {"window": 64_000, "loss": 1e-3})),
            points={"sender": ("hybla", "newreno")},
            repetitions=at.seeds_satellite,
        ),
        Experiment(
            name="senders-cdg-segment", build=partial(_cdg, strict), points=losses, repetitions=3
        ),
        Experiment(
            name="senders-cdg-linux",
            build=partial(_cdg, "cdg-linux"),
            points=losses,
            repetitions=3,
            engine="linux",
        ),
    )


def queues(runs: Runs) -> pd.DataFrame:
    """Return the queue in front of the link while each sender has it alone.

    Columns: sender, time_s, queue_packets; a row a change.
    """
    traces = runs.traces("senders-queues", "queue_packets")
    return traces[traces["link"] == "sender>receiver"][["sender", "time_s", "queue_packets"]]


def queue_means(queues: pd.DataFrame, since_s: float = 10.0) -> pd.DataFrame:
    """Return a row a sender: mean and 95 % quantile of the queue over time, from `since_s` on."""
    times = np.linspace(since_s, queues["time_s"].max(), 1000)
    rows = []
    for name, trace in queues.groupby("sender", sort=False):
        held = np.nan_to_num(measures.values_at(trace, "queue_packets", times))
        rows.append({"sender": name, "mean": held.mean(), "high": np.quantile(held, 0.95)})
    return pd.DataFrame(rows)


def growth(runs: Runs) -> pd.DataFrame:
    """Return how the window grows on a long fat path, `FAST`: sender, time_s, cwnd_segments.

    The path holds 2,372 packets, its buffer 1,186.
    """
    traces = runs.traces("senders-growth", "cwnd_segments")
    return traces[["sender", "time_s", "cwnd_segments"]]


def regained(grown: pd.DataFrame, since_s: float = 10.0) -> pd.DataFrame:
    """Return how fast windows grow on `FAST`, after `since_s`: a row a sender.

    Columns: sender; below and above, the segments that a round trip adds where no queue stands and
    where one does (medians over the parts of the trace that grow; missing where there is none).
    """
    held = FAST["rate_bps"] * RTT_S / PACKET_BITS
    rows = []
    for name, trace in grown[grown["time_s"] >= since_s].groupby("sender", sort=False):
        window, time = trace["cwnd_segments"].to_numpy(), trace["time_s"].to_numpy()
        slope = RTT_S * np.diff(window) / np.diff(time)
        grows, middle = slope > 0, (window[1:] + window[:-1]) / 2
        row: dict[str, Any] = {"sender": name}
        for column, place in (("below", middle < 0.97 * held), ("above", middle > 1.03 * held)):
            found = slope[grows & place]
            row[column] = np.median(found) if len(found) else np.nan
        rows.append(row)
    return pd.DataFrame(rows, columns=["sender", "below", "above"])


def yielding(runs: Runs) -> pd.DataFrame:
    """Return what each sender gets before and after a NewReno comes.

    Columns: sender, time_s (the middle of a second), own and newreno (goodput, Mb/s).
    """
    traces = runs.traces("senders-yielding", "delivered_bytes")
    edges = np.arange(0.0, YIELD_S + 0.5)
    parts = []
    for name, trace in traces.groupby("sender", sort=False):
        rates = {}
        for column, flow in (("own", "0"), ("newreno", "1")):
            own = trace[trace["flow"].astype(str) == flow]
            held = np.nan_to_num(measures.values_at(own, "delivered_bytes", edges))
            rates[column] = 8e-6 * np.diff(held)
        parts.append(pd.DataFrame({"sender": name, "time_s": edges[:-1] + 0.5} | rates))
    return pd.concat(parts, ignore_index=True)


def left(yielded: pd.DataFrame, since_s: float = 40.0) -> pd.Series:
    """Return NewReno's part of the traffic from `since_s` on, by sender, of `yielding`."""
    table = yielded[yielded["time_s"] >= since_s]
    sums = table.groupby("sender", sort=False)[["own", "newreno"]].sum()
    return sums["newreno"] / sums.sum(axis=1)


def round_trips(runs: Runs) -> pd.DataFrame:
    """Return the goodput of each sender alone over paths of several round trips, for 100 s.

    Columns: sender, rtt_s, Mb/s, halfwidth (95 %), repetitions.
    """
    return statistics.interval(runs.flows("senders-round-trips"), ["sender", "rtt_s"], "Mb/s")


def lossy(runs: Runs) -> pd.DataFrame:
    """Return the goodput of each sender alone where packets are lost at random.

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions.
    """
    return statistics.interval(runs.flows("senders-lossy"), ["sender", "loss"], "Mb/s")


def neighbours(flows: pd.DataFrame, neighbour: str = "newreno") -> pd.DataFrame:
    """Return what a neighbour gets beside each sender, over a minute and several starting times.

    `flows` are of runs whose second flow is the neighbour's. Columns: sender; Mb/s, the sender's
    goodput; neighbour, its goodput over what it gets beside its own kind, with low and high, its
    95 % interval; starts.
    """
    flow = flows["flow"].astype(str)
    own = flows[flow == "0"].groupby("sender", sort=False)["goodput_bps"]
    other = flows[flow == "1"].groupby("sender", sort=False)["goodput_bps"]
    among = other.get_group(neighbour)
    rows = []
    for name, goodputs in other:
        ratio = statistics.unpaired(goodputs, among)
        rows.append(
            {
                "sender": name,
                "Mb/s": own.get_group(name).mean() / 1e6,
                "neighbour": ratio["measured"],
                "low": ratio["low"],
                "high": ratio["high"],
                "starts": len(goodputs),
            }
        )
    return pd.DataFrame(rows)


def neighbour_table(runs: Runs) -> pd.DataFrame:
    """Return what a NewReno gets beside each sender (`neighbours`)."""
    return neighbours(runs.flows("senders-beside-newreno"))


def satellite(runs: Runs) -> pd.DataFrame:
    """Return the goodput of every sender alone over a satellite (`SATELLITE`).

    Columns: sender, loss, Mb/s, halfwidth (95 %), repetitions.
    """
    return statistics.interval(runs.flows("senders-satellite"), ["sender", "loss"], "Mb/s")


def unlimited(runs: Runs) -> pd.DataFrame:
    """Return goodputs over the satellite as `satellite` does, with a window of 64,000 segments."""
    return statistics.interval(runs.flows("senders-unlimited"), ["sender"], "Mb/s")


def choices(satellite: pd.DataFrame, beside: pd.DataFrame, loss: float) -> pd.DataFrame:
    """Return the senders of `satellite` at a loss rate, best first, with their `neighbour_table`.

    Columns: sender, Mb/s, halfwidth, neighbour, low, high.
    """
    table = satellite[satellite["loss"] == loss].merge(
        beside[["sender", "neighbour", "low", "high"]], on="sender"
    )
    columns = ["sender", "Mb/s", "halfwidth", "neighbour", "low", "high"]
    return table.sort_values("Mb/s", ascending=False)[columns].reset_index(drop=True)


class Promise(NamedTuple):
    """What a sender was made for, as something that can be measured here.

    Kept if what `measure` (a key of `promises`) finds lies between `low` and `high`, its interval
    included where there is one.
    """

    sender: str
    words: str
    measure: str
    low: float = -np.inf
    high: float = np.inf


QUEUE = "mean queue alone, packets"
LOSSY = "goodput at one loss in a hundred, times NewReno's"
LEFT = "NewReno's goodput beside it, times that beside NewReno"
GIVEN = "NewReno's part of the link while both are there"
SATELLITE_GAIN = "goodput over the satellite at one loss in ten thousand, times NewReno's"
FAR_GAIN = "goodput at a round trip of 0.4 s, times NewReno's"
LONGER = "goodput at a round trip of 0.4 s, times that at 0.025 s"
SWITCH = "growth without a queue, times growth with one"
PROMISES = (
    Promise("card", "steps back where a larger window only brings delay", QUEUE, high=12),
    Promise("dual", "no overflow: stays about the middle of the delays", QUEUE, high=60),
    Promise("vegas", "two to four of its packets wait", QUEUE, 2, 4),
    Promise("fast", "as many of its packets wait as it is told: 20", QUEUE, 18, 22),
    Promise("pert", "keeps a queue short, as a router with early detection would", QUEUE, high=12),
    Promise("cdg", "takes no random loss for congestion", LOSSY, low=1.1),
    Promise("chd", "holds its own beside NewReno", LEFT, high=1.25),
    Promise("hd", "keeps the queue short", QUEUE, high=12),
    Promise("lp", "leaves the link to others", GIVEN, low=0.9),
    Promise("ledbat", "leaves the link to others", GIVEN, low=0.9),
    Promise("veno", "tells a loss of the link from one of the queue", LOSSY, low=1.1),
    Promise("westwood", "a loss takes what does not arrive, and no more", LOSSY, low=1.1),
    Promise("westwood-plus", "the same, where ACKs come in heaps", LOSSY, low=1.1),
    Promise("tcpj", "the same, by a smoothed bandwidth", LOSSY, low=1.1),
    Promise("ucc", "halves only where the link is busy", LOSSY, low=1.1),
    Promise("bbr", "losses of the link do not matter", LOSSY, low=1.1),
    Promise("bbr3", "leaves NewReno its part", LEFT, low=1 / 1.1),
    Promise("africa", "fast without a queue, as Reno with one", SWITCH, low=2),
    Promise("compound", "fast without a queue, as Reno with one", SWITCH, low=2),
    Promise("illinois", "fast while the delay is short", SATELLITE_GAIN, low=1.1),
    Promise("yeah", "leaves NewReno its part", LEFT, low=1 / 1.1),
    Promise("cubic", "grows by time, not by round trips", FAR_GAIN, low=1.1),
    Promise("htcp", "grows by time, not by round trips", FAR_GAIN, low=1.1),
    Promise("hybla", "as fast over a satellite as next door", LONGER, low=0.9),
    Promise("highspeed", "makes use of large windows", SATELLITE_GAIN, low=1.1),
    Promise("scalable", "makes use of large windows", SATELLITE_GAIN, low=1.1),
    Promise("bic", "makes use of large windows", SATELLITE_GAIN, low=1.1),
)


def _ratios(
    table: pd.DataFrame, first: pd.Series, second: pd.Series
) -> tuple[pd.Series, pd.Series]:
    """Return ratios of the means in two selections of a table, by sender, and half intervals."""
    above, below = (
        table[rows].set_index("sender")[["Mb/s", "halfwidth"]] for rows in (first, second)
    )
    below = below if len(below) > 1 else pd.concat([below] * len(above)).set_axis(above.index)
    ratio = above["Mb/s"] / below["Mb/s"]
    parts = [part["halfwidth"] / part["Mb/s"] for part in (above, below)]
    return ratio, ratio * np.hypot(*parts)


def promise_kept(promise: Promise, measured: float, low: float, high: float) -> str:
    """Return "yes", "perhaps" or "no" for what was found, with its interval (missing: none)."""
    ends = [end for end in (low, high) if not np.isnan(end)] or [measured]
    inside = [promise.low <= end <= promise.high for end in ends]
    answer = "yes" if all(inside) else "perhaps" if any(inside) else "no"
    if answer == "no" and promise.low <= measured <= promise.high:
        answer = "perhaps"  # an interval wider than what is asked for
    return answer


def promises(runs: Runs) -> pd.DataFrame:
    """Return what each sender promises and what became of it (`judged`)."""
    return judged(
        means=queue_means(runs.derived(queues)),
        lossy=lossy(runs),
        beside=runs.derived(neighbour_table),
        yielded=runs.derived(yielding),
        satellite=runs.derived(satellite),
        far=round_trips(runs),
        grown=runs.derived(growth),
    )


def judged(
    *,
    means: pd.DataFrame,
    lossy: pd.DataFrame,
    beside: pd.DataFrame,
    yielded: pd.DataFrame,
    satellite: pd.DataFrame,
    far: pd.DataFrame,
    grown: pd.DataFrame,
) -> pd.DataFrame:
    """Return what each sender promises and what became of it, by what was measured.

    `means` is `queue_means`'. Columns: sender, promise, measure, measured, low, high (95 %; missing
    where the run has no chance in it), kept.
    """
    worst = lossy["loss"] == lossy["loss"].max()
    rare = satellite["loss"] == satellite["loss"].min()
    tables = {
        LOSSY: _ratios(lossy, worst, worst & (lossy["sender"] == "newreno")),
        SATELLITE_GAIN: _ratios(satellite, rare, rare & (satellite["sender"] == "newreno")),
        FAR_GAIN: _ratios(
            far, far["rtt_s"] == 0.4, (far["rtt_s"] == 0.4) & (far["sender"] == "newreno")
        ),
        LONGER: _ratios(far, far["rtt_s"] == 0.4, far["rtt_s"] == 0.025),
    }
    speed = regained(grown).set_index("sender")
    plain = {
        QUEUE: means.set_index("sender")["mean"],
        GIVEN: left(yielded),
        SWITCH: speed["below"] / speed["above"],
    }
    near = beside.set_index("sender")
    rows = []
    for one in PROMISES:
        if one.measure == LEFT:
            measured, low, high = near.loc[one.sender, ["neighbour", "low", "high"]]
        elif one.measure in tables:
            ratio, half = tables[one.measure]
            measured = ratio[one.sender]
            low, high = measured - half[one.sender], measured + half[one.sender]
        else:
            measured, low, high = plain[one.measure].get(one.sender, np.nan), np.nan, np.nan
        rows.append(
            {"sender": one.sender, "promise": one.words, "measure": one.measure}
            | {"measured": measured, "low": low, "high": high}
            | {"kept": promise_kept(one, measured, low, high)}
        )
    return pd.DataFrame(rows)


# What explains a gap, where it is known (the page cross-check and the page ns2 have the evidence).
REASONS = {
    "cubic": "Linux never raises its alpha",
    "westwood-plus": "Linux counts a recovery twice",
    "highspeed": "Linux goes by a table",
    "vegas": "a loss takes half in Linux, a quarter in the paper",
    "bic": "Linux searches for 20 round trips",
    "scalable": "below 16 segments Kelly's is standard TCP, Linux's is not",
}


# The other implementations' archives, and those of our headers over the same path: of the pages
# cross-check and ns2.
SOURCES = (
    ("Linux", "cross-check-linux", "cross-check-segment"),
    ("ns-2", "ns2-beside-ns2", "ns2-beside-segment"),
)
SOURCE_ARCHIVES = tuple(name for _, *names in SOURCES for name in names)


def _goodputs(archive: pd.DataFrame, loss: float) -> dict[str, pd.Series]:
    """Return an archive's goodputs at a loss rate, by the congestion control's name."""
    runs = archive[np.isclose(archive["links.0.loss_per_packet"], loss)]
    return dict(list(runs.groupby("flows.0.congestion_control.name")["goodput_bps"]))


def second_sources(runs: Runs, loss: float = 1e-3) -> pd.DataFrame:
    """Return what other implementations get over our header's goodput, from the archives.

    Linux 6.12 (the page cross-check's runs) and ns-2 (the page ns2's), over the same path. Columns:
    sender, source, Mb/s (ours), ratio, low, high (95 %), reason (of a gap: where the interval
    leaves out 1).
    """
    rows = []
    for source, theirs, ours in SOURCES:
        own = _goodputs(runs.archived(ours), loss)
        for name, goodputs in _goodputs(runs.archived(theirs), loss).items():
            mine = own.get(name)
            if mine is None:
                continue
            found = statistics.unpaired(goodputs, mine)
            parted = found["low"] > 1 or found["high"] < 1
            reason = REASONS.get(name, "not explained") if source == "Linux" else "the page on ns-2"
            rows.append(
                {"sender": name, "source": source, "Mb/s": mine.mean() / 1e6}
                | {"ratio": found["measured"], "low": found["low"], "high": found["high"]}
                | {"reason": reason if parted else ""}
            )
    return pd.DataFrame(rows).sort_values(["sender", "source"]).reset_index(drop=True)


def cdg_of_linux(runs: Runs) -> pd.DataFrame:
    """Return CDG's goodput on Linux 6.12 and with our header, which then forgives no loss either.

    Over the path of the page cross-check, for a minute. A row a loss rate (the index); columns
    ours and linux, means in Mb/s. Linux's is missing where it can neither be run nor found.
    """
    found = {
        column: runs.flows(f"senders-cdg-{engine}").groupby("loss")["Mb/s"].mean()
        for column, engine in (("ours", "segment"), ("linux", "linux"))
    }
    return pd.DataFrame(found)
