"""A search for paths on which a sender breaks a promise that NewReno keeps (`longfat attack`).

A path is some dozen numbers: the bottleneck, what it loses, what changes on the way, and who else
is there. On each path the sender and NewReno run in the same place, with the same seed. How far a
promise is from being broken is a margin (`Promise`), and SciPy's differential evolution looks for
where it is least. What it finds has to hold with other seeds, and is then made as plain as it can
be: numbers go back to those of a plain path, as far as the promise stays broken.
"""

import dataclasses
import functools
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import engines, measures, paths
from longfat.cc import catalogue
from longfat.errors import InputError, nearest, quoted
from longfat.experiment import Point, Points
from longfat.links import Arq, LinkChange, Outage
from longfat.network import duplex
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.studies.evaluation import PACKET_BITS, SEGMENT_BYTES, THERE_ONLY
from longfat.studies.senders import BY_TIMESTAMPS

STANDARD = "newreno"
OWN, NEIGHBOUR = "own", "neighbour"  # how flows are named
CHANGE_S, END_S = 10.0, 40.0  # when the path changes, from when on is measured; the run's end
OTHER_SEEDS, MUST_HOLD = 10, 8  # a finding holds with so many of the other seeds at least
LEAST_SHARE = 0.25  # of its part of the link: with less NewReno fails as well, and nobody is blamed
TIME_LIMIT_S = 20.0  # of a run: it takes some tenths of a second
OTHER_LIMIT_S = 300.0  # on other engines, which take seconds


class Number(NamedTuple):
    """A number of a path: what it is on a plain one, and from where to where it may be.

    With `even` it is drawn evenly between `low` and `high`, else its logarithm; where `default` is
    0 that is for the upper part of what is drawn, and the rest is 0.
    """

    name: str
    unit: str
    meaning: str
    default: float
    low: float
    high: float
    even: bool = False
    whole: bool = False

    def at(self, drawn: float) -> float:
        """Return the number for what is drawn from 0 to 1."""
        if self.default == 0 and not self.even:
            if drawn < OFF:
                return 0.0
            drawn = (drawn - OFF) / (1 - OFF)
        if self.even:
            value = self.low + drawn * (self.high - self.low)
        else:
            value = self.low * (self.high / self.low) ** drawn
        return float(round(value)) if self.whole else rounded(value, 3)


OFF = 0.5  # how much of what is drawn means that a path has no such thing

NUMBERS = (
    Number("rate", "Mb/s", "rate of the bottleneck", 20, 1, 50),
    Number("rtt", "ms", "round trip of the empty path", 50, 10, 200),
    Number("buffer", "rate x RTT", "buffer of the bottleneck", 1, 0.05, 4),
    Number("loss", "%", "packets lost on the way", 0, 0.01, 3),
    Number("repair", "ms", "time in which the link repairs a loss, in order", 0, 5, 100),
    Number("ack_loss", "%", "ACKs lost on the way back", 0, 1, 50),
    Number("per_ack", "", "segments that the receiver acknowledges at once", 1, 1, 16, whole=True),
    Number("delay_change", "times", "round trip from 10 s on", 1, 0.25, 6),
    Number("rate_change", "times", "rate of the bottleneck from 10 s on", 1, 0.1, 10),
    Number("outage", "s", "silence from 10 s on", 0, 0.2, 4),
    Number("flows", "", "flows of the sender", 1, 1, 4, even=True, whole=True),
    Number("neighbours", "", "flows beside it", 0, 0, 4, even=True, whole=True),
    Number("alike", "", "whether they are of its own kind, and not NewReno", 0, 0, 1, True, True),
    Number("neighbour_rtt", "times", "round trip of the neighbours", 1, 1, 8),
    Number("head_start", "s", "how long before its neighbours the sender begins", 0, -15, 20, True),
)  # fmt: skip
PLAIN = {one.name: float(one.default) for one in NUMBERS}


def rounded(value: float, digits: int) -> float:
    """Return a number with so many significant digits."""
    return float(f"{value:.{digits}g}")


def scenario(sender: str, seed: int, **numbers: float) -> Scenario:
    """Return the run of a sender on a path: numbers as in `NUMBERS`, plain where left out.

    A seed decides what is lost, and when within the first second each flow begins.
    """
    if unknown := [name for name in numbers if name not in PLAIN]:
        raise InputError(
            f"no number '{unknown[0]}' of a path: there are {', '.join(PLAIN)}."
            f"{nearest(unknown[0], list(PLAIN))}"
        )
    path = PLAIN | numbers
    draw = np.random.default_rng(seed)
    rate_bps, rtt_s = path["rate"] * 1e6, path["rtt"] / 1000
    fastest_bps = rate_bps * max(1, path["rate_change"])
    longest_s = rtt_s * max(1, path["delay_change"], path["neighbour_rtt"])
    queue = max(2, round(path["buffer"] * rate_bps * rtt_s / PACKET_BITS))
    held = round(fastest_bps * longest_s / PACKET_BITS) + queue
    change: dict[str, float] = {}
    if path["delay_change"] != 1:  # on the way there; the way back stays
        change["delay_s"] = max(0.0, rounded(rtt_s * (path["delay_change"] - 0.5), 6))
    if path["rate_change"] != 1:
        change["rate_bps"] = rounded(rate_bps * path["rate_change"], 6)
    there: dict[str, Any] = {"loss_per_packet": rounded(path["loss"] / 100, 6)}
    if change:
        there["changes"] = (LinkChange(at_s=CHANGE_S, **change),)
    if path["outage"]:
        there["outages"] = (Outage(start_s=CHANGE_S, duration_s=path["outage"]),)
    if path["repair"] and path["loss"]:
        there["arq"] = Arq(persistence=20, feedback_s=rounded(path["repair"] / 1000, 6))
    there |= {"rate_bps": rate_bps, "delay_s": rtt_s / 2, "queue_packets": queue}
    back = {"rate_bps": fastest_bps, "loss_per_packet": rounded(path["ack_loss"] / 100, 6)}
    links = list(duplex("a", "b", **there, backward=THERE_ONLY | back))
    far = path["neighbours"] > 0 and path["neighbour_rtt"] > 1
    if far:
        links += duplex(
            "far",
            "a",
            rate_bps=100 * fastest_bps,
            delay_s=rounded(rtt_s * (path["neighbour_rtt"] - 1) / 2, 6),
            queue_packets=100 * held,
        )

    def flow(name: str, control: str, source: str, from_s: float) -> Flow:
        return Flow(
            name=name,
            source=source,
            target="b",
            congestion_control=control,
            segment_bytes=SEGMENT_BYTES,
            send_buffer_bytes=max(40, 8 * held) * SEGMENT_BYTES,
            receive_buffer_bytes=max(20, 4 * held) * SEGMENT_BYTES,
            segments_per_ack=int(path["per_ack"]),
            timestamps=control in BY_TIMESTAMPS,
            min_rto_s=0.2,
            start_s=round(from_s + draw.uniform(0, 1), 6),
        )

    kind = sender if path["alike"] else STANDARD
    begins_s, neighbours_s = max(0.0, -path["head_start"]), max(0.0, path["head_start"])
    flows = [flow(f"{OWN} {one + 1}", sender, "a", begins_s) for one in range(int(path["flows"]))]
    flows += [
        flow(f"{NEIGHBOUR} {one + 1}", kind, "far" if far else "a", neighbours_s)
        for one in range(int(path["neighbours"]))
    ]
    return Scenario(
        links=tuple(links),
        flows=tuple(flows),
        duration_s=END_S,
        seed=seed,
        record=Record(series=("delivered_bytes", "rtt_s"), points=400),
    )


# --- promises


def measured(result: Result) -> dict[str, float]:
    """Return what a run has from `CHANGE_S` on, or from 5 s after its last flow's begin.

    share: of its part of the link, what the sender's flows carry (1: as much as the same number of
    all flows would); neighbour: the same of its neighbours; silence_s: the longest time in which a
    flow of the sender's has nothing new at the receiver, an outage left out, from its beginning;
    rtt_s: the round trip that 95 % of its samples stay below.
    """
    one = result.scenario
    link = one.links[0]
    begin_s = max(CHANGE_S, *(flow.start_s + 5 for flow in one.flows))
    rate_bps = next((change.rate_bps for change in link.changes if change.rate_bps), link.rate_bps)
    outage = link.outages[0] if link.outages else None
    most = rate_bps * SEGMENT_BYTES * 8 / PACKET_BITS * (END_S - begin_s) / len(one.flows)
    carried: dict[str, list[float]] = {OWN: [], NEIGHBOUR: []}
    silence_s = 0.0
    delivered = dict(list(result.traces["delivered_bytes"].groupby("flow")))
    for flow in one.flows:
        trace = delivered.get(flow.name)
        kind = flow.name.split(" ")[0]
        if trace is None:
            carried[kind].append(0.0)
            times = np.array([])
        else:
            ends = np.nan_to_num(measures.values_at(trace, "delivered_bytes", [begin_s, END_S]))
            carried[kind].append(8 * float(np.diff(ends)[0]))
            times = trace["time_s"].to_numpy()[np.diff(trace["delivered_bytes"], prepend=0) > 0]
        if kind == OWN:
            marks = np.concatenate([[flow.start_s], times, [END_S]])
            gaps = np.diff(marks)
            if outage is not None:
                over = np.minimum(marks[1:], outage.start_s + outage.duration_s)
                gaps = gaps - np.clip(over - np.maximum(marks[:-1], outage.start_s), 0, None)
            silence_s = max(silence_s, float(gaps.max()))
    trips = result.traces["rtt_s"]
    late = trips["flow"].str.startswith(OWN) & (trips["time_s"] >= begin_s)
    found = {
        "share": sum(carried[OWN]) / len(carried[OWN]) / most,
        "neighbour": sum(carried[NEIGHBOUR]) / len(carried[NEIGHBOUR]) / most
        if carried[NEIGHBOUR]
        else math.nan,
        "silence_s": silence_s,
        "rtt_s": float(trips["rtt_s"][late].quantile(0.95)) if late.any() else math.nan,
    }
    return {name: rounded(value, 5) for name, value in found.items()}


Measured = Mapping[str, float]


class Promise(NamedTuple):
    """What a sender should not do where NewReno does not: in words, and how far it is from it.

    `margin` takes what the sender and NewReno have on the same path (`measured`) and returns a
    logarithm, below 0 where the promise is broken.
    """

    name: str
    broken: str
    margin: Callable[[Measured, Measured], float]


HARMLESS = 3.0  # a margin: nothing is to be found there


def _log_ratio(value: float, limit: float) -> float:
    return math.log(max(value, 1e-4) / max(limit, 1e-4))


def _goodput(own: Measured, standard: Measured) -> float:
    """Half of what NewReno has, which has its least share."""
    works = _log_ratio(LEAST_SHARE, standard["share"])
    return max(_log_ratio(own["share"], standard["share"] / 2), works)


def _neighbour(own: Measured, standard: Measured) -> float:
    """A tenth of what the neighbours have beside NewReno, where they have their least share."""
    if math.isnan(own["neighbour"]):
        return HARMLESS
    works = _log_ratio(LEAST_SHARE, standard["neighbour"])
    return max(_log_ratio(own["neighbour"], standard["neighbour"] / 10), works)


def _progress(own: Measured, standard: Measured) -> float:
    """Ten seconds without progress, where NewReno is never without it for half as long."""
    return max(_log_ratio(10, own["silence_s"]), _log_ratio(standard["silence_s"], 5))


def _delay(own: Measured, standard: Measured) -> float:
    """A round trip of a second, and four times NewReno's."""
    if math.isnan(own["rtt_s"]) or math.isnan(standard["rtt_s"]):
        return HARMLESS
    return max(_log_ratio(1, own["rtt_s"]), _log_ratio(4 * standard["rtt_s"], own["rtt_s"]))


PROMISES = (
    Promise("goodput", "it has less than half of NewReno's goodput", _goodput),
    Promise("neighbour", "it leaves its neighbours less than a tenth of what NewReno leaves them",
            _neighbour),
    Promise("progress", "nothing arrives for 10 s", _progress),
    Promise("delay", "round trips last more than a second, and four times as long as NewReno's",
            _delay),
)  # fmt: skip


def promise(name: str) -> Promise:
    """Return the promise of that name. Raises InputError for an unknown one."""
    known = {one.name: one for one in PROMISES}
    if name not in known:
        raise InputError(
            f"no promise '{name}': there are {', '.join(known)}.{nearest(name, list(known))}"
        )
    return known[name]


# --- the search

BUDGET = 4000  # paths that are tried at most
POPULATION = 64  # of a generation
SURE_SEEDS = 3  # that a path has in the search where it seems to be one
CLEARLY = math.log(0.8)  # a margin below which it is worth asking other seeds


@dataclasses.dataclass(frozen=True)
class Finding:
    """A path on which a sender breaks a promise: numbers that differ from a plain path.

    `own` and `standard` are what the sender and NewReno have there (`measured`, seed 1), `holds`
    with how many of the `OTHER_SEEDS` it is so, `tried` how many paths were tried before.
    """

    sender: str
    promise: str
    numbers: dict[str, float]
    own: dict[str, float]
    standard: dict[str, float]
    holds: int
    tried: int
    engine: str = "segment"

    @property
    def scenario(self) -> Scenario:
        """The run of seed 1."""
        return scenario(self.sender, 1, **self.numbers)

    @property
    def path(self) -> list[str]:
        """The numbers that differ from a plain path, in words."""
        return path_in_words(self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON has of it: what is not a number is null."""
        told = dataclasses.asdict(self)
        for name in ("own", "standard"):
            told[name] = {k: None if math.isnan(v) else v for k, v in told[name].items()}
        more = {"sentence": self.sentence, "scenario": json.loads(self.scenario.to_json())}
        return told | more

    @property
    def sentence(self) -> str:
        """What was found."""
        own, standard = (f"{_told(self.promise, one)}" for one in (self.own, self.standard))
        there = "" if self.engine == "segment" else f" on the engine {self.engine}"
        return (
            f"{self.sender}{there} breaks a promise: {promise(self.promise).broken} ({own}, where "
            f"NewReno has {standard}). It is so with seed 1 and with {self.holds} of {OTHER_SEEDS} "
            f"others."
        )


def path_in_words(numbers: Mapping[str, float], brief: bool = False) -> list[str]:
    """Say what numbers of a path mean, each with its unit and, unless `brief`, what it is on a
    plain path."""
    known = {one.name: one for one in NUMBERS}
    said = []
    for name, value in numbers.items():
        one = known[name]
        unit = f" {one.unit}".rstrip()
        if brief:
            said.append(f"`{name}` {value:g}{unit}")
        else:
            said.append(f"{name} {value:g}{unit}: {one.meaning} (plain: {one.default:g}{unit})")
    return said


def held(settings: Iterable[str]) -> dict[str, float]:
    """Return numbers that are not searched, of settings such as "buffer=1".

    Raises InputError for what is no number of a path, or out of its range.
    """
    known, values = {one.name: one for one in NUMBERS}, {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in known:
            raise InputError(
                f"no number '{name}' of a path: there are {', '.join(known)}."
                f"{nearest(name, list(known))}"
            )
        one = known[name]
        low, high = min(one.low, one.default), max(one.high, one.default)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high or (one.whole and value != round(value)):
            kind = "a whole number" if one.whole else "a number"
            raise InputError(
                f"{name} is {quoted(text)}: it must be {kind} from {low:g} to {high:g} "
                f"{one.unit}".rstrip()
            )
        values[name] = value
    return values


def _told(name: str, has: Measured) -> str:
    shown = {
        "goodput": f"{has['share']:.3g} of its part of the link",
        "neighbour": f"{has['neighbour']:.3g} of their part of the link",
        "progress": f"{has['silence_s']:.3g} s",
        "delay": f"{has['rtt_s']:.3g} s",
    }
    return shown[name]


def attack(
    sender: str,
    among: Iterable[str] = (),
    hold: Mapping[str, float] | None = None,
    budget: int = BUDGET,
    seed: int = 1,
    time_limit_s: float = math.inf,
    report: Callable[[int, float], object] = lambda tried, margin: None,
    engine: str = "segment",
) -> Finding | None:
    """Return a path on which the sender breaks a promise, or None where none was found.

    A sender is a name, or the path of a header. `among` are names of promises (all by default),
    `hold` numbers of the path that are not searched, `budget` how many paths are tried at most;
    `report` is told how many were, and the smallest margin; `engine` is what runs them. Same
    arguments, same finding, unless the search ends at `time_limit_s`. Raises InputError for unknown
    names and for what a sender cannot have, SimulationError for a run that fails.
    """
    sender = catalogue.named(sender)
    catalogue.find(sender)
    promises = tuple(promise(name) for name in among) or PROMISES
    if budget < POPULATION:
        raise InputError(f"budget is {budget}: a search begins with {POPULATION} paths")
    ends = time.monotonic() + time_limit_s
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        search = _Search(sender, promises, hold or {}, threads, engine)
        found = search.run(budget, seed, ends, report)
        return found and search.finding(*found)


class _Search:
    """A search for one sender: how paths are tried, and what is made of the best."""

    def __init__(
        self,
        sender: str,
        promises: tuple[Promise, ...],
        held: Mapping[str, float],
        threads: ThreadPoolExecutor,
        engine: str,
    ):
        self.sender, self.promises, self._held, self._threads = sender, promises, held, threads
        self._engine = engine
        self._free = [one for one in NUMBERS if one.name not in held]
        self.tried = 0
        run_of(
            sender, 1, tuple(sorted(held.items())), engine
        )  # what it cannot have is said at once

    def run(
        self, budget: int, seed: int, ends: float, report: Callable[[int, float], object]
    ) -> tuple[Promise, dict[str, float]] | None:
        """Return the promise that is broken, and the path."""
        from scipy.optimize import differential_evolution
        from scipy.stats import qmc

        begin = qmc.Sobol(len(self._free), rng=seed).random(POPULATION)
        found: list[tuple[Promise, dict[str, float]]] = []
        asked: set[tuple] = set()

        def worse(intermediate_result: Any) -> None:
            """Ask other seeds about the best path so far."""
            path = self.drawn(intermediate_result.x)
            report(self.tried, intermediate_result.fun)
            if intermediate_result.fun < CLEARLY and tuple(path.values()) not in asked:
                asked.add(tuple(path.values()))
                one = self.promises[int(np.argmin(self.sure_margins(path)))]
                if self.holds(path, one):
                    found.append((one, path))
            if found or time.monotonic() > ends:
                raise StopIteration

        differential_evolution(
            lambda x: min(self.sure_margins(self.drawn(x))),
            [(0, 1)] * len(self._free),
            init=begin,
            maxiter=budget // POPULATION - 1,
            tol=0,
            atol=-1,
            polish=False,
            updating="deferred",
            workers=self._map,
            callback=worse,
            rng=seed,
        )
        return found[0] if found else None

    def drawn(self, x: Iterable[float]) -> dict[str, float]:
        """Return the path of a point of the cube in which the search goes."""
        values = {one.name: one.at(value) for one, value in zip(self._free, x, strict=True)}
        return PLAIN | values | {name: float(value) for name, value in self._held.items()}

    def _map(self, function: Callable, values: Iterable) -> list:
        results = list(self._threads.map(function, values))
        self.tried += len(results)
        return results

    def margins(self, path: Mapping[str, float], seed: int) -> list[float]:
        """Return how far each promise is from being broken; harmless where the path cannot be."""
        numbers = tuple(sorted(path.items()))
        try:
            own = run_of(self.sender, seed, numbers, self._engine)
        except InputError:
            return [HARMLESS] * len(self.promises)
        standard = run_of(STANDARD, seed, numbers, self._engine)
        return [one.margin(own, standard) for one in self.promises]

    def sure_margins(self, path: Mapping[str, float]) -> list[float]:
        """Return the margins of seed 1, or, where one is broken, the largest of some seeds: what
        only one seed brings about is not worth following."""
        margins = self.margins(path, 1)
        if min(margins) >= CLEARLY:
            return margins
        others = (self.margins(path, seed) for seed in range(2, 1 + SURE_SEEDS))
        return [max(one) for one in zip(margins, *others, strict=True)]

    def holds(self, path: Mapping[str, float], broken: Promise) -> int:
        """Return with how many of the other seeds the promise is broken, or 0 for too few."""
        place = self.promises.index(broken)
        if self.margins(path, 1)[place] >= 0:
            return 0
        others = range(2, 2 + OTHER_SEEDS)
        margins = self._threads.map(lambda seed: self.margins(path, seed)[place], others)
        count = sum(margin < 0 for margin in margins)
        return count if count >= MUST_HOLD else 0

    def finding(self, broken: Promise, path: dict[str, float]) -> Finding:
        """Return what was found, made plain."""
        path = shrunk(path, self._free, lambda plainer: self.holds(plainer, broken) > 0)
        numbers = tuple(sorted(path.items()))
        return Finding(
            sender=self.sender,
            promise=broken.name,
            numbers={name: value for name, value in path.items() if value != PLAIN[name]},
            own=dict(run_of(self.sender, 1, numbers, self._engine)),
            standard=dict(run_of(STANDARD, 1, numbers, self._engine)),
            holds=self.holds(path, broken),
            tried=self.tried,
            engine=self._engine,
        )


@functools.lru_cache(maxsize=4096)
def run_of(
    sender: str, seed: int, numbers: tuple[tuple[str, float], ...], engine: str = "segment"
) -> Measured:
    """Return what a run has (`measured`); none of it is kept on the disk."""
    one = scenario(sender, seed, **dict(numbers))
    limit_s = TIME_LIMIT_S if engine == "segment" else OTHER_LIMIT_S
    return measured(engines.get(engine).simulate(one, limit_s))


def shrunk(
    path: Mapping[str, float],
    among: Iterable[Number],
    holds: Callable[[Mapping[str, float]], bool],
) -> dict[str, float]:
    """Return a plainer path of which `holds` is still true: as many numbers among these as can be
    are those of a plain path, and then the others nearer to it, or with fewer digits."""
    path, numbers = dict(path), list(among)[::-1]
    for candidates in (lambda one, value: [one.default], _nearer):
        before = None
        while path != before:
            before = dict(path)
            for one in numbers:
                if path[one.name] == one.default:
                    continue
                for plainer in candidates(one, path[one.name]):
                    if holds(path | {one.name: float(plainer)}):
                        path[one.name] = float(plainer)
                        break
    return path


def _nearer(one: Number, value: float) -> list[float]:
    """Return what may stand in a number's place: nearer to a plain path, the plainest first."""
    if one.whole:
        step = 1 if value > one.default else -1
        return [float(whole) for whole in range(int(one.default), int(value), step)]
    middle = (value + one.default) / 2
    if one.default > 0 and not one.even:
        middle = math.sqrt(value * one.default)
    nearer = [float(one.default), rounded(value, 1), rounded(middle, 2), rounded(value, 2)]
    away = abs(value - one.default)
    return [plainer for plainer in dict.fromkeys(nearer) if abs(plainer - one.default) < away]


# --- failures that are known


class Known(NamedTuple):
    """A failure that the literature knows, and what is held so that the search is for that one."""

    name: str
    sender: str
    promise: str
    hold: Mapping[str, float]
    source: str  # its key in book/references.bib
    says: str
    engine: str = "segment"


OWN_KIND = {"alike": 1.0, "neighbours": 1.0}
STEADY = {"delay_change": 1.0, "rate_change": 1.0, "outage": 0.0}
SLOW = {"rate": 5.0, "repair": 0.0}  # a run of ns-3 takes seconds, and its links repair nothing
KNOWN = (
    Known(
        name="BBR beside Reno",
        sender="bbr",
        promise="neighbour",
        hold={},
        source="hock2017",
        says="BBR's first version leaves flows that answer losses next to nothing",
    ),
    Known(
        name="BBR and round trips",
        sender="bbr",
        promise="goodput",
        hold=OWN_KIND | STEADY,
        source="ma2017",
        says="of two BBR flows the one with the longer round trip takes the link",
    ),
    Known(
        name="BBR beside Reno, in ns-3",
        sender="bbr-ns3",
        promise="neighbour",
        hold=SLOW,
        source="hock2017",
        says="in ns-3, too, BBR leaves flows that answer losses next to nothing",
        engine="ns3",
    ),
    Known(
        name="BBR and round trips, in ns-3",
        sender="bbr-ns3",
        promise="goodput",
        hold=OWN_KIND | STEADY | SLOW,
        source="ma2017",
        says="in ns-3, too, of two BBR flows the one with the longer round trip takes the link",
        engine="ns3",
    ),
    Known(
        name="Vegas and rerouting",
        sender="vegas",
        promise="goodput",
        hold={"neighbours": 0.0, "per_ack": 1.0},
        source="la1999",
        says="Vegas takes a path that has become longer for a queue that never goes",
    ),
    Known(
        name="Vegas beside Reno",
        sender="vegas",
        promise="goodput",
        hold={"alike": 0.0, "per_ack": 1.0} | STEADY,
        source="mo1999",
        says="Vegas gives way to senders that fill the queue",
    ),
    Known(
        name="FAST and older flows",
        sender="fast",
        promise="goodput",
        hold=OWN_KIND | STEADY | {"head_start": 10.0, "buffer": 3.0},
        source="rodriguez2014",
        says="a FAST flow that has never seen an empty queue takes more than older ones",
    ),
    Known(
        name="FAST and rerouting",
        sender="fast",
        promise="goodput",
        hold={"rate_change": 1.0, "outage": 0.0, "ack_loss": 0.0, "neighbours": 0.0, "buffer": 3.0},
        source="la1999",
        says="FAST goes by the smallest delay as Vegas does, and a longer path deceives it",
    ),
    Known(
        name="UCC and older flows",
        sender="ucc",
        promise="goodput",
        hold=OWN_KIND | STEADY | {"head_start": 10.0},
        source="utsumi-ucc",
        says="UCC must once have seen an empty queue to know the smallest delay",
    ),
    Known(
        name="UCC and rerouting",
        sender="ucc",
        promise="goodput",
        hold={"rate_change": 1.0, "outage": 0.0, "ack_loss": 0.0, "neighbours": 0.0},
        source="utsumi-ucc",
        says="where the smallest delay changes UCC has to renew it",
    ),
    Known(
        name="Scalable TCP beside Reno",
        sender="scalable",
        promise="neighbour",
        hold=STEADY | {"alike": 0.0, "rate": 50.0},
        source="li2007",
        says="Scalable TCP leaves Reno next to nothing of a fast path",
    ),
    Known(
        name="HighSpeed TCP and round trips",
        sender="highspeed",
        promise="neighbour",
        hold=OWN_KIND | STEADY | {"head_start": 0.0, "rate": 50.0},
        source="xu2004",
        says="of two HighSpeed flows the one with the shorter round trip takes the link",
    ),
    Known(
        name="LEDBAT and latecomers",
        sender="ledbat",
        promise="goodput",
        hold=OWN_KIND | STEADY | {"head_start": 10.0},
        source="carofiglio2010",
        says="a LEDBAT flow that begins in the queue of another takes the link from it",
    ),
)
FINDINGS = paths.DATA / "attacks.csv"  # what the search has found of them
KNOWN_BUDGET = 1024


def write_findings(names: Iterable[str] = ()) -> None:
    """Search for known failures, from nothing, and write down what is found.

    Without names for all; the rest stays as it is.
    """
    wanted = set(names) or {one.name for one in KNOWN}
    kept = findings().set_index("name") if FINDINGS.exists() else pd.DataFrame()
    rows = []
    for one in KNOWN:
        if one.name in wanted:
            found = attack(one.sender, (one.promise,), one.hold, KNOWN_BUDGET, engine=one.engine)
            row: dict[str, Any] = {"name": one.name, "tried": KNOWN_BUDGET, "holds": 0}
            if found:
                row |= {"tried": found.tried, "holds": found.holds} | PLAIN | found.numbers
        else:
            row = {"name": one.name} | kept.loc[one.name].to_dict()
        rows.append(row)
    columns = ["name", "tried", "holds", *PLAIN]
    table = pd.DataFrame(rows, columns=columns)
    table[["tried", "holds"]] = table[["tried", "holds"]].astype(int)
    table.to_csv(FINDINGS, index=False, float_format="%g", lineterminator="\n")


def findings() -> pd.DataFrame:
    """Return what was found: name of the known failure, tried, holds, and the path's numbers.

    Where nothing was, holds is 0.
    """
    return pd.read_csv(FINDINGS)


ARCHIVES = {"segment": "attack-known", "ns3": "attack-known-ns3"}  # by engine


def known_runs(engine: str) -> Points:
    """Return the sender and NewReno on each of the paths that were found, archived as points."""
    found = findings()
    found = found[found["holds"] > 0].drop(columns=["tried", "holds"])
    senders = pd.DataFrame(
        [
            (one.name, sender)
            for one in KNOWN
            for sender in (one.sender, STANDARD)
            if one.engine == engine
        ],
        columns=["name", "sender"],
    )
    return Points(
        name=ARCHIVES[engine],
        engine=engine,
        build=lambda name, **row: scenario(**row),
        points=senders.merge(found, on="name"),
        repetitions=1 + OTHER_SEEDS,
        point=f"{__name__}:POINT",
    )


def _archived(row: dict[str, Any]) -> Scenario:
    return scenario(**{name: row[name] for name in ("sender", "seed", *PLAIN)})


POINT = Point(_archived, measured)

if __name__ == "__main__":
    write_findings(sys.argv[1:])
