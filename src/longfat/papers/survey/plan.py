"""What the chapter on the survey runs: its setting, and its experiments as data.

Goodputs are in Mb/s of payload, loss rates in per cent of the segments sent, buffers in bytes,
windows and queues in segments of 1448 bytes. What a verdict rests on runs on the segment engine,
several seeds each; a minute of figure 5 runs on ns-3 and on Linux too.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.errors import InputError, nearest
from longfat.experiment import Experiment, Runs
from longfat.links import LossBursts
from longfat.papers import inputs
from longfat.papers.survey import files, routers
from longfat.papers.survey.network import WITH_TIMESTAMPS, japan
from longfat.scenario import Record, Scenario

NAMES = {  # of the three that the paper tests, in the order of its figure 5
    "standard": "standard TCP",
    "highspeed": "HSTCP",
    "scalable": "Scalable TCP",
}
PATH = "fitted"  # the path that figure 5 is simulated on, by its name among `Setting.ways`
# How often each engine repeats what it runs, by profile.
REPETITIONS: dict[str, dict[str, int]] = {
    "paper": {"segment": 10, "ns3": 3, "linux": 3},
    "quick": {"segment": 4, "ns3": 1, "linux": 3},
}
QUICK_S = 20.0
UNBOUND: dict[str, Any] = {"send_buffer_bytes": 64_000_000, "receive_buffer_bytes": 64_000_000}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    `repetitions` are figure 5's on the segment engine; other experiments have a part of them. The
    bottleneck (Mb/s of payload), its queue and its random loss are fitted, not stated;
    `measured_mbps` is the rate that the paper measured without the long way. In the grid of `swept`
    values the inverse problem is solved.
    """

    duration_s: float
    repetitions: int
    rtt_s: float
    bottleneck_mbps: float
    queue_packets: int
    random_loss: float
    measured_mbps: float
    swept_mbps: Sequence[float]
    swept_queues: Sequence[int]
    swept_losses: Sequence[float]
    quick: bool = False

    def repeated(self, part: int = 1) -> int:
        """Return how many runs a point has: the repetitions, or a part of them (2: the half)."""
        return max(2, self.repetitions // part)

    @property
    def full(self) -> bool:
        """Whether nobody asked for fewer runs than the archive has."""
        return not self.quick and self.repetitions == REPETITIONS["paper"]["segment"]

    @property
    def fitted(self) -> dict:
        """The path on which figure 5 is simulated, as fields of `japan`."""
        return {
            "payload_bps": self.bottleneck_mbps * 1e6,
            "queue_packets": self.queue_packets,
            "loss": self.random_loss,
            "rtt_s": self.rtt_s,
        }

    @property
    def ways(self) -> dict[str, dict]:
        """The two paths of figures 3 and 4 by their names: fitted, and as fast as measured.

        The second loses so rarely that its queue decides.
        """
        loss = papers.value("survey", "random_loss_direct")
        direct = self.fitted | {"payload_bps": self.measured_mbps * 1e6, "loss": loss}
        return {PATH: self.fitted, f"{self.measured_mbps:g} Mb/s": direct}

    @property
    def measured(self) -> dict:
        """The path as fast as measured, with a queue of a bandwidth-delay product."""
        rate = self.measured_mbps * 1e6
        queue = round(rate * self.rtt_s / 8 / WITH_TIMESTAMPS)
        return {"payload_bps": rate, "rtt_s": self.rtt_s, "queue_packets": queue}

    @property
    def shared(self) -> dict:
        """The path that two connections share: as fitted, but with a rarer random loss."""
        loss = papers.value("survey", "random_loss_shared")
        return self.fitted | {"loss": loss, "duration_s": min(200.0, self.duration_s)}

    @property
    def start_s(self) -> float:
        """How long a start is watched (s)."""
        return min(30.0, self.duration_s / 2)

    @property
    def stacks_s(self) -> float:
        """How long the stacks run beside each other (s): a minute at most."""
        return min(STACKS_S, self.duration_s)

    @property
    def remedy_s(self) -> float:
        """How long a remedy is tried (s)."""
        return min(120.0, self.duration_s)

    @property
    def long_s(self) -> float:
        """How long the connections of figure 3 last (s)."""
        stated = functools.partial(papers.value, "survey")
        return self.duration_s * stated("duration_figure_3") / stated("duration")


def setting(profile: str = "paper", **parameters: Any) -> Setting:
    """Return the setting at a profile, "paper" or "quick"; what is not given is the paper's.

    `parameters` are fields of `Setting`; those that are left out or None come from
    `data/papers/survey/parameters.csv`. Quick runs last 20 s and have fewer repetitions. Raises
    InputError for another profile or an unknown parameter.
    """
    if profile not in REPETITIONS:
        known = list(REPETITIONS)
        raise InputError(
            f"profile is '{profile}': it must be one of {', '.join(known)}."
            f"{nearest(profile, known)}"
        )
    quick = profile == "quick"
    value = functools.partial(papers.value, "survey")
    stated = {
        "duration_s": QUICK_S if quick else value("duration"),
        "repetitions": REPETITIONS[profile]["segment"],
        "rtt_s": value("rtt"),
        "bottleneck_mbps": value("bottleneck"),
        "queue_packets": int(value("router_buffer")),
        "random_loss": value("random_loss"),
        "measured_mbps": value("direct_rate"),
        "swept_mbps": [int(value("bottleneck")), int(value("direct_rate"))],
        "swept_queues": [60, 150] if quick else [60, 150, 400],
        "swept_losses": [value("random_loss")],
    }
    return Setting(**inputs.given_or_stated(parameters, stated), quick=quick)


def _delivered(points: float) -> Record:
    """Delivered bytes, at the end of each of so many intervals of equal length."""
    return Record(series=("delivered_bytes",), points=round(points))


# --- one connection, and several


def window_runs(at: Setting) -> Experiment:
    """A minute of standard TCP's window on a small pipe, with and without SACK."""
    small: dict[str, Any] = {
        "payload_bps": 20e6,
        "queue_packets": 50,
        "duration_s": 60,
        "record": Record(series=("cwnd_segments",), points=400),
    }
    build = functools.partial(japan, "standard", **small)
    return Experiment(name="survey-windows", build=build, points={"sack": [True, False]})


def _over_fitted(at: Setting, algorithm: str, seed: int, **fields: Any) -> Scenario:
    """Return a connection over the fitted path."""
    return japan(algorithm, seed=seed, **at.fitted | {"duration_s": at.duration_s} | fields)


def region(at: Setting) -> Experiment:
    """The three algorithms once at each combination of what the paper does not state."""

    def build(loss: float, queue: int, mbps: float, algorithm: str) -> Scenario:
        path = {"loss": loss, "queue_packets": queue, "payload_bps": mbps * 1e6}
        return _over_fitted(at, algorithm, 1, **path)

    points = {
        "loss": at.swept_losses,
        "queue": at.swept_queues,
        "mbps": at.swept_mbps,
        "algorithm": NAMES,
    }
    return Experiment(name="survey-region", build=build, points=points)


def figure_5(at: Setting) -> Experiment:
    """The three algorithms on the fitted path."""

    def build(algorithm: str, seed: int) -> Scenario:
        return _over_fitted(at, algorithm, seed, record=_delivered(at.duration_s / 2))

    points = {"algorithm": NAMES}
    return Experiment(name="survey-5", build=build, points=points, repetitions=at.repeated())


# What the paper does not state, and what else it could be: the parameter's name in parameters.csv
# and its value in words, and the fields of `japan`.
VARIED: dict[tuple[str, str], dict[str, Any]] = {
    ("segments_per_ack", "2 (delayed ACKs)"): {"segments_per_ack": 2},
    ("recovery", "halving (RFC 6675)"): {"recovery": "halving"},
    ("router_buffer", "60 packets"): {"queue_packets": 60},
    ("router_buffer", "400 packets"): {"queue_packets": 400},
    ("random_loss", r"$10^{-5}$"): {"loss": 1e-5},
    ("bottleneck", "314 Mb/s"): {"payload_bps": 314e6},
}


def assumptions(at: Setting) -> Experiment:
    """Figure 5 with one assumption changed at a time, by fewer runs."""

    def build(parameter: str, setting: str, algorithm: str, seed: int) -> Scenario:
        record = _delivered(at.duration_s / 2)
        return _over_fitted(at, algorithm, seed, record=record, **VARIED[parameter, setting])

    tried = pd.DataFrame(list(VARIED)[: 2 if at.quick else None], columns=["parameter", "setting"])
    return Experiment(
        name="survey-assumptions",
        build=build,
        points=tried.merge(pd.DataFrame({"algorithm": list(NAMES)}), how="cross"),
        repetitions=at.repeated(3),
        more=[({"parameter": "router_buffer"}, at.repeated(2))],
    )


# ns-3's own classes, and the algorithms that they are meant to be.
NS3_CLASSES = {
    "newreno-ns3": "standard",
    "highspeed-ns3": "highspeed",
    "scalable-ns3": "scalable",
}


def own_classes(at: Setting) -> Experiment:
    """The three on the fitted path by ns-3's own classes, on ns-3, for a minute, once."""

    def build(control: str) -> Scenario:
        return _over_fitted(at, control, 1, duration_s=STACKS_S)

    classes = () if at.quick else NS3_CLASSES
    return Experiment(name="survey-own", build=build, points={"control": classes}, engine="ns3")


BUFFERS: list[int | str] = [64_000, 1_000_000, 8_000_000, "auto"]
REPEATED = (1_000_000, 8_000_000, "auto")  # those on which a verdict rests
# How many connections, and the send buffer of each (bytes).
CONNECTIONS = {
    "1 x 1 MB": (1, 1_000_000),
    "4 x 1 MB": (4, 1_000_000),
    "8 x 1 MB": (8, 1_000_000),
    "1 x 8 MB": (1, 8_000_000),
}


def figure_3(at: Setting) -> Experiment:
    """One connection of standard TCP by its send buffer, on two paths (`Setting.ways`).

    Several runs of each of `REPEATED`, fewer on the faster path, else one.
    """

    def build(path: str, buffer: int | str, seed: int) -> Scenario:
        return japan(
            "standard",
            send_buffer_bytes=buffer,
            duration_s=at.long_s,
            seed=seed,
            record=_delivered(90) if seed == 1 else None,
            **at.ways[path],
        )

    counts = dict(zip(at.ways, (min(6, at.repeated()), at.repeated(5)), strict=True))
    points = statistics.combinations(path=list(at.ways), buffer=BUFFERS)
    usual = (points["path"] == PATH) | (points["buffer"] != "auto")
    more = [
        ({"path": path, "buffer": size}, count)
        for path, count in counts.items()
        for size in REPEATED
    ]
    return Experiment(name="survey-3", build=build, points=points[usual], repetitions=1, more=more)


def figure_4(at: Setting) -> Experiment:
    """Parallel connections of standard TCP, on the same paths; fewer runs on the faster one."""

    def build(path: str, connections: str, seed: int) -> Scenario:
        number, size = CONNECTIONS[connections]
        return japan(
            *["standard"] * number,
            send_buffer_bytes=size,
            duration_s=at.duration_s,
            seed=seed,
            record=_delivered(at.duration_s / 2),
            **at.ways[path],
        )

    counts = zip(at.ways, (at.repeated(2), at.repeated(6)), strict=True)
    return Experiment(
        name="survey-4",
        build=build,
        points={"path": at.ways, "connections": CONNECTIONS},
        repetitions=1,
        more=[({"path": path}, count) for path, count in counts],
    )


# --- slow start

LIMITED = {"name": "standard", "parameters": {"max_ssthresh_segments": 100}}
STARTS: dict[str, tuple[Any, dict]] = {
    "standard TCP": ("standard", {}),
    "without SACK": ("standard", {"sack": False}),
    "lost repairs not noticed": ("standard", {"lost_retransmissions": "timeout"}),
    "limited slow start": (LIMITED, {}),
}


def starts(at: Setting) -> Experiment:
    """How connections begin on the path as fast as measured, by its queue.

    Socket buffers bind nowhere; a few packets are lost at random, so that runs differ.
    """
    long = at.measured["queue_packets"]
    loss = papers.value("survey", "random_loss_shared")

    def build(start: str, queue: int, seed: int) -> Scenario:
        algorithm, fields = STARTS[start]
        path = at.measured | UNBOUND | {"queue_packets": queue, "loss": loss} | fields
        return japan(algorithm, duration_s=at.start_s, seed=seed, **path)

    return Experiment(
        name="survey-starts",
        build=build,
        points={"start": STARTS, "queue": [at.queue_packets, long // 4, long]},
        repetitions=at.repeated(),
    )


# What the paper would have another start combined with: the senders of a file.
COMBINED: dict[str, list[str]] = {
    "HSTCP": ["highspeed"],
    "Scalable TCP": ["scalable"],
    "8 streams": ["standard"] * 8,
}
PLAIN, LIMITED_START, QUICK = "slow start", "limited slow start", "Quick-Start"
COMBINED_BYTES = 100_000_000


def combined(at: Setting) -> Experiment:
    """A file by the senders that the paper names, with each start that it names.

    Over the path as fast as measured; all its routers approve what Quick-Start asks for.
    """
    loss = papers.value("survey", "random_loss_shared")
    path = at.measured | UNBOUND | {"loss": loss, "duration_s": 100.0}

    def build(sender: str, start: str, seed: int) -> Scenario:
        names = COMBINED[sender]
        limit = LIMITED["parameters"] if start == LIMITED_START else {}
        controls: list[Any] = [{"name": name, "parameters": limit} for name in names]
        asked = {"quick_start_bps": files.ASKED_BPS / len(names)} if start == QUICK else {}
        size = COMBINED_BYTES // (10 if at.quick else 1) // len(names)
        plain = japan(*controls, bytes=size, seed=seed, **path | asked)
        if start != QUICK:
            return plain
        approving = {"approve_bps": files.JAPAN.rate_bps}
        return plain.replace(links=[link.model_dump() | approving for link in plain.links])

    return Experiment(
        name="survey-combined",
        build=build,
        points={"sender": COMBINED, "start": (PLAIN, LIMITED_START, QUICK)},
        repetitions=at.repeated(),
    )


INITIAL_WINDOWS = (1, 3, 10)  # 3 segments of 1448 bytes are RFC 3390's 4380 bytes
FILES = {"15 KB": 10 * WITH_TIMESTAMPS, "1 GB": 1_000_000_000}


def initial_windows(at: Setting) -> Experiment:
    """A short and a long file by the initial window.

    The path is the fitted one without random loss, and the queue has another length in each run: a
    packet more or less of it decides at which window slow start ends, which moves a long transfer
    by several per cent either way.
    """

    def build(file: str, queue: int, initial_window: int) -> Scenario:
        size = FILES[file]
        return japan(
            "standard",
            initial_window_segments=initial_window,
            bytes=min(size, 20_000_000) if at.quick else size,
            duration_s=400.0,
            **at.fitted | {"loss": 0.0, "queue_packets": queue},
        )

    points = {
        "file": FILES,
        "queue": range(100, 440, 170 if at.quick else 20),
        "initial_window": INITIAL_WINDOWS,
    }
    return Experiment(name="survey-initial-windows", build=build, points=points)


# --- remedies

REMEDY_LOSS = 1e-5
REMEDIES: dict[str, tuple[list, dict]] = {
    "standard TCP": (["standard"], {}),
    "initial window of 10": (["standard"], {"initial_window_segments": 10}),
    "limited slow start": ([LIMITED], {}),
    "9000-byte packets": (["standard"], {"mtu_bytes": 9000}),
    "4 connections": (["standard"] * 4, {}),
    "8 connections": (["standard"] * 8, {}),
    "relay in the middle": (["standard"], {"relay": True}),
    "HSTCP": (["highspeed"], {}),
    "Scalable TCP": (["scalable"], {}),
    "FAST TCP": (["fast"], {}),
}
# What the remedies are tried on besides: losses a bit, and paths side by side.
PER_BIT = {"loss": 0.0, "loss_per_bit": REMEDY_LOSS / (8 * 1500)}
NARROW = {"payload_bps": 10e6, "queue_packets": 86}
VARIED_REMEDIES: dict[str, tuple[list, dict]] = {
    "1500-byte packets, loss by bits": (["standard"], PER_BIT),
    "9000-byte packets, loss by bits": (["standard"], PER_BIT | {"mtu_bytes": 9000}),
    "4 connections, two such paths": (["standard"] * 4, {"paths": 2}),
    "4 connections, one path of 10 Mb/s": (["standard"] * 4, NARROW),
    "4 connections, two paths of 10 Mb/s": (["standard"] * 4, NARROW | {"paths": 2}),
}


def remedies(at: Setting) -> Experiment:
    """What each remedy makes of a path that loses one packet in 100,000.

    It is as fast as measured, with a queue of a bandwidth-delay product, and no socket buffer
    binds.
    """
    tried = REMEDIES | VARIED_REMEDIES

    def build(remedy: str, seed: int) -> Scenario:
        algorithms, fields = tried[remedy]
        common = at.measured | UNBOUND | {"loss": REMEDY_LOSS, "duration_s": at.remedy_s}
        return japan(*algorithms, seed=seed, **common | fields)

    points = {"remedy": tried}
    return Experiment(name="survey-remedies", build=build, points=points, repetitions=at.repeated())


def surveyed(at: Setting) -> Experiment:
    """A gigabyte by all that the survey names, and by what is used today, alone and beside TCP."""
    size = 5e7 if at.quick else files.LARGEST_RUN
    points: dict[str, Iterable] = {
        "how": [tuning.name for tuning, _ in files.SURVEYED],
        "company": (files.ALONE, files.BESIDE, files.BEFORE),
    }
    return Experiment(
        name="survey-all",
        build=functools.partial(files.surveyed, file_bytes=size),
        points=points,
        repetitions=3 * at.repetitions,
    )


FAST_ALPHA = 200.0  # segments that a FAST TCP keeps in the queue


def fast(at: Setting) -> Experiment:
    """One FAST TCP alone, and two of which the second starts after a third of the time."""

    def build(flows: int) -> Scenario:
        return japan(
            *["fast"] * flows,
            starts_s=tuple(at.start_s / 3 * number for number in range(flows)),
            duration_s=at.start_s,
            timestamps=False,
            record=Record(series=("cwnd_segments", "queue_packets"), points=300),
            **at.measured | UNBOUND,
        )

    return Experiment(name="survey-fast", build=build, points={"flows": [1, 2]})


# --- beyond the paper

FITTED_QUEUE = "as fitted"
# How the router's queue may be otherwise: packets, and from how many on it marks (ECN).
QUEUES: dict[str, dict[str, Any]] = {
    "60 packets": {"queue_packets": 60},
    "1300 packets": {"queue_packets": 1300},
    "1300 packets, marks from 150 on": {
        "queue_packets": 1300,
        "mark_above_packets": 150,
        "ecn": True,
    },
}
# How often standard TCP and HSTCP share the long queue with marks and without: five runs left open
# what the marks do, and so many were to decide it.
MARKING_RUNS = 110


def fairness(at: Setting) -> Experiment:
    """Two connections that share a path, the second starting 10 s after the first.

    With the fitted queue, and at the paper's scale for the pairs with standard TCP also with each
    of `QUEUES`, by two runs (for HSTCP by as many, or by `MARKING_RUNS`).
    """
    shared = at.shared

    def build(first: str, second: str, queue: str, seed: int) -> Scenario:
        return japan(
            first,
            second,
            starts_s=(0.0, 10.0),
            seed=seed,
            record=_delivered(max(2, shared["duration_s"] / 10)),
            **shared | QUEUES.get(queue, {}),
        )

    with_standard = [("standard", name) for name in NAMES]
    alike = [(name, name) for name in NAMES if name != "standard"]
    cases = [(*pair, FITTED_QUEUE) for pair in with_standard + alike]
    if not at.quick:
        cases += [(*pair, queue) for pair in with_standard for queue in QUEUES]
    beside_highspeed = dict(zip(("first", "second"), with_standard[1], strict=True))
    more: list[tuple[dict[str, Any], int]] = [
        ({"queue": FITTED_QUEUE}, at.repeated(2)),
        (beside_highspeed, at.repeated(2)),
    ]
    if at.full:
        more += [
            (beside_highspeed | {"queue": queue}, MARKING_RUNS)
            for queue in QUEUES
            if queue.startswith("1300")
        ]
    return Experiment(
        name="survey-fairness",
        build=build,
        points=pd.DataFrame(cases, columns=["first", "second", "queue"]),
        repetitions=2,
        more=more,
    )


def round_trips(at: Setting) -> Experiment:
    """Two connections of one kind that share a path, the second's way twice as long."""

    def build(algorithm: str, seed: int) -> Scenario:
        extra = (0.0, at.rtt_s)
        return japan(algorithm, algorithm, extra_rtt_s=extra, seed=seed, **at.shared)

    points = {"algorithm": [*NAMES, "fast"]}
    return Experiment(name="survey-rtt", build=build, points=points, repetitions=at.repeated(3))


def router_assistance(at: Setting) -> Experiment:
    """XCP and CADPC among their own kind and beside standard TCP, at the paper's scale."""

    def build(first: str, second: str, speaks: str, queue: int, seed: int) -> Scenario:
        return routers.pair(first, second, speaks, seed, at.shared | {"queue_packets": queue})

    return Experiment(
        name=routers.EXPERIMENT,
        build=build,
        points=routers.cases(at.queue_packets),
        repetitions=0 if at.quick else at.repeated(),
    )


def router_crowds(at: Setting) -> Experiment:
    """Four and eight of standard TCP, XCP and CADPC, at the paper's scale."""
    shared = at.shared | {"queue_packets": at.queue_packets}

    def build(kind: str, flows: int, seed: int) -> Scenario:
        return routers.crowd(kind, flows, seed, shared)

    return Experiment(
        name=routers.CROWD,
        build=build,
        points={"kind": routers.CONTROLS, "flows": routers.COUNTS},
        repetitions=0 if at.quick else at.repeated(),
    )


# The router's queue in bandwidth-delay products, and one of 1 that is managed.
LENGTHS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
MANAGED = ("RED", "gentle RED", "CoDel", "PIE")


def managed_queue(name: str, held: int) -> dict[str, Any]:
    """Return how a queue before a path that holds so many packets is managed, as `Link.aqm`.

    RED's thresholds are a twentieth of that and three times as many, as its authors advise of their
    relation; the gentle one begins at a tenth and ends at the half. CoDel and PIE have the RFCs'
    values.
    """
    if name.endswith("RED"):
        low, high = (0.1, 0.5) if name == "gentle RED" else (0.05, 0.15)
        thresholds = {
            "min_threshold_packets": round(low * held),
            "max_threshold_packets": round(high * held),
        }
        return {"kind": "red", "gentle": name == "gentle RED", **thresholds}
    return {"kind": name.lower()}


def queues(at: Setting) -> Experiment:
    """Two connections that share a path, one of standard TCP, by the router's queue.

    It drops at its tail, and is so many times as long as what the path holds, or as long as that
    and managed. Socket buffers bind nowhere.
    """
    shared = at.shared | UNBOUND
    held = round(shared["payload_bps"] * at.rtt_s / 8 / WITH_TIMESTAMPS)

    def build(second: str, queue: str, seed: int) -> Scenario:
        own: dict[str, Any] = (
            {"queue_packets": held, "aqm": managed_queue(queue, held)}
            if queue in MANAGED
            else {"queue_packets": round(float(queue) * held)}
        )
        return japan(
            "standard",
            second,
            starts_s=(0.0, 10.0),
            seed=seed,
            record=_delivered(max(2, shared["duration_s"] / 2)),
            **shared | own,
        )

    lengths = [f"{length:g}" for length in LENGTHS]
    points: dict[str, Iterable] = {"second": NAMES, "queue": [*lengths, *MANAGED]}
    return Experiment(name="survey-queues", build=build, points=points, repetitions=at.repeated(2))


# --- what figure 5's path may have been

# The mechanisms that may stand behind figure 5's numbers: what is varied under each. Ranges, in
# equal steps of the logarithm but for rates and connections.
RANGES: dict[str, tuple[float, float]] = {
    "mbps": (142.0, 314.0),  # of the bottleneck; figure 5's fastest mean, and the rate measured
    "queue": (20.0, 2000.0),  # packets
    "loss": (1e-7, 1e-4),  # per packet
    "burst": (2.0, 300.0),  # packets that a burst of losses takes, in the mean
    "host_mbps": (142.0, 314.0),  # what the host sends at most
    "host_queue": (20.0, 1000.0),  # packets; a network card had 100
    "others": (1.0, 4.0),  # connections of standard TCP that share the path
}
MECHANISMS: dict[str, tuple[str, ...]] = {
    "the queue alone": ("mbps", "queue"),
    "random losses": ("mbps", "queue", "loss"),
    "losses in bursts": ("mbps", "queue", "loss", "burst"),
    "the host's own queue": ("loss", "host_mbps", "host_queue"),
    "others on the path": ("mbps", "queue", "loss", "others"),
    "all of these": tuple(RANGES),
}
DRAWS = 36  # of each mechanism
LINEAR = ("mbps", "host_mbps", "others")


def drawn_paths(draws: int = DRAWS) -> pd.DataFrame:
    """Return paths that figure 5 may have had: mechanism, draw, and what `RANGES` has.

    A Halton sequence a mechanism, so that more draws only add to fewer; what it does not vary is
    missing. The first draw of every mechanism comes first.
    """
    from scipy.stats import qmc  # half a second, which only those wait who ask for paths

    tables = []
    for number, (mechanism, varied) in enumerate(MECHANISMS.items(), 1):
        sampler = qmc.Halton(len(varied), rng=np.random.default_rng(number))
        columns = {}
        for name, draw in zip(varied, sampler.random(draws).T, strict=True):
            low, high = RANGES[name]
            values = low + draw * (high - low) if name in LINEAR else low * (high / low) ** draw
            columns[name] = [float(f"{value:.4g}") for value in values]
        tables.append(pd.DataFrame({"mechanism": mechanism, "draw": range(draws)} | columns))
    table = pd.concat(tables).sort_values("draw", kind="stable", ignore_index=True)
    return table.reindex(columns=["mechanism", "draw", *RANGES])


def inverse(at: Setting) -> Experiment:
    """The three algorithms of figure 5 once on each of `drawn_paths`, at the paper's scale."""

    def build(algorithm: str, mechanism: str, draw: int, **drawn: float) -> Scenario:
        given = {name: value for name, value in drawn.items() if not math.isnan(value)}
        return over_drawn(at, algorithm, **given)

    def points() -> pd.DataFrame:
        paths = drawn_paths(2 if at.quick else DRAWS)
        return paths.merge(pd.DataFrame({"algorithm": list(NAMES)}), how="cross")

    return Experiment(name="survey-inverse", build=build, points=points)


def over_drawn(
    at: Setting,
    algorithm: str,
    *,
    mbps: float = math.nan,
    queue: float = 1e5,
    loss: float = 0.0,
    burst: float = 0.0,
    host_mbps: float = 1000.0,
    host_queue: float = 1e5,
    others: float = 0.0,
) -> Scenario:
    """Return figure 5's connection over a path of `drawn_paths`; the host's is the first link.

    Without `mbps` the router is as fast as measured, so that the host is the narrow place.
    """
    count = round(others)
    plain = japan(
        algorithm,
        *["standard"] * count,
        payload_bps=1e6 * (at.measured_mbps if math.isnan(mbps) else mbps),
        rtt_s=at.rtt_s,
        queue_packets=round(queue),
        extra_rtt_s=(0.0,) * (1 + count),
        loss=0.0 if burst else loss,
        duration_s=at.duration_s,
    )
    links = list(plain.links)
    on_wire = host_mbps * 1e6 * 1500 / WITH_TIMESTAMPS
    if host_mbps < 1000:
        links[0] = links[0].model_copy(
            update={"rate_bps": on_wire, "queue_packets": round(host_queue)}
        )
    if burst:
        bursts = LossBursts(loss_per_packet=loss, mean_packets=burst)
        links[-2] = links[-2].model_copy(update={"loss_bursts": bursts})
    return plain.replace(links=links)


# --- other stacks

STACKS = {"linux": "Linux 6.12", "segment": "segment engine", "ns3": "ns-3"}
STACKS_S = 60.0
CONTROLS = dict(zip(("reno", "highspeed", "scalable"), NAMES, strict=True))  # by Linux's name
STACK_EXPERIMENTS = {engine: f"survey-stacks-{engine}" for engine in STACKS}


def stack(at: Setting, engine: str, as_often_as: str) -> Experiment:
    """Reno, HighSpeed and Scalable TCP for a minute on the fitted path, on Linux or by our headers.

    There are as many runs as the engine `as_often_as` makes.
    """

    def build(control: str, seed: int) -> Scenario:
        return _over_fitted(
            at,
            control if engine == "linux" else CONTROLS[control],
            seed,
            duration_s=at.stacks_s,
            record=Record(series=("cwnd_segments",), points=300),
        )

    return Experiment(
        name=STACK_EXPERIMENTS[engine],
        engine=engine,
        build=build,
        points={"control": CONTROLS},
        repetitions=REPETITIONS["quick" if at.quick else "paper"][as_often_as],
        labels={"stack": STACKS[engine]},
    )


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the chapter's experiments at a setting."""
    return (
        window_runs(at),
        region(at),
        figure_5(at),
        assumptions(at),
        own_classes(at),
        figure_3(at),
        figure_4(at),
        starts(at),
        combined(at),
        initial_windows(at),
        remedies(at),
        surveyed(at),
        fast(at),
        fairness(at),
        queues(at),
        inverse(at),
        round_trips(at),
        router_assistance(at),
        router_crowds(at),
        stack(at, "linux", "linux"),
        stack(at, "segment", "linux"),
        stack(at, "ns3", "ns3"),
    )


def runs(at: Setting) -> Runs:
    """Return what comes of the experiments, each run or found when it is first asked for."""
    return Runs(at, experiments(at))
