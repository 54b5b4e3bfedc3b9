"""What RFC 9743 asks of a new congestion control: a sender beside a standard one, path by path.

A criterion of the RFC is a family of paths and what is measured on them. On each path the sender
and the standard one run with the same seeds; a seed draws the rate and the buffer about the stated
ones, and when flows begin, so that no two runs are of one path. Pairs of runs give the ratio of the
two with its interval. The RFC gives no limits, so nothing passes or fails: a sender is better,
equal or worse. The least favourable path of a criterion decides.
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.cc import catalogue
from longfat.engines import simulate
from longfat.errors import InputError, SimulationError, nearest
from longfat.experiment import Point, Points
from longfat.links import Arq, CoDel, LinkChange, Outage, Pie
from longfat.media_streams import MediaStream
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Reroute, Scenario
from longfat.studies.senders import BY_TIMESTAMPS, OF_LONG_PAGE, senders
from longfat.sweeps import simulate_all

SEGMENT_BYTES = 1448
PACKET_BITS = 8 * (SEGMENT_BYTES + 42)
SEEDS, QUICK_SEEDS = 16, 4
SPREAD = 1.25  # a seed draws rate and buffer within this factor, evenly in their logarithms
TIE = 1.05  # an interval that lies within this factor of the standard sender is equal
STANDARD = "cubic"
TIME_LIMIT_S = 60.0  # of a run: the longest of the senders here takes some seconds
SHORT_BYTES, SHORT_FLOWS, SHORT_FROM_S, SHORT_EVERY_S = 100_000, 12, 3.0, 2.0
OWN, BESIDE, SHORT = "own", "beside", "short"  # how flows are named
# Below 150 ms from mouth to ear most applications are hardly affected (ITU-T G.114). Of a call's,
# 20 are over before a packet is full and 25 are the way: what is left may be waited for in queues.
DEADLINE_S = 0.150 - 0.020 - 0.025
DIVISION, AHEAD = 4, 40  # parts of an ACK; segments, about half of what the path holds


@dataclasses.dataclass(frozen=True, kw_only=True)
class Path:
    """A path and who is on it. Times in s, rates in bit/s, the buffer in rate times `rtt_s`.

    `flows` are long ones of the sender that is judged; `beside` is the congestion control of one
    neighbour more; `short` says of whom short flows come ("" without), `short_flows` how many; with
    a `call` there is one, which begins before all others.
    `forward` and `backward` are fields of the links, `flow` of all flows, `own` of those that are
    judged.
    """

    rate_bps: float = 20e6
    rtt_s: float = 0.05
    buffer: float = 1.0
    flows: int = 1
    longer: tuple[int, ...] = ()  # flows whose round trip is three times as long
    beside: str = ""
    short: Literal["", "own", "beside"] = ""
    short_flows: int = SHORT_FLOWS
    call: bool = False
    duration_s: float = 30.0
    forward: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    backward: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    flow: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    own: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    detour_at_s: float | None = None  # from then on packets take a way of twice the round trip

    def scenario(self, sender: str, seed: int) -> Scenario:
        """Return the run of a seed."""
        draw = np.random.default_rng(seed)
        rate_bps, buffer = (
            float(f"{stated * SPREAD ** draw.uniform(-1, 1):.4g}")
            for stated in (self.rate_bps, self.buffer)
        )
        queue = max(2, round(buffer * rate_bps * self.rtt_s / PACKET_BITS))
        held = round(rate_bps * self.rtt_s / PACKET_BITS) + queue
        fields: dict[str, Any] = {
            "rate_bps": rate_bps,
            "delay_s": self.rtt_s / 2,
            "queue_packets": queue,
        }
        links = list(
            duplex(
                "a",
                "b",
                **(fields | dict(self.forward)),
                backward=THERE_ONLY | dict(self.backward),
            )
        )
        wide: dict[str, Any] = {
            "rate_bps": 100 * self.rate_bps,
            "delay_s": 0.0,
            "queue_packets": 100 * held,
        }
        fast = wide | {"delay_s": self.rtt_s}
        if self.longer:
            links += duplex("far", "a", **fast)
        if self.detour_at_s is not None:
            links += [
                *duplex("a", "c", **(fields | {"delay_s": self.rtt_s})),
                *duplex("c", "b", **wide),
            ]

        def flow(name: str, control: str, start_s: float, **more: Any) -> Flow:
            settings = {
                "name": name,
                "source": "a",
                "target": "b",
                "congestion_control": control,
                "segment_bytes": SEGMENT_BYTES,
                "send_buffer_bytes": 2_000_000_000,
                "receive_buffer_bytes": max(20, 4 * held) * SEGMENT_BYTES,
                "timestamps": control in BY_TIMESTAMPS,
                "min_rto_s": 0.2,
                "start_s": round(start_s, 6),
            }
            return Flow(**(settings | dict(self.flow) | more))

        flows = []
        for number in range(self.flows):
            more: dict[str, Any] = {"source": "far"} if number in self.longer else {}
            more |= self.own
            if self.detour_at_s is not None:
                more["path"] = ("a", "b")
                more["reroutes"] = (Reroute(at_s=self.detour_at_s, path=("a", "c", "b")),)
            flows.append(flow(f"{OWN} {number + 1}", sender, draw.uniform(0, 1), **more))
        if self.beside:
            flows.append(flow(BESIDE, self.beside, draw.uniform(0, 1)))
        if self.short:
            whose = sender if self.short == "own" else self.beside or STANDARD
            every_s = SHORT_EVERY_S * SHORT_FLOWS / self.short_flows
            flows += [
                flow(
                    f"{SHORT} {number + 1}",
                    whose,
                    SHORT_FROM_S + every_s * (number + draw.uniform(0, 0.5)),
                    bytes=SHORT_BYTES,
                )
                for number in range(self.short_flows)
            ]
        return Scenario(
            links=tuple(links),
            flows=tuple(flows),
            media_streams=(CALL,) if self.call else (),
            duration_s=self.duration_s,
            seed=seed,
            record=Record(series=SERIES, points=600),
        )


CALL = MediaStream(source="a", target="b", deadline_s=DEADLINE_S)
SERIES = ("delivered_bytes", "rtt_s", "queue_packets", "sent_bytes")
THERE_ONLY = {"loss_per_packet": 0.0, "outages": (), "changes": (), "aqm": None, "arq": None}


class Criterion(NamedTuple):
    """A criterion: its name, the RFC's section, the question, and what is measured on which paths.

    `column` is that of `measured`, `measure` says it in words, and `more` whether more is better.
    """

    name: str
    section: str
    question: str
    measure: str
    more: bool
    column: str
    paths: Mapping[str, Path]


# --- what is measured


def measured(result: Result) -> dict[str, float]:
    """Return what a run of a `Path` has, of its last three quarters; what it lacks is missing.

    goodput of the sender's long flows, Mb/s, and goodput_after the last change of the path; that of
    the neighbour, neighbour, and its smallest over 3 s, least; fairness (Jain's index of the long
    flows); sent_again (%, of their segments); wait_ms, the time in the bottleneck's queue that 95 %
    of the moments stay below; missed (%, of a call's packets that are due: too late, or lost), of
    the whole run; short_s, the mean time of the short flows, of which what has not ended has taken
    until the end; and unanswered, the packets that are sent from 2 s after the beginning of an
    outage that lasts to the end.
    """
    scenario = result.scenario
    link, end_s = scenario.links[0], scenario.duration_s
    own, beside, short = (
        [
            flow
            for flow, stated in zip(result.flows["flow"], scenario.flows, strict=True)
            if stated.name.split(" ")[0] == kind
        ]
        for kind in (OWN, BESIDE, SHORT)
    )
    found = dict.fromkeys(COLUMNS, np.nan)
    begin_s = end_s / 4
    changed_s = max(
        [
            *(change.at_s for change in link.changes),
            *(outage.start_s + outage.duration_s for outage in link.outages),
            *(reroute.at_s for flow in scenario.flows for reroute in flow.reroutes),
        ],
        default=end_s,
    )
    if own:
        rates = np.array([_carried_mbps(result, flow, begin_s, end_s) for flow in own])
        flows = result.flows[result.flows["flow"].isin(own)]
        found["goodput"] = rates.sum()
        found["fairness"] = float(measures.jain_index(rates)) if rates.any() else 0.0
        found["sent_again"] = 100 * flows["retransmissions"].sum() / flows["segments_sent"].sum()
        if changed_s < end_s:
            after = [_carried_mbps(result, flow, changed_s, end_s) for flow in own]
            found["goodput_after"] = sum(after)
    for flow in beside:
        found["neighbour"] = _carried_mbps(result, flow, begin_s, end_s)
        edges = np.arange(begin_s, end_s + 1e-9, LEAST_OVER_S)
        parts = itertools.pairwise(edges)
        found["least"] = min(_carried_mbps(result, flow, *part) for part in parts)
    if short:
        flows = result.flows[result.flows["flow"].isin(short)]
        starts = [flow.start_s for flow in scenario.flows if flow.name.startswith(SHORT)]
        until_end = pd.Series(end_s - np.array(starts), flows.index)
        found["short_s"] = flows["transfer_time_s"].fillna(until_end).mean()
    times = np.linspace(begin_s, end_s, 600)
    queue = _of_link(result, "queue_packets")
    waits_s = np.nan_to_num(measures.values_at(queue, "queue_packets", times))
    waits_s = waits_s * PACKET_BITS / link.rate_bps
    found["wait_ms"] = 1000 * np.quantile(waits_s, 0.95)
    for call in result.media_stream_rows():
        missed = call["packets_late"] + call["packets_lost"]
        found["missed"] = 100 * missed / call["packets_due"]
    for outage in link.outages:
        if outage.start_s + outage.duration_s >= end_s:
            gone_s = [outage.start_s + 2, end_s]
            sent = measures.values_at(_of_link(result, "sent_bytes"), "sent_bytes", gone_s)
            found["unanswered"] = 8 * np.diff(sent)[0] / PACKET_BITS
    return {name: float(f"{value:.5g}") for name, value in found.items()}


COLUMNS = (
    "goodput", "goodput_after", "neighbour", "least", "fairness", "sent_again", "wait_ms", "missed",
    "short_s", "unanswered",
)  # fmt: skip
LEAST_OVER_S = 3.0


def _carried_mbps(result: Result, flow: str, start_s: float, end_s: float) -> float:
    trace = result.traces["delivered_bytes"]
    own = trace[trace["flow"] == flow]
    if not len(own):
        return 0.0
    held = np.nan_to_num(measures.values_at(own, "delivered_bytes", [start_s, end_s]))
    return float(8 * np.diff(held)[0] / (end_s - start_s)) / 1e6


def _of_link(result: Result, series: str) -> pd.DataFrame:
    trace = result.traces[series]
    return trace[trace["link"] == "a>b"]


# --- the criteria

LOSSY, RADIO = {"loss_per_packet": 1e-3}, {"loss_per_packet": 1e-2}
WANDERS = tuple(
    LinkChange(at_s=3.0 * step, delay_s=0.025 * (1 + step % 2)) for step in range(1, 10)
)
SLOWS = (LinkChange(at_s=10.0, rate_bps=5e6), LinkChange(at_s=20.0, rate_bps=20e6))


def criteria() -> tuple[Criterion, ...]:
    """Return what RFC 9743 asks and a simulation can answer, in the RFC's order."""
    return (
        Criterion(
            "congestion collapse",
            "5.1.1",
            "Does it stop sending when nothing comes back?",
            "segments sent from 2 s on after the path has gone",
            False,
            "unanswered",
            {
                "gone for 50 s": Path(
                    duration_s=60, forward={"outages": (Outage(start_s=10, duration_s=50),)}
                )
            },
        ),
        Criterion(
            "bufferbloat",
            "5.1.2",
            "Does it keep queues short where buffers are long?",
            "time in the queue, 95 % (ms)",
            False,
            "wait_ms",
            {"four times the path": Path(buffer=4), "twice, four flows": Path(buffer=2, flows=4)},
        ),
        Criterion(
            "high loss",
            "5.1.3",
            "Does it avoid losses of its own making?",
            "segments sent again (%)",
            False,
            "sent_again",
            {
                "a fifth of the path, four flows": Path(buffer=0.2, flows=4),
                "once the path, four flows": Path(buffer=1, flows=4),
            },
        ),
        Criterion(
            "fairness",
            "5.1.4",
            "Do flows of its own share alike?",
            "Jain's index",
            True,
            "fairness",
            {
                "four alike": Path(flows=4, duration_s=60),
                "two, one three times as long": Path(flows=2, longer=(1,), duration_s=60),
            },
        ),
        Criterion(
            "short flows of its own",
            "5.1.5",
            "What do its short flows take beside its long one?",
            "mean time of 100 kB (s)",
            False,
            "short_s",
            {
                "beside one long flow": Path(short="own"),
                "alone": Path(flows=0, short="own"),
                "a hundred beside one": Path(short="own", short_flows=100),
            },
        ),
        *(
            Criterion(
                f"beside {other}",
                "5.2.1",
                f"What does it leave {other}?",
                f"goodput of {other} (Mb/s)",
                True,
                "neighbour",
                {
                    "once the path": Path(beside=other, duration_s=60),
                    "a quarter of the path": Path(beside=other, buffer=0.25, duration_s=60),
                    "four times the path": Path(beside=other, buffer=4, duration_s=60),
                },
            )
            for other in ("newreno", "cubic")
        ),
        Criterion(
            "starvation",
            "5.2",
            "Is a neighbour ever starved?",
            "smallest goodput of NewReno over 3 s (Mb/s)",
            True,
            "least",
            {"once the path": Path(beside="newreno", duration_s=60)},
        ),
        Criterion(
            "real-time neighbours",
            "5.2.2",
            "Does a call get through in time?",
            f"packets of a call lost, or later than {1000 * DEADLINE_S:g} ms after the first (%)",
            False,
            "missed",
            {
                "once the path": Path(call=True),
                "twice the path": Path(buffer=2, call=True),
                "four times the path": Path(buffer=4, call=True),
            },
        ),
        Criterion(
            "short flows of others",
            "5.2.3",
            "What do short CUBIC flows take beside it?",
            "mean time of 100 kB (s)",
            False,
            "short_s",
            {
                "beside one long flow": Path(short="beside"),
                "beside four": Path(flows=4, short="beside"),
                "a hundred beside one": Path(short="beside", short_flows=100),
            },
        ),
        Criterion(
            "drop-tail queues",
            "6.1",
            "Does it fill the path, whatever the buffer?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {f"{buffer:g} times the path": Path(buffer=buffer) for buffer in (0.1, 0.5, 1, 4)},
        ),
        Criterion(
            "wired paths",
            "6.3",
            "Does it fill a fast path?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {"100 Mb/s, 40 ms": Path(rate_bps=100e6, rtt_s=0.04, duration_s=20)},
        ),
        Criterion(
            "wireless paths",
            "6.4",
            "Does it fill a path that loses packets?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {
                "one in a thousand lost": Path(forward=LOSSY),
                "a radio that repeats": Path(
                    forward=RADIO | {"arq": Arq(persistence=4, feedback_s=0.01, jitter_s=0.01)}
                ),
            },
        ),
        Criterion(
            "managed queues",
            "7.1",
            "Does it fill a path whose queue is managed?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {
                "CoDel": Path(buffer=4, forward={"aqm": CoDel()}),
                "PIE": Path(buffer=4, forward={"aqm": Pie()}),
                "CoDel, ECN": Path(buffer=4, forward={"aqm": CoDel()}, flow={"ecn": True}),
            },
        ),
        Criterion(
            "varying delay",
            "7.2",
            "Does a round trip that changes mislead it?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {"50 or 75 ms, every 3 s": Path(forward={"changes": WANDERS})},
        ),
        Criterion(
            "slow links",
            "7.3",
            "Does it work where a round trip carries a few packets?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {"64 kb/s, 300 ms": Path(rate_bps=64e3, rtt_s=0.3, buffer=4, duration_s=120)},
        ),
        Criterion(
            "high delay",
            "7.4",
            "Does it fill a geostationary satellite?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {
                "600 ms": Path(rtt_s=0.6, duration_s=60),
                "600 ms, one in ten thousand lost": Path(
                    rtt_s=0.6, duration_s=60, forward={"loss_per_packet": 1e-4}
                ),
            },
        ),
        *(
            Criterion(
                name,
                "7.5",
                f"What does it leave NewReno when its receiver {does}?",
                "goodput of newreno (Mb/s)",
                True,
                "neighbour",
                {"once the path": Path(beside="newreno", own=own)},
            )
            for name, does, own in (
                ("concealed losses", "conceals losses", {"conceals_losses": True}),
                (
                    "divided ACKs",
                    f"sends {DIVISION} ACKs for one",
                    {"ack_division": DIVISION},
                ),
                (
                    "optimistic ACKs",
                    f"acknowledges up to {AHEAD} segments that have not come",
                    {"optimistic_ack_segments": AHEAD},
                ),
            )
        ),
        Criterion(
            "reordering",
            "7.6",
            "Does it survive packets that overtake each other?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {
                "one in a hundred, 20 ms late": Path(
                    forward=RADIO | {"arq": Arq(persistence=4, feedback_s=0.02, in_order=False)}
                )
            },
        ),
        Criterion(
            "sudden congestion",
            "7.7",
            "Does it come back when a path's rate does?",
            "goodput from when the rate is back (Mb/s)",
            True,
            "goodput_after",
            {"a quarter for 10 s": Path(forward={"changes": SLOWS})},
        ),
        Criterion(
            "outages",
            "7.7",
            "Does it come back after a silence?",
            "goodput from its end on (Mb/s)",
            True,
            "goodput_after",
            {"2 s": Path(forward={"outages": (Outage(start_s=10, duration_s=2),)})},
        ),
        Criterion(
            "changed paths",
            "7.7.1",
            "Does it fill a way that has become twice as long?",
            "goodput from then on (Mb/s)",
            True,
            "goodput_after",
            {"twice as long from 10 s on": Path(detour_at_s=10.0)},
        ),
        Criterion(
            "thin return paths",
            "6",
            "Does it fill a path whose ACKs have little room?",
            "goodput (Mb/s)",
            True,
            "goodput",
            {
                "a hundredth for ACKs": Path(backward={"rate_bps": 200e3}),
                "one ACK in ten lost": Path(backward={"loss_per_packet": 0.1}),
                "an ACK for eight segments": Path(flow={"segments_per_ack": 8}),
            },
        ),
    )


NOT_SIMULATED = {
    "6.2": "tunnels: of the senders here only XCP needs a signal that a tunnel would hide",
    "7.8": "multipath: no sender here has more than one path at a time",
    "7.9": "data centres: a controlled environment, of which the RFC asks less",
}


# --- the card


def evaluate(
    sender: str,
    against: Iterable[str] = (STANDARD,),
    among: Iterable[str] = (),
    seeds: int = SEEDS,
    engine: str = "segment",
    time_limit_s: float = TIME_LIMIT_S,
) -> pd.DataFrame:
    """Return how a sender is beside the standard ones: a row a criterion, path and standard sender.

    A sender is a name, or the path of a header. `among` are names of criteria (all by default),
    `seeds` the pairs of runs on each path, `time_limit_s` what one run may take. Columns as of
    `compared`. Raises InputError for an unknown name, a header that cannot be used, and fewer than
    two seeds; SimulationError for a run that fails. The sender's first run on each path is made
    before all others, one after the other, so that a header that loops costs one time limit.
    """
    if seeds < 2:
        raise InputError(f"seeds is {seeds}: an interval needs at least 2")
    sender, *others = (catalogue.named(name) for name in (sender, *dict.fromkeys(against)))
    if not others:
        raise InputError("no standard sender is named to compare with")
    for name in (sender, *others):
        catalogue.find(name)
    design = points(dict.fromkeys((sender, *others)), among).merge(
        pd.DataFrame({"seed": range(1, seeds + 1)}), how="cross"
    )
    scenarios = [scenario(**run) for run in design.to_dict("records")]
    for run, one in zip(design.to_dict("records"), scenarios, strict=True):
        if (run["sender"], run["seed"]) == (sender, 1):
            try:
                simulate(one, engine, time_limit_s)
            except SimulationError as error:
                where = f"on the path '{run['path']}' of '{run['criterion']}'"
                raise SimulationError(f"{sender} fails {where}: {error}") from None
    results = simulate_all(scenarios, engine, time_limit_s=time_limit_s)
    runs = design.join(pd.DataFrame([measured(result) for result in results]))
    return pd.concat([compared(runs, sender, other) for other in others], ignore_index=True)


def points(senders: Iterable[str], among: Iterable[str] = ()) -> pd.DataFrame:
    """Return the senders on every path of these criteria (all by default): criterion, path, sender.

    A path that a sender cannot have, such as a managed queue for one that needs two priorities, is
    left out for it. Raises InputError for an unknown criterion.
    """
    known = {one.name: one for one in criteria()}
    chosen = tuple(among) or tuple(known)
    if unknown := [name for name in chosen if name not in known]:
        raise InputError(
            f"no criterion '{unknown[0]}': there are {', '.join(known)}."
            f"{nearest(unknown[0], list(known))}"
        )
    places = [(name, path) for name in chosen for path in known[name].paths]
    table = pd.DataFrame(places, columns=["criterion", "path"])
    table = table.merge(pd.DataFrame({"sender": list(senders)}), how="cross")
    return table[[_can(**one) for one in table.to_dict("records")]].reset_index(drop=True)


def _can(**point: str) -> bool:
    try:
        scenario(**point, seed=1)
    except InputError:
        return False
    return True


def scenario(criterion: str, path: str, sender: str, seed: int) -> Scenario:
    """Return a run, to be made by itself or in the Laboratory."""
    return _paths()[criterion, path].scenario(sender, seed)


@functools.cache
def _paths() -> dict[tuple[str, str], Path]:
    return {(one.name, label): path for one in criteria() for label, path in one.paths.items()}


def compared(runs: pd.DataFrame, sender: str, other: str) -> pd.DataFrame:
    """Return one sender beside another: a row a criterion and path.

    `runs` has criterion, path, sender, seed and the columns of `measured`. Columns: criterion,
    section, question, measure, path, sender_name, against; sender and standard (means of what is
    measured); change, low and high (the sender over the standard one, from the pairs of runs, with
    the 95 % interval); is_ratio (False where a value is zero: change is then a difference); verdict
    (better, equal, worse or open); decides (whether this is the criterion's least favourable path);
    runs.
    """
    values = runs.set_index(["sender", "criterion", "path"]).sort_values("seed")
    rows = []
    for one in criteria():
        for label in one.paths:
            if (sender, one.name, label) in values.index:
                own, standard = (
                    values.loc[[(name, one.name, label)], one.column].to_numpy()
                    for name in (sender, other)
                )
                rows.append(_row(one, label, other, own, standard))
    table = pd.DataFrame(rows)
    order = table["verdict"].map({"worse": 0, "open": 1, "equal": 2, "better": 3})
    worst = order == order.groupby(table["criterion"]).transform("min")
    least = table["gain"].where(worst).groupby(table["criterion"]).transform("min")
    # The first of several alike.
    first = ~table.assign(least=table["gain"] == least).duplicated(["criterion", "least"])
    return table.assign(decides=(table["gain"] == least) & worst & first).drop(columns="gain")


def _row(
    criterion: Criterion, label: str, other: str, own: np.ndarray, standard: np.ndarray
) -> dict[str, Any]:
    """Return the comparison on one path."""
    ratio = bool(min(own.min(), standard.min()) > 0)
    compared = statistics.paired(own, standard, ratio=ratio)
    low, high = compared["low"], compared["high"]
    even, tie = (
        (1.0, TIE) if ratio else (0.0, (TIE - 1) * max(1e-12, abs(float(np.mean(standard)))))
    )
    ends = (even / tie, even * tie) if ratio else (even - tie, even + tie)
    above, below = ("better", "worse") if criterion.more else ("worse", "better")
    if ends[0] <= low and high <= ends[1]:
        verdict = "equal"
    elif low > even:
        verdict = above
    elif high < even:
        verdict = below
    else:
        verdict = "open"
    size = np.log(compared["measured"]) if ratio else compared["measured"]
    return {
        "criterion": criterion.name,
        "section": criterion.section,
        "question": criterion.question,
        "measure": criterion.measure,
        "path": label,
        "against": other,
        "sender": float(np.mean(own)),
        "standard": float(np.mean(standard)),
        "change": compared["measured"],
        "low": low,
        "high": high,
        "is_ratio": ratio,
        "verdict": verdict,
        "gain": size if criterion.more else -size,
        "runs": len(own),
    }


def sentence(row: Mapping[str, Any]) -> str:
    """Say what a row of `evaluate` found."""
    how = f"{row['measure']}: {row['sender']:.3g} against {row['standard']:.3g}"
    size = f"{row['change']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"
    what = f"{size} times as much" if row["is_ratio"] else f"a difference of {size}"
    return f"{how}, {what}, over {row['runs']} pairs of runs on the path '{row['path']}'."


# --- the league: all senders

LEAGUE = "evaluate-league"  # its archive
LEAGUE_SEEDS = 8


def league() -> Points:
    """Return the senders of the atlas on every path of every criterion, archived as points."""
    return Points(
        name=LEAGUE,
        build=scenario,
        points=points((*senders(), *OF_LONG_PAGE)),
        repetitions=LEAGUE_SEEDS,
        point=f"{__name__}:POINT",
    )


def _archived(row: dict[str, Any]) -> Scenario:
    return scenario(**{name: row[name] for name in ("criterion", "path", "sender", "seed")})


POINT = Point(_archived, measured)
