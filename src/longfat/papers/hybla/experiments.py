"""The data of every figure and table of the chapter on TCP Hybla: the model's, and the runs'.

`LEGS` says how the paper's two experiments are run here: on which engine, for how long, how often.
A leg that this machine can neither run nor find in the archive is an empty table, with the same
columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import engines, measures, statistics
from longfat.errors import InputError
from longfat.papers import hybla, reno
from longfat.papers.hybla import derivation
from longfat.papers.hybla.network import SATELLITE, satellite, shared_bottleneck
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Ns2, Record, Scenario
from longfat.style import label
from longfat.sweeps import can_run, simulate_all, sweep

METHODS = ("simulation", "emulation")  # the paper's words: ns-2, and a Linux behind dummynet
QUANTITIES = {"throughput": "Mb/s", "transfer_time": "s"}  # what was compared, and its unit
WINDOW = "cwnd_segments"
THRESHOLD = "ssthresh_segments"


@dataclass(frozen=True, kw_only=True)
class Leg:
    """One way in which the paper's experiments are run here.

    `label` is the engine as readers know it, `prefix` is that of its experiments in the archive.
    `methods` are the paper's experiments that its steady runs stand beside; these last as long as
    the paper's emulation if `emulation_time`, else as its simulation. `transfers` are the paper's
    experiments that its transfers stand beside, if it has any. `repetitions` are those at the
    paper's own scale, and `quick` at the other profile. `changes` are arguments of `satellite`,
    `ns2` what ns-2 does by habit.
    """

    engine: str
    label: str
    prefix: str
    methods: tuple[str, ...]
    transfers: tuple[str, ...]
    emulation_time: bool
    repetitions: int
    quick: int
    changes: Mapping[str, Any] = field(default_factory=dict)
    ns2: Ns2 = field(default_factory=Ns2)

    def of(self, scenario: Scenario) -> Scenario:
        """Return a scenario as this leg has it."""
        return scenario.with_(ns2=self.ns2)


LEGS: dict[str, Leg] = {
    "segment": Leg(
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
    "ns2": Leg(
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
    "linux": Leg(
        engine="linux",
        label="Linux",
        prefix="emulation-",
        methods=("emulation",),
        transfers=("emulation",),
        emulation_time=True,
        repetitions=10,
        quick=3,
    ),
    # The segment engine for as long as the paper's emulation: its start weighs ten times as much.
    "segment-emulation": Leg(
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
    "lost_retransmission": {"left to the timer": {"faults": ("lost-retransmission",)}},
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
TIMED = "transfer_time"  # a parameter that needs no other run: from when and until when
PRINTED_REPETITIONS = 10  # of which the paper printed means

ROBUST = ("newreno", "cubic", "hybla", "bbr")  # what a sender over a satellite could run


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the chapter's experiments have in common.

    Times are in seconds, `max_window_segments` in segments, `transfer_megabytes` in 10^6 bytes;
    `duration_s` is that of a steady run of the paper's simulation, `emulation_s` of its emulation.
    Without `repetitions` each leg has its own. Raises InputError for what no figure could show.
    """

    loss_rates: Sequence[float]
    rtt_s: float
    rtt0_s: float
    max_window_segments: int
    segment_bytes: int
    rto_s: float
    transfer_megabytes: Sequence[float]
    repetitions: int | None
    duration_s: float
    emulation_s: float
    quick: bool = False

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
    def model(self) -> dict:
        """The same as the model takes it."""
        return {
            "rtt": self.rtt_s,
            "rtt0": self.rtt0_s,
            "max_window": self.max_window_segments,
        }

    def seeds(self, repetitions: int = 10, quick: int = 3) -> range:
        """Return a seed for each repetition, of so many where the setting does not say."""
        usual = quick if self.quick else repetitions
        return range(1, (self.repetitions or usual) + 1)

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
    duration_s: float | None,
    **parameters,
) -> Setting:
    """Return the setting at a profile, "paper" or "quick", which decides what is None.

    These are the loss rates, 1-2-5 steps from 1e-6 to 1e-2 or one a decade; the repetitions of each
    leg; and the duration of a steady run, 1000 or 100 s. `parameters` are the other fields of
    `Setting`. Raises InputError for another profile.
    """
    if profile not in ("paper", "quick"):
        raise InputError(f"profile is '{profile}': it must be paper or quick")
    quick = profile == "quick"
    steps = (1,) if quick else (1, 2, 5)
    decades = [float(f"{step}e{power}") for power in range(-6, -2) for step in steps]
    return Setting(
        loss_rates=[*decades, 1e-2] if loss_rates is None else loss_rates,
        duration_s=(100.0 if quick else 1000.0) if duration_s is None else duration_s,
        quick=quick,
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
    """Return the throughput (segments/s) of Hybla's model as that of Reno, and of models of Reno.

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
    """Return the model's throughput (segments/s) as loss vanishes, beside that of a full window."""
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
    """Return the model's steady state at each loss rate, without what is given, and B in Mb/s."""
    table = hybla.steady_state(np.array(setting.loss_rates), **setting.model)
    table["Mb/s"] = table["B"] * 8 * setting.segment_bytes / 1e6
    return table.drop(columns=["R", "rho", "W_m"])


def latency(setting: Setting) -> pd.DataFrame:
    """Return the model's time of each transfer at five loss rates, without its probabilities."""
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


def cardwell(setting: Setting) -> pd.DataFrame:
    """Return the time of transfers (s) by Cardwell et al. and by Hybla's model as that of Reno.

    No window limits them. Columns: segments, loss, Cardwell et al., Hybla's model.
    """
    table = statistics.combinations(segments=[100, 10_000], loss=[1e-4, 1e-3, 1e-2])
    rtt_s, unlimited = setting.rtt_s, 1e9
    given = table["segments"].to_numpy(float), table["loss"].to_numpy()
    return table.assign(
        **{
            "Cardwell et al.": reno.cardwell_transfer_time(
                *given, rtt_s, unlimited, setting.rto_s, syn_timeout=3.0
            ),
            "Hybla's model": hybla.transfer_time(*given, rtt_s, rtt_s, unlimited, setting.rto_s),
        }
    )


# --- runs


def legs(setting: Setting) -> pd.DataFrame:
    """Return `LEGS` in words: columns engine, stands beside, steady runs (how many, how long)."""
    rows = []
    for leg in LEGS.values():
        seconds = setting.emulation_s if leg.emulation_time else setting.duration_s
        runs = len(setting.seeds(leg.repetitions, leg.quick))
        rows.append(
            {
                "engine": leg.label,
                "steady state": f"{runs} runs of {seconds:g} s at each loss rate",
                "stands beside": " and ".join(leg.methods) or "the segment engine",
                "its transfers": " and ".join(leg.transfers) or "none",
            }
        )
    return pd.DataFrame(rows)


def steady(setting: Setting) -> pd.DataFrame:
    """Run the steady state on every leg.

    Columns: leg (a key of `LEGS`), experiment, loss, seed, those of `sweep`, and Mb/s (goodput).
    """
    return pd.concat([_steady(setting, name) for name in LEGS], ignore_index=True)


def _steady(setting: Setting, name: str) -> pd.DataFrame:
    leg = LEGS[name]
    seconds = setting.emulation_s if leg.emulation_time else setting.duration_s
    seeds = setting.seeds(leg.repetitions, leg.quick)
    design = statistics.combinations(loss=setting.loss_rates, seed=seeds)
    scenarios = [
        leg.of(
            satellite(
                loss=run.loss, seed=run.seed, duration_s=seconds, **setting.path, **leg.changes
            )
        )
        for run in design.itertuples()
    ]
    return _sweep(design.assign(leg=name), scenarios, leg.engine, f"hybla-{leg.prefix}steady")


def transfers(setting: Setting) -> pd.DataFrame:
    """Run the transfers on every leg: columns of `steady`, and megabytes."""
    tables = [_transfers(setting, name) for name, leg in LEGS.items() if leg.transfers]
    return pd.concat(tables, ignore_index=True)


def _transfers(setting: Setting, name: str) -> pd.DataFrame:
    leg = LEGS[name]
    seeds = setting.seeds(leg.repetitions, leg.quick)
    design = statistics.combinations(
        megabytes=setting.transfer_megabytes, loss=setting.loss_rates, seed=seeds
    )
    more = {
        tuple(point): count for (where, *point), count in MORE_TRANSFERS.items() if where == name
    }
    design = _with_more(setting, design, ["megabytes", "loss"], more)
    scenarios = [leg.of(scenario) for scenario in _files(setting, design, leg.changes)]
    return _sweep(design.assign(leg=name), scenarios, leg.engine, f"hybla-{leg.prefix}transfers")


def _with_more(
    setting: Setting, design: pd.DataFrame, columns: list[str], more: Mapping[tuple, int]
) -> pd.DataFrame:
    """Return a design with more seeds at some of its points, unless their number is asked for."""
    if setting.quick or setting.repetitions:
        return design
    first = int(design["seed"].max()) + 1
    rows = [
        dict(zip(columns, point, strict=True)) | {"seed": seed}
        for point, count in more.items()
        if (design[columns] == list(point)).all(axis=1).any()
        for seed in range(first, count + 1)
    ]
    return pd.concat([design, pd.DataFrame(rows, columns=design.columns)], ignore_index=True)


def _files(setting: Setting, design: pd.DataFrame, changes: Any) -> list[Scenario]:
    return [
        satellite(
            loss=run.loss,
            seed=run.seed,
            transfer_bytes=round(run.megabytes * 1e6),
            duration_s=5000,
            **setting.path,
            **_changes(changes, run.loss),
        )
        for run in design.itertuples()
    ]


def _changes(changes: Any, loss: float) -> Mapping[str, Any]:
    return changes(loss) if callable(changes) else changes


def varied_steady(setting: Setting) -> pd.DataFrame:
    """Run the steady state with each unstated parameter (`VARIED`) changed alone.

    On the segment engine for as long as the paper's simulation and as its emulation, on Linux where
    it has the setting, and on ns-2 the one of `NS2_VARIED`. `DECISIVE` ones are run as often as the
    stated setting. Columns: parameter, value, and those of `steady`.
    """
    return pd.concat(
        [
            _varied_steady(setting, "segment", 5, setting.duration_s),
            _varied_steady(setting, "segment-emulation", 10, setting.emulation_s),
            _varied_on_linux(setting),
            _varied_on_ns2(setting),
        ],
        ignore_index=True,
    )


def _varied_steady(setting: Setting, leg: str, few: int, duration_s: float) -> pd.DataFrame:
    tables = []
    for parameter, value, changes in _each_variation(VARIED):
        seeds = setting.seeds(LEGS[leg].repetitions if parameter in DECISIVE else few)
        design = statistics.combinations(loss=setting.loss_rates, seed=seeds)
        more = {
            (loss,): count
            for (name, varied, loss), count in MORE_STEADY.items()
            if (name, varied) == (leg, parameter)
        }
        design = _with_more(setting, design, ["loss"], more)
        runs = [
            satellite(
                loss=run.loss,
                seed=run.seed,
                duration_s=duration_s,
                **setting.path,
                **_changes(changes, run.loss),
            )
            for run in design.itertuples()
        ]
        tables.append((design.assign(leg=leg, parameter=parameter, value=value), runs))
    return _sweep(*_joined(tables), "segment", f"hybla-{LEGS[leg].prefix}assumptions")


def _varied_on_linux(setting: Setting) -> pd.DataFrame:
    some = [loss for loss in setting.loss_rates if loss >= 1e-4] or setting.loss_rates
    leg = LEGS["linux"]
    design = statistics.combinations(loss=some, seed=setting.seeds(leg.repetitions, leg.quick))
    tables = []
    for parameter, value, changes in _each_variation(LINUX_VARIED):
        runs = [
            satellite(
                loss=run.loss,
                seed=run.seed,
                duration_s=setting.emulation_s,
                **setting.path,
                **changes,
            )
            for run in design.itertuples()
        ]
        tables.append((design.assign(leg="linux", parameter=parameter, value=value), runs))
    return _sweep(*_joined(tables), leg.engine, "hybla-emulation-variants")


def _varied_on_ns2(setting: Setting) -> pd.DataFrame:
    parameter, value = NS2_VARIED
    leg = LEGS["ns2"]
    design = statistics.combinations(loss=setting.loss_rates, seed=setting.seeds(5, leg.quick))
    more = {(loss,): count for loss, count in NS2_SEEDS.items()}
    design = _with_more(setting, design, ["loss"], more)
    changes = leg.changes | VARIED[parameter][value]
    scenarios = [
        leg.of(
            satellite(
                loss=run.loss,
                seed=run.seed,
                duration_s=setting.duration_s,
                **setting.path,
                **changes,
            )
        )
        for run in design.itertuples()
    ]
    design = design.assign(leg="ns2", parameter=parameter, value=value)
    return _sweep(design, scenarios, leg.engine, "hybla-ns2-assumptions")


def varied_transfers(setting: Setting) -> pd.DataFrame:
    """Run the transfers on the segment engine with each parameter of `VARIED` changed alone.

    As often as with the stated setting. Columns: parameter, value, megabytes, and those of
    `steady`.
    """
    seeds = setting.seeds(LEGS["segment"].repetitions)
    design = statistics.combinations(
        megabytes=setting.transfer_megabytes, loss=setting.loss_rates, seed=seeds
    )
    tables = [
        (
            design.assign(leg="segment", parameter=parameter, value=value),
            _files(setting, design, changes),
        )
        for parameter, value, changes in _each_variation(VARIED)
    ]
    return _sweep(*_joined(tables), "segment", "hybla-files-assumed")


def _each_variation(parameters: Iterable[str]) -> Iterable[tuple[str, str, Any]]:
    for parameter in parameters:
        for value, changes in VARIED[parameter].items():
            yield parameter, value, changes


def _joined(
    tables: list[tuple[pd.DataFrame, list[Scenario]]],
) -> tuple[pd.DataFrame, list[Scenario]]:
    designs = pd.concat([design for design, _ in tables], ignore_index=True)
    return designs, [scenario for _, scenarios in tables for scenario in scenarios]


def beside(setting: Setting) -> pd.DataFrame:
    """Run Hybla and what else a sender could run over the satellite, on the segment engine.

    All with a window of at most W_m: columns algorithm, and those of `steady`.
    """
    design = statistics.combinations(
        algorithm=ROBUST, loss=setting.loss_rates, seed=setting.seeds()
    )
    scenarios = [
        satellite(
            loss=run.loss,
            seed=run.seed,
            congestion_control=run.algorithm,
            duration_s=min(300.0, setting.duration_s),
            **setting.path,
        )
        for run in design.itertuples()
    ]
    return _sweep(design.assign(leg="segment"), scenarios, "segment", "hybla-beside")


def sharing(setting: Setting) -> pd.DataFrame:
    """Run a flow over a long way beside a NewReno flow of 25 ms, on one link of 10 Mb/s.

    Columns: algorithm and rtt_s (of the long way), seed, share (its part of what both get), Mb/s
    (both together), and timeouts (of the one over the long way).
    """
    trips = sorted({0.025, 0.05, 0.1, 0.2, 0.3, setting.rtt_s})
    design = statistics.combinations(algorithm=ROBUST, rtt_s=trips, seed=setting.seeds(5))
    scenarios = [
        shared_bottleneck(
            congestion_control=run.algorithm,
            rtt_s=run.rtt_s,
            rtt0_s=setting.rtt0_s,
            segment_bytes=setting.segment_bytes,
            duration_s=min(300.0, setting.duration_s),
            seed=run.seed,
        )
        for run in design.itertuples()
    ]
    runs = _sweep(design.assign(leg="segment"), scenarios, "segment", "hybla-sharing")
    both = runs.groupby("scenario")["Mb/s"].sum()
    mine = runs[runs["flow"] == SATELLITE].set_index("scenario")
    shares = mine[["algorithm", "rtt_s", "seed", "timeouts"]].assign(
        share=mine["Mb/s"] / both, both=both
    )
    return shares.rename(columns={"both": "Mb/s"}).reset_index(drop=True)


def overflow(setting: Setting) -> pd.DataFrame:
    """Run 8 s without loss on ns-3 with our Hybla and with its own.

    Returns the windows: columns algorithm, flow, time_s, cwnd_segments.
    """
    algorithms = {"hybla": "ours, at most $W_m$", "hybla-ns3": "ns-3's own"}
    scenarios = [
        satellite(
            loss=0,
            duration_s=8,
            record=Record(series=(WINDOW,), points=400),
            congestion_control=name,
            **setting.path,
        )
        for name in algorithms
    ]
    results = _simulate_all(scenarios, "ns3", experiment="hybla-overflow")
    return _windows(results, "algorithm", list(algorithms.values()))


def starts(setting: Setting) -> pd.DataFrame:
    """Run 30 s on Linux where one in 1000 is lost, with the paper's start and with its own.

    Returns the windows: columns start, flow, time_s, cwnd_segments.
    """
    limited_by = {
        "sender": "the paper's start, at most $W_m$",
        "receiver": "stock Linux",
    }
    scenarios = [
        satellite(
            loss=1e-3,
            duration_s=30,
            limited_by=who,  # type: ignore[arg-type]
            record=Record(series=(WINDOW,), points=600),
            **setting.path,
        )
        for who in limited_by
    ]
    results = _simulate_all(scenarios, "linux", experiment="hybla-emulation-start")
    return _windows(results, "start", list(limited_by.values()))


def windows(setting: Setting) -> pd.DataFrame:
    """Run 40 s on the segment engine at three loss rates.

    Returns the windows: columns loss, flow, time_s, cwnd_segments, ssthresh_segments.
    """
    losses = (1e-4, 1e-3, 1e-2)
    record = Record(series=(WINDOW, THRESHOLD), points=400)
    scenarios = [
        satellite(loss=loss, duration_s=40, record=record, **setting.path) for loss in losses
    ]
    results = _simulate_all(scenarios, "segment", experiment="hybla-windows")
    traces = _windows(results, "loss", losses)
    halved = [
        result.traces[THRESHOLD].assign(loss=loss)
        for loss, result in zip(losses, results, strict=False)
        if THRESHOLD in result.traces  # it is not, where nothing was lost
    ]
    if not halved:
        return traces.assign(**{THRESHOLD: np.nan})
    return pd.merge_asof(
        traces.sort_values("time_s"),
        pd.concat(halved).sort_values("time_s").drop(columns="flow"),
        on="time_s",
        by="loss",
    ).sort_values(["loss", "time_s"])


def growth(setting: Setting) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run 8 s without loss, in congestion avoidance from 100 segments on, with no largest window.

    Returns the window over time, and a table of round trips: time_s (its end) and window (there);
    before (at its beginning); added; by_acks, what (1) adds for so many ACKs; printed, the rho^2 of
    (6) and (14).
    """
    seconds, first = 8.0, 100
    path = setting.path | {"max_window_segments": 100_000, "queue_packets": 100_000}
    scenario = satellite(
        loss=0,
        duration_s=seconds,
        initial_ssthresh_segments=first,
        record=Record(series=(WINDOW,), points=400),
        **path,
    )
    (result,) = _simulate_all([scenario], "segment", experiment="hybla-growth")
    trace = result.traces[WINDOW]
    rounds = np.arange(2, int(seconds / setting.rtt_s))
    ends = rounds * setting.rtt_s + 0.9 * setting.rtt_s  # after the ACKs of that round trip
    window = measures.held_at(trace, WINDOW, ends)
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    table = pd.DataFrame({"time_s": ends, "window": window})
    table["before"] = table["window"].shift()
    table["added"] = table["window"] - table["before"]
    table["by_acks"] = derivation.window_after_round(table["before"], ratio) - table["before"]
    return trace, table.assign(printed=ratio**2).dropna()


def _windows(results: list[Result], by: str, names: Sequence) -> pd.DataFrame:
    """Return the congestion windows of several runs, each to its end; a column says whose."""
    if not results:
        return pd.DataFrame(columns=[by, "flow", "time_s", WINDOW])
    traces = [
        measures.held(result.traces[WINDOW], result.scenario.duration_s).assign(**{by: name})
        for result, name in zip(results, names, strict=False)
    ]
    return pd.concat(traces)


def _sweep(
    design: pd.DataFrame, scenarios: list[Scenario], engine: str, experiment: str
) -> pd.DataFrame:
    if engine not in engines.ENGINES or not can_run(scenarios, engine):
        columns = ["scenario", *design, *FLOW_COLUMNS, "Mb/s", "experiment"]
        return pd.DataFrame(columns=columns, dtype=float)
    runs = sweep(scenarios, engine=engine, experiment=experiment, labels=design)
    return runs.assign(**{"Mb/s": runs["goodput_bps"] / 1e6}, experiment=experiment)


def _simulate_all(scenarios: list[Scenario], engine: str, experiment: str) -> list[Result]:
    if not can_run(scenarios, engine):
        return []
    return simulate_all(scenarios, engine=engine, experiment=experiment)


def timed_otherwise(setting: Setting, transfers: pd.DataFrame) -> pd.DataFrame:
    """Return the segment engine's transfers with their time taken otherwise, by `VARIED`'s columns.

    Ours run from the SYN to the arrival of the last byte. The handshake takes a round trip, and the
    sender knows the end half a round trip later.
    """
    runs = transfers[transfers["leg"] == "segment"]
    otherwise = {
        "from the SYN to the last ACK": setting.rtt_s / 2,
        "from the first segment to the last byte": -setting.rtt_s,
    }
    tables = []
    for value, later_s in otherwise.items():
        time_s = runs["transfer_time_s"] + later_s
        rate = 8 * runs["megabytes"] / time_s
        changed = runs.assign(transfer_time_s=time_s, **{"Mb/s": rate})
        tables.append(changed.assign(parameter=TIMED, value=value))
    return pd.concat(tables, ignore_index=True)


# --- model and runs beside each other


def compare(setting: Setting, steady: pd.DataFrame, transfers: pd.DataFrame) -> pd.DataFrame:
    """Return every measured quantity beside the model's.

    The arguments are of `steady` and `transfers`, or with varied settings of `varied_steady` and
    `varied_transfers`. A row a leg, parameter and value ("" where nothing is varied), transfer and
    metric ("steady" or a name of `Setting.segments`; keys of `QUANTITIES`) and loss; columns
    experiment; measured, halfwidth (of its 95 % interval) and model, in Mb/s or s; repetitions;
    difference and difference_halfwidth, (model - measured) / model in per cent.
    """
    tables = [_beside_model(setting, steady, "steady", "throughput")]
    for megabytes, transfer in zip(setting.transfer_megabytes, setting.segments, strict=True):
        some = transfers[transfers["megabytes"] == megabytes]
        tables += [_beside_model(setting, some, transfer, metric) for metric in QUANTITIES]
    return pd.concat(tables, ignore_index=True)


def _beside_model(setting: Setting, runs: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    runs = _each_beside_model(setting, runs, transfer, metric)
    by = ["leg", "parameter", "value", "experiment", "loss", "model"]
    points = statistics.interval(runs, by, "measured")
    points = statistics.difference_percent(points, "measured", "model")
    return points.assign(transfer=transfer, metric=metric)


def _each_beside_model(
    setting: Setting, runs: pd.DataFrame, transfer: str, metric: str
) -> pd.DataFrame:
    """Return the runs with columns measured, model and difference, as `compare` has them."""
    column = {"throughput": "Mb/s", "transfer_time": "transfer_time_s"}[metric]
    if "parameter" not in runs:
        runs = runs.assign(parameter="", value="")
    losses = runs["loss"].unique()
    known = dict(zip(losses, np.atleast_1d(model(setting, transfer, metric, losses)), strict=True))
    runs = runs.assign(measured=runs[column], model=runs["loss"].map(known))
    return runs.assign(difference=100 * (1 - runs["measured"] / runs["model"]))


def points(compared: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the points of one of the paper's figures from the table of `compare`.

    Columns: engine (as readers know it), loss, the quantity under its unit, halfwidth, repetitions,
    model. Legs in the order of `LEGS`; none that repeats another one's engine.
    """
    chosen = compared[(compared["transfer"] == transfer) & (compared["metric"] == metric)]
    chosen = chosen[chosen["leg"] != "segment-emulation"]
    order = chosen["leg"].map({name: place for place, name in enumerate(LEGS)})
    chosen = chosen.assign(order=order).sort_values(["order", "loss"])
    labels = chosen["leg"].map({name: leg.label for name, leg in LEGS.items()})
    columns = ["engine", "loss", "measured", "halfwidth", "repetitions", "model"]
    table = chosen.assign(engine=labels)[columns]
    return table.rename(columns={"measured": QUANTITIES[metric]}).reset_index(drop=True)


def differences(compared: pd.DataFrame, metric: str = "throughput", **chosen: str) -> pd.DataFrame:
    """Return differences from the model as text: a row a loss, a column a transfer and leg.

    `chosen` are columns of `compared` (of `compare`) and what they must be. With varied settings
    the columns are these.
    """
    table = compared[compared["metric"] == metric]
    for column, value in chosen.items():
        table = table[table[column] == value]
    column = table["transfer"] + ", " + table["leg"].map({n: leg.label for n, leg in LEGS.items()})
    if (table["parameter"] != "").any():
        column = table["parameter"].map(label) + ": " + table["value"]
    wide = table.assign(column=column, text=_texts(table))
    return (
        wide.pivot(index="loss", columns="column", values="text")[list(dict.fromkeys(column))]
        .rename_axis(columns=None)
        .reset_index()
    )


def _texts(table: pd.DataFrame) -> list[str]:
    """Return each row's difference, with its interval where it has one."""
    return [
        f"{row.difference:+.2f}"
        + ("" if pd.isna(row.difference_halfwidth) else f" ± {row.difference_halfwidth:.2f}")
        for row in table.itertuples()
    ]


def events(setting: Setting, runs: pd.DataFrame, duration_s: float) -> pd.DataFrame:
    """Return how many cycles the model has in a steady run, beside the mean counts of the runs.

    `runs` is one leg's of `steady`, of which each lasts `duration_s`. Columns: loss; cycles, model;
    recoveries; timeouts.
    """
    counts = runs.groupby("loss")[["recoveries", "timeouts"]].mean().reset_index()
    cycle_s = hybla.steady_state(counts["loss"].to_numpy(), **setting.model)["A"]
    counts.insert(1, "cycles, model", duration_s / cycle_s)
    return counts


MENDED: dict[str, tuple[str, ...]] = {
    "the paper's model": (),
    "halved once": ("halving",),
    "growth by ACKs": ("growth",),
    "both": ("halving", "growth"),
    "and one round of recovery": ("halving", "growth", "recovery"),
}


def mended(setting: Setting, compared: pd.DataFrame) -> pd.DataFrame:
    """Return the steady goodput of the segment engine and of the model with premises mended.

    In Mb/s: columns loss, measured, and those of `MENDED`. `compared` is of `compare`.
    """
    chosen = compared[(compared["leg"] == "segment") & (compared["transfer"] == "steady")]
    table = chosen[["loss", "measured"]].sort_values("loss").reset_index(drop=True)
    for name, premises in MENDED.items():
        table[name] = [
            setting.megabits
            * derivation.mended_cycle(
                loss, setting.rtt_s, setting.rtt0_s, setting.max_window_segments, premises
            ).B
            for loss in table["loss"]
        ]
    return table


# --- evidence


def evidence(
    setting: Setting,
    claims: pd.DataFrame,
    *,
    steady: pd.DataFrame,
    transfers: pd.DataFrame,
    varied_steady: pd.DataFrame,
    varied_transfers: pd.DataFrame,
    beside: pd.DataFrame,
    rounds: pd.DataFrame,
) -> pd.DataFrame:
    """Return what every claim is judged by, as `statistics.judge` takes it.

    The arguments are what the functions of these names return (`rounds`: the second table of
    `growth`). The time of a transfer is also taken otherwise, which needs no other run.
    """
    otherwise = timed_otherwise(setting, transfers)
    changed = pd.concat([varied_transfers, otherwise], ignore_index=True)
    parts = [(steady, "steady", "throughput"), (varied_steady, "steady", "throughput")]
    for megabytes, transfer in zip(setting.transfer_megabytes, setting.segments, strict=True):
        for metric in QUANTITIES:
            for runs in (transfers, changed):
                parts.append((runs[runs["megabytes"] == megabytes], transfer, metric))
    apart = pd.concat(
        [
            _each_beside_model(setting, runs, transfer, metric).assign(
                transfer=transfer, metric=metric
            )
            for runs, transfer, metric in parts
            if len(runs)
        ],
        ignore_index=True,
    )
    rows: list[dict] = []
    for claim in claims[claims["method"].notna()].itertuples():
        legs = [
            name
            for name, leg in LEGS.items()
            if claim.method in (leg.methods if claim.transfer == "steady" else leg.transfers)
        ]
        rows += _of_differences(setting, claim, apart[apart["leg"].isin(legs)])
    rows += _of_large_transfers(setting, claims, apart)
    rows += _of_the_question(beside) + _of_growth(setting, rounds) + _of_the_tails(setting)
    return pd.DataFrame(rows, columns=list(statistics.EVIDENCE_COLUMNS))


def steady_evidence(claims: pd.DataFrame, runs: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return the evidence of other steady runs on claims about the steady state.

    `runs` has the columns loss and goodput_bps, of the paper's own path (`satellite`) on the
    segment engine; the loss rates that it has are those that the claims are judged at.
    """
    at = setting(
        "paper",
        loss_rates=sorted(runs["loss"].unique()),
        rtt_s=0.55,
        rtt0_s=0.025,
        max_window_segments=550,
        segment_bytes=1000,
        rto_s=1.0,
        transfer_megabytes=[10, 50, 100],
        repetitions=None,
        duration_s=None,
        emulation_s=100.0,
    )
    given = runs.assign(leg="segment", experiment=experiment, **{"Mb/s": runs["goodput_bps"] / 1e6})
    apart = _each_beside_model(at, given, "steady", "throughput")
    apart = apart.assign(transfer="steady", metric="throughput")
    rows = [row for claim in claims.itertuples() for row in _of_differences(at, claim, apart)]
    return pd.DataFrame(rows, columns=list(statistics.EVIDENCE_COLUMNS))


def _of_differences(setting: Setting, claim, apart: pd.DataFrame) -> list[dict]:
    """Return the evidence on a claim about differences from the model, a setting after another.

    `apart` has a row a run, with its difference from the model in per cent. Only settings at which
    every loss rate was run that the claim speaks of: the largest difference of some of them is not
    the largest.
    """
    low, high = 0.999 * claim.loss_min, 1.001 * claim.loss_max
    asked = {loss for loss in setting.loss_rates if low <= loss <= high}
    apart = apart[
        (apart["transfer"] == claim.transfer)
        & (apart["metric"] == claim.metric)
        & apart["loss"].between(low, high)
    ]
    rows = []
    for names, some in apart.groupby(["leg", "parameter", "value", "experiment"], sort=False):
        leg, parameter, value, experiment = names
        if set(some["loss"]) != asked:
            continue
        row = {
            "claim": claim.id,
            "engine": LEGS[leg].engine,
            "parameter": parameter,
            "setting": value,
            "experiment": experiment,
        }
        if claim.kind == "maximum":
            found = statistics.maximum(some, "loss", "difference", PRINTED_REPETITIONS)
            rows.append(row | found | {"at": _at(float(found["at"].rpartition("= ")[2]))})
            continue
        for loss, point in some.groupby("loss"):
            found = statistics.mean(point["difference"].to_numpy())
            if found["measured"] < 0:  # how far from the model, on whichever side
                ends = {"low": -found["high"], "high": -found["low"]}
                found |= ends | {"measured": -found["measured"]}
            rows.append(row | found | {"at": _at(loss)})
    return rows


def _at(loss: float) -> str:
    mantissa, exponent = f"{loss:.0e}".split("e")
    power = f"10^{{{int(exponent)}}}"
    return f"$p = {power}$" if mantissa == "1" else f"$p = {mantissa} \\times {power}$"


def _of_large_transfers(setting: Setting, claims: pd.DataFrame, apart: pd.DataFrame) -> list[dict]:
    """Return the evidence on the paper's conclusion: that of its three parts together."""
    (claim,) = claims[claims["id"] == "hybla-s5-valid"].itertuples()
    simulated = apart[(apart["leg"] == "segment") & (apart["parameter"] != TIMED)]
    rows = []
    for transfer in ("steady", *list(setting.segments)[1:]):
        part = claim._replace(transfer=transfer, metric="throughput")
        found = _of_differences(setting, part, simulated)
        what = "steady state" if transfer == "steady" else f"{transfer[:-2]} MB"
        rows += [row | {"at": f"{what}, {row['at']}"} for row in found]
    return rows


def _of_the_question(beside: pd.DataFrame) -> list[dict]:
    """Return the evidence that Hybla is faster than Reno: goodput over NewReno's, pair by pair."""
    rows = []
    for loss, runs in beside.groupby("loss"):
        wide = runs.pivot(index="seed", columns="algorithm", values="Mb/s")
        found = statistics.paired(wide["hybla"], wide["newreno"], ratio=True)
        rows.append(_row("hybla-s1-reno", "segment", _at(loss), "hybla-beside", found))
    return rows


def _of_growth(setting: Setting, rounds: pd.DataFrame) -> list[dict]:
    """Return what a round trip adds: by (1) after a halving, and as measured, window by window."""
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    half = setting.max_window_segments / 2
    exact = float(derivation.window_after_round(half, ratio)) - half
    found = {"measured": exact, "low": exact, "high": exact, "runs": 1}
    at = f"a window of {half:g}"
    rows = [_row("hybla-s2-growth", "arithmetic", at, "", found)]
    for one in rounds[rounds["before"] < 2 * setting.max_window_segments].itertuples():
        found = {"measured": one.added, "low": one.added, "high": one.added, "runs": 1}
        at = f"a window of {one.before:.0f}"
        rows.append(_row("hybla-s2-growth", "segment", at, "hybla-growth", found))
    return rows


def _of_the_tails(setting: Setting) -> list[dict]:
    """Return how far (3) and (4) are from the sums to W - 3, at the model's own windows."""
    loss = np.array(setting.loss_rates)
    peaks = np.floor(hybla.peak_window(loss, **setting.model))
    table = derivation.dropped_tail(peaks, loss)
    rows = []
    for name, number in (("L", 3), ("D", 4)):
        largest = 100 * float(table[f"{name}_error"].max())
        found = {"measured": largest, "low": largest, "high": largest, "runs": 1}
        rows.append(_row("hybla-s3-tails", "arithmetic", f"equation ({number})", "", found))
    return rows


def _row(claim: str, engine: str, at: str, experiment: str, found: dict) -> dict:
    where = {"claim": claim, "engine": engine, "parameter": "", "setting": ""}
    return where | {"at": at, "experiment": experiment} | found


def bands(claims: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the bounds that section 4 puts on the paper's simulation, a row a range of loss.

    Columns loss_min, loss_max and printed (per cent).
    """
    return claims[
        (claims["method"] == "simulation")
        & (claims["transfer"] == transfer)
        & (claims["metric"] == metric)
        & (claims["where"] == "section 4")
    ]


def table_3(claims: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's table 3 with our numbers: a row a transfer.

    Columns: data, and for each metric and method the printed number and ours with the interval of a
    set of runs such as the paper's. `judged` is of `statistics.judge`.
    """
    table = claims[claims["where"] == "table 3"][["id", "transfer", "metric", "method"]]
    table = table.merge(judged[["id", "printed", "measured", "low", "high"]], on="id")
    table["ours"] = [
        "–" if pd.isna(row.measured) else f"{row.measured:.2f} [{row.low:.2f}, {row.high:.2f}]"
        for row in table.itertuples()
    ]
    rows = []
    for transfer, some in table.groupby("transfer", sort=False):
        row: dict[str, object] = {"data": transfer.replace("MB", " MB")}
        for one in some.itertuples():
            name = f"{one.metric.replace('_', ' ')}, {one.method}"
            row |= {f"{name}: paper": f"{one.printed:.2f}", f"{name}: ours": one.ours}
        rows.append(row)
    return pd.DataFrame(rows)


# --- what the chapter's sentences say


def numbers_of_the_model(setting: Setting) -> dict[str, float]:
    """Return what sentences say of the model alone, by names that begin with `hybla_`."""
    half = setting.max_window_segments / 2
    ratio = float(hybla.growth_ratio(setting.rtt_s, setting.rtt0_s))
    rtt_s, limit = setting.rtt_s, setting.max_window_segments
    state = hybla.steady_state([1e-4, 1e-3], **setting.model)
    by_acks = derivation.mended_cycle(1e-3, rtt_s, setting.rtt0_s, limit, ("growth",))
    jump = hybla.regime_jump(**setting.model).iloc[0]
    time_s = hybla.latency(1e4, 0, rto=setting.rto_s, **setting.model).iloc[0]
    return {
        "hybla_ratio": ratio,
        "hybla_most": limit * setting.megabits / rtt_s,
        "hybla_reno_s": half * rtt_s,
        "hybla_at_limit": 100 * float(state["V"][0] / (state["A"][0] / rtt_s)),
        "hybla_cycle_s": float(state["A"][0]),
        "hybla_squared": ratio**2,
        "hybla_added": float(derivation.window_after_round(half, ratio)) - half,
        "hybla_rounds_printed": float(state["U"][1]),
        "hybla_rounds_by_acks": float(by_acks["U"]),
        "hybla_jump": 100 * float(jump["jump"]),
        "hybla_jump_at": float(jump["loss"]),
        "hybla_small_s": float(time_s["T"]),
        "hybla_small_rounds": float(time_s["T_ss"]) / rtt_s,
    }


def numbers_measured(
    setting: Setting,
    *,
    compared: pd.DataFrame,
    varied: pd.DataFrame,
    beside: pd.DataFrame,
    shares: pd.DataFrame,
    judged: pd.DataFrame,
) -> dict[str, float]:
    """Return what sentences say of the runs, by names that begin with `hybla_`.

    `compared` and `varied` are of `compare`, with the stated setting and with varied ones; `beside`
    and `shares` of `beside` and `sharing`; `judged` of `statistics.judge`. What was not run is
    missing (NaN).
    """

    def off(transfers: Sequence[str], table: pd.DataFrame = compared, leg: str = "segment", **at):
        some = table[(table["leg"] == leg) & (table["metric"] == "throughput")]
        some = some[some["transfer"].isin(transfers)]
        for name, value in at.items():
            some = some[some[name] == value] if name != "few" else some[some["loss"] < 1.5e-4]
        return some

    def largest(some: pd.DataFrame) -> float:
        return float(some["difference"].abs().max())

    def at_loss(some: pd.DataFrame, loss: float, column: str = "difference") -> float:
        return float(some.loc[np.isclose(some["loss"], loss), column].mean())

    small, medium, large = setting.segments
    steady = off(["steady"])
    worst = steady.loc[steady["difference"].abs().idxmax()]
    goodput = beside.groupby(["algorithm", "loss"])["Mb/s"].mean().unstack("loss")
    share = shares.groupby(["algorithm", "rtt_s"])["share"].mean().unstack("rtt_s").iloc[:, -1]
    linux, short = (off(["steady"], leg=leg) for leg in ("linux", "segment-emulation"))
    apart = linux.merge(short, on="loss", suffixes=("", "_segment"))
    delayed = off(["steady"], varied, parameter="acked_per_ack")
    times = compared[(compared["leg"] == "segment") & (compared["metric"] == "transfer_time")]
    rates = mended(setting, compared).set_index("loss")
    found = {
        "hybla_steady_few": largest(off(["steady"], few=True)),
        "hybla_large_few": largest(off([medium, large], few=True)),
        "hybla_small_few": largest(off([small], few=True)),
        "hybla_steady_all": largest(steady),
        "hybla_steady_at": float(worst["loss"]),
        "hybla_below_at_many": at_loss(steady, 1e-2),
        "hybla_linux_apart": float(
            (100 * (apart["measured_segment"] / apart["measured"] - 1)).abs().max()
        ),
        "hybla_delayed_thousandth": at_loss(delayed, 1e-3),
        "hybla_delayed_two": at_loss(delayed, 2e-3),
        "hybla_delayed_hundredth": at_loss(delayed, 1e-2),
        "hybla_small_measured_s": at_loss(times[times["transfer"] == small], 1e-6, "measured"),
        "hybla_mended_thousandth": 100
        * float((rates["both"] / rates["measured"] - 1).loc[rates.index < 1.5e-3].abs().max()),
        "hybla_printed_thousandth": 100
        * float(
            (rates[next(iter(MENDED))] / rates["measured"] - 1)
            .loc[rates.index < 1.5e-3]
            .abs()
            .max()
        ),
    }
    for loss, name in ((1e-4, "rare"), (1e-3, "often"), (1e-2, "always")):
        for algorithm in ROBUST:
            near = goodput.columns[np.isclose(goodput.columns, loss)]
            mean = float(goodput.loc[algorithm, near[0]]) if len(near) else float("nan")
            found[f"hybla_{algorithm}_{name}"] = mean
    found |= {f"hybla_share_{name}": 100 * float(share[name]) for name in ROBUST}
    counts = judged["verdict"].map(statistics.verdict_class).value_counts()
    for verdict in statistics.VERDICTS:
        found[f"hybla_{verdict.replace(' ', '_')}"] = int(counts.get(verdict, 0))
    return found | {"hybla_claims": len(judged)}
