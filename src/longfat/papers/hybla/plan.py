"""What the chapter on TCP Hybla runs: its setting, and its experiments as data.

`LEGS` says how the paper's two experiments are run here: on which engine, for how long, how often.
Where this machine can neither run a leg nor find it in the archive, its table has no rows.
"""

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from longfat import papers, statistics
from longfat.errors import InputError
from longfat.experiment import Experiment, Runs
from longfat.links import Arq, LossBursts
from longfat.papers import inputs
from longfat.papers.hybla.network import TERRESTRIAL_RTT_S, satellite, shared_bottleneck
from longfat.scenario import Ns2, Record, Scenario

METHODS = ("simulation", "emulation")  # the paper's words: ns-2, and a Linux behind dummynet
WINDOW = "cwnd_segments"
THRESHOLD = "ssthresh_segments"
TRANSFER_LIMIT_S = 5000.0
# How a transfer is timed: from an engine's time, SYN to last byte, in round trips.
TIMING_ROUND_TRIPS = {
    "from the SYN to the last byte": 0.0,
    "from the SYN to the last ACK": 0.5,
    "from the first segment to the last byte": -1.0,
    "from the first segment to the last ACK": -0.5,
}


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """One way in which the paper's experiments are run here.

    `label` is the engine as readers know it, `prefix` is that of its experiments in the archive.
    `methods` are the paper's experiments that its steady runs stand beside; these last as long as
    the paper's emulation if `emulation_time`, else as its simulation. `transfers` are the paper's
    experiments that its transfers stand beside, if it has any. `repetitions` are those at the
    paper's own scale, and `quick` at the other profile; `losses` are the loss rates of its steady
    runs, where these are not all of the setting. `changes` are arguments of `satellite`, `ns2` what
    ns-2 does by habit.
    """

    engine: str
    label: str
    prefix: str
    methods: tuple[str, ...]
    transfers: tuple[str, ...]
    emulation_time: bool
    repetitions: int
    quick: int
    losses: tuple[float, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    ns2: Ns2 = field(default_factory=Ns2)

    def of(self, scenario: Scenario) -> Scenario:
        """Return a scenario as this leg has it."""
        return scenario.replace(ns2=self.ns2)


LEGS: dict[str, Campaign] = {
    "segment": Campaign(
        engine="segment",
        label="segment engine",
        prefix="",
        methods=("simulation",),
        transfers=METHODS,
        emulation_time=False,
        repetitions=20,
        quick=5,
    ),
    # What the paper's simulation had, as far as one can tell: ns-2's own SACK sender, which halves
    # at once, with Hybla's growth. It was chosen for its age; the rate is that of the other legs.
    "ns2": Campaign(
        engine="ns2",
        label="ns-2",
        prefix="ns2-",
        methods=("simulation",),
        transfers=("simulation",),
        emulation_time=False,
        repetitions=10,
        quick=2,
        changes={"recovery": "halving"},
        ns2=Ns2(own_hybla=True),
    ),
    "linux": Campaign(
        engine="linux",
        label="Linux",
        prefix="emulation-",
        methods=("emulation",),
        transfers=("emulation",),
        emulation_time=True,
        repetitions=10,
        quick=3,
    ),
    # ns-3's own socket with our Hybla and recovery, for as long as the paper's simulation. A run
    # takes half a minute, so that there are a few loss rates only.
    "ns3-simulation": Campaign(
        engine="ns3",
        label="ns-3",
        prefix="ns3-simulation-",
        methods=("simulation",),
        transfers=(),
        emulation_time=False,
        repetitions=10,
        quick=2,
        losses=(1e-6, 1e-4, 5e-4, 1e-3, 2e-3, 1e-2),
    ),
    # The same for as long as the paper's emulation, at all loss rates.
    "ns3": Campaign(
        engine="ns3",
        label="ns-3, short runs",
        prefix="ns3-",
        methods=("emulation",),
        transfers=(),
        emulation_time=True,
        repetitions=3,
        quick=2,
    ),
    # The segment engine for as long as the paper's emulation: its start weighs ten times as much.
    "segment-emulation": Campaign(
        engine="segment",
        label="segment engine, short runs",
        prefix="100s-",
        methods=("emulation",),
        transfers=(),
        emulation_time=True,
        repetitions=20,
        quick=5,
    ),
}

# What the paper does not state and its experiments may have had, by the parameter's name in
# parameters.csv and the value in words. A function of the loss rate, or arguments of `satellite`.
VARIED: dict[str, dict[str, Any]] = {
    "link_rate": {
        "10 Mb/s": {"rate_bps": 10e6},
        "20 Mb/s": {"rate_bps": 20e6},
        "1 Gb/s": {"rate_bps": 1e9},
    },
    "ack_loss": {"as the data": lambda loss: {"ack_loss": loss}},
    "recovery": {"halved at once": {"recovery": "halving"}},
    "lost_retransmission": {"left to the timer": {"lost_retransmissions": "timeout"}},
    "min_rto": {"0.2 s": {"min_rto_s": 0.2}},
    "acked_per_ack": {"2 (delayed ACKs)": {"segments_per_ack": 2}},
    "window_limit": {"by the receiver": {"limited_by": "receiver"}},
}
# Of these a verdict on the steady state may hang: they have as many runs as the stated setting.
DECISIVE = ("link_rate", "recovery", "acked_per_ack", "window_limit")
LINUX_VARIED = ("acked_per_ack", "window_limit")
# Where a leg's usual runs left a verdict open, as many as were said to decide it, or a few more: by
# leg, transfer (megabytes) and loss rate, and in the steady state by leg, parameter that is varied
# and loss rate.
MORE_TRANSFERS = {
    ("segment", 50, 5e-4): 160,
    ("segment", 100, 2e-4): 80,
    ("linux", 50, 5e-4): 70,
}
MORE_STEADY = {
    ("segment", "acked_per_ack", 1e-3): 300,
    ("segment-emulation", "acked_per_ack", 1e-3): 80,
}
# What came nearest to the paper on ns-2 (`inverse`), and its runs, most where they scatter most.
NS2_VARIED = ("link_rate", "10 Mb/s")
NS2_SEEDS = {5e-4: 10, 1e-3: 10, 2e-3: 10}

ROBUST = ("newreno", "cubic", "hybla", "bbr")  # what a sender over a satellite could run


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    Times are in seconds, `max_window_segments` in segments, `transfer_megabytes` in 10^6 bytes;
    `duration_s` is that of a steady run of the paper's simulation, `emulation_s` of its emulation.
    Without `repetitions` each leg has its own. Raises InputError for what no figure could show.
    """

    loss_rates: tuple[float, ...]
    rtt_s: float
    rtt0_s: float
    max_window_segments: int
    segment_bytes: int
    rto_s: float
    transfer_megabytes: tuple[float, ...]
    repetitions: int | None
    duration_s: float
    emulation_s: float
    quick: bool = False

    def __post_init__(self) -> None:
        for name in ("loss_rates", "transfer_megabytes"):  # a notebook's parameters are lists
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.loss_rates or not all(0 < loss < 0.5 for loss in self.loss_rates):
            raise InputError(
                f"loss_rates is {list(self.loss_rates)}: it must be one or more probabilities "
                "above 0 and below 0.5"
            )
        if len(self.transfer_megabytes) != 3:
            raise InputError(
                f"transfer_megabytes is {list(self.transfer_megabytes)}: it must be three sizes, "
                "for figures 4 and 5, 6 and 7, 8 and 9"
            )
        if self.repetitions is not None and self.repetitions < 1:
            raise InputError(f"repetitions is {self.repetitions}: it must be 1 or more")

    @property
    def path(self) -> dict:
        """The satellite's path, as `satellite` takes it."""
        return {
            "rtt_s": self.rtt_s,
            "rtt0_s": self.rtt0_s,
            "max_window_segments": self.max_window_segments,
            "segment_bytes": self.segment_bytes,
        }

    @property
    def is_papers(self) -> bool:
        """Whether the path and the transfers are those of which the paper says something."""
        stated = setting()
        mine, papers_own = ((one.path, one.rto_s, one.transfer_megabytes) for one in (self, stated))
        return mine == papers_own

    @property
    def model(self) -> dict:
        """The same as the model takes it."""
        return {
            "rtt": self.rtt_s,
            "rtt0": self.rtt0_s,
            "max_window": self.max_window_segments,
        }

    @property
    def full(self) -> bool:
        """Whether nobody asked for fewer runs than the archive has."""
        return not (self.quick or self.repetitions)

    def repeated(self, usual: int = 10, quick: int = 3) -> int:
        """Return how many runs a point has, of so many where the setting does not say."""
        return self.repetitions or (quick if self.quick else usual)

    def seconds(self, leg: "Campaign") -> float:
        """Return how long a steady run of a leg lasts."""
        return self.emulation_s if leg.emulation_time else self.duration_s

    @property
    def megabits(self) -> float:
        """How much a segment carries, in Mb."""
        return 8 * self.segment_bytes / 1e6

    @property
    def segments(self) -> dict[str, float]:
        """How many segments each transfer has, by its name in claims and tables."""
        return {f"{size}MB": size * 1e6 / self.segment_bytes for size in self.transfer_megabytes}


def setting(profile: str = "paper", **parameters: Any) -> Setting:
    """Return the setting at a profile, "paper" or "quick"; what is not given is the paper's.

    `parameters` are fields of `Setting`; those that are left out or None come from
    `data/papers/hybla/parameters.csv`. Quick runs have one loss rate a decade and a tenth of the
    duration. Raises InputError for another profile or an unknown parameter.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    value = functools.partial(papers.value, "hybla")
    stated = {
        "loss_rates": _loss_rates(quick),
        "rtt_s": value("rtt"),
        "rtt0_s": value("rtt0"),
        "max_window_segments": int(value("max_window")),
        "segment_bytes": int(value("packet_size")),
        "rto_s": value("rto"),
        "transfer_megabytes": tuple(int(value(f"transfer_{size}MB")) for size in (10, 50, 100)),
        "repetitions": None,
        "duration_s": value("simulation_time") / (10 if quick else 1),
        "emulation_s": value("emulation_time"),
    }
    return Setting(**inputs.given_or_stated(parameters, stated), quick=quick)


def _loss_rates(quick: bool) -> list[float]:
    """Return the loss rates of the paper's figures, or one a decade."""
    least, largest = (papers.value("hybla", f"loss_{end}") for end in ("min", "max"))
    steps = ["1"] if quick else papers.text("hybla", "loss_steps").split("-")
    decades = range(round(math.log10(least)), round(math.log10(largest)))
    return [float(f"{step}e{power}") for power in decades for step in steps] + [largest]


# --- experiments


def archive(leg: str, what: str) -> str:
    """Return the name of a leg's experiment."""
    return f"hybla-{LEGS[leg].prefix}{what}"


STEADY = tuple(archive(leg, "steady") for leg in LEGS)
TRANSFERS = tuple(archive(name, "transfers") for name, leg in LEGS.items() if leg.transfers)
VARIED_STEADY = (
    "hybla-assumptions",
    "hybla-100s-assumptions",
    "hybla-emulation-variants",
    "hybla-ns2-assumptions",
)
VARIED_TRANSFERS = ("hybla-files-assumed",)
OVERFLOW = {"hybla": "ours, at most $W_m$", "hybla-ns3": "ns-3's own"}
STARTS = {"sender": "the paper's start, at most $W_m$", "receiver": "stock Linux"}


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the chapter's experiments at a setting."""
    return (
        *(_steady(at, leg) for leg in LEGS),
        *(_transfers(at, name) for name, leg in LEGS.items() if leg.transfers),
        _varied(at, "segment", "assumptions", VARIED, few=5),
        _varied(at, "segment-emulation", "assumptions", VARIED, few=10),
        _varied_on_linux(at),
        _varied_on_ns2(at),
        _varied_files(at),
        _bursts(at),
        _dummynet(at),
        _alternatives(at),
        _sharing(at),
        *_traced(at),
    )


def _runs(at: Setting, name: str, what: str, points: Any, **fields: Any) -> Experiment:
    """Return an experiment on a leg: steady runs, or transfers where its points have a size."""
    leg = LEGS[name]

    @functools.cache
    def point(
        loss: float, megabytes: float | None = None, parameter: str = "", value: Any = ""
    ) -> Scenario:
        if megabytes is None:
            how: dict[str, Any] = {"duration_s": at.seconds(leg)}
        else:
            size = round(megabytes * 1e6)
            how = {"duration_s": TRANSFER_LIMIT_S, "transfer_bytes": size}
        varied = VARIED[parameter][value] if parameter else {}
        varied = varied(loss) if callable(varied) else varied
        given = at.path | dict(leg.changes) | how | varied
        return satellite(loss=loss, **given).replace(ns2=leg.ns2)

    def build(seed: int, **columns: Any) -> Scenario:
        return point(**columns).replace(seed=seed)

    fields.setdefault("repetitions", at.repeated(leg.repetitions, leg.quick))
    more = fields.pop("more", ())
    return Experiment(
        name=archive(name, what),
        engine=leg.engine,
        build=build,
        points=points,
        labels={"leg": name},
        more=more if at.full else (),
        **fields,
    )


def _steady(at: Setting, leg: str) -> Experiment:
    some = [loss for loss in at.loss_rates if loss in LEGS[leg].losses]
    return _runs(at, leg, "steady", {"loss": some or at.loss_rates})


def _transfers(at: Setting, leg: str) -> Experiment:
    more = [
        ({"megabytes": megabytes, "loss": loss}, count)
        for (where, megabytes, loss), count in MORE_TRANSFERS.items()
        if where == leg
    ]
    points = {"megabytes": at.transfer_megabytes, "loss": at.loss_rates}
    return _runs(at, leg, "transfers", points, more=more)


def _variations(parameters: Iterable[str], **factors: Iterable) -> pd.DataFrame:
    """Return a table of points: each value of each parameter with every combination of factors."""
    values = [(parameter, value) for parameter in parameters for value in VARIED[parameter]]
    table = pd.DataFrame(values, columns=["parameter", "value"])
    return table.merge(statistics.combinations(**factors), how="cross")


def _varied(at: Setting, leg: str, what: str, parameters: Iterable[str], few: int) -> Experiment:
    """Each unstated parameter changed alone; those on which a verdict may hang more often."""
    more: list[tuple[dict[str, Any], int]] = [
        ({"parameter": name}, LEGS[leg].repetitions) for name in DECISIVE
    ]
    more += [
        ({"parameter": name, "loss": loss}, count)
        for (where, name, loss), count in MORE_STEADY.items()
        if where == leg
    ]
    points = _variations(parameters, loss=at.loss_rates)
    return _runs(at, leg, what, points, repetitions=at.repeated(few), more=more)


def _varied_on_linux(at: Setting) -> Experiment:
    some = [loss for loss in at.loss_rates if loss >= 1e-4] or at.loss_rates
    return _runs(at, "linux", "variants", _variations(LINUX_VARIED, loss=some))


def _varied_on_ns2(at: Setting) -> Experiment:
    parameter, value = NS2_VARIED
    points = _variations([parameter], loss=at.loss_rates)
    more = [({"loss": loss}, count) for loss, count in NS2_SEEDS.items()]
    return _runs(
        at,
        "ns2",
        "assumptions",
        points[points["value"] == value],
        repetitions=at.repeated(5, LEGS["ns2"].quick),
        more=more,
    )


def _varied_files(at: Setting) -> Experiment:
    points = _variations(VARIED, megabytes=at.transfer_megabytes, loss=at.loss_rates)
    usual = at.repeated(LEGS["segment"].repetitions)
    return _runs(at, "segment", "files-assumed", points, repetitions=usual)


BURST_LOSSES = (1e-4, 1e-3, 1e-2)
BURST_PACKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500)  # in the mean; 1: each by itself


def _bursts(at: Setting) -> Experiment:
    """As many losses as ever, but in bursts: the link is good, or loses all that it gets."""

    def build(loss: float, burst_packets: int, seed: int) -> Scenario:
        plain = satellite(loss=loss, duration_s=at.duration_s, seed=seed, **at.path)
        if burst_packets == 1:
            return plain
        there, back = plain.links
        bursts = LossBursts(loss_per_packet=loss, mean_packets=burst_packets)
        changed = there.model_copy(update={"loss_per_packet": 0.0, "loss_bursts": bursts})
        return plain.replace(links=[changed, back])

    points: dict[str, Iterable] = {"loss": BURST_LOSSES, "burst_packets": BURST_PACKETS}
    return Experiment(
        name="hybla-bursts", build=build, points=points, repetitions=at.repeated(20, 3)
    )


# What dummynet does by itself: it lets packets go at ticks of the kernel's clock only (10 ms on a
# FreeBSD that nobody has tuned, 1 ms as its manual advises), and keeps 50 packets unless told more.
DUMMYNET = {
    "as in the other runs": (0.0, None),
    "a tick of 1 ms": (0.001, None),
    "a tick of 10 ms": (0.01, None),
    "a queue of 50 packets": (0.0, 50),
    "both, 10 ms and 50 packets": (0.01, 50),
}
DUMMYNET_BPS = (100e6, 10e6)


def _dummynet(at: Setting) -> Experiment:
    """The paper's emulation with a clock and a queue as dummynet has them.

    The link that loses, with its rate and queue, ends in the emulator; from there, and back, what
    comes goes on at the end of a tick.
    """

    def build(loss: float, rate_bps: float, clock: str, seed: int) -> Scenario:
        tick_s, queue = DUMMYNET[clock]
        plain = satellite(
            loss=loss, rate_bps=rate_bps, duration_s=at.emulation_s, seed=seed, **at.path
        )
        there, back = plain.links
        if queue:
            there = there.model_copy(update={"queue_packets": queue})
        if not tick_s:
            return plain.replace(links=[there, back])
        # losses are before the ticks: here nothing is left to be sent again
        ticks = Arq(persistence=1, feedback_s=0.0, interval_s=tick_s)
        plain_delay = {"delay_s": there.delay_s}
        none = {"loss_per_packet": 0.0, "queue_packets": 100_000, "rate_bps": 1e9}
        links = [
            there.model_copy(update={"target": "emulator", "delay_s": 0.0}),
            there.model_copy(
                update={"source": "emulator", "arq": ticks} | none | plain_delay,
            ),
            back.model_copy(update={"target": "emulator", "arq": ticks} | plain_delay),
            back.model_copy(update={"source": "emulator", "delay_s": 0.0} | none),
        ]
        return plain.replace(links=links)

    points: dict[str, Iterable] = {
        "loss": at.loss_rates,
        "rate_bps": DUMMYNET_BPS,
        "clock": DUMMYNET,
    }
    return Experiment(name="hybla-dummynet", build=build, points=points, repetitions=at.repeated())


def _alternatives(at: Setting) -> Experiment:
    """Hybla and what else a sender could run over the satellite, with a window of at most W_m."""

    def build(algorithm: str, **row: Any) -> Scenario:
        seconds = min(300.0, at.duration_s)
        return satellite(congestion_control=algorithm, duration_s=seconds, **at.path, **row)

    points = {"algorithm": ROBUST, "loss": at.loss_rates}
    return Experiment(name="hybla-beside", build=build, points=points, repetitions=at.repeated())


def _sharing(at: Setting) -> Experiment:
    """A flow over a long way beside a NewReno flow over a short one, on one link of 10 Mb/s."""

    def build(algorithm: str, **row: Any) -> Scenario:
        return shared_bottleneck(
            congestion_control=algorithm,
            rtt0_s=at.rtt0_s,
            segment_bytes=at.segment_bytes,
            duration_s=min(300.0, at.duration_s),
            **row,
        )

    trips = sorted({TERRESTRIAL_RTT_S, 0.05, 0.1, 0.2, 0.3, at.rtt_s})
    points = {"algorithm": ROBUST, "rtt_s": trips}
    return Experiment(name="hybla-sharing", build=build, points=points, repetitions=at.repeated(5))


GROWTH_S, GROWTH_FROM_SEGMENTS = 8.0, 100


def _traced(at: Setting) -> Iterable[Experiment]:
    """The runs whose windows are drawn, one at each point."""

    def window(points: int, *more: str) -> Record:
        return Record(series=(WINDOW, *more), points=points)

    yield Experiment(
        name="hybla-overflow",
        engine="ns3",
        points={"congestion_control": OVERFLOW},
        build=functools.partial(satellite, loss=0, duration_s=2, record=window(400), **at.path),
    )
    yield Experiment(
        name="hybla-emulation-start",
        engine="linux",
        points={"limited_by": STARTS},
        build=functools.partial(satellite, loss=1e-3, duration_s=30, record=window(600), **at.path),
    )
    yield Experiment(
        name="hybla-windows",
        points={"loss": [1e-4, 1e-3, 1e-2]},
        build=functools.partial(satellite, duration_s=40, record=window(400, THRESHOLD), **at.path),
    )
    unlimited = at.path | {"max_window_segments": 100_000, "queue_packets": 100_000}
    yield Experiment(
        name="hybla-growth",
        build=functools.partial(
            satellite,
            loss=0,
            duration_s=GROWTH_S,
            initial_ssthresh_segments=GROWTH_FROM_SEGMENTS,
            record=window(400),
            **unlimited,
        ),
    )


def runs(at: Setting) -> Runs:
    """Return what comes of the experiments, each run or found when it is first asked for."""
    return Runs(at, experiments(at))


def legs(setting: Setting) -> pd.DataFrame:
    """Return `LEGS` in words: columns engine, stands beside, steady runs (how many, how long)."""
    rows = []
    for leg in LEGS.values():
        count = setting.repeated(leg.repetitions, leg.quick)
        seconds = setting.seconds(leg)
        rows.append(
            {
                "engine": leg.label,
                "steady state": f"{count} runs of {seconds:g} s at each loss rate",
                "stands beside": " and ".join(leg.methods) or "the segment engine",
                "its transfers": " and ".join(leg.transfers) or "none",
            }
        )
    return pd.DataFrame(rows)
