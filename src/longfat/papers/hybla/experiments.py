"""The data of every figure and table of the chapter on TCP Hybla: the model's, and the runs'.

Runs are on the engine `ns3`, the paper's simulation, or on `linux`, its emulation. A leg that this
machine can neither run nor find in the archive is an empty table, with the same columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import statistics
from longfat.errors import InputError
from longfat.papers import hybla, reno
from longfat.papers.hybla import derivation
from longfat.papers.hybla.network import satellite
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Record, Scenario
from longfat.sweeps import can_run, simulate_all, sweep

ENGINES = {"simulation": "ns-3", "emulation": "Linux"}  # the paper's word, and ours
QUANTITIES = {"throughput": "Mb/s", "transfer_time": "s"}  # what was compared, and its unit
WINDOW = "cwnd_segments"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    Times are in seconds, `max_window_segments` in segments, `transfer_megabytes` in 10^6 bytes;
    `duration_s` is that of a steady run on ns-3, `emulation_s` on Linux.
    Raises InputError for what no figure could show.
    """

    loss_rates: Sequence[float]
    rtt_s: float
    rtt0_s: float
    max_window_segments: int
    segment_bytes: int
    rto_s: float
    transfer_megabytes: Sequence[float]
    repetitions: int
    duration_s: float
    emulation_s: float

    def __post_init__(self):
        if not self.loss_rates or not all(0 < loss < 0.5 for loss in self.loss_rates):
            raise InputError(
                f"loss_rates is {self.loss_rates}: it must be one or more probabilities above 0 "
                "and below 0.5"
            )
        if len(self.transfer_megabytes) != 3:
            raise InputError(
                f"transfer_megabytes is {self.transfer_megabytes}: it must be three sizes, for "
                "figures 4 and 5, 6 and 7, 8 and 9"
            )
        if self.repetitions < 1:
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
    def model(self) -> dict:
        """The same as the model takes it."""
        return {
            "rtt": self.rtt_s,
            "rtt0": self.rtt0_s,
            "max_window": self.max_window_segments,
        }

    @property
    def seeds(self) -> range:
        """One for each repetition."""
        return range(1, self.repetitions + 1)

    @property
    def megabits(self) -> float:
        """How much a segment carries, in Mb."""
        return 8 * self.segment_bytes / 1e6

    @property
    def segments(self) -> dict[str, float]:
        """How many segments each transfer has, by its name in claims and tables."""
        return {f"{size}MB": size * 1e6 / self.segment_bytes for size in self.transfer_megabytes}


def setting(
    profile: str,
    *,
    loss_rates: Sequence[float] | None,
    repetitions: int | None,
    duration_s: float | None,
    **parameters,
) -> Setting:
    """Return the setting at a profile, "paper" or "quick", which decides what is None.

    These are the loss rates, 1-2-5 steps from 1e-6 to 1e-2 or one a decade; the repetitions, 10 or
    3; and the duration of a steady run on ns-3, 1000 or 100 s. `parameters` are the other fields of
    `Setting`. Raises InputError for another profile.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    steps = (1,) if quick else (1, 2, 5)
    decades = [float(f"{step}e{power}") for power in range(-6, -2) for step in steps]
    return Setting(
        loss_rates=[*decades, 1e-2] if loss_rates is None else loss_rates,
        repetitions=(3 if quick else 10) if repetitions is None else repetitions,
        duration_s=(100.0 if quick else 1000.0) if duration_s is None else duration_s,
        **parameters,
    )


# --- the model


def model(setting: Setting, transfer: str, metric: str, loss: ArrayLike) -> np.ndarray:
    """Return what the paper's model gives at each loss rate.

    `transfer` is "steady" or a name of `Setting.segments`; `metric` says what: the "throughput" in
    Mb/s or the "transfer_time" in s.
    """
    if transfer == "steady":
        return hybla.throughput(loss, **setting.model) * setting.megabits
    segments = setting.segments[transfer]
    time_s = hybla.transfer_time(segments, loss, rto=setting.rto_s, **setting.model)
    return time_s if metric == "transfer_time" else segments * setting.megabits / time_s


def curve(setting: Setting, transfer: str, metric: str) -> pd.DataFrame:
    """Return the `model` as a line: columns loss, and the unit of the quantity."""
    loss = np.geomspace(min(setting.loss_rates), max(setting.loss_rates), 201)
    return pd.DataFrame({"loss": loss, QUANTITIES[metric]: model(setting, transfer, metric, loss)})


def dropped_tails() -> pd.DataFrame:
    """Return what (3) and (4) leave out, over the windows and loss rates of the paper.

    Columns of `derivation.dropped_tail`: W, p, L, L_error, D, D_error.
    """
    windows, losses = np.array([4, 6, 10, 20, 50, 550]), np.array([1e-6, 1e-4, 1e-2])
    table = derivation.dropped_tail(windows[:, None], losses)
    return table[["W", "p", "L", "L_error", "D", "D_error"]]


def limits(setting: Setting) -> pd.DataFrame:
    """Return the throughput (segments/s) of Hybla's model at rho = 1, and of models of Reno.

    No window limits it. Columns: loss, and a column a model.
    """
    loss, rtt_s, unlimited = np.array([1e-5, 1e-4, 1e-3, 1e-2]), setting.rtt_s, 1e9
    return pd.DataFrame(
        {
            "loss": loss,
            "Hybla, rho = 1": hybla.throughput(loss, rtt_s, rtt_s, unlimited),
            "square root": reno.square_root_law(loss, rtt_s, unlimited),
            "Padhye et al.": reno.pftk(loss, rtt_s, unlimited, setting.rto_s),
            "NewReno, no timeouts": reno.newreno(loss, rtt_s, unlimited),
        }
    )


def without_loss(setting: Setting) -> pd.DataFrame:
    """Return the model's throughput B (segments/s) as loss vanishes, beside W_m/R."""
    loss = np.array([1e-6, 1e-8, 0])
    most = setting.max_window_segments / setting.rtt_s
    return pd.DataFrame({"loss": loss, "B": hybla.throughput(loss, **setting.model), "W_m/R": most})


def peak_windows(setting: Setting) -> pd.DataFrame:
    """Return the unlimited peak W (segments) by Newton's method and from the bracketed root.

    Columns: loss, newton, iterations (how many Newton needed), bracketed.
    """
    loss, rtt_s, rtt0_s = setting.loss_rates, setting.rtt_s, setting.rtt0_s
    iterates = [hybla.newton_window(one, rtt_s, rtt0_s) for one in loss]
    return pd.DataFrame(
        {
            "loss": loss,
            "newton": [windows[-1] for windows in iterates],
            "iterations": [len(windows) - 1 for windows in iterates],
            "bracketed": hybla.peak_window(np.array(loss), rtt_s, rtt0_s),
        }
    )


def steady_state(setting: Setting) -> pd.DataFrame:
    """Return `hybla.steady_state` at each loss rate without what is given, and B in Mb/s."""
    table = hybla.steady_state(np.array(setting.loss_rates), **setting.model)
    table["Mb/s"] = table["B"] * 8 * setting.segment_bytes / 1e6
    return table.drop(columns=["R", "rho", "W_m"])


def latency(setting: Setting) -> pd.DataFrame:
    """Return `hybla.latency` of each transfer at five loss rates, without its probabilities."""
    table = hybla.latency(
        segments=np.array(list(setting.segments.values()))[:, None],
        loss=np.array([1e-6, 1e-5, 1e-4, 1e-3, 1e-2]),
        rto=setting.rto_s,
        **setting.model,
    )
    return table.drop(columns=["l_ss", "l_tda"])


def slow_start_rounds(setting: Setting) -> pd.DataFrame:
    """Return the round trips from each transfer's first segment to its last, without loss.

    Columns: MB, segments; model, by (32); whole windows, as (24) goes where the last round counts
    with the part that is needed of it; whole rounds.
    """
    segments = np.array(list(setting.segments.values()))
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    time_s = hybla.latency(segments, 0, rto=setting.rto_s, **setting.model)["T_ss"]
    windows = [
        derivation.slow_start_rounds(d, ratio, setting.max_window_segments) for d in segments
    ]
    return pd.DataFrame(
        {
            "MB": setting.transfer_megabytes,
            "segments": segments,
            "model": time_s / setting.rtt_s,
            "whole windows": windows,
            "whole rounds": np.ceil(windows),
        }
    )


# --- runs


def steady(setting: Setting) -> pd.DataFrame:
    """Run the steady state on ns-3: columns loss, seed, those of `sweep`, and Mb/s (goodput)."""
    return _steady(setting, setting.duration_s, engine="ns3", experiment="hybla-steady")


def emulated_steady(setting: Setting) -> pd.DataFrame:
    """Run the steady state on Linux: columns as of `steady`."""
    seconds = setting.emulation_s
    return _steady(setting, seconds, engine="linux", experiment="hybla-emulation-steady")


def _steady(setting: Setting, duration_s: float, **where: str) -> pd.DataFrame:
    design = statistics.combinations(loss=setting.loss_rates, seed=setting.seeds)
    scenarios = [
        satellite(loss=run.loss, seed=run.seed, duration_s=duration_s, **setting.path)
        for run in design.itertuples()
    ]
    return _sweep(design, scenarios, **where)


def transfers(setting: Setting) -> pd.DataFrame:
    """Run the transfers on ns-3: columns megabytes, loss, seed, those of `sweep`, and Mb/s."""
    return _transfers(setting, engine="ns3", experiment="hybla-transfers")


def emulated_transfers(setting: Setting) -> pd.DataFrame:
    """Run the transfers on Linux: columns as of `transfers`."""
    return _transfers(setting, engine="linux", experiment="hybla-emulation-transfers")


def _transfers(setting: Setting, **where: str) -> pd.DataFrame:
    design = statistics.combinations(
        megabytes=setting.transfer_megabytes, loss=setting.loss_rates, seed=setting.seeds
    )
    scenarios = [
        satellite(
            loss=run.loss,
            seed=run.seed,
            transfer_bytes=round(run.megabytes * 1e6),
            duration_s=5000,
            **setting.path,
        )
        for run in design.itertuples()
    ]
    return _sweep(design, scenarios, **where)


def assumptions(setting: Setting) -> pd.DataFrame:
    """Run the steady state on ns-3 with each unstated parameter changed alone.

    At up to four loss rates and with up to five seeds: columns variant, and those of `steady`.
    """
    changes: dict[str, Callable[[float], dict]] = {
        "as above": lambda loss: {},
        "10 Mb/s": lambda loss: {"rate_bps": 10e6},
        "20 Mb/s": lambda loss: {"rate_bps": 20e6},
        "1 Gb/s": lambda loss: {"rate_bps": 1e9},
        "ACKs lost too": lambda loss: {"ack_loss": loss},
        "window halved at once": lambda loss: {"recovery": "halving"},
    }
    some = [loss for loss in setting.loss_rates if loss in (1e-4, 1e-3, 2e-3, 1e-2)]
    design = statistics.combinations(
        variant=list(changes), loss=some or setting.loss_rates, seed=setting.seeds[:5]
    )
    scenarios = [
        satellite(
            loss=run.loss,
            seed=run.seed,
            duration_s=setting.duration_s,
            **setting.path,
            **changes[run.variant](run.loss),
        )
        for run in design.itertuples()
    ]
    return _sweep(design, scenarios, engine="ns3", experiment="hybla-assumptions")


def emulated_variants(setting: Setting, emulated: pd.DataFrame) -> pd.DataFrame:
    """Run the steady state on Linux with its own start, and with delayed acknowledgments.

    At loss rates from 1e-4 on, beside `emulated` (of `emulated_steady`, the variant "as above"):
    columns variant, and those of `steady`.
    """
    changes: dict[str, dict[str, Any]] = {
        "stock Linux: the receiver limits": {"limited_by": "receiver"},
        "delayed ACKs": {"segments_per_ack": 2},
    }
    some = [loss for loss in setting.loss_rates if loss >= 1e-4] or setting.loss_rates
    design = statistics.combinations(variant=list(changes), loss=some, seed=setting.seeds)
    scenarios = [
        satellite(
            loss=run.loss,
            seed=run.seed,
            duration_s=setting.emulation_s,
            **setting.path,
            **changes[run.variant],
        )
        for run in design.itertuples()
    ]
    runs = _sweep(design, scenarios, engine="linux", experiment="hybla-emulation-variants")
    before = emulated[emulated["loss"].isin(some)].assign(variant="as above")
    return pd.concat([before, runs]) if len(runs) else runs


def overflow(setting: Setting) -> pd.DataFrame:
    """Run 8 s without loss on ns-3 with our Hybla and with its own.

    Returns the windows: columns algorithm, flow, time_s, cwnd_segments.
    """
    algorithms = {"hybla": "ours, at most $W_m$", "hybla-ns3": "ns-3's own"}
    scenarios = [
        satellite(
            loss=0,
            duration_s=8,
            record=Record(series=(WINDOW,)),
            congestion_control=name,
            **setting.path,
        )
        for name in algorithms
    ]
    results = _simulate_all(scenarios, engine="ns3", experiment="hybla-overflow")
    return _windows(results, "algorithm", list(algorithms.values()))


def starts(setting: Setting) -> pd.DataFrame:
    """Run 30 s on Linux at a loss rate of 1e-3, with the paper's start and with its own.

    Returns the windows: columns start, flow, time_s, cwnd_segments.
    """
    limited_by: dict[Literal["sender", "receiver"], str] = {
        "sender": "the paper's start, at most $W_m$",
        "receiver": "stock Linux",
    }
    scenarios = [
        satellite(
            loss=1e-3,
            duration_s=30,
            limited_by=who,
            record=Record(series=(WINDOW,), points=600),
            **setting.path,
        )
        for who in limited_by
    ]
    results = _simulate_all(scenarios, engine="linux", experiment="hybla-emulation-start")
    return _windows(results, "start", list(limited_by.values()))


def windows(setting: Setting) -> pd.DataFrame:
    """Run 100 s on ns-3 at three loss rates.

    Returns the windows: columns loss, flow, time_s, cwnd_segments.
    """
    losses = (1e-4, 1e-3, 1e-2)
    scenarios = [
        satellite(
            loss=loss, duration_s=100, record=Record(series=(WINDOW,), points=3000), **setting.path
        )
        for loss in losses
    ]
    results = _simulate_all(scenarios, engine="ns3", experiment="hybla-windows")
    return _windows(results, "loss", losses)


def _windows(results: list[Result], by: str, names: Sequence) -> pd.DataFrame:
    """Return the congestion windows of several runs, each to its end; a column says whose."""
    if not results:
        return pd.DataFrame(columns=[by, "flow", "time_s", WINDOW])
    traces = [
        statistics.held(result.traces[WINDOW], result.scenario.duration_s).assign(**{by: name})
        for result, name in zip(results, names, strict=True)
    ]
    return pd.concat(traces)


def _sweep(
    design: pd.DataFrame, scenarios: list[Scenario], engine: str, experiment: str
) -> pd.DataFrame:
    if not can_run(scenarios, engine):
        columns = ["scenario", *design, *FLOW_COLUMNS, "Mb/s"]
        return pd.DataFrame(columns=columns, dtype=float)
    runs = sweep(scenarios, engine=engine, experiment=experiment, labels=design)
    runs["Mb/s"] = runs["goodput_bps"] / 1e6
    return runs


def _simulate_all(scenarios: list[Scenario], engine: str, experiment: str) -> list[Result]:
    if not can_run(scenarios, engine):
        return []
    return simulate_all(scenarios, engine=engine, experiment=experiment)


# --- model and runs beside each other


def compare(
    setting: Setting,
    *,
    steady: pd.DataFrame,
    emulated: pd.DataFrame,
    transfers: pd.DataFrame,
    emulated_transfers: pd.DataFrame,
) -> pd.DataFrame:
    """Return every measured quantity beside the model's.

    The arguments are what the functions of these names return (`emulated`: `emulated_steady`).
    A row an engine, transfer, metric (keys of `ENGINES`; "steady" or a name of `Setting.segments`;
    keys of `QUANTITIES`) and loss; columns measured, halfwidth (of its 95 % interval) and model,
    in Mb/s or s; repetitions; difference and difference_halfwidth, (model - measured) / model in
    per cent.
    """
    tables = []
    for engine, runs in {"simulation": steady, "emulation": emulated}.items():
        tables.append(_beside_model(setting, runs, engine, "steady", "throughput"))
    for megabytes, transfer in zip(setting.transfer_megabytes, setting.segments, strict=True):
        for engine, runs in {"simulation": transfers, "emulation": emulated_transfers}.items():
            some = runs[runs["megabytes"] == megabytes]
            for metric in QUANTITIES:
                tables.append(_beside_model(setting, some, engine, transfer, metric))
    return pd.concat(tables)


def _beside_model(
    setting: Setting, runs: pd.DataFrame, engine: str, transfer: str, metric: str
) -> pd.DataFrame:
    column = {"throughput": "Mb/s", "transfer_time": "transfer_time_s"}[metric]
    points = statistics.interval(runs, ["loss"], column).rename(columns={column: "measured"})
    points["model"] = model(setting, transfer, metric, points["loss"].to_numpy())
    points = statistics.difference_percent(points, "measured", "model")
    return points.assign(engine=engine, transfer=transfer, metric=metric)


def points(compared: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the points of one of the paper's figures from the table of `compare`.

    Columns: engine (as readers know it), loss, the quantity under its unit, halfwidth, repetitions,
    model.
    """
    chosen = compared[(compared["transfer"] == transfer) & (compared["metric"] == metric)]
    columns = ["engine", "loss", "measured", "halfwidth", "repetitions", "model"]
    chosen = chosen[columns].rename(columns={"measured": QUANTITIES[metric]})
    return chosen.assign(engine=chosen["engine"].map(ENGINES))


def table_3(claims: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's table 3 with our numbers: a row a transfer.

    Columns of three levels: metric; engine; "paper" (per cent) and "ours", our largest difference
    with its interval as text. `compared` is of `compare`.
    """
    table = statistics.judge_differences(claims[claims["where"].eq("table 3")], compared)
    table["ours"] = [
        "–" if pd.isna(row.measured) else f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]"
        for row in table.itertuples()
    ]
    table = table.drop(columns="paper").rename(columns={"bound_percent": "paper"})
    table = table.pivot(index="transfer", columns=["metric", "engine"], values=["paper", "ours"])
    table = table.reorder_levels([1, 2, 0], axis=1).sort_index(axis=1, ascending=False)
    return table.reindex(list(dict.fromkeys(compared["transfer"])))


def throughput_differences(compared: pd.DataFrame) -> pd.DataFrame:
    """Return the differences in throughput as text: a row a loss, a column a transfer and engine.

    `compared` is of `compare`.
    """
    table = compared[compared["metric"] == "throughput"]
    column = table["transfer"] + ", " + table["engine"].map(ENGINES)
    text = _texts(table)
    wide = table.assign(column=column, text=text).pivot(
        index="loss", columns="column", values="text"
    )
    return wide[list(dict.fromkeys(column))].reset_index()


def variants(setting: Setting, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of varied steady runs from the model, (model - measured) / model in %.

    As text with 95 % intervals: a row a variant, in the order of `runs`, and a column a loss rate.
    `runs` has the columns variant, loss, seed and goodput_bps.
    """
    table = statistics.interval(runs, ["variant", "loss"], "goodput_bps")
    throughput = hybla.throughput(table["loss"].to_numpy(), **setting.model)
    table["model"] = throughput * 8 * setting.segment_bytes
    table = statistics.difference_percent(table, "goodput_bps", "model")
    table["text"] = _texts(table)
    wide = table.pivot(index="variant", columns="loss", values="text")
    return wide.loc[runs["variant"].unique()]


def _texts(table: pd.DataFrame) -> list[str]:
    """Return each row's difference, with its interval where it has one."""
    return [
        f"{row.difference:+.2f}"
        + ("" if pd.isna(row.difference_halfwidth) else f" ± {row.difference_halfwidth:.2f}")
        for row in table.itertuples()
    ]


def events(setting: Setting, runs: pd.DataFrame, duration_s: float) -> pd.DataFrame:
    """Return how many cycles the model has in a steady run, beside the mean counts of the runs.

    `runs` is of `steady` or `emulated_steady`, of which each lasts `duration_s`. Columns: loss;
    cycles, model; recoveries; timeouts.
    """
    counts = runs.groupby("loss")[["recoveries", "timeouts"]].mean().reset_index()
    cycle_s = hybla.steady_state(counts["loss"].to_numpy(), **setting.model)["A"]
    counts.insert(1, "cycles, model", duration_s / cycle_s)
    return counts


def one_halving(setting: Setting, compared: pd.DataFrame) -> pd.DataFrame:
    """Return the steady goodput of ns-3, of the model, and of it with one halving per window.

    In Mb/s; columns loss, ns-3, model, one halving, and the difference of ns-3 from either in per
    cent of it. `compared` is of `compare`.
    """
    table = points(compared[compared["engine"] == "simulation"], "steady", "throughput")
    table = table[["loss", "Mb/s", "model"]].rename(columns={"Mb/s": "ns-3"})
    halved = hybla.throughput(
        table["loss"].to_numpy(), **setting.model, equations=hybla.HALVED_ONCE
    )
    table["one halving"] = setting.megabits * halved
    for column in ("model", "one halving"):
        table[f"{column}, difference %"] = 100 * (1 - table["ns-3"] / table[column])
    return table


def verdicts(judged: pd.DataFrame) -> pd.DataFrame:
    """Return `statistics.judge_differences` as `show.show_verdicts` wants it."""
    reasons = judged["at"].map("largest at p = {:g}".format)
    reasons = reasons.mask(judged["at"].isna(), "no run in this range of loss rates")
    reasons = reasons.mask(judged["bound_percent"].isna(), "the text gives no number")
    return judged.assign(
        printed=judged["bound_percent"],
        unit="%",
        engine=judged["engine"].map(ENGINES),
        reason=reasons,
    )
