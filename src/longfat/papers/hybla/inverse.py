"""Which unstated parameters give the numbers that the paper printed: an inverse problem, by a grid.

The paper compares its model with ns-2 and prints the largest differences: in table 3 and in section
4, for three transfer sizes, in throughput and in time. It states neither the link's rate, nor how
ns-2 recovered from losses, nor whether the receiver delayed its ACKs. Each combination of these is
run on ns-2, and its distance to the printed numbers is measured. What was printed for the steady
state is left out of the distance, and tells whether the answer holds where it was not fitted.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.experiment import Experiment, Runs
from longfat.papers.hybla import theory
from longfat.papers.hybla.network import satellite
from longfat.papers.hybla.plan import TIMING_ROUND_TRIPS, TRANSFER_LIMIT_S, Setting
from longfat.scenario import Ns2, Scenario

# How losses are repaired: by ns-2's own senders of 2004, or by its Linux agents.
RECOVERIES: dict[str, dict[str, Any]] = {
    "ns-2's SACK sender": {"own_hybla": True},
    "ns-2's NewReno": {"own_hybla": True, "sack": False},
    "Linux agent, halved at once": {"recovery": "halving"},
    "Linux agent, rate halving": {"recovery": "prr"},
}
LOSSES = (1e-6, 1e-5, 1e-4, 2e-4, 1e-3, 2e-3, 5e-3, 1e-2)  # the ends of what is printed
STEADY_S = 300.0
STATED_QUEUE = int(papers.value("hybla", "buffer"))  # packets
REPETITIONS = 5
BOOTSTRAPS = 1000


@dataclass(frozen=True)
class Combination:
    """A choice of what the paper does not state. The queue is stated, but not where it is."""

    recovery: str
    segments_per_ack: int = 1
    rate_bps: float = papers.value("hybla", "link_rate")
    queue_packets: int = STATED_QUEUE

    def scenario(self, setting: Setting, loss: float, seed: int, **more: Any) -> Scenario:
        """Return a run of it."""
        changes = {"recovery": "halving"} | RECOVERIES[self.recovery]
        sack, own_hybla = changes.pop("sack", True), changes.pop("own_hybla", False)
        found = satellite(
            loss=loss,
            seed=seed,
            segments_per_ack=self.segments_per_ack,
            rate_bps=self.rate_bps,
            queue_packets=self.queue_packets,
            **setting.path,
            **changes,
            **more,
        )
        [flow] = found.flows
        return found.replace(
            flows=[flow.model_dump() | {"sack": sack}], ns2=Ns2(own_hybla=own_hybla)
        )


SACK, NEWRENO, AT_ONCE, RATE_HALVING = RECOVERIES
# By the experiment that has them. First how losses are repaired at a rate that adds little to a
# round trip, and a slower link; then delayed ACKs, other rates, and a queue that a burst can fill.
GRIDS: dict[str, list[Combination]] = {
    "hybla-inverse": [
        *(Combination(recovery) for recovery in RECOVERIES),
        Combination(SACK, rate_bps=20e6),
    ],
    "hybla-inverse-more": [
        Combination(SACK, segments_per_ack=2),
        Combination(AT_ONCE, segments_per_ack=2),
        Combination(RATE_HALVING, segments_per_ack=2),
        Combination(SACK, rate_bps=10e6),
        Combination(SACK, rate_bps=20e6, segments_per_ack=2),
        Combination(SACK, queue_packets=100),
        Combination(AT_ONCE, rate_bps=20e6),
        Combination(RATE_HALVING, rate_bps=20e6),
    ],
}
GRID = list(itertools.chain(*GRIDS.values()))


def printed(steady: bool = False) -> pd.DataFrame:
    """Return the printed differences between model and ns-2, a row a number.

    Those of the transfers, or with `steady` those of the steady state, in table 3 and section 4:
    columns id, transfer, metric, loss_min, loss_max, percent, bound (whether it is an upper bound).
    """
    claims = papers.claims("hybla")
    claims = claims[claims["id"].str.contains(r"-(?:t3|s4)-.*-simulation")]
    claims = claims[(claims["transfer"] == "steady") == steady]
    columns = claims[["id", "transfer", "metric", "loss_min", "loss_max"]]
    found = columns.assign(
        percent=claims["printed"].astype(float), bound=claims["rule"] == "at most"
    )
    return found.reset_index(drop=True)


STEADY = "hybla-inverse-steady"


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return the transfers of each combination of `GRIDS`, and the steady state of all."""
    sizes = {
        name: {
            "transfer_bytes": round(segments * at.segment_bytes),
            "duration_s": TRANSFER_LIMIT_S,
        }
        for name, segments in at.segments.items()
    }
    steady = {"steady": {"duration_s": STEADY_S}}
    return (
        *(_experiment(at, name, grid, sizes) for name, grid in GRIDS.items()),
        _experiment(at, STEADY, GRID, steady),
    )


def _experiment(
    at: Setting, name: str, grid: Sequence[Combination], transfers: Mapping[str, Mapping[str, Any]]
) -> Experiment:
    def build(combination: int, transfer: str, loss: float, seed: int) -> Scenario:
        return GRID[combination].scenario(at, loss, seed, **transfers[transfer])

    return Experiment(
        name=name,
        engine="ns2",
        build=build,
        points={
            "combination": [GRID.index(one) for one in grid],
            "transfer": list(transfers),
            "loss": LOSSES,
        },
        repetitions=REPETITIONS,
    )


def runs(of: Runs, steady: bool = False) -> pd.DataFrame:
    """Return the transfers, or with `steady` the steady state, of each combination.

    What this machine can neither run nor find is left out. Columns: combination (its place in
    `GRID`), transfer, loss, seed, throughput (Mb/s), transfer_time (s).
    """
    table = of.flows(*([STEADY] if steady else GRIDS))
    table = table.rename(columns={"Mb/s": "throughput", "transfer_time_s": "transfer_time"})
    return table[["combination", "transfer", "loss", "seed", "throughput", "transfer_time"]]


def _largest(setting: Setting, numbers: pd.DataFrame, runs: pd.DataFrame) -> dict[int, np.ndarray]:
    """Return the largest difference (%) of each combination for each printed number: of the mean
    run, and of means over seeds drawn again; the first axis is that of the draws, the plain mean
    being its first."""
    wide = runs.pivot(
        index=["combination", "transfer", "loss"],
        columns="seed",
        values=["throughput", "transfer_time"],
    )
    seeds = len(wide.columns.unique("seed"))
    draws = np.random.default_rng(1).integers(seeds, size=(BOOTSTRAPS, seeds))
    weights = (
        np.vstack([np.ones(seeds), [np.bincount(draw, minlength=seeds) for draw in draws]]) / seeds
    )
    return {
        place: _of_combination(setting, numbers, own, weights)
        for place, own in wide.groupby(level="combination")
    }


def _of_combination(
    setting: Setting, numbers: pd.DataFrame, runs: pd.DataFrame, weights: np.ndarray
) -> np.ndarray:
    """Return `_largest` of one combination; `weights` has a row a draw, and a column a seed."""
    apart = {}  # by transfer and metric: the loss rates, and the differences with an axis of draws
    for transfer, here in runs.groupby(level="transfer"):
        losses = here.index.get_level_values("loss")
        for metric in numbers["metric"].unique():
            model = theory.model(setting, str(transfer), metric, losses.to_numpy())
            means = weights @ here[metric].to_numpy().T
            apart[transfer, metric] = losses, np.abs(100 * (means - model) / model)
    found = np.zeros((len(weights), len(numbers)))
    for place, number in enumerate(numbers.itertuples()):
        losses, differences = apart[number.transfer, number.metric]
        here = (losses >= number.loss_min * 0.999) & (losses <= number.loss_max * 1.001)
        found[:, place] = differences[:, here].max(axis=1)
    return found


def distances(
    setting: Setting, runs: pd.DataFrame, grid: Sequence[Combination] = tuple(GRID)
) -> pd.DataFrame:
    """Return how far each combination is from what was printed, the nearest first.

    The distance is the mean, over the printed numbers of the transfers, of how many percentage
    points the largest difference to the model is away from the printed one (for an upper bound: how
    far it is above it); `low` and `high` are the 95 % interval of a bootstrap over seeds. `met`
    says how many numbers the combination gives: where the printed one lies in the interval of the
    largest difference, widened by half of the last printed digit.
    Columns: combination, recovery, segments_per_ack, Mb/s, queue_packets, distance, low, high, met,
    of.
    """
    return _nearest_first(_largest(setting, printed(), runs), grid)


def _nearest_first(largest: Mapping[int, np.ndarray], grid: Sequence[Combination]) -> pd.DataFrame:
    """Return `distances`, of the largest differences of each combination (`_largest`)."""
    numbers = printed()
    rows = [_described(place, grid) | _distance(numbers, own) for place, own in largest.items()]
    columns = ["combination", "recovery", "segments_per_ack", "Mb/s", "queue_packets"]
    columns += ["distance", "low", "high", "met", "of"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("distance").reset_index(drop=True)


def _described(place: int, grid: Sequence[Combination]) -> dict[str, Any]:
    combination = grid[place]
    return {
        "combination": place,
        "recovery": combination.recovery,
        "segments_per_ack": combination.segments_per_ack,
        "Mb/s": combination.rate_bps / 1e6,
        "queue_packets": combination.queue_packets,
    }


def _distance(numbers: pd.DataFrame, largest: np.ndarray) -> dict[str, float]:
    """Return the distance to these numbers, with its interval, and how many of them are given."""
    target, bound = numbers["percent"].to_numpy(), numbers["bound"].to_numpy()
    away = np.where(bound, np.maximum(0, largest - target), np.abs(largest - target)).mean(axis=1)
    low, high = np.percentile(away[1:], (2.5, 97.5))
    met = _given(numbers, *np.percentile(largest[1:], (2.5, 97.5), axis=0))
    found = {"distance": away[0], "low": low, "high": high}
    return found | {"met": int(met.sum()), "of": len(numbers)}


def retimed(setting: Setting, runs: pd.DataFrame, timing: str) -> pd.DataFrame:
    """Return transfers whose time is taken as `plan.TIMING_ROUND_TRIPS` says."""
    time_s = runs["transfer_time"] + TIMING_ROUND_TRIPS[timing] * setting.rtt_s
    rate = runs["throughput"] * runs["transfer_time"] / time_s
    return runs.assign(transfer_time=time_s, throughput=rate)


# The largest differences (`_largest`), by the way of timing and the number of the combination.
Differences = dict[tuple[str, int], np.ndarray]


def timed(setting: Setting, runs: pd.DataFrame) -> Differences:
    """Return the largest differences (`_largest`) by each way of taking a transfer's time, and by
    the number of the combination."""
    numbers = printed()
    return {
        (timing, place): own
        for timing in TIMING_ROUND_TRIPS
        for place, own in _largest(setting, numbers, retimed(setting, runs, timing)).items()
    }


def timed_distances(found: Differences) -> pd.DataFrame:
    """Return `distances` with each way of taking a transfer's time, the nearest first: timing.

    `found` is of `timed`.
    """
    tables = [
        _nearest_first(
            {place: own for (how, place), own in found.items() if how == timing}, tuple(GRID)
        ).assign(timing=timing)
        for timing in TIMING_ROUND_TRIPS
    ]
    return pd.concat(tables).sort_values("distance").reset_index(drop=True)


def held_out(found: Differences) -> pd.DataFrame:
    """Return what a fit to the transfers of two sizes gives of the third, a row a size left out.

    `found` is of `timed`. Of all combinations and ways of timing the nearest to the other numbers
    is taken. Columns: left_out; recovery, segments_per_ack, Mb/s, queue_packets, timing; met, how
    many of the numbers that it was fitted to it gives; given, how many of those left out; of, how
    many these are.
    """
    numbers, rows = printed(), []
    for size in dict.fromkeys(numbers["transfer"]):
        out = (numbers["transfer"] == size).to_numpy()
        fits = {at: _distance(numbers[~out], one[:, ~out]) for at, one in found.items()}
        known = {at: fit for at, fit in fits.items() if np.isfinite(fit["distance"])}
        timing, place = min(known, key=lambda at: known[at]["distance"])
        other = _distance(numbers[out], found[timing, place][:, out])
        row = {"left_out": size, "timing": timing} | _described(place, GRID)
        met = {"met": fits[timing, place]["met"], "given": other["met"], "of": other["of"]}
        rows.append(row | met)
    columns = ["left_out", "recovery", "segments_per_ack", "Mb/s", "queue_packets", "timing"]
    return pd.DataFrame(rows)[[*columns, "met", "given", "of"]]


def _given(numbers: pd.DataFrame, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return which printed numbers lie in the interval of the largest difference, as rounded."""
    slack = np.where(numbers["id"].str.contains("-t3-"), 0.005, 0.5)
    target, bound = numbers["percent"].to_numpy(), numbers["bound"].to_numpy()
    return (low <= target + slack) & (bound | (high >= target - slack))


def steady(setting: Setting, runs: pd.DataFrame, fitted: pd.DataFrame) -> pd.DataFrame:
    """Return what the fitted combinations give where nothing was fitted: in the steady state.

    `runs` are those of the steady state, `fitted` is of `distances`. A row a combination, in the
    order of the fit. Columns: recovery, segments_per_ack, Mb/s, queue_packets; for each printed
    number, named by it, the largest difference (%) with its 95 % interval as text; given, how many
    of the numbers that is, by the rule of `distances`; of.
    """
    columns = ["recovery", "segments_per_ack", "Mb/s", "queue_packets"]
    rows = []
    for one in fitted.to_dict("records"):
        found = differences(setting, runs, one["combination"], steady=True)
        row = {name: one[name] for name in columns}
        for number in found.itertuples():
            name = f"{'at most ' if number.bound else ''}{number.percent:g} %"
            row[name] = f"{number.measured:.2f} [{number.low:.2f}, {number.high:.2f}]"
        given = _given(found, found["low"].to_numpy(), found["high"].to_numpy())
        rows.append(row | {"given": int(given.sum()), "of": len(given)})
    return pd.DataFrame(rows)


def differences(
    setting: Setting, runs: pd.DataFrame, combination: int, steady: bool = False
) -> pd.DataFrame:
    """Return the largest differences (%) of one combination beside the printed ones.

    Columns: id, percent (printed), bound, measured, low, high.
    """
    numbers = printed(steady)
    own = runs[runs["combination"] == combination]
    largest = _largest(setting, numbers, own)[combination]
    low, high = np.percentile(largest[1:], (2.5, 97.5), axis=0)
    columns = numbers[["id", "percent", "bound"]]
    return columns.assign(measured=largest[0], low=low, high=high)


def switches(
    setting: Setting, runs: pd.DataFrame, transfers: pd.DataFrame, varied: pd.DataFrame
) -> pd.DataFrame:
    """Return ns-2 beside the segment engine with each recovery: the largest transfer's rate, Mb/s.

    `runs` are of `runs`; `transfers` and `varied` are flows of the plan's `TRANSFERS` and
    `VARIED_TRANSFERS`. A row a loss rate of 1e-4 or more; columns loss, and a column an engine
    and recovery, each text with its 95 % interval.
    """
    large = list(setting.segments)[-1]
    plain = runs[(runs["transfer"] == large) & runs["combination"].isin(range(len(RECOVERIES)))]
    parts = {f"ns-2, {GRID[n].recovery}": own for n, own in plain.groupby("combination")}
    halved = varied[varied["parameter"] == "recovery"]
    for name, own in (
        ("PRR", transfers[transfers["leg"] == "segment"]),
        ("halved at once", halved),
    ):
        own = own[own["megabytes"] == max(setting.transfer_megabytes)]
        parts[f"segment engine, {name}"] = own.assign(throughput=own["Mb/s"])
    columns = {}
    for name, own in parts.items():
        own = own[own["loss"].isin([loss for loss in LOSSES if loss >= 1e-4])]
        means = statistics.interval(own, ["loss"], "throughput")
        columns[name.replace("ns-2, ns-2's", "ns-2, its")] = {
            row.loss: f"{row.throughput:.2f} ± {row.halfwidth:.2f}" for row in means.itertuples()
        }
    return pd.DataFrame(columns).rename_axis("loss").reset_index()
