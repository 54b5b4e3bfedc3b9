"""The same congestion controls on ns-3 and on a real Linux: the data of the page cross-check.

A leg that this machine can neither run nor find in the archive has no rows, and no column where
each engine has its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from longfat import statistics
from longfat.cc import catalogue
from longfat.errors import InputError
from longfat.network import reference
from longfat.papers.hybla.network import satellite
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Record
from longfat.sweeps import can_run, simulate_all, sweep

ENGINES = {"ns3": "ns-3", "linux": "Linux"}  # the engine, and its name for readers
SAME_WITHIN = 1.1  # the factor within which two goodputs count as the same
WINDOW = "cwnd_segments"
# What makes ns-3 do as Linux: the change in words, and the congestion control with it.
CHANGES: dict[str, tuple[str, Any]] = {
    "reno": ("one increment for an ACK", "newreno"),
    "bic": ("SmoothPart 20", {"name": "bic", "parameters": {"smooth_part": 20}}),
    "scalable": ("AIFactor 100", {"name": "scalable", "parameters": {"acks_per_segment": 100}}),
    "yeah": ("Phy 1", {"name": "yeah", "parameters": {"delay_divisor": 1}}),
    "illinois": ("AlphaMin 1", {"name": "illinois", "parameters": {"alpha_min": 1.0}}),
}


def controls() -> list[str]:
    """Return every congestion control that both engines have."""
    return [name for name, entry in catalogue.algorithms().items() if entry.linux and entry.type_id]


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
    """Run each control once without random loss: a result a control, by the engine's name."""
    scenarios = [
        reference(
            congestion_control=control,
            record=Record(series=(WINDOW,), points=150),
            **setting.path,
        )
        for control in setting.controls
    ]
    return {
        label: simulate_all(scenarios, engine=engine, experiment=f"cross-check-clean-{engine}")
        for engine, label in ENGINES.items()
        if can_run(scenarios, engine)
    }


def clean_counts(setting: Setting, clean: dict[str, list[Result]]) -> pd.DataFrame:
    """Return goodput (Mb/s), recoveries and timeouts of `clean`: a row a control.

    Columns: control; "ENGINE, Mb/s" and so on for each engine; Linux / ns-3, of the goodputs.
    """
    table = pd.DataFrame({"control": setting.controls})
    for label, results in clean.items():
        flows = pd.concat([result.flows for result in results], ignore_index=True)
        table[f"{label}, Mb/s"] = flows["goodput_bps"] / 1e6
        table[f"{label}, recoveries"] = flows["recoveries"]
        table[f"{label}, timeouts"] = flows["timeouts"]
    if len(clean) == len(ENGINES):
        table["Linux / ns-3"] = table["Linux, Mb/s"] / table["ns-3, Mb/s"]
    return table


def clean_windows(setting: Setting, clean: dict[str, list[Result]]) -> pd.DataFrame:
    """Return the windows of `clean`: columns control, engine, flow, time_s, cwnd_segments."""
    traces = [
        statistics.held(result.traces[WINDOW], setting.duration_s).assign(
            engine=label, control=control
        )
        for label, results in clean.items()
        for control, result in zip(setting.controls, results, strict=True)
    ]
    nothing = pd.DataFrame(columns=["control", "engine", "flow", "time_s", WINDOW])
    return pd.concat(traces) if traces else nothing


# --- with loss


def lossy(setting: Setting) -> pd.DataFrame:
    """Run each control at each loss rate: columns engine, control, loss, seed, those of `sweep`."""
    design = statistics.combinations(
        control=setting.controls, loss=setting.loss_rates, seed=range(1, setting.repetitions + 1)
    )
    scenarios = [
        reference(congestion_control=run.control, loss=run.loss, seed=run.seed, **setting.path)
        for run in design.itertuples()
    ]
    legs = {
        label: sweep(scenarios, engine=engine, experiment=f"cross-check-{engine}", labels=design)
        for engine, label in ENGINES.items()
        if can_run(scenarios, engine)
    }
    if not legs:
        return pd.DataFrame(columns=["engine", "scenario", *design, *FLOW_COLUMNS])
    return pd.concat(legs, names=["engine", None]).reset_index(level=0)


def ratios(lossy: pd.DataFrame) -> pd.DataFrame:
    """Return what Linux gives beside ns-3, a row a control and loss rate.

    Columns: control; loss; ns-3 and Linux, mean goodputs in Mb/s; those of
    `statistics.equivalent`; Linux / ns-3, the ratio with its 90 % interval as text.
    """
    first, second = (_goodputs(lossy[lossy["engine"] == name]) for name in ENGINES.values())
    rows = [
        {
            "control": control,
            "loss": loss,
            "ns-3": one.mean() / 1e6,
            "Linux": second[control, loss].mean() / 1e6,
            **_judged(second[control, loss], one, tests=len(first)),
        }
        for (control, loss), one in first.items()
        if second
    ]
    columns = ["control", "loss", "ns-3", "Linux", "ratio", "low", "high", "needed", "verdict"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(**{"Linux / ns-3": _texts(table)})


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
    """Run ns-3 with each of `CHANGES` beside what `lossy` has of ns-3 and Linux.

    A row a changed control and loss rate. Columns: control; change; loss; ns-3, changed and Linux,
    mean goodputs in Mb/s; those of `statistics.equivalent`, Linux beside ns-3 changed;
    Linux / changed, the ratio with its 90 % interval as text. No rows where a leg is missing.
    """
    first, second = (_goodputs(lossy[lossy["engine"] == name]) for name in ENGINES.values())
    design = statistics.combinations(
        control=[control for control in CHANGES if control in setting.controls],
        loss=setting.loss_rates,
        seed=range(1, setting.repetitions + 1),
    )
    scenarios = [
        reference(
            congestion_control=CHANGES[run.control][1],
            loss=run.loss,
            seed=run.seed,
            **setting.path,
        )
        for run in design.itertuples()
    ]
    rows = []
    if first and second and scenarios and can_run(scenarios, "ns3"):
        runs = sweep(scenarios, engine="ns3", experiment="cross-check-causes", labels=design)
        changed = _goodputs(runs)
        rows = [
            {
                "control": control,
                "change": CHANGES[control][0],
                "loss": loss,
                "ns-3": first[control, loss].mean() / 1e6,
                "changed": one.mean() / 1e6,
                "Linux": second[control, loss].mean() / 1e6,
                **_judged(second[control, loss], one, tests=len(changed)),
            }
            for (control, loss), one in sorted(changed.items())
        ]
    columns = ["control", "change", "loss", "ns-3", "changed", "Linux"]
    columns += ["ratio", "low", "high", "needed", "verdict"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(**{"Linux / changed": _texts(table)})


def _goodputs(runs: pd.DataFrame) -> dict[tuple[str, float], pd.Series]:
    """Return the goodputs of each control and loss rate, in the order of the runs."""
    return dict(list(runs.groupby(["control", "loss"], sort=False)["goodput_bps"]))


def _judged(measured: pd.Series, beside: pd.Series, tests: int) -> pd.Series:
    return statistics.equivalent(measured, beside, factor=SAME_WITHIN, tests=tests)


def _texts(table: pd.DataFrame) -> list[str]:
    return [f"{row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in table.itertuples()]


# --- what a loss does to the window


def responses(setting: Setting) -> pd.DataFrame:
    """Run each control once at two loss rates, and return how its window responds to a loss.

    A row a control and loss rate, if each engine's run has five losses at least (BBR has no
    threshold). Columns: control, loss, and for each engine the medians of `loss_responses`:
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
    for engine, label in ENGINES.items():
        if not can_run(scenarios, engine):
            continue
        results = simulate_all(
            scenarios, engine=engine, experiment=f"cross-check-responses-{engine}"
        )
        for run, result in zip(design.itertuples(), results, strict=True):
            one = statistics.loss_responses(
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
    10.19 s. Columns: from (s), and a column an engine.
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
    for engine, label in ENGINES.items():
        if can_run([path], engine):
            (result,) = simulate_all(
                [path], engine=engine, experiment=f"cross-check-single-{engine}"
            )
            trace = result.traces["delivered_bytes"]
            table[label] = np.diff(statistics.held_at(trace, "delivered_bytes", times)) / 1000
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

    Beside each engine's window is that of a formula, summed round trip by round trip from the
    window at 1 s on, with beta as the engine begins: on ns-3 as if alpha were bytes for an ACK,
    which are alpha segments a round trip for each 1000 bytes of the window; on Linux as segments a
    round trip. Columns: time (s), and two for each engine.
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
    for engine, formula, beta in (
        ("ns3", "alpha bytes an ACK", 0.0),
        ("linux", "alpha segments a round trip", 0.5),
    ):
        if not can_run([path], engine):
            continue
        (result,) = simulate_all([path], engine=engine, experiment=f"cross-check-htcp-{engine}")
        table[ENGINES[engine]] = statistics.held_at(result.traces[WINDOW], WINDOW, times)
        windows = [statistics.held_at(result.traces[WINDOW], WINDOW, [1.0])[0]]
        for time_s in times[:-1] + rtt_s / 2:
            increase = htcp_increase(time_s, beta)
            if engine == "ns3":
                increase = 1 + increase * windows[-1] / 1000
            windows.append(windows[-1] + increase)
        table[formula] = windows
    return table[whole].reset_index(drop=True)
