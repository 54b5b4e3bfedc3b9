"""What the chapter on UCC runs: its setting, and its experiments as data.

Two senders are called N1 and N2, as in the paper's figure 2; a congestion control is named as in
`Setting.controls`. What the paper says of NewReno, CUBIC and Compound beside UCC is judged on ns-2,
its own simulator; what it says of CHD, which ns-2 lacks, on the segment engine. The other engines
say whether these can be believed.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, papers, statistics
from longfat.errors import InputError
from longfat.experiment import Experiment, Point, Points, Runs
from longfat.links import Arq, CoDel, FqCoDel, Pie, Red
from longfat.papers import inputs, joint
from longfat.papers.ucc.network import busy_before, multi_bottleneck, wireless
from longfat.result import Result
from longfat.scenario import Record, Scenario

RADIO_BPS = papers.value("ucc", "rate")  # of figure 2's links
RADIO_DELAY_S = papers.value("ucc", "delay")
ACCESS_BPS = papers.value("ucc", "access_rate")
SEGMENT_BYTES = int(papers.value("ucc", "segment"))
ACK_BYTES = 54  # on the wire
PACKET_BYTES = SEGMENT_BYTES + ACK_BYTES
CHD_THRESHOLD_S = papers.value("ucc", "threshold_delay")  # q_th of section 5
REPETITIONS = int(papers.value("ucc", "repetitions"))  # at the paper's scale
LAYOUT = str(papers.parameters("ucc").set_index("name").at["multi_layout", "value"])  # of figure 7

NEIGHBOURS = ("NewReno", "CUBIC", "Compound")  # of figures 4 to 6
CHD = "CHD w/o DCC"
EQUAL_IN_DOUBLES = {"tolerance_s": 1e-9}  # of UCC in ns-2, whose clock is a double


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    `loss_rates` are probabilities that a packet is lost; `repetitions` are those of the points that
    a verdict rests on, on the segment engine, others have half of them; `duration_s` is in s, the
    buffer in packets. The parameters of UCC and CHD are those that are not default.
    `equivalence_factor` is within what "almost the same" is.
    Raises InputError for what no figure could show.
    """

    loss_rates: Sequence[float]
    repetitions: int
    duration_s: float
    queue_packets: int
    equivalence_factor: float
    ucc_parameters: dict = field(default_factory=dict)
    chd_parameters: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not any(self.loss_rates) or not all(0 <= loss < 1 for loss in self.loss_rates):
            raise InputError(
                f"loss_rates is {self.loss_rates}: it must be probabilities from 0 to below 1, "
                "one of them above 0"
            )
        if self.repetitions < 2:
            raise InputError(
                f"repetitions is {self.repetitions}: it must be 2 or more, for an interval"
            )
        if self.equivalence_factor <= 1:
            raise InputError(f"equivalence_factor is {self.equivalence_factor}: it must be above 1")

    @property
    def half(self) -> int:
        """Repetitions where no verdict hangs on them."""
        return max(2, self.repetitions // 2)

    @property
    def on_ns3(self) -> int:
        """Repetitions on ns-3, which takes seconds a run."""
        return NS3_RUNS if self.repetitions >= NS3_RUNS else self.half

    @property
    def network(self) -> dict:
        """What `wireless` and `multi_bottleneck` take."""
        return {"duration_s": self.duration_s, "queue_packets": self.queue_packets}

    @property
    def controls(self) -> dict[str, str | dict]:
        """The five congestion controls of the paper's figures by their names in the chapter."""
        return {
            "NewReno": "newreno",
            "CUBIC": "cubic",
            "Compound": "compound",
            CHD: {"name": "chd", "parameters": self.chd_parameters},
            "UCC": self.ucc(),
        }

    @property
    def controls_on_ns2(self) -> dict[str, str | dict]:
        """Those that ns-2 has; delays that are equal in doubles but for rounding are equal."""
        every = {name: control for name, control in self.controls.items() if name != CHD}
        return every | {"UCC": self.ucc(**(EQUAL_IN_DOUBLES | self.ucc_parameters))}

    def ucc(self, **parameters: Any) -> dict:
        """Return UCC with other parameters."""
        return {"name": "ucc", "parameters": self.ucc_parameters | parameters}

    def among(self, *losses: float) -> list[float]:
        """Return those of these loss rates that the setting has."""
        return [loss for loss in losses if loss in self.loss_rates]

    @property
    def varied_losses(self) -> list[float]:
        """The loss rates at which assumptions are varied: where the verdicts fall, or the least."""
        return self.among(1e-4, 3e-3) or [min(loss for loss in self.loss_rates if loss)]


def setting(profile: str = "paper", **parameters: Any) -> Setting:
    """Return the setting at a profile, "paper" or "quick"; what is not given is the paper's.

    `parameters` are fields of `Setting`; those that are left out or None come from
    `data/papers/ucc/parameters.csv`. Quick runs have three loss rates, a third of the repetitions,
    and a fifth of the duration. Raises InputError for another profile or an unknown parameter.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    half_decades = [0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
    stated = {
        "loss_rates": [0, 1e-3, 1e-2] if quick else half_decades,
        "repetitions": REPETITIONS // 3 if quick else REPETITIONS,
        "duration_s": papers.value("ucc", "duration") / (5 if quick else 1),
        "queue_packets": int(papers.value("ucc", "buffer")),
        "equivalence_factor": papers.value("ucc", "margin"),
        "ucc_parameters": {},
        "chd_parameters": {"delay_based": False},  # CHD without DCC
    }
    return Setting(**inputs.given_or_stated(parameters, stated))


# --- pairs over the radio link: figures 3 to 6

# The pairs that figures 4 to 6 and section 6 compare, in the order of `Setting.controls`.
EQUATED = tuple(pair for name in NEIGHBOURS for pair in ((name, name), (name, CHD), (name, "UCC")))
# Which pairs run on ns-3, ten times a point: those of NewReno, UCC and CHD at some loss rates, and
# with the other neighbours at one.
ON_NS3 = (
    *(("NewReno", other) for other in ("NewReno", CHD, "UCC")),
    *((name, name) for name in (CHD, "UCC")),
)
NS3_LOSSES = (0, 1e-3, 1e-2, 3e-2, 1e-1)
NEIGHBOURS_ON_NS3 = tuple((name, other) for name in NEIGHBOURS[1:] for other in (name, "UCC"))
NS3_NEIGHBOURS_LOSS = 1e-2
NS3_RUNS = 10
# Where the usual repetitions left a verdict open there are four times as many, and where these did,
# as many as were said to decide it, or a few more: pair and loss rate.
OFTEN: tuple[tuple[tuple[str, str], float], ...] = (
    *((pair, 0.1) for pair in EQUATED),
    *((pair, 0.003) for pair in (("NewReno", "NewReno"), ("NewReno", "UCC"))),
    *(
        (pair, loss)
        for pair in (("CUBIC", "CUBIC"), ("CUBIC", "UCC"), ("CUBIC", CHD))
        for loss in (1e-4, 3e-4)
    ),
    (("CUBIC", CHD), 1e-3),
)
MORE: Mapping[tuple[tuple[str, str], float], int] = {
    (("NewReno", "NewReno"), 0.003): 480,
    (("NewReno", "UCC"), 0.003): 480,
    (("Compound", "UCC"), 0.1): 600,
    (("Compound", CHD), 0.1): 600,
}


# Which pairs run on ns-2: all but those of CHD. A run takes a fifth of a second, so that each point
# has as many as those that are run `OFTEN`, and more where these left open what a claim says.
NS2_PAIRS = tuple(pair for pair in (*EQUATED, ("UCC", "UCC")) if CHD not in pair)
MORE_ON_NS2: Mapping[tuple[tuple[str, str], float], int] = {
    ((name, other), loss): count
    for name, loss, count in (
        ("NewReno", 0.003, 480),
        ("NewReno", 0.1, 192),
        ("CUBIC", 0.003, 192),
        ("Compound", 0.003, 480),
    )
    for other in (name, "UCC")
}

SEGMENT_PAIRS = ("ucc-pairs-segment", "ucc-pairs-more")
PAIRS_ON_NS2, ASSUMPTIONS_ON_NS2 = "ucc-pairs-ns2", "ucc-assumptions-ns2"
PAIRS = (*SEGMENT_PAIRS, "ucc-pairs", PAIRS_ON_NS2)
LEFT_TO_TIMER = "ucc-pairs-timer"  # two equal senders, where a lost retransmission is


def pairs(at: Setting) -> tuple[Experiment, ...]:
    """Pairs of the five congestion controls: all on the segment engine, some on the others.

    ns-3 leaves a lost retransmission to the timer; so does the segment engine in some runs.
    """
    names = list(at.controls)
    every = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    others = [pair for pair in every if pair not in EQUATED]
    repeated: list[tuple[dict[str, Any], int]]
    repeated = [({"N1": a, "N2": b}, at.repetitions) for a, b in EQUATED]
    repeated += [({"N1": a, "N2": b, "loss": loss}, 4 * at.repetitions) for (a, b), loss in OFTEN]
    usual = _over_radio(
        at,
        "ucc-pairs-segment",
        _pairs([*EQUATED, *others], at.loss_rates),
        repetitions=at.half,
        more=repeated,
    )
    on_ns3 = [
        _pairs(ON_NS3, at.among(*NS3_LOSSES)),
        _pairs(NEIGHBOURS_ON_NS3, at.among(NS3_NEIGHBOURS_LOSS)),
    ]
    return (
        usual,
        _over_radio(at, "ucc-pairs-more", _added(at, usual.design)),
        _over_radio(
            at,
            "ucc-pairs",
            pd.concat(on_ns3, ignore_index=True),
            engine="ns3",
            repetitions=at.on_ns3,
        ),
        _over_radio(
            at,
            LEFT_TO_TIMER,
            _pairs([pair for pair in ON_NS3 if pair[0] == pair[1]], at.among(*NS3_LOSSES)),
            lost_retransmissions="timeout",
            repetitions=at.on_ns3,
        ),
        _over_radio(
            at,
            PAIRS_ON_NS2,
            _pairs(NS2_PAIRS, at.loss_rates),
            engine="ns2",
            repetitions=4 * at.repetitions,
            more=[
                ({"N1": a, "N2": b, "loss": loss}, count)
                for ((a, b), loss), count in MORE_ON_NS2.items()
                if at.repetitions == REPETITIONS
            ],
        ),
    )


def _pairs(of: Iterable[tuple[str, str]], losses: Sequence[float]) -> pd.DataFrame:
    """Return a table of points: each pair at each loss rate."""
    return pd.DataFrame(of, columns=["N1", "N2"]).merge(pd.DataFrame({"loss": losses}), how="cross")


def _added(at: Setting, usual: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of `MORE` that are not usual, unless fewer were asked for: with their seeds.

    They have an archive of their own, which is fetched by who wants it.
    """
    counts = MORE if at.repetitions == REPETITIONS else {}
    rows = [
        (a, b, loss, seed)
        for ((a, b), loss), count in counts.items()
        if at.among(loss)
        for seed in range(4 * at.repetitions + 1, count + 1)
    ]
    return pd.DataFrame(rows, columns=list(usual))


def _over_radio(
    at: Setting,
    name: str,
    points: pd.DataFrame,
    *,
    engine: str = "segment",
    lost_retransmissions: str = "detected",
    **fields: Any,
) -> Experiment:
    """Return an experiment of N1 and N2 over figure 2's network."""
    path = at.network | {"lost_retransmissions": lost_retransmissions}
    controls = at.controls_on_ns2 if engine == "ns2" else at.controls

    def build(N1: str, N2: str, loss: float, seed: int) -> Scenario:
        first, second = controls[N1], controls[N2]
        return wireless(first, second, loss=loss, seed=seed, **path)

    return Experiment(
        name=name,
        engine=engine,
        build=build,
        points=points,
        labels={"engine": engine},
        **fields,
    )


# --- figure 7's network

LAYOUTS = {
    "one": "one bottleneck for all",
    "opposite": "N3 sends against the others",
    "chain": "two bottlenecks, with a third router",
    "last": "only the link to N4 errs",
}


def chain(at: Setting) -> tuple[Experiment, ...]:
    """Figure 7's network: in four layouts, since the figure is lost, on ns-2 without CHD."""
    three = ("NewReno", CHD, "UCC")
    full = statistics.combinations(layout=["one", "opposite"], control=three, loss=at.loss_rates)
    some = statistics.combinations(
        layout=["chain", "last"], control=three, loss=at.among(0, 1e-4, 1e-3, 1e-2)
    )
    often = max(2, round(at.repetitions * 0.75))
    one = statistics.combinations(layout=[LAYOUT], control=three, loss=at.among(0.01))

    points = pd.concat([full, some], ignore_index=True)

    def build(layout: str, control: str, loss: float, seed: int) -> Scenario:
        sender = at.controls[control]
        return multi_bottleneck(sender, loss=loss, seed=seed, layout=layout, **at.network)

    def on_ns2(layout: str, control: str, loss: float, seed: int) -> Scenario:
        sender = at.controls_on_ns2[control]
        return multi_bottleneck(sender, loss=loss, seed=seed, layout=layout, **at.network)

    return (
        Experiment(
            name="ucc-chain-segment",
            build=build,
            points=points,
            repetitions=at.half,
            more=[({"layout": layout}, often) for layout in ("one", "opposite")],
            labels={"engine": "segment"},
        ),
        Experiment(
            name="ucc-chain",
            engine="ns3",
            build=build,
            points=one,
            repetitions=1,
            labels={"engine": "ns3"},
        ),
        Experiment(
            name="ucc-chain-ns2",
            engine="ns2",
            build=on_ns2,
            points=points[points["control"] != CHD].reset_index(drop=True),
            repetitions=2 * at.repetitions,
            labels={"engine": "ns2"},
        ),
    )


# --- what the paper leaves open


class Varied(NamedTuple):
    """An assumption of parameters.csv that is another one.

    `fields` are what `wireless` takes then, by the loss rate; `controls` are the congestion
    controls that are others, by their names: only pairs with one of these are run. `ucc` has
    parameters of UCC that are others.
    """

    parameter: str
    setting: str
    fields: Callable[[float], dict] = lambda loss: {}
    controls: dict[str, str | dict] | None = None
    ucc: Mapping[str, float] | None = None


def per_bit(loss: float) -> dict:
    """Bits err, of data and ACKs alike, so that data packets are lost at that rate."""
    bits = 1 - (1 - loss) ** (1 / (8 * PACKET_BYTES))
    return {"loss": 0, "loss_per_bit": bits, "ack_loss_per_bit": bits}


VARIED = (
    Varied("recovery", "the whole window halved at once", lambda loss: {"recovery": "halving"}),
    Varied("initial_ssthresh", "20 segments", lambda loss: {"initial_ssthresh_segments": 20}),
    Varied("ack_every", "2 segments", lambda loss: {"segments_per_ack": 2}),
    Varied("access_rate", "10 Mb/s", lambda loss: {"access_bps": 10e6}),
    Varied("access_delay", "20 ms", lambda loss: {"access_delay_s": 0.02}),
    Varied("loss_process", "per bit, of ACKs too", per_bit),
    Varied(
        "cubic",
        "as Linux 6.12 has it",
        controls={"CUBIC": {"name": "cubic", "parameters": {"as_linux_6_12": True}}},
    ),
)

AS_PRINTED = "ns-2's own, as printed"
# ns-2 has one CUBIC. By its clock as it is few equal delays are equal; ticks are whole ones.
VARIED_ON_NS2 = (
    *(one for one in VARIED if one.parameter != "cubic"),
    Varied("clock", AS_PRINTED, ucc={"tolerance_s": 0.0}),
    Varied("clock", "ticks of 1 µs", ucc={"clock_s": 1e-6}),
    Varied("clock", "ticks of 1 ms", ucc={"clock_s": 1e-3}),
)


def assumptions(at: Setting) -> Experiment:
    """The pairs of figures 4 to 6 with one assumption changed at a time (`VARIED`)."""
    cases = [
        (one.parameter, one.setting, *pair)
        for one in VARIED
        for pair in EQUATED
        if one.controls is None or set(pair) & set(one.controls)
    ]
    return changed(at, "ucc-assumptions", cases)


def assumptions_on_ns2(at: Setting) -> Experiment:
    """The same on ns-2 (`VARIED_ON_NS2`), with the pairs that it has."""
    cases = [
        (one.parameter, one.setting, *pair)
        for one in VARIED_ON_NS2
        for pair in EQUATED
        if pair in NS2_PAIRS
    ]
    return changed(
        at, ASSUMPTIONS_ON_NS2, cases, VARIED_ON_NS2, engine="ns2", repetitions=at.repetitions
    )


def changed(
    at: Setting,
    name: str,
    cases: Iterable[tuple[str, str, str, str]],
    varied: Sequence[Varied] = VARIED,
    *,
    engine: str = "segment",
    repetitions: int | None = None,
) -> Experiment:
    """Return an experiment with assumptions changed: parameters and settings in words, N1, N2.

    Several that are changed at once stand with commas between them. Repetitions are half of the
    usual ones unless stated.
    """
    one_by_one = {(one.parameter, one.setting): one for one in varied}
    by_parameter = {one.parameter: one for one in varied}
    usual = at.controls_on_ns2 if engine == "ns2" else at.controls

    def build(parameter: str, setting: str, N1: str, N2: str, loss: float, seed: int) -> Scenario:
        controls, fields = usual, {"loss": loss} | at.network
        alone = one_by_one.get((parameter, setting))
        for one in [alone] if alone else [by_parameter[name] for name in parameter.split(", ")]:
            controls = controls | (one.controls or {})
            if one.ucc is not None:
                controls = controls | {"UCC": at.ucc(**one.ucc)}
            fields |= one.fields(loss)
        return wireless(controls[N1], controls[N2], seed=seed, **fields)

    table = pd.DataFrame(cases, columns=["parameter", "setting", "N1", "N2"])
    return Experiment(
        name=name,
        engine=engine,
        build=build,
        points=table.merge(pd.DataFrame({"loss": at.varied_losses}), how="cross"),
        repetitions=repetitions or at.half,
        labels={"engine": engine},
    )


# What ns-2 did by itself in 2009, all at once and two by two; each alone is among `VARIED`.
TOGETHER = ("recovery", "initial_ssthresh", "loss_process")


def assumptions_together(at: Setting) -> Experiment:
    """The same pairs with several of `TOGETHER` changed at once."""
    varied = {one.parameter: one.setting for one in VARIED}
    cases = [
        (", ".join(names), ", ".join(varied[name] for name in names), *pair)
        for names in combined()
        for pair in EQUATED
    ]
    return changed(at, "ucc-inverse", cases)


def combined() -> list[tuple[str, ...]]:
    """Return which of `TOGETHER` are changed at once, two at the least."""
    return [names for size in (2, 3) for names in itertools.combinations(TOGETHER, size)]


# --- windows over time

HELD_WINDOWS = (10, 20, 30, 40, 44, 46, 47, 48, 49, 50, 52, 56, 60, 70)  # segments
HELD_S = 20.0
WINDOW, THRESHOLD, ESTIMATE, SENT = (
    "cwnd_segments",
    "ssthresh_segments",
    "utilization",
    "sent_bytes",
)


def held_window_runs(at: Setting) -> Experiment:
    """One UCC flow without loss that its receiver holds at a window, for 20 s."""

    def build(window: int) -> Scenario:
        return wireless(
            at.ucc(),
            loss=0,
            duration_s=HELD_S,
            receive_buffer_bytes=SEGMENT_BYTES * window,
            record=Record(series=(ESTIMATE, SENT), points=20),
        )

    return Experiment(name="ucc-windows", build=build, points={"window": HELD_WINDOWS})


def watched(at: Setting) -> Experiment:
    """Two UCC flows over the radio link at three losses in a thousand packets, for at most 40 s."""
    end_s = min(40.0, at.duration_s)

    def build(loss: float) -> Scenario:
        series = (WINDOW, THRESHOLD, ESTIMATE, SENT)
        return wireless(
            at.ucc(),
            at.ucc(),
            loss=loss,
            record=Record(series=series, points=int(10 * end_s)),
            **(at.network | {"duration_s": end_s}),
        )

    return Experiment(name="ucc-utilization", build=build, points={"loss": [0.003]})


MEASURED = "ucc-measured"
AGO_S = 2 * RADIO_DELAY_S  # before its ACK is at R a packet has left the radio link's queue
SHORTEST_S = 8 * PACKET_BYTES / RADIO_BPS  # of what is between two losses: a packet time


def measured_runs(at: Setting) -> Points:
    """Two UCC flows over the radio link, by the loss rate: what their estimate is at each loss."""
    return Points(
        name=MEASURED,
        build=functools.partial(_measured, at),
        points={"loss": at.loss_rates},
        repetitions=at.repetitions,
        point=f"{__name__}:MEASURED_POINT",
    )


def _measured(at: Setting, loss: float, seed: int) -> Scenario:
    mine, record = at.ucc(), record_of_estimates(at)
    return wireless(mine, mine, loss=loss, seed=seed, record=record, **at.network)


def record_of_estimates(at: Setting) -> Record:
    """Return what `measured` needs of a run: each millisecond."""
    return Record(series=(THRESHOLD, ESTIMATE, SENT), points=round(1000 * at.duration_s))


def measured(result: Result) -> dict[str, float]:
    """Return how far a run's estimates are from the link's utilization, at each loss of its flows.

    losses (how many); and their means: estimate, utilization (of the link while the packets passed
    since the loss before), error (the difference, without its sign). A loss is where the threshold
    changes: one that leaves it as it was, as some overflows do, is not among them.
    """
    tables = []
    access_s = {link.source: link.delay_s for link in result.scenario.links if link.target == "R"}
    for flow in result.scenario.flows:
        ago_s = AGO_S + access_s[flow.source]
        thresholds, estimates = (
            trace[trace["flow"] == flow.name]
            for trace in (result.traces[THRESHOLD], result.traces[ESTIMATE])
        )
        times = np.r_[estimates["time_s"].iloc[0], thresholds["time_s"]]
        times = times[np.r_[True, np.diff(times) > SHORTEST_S]]
        last = np.searchsorted(estimates["time_s"], times[1:]) - 1  # before the loss is known
        told = estimates[ESTIMATE].to_numpy()[last]
        busy = measures.link_utilization(result.traces[SENT], "R>N3", RADIO_BPS, times - ago_s)
        tables.append(pd.DataFrame({"estimate": told, "utilization": busy}))
    found = pd.concat(tables)
    error = (found["estimate"] - found["utilization"]).abs().mean()
    return joint.rounded({"losses": len(found), **found.mean().to_dict(), "error": error})


def _measured_scenario(row: dict[str, Any]) -> Scenario:
    return _measured(setting(), row["loss"], int(row["seed"]))


MEASURED_POINT = Point(_measured_scenario, measured)


# --- beyond the paper

CROWDS = (2, 10, 30)  # flows
BUFFERS_PACKETS = (10, 25, 50, 100, 200)
QUEUE = "queue_packets"
RELATIVES: dict[str, dict] = {
    "HD": {
        "name": "hd",
        "parameters": {"threshold_delay_s": papers.value("ucc", "hd_threshold")},
    },
    "CHD": {"name": "chd"},
}
ESTIMATORS: dict[str, dict] = {
    "as above": {},
    r"$\alpha = 0.5$": {"alpha": 0.5},
    r"$\alpha = 0.9$": {"alpha": 0.9},
    r"$\alpha = 0.95$": {"alpha": 0.95},
    r"$\alpha = 0.999$": {"alpha": 0.999},
    "clock of 1 ms": {"clock_s": 0.001},
    "clock of 10 ms": {"clock_s": 0.01},
    "smallest delay since the last loss": {"minimum_of_epoch": True},
    "smallest delay of the last 10 s": {"minimum_lifetime_s": 10.0},
}
ROUTES_S: dict[str, float | None] = {"none": None, "longer": 0.03, "shorter": 0.01}  # new delay


CROWD_EXPERIMENTS = tuple(f"ucc-crowd-{flows}" for flows in CROWDS)


def crowd(at: Setting, flows: int) -> Experiment:
    """So many senders of one kind over the radio link."""

    def build(flows: int, control: str, loss: float, seed: int) -> Scenario:
        return wireless(*[at.controls[control]] * flows, loss=loss, seed=seed, **at.network)

    points = {"flows": [flows], "control": ["NewReno", CHD, "UCC"], "loss": [0, 0.01]}
    return Experiment(name=f"ucc-crowd-{flows}", build=build, points=points, repetitions=3)


def relatives(at: Setting) -> Experiment:
    """HD, the whole CHD, CHD without DCC, UCC and NewReno, beside their own kind and NewReno."""
    controls = RELATIVES | {name: at.controls[name] for name in (CHD, "UCC", "NewReno")}
    cases = [(one, other) for one in controls for other in dict.fromkeys((one, "NewReno"))]

    def build(control: str, neighbour: str, loss: float, seed: int) -> Scenario:
        return wireless(
            controls[control],
            controls[neighbour],
            loss=loss,
            seed=seed,
            record=Record(series=(QUEUE,), points=25),
            **at.network,
        )

    table = pd.DataFrame(cases, columns=["control", "neighbour"])
    points = table.merge(pd.DataFrame({"loss": at.among(0, 0.01)}), how="cross")
    return Experiment(
        name="ucc-relatives",
        build=build,
        points=points,
        repetitions=at.half,
        more=[
            ({"control": one, "neighbour": "NewReno"}, at.repetitions)
            for one in RELATIVES  # three left open which of the two does better
        ],
    )


ONE_REGION = "HD, region A alone"
REGIONS = {  # HD, and the same whose region A reaches to the delay of a full buffer
    "HD": RELATIVES["HD"],
    ONE_REGION: {
        "name": "hd",
        "parameters": {"threshold_delay_s": 8 * 50 * PACKET_BYTES / RADIO_BPS},
    },
}
SHORT_START = 10  # segments at which slow start ends: its overshoot is not what claims are about


def regions(at: Setting) -> Experiment:
    """HD with its two regions and with one beside NewReno, and two of HD, CHD and NewReno."""
    senders: dict[str, Any] = REGIONS | {"CHD": RELATIVES["CHD"], "NewReno": "newreno"}
    cases = [(one, "NewReno") for one in REGIONS] + [(one, one) for one in ("HD", "CHD", "NewReno")]

    def build(control: str, neighbour: str, loss: float, seed: int) -> Scenario:
        return wireless(
            senders[control],
            senders[neighbour],
            loss=loss,
            seed=seed,
            initial_ssthresh_segments=SHORT_START,
            record=Record(series=(QUEUE,), points=25),
            **at.network,
        )

    table = pd.DataFrame(cases, columns=["control", "neighbour"])
    return Experiment(
        name="ucc-regions",
        build=build,
        points=table.merge(pd.DataFrame({"loss": at.among(0, 0.01)}), how="cross"),
        repetitions=at.repetitions,
        more=[
            ({"control": one, "neighbour": "NewReno", "loss": 0}, 4 * at.repetitions)
            for one in REGIONS  # a dozen leave open what region B does
        ],
    )


def estimators(at: Setting) -> Experiment:
    """UCC with other parameters (`ESTIMATORS`), beside itself and beside NewReno."""

    def build(setting: str, loss: float, neighbour: str, seed: int) -> Scenario:
        mine = at.ucc(**ESTIMATORS[setting])
        other = mine if neighbour == "UCC" else "newreno"
        return wireless(mine, other, loss=loss, seed=seed, **at.network)

    points: dict[str, Iterable[Any]] = {
        "setting": ESTIMATORS,
        "loss": [0.001, 0.01],
        "neighbour": ["UCC", "NewReno"],
    }
    return Experiment(name="ucc-estimators", build=build, points=points, repetitions=at.half)


def buffers(at: Setting) -> Experiment:
    """NewReno beside UCC, CHD without DCC and itself, by the buffer before the radio link."""

    def build(buffer: int, loss: float, control: str, seed: int) -> Scenario:
        network = at.network | {"queue_packets": buffer}
        return wireless("newreno", at.controls[control], loss=loss, seed=seed, **network)

    points = {"buffer": BUFFERS_PACKETS, "loss": [0, 0.001], "control": ["UCC", CHD, "NewReno"]}
    return Experiment(name="ucc-buffers", build=build, points=points, repetitions=at.half + 2)


def routes(at: Setting) -> Experiment:
    """Two UCC flows whose path changes after 0.3 of the time, at a loss in a hundred packets."""

    def build(change: str, lifetime_s: float, seed: int) -> Scenario:
        mine = at.ucc(minimum_lifetime_s=lifetime_s)
        delay_s = ROUTES_S[change]
        at_s = 0.3 * at.duration_s
        changes = () if delay_s is None else ({"at_s": at_s, "delay_s": delay_s},)
        return wireless(mine, mine, loss=0.01, seed=seed, changes=changes, **at.network)

    points: dict[str, Iterable[Any]] = {"change": ROUTES_S, "lifetime_s": [0.0, 10.0]}
    return Experiment(name="ucc-routes", build=build, points=points, repetitions=at.half)


ELSEWHERE = (0.0, 0.4, 0.8)  # how busy another link of the path is with what others send
ELSEWHERE_LOSSES = (0.001, 0.01, 0.03)


def elsewhere(at: Setting) -> Experiment:
    """Two UCC flows, and two of NewReno, behind another link on which packets wait."""

    def build(control: str, busy: float, loss: float, seed: int) -> Scenario:
        own = at.controls[control]
        plain = wireless(own, own, loss=loss, seed=seed, **at.network)
        return busy_before(plain, busy, ACCESS_BPS, seed)

    points: dict[str, Iterable[Any]] = {
        "control": ("UCC", "NewReno"),
        "busy": ELSEWHERE,
        "loss": ELSEWHERE_LOSSES,
    }
    return Experiment(name="ucc-elsewhere", build=build, points=points, repetitions=at.repetitions)


# By which clocks UCC reads a delay: parameters of UCC. 50 millionths are two cheap quartzes.
EXACT = "exact"
CLOCKS: dict[str, dict[str, float]] = {
    EXACT: {},
    "a tick of 10 µs": {"clock_s": 1e-5},
    "a tick of 100 µs": {"clock_s": 1e-4},
    "a tick of 1 ms": {"clock_s": 1e-3},
    "the receiver's is 50 millionths faster": {"drift": 5e-5},
    "the receiver's is 50 millionths slower": {"drift": -5e-5},
}
REPEATS = "a radio that repeats frames"
# As 802.11 has it: at once, after a back-off of up to 31 slots of 20 µs, seven times at most.
FRAMES = Arq(persistence=7, feedback_s=0.0003, jitter_s=0.00062)
MENDS: dict[str, dict[str, float]] = {
    "as printed": {},
    "a tolerance of one packet": {"tolerance_s": 8 * PACKET_BYTES / RADIO_BPS},
    "the tolerance, and a minimum of the last 10 s": {
        "tolerance_s": 8 * PACKET_BYTES / RADIO_BPS,
        "minimum_lifetime_s": 10.0,
    },
}
CLOCK_LOSSES = (0.0, 0.001, 0.01)
CLOCK_PAIRS = ("UCC and UCC", "UCC and NewReno")
BY_CLOCKS, ON_NS2, ON_LINUX = "ucc-clocks-run", "ucc-clocks-ns2", "ucc-clocks-linux"
DOUBLE = "ns-2's own, a double"
TICKS_DELAYED = "ticks of 1 ms, an ACK for two segments"
NS2_CLOCKS: dict[str, dict[str, float]] = {
    DOUBLE: {},
    "ticks of 1 µs": {"clock_s": 1e-6},
    "ticks of 1 ms": {"clock_s": 1e-3},
    "the receiver's is 50 millionths faster": {"drift": 5e-5},
    TICKS_DELAYED: {"clock_s": 1e-3},
}
NS2_MENDS: dict[str, dict[str, float]] = {
    "as printed": {},
    "a tolerance of a nanosecond": {"tolerance_s": 1e-9},
    "a tolerance of one packet": MENDS["a tolerance of one packet"],
}
MILLISECOND, DELAYED = "timestamps of 1 ms", "timestamps of 1 ms, an ACK for two segments"
LINUX_CLOCKS: dict[str, dict[str, float]] = {
    MILLISECOND: {"clock_s": 1e-3},
    "timestamps of 1 µs": {"clock_s": 1e-6},
    "1 ms, the receiver's 50 millionths faster": {"clock_s": 1e-3, "drift": 5e-5},
    "1 ms, the receiver's 50 millionths slower": {"clock_s": 1e-3, "drift": -5e-5},
    DELAYED: {"clock_s": 1e-3},
}
# Where NewReno too does otherwise: it is run there as well.
APART = (REPEATS, DELAYED, TICKS_DELAYED)
# A tolerance of one packet, 0.84 ms, is none by a clock of 1 ms: there it is a tick.
LINUX_MENDS: dict[str, dict[str, float]] = {
    "as printed": {},
    "a tolerance of 1 ms": {"tolerance_s": 1e-3},
    "the tolerance, and a minimum of the last 10 s": {
        "tolerance_s": 1e-3,
        "minimum_lifetime_s": 10.0,
    },
}


def repeating(plain: Scenario) -> Scenario:
    """Return the same network with a radio that repeats lost frames, between R and a base station.

    The radio has the link's rate, queue and losses; what is left of the way, without any of them,
    has its delay.
    """
    links = []
    for link in plain.links:
        if {link.source, link.target} != {"R", "N3"}:
            links.append(link)
            continue
        there = link.source == "R"
        wire = {"loss_per_packet": 0.0, "rate_bps": 1e9, "queue_packets": 10_000}
        radio = {"delay_s": 0.0, "arq": FRAMES}
        near = {"target": "base"} | (radio if there else wire)
        far = {"source": "base"} | (wire if there else radio)
        links += [link.model_copy(update=near), link.model_copy(update=far)]
    return plain.replace(links=links)


def clocks(at: Setting) -> Experiment:
    """UCC read by clocks that are not exact, and over a radio that repeats, in closed loop.

    Beside itself and beside NewReno, as printed and mended (`MENDS`); NewReno beside itself is what
    both are held against.
    """

    def build(clock: str, mend: str, loss: float, pair: str, seed: int) -> Scenario:
        plain = _by_a_clock(at, pair, loss, seed, CLOCKS.get(clock, {}) | MENDS.get(mend, {}))
        return repeating(plain) if clock == REPEATS else plain

    cases = [
        (clock, mend, loss, pair)
        for clock in (*CLOCKS, REPEATS)
        for mend in MENDS
        for loss in CLOCK_LOSSES
        for pair in CLOCK_PAIRS
    ]
    cases += [
        (clock, "", loss, "NewReno and NewReno")
        for clock in (EXACT, REPEATS)
        for loss in CLOCK_LOSSES
    ]
    return Experiment(
        name=BY_CLOCKS,
        build=build,
        points=pd.DataFrame(cases, columns=["clock", "mend", "loss", "pair"]),
        repetitions=at.repetitions,
    )


def clocks_on_ns2(at: Setting) -> Experiment:
    """The same on the paper's own simulator, by a UCC that was written for it (own-ucc.c).

    A tolerance that is shorter than a tick is none, and not among them. Of two segments that one
    ACK acknowledges it echoes the later one's time there, and not the first's (RFC 7323, 4.3).
    """

    def build(clock: str, mend: str, loss: float, pair: str, seed: int) -> Scenario:
        given = NS2_CLOCKS[clock] | NS2_MENDS.get(mend, {})
        more: dict[str, Any] = {"segments_per_ack": 2} if clock == TICKS_DELAYED else {}
        return _by_a_clock(at, pair, loss, seed, given, **more)

    cases = [
        (clock, mend, loss, pair)
        for clock, mend in itertools.product(NS2_CLOCKS, NS2_MENDS)
        if NS2_MENDS[mend].get("tolerance_s", 1) >= NS2_CLOCKS[clock].get("clock_s", 0)
        for loss, pair in itertools.product(CLOCK_LOSSES, CLOCK_PAIRS)
    ]
    cases += [
        (clock, "", loss, "NewReno and NewReno")
        for clock, loss in itertools.product((DOUBLE, TICKS_DELAYED), CLOCK_LOSSES)
    ]
    return Experiment(
        name=ON_NS2,
        engine="ns2",
        build=build,
        points=pd.DataFrame(cases, columns=["clock", "mend", "loss", "pair"]),
        repetitions=at.repetitions,
    )


def clocks_on_linux(at: Setting) -> Experiment:
    """The same on a real Linux, by a UCC that was written for it (tcp_ucc.c).

    Its clocks are TCP's timestamps, and Linux's Reno stands for NewReno. There is no radio that
    repeats among its links.
    """

    def build(clock: str, mend: str, loss: float, pair: str, seed: int) -> Scenario:
        given = LINUX_CLOCKS[clock] | LINUX_MENDS.get(mend, {})
        more: dict[str, Any] = {"segments_per_ack": 2} if clock == DELAYED else {}
        return _by_a_clock(at, pair, loss, seed, given, newreno="reno", **more)

    cases = [
        (clock, mend, loss, pair)
        for clock, mend in itertools.product(LINUX_CLOCKS, LINUX_MENDS)
        for loss, pair in itertools.product(CLOCK_LOSSES, CLOCK_PAIRS)
    ]
    cases += [
        (clock, "", loss, "NewReno and NewReno")
        for clock, loss in itertools.product((MILLISECOND, DELAYED), CLOCK_LOSSES)
    ]
    return Experiment(
        name=ON_LINUX,
        engine="linux",
        build=build,
        points=pd.DataFrame(cases, columns=["clock", "mend", "loss", "pair"]),
        repetitions=at.repetitions,
    )


def _by_a_clock(
    at: Setting,
    pair: str,
    loss: float,
    seed: int,
    parameters: dict[str, float],
    newreno: str = "newreno",
    **more: Any,
) -> Scenario:
    """Return two flows over the radio link, UCC with these parameters."""
    mine: Any = at.ucc(**parameters)
    first, second = {
        "UCC and UCC": (mine, mine),
        "UCC and NewReno": (mine, newreno),
        "NewReno and NewReno": (newreno, newreno),
    }[pair]
    return wireless(first, second, loss=loss, seed=seed, **more, **at.network)


# The router's queue: at its end it drops what finds no room, or it is managed, with the values of
# RFC 8289, 8033 and 8290. RED's thresholds are a tenth and three tenths of the buffer.
AQM: dict[str, Red | CoDel | FqCoDel | Pie | None] = {
    "drop-tail": None,
    "RED": Red(min_threshold_packets=5, max_threshold_packets=15),
    "CoDel": CoDel(),
    "PIE": Pie(),
    "FQ-CoDel": FqCoDel(),
}


def managed(at: Setting) -> Experiment:
    """UCC, CHD without DCC and NewReno beside themselves and NewReno where the queue is managed."""

    def build(queue: str, loss: float, control: str, neighbour: str, seed: int) -> Scenario:
        own = at.controls[control]
        other = "newreno" if neighbour == "NewReno" else own
        plain = wireless(own, other, loss=loss, seed=seed, **at.network)
        links = [
            link.model_copy(update={"aqm": AQM[queue]}) if link.source == "R" else link
            for link in plain.links
        ]
        return plain.replace(links=links)

    cases = [
        (queue, loss, control, neighbour)
        for queue in AQM
        for loss in CLOCK_LOSSES
        for control in ("NewReno", CHD, "UCC")
        for neighbour in dict.fromkeys((control, "NewReno"))
    ]
    return Experiment(
        name="ucc-managed",
        build=build,
        points=pd.DataFrame(cases, columns=["queue", "loss", "control", "neighbour"]),
        repetitions=at.repetitions,
    )


ALPHAS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


def alphas(at: Setting) -> Experiment:
    """NewReno beside UCC by its threshold and the buffer, and beside NewReno (at a threshold of 0).

    Above 0 everything is congestion, and UCC is NewReno.
    """

    def build(buffer: int, alpha: float, loss: float, seed: int) -> Scenario:
        network = at.network | {"queue_packets": buffer}
        other: Any = at.ucc(alpha=alpha) if alpha else "newreno"
        return wireless("newreno", other, loss=loss, seed=seed, **network)

    points: dict[str, Iterable[Any]] = {
        "buffer": BUFFERS_PACKETS,
        "alpha": (0.0, *ALPHAS),
        "loss": [0, 0.001],
    }
    return Experiment(name="ucc-alphas", build=build, points=points, repetitions=at.repetitions)


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the chapter's experiments at a setting."""
    return (
        *pairs(at),
        *chain(at),
        assumptions(at),
        assumptions_on_ns2(at),
        assumptions_together(at),
        held_window_runs(at),
        watched(at),
        measured_runs(at),
        *(crowd(at, flows) for flows in CROWDS),
        relatives(at),
        regions(at),
        estimators(at),
        buffers(at),
        alphas(at),
        clocks(at),
        clocks_on_ns2(at),
        clocks_on_linux(at),
        managed(at),
        routes(at),
        elsewhere(at),
    )


def runs(at: Setting) -> Runs:
    """Return what comes of the experiments, each run or found when it is first asked for."""
    return Runs(at, experiments(at))
