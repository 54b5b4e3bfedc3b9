"""The same congestion controls on several engines: the data of the page cross-check.

A leg is an engine and how it is used (`LEGS`). One that this machine can neither run nor find in
the archive has no rows, and no column where each leg has its own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, paths, statistics
from longfat.cc import catalogue
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.experiment import Experiment, Runs
from longfat.network import reference
from longfat.papers.hybla.network import satellite
from longfat.scenario import LINUX_BESIDES, CongestionControl, Flow, Ns2, Record, Scenario
from longfat.studies.setting import PROFILES
from longfat.style import ENGINE_LABEL

# Goodputs of the segment engine at commit 42fdbab, Mb/s, as its page cross-check had them.
BEFORE = paths.DATA / "cross-check-before.csv"
SAME_WITHIN = 1.1  # the factor within which two goodputs count as the same
GAP = 1.05  # the factor beyond which a difference wants a cause
WINDOW, THRESHOLD = "cwnd_segments", "ssthresh_segments"
OURS = ENGINE_LABEL["segment"]
AS_LINUX = "as Linux does"
NS3 = "stock ns-3"
NS2 = ENGINE_LABEL["ns2"]
LINUX = ENGINE_LABEL["linux"]


def stock_ns3(flow: Flow) -> Flow:
    """Return a flow as ns-3 has it by itself: its congestion control of that name, its recovery.

    Its classes cannot cap their window, so that the receiver does.
    """
    own: dict[str, Any] = {
        "congestion_control": f"{flow.congestion_control.name}-ns3",
        "recovery": "prr-ns3-3.44",
    }
    if flow.max_window_segments:
        window = flow.max_window_segments * flow.segment_bytes
        own |= {"max_window_segments": None, "receive_buffer_bytes": window}
    return Flow(**(dict(flow) | own))


@dataclass(frozen=True, kw_only=True)
class EngineRun:
    """An engine and how it is used; `name` ends the names of its experiments.

    `share` is how many times the setting's repetitions it has: Linux's runs are the dear ones.
    `flow` makes its flow of Linux's, if that is another. A leg that is not `throughout` has a part
    in the comparison with losses only.
    """

    name: str
    engine: str
    share: int = 1
    flow: Callable[[Flow], Flow] | None = None
    throughout: bool = True

    def has(self, control: str) -> bool:
        """Return whether the engine has a congestion control of Linux's."""
        return self.engine != "ns2" or control in planning.algorithms()

    def ends(self, control: str, loss: float) -> bool:
        """Return whether its runs of a control at a loss rate come to an end."""
        return (self.name, control, loss) not in ENDLESS

    def of(self, scenario: Scenario) -> Scenario:
        """Return a scenario of Linux's congestion controls as this leg has it."""
        if self.flow is None:
            return scenario
        return scenario.replace(flows=[self.flow(flow) for flow in scenario.flows])


# Engine, control and loss rate of runs that stop making progress: with two seeds of five ns-3's own
# YeAH simulates 20 s in a second, and has not ended its 60 s in a quarter of an hour.
ENDLESS = {("ns3", "yeah", 1e-2)}

# Control and loss rate whose goodput scatters so much that the setting's repetitions say little,
# and how many times as many there are.
SCATTERS = (("illinois", 1e-2),)
SCATTERED = 4

# By the name for readers. Each is held against Linux.
LEGS: Mapping[str, EngineRun] = {
    OURS: EngineRun(name="segment", engine="segment", share=2),
    AS_LINUX: EngineRun(name="as-linux", engine="segment", share=2, flow=Flow.as_linux),
    NS3: EngineRun(name="ns3", engine="ns3", flow=stock_ns3),
    NS2: EngineRun(name="ns2", engine="ns2", throughout=False),
    LINUX: EngineRun(name="linux", engine="linux"),
}
THROUGHOUT = {label: leg for label, leg in LEGS.items() if leg.throughout}


class Switch(NamedTuple):
    """What may part ns-2 from the segment engine: what a flow has otherwise there and here.

    `mended` is `Ns2.mended`. Of the switches of a control, the last undoes all that is known.
    """

    control: str
    words: str
    on_ns2: Mapping[str, Any] = {}
    ours: Mapping[str, Any] = {}
    mended: tuple[str, ...] = ()


def _ours(name: str, **parameters: Any) -> CongestionControl:
    return CongestionControl(name=name, parameters=parameters)


AS_THEY_ARE = "as they are"
NO_OVERFLOW = {"receive_buffer_bytes": 200_000}  # the pipe and its queue hold 238 packets
AT_ONCE = {"recovery": "halving"}
SWITCH_RUNS = 4  # times the setting's
SWITCHES = (
    Switch("bic", AS_THEY_ARE),
    Switch("bic", "ns-2: an ACK counts for one segment, not two", mended=("growth",)),
    Switch("cubic", AS_THEY_ARE),
    Switch(
        "cubic",
        "ours: a loss leaves 0.8 of the window, not 0.7",
        ours={"congestion_control": _ours("cubic", beta=0.8)},
    ),
    Switch("highspeed", AS_THEY_ARE),
    Switch("htcp", AS_THEY_ARE),
    Switch(
        "htcp",
        "ours: a loss always takes half",
        ours={"congestion_control": _ours("htcp", throughput_ratio=0.0)},
    ),
    Switch("hybla", AS_THEY_ARE),
    Switch("hybla", "both: no overflow at the start", NO_OVERFLOW, NO_OVERFLOW),
    Switch("illinois", AS_THEY_ARE),
    Switch("illinois", "ns-2: a loss takes the part that it left", mended=("decrease",)),
    Switch("illinois", "ns-2: the same, and at once", AT_ONCE, mended=("decrease",)),
    Switch("lp", AS_THEY_ARE),
    Switch("lp", "ns-2: one clock at both ends", mended=("delay",)),
    Switch("lp", "ns-2: the threshold falls with the window", mended=("threshold",)),
    Switch("lp", "ns-2: both of these", mended=("delay", "threshold")),
    Switch("reno", AS_THEY_ARE),
    Switch("scalable", AS_THEY_ARE),
    Switch("scalable", "ns-2: as Kelly's rule has it", mended=("growth", "decrease")),
    Switch("vegas", AS_THEY_ARE),
    Switch("vegas", "ns-2: every round trip may grow", mended=("growth",)),
    Switch("vegas", "ns-2: a loss takes a quarter", mended=("decrease",)),
    Switch("vegas", "ns-2: both of these", mended=("growth", "decrease")),
    Switch("veno", AS_THEY_ARE),
    Switch("westwood-plus", AS_THEY_ARE),
    Switch("westwood-plus", "both: no overflow at the start", NO_OVERFLOW, NO_OVERFLOW),
    Switch("yeah", AS_THEY_ARE),
)


class Trial(NamedTuple):
    """What may part Linux from the segment engine at the largest loss rate, or at `loss`.

    Both have the `path` and the `flow`, `ours` is the control that the segment engine runs in place
    of the header, and with `as_linux` its flow does as Linux. The runs are `times` those of the
    setting. Of the trials of one control and loss rate, the last that `names` a cause is the one
    that `gaps` tells.
    """

    control: str
    words: str
    times: int
    ours: CongestionControl | None = None
    as_linux: bool = False
    flow: dict[str, Any] | None = None
    path: dict[str, float] | None = None
    loss: float | None = None
    names: bool = True


SHORT_START = {"initial_ssthresh_segments": 60}
# Rounding down to whole segments takes seven sixteenths less than an eighth, where windows at a
# loss are 30 or 90.
_EIGHTH = {
    part: _ours("gaimd", increase_segments=1.0, decrease=part) for part in (0.125, 0.12, 0.11)
}
_MORE = "more runs; as Linux does"
TRIALS = (
    Trial("reno", "more runs", 8),
    Trial("reno", _MORE, 8, as_linux=True),
    Trial("bic", "more runs", 4, loss=1e-3),
    Trial("bic", "more runs", 4),
    Trial("htcp", _MORE, 4, as_linux=True, loss=1e-3),
    Trial("htcp", _MORE, 4, as_linux=True),
    Trial("hybla", "both: slow start ends at 60 segments", 2, flow=SHORT_START),
    Trial("illinois", _MORE, 4, as_linux=True),
    Trial("lp", "Reno in its place", 1, _ours("reno"), loss=1e-4),
    Trial("lp", "Reno in its place", 1, _ours("reno"), loss=1e-3),
    Trial("lp", "Reno in its place", 1, _ours("reno")),
    Trial("yeah", "more runs", 4),
    Trial("highspeed", _MORE, 4, as_linux=True),
    Trial("scalable", "grows as Reno, loses an eighth", 2, _EIGHTH[0.125], loss=1e-3),
    Trial("scalable", "grows as Reno, loses an eighth, rounded down", 2, _EIGHTH[0.12], loss=1e-3),
    Trial("scalable", "grows as Reno, loses an eighth", 2, _EIGHTH[0.125]),
    Trial("scalable", "grows as Reno, loses an eighth, rounded down", 2, _EIGHTH[0.11]),
    Trial("westwood-plus", _MORE, 4, as_linux=True),
    Trial(
        "westwood-plus", f"{_MORE}; slow start ends at 60", 2, None, True, SHORT_START, names=False
    ),
    Trial(
        "westwood-plus",
        f"{_MORE}; over 98.5 ms",
        1,
        None,
        True,
        path={"rtt_s": 0.0985},
        names=False,
    ),
    Trial(
        "westwood-plus",
        f"{_MORE}; over 104.5 ms",
        1,
        None,
        True,
        path={"rtt_s": 0.1045},
        names=False,
    ),
)


def common_controls() -> list[str]:
    """Return the congestion controls that Linux, stock ns-3 and we have."""
    known = catalogue.algorithms()
    return [name for name, entry in known.items() if entry.linux and f"{name}-ns3" in known]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the runs have in common: the path of `network.reference`, and how often each is done.

    Raises InputError where there is nothing to compare.
    """

    controls: Sequence[str]
    loss_rates: Sequence[float]
    repetitions: int
    duration_s: float
    rate_bps: float
    rtt_s: float

    def __post_init__(self) -> None:
        for name in ("controls", "loss_rates"):
            if not getattr(self, name):
                raise InputError(f"{name} is empty: name one at least")
        if self.repetitions < 2:
            raise InputError(
                f"repetitions is {self.repetitions}: it must be 2 or more, for the intervals"
            )

    @property
    def path(self) -> dict:
        """The path and its runs' duration, as `network.reference` takes them."""
        return {"rate_bps": self.rate_bps, "rtt_s": self.rtt_s, "duration_s": self.duration_s}


def setting(
    profile: str = "paper",
    controls: Sequence[str] | None = None,
    loss_rates: Sequence[float] | None = None,
    repetitions: int | None = None,
    duration_s: float | None = None,
    rate_bps: float = 10e6,
    rtt_s: float = 0.1,
) -> Setting:
    """Return the setting of the profile "paper" or "quick", but for what is stated.

    `repetitions` are Linux's; the segment engine has twice as many. Raises InputError for another
    profile, and where there is nothing to compare.
    """
    if profile not in PROFILES:
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    return Setting(
        controls=(["reno", "cubic"] if quick else common_controls())
        if controls is None
        else controls,
        loss_rates=([1e-3, 1e-2] if quick else [1e-4, 1e-3, 1e-2])
        if loss_rates is None
        else loss_rates,
        repetitions=(2 if quick else 5) if repetitions is None else repetitions,
        duration_s=(20.0 if quick else 60.0) if duration_s is None else duration_s,
        rate_bps=rate_bps,
        rtt_s=rtt_s,
    )


# --- what is run


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return all runs of the page, an experiment for each leg."""
    found = [experiment for label, leg in LEGS.items() for experiment in _of_leg(label, leg, at)]
    found.append(
        Experiment(
            name=STACK,
            build=partial(_with_its_stack, at),
            points={"control": _with_its_ways(at), "loss": at.loss_rates},
            repetitions=LEGS[OURS].share * at.repetitions,
        )
    )
    for leg in (LEGS[LINUX], LEGS[OURS]):
        found.append(
            Experiment(
                name=f"cross-check-trials-{leg.name}",
                build=partial(_tried, leg, at),
                points=_tries(leg, at),
                engine=leg.engine,
            )
        )
    for engine in ("ns2", "segment"):
        found.append(
            Experiment(
                name=f"cross-check-switches-{engine}",
                build=partial(_switched, engine, at),
                points={
                    "place": [n for n, one in enumerate(SWITCHES) if one.control in at.controls],
                    "loss": at.loss_rates,
                },
                repetitions=SWITCH_RUNS * at.repetitions,
                engine=engine,
            )
        )
    return tuple(found)


def _of_leg(label: str, leg: EngineRun, at: Setting) -> list[Experiment]:
    """Return what every leg runs; of one that is not throughout only the runs with losses."""

    def experiment(
        name: str, build: Callable[..., Scenario], points: Any, **more: Any
    ) -> Experiment:
        return Experiment(
            name=f"cross-check-{name}",
            build=partial(_as_leg, leg, build),
            points=points,
            engine=leg.engine,
            labels={"engine": label},
            **more,
        )

    has = [control for control in at.controls if leg.has(control)]

    def at_losses(losses: Sequence[float]) -> pd.DataFrame:
        ended = [(one, loss) for one in has for loss in losses if leg.ends(one, loss)]
        return pd.DataFrame(ended, columns=["control", "loss"])

    lossy = at_losses(at.loss_rates)
    count = leg.share * at.repetitions
    more = [({"control": control, "loss": loss}, SCATTERED * count) for control, loss in SCATTERS]
    found = [experiment(leg.name, partial(_path, at), lossy, repetitions=count, more=more)]
    if leg.throughout:
        found += [
            experiment(f"clean-{leg.name}", partial(_clean, at), {"control": has}),
            experiment(f"responses-{leg.name}", partial(_watched, at), at_losses(RESPONSE_LOSSES)),
            experiment(f"single-{leg.name}", _one_loss, {}),
            experiment(f"htcp-{leg.name}", partial(_htcp, at), {}),
        ]
    return found


def _as_leg(leg: EngineRun, build: Callable[..., Scenario], **point: Any) -> Scenario:
    return leg.of(build(**point))


def _path(at: Setting, control: str, loss: float, seed: int) -> Scenario:
    return reference(congestion_control=control, loss=loss, seed=seed, **at.path)


def _clean(at: Setting, control: str) -> Scenario:
    record = Record(series=(WINDOW,), points=150)
    return reference(congestion_control=control, record=record, **at.path)


def _watched(at: Setting, control: str, loss: float) -> Scenario:
    record = Record(series=(WINDOW, "ssthresh_segments"), points=round(at.duration_s / at.rtt_s))
    return reference(congestion_control=control, loss=loss, record=record, **at.path)


def _one_loss() -> Scenario:
    """Hybla's satellite, where an outage of 0.1 ms takes one packet of a burst, at 10.19 s."""
    path = satellite(
        loss=0,
        duration_s=14,
        record=Record(series=(WINDOW, "delivered_bytes"), points=1400),
    )
    forward, backward = (link.model_dump() for link in path.links)
    forward["outages"] = [{"start_s": 10.1918, "duration_s": 1e-4}]
    return path.replace(links=[forward, backward])


def _htcp(at: Setting) -> Scenario:
    """H-TCP alone on a path ten times as wide."""
    path = reference(
        congestion_control="htcp",
        rate_bps=10 * at.rate_bps,
        rtt_s=at.rtt_s,
        duration_s=6,
        record=Record(series=(WINDOW,), points=math.ceil(6 / at.rtt_s)),
    )
    return _changed(path, {"initial_ssthresh_segments": 50})


STACK = "cross-check-stack"


def _with_its_ways(at: Setting) -> list[str]:
    """Return the congestion controls whose header can do as Linux's module."""
    return [
        control for control in at.controls if "as_linux_6_12" in catalogue.find(control).parameters
    ]


def _with_its_stack(at: Setting, control: str, loss: float, seed: int) -> Scenario:
    return _changed(_path(at, control, loss, seed), LINUX_BESIDES)


def _changed(scenario: Scenario, fields: Mapping[str, Any]) -> Scenario:
    return scenario.replace(flows=[Flow(**(dict(flow) | dict(fields))) for flow in scenario.flows])


def trials(at: Setting) -> list[Trial]:
    """Return those of `TRIALS` that this setting has the control and the loss rate of."""
    return [
        one for one in TRIALS if one.control in at.controls and one.loss in (None, *at.loss_rates)
    ]


def _tries(leg: EngineRun, at: Setting) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (place, seed)
            for place, one in enumerate(trials(at))
            for seed in range(1, leg.share * one.times * at.repetitions + 1)
        ],
        columns=["place", "seed"],
    )


def _tried(leg: EngineRun, at: Setting, place: int, seed: int) -> Scenario:
    one = trials(at)[place]
    path = at.path | (one.path or {})
    plain = reference(congestion_control=one.control, loss=_loss(one, at), seed=seed, **path)
    plain = _changed(plain, one.flow or {})
    if leg.engine == "linux":
        return plain
    if one.ours:
        plain = _changed(plain, {"congestion_control": one.ours})
    return LEGS[AS_LINUX].of(plain) if one.as_linux else plain


def _loss(one: Trial, at: Setting) -> float:
    return max(at.loss_rates) if one.loss is None else one.loss


def _switched(engine: str, at: Setting, place: int, loss: float, seed: int) -> Scenario:
    one = SWITCHES[place]
    plain = reference(congestion_control=one.control, loss=loss, seed=seed, **at.path)
    if engine == "ns2":
        return _changed(plain, one.on_ns2).replace(ns2=Ns2(mended=one.mended))
    return _changed(plain, one.ours)


# --- without loss


def clean_counts(of: Runs) -> pd.DataFrame:
    """Return goodput (Mb/s), recoveries and timeouts without random loss, a row a control.

    Columns: control; "LEG, Mb/s" and so on for each leg; Linux / segment engine, of the goodputs.
    """
    table = pd.DataFrame({"control": of.setting.controls})
    for label, leg in THROUGHOUT.items():
        flows = of.flows(f"cross-check-clean-{leg.name}")
        if flows.empty:
            continue
        table[f"{label}, Mb/s"] = flows["Mb/s"]
        table[f"{label}, recoveries"] = flows["recoveries"]
        table[f"{label}, timeouts"] = flows["timeouts"]
    if {f"{LINUX}, Mb/s", f"{OURS}, Mb/s"} <= set(table):
        table[f"{LINUX} / {OURS}"] = table[f"{LINUX}, Mb/s"] / table[f"{OURS}, Mb/s"]
    return table


def clean_windows(of: Runs) -> pd.DataFrame:
    """Return the windows without random loss.

    Columns: control, engine (the leg), flow, time_s, cwnd_segments.
    """
    traces = []
    for label, leg in THROUGHOUT.items():
        name = f"cross-check-clean-{leg.name}"
        for control, result in zip(of.design(name)["control"], of.results(name), strict=False):
            trace = measures.extended_trace(result.traces[WINDOW], of.setting.duration_s)
            traces.append(trace.assign(engine=label, control=control))
    nothing = pd.DataFrame(columns=["control", "engine", "flow", "time_s", WINDOW])
    return pd.concat(traces, ignore_index=True) if traces else nothing


# --- with loss


LOSSY = tuple(f"cross-check-{leg.name}" for leg in LEGS.values())


def lossy(of: Runs) -> pd.DataFrame:
    """Return every run with random losses: columns engine (the leg), control, loss, seed, others.

    The others are those of `Experiment.flows`.
    """
    return of.flows(*LOSSY)


def ratios(of: Runs) -> pd.DataFrame:
    """Return what Linux gives beside each other leg, a row a control, loss rate and leg.

    Columns: control; loss; engine, the leg; goodput and Linux, mean goodputs in Mb/s; those of
    `statistics.equivalent`; Linux / engine, the ratio with its 90 % interval as text.
    """
    runs = of.derived(lossy)
    linux = _goodputs(runs[runs["engine"] == LINUX])
    legs = {label: _goodputs(runs[runs["engine"] == label]) for label in LEGS if label != LINUX}
    tests = max(1, sum(len(goodputs) for goodputs in legs.values()))
    rows = [
        {
            "control": control,
            "loss": loss,
            "engine": label,
            "goodput": goodputs[control, loss].mean() / 1e6,
            "Linux": real.mean() / 1e6,
            **_judged(real, goodputs[control, loss], tests=tests),
        }
        for (control, loss), real in linux.items()
        for label, goodputs in legs.items()
        if (control, loss) in goodputs
    ]
    columns = ["control", "loss", "engine", "goodput", "Linux"]
    columns += ["ratio", "low", "high", "needed", "verdict"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(**{"Linux / engine": _texts(table)})


def side_by_side(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return `ratios` with a row a control and loss rate: mean goodputs (Mb/s), and for each leg
    the ratio of Linux's to it, with its interval and verdict, as text.
    """
    if ratios.empty:
        return pd.DataFrame(columns=["control", "loss", "Linux"])
    shown = ratios.assign(text=ratios["Linux / engine"] + ", " + ratios["verdict"])
    index = ["control", "loss"]
    wide = shown.pivot(index=index, columns="engine", values=["goodput", "text"])
    table = shown[index].drop_duplicates().set_index(index)
    legs = [label for label in LEGS if label in set(shown["engine"])]
    for label in legs:
        table[label] = wide["goodput", label].astype(float)
    table["Linux"] = shown.drop_duplicates(index).set_index(index)["Linux"]
    for label in legs:
        table[f"Linux / {label}"] = wide["text", label]
    return table.reset_index()


def distances(ratios: pd.DataFrame, switches: pd.DataFrame) -> pd.DataFrame:
    """Return how far the segment engine's goodputs are from those of Linux and ns-2, in per cent.

    The arguments are the tables of these names; "before" is the core before this one (`BEFORE`). A
    distance is the mean of |ln(one / other)| over the loss rates that all have. A row a control,
    with the columns "Linux, before", Linux, "Linux, as Linux does", "ns-2, before", ns-2, and
    "ns-2, undone" (with the last switch of the control); the last row, "mean", is that of the
    others.
    """
    if ratios.empty:
        return pd.DataFrame(columns=["control"])
    index = ["control", "loss"]
    legs = ratios.pivot(index=index, columns="engine", values="goodput").reindex(columns=list(LEGS))
    legs[LINUX] = ratios.drop_duplicates(index).set_index(index)["Linux"]
    old = pd.read_csv(BEFORE).set_index(index)["goodput_mbps"].reindex(legs.index)
    pairs = {
        f"{LINUX}, before": (old, legs[LINUX]),
        LINUX: (legs[OURS], legs[LINUX]),
        f"{LINUX}, {AS_LINUX}": (legs[AS_LINUX], legs[LINUX]),
        f"{NS2}, before": (old, legs[NS2]),
        NS2: (legs[OURS], legs[NS2]),
    }
    apart = pd.DataFrame(
        {name: 100 * np.log(one / other).abs() for name, (one, other) in pairs.items()}
    )
    table = apart.groupby("control", sort=False).mean()
    undone = switches[switches["last"].astype(bool)]
    left = 100 * np.log(undone["measured"].astype(float)).abs()
    table[f"{NS2}, undone"] = left.groupby(undone["control"]).mean()
    table.loc["mean"] = table.mean()
    return table.rename_axis("control").reset_index()


def events(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean recoveries, timeouts and retransmissions: a row a control and loss rate.

    `runs` is of `lossy`. Columns: control, loss, and "WHAT, ENGINE" for each of them.
    """
    counts = ["recoveries", "timeouts", "retransmissions"]
    table = runs.groupby(["control", "loss", "engine"])[counts].mean().unstack("engine")
    table = table.loc[runs["control"].unique()]
    table.columns = [f"{what}, {engine}" for what, engine in table.columns]
    return table.reset_index()


def causes(of: Runs) -> pd.DataFrame:
    """Return what takes a gap away where our header can do as Linux's module: the stack, or both.

    A row a control and loss rate. Columns: control; loss; and Linux's goodput over ours with its
    90 % interval, as text: as it is, with Linux's stack, and with its module too. No rows where a
    leg is missing.
    """
    runs = of.derived(lossy)
    linux = _goodputs(runs[runs["engine"] == LINUX])
    legs = {
        "ours": _goodputs(runs[runs["engine"] == OURS]),
        "Linux's stack": _goodputs(of.flows(STACK)),
        "its module too": _goodputs(runs[runs["engine"] == AS_LINUX]),
    }
    if not (linux and all(legs.values())):
        return pd.DataFrame(columns=["control", "loss", *legs])
    return pd.DataFrame(
        {"control": control, "loss": loss}
        | {
            name: _text(_judged(linux[control, loss], goodputs[control, loss], tests=1))
            for name, goodputs in legs.items()
        }
        for control, loss in legs["Linux's stack"]
    )


def tried(of: Runs) -> pd.DataFrame:
    """Return both engines with each trial (`TRIALS`), beside them without it.

    A row a trial. Columns: control; loss; trial; runs, of Linux; before, Linux over ours with its
    90 % interval as text; ours and Linux, mean goodputs in Mb/s; those of `statistics.equivalent`;
    Linux / ours, the ratio as text; names. No rows where a leg is missing.
    """
    at = of.setting
    runs = of.derived(lossy)
    known = [_goodputs(runs[runs["engine"] == name]) for name in (LINUX, OURS)]
    linux, ours = (
        dict(list(of.flows(f"cross-check-trials-{leg}").groupby("place")["goodput_bps"]))
        for leg in ("linux", "segment")
    )
    chosen = trials(at) if all(known) and linux and ours else []
    rows = []
    for place, one in enumerate(chosen):
        control_at = one.control, _loss(one, at)
        before = _judged(known[0][control_at], known[1][control_at], tests=1)
        rows.append(
            {
                "control": one.control,
                "loss": control_at[1],
                "trial": one.words,
                "runs": len(linux[place]),
                "before": _text(before),
                "ours": ours[place].mean() / 1e6,
                "Linux": linux[place].mean() / 1e6,
                **_judged(linux[place], ours[place], tests=len(chosen)),
                "names": one.names,
            }
        )
    columns = ["control", "loss", "trial", "runs", "before", "ours", "Linux"]
    columns += ["ratio", "low", "high", "needed", "verdict", "names"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(**{"Linux / ours": _texts(table)})


NO_CAUSE = "cause not found"


def gaps(ratios: pd.DataFrame, tried: pd.DataFrame) -> pd.DataFrame:
    """Return each gap of more than `GAP` between Linux and our engine, and what takes it away.

    The arguments are of the functions of these names. A row a control and loss rate. Columns:
    control; loss; Linux / ours before, with its 90 % interval as text; what is tried, a trial that
    names a cause or else all that Linux does; after, the same with it; and what is left: "found"
    where the ratio then is within `GAP`, "open" where its interval holds 1, else "found in part" if
    it is nearer to 1 than before, or `NO_CAUSE`.
    """
    linux_ways = ratios[ratios["engine"] == AS_LINUX]
    named = tried[tried["names"].astype(bool)]
    tables = [
        linux_ways.assign(text=linux_ways["Linux / engine"], what=AS_LINUX),
        named.assign(text=named["Linux / ours"], what=named["trial"]),
    ]
    after = {
        (row.control, row.loss): row
        for table in tables
        for row in table[["control", "loss", "what", "text", "ratio", "low", "high"]].itertuples()
    }
    ours = ratios[ratios["engine"] == OURS]
    rows = []
    for row in ours[np.abs(np.log(ours["ratio"].astype(float))) > np.log(GAP)].itertuples():
        one = after.get((row.control, row.loss))
        rows.append(
            {
                "control": row.control,
                "loss": row.loss,
                "before": _text(row),
                "tried": one.what if one else "–",
                "after": one.text if one else "–",
                "cause": _left(row, one) if one else NO_CAUSE,
            }
        )
    return pd.DataFrame(rows, columns=["control", "loss", "before", "tried", "after", "cause"])


def _left(before: Any, after: Any) -> str:
    far = [abs(math.log(row.ratio)) for row in (before, after)]
    if far[1] <= math.log(GAP):
        return "found"
    if after.low <= 1 <= after.high:
        return "open"
    return "found in part" if far[1] < far[0] else NO_CAUSE


def switches(of: Runs) -> pd.DataFrame:
    """Return ns-2's goodputs beside the segment engine's with each switch (`SWITCHES`).

    A row a switch and loss rate. Columns: control; switch; loss; those of `statistics.unpaired`,
    ns-2's over the segment engine's; and last, whether no other switch of this control follows. No
    rows where an engine is missing.
    """
    there, here = (
        dict(
            list(
                of.flows(f"cross-check-switches-{engine}").groupby(["place", "loss"], sort=False)[
                    "goodput_bps"
                ]
            )
        )
        for engine in ("ns2", "segment")
    )
    last = {one.control: place for place, one in enumerate(SWITCHES)}
    rows = [
        {
            "control": SWITCHES[place].control,
            "switch": SWITCHES[place].words,
            "loss": loss,
            **statistics.unpaired(goodputs, here[place, loss]),
            "last": last[SWITCHES[place].control] == place,
        }
        for (place, loss), goodputs in there.items()
        if (place, loss) in here
    ]
    columns = ["control", "switch", "loss", "measured", "low", "high", "runs", "last"]
    return pd.DataFrame(rows, columns=columns)


def switches_side_by_side(switches: pd.DataFrame) -> pd.DataFrame:
    """Return the table `switches` with a row a switch, and its ratios with their intervals as text.

    Columns: control; switch; and for each loss rate ns-2's goodput over the segment engine's.
    """
    index = ["control", "switch"]
    if switches.empty:
        return pd.DataFrame(columns=index)
    shown = switches.assign(
        at=[f"{NS2} / ours at {loss:g}" for loss in switches["loss"]],
        text=[
            f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in switches.itertuples()
        ],
    )
    wide = shown.pivot(index=index, columns="at", values="text")
    order = shown[index].drop_duplicates()
    return wide.loc[list(map(tuple, order.to_numpy())), shown["at"].unique()].reset_index()


# --- statistics of goodputs


def _goodputs(runs: pd.DataFrame) -> dict[tuple[str, float], pd.Series]:
    """Return the goodputs of each control and loss rate, in the order of the runs."""
    return dict(list(runs.groupby(["control", "loss"], sort=False)["goodput_bps"]))


def _judged(measured: pd.Series, beside: pd.Series, tests: int) -> pd.Series:
    return statistics.equivalent(measured, beside, factor=SAME_WITHIN, tests=tests)


def _texts(table: pd.DataFrame) -> list[str]:
    return [_text(row) for row in table.itertuples()]


def _text(row: Any) -> str:
    return f"{row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}]"


# --- what a loss does to the window

RESPONSE_LOSSES = (1e-3, 1e-2)


def responses(of: Runs) -> pd.DataFrame:
    """Return how each control's window responds to a loss, at two loss rates.

    A row a control and loss rate, if each leg's run has five losses at least (BBR has no
    threshold). Columns: control, loss, and for each leg the medians of `measures.loss_responses`:
    threshold / before, after / threshold, and growth in segments a round trip.
    """
    at = of.setting
    rows = []
    for label, leg in THROUGHOUT.items():
        name = f"cross-check-responses-{leg.name}"
        for run, result in zip(of.design(name).itertuples(), of.results(name), strict=False):
            if THRESHOLD not in result.traces:  # BBR has none
                continue
            one = measures.loss_responses(
                result.traces[WINDOW],
                result.traces[THRESHOLD],
                at.rtt_s,
                at.duration_s,
            )
            rows.append(
                {
                    "control": run.control,
                    "loss": run.loss,
                    "engine": label,
                    "losses": len(one),
                    "threshold / before": (one["threshold"] / one["before"]).median(),
                    "after / threshold": (one["after"] / one["threshold"]).median(),
                    "growth": one["growth"].median(),
                }
            )
    columns = ["control", "loss", "engine", "losses"]
    columns += ["threshold / before", "after / threshold", "growth"]
    table = pd.DataFrame(rows, columns=columns)
    table = table[table["losses"] >= 5]
    wide = table.pivot(index=["control", "loss"], columns="engine", values=columns[4:]).dropna()
    wide = wide.reindex([c for c in at.controls if c in wide.index], level=0)
    wide.columns = [f"{what}, {engine}" for what, engine in wide.columns]
    return wide.reset_index()


# --- one lost packet


def one_loss(of: Runs) -> pd.DataFrame:
    """Return the segments that arrive in each round trip over the satellite, around one loss.

    Columns: from (s), and a column a leg.
    """
    times = [9.95 + 0.55 * n for n in range(6)]
    table = pd.DataFrame({"from (s)": times[:-1]})
    for label, leg in THROUGHOUT.items():
        for result in of.results(f"cross-check-single-{leg.name}"):
            trace = result.traces["delivered_bytes"]
            table[label] = np.diff(measures.values_at(trace, "delivered_bytes", times)) / 1000
    return table


# --- H-TCP's increase


def htcp_increase(since_s: float, beta: float) -> float:
    """Return H-TCP's increase alpha, segments a round trip, so many seconds after a loss.

    `beta` is the part of the window that a loss leaves (Leith and Shorten 2004).
    """
    late = max(since_s - 1, 0)
    return 2 * (1 - beta) * (1 + 10 * late + 0.25 * late**2)


def htcp_windows(of: Runs) -> pd.DataFrame:
    """Return H-TCP's window (segments) on a path ten times as wide without loss, a row a second.

    Beside ns-3's and Linux's window is that of a formula, summed round trip by round trip from the
    window at 1 s on, with beta as the leg begins: for ns-3's class as if alpha were bytes for an
    ACK, which are alpha segments a round trip for each 1000 bytes of the window; for Linux as
    segments a round trip. Columns: time (s), a column a leg, and the formulas.
    """
    rtt_s = of.setting.rtt_s
    times = rtt_s * np.arange(round(1 / rtt_s), round(6 / rtt_s) + 1)
    whole = np.abs(times - np.round(times)) < rtt_s / 2
    table = pd.DataFrame({"time (s)": np.round(times)})
    formulas = {NS3: ("alpha bytes an ACK", 0.0), LINUX: ("alpha segments a round trip", 0.5)}
    for label, leg in THROUGHOUT.items():
        for result in of.results(f"cross-check-htcp-{leg.name}"):
            table[label] = measures.values_at(result.traces[WINDOW], WINDOW, times)
            if label not in formulas:
                continue
            formula, beta = formulas[label]
            windows = [measures.values_at(result.traces[WINDOW], WINDOW, [1.0])[0]]
            for time_s in times[:-1] + rtt_s / 2:
                increase = htcp_increase(time_s, beta)
                if label == NS3:
                    increase = 1 + increase * windows[-1] / 1000
                windows.append(windows[-1] + increase)
            table[formula] = windows
    return table[whole].reset_index(drop=True)
