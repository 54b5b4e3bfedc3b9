"""The same congestion controls on several engines: the data of the page cross-check.

A leg is an engine and how it is used (`LEGS`). One that this machine can neither run nor find in
the archive has no rows, and no column where each leg has its own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import measures, statistics
from longfat.cc import catalogue
from longfat.engines.ns2 import planning
from longfat.errors import InputError
from longfat.faults import NS3_3_44, OF_ITS_SOCKET
from longfat.network import reference
from longfat.papers.hybla.network import satellite
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import CongestionControl, Record, Scenario
from longfat.style import ENGINE_LABEL
from longfat.sweeps import can_run, simulate_all, sweep

SAME_WITHIN = 1.1  # the factor within which two goodputs count as the same
GAP = 1.05  # the factor beyond which a difference wants a cause
WINDOW = "cwnd_segments"
OURS = ENGINE_LABEL["segment"]
AS_NS3 = "as ns-3 3.44"
LINUX = ENGINE_LABEL["linux"]
NS2 = ENGINE_LABEL["ns2"]


@dataclass(frozen=True, kw_only=True)
class Leg:
    """An engine and how it is used; `name` ends the names of its experiments.

    `share` is how many times the setting's repetitions it has: Linux's runs are the dear ones. A
    leg that is not `throughout` has a part in the comparison with losses only.
    """

    name: str
    engine: str
    share: int = 1
    as_ns3: bool = False
    throughout: bool = True

    def has(self, control: str) -> bool:
        """Return whether the engine has a congestion control of Linux's."""
        return self.engine != "ns2" or control in planning.algorithms()

    def of(self, scenario: Scenario) -> Scenario:
        """Return a scenario of Linux's congestion controls as this leg has it."""
        if self.engine in ("linux", "ns2"):  # by the same names
            return scenario
        flows = [
            dict(flow) | {"congestion_control": self.control(flow.congestion_control)}
            for flow in scenario.flows
        ]
        return scenario.with_(flows=flows, faults=NS3_3_44 if self.as_ns3 else ())

    def control(self, of_linux: CongestionControl) -> CongestionControl:
        """Return our header of a congestion control, with what ns-3's class does if it is asked."""
        name = HEADERS.get(of_linux.name, of_linux.name)
        has = self.as_ns3 and "as_ns3_3_44" in catalogue.find(name).parameters
        parameters = of_linux.parameters | ({"as_ns3_3_44": True} if has else {})
        return CongestionControl(name=name, parameters=parameters)


HEADERS = {"highspeed": "highspeed", "scalable": "scalable"}  # ours, of Linux's
# By the name for readers. Each is held against Linux.
LEGS: Mapping[str, Leg] = {
    OURS: Leg(name="segment", engine="segment", share=2),
    AS_NS3: Leg(name="as-ns3", engine="segment", share=2, as_ns3=True),
    NS2: Leg(name="ns2", engine="ns2", throughout=False),
    LINUX: Leg(name="linux", engine="linux"),
}
# What makes our header do as Linux: the change in words, and the congestion control with it.
CHANGES: dict[str, tuple[str, Any]] = {
    "cubic": ("alpha is never raised", {"as_linux_6_12": True}),
    "westwood-plus": ("a recovery counts twice", {"as_linux_6_12": True}),
    "highspeed": ("its table", {"as_linux_6_12": True}),
    "illinois": ("counts whole segments", {"as_linux_6_12": True}),
    "vegas": ("a loss takes half", {"decrease": 0.5}),
    "bic": ("20 round trips of search", {"smooth_part": 20}),
}


class Switch(NamedTuple):
    """What may part ns-2 from the segment engine: fields of a flow that are others there and here.

    `parameters` are those of our congestion control.
    """

    control: str
    words: str
    on_ns2: dict[str, Any]
    ours: dict[str, Any]
    parameters: dict[str, Any]


NO_OVERFLOW = {"receive_buffer_bytes": 200_000}  # the pipe and its queue hold 238 packets
SWITCHES = (
    Switch("hybla", "both: a window that cannot overflow the queue", NO_OVERFLOW, NO_OVERFLOW, {}),
    Switch("vegas", "ours: a loss takes half", {}, {}, {"decrease": 0.5}),
    Switch("westwood-plus", "ns-2: halved at once", {"recovery": "halving"}, {}, {}),
    Switch("lp", "ns-2: halved at once", {"recovery": "halving"}, {}, {}),
    Switch(
        "scalable",
        "ours: a segment for 50 ACKs, an eighth lost at any window",
        {},
        {},
        {"increase_segments": 0.02, "legacy_window_segments": 2},
    ),
    Switch("illinois", "ours: adds one segment at most", {}, {}, {"alpha_max": 1.0}),
)


class Trial(NamedTuple):
    """What may part Linux from the segment engine at the largest loss rate, or at `loss`.

    Both have the `path` and the `flow`, `ours` is the control that the segment engine runs in place
    of the header. The runs are `times` those of the setting. Of the trials of one control and loss
    rate, the last that `names` a cause is the one that `gaps` tells.
    """

    control: str
    words: str
    times: int
    ours: CongestionControl | None = None
    flow: dict[str, Any] | None = None
    path: dict[str, float] | None = None
    loss: float | None = None
    names: bool = True


def _ours(name: str, **parameters: Any) -> CongestionControl:
    return CongestionControl(name=name, parameters=parameters)


SHORT_START = {"initial_ssthresh_segments": 60}
_WESTWOOD = _ours("westwood-plus", as_linux_6_12=True)
_HALF = {"throughput_ratio": 0.0}  # beta is 1/2 after every loss
_LATER = _HALF | {"low_speed_s": 1.2}
# Rounding down to whole segments keeps a quarter of a segment less of a half, where windows at a
# loss are 13, and takes seven sixteenths less than an eighth, where they are 30 or 90.
_ROUNDED = _LATER | {"default_backoff": 0.48}
_EIGHTH = {
    part: _ours("gaimd", increase_segments=1.0, decrease=part) for part in (0.125, 0.12, 0.11)
}
TRIALS = (
    Trial("reno", "more runs", 8),
    Trial("bic", "more runs; 20 round trips of search", 4, _ours("bic", smooth_part=20), loss=1e-3),
    Trial("bic", "more runs; 20 round trips of search", 4, _ours("bic", smooth_part=20)),
    Trial("htcp", "half at every loss, growth 0.2 s later", 4, _ours("htcp", **_LATER), loss=1e-3),
    Trial("htcp", "more runs", 4),
    Trial("htcp", "half at every loss", 4, _ours("htcp", **_HALF)),
    Trial("htcp", "half at every loss, growth 0.2 s later", 4, _ours("htcp", **_LATER)),
    Trial(
        "htcp", "half at every loss, rounded down; growth 0.2 s later", 4, _ours("htcp", **_ROUNDED)
    ),
    Trial("hybla", "both: slow start ends at 60 segments", 2, flow=SHORT_START),
    Trial("illinois", "more runs; whole segments", 4, _ours("illinois", as_linux_6_12=True)),
    Trial("lp", "Reno in its place", 1, _ours("reno"), loss=1e-4),
    Trial("lp", "Reno in its place", 1, _ours("reno"), loss=1e-3),
    Trial("lp", "Reno in its place", 1, _ours("reno")),
    Trial("yeah", "more runs", 4),
    Trial("highspeed", "more runs; its table", 4, _ours("highspeed", as_linux_6_12=True)),
    Trial("scalable", "grows as Reno, loses an eighth", 2, _EIGHTH[0.125], loss=1e-3),
    Trial("scalable", "grows as Reno, loses an eighth, rounded down", 2, _EIGHTH[0.12], loss=1e-3),
    Trial("scalable", "grows as Reno, loses an eighth", 2, _EIGHTH[0.125]),
    Trial("scalable", "grows as Reno, loses an eighth, rounded down", 2, _EIGHTH[0.11]),
    Trial("westwood-plus", "more runs; a recovery counts twice", 4, _WESTWOOD),
    Trial(
        "westwood-plus", "the same; slow start ends at 60", 2, _WESTWOOD, SHORT_START, names=False
    ),
    Trial(
        "westwood-plus", "the same over 98.5 ms", 1, _WESTWOOD, path={"rtt_s": 0.0985}, names=False
    ),
    Trial(
        "westwood-plus", "the same over 104.5 ms", 1, _WESTWOOD, path={"rtt_s": 0.1045}, names=False
    ),
)


def controls() -> list[str]:
    """Return every congestion control that Linux has and we have a header of."""
    return [name for name, entry in catalogue.algorithms().items() if entry.linux and entry.header]


def _here(scenarios: list[Scenario]) -> dict[str, tuple[Leg, list[Scenario]]]:
    """Return the legs that can give the results of those scenarios of Linux's, and theirs."""
    legs = {
        label: (leg, [leg.of(scenario) for scenario in scenarios])
        for label, leg in LEGS.items()
        if leg.throughout
    }
    return {label: (leg, own) for label, (leg, own) in legs.items() if can_run(own, leg.engine)}


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

    def __post_init__(self):
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


# --- without loss


def clean(setting: Setting) -> dict[str, list[Result]]:
    """Run each control once without random loss: a result a control, by the leg."""
    scenarios = [
        reference(
            congestion_control=control,
            record=Record(series=(WINDOW,), points=150),
            **setting.path,
        )
        for control in setting.controls
    ]
    return {
        label: simulate_all(own, engine=leg.engine, experiment=f"cross-check-clean-{leg.name}")
        for label, (leg, own) in _here(scenarios).items()
    }


def clean_counts(setting: Setting, clean: dict[str, list[Result]]) -> pd.DataFrame:
    """Return goodput (Mb/s), recoveries and timeouts (of `clean`), a row a control.

    Columns: control; "LEG, Mb/s" and so on for each leg; Linux / segment engine, of the goodputs.
    """
    table = pd.DataFrame({"control": setting.controls})
    for label, results in clean.items():
        flows = pd.concat([result.flows for result in results], ignore_index=True)
        table[f"{label}, Mb/s"] = flows["goodput_bps"] / 1e6
        table[f"{label}, recoveries"] = flows["recoveries"]
        table[f"{label}, timeouts"] = flows["timeouts"]
    if {OURS, LINUX} <= set(clean):
        table[f"Linux / {OURS}"] = table["Linux, Mb/s"] / table[f"{OURS}, Mb/s"]
    return table


def clean_windows(setting: Setting, clean: dict[str, list[Result]]) -> pd.DataFrame:
    """Return the windows without loss (of `clean`).

    Columns: control, engine, flow, time_s, cwnd_segments.
    """
    traces = [
        measures.held(result.traces[WINDOW], setting.duration_s).assign(
            engine=label, control=control
        )
        for label, results in clean.items()
        for control, result in zip(setting.controls, results, strict=True)
    ]
    nothing = pd.DataFrame(columns=["control", "engine", "flow", "time_s", WINDOW])
    return pd.concat(traces) if traces else nothing


# --- with loss


def lossy(setting: Setting) -> pd.DataFrame:
    """Run each control at each loss rate: columns engine (the leg), control, loss, seed, those of
    `sweep`.
    """
    legs = {}
    for label, leg in LEGS.items():
        design = statistics.combinations(
            control=[control for control in setting.controls if leg.has(control)],
            loss=setting.loss_rates,
            seed=range(1, leg.share * setting.repetitions + 1),
        )
        scenarios = [
            leg.of(
                reference(
                    congestion_control=run.control, loss=run.loss, seed=run.seed, **setting.path
                )
            )
            for run in design.itertuples()
        ]
        if scenarios and can_run(scenarios, leg.engine):
            experiment = f"cross-check-{leg.name}"
            legs[label] = sweep(scenarios, leg.engine, experiment=experiment, labels=design)
    if not legs:
        columns = ["engine", "scenario", "control", "loss", "seed", *FLOW_COLUMNS]
        return pd.DataFrame(columns=columns)
    return pd.concat(legs, names=["engine", None]).reset_index(level=0)


def ratios(lossy: pd.DataFrame) -> pd.DataFrame:
    """Return what Linux gives beside each other leg, a row a control, loss rate and leg.

    Columns: control; loss; engine, the leg; goodput and Linux, mean goodputs in Mb/s; those of
    `statistics.equivalent`; Linux / engine, the ratio with its 90 % interval as text.
    """
    linux = _goodputs(lossy[lossy["engine"] == LINUX])
    legs = {label: _goodputs(lossy[lossy["engine"] == label]) for label in LEGS if label != LINUX}
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


def events(lossy: pd.DataFrame) -> pd.DataFrame:
    """Return the mean recoveries, timeouts and retransmissions: a row a control and loss rate.

    Columns: control, loss, and "WHAT, ENGINE" for each of them.
    """
    counts = ["recoveries", "timeouts", "retransmissions"]
    table = lossy.groupby(["control", "loss", "engine"])[counts].mean().unstack("engine")
    table = table.loc[lossy["control"].unique()]
    table.columns = [f"{what}, {engine}" for what, engine in table.columns]
    return table.reset_index()


def causes(setting: Setting, lossy: pd.DataFrame) -> pd.DataFrame:
    """Run our headers with each change (`CHANGES`), beside themselves and Linux (`lossy`).

    A row a changed control and loss rate. Columns: control; change; loss; ours, changed and Linux,
    mean goodputs in Mb/s; those of `statistics.equivalent`, Linux beside ours changed;
    Linux / changed, the ratio with its 90 % interval as text. No rows where a leg is missing.
    """
    first, second = (_goodputs(lossy[lossy["engine"] == name]) for name in (OURS, LINUX))
    leg = LEGS[OURS]
    design = statistics.combinations(
        control=[control for control in CHANGES if control in setting.controls],
        loss=setting.loss_rates,
        seed=range(1, leg.share * setting.repetitions + 1),
    )
    scenarios = [
        reference(
            congestion_control=CongestionControl(
                name=HEADERS.get(run.control, run.control), parameters=CHANGES[run.control][1]
            ),
            loss=run.loss,
            seed=run.seed,
            **setting.path,
        )
        for run in design.itertuples()
    ]
    rows = []
    if first and second and scenarios:
        runs = sweep(scenarios, leg.engine, experiment="cross-check-causes", labels=design)
        changed = _goodputs(runs)
        rows = [
            {
                "control": control,
                "change": CHANGES[control][0],
                "loss": loss,
                "ours": first[control, loss].mean() / 1e6,
                "changed": one.mean() / 1e6,
                "Linux": second[control, loss].mean() / 1e6,
                **_judged(second[control, loss], one, tests=len(changed)),
            }
            for (control, loss), one in changed.items()
        ]
    columns = ["control", "change", "loss", "ours", "changed", "Linux"]
    columns += ["ratio", "low", "high", "needed", "verdict"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(**{"Linux / changed": _texts(table)})


def trials(setting: Setting, lossy: pd.DataFrame) -> pd.DataFrame:
    """Run both engines with each trial (`TRIALS`), beside them without it (`lossy`).

    A row a trial. Columns: control; loss; trial; runs, of Linux; before, Linux over ours in
    `lossy`, with its 90 % interval as text; ours and Linux, mean goodputs in Mb/s; those of
    `statistics.equivalent`; Linux / ours, the ratio as text; names. No rows where a leg is missing.
    """
    chosen = [
        one
        for one in TRIALS
        if one.control in setting.controls and one.loss in (None, *setting.loss_rates)
    ]
    known = [_goodputs(lossy[lossy["engine"] == name]) for name in (LINUX, OURS)]
    found = []
    for leg in (LEGS[LINUX], LEGS[OURS]) if chosen and all(known) else ():
        design = pd.concat(
            statistics.combinations(
                place=[place], seed=range(1, leg.share * one.times * setting.repetitions + 1)
            )
            for place, one in enumerate(chosen)
        )
        scenarios = [
            _tried(chosen[run.place], leg, setting, run.seed) for run in design.itertuples()
        ]
        if not can_run(scenarios, leg.engine):
            break
        runs = sweep(
            scenarios, leg.engine, experiment=f"cross-check-trials-{leg.name}", labels=design
        )
        found.append(dict(list(runs.groupby("place")["goodput_bps"])))
    rows = []
    if len(found) == 2:
        linux, ours = found
        for place, one in enumerate(chosen):
            at = one.control, _loss(one, setting)
            before = _judged(known[0][at], known[1][at], tests=1)
            rows.append(
                {
                    "control": one.control,
                    "loss": at[1],
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


def _loss(one: Trial, setting: Setting) -> float:
    return max(setting.loss_rates) if one.loss is None else one.loss


def _tried(one: Trial, leg: Leg, setting: Setting, seed: int) -> Scenario:
    path = setting.path | (one.path or {})
    plain = leg.of(
        reference(congestion_control=one.control, loss=_loss(one, setting), seed=seed, **path)
    )
    flow = plain.flows[0].model_dump() | (one.flow or {})
    if one.ours and leg.engine == "segment":
        flow["congestion_control"] = one.ours
    return plain.with_(flows=[flow])


NO_CAUSE = "cause not found"


def gaps(ratios: pd.DataFrame, causes: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return each gap of more than `GAP` between Linux and our engine, and what takes it away.

    The arguments are of the functions of these names. A row a control and loss rate. Columns:
    control; loss; Linux / ours before, with its 90 % interval as text; what is tried; after, the
    same with it; and what is left: "found" where the ratio then is within `GAP`, "open" where its
    interval holds 1, else "found in part" if it is nearer to 1 than before, or `NO_CAUSE`.
    """
    tried = [
        causes.assign(text=causes["Linux / changed"], what=causes["change"]),
        trials[trials["names"].astype(bool)].assign(
            text=trials["Linux / ours"], what=trials["trial"]
        ),
    ]
    after = {
        (row.control, row.loss): row
        for table in tried
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


def switches(setting: Setting, lossy: pd.DataFrame) -> pd.DataFrame:
    """Run ns-2 and the segment engine with each switch (`SWITCHES`), beside them without (`lossy`).

    A row a switch and loss rate. Columns: control; switch; loss; before and after for each engine
    (mean goodputs in Mb/s); and what ns-2's is over the segment engine's before and after, with a
    95 % interval as text. No rows where a leg is missing.
    """
    known = {name: _goodputs(lossy[lossy["engine"] == name]) for name in (NS2, OURS)}
    rows = []
    for engine in ("ns2", "segment"):
        chosen = [one for one in SWITCHES if one.control in setting.controls]
        design = statistics.combinations(
            place=range(len(chosen)),
            loss=setting.loss_rates,
            seed=range(1, setting.repetitions + 1),
        )
        scenarios = []
        for run in design.itertuples():
            one = chosen[run.place]
            found = reference(
                congestion_control=one.control, loss=run.loss, seed=run.seed, **setting.path
            )
            fields = one.on_ns2
            if engine == "segment":
                header = HEADERS.get(one.control, one.control)
                control = {"name": header, "parameters": one.parameters}
                fields = one.ours | {"congestion_control": control}
            scenarios.append(found.with_(flows=[found.flows[0].model_dump() | fields]))
        if not (scenarios and all(known.values()) and can_run(scenarios, engine)):
            return pd.DataFrame(columns=["control", "switch", "loss"])
        experiment = f"cross-check-switches-{engine}"
        runs = sweep(scenarios, engine, experiment=experiment, labels=design)
        rows.append(dict(list(runs.groupby(["place", "loss"], sort=False)["goodput_bps"])))
    table = []
    for (place, loss), theirs in rows[0].items():
        one, ours = chosen[place], rows[1][place, loss]
        before = known[NS2][one.control, loss], known[OURS][one.control, loss]
        row: dict[str, Any] = {"control": one.control, "switch": one.words, "loss": loss}
        for when, (first, second) in (("before", before), ("after", (theirs, ours))):
            row[f"{NS2}, {when}"] = first.mean() / 1e6
            row[f"{OURS}, {when}"] = second.mean() / 1e6
            ratio = statistics.unpaired(first, second)
            row[f"ratio {when}"] = "{measured:.2f} [{low:.2f}, {high:.2f}]".format(**ratio)
        table.append(row)
    return pd.DataFrame(table)


# --- ns-3 itself


def witness(setting: Setting) -> pd.DataFrame:
    """Run ns-3 itself once a control, at the largest loss rate, and count what is the same.

    Stock ns-3, with its own recovery and its own ways of the controls, stands beside the leg
    `AS_NS3`; ns-3 with this book's headers beside the segment engine with the faults of ns-3's
    socket. A row each: columns ns-3 (which), runs, equal (in every count). Empty without ns-3.
    """
    plain = [
        reference(congestion_control=control, loss=max(setting.loss_rates), **setting.path)
        for control in setting.controls
    ]
    rows = []
    for what, leg, recovery, faults, name in (
        ("as it is", LEGS[AS_NS3], "prr-ns3-3.44", NS3_3_44, "cross-check-stock"),
        ("with this book's headers", LEGS[OURS], "prr", OF_ITS_SOCKET, "cross-check-headers"),
    ):
        full = [_with_recovery(leg.of(scenario), recovery).with_(faults=()) for scenario in plain]
        if not can_run(full, "ns3"):
            continue
        fast = [scenario.with_(faults=faults) for scenario in full]
        counts = [
            sweep(scenarios, engine, experiment=f"{name}-{engine}")[list(FLOW_COLUMNS)]
            for engine, scenarios in (("ns3", full), ("segment", fast))
        ]
        same = (counts[0].fillna(-1) == counts[1].fillna(-1)).all(axis=1)
        rows.append({"ns-3": what, "runs": len(same), "equal": int(same.sum())})
    return pd.DataFrame(rows, columns=["ns-3", "runs", "equal"])


def _with_recovery(scenario: Scenario, recovery: str) -> Scenario:
    return scenario.with_(flows=[dict(flow) | {"recovery": recovery} for flow in scenario.flows])


# --- statistics of goodputs


def _goodputs(runs: pd.DataFrame) -> dict[tuple[str, float], pd.Series]:
    """Return the goodputs of each control and loss rate, in the order of the runs."""
    return dict(list(runs.groupby(["control", "loss"], sort=False)["goodput_bps"]))


def _judged(measured: pd.Series, beside: pd.Series, tests: int) -> pd.Series:
    return statistics.equivalent(measured, beside, factor=SAME_WITHIN, tests=tests)


def _texts(table: pd.DataFrame) -> list[str]:
    return [_text(row) for row in table.itertuples()]


def _text(row) -> str:
    return f"{row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}]"


# --- what a loss does to the window


def responses(setting: Setting) -> pd.DataFrame:
    """Run each control once at two loss rates, and return how its window responds to a loss.

    A row a control and loss rate, if each leg's run has five losses at least (BBR has no
    threshold). Columns: control, loss, and for each leg the medians of `loss_responses`:
    threshold / before, after / threshold, and growth in segments a round trip.
    """
    design = statistics.combinations(control=setting.controls, loss=[1e-3, 1e-2])
    record = Record(
        series=(WINDOW, "ssthresh_segments"), points=round(setting.duration_s / setting.rtt_s)
    )
    scenarios = [
        reference(congestion_control=run.control, loss=run.loss, record=record, **setting.path)
        for run in design.itertuples()
    ]
    rows = []
    for label, (leg, own) in _here(scenarios).items():
        results = simulate_all(
            own, engine=leg.engine, experiment=f"cross-check-responses-{leg.name}"
        )
        for run, result in zip(design.itertuples(), results, strict=True):
            one = measures.loss_responses(
                result.traces[WINDOW],
                result.traces["ssthresh_segments"],
                setting.rtt_s,
                setting.duration_s,
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
    wide = wide.reindex([c for c in setting.controls if c in wide.index], level=0)
    wide.columns = [f"{what}, {engine}" for what, engine in wide.columns]
    return wide.reset_index()


# --- one lost packet


def one_loss() -> pd.DataFrame:
    """Return the segments that arrive in each round trip over the satellite, around one loss.

    The window is at its 550 segments when an outage of 0.1 ms takes one packet of a burst, at
    10.19 s. Columns: from (s), and a column a leg.
    """
    path = satellite(
        loss=0,
        duration_s=14,
        record=Record(series=(WINDOW, "delivered_bytes"), points=1400),
    )
    forward, backward = (link.model_dump() for link in path.links)
    forward["outages"] = [{"start_s": 10.1918, "duration_s": 1e-4}]
    path = path.with_(links=[forward, backward])
    times = [9.95 + 0.55 * n for n in range(6)]
    table = pd.DataFrame({"from (s)": times[:-1]})
    for label, (leg, own) in _here([path]).items():
        (result,) = simulate_all(
            own, engine=leg.engine, experiment=f"cross-check-single-{leg.name}"
        )
        trace = result.traces["delivered_bytes"]
        table[label] = np.diff(measures.held_at(trace, "delivered_bytes", times)) / 1000
    return table


# --- H-TCP's increase


def htcp_increase(since_s: float, beta: float) -> float:
    """Return H-TCP's increase alpha, segments a round trip, so many seconds after a loss.

    `beta` is the part of the window that a loss leaves (Leith and Shorten 2004).
    """
    late = max(since_s - 1, 0)
    return 2 * (1 - beta) * (1 + 10 * late + 0.25 * late**2)


def htcp_windows(setting: Setting) -> pd.DataFrame:
    """Return H-TCP's window (segments) on a path ten times as wide without loss, a row a second.

    Beside each leg's window is that of a formula, summed round trip by round trip from the window
    at 1 s on, with beta as the leg begins: for ns-3's class as if alpha were bytes for an ACK,
    which are alpha segments a round trip for each 1000 bytes of the window; for Linux as segments a
    round trip. Columns: time (s), a column a leg, and the formulas.
    """
    rtt_s = setting.rtt_s
    path = reference(
        congestion_control="htcp",
        rate_bps=10 * setting.rate_bps,
        rtt_s=rtt_s,
        duration_s=6,
        record=Record(series=(WINDOW,), points=math.ceil(6 / rtt_s)),
    )
    flow = path.flows[0].model_dump() | {"initial_ssthresh_segments": 50}
    path = path.with_(flows=[flow])
    times = rtt_s * np.arange(round(1 / rtt_s), round(6 / rtt_s) + 1)
    whole = np.abs(times - np.round(times)) < rtt_s / 2
    table = pd.DataFrame({"time (s)": np.round(times)})
    formulas = {
        AS_NS3: ("alpha bytes an ACK", 0.0),
        LINUX: ("alpha segments a round trip", 0.5),
    }
    for label, (leg, own) in _here([path]).items():
        (result,) = simulate_all(own, engine=leg.engine, experiment=f"cross-check-htcp-{leg.name}")
        table[label] = measures.held_at(result.traces[WINDOW], WINDOW, times)
        if label not in formulas:
            continue
        formula, beta = formulas[label]
        windows = [measures.held_at(result.traces[WINDOW], WINDOW, [1.0])[0]]
        for time_s in times[:-1] + rtt_s / 2:
            increase = htcp_increase(time_s, beta)
            if label == AS_NS3:
                increase = 1 + increase * windows[-1] / 1000
            windows.append(windows[-1] + increase)
        table[formula] = windows
    return table[whole].reset_index(drop=True)
