"""The survey's other claims at joint settings: queues, figures 3 and 5 over time, XCP and CADPC.

The runs are the segment engine's. What a claim varies itself, the length of the router's queue and
how it is managed, is varied at each setting as in the chapter. The settings are drawn apart from
those of `joint`, since how many connections of a kind there are and how variation is measured are
among them.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import measures, statistics
from longfat.errors import InputError
from longfat.experiment import Point
from longfat.papers import joint, value
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.survey import claims, routers
from longfat.papers.survey.analysis import VARIATIONS
from longfat.papers.survey.joint_settings import path_at, samples
from longfat.papers.survey.network import WITH_TIMESTAMPS, japan
from longfat.papers.survey.plan import LENGTHS, MANAGED, NAMES, UNBOUND, managed_queue
from longfat.result import Result
from longfat.scenario import Record, Scenario

ARCHIVE = "survey-joint-others"
_ALL_ALIKE = "all runs of a setting have its one random loss"
LEFT_OUT = {
    "random_loss_shared": _ALL_ALIKE,
    "random_loss_direct": _ALL_ALIKE,
    "loss_rate_measured_as": "the numbers on losses served to fit the path",
    "distance_delay": "table 1 is calculated, and no run has it",
    "fast_alpha": "no sender of these runs is FAST TCP",
}
LONG, OVER_TIME, BESIDE, ALIKE = "900 s of ", "300 s of ", "beside ", "among its own: "
SECONDS = ("highspeed", "scalable")
SHARED_S = 200.0
SEEDS = {LONG: 6, OVER_TIME: 6, BESIDE: 6, ALIKE: 8}
COLUMNS = ("first_mbps", "total_mbps", "stays", "jain", "uneven", *VARIATIONS)


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return samples(LEFT_OUT)


def experiment() -> JointRuns:
    """Return the runs: at each setting the same."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=_points,
        measure=measured,
        point=f"{__name__}:POINT",
        kept=True,
    )


def _points() -> pd.DataFrame:
    rows = [
        (run, queue, seed)
        for run, queue in _kinds()
        for seed in range(1, SEEDS[next(kind for kind in SEEDS if run.startswith(kind))] + 1)
    ]
    return settings().merge(pd.DataFrame(rows, columns=["run", "queue", "seed"]), how="cross")


def _kinds() -> Iterator[tuple[str, str]]:
    yield f"{LONG}standard", ""
    yield from ((f"{OVER_TIME}{name}", "") for name in NAMES)
    for name in SECONDS:
        yield from ((f"{BESIDE}{name}", f"{length:g}") for length in LENGTHS)
        yield from ((f"{BESIDE}{name}", managed) for managed in MANAGED)
    yield from ((f"{ALIKE}{kind}", "") for kind in routers.CONTROLS)


def scenario(*, run: str, queue: str, seed: int, **setting: Any) -> Scenario:
    """Return a run at a setting, by its name and its queue ("" for the setting's).

    Raises InputError for an unknown one.
    """
    fields, known = path_at(setting, seed)
    if run.startswith(LONG):
        return japan(known("standard"), **fields, duration_s=value("survey", "duration_figure_3"))
    if run.startswith(OVER_TIME):
        duration_s = value("survey", "duration")
        name = known(run.removeprefix(OVER_TIME))
        return japan(name, **fields, duration_s=duration_s, record=_every(2, duration_s))
    if run.startswith(BESIDE):
        held = round(fields["payload_bps"] * fields["rtt_s"] / 8 / WITH_TIMESTAMPS)
        if queue in MANAGED:
            fields |= {"queue_packets": held, "aqm": managed_queue(queue, held)}
        else:
            fields["queue_packets"] = round(float(queue) * held)
        second = known(run.removeprefix(BESIDE))
        more = UNBOUND | {"starts_s": (0.0, 10.0), "duration_s": SHARED_S}
        return japan(known("standard"), second, **fields | more, record=_every(2, SHARED_S))
    if run.startswith(ALIKE):
        flows = int(setting["connections_alike"])
        shared = {name: fields[name] for name in fields if name != "seed"}
        shared |= {"duration_s": SHARED_S}
        return routers.crowd(run.removeprefix(ALIKE), flows, seed, shared)
    raise InputError(f"no run is called '{run}'")


def _every(interval_s: float, duration_s: float) -> Record:
    return Record(series=("delivered_bytes",), points=round(duration_s / interval_s))


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run; what it does not have is missing.

    What the first connection and all have after the first third (Mb/s); whether the first stays in
    congestion avoidance, and something is lost (1 or 0); of connections of a kind the mean of
    Jain's index and of how uneven each one's goodput is (standard deviation over mean, by 10 s);
    how strongly the last one's goodput varies, by the three measures, by 2 s: of one alone from
    the beginning, beside another after the first third.
    """
    first, duration_s = result.flow_rows()[0], result.scenario.duration_s
    row = dict.fromkeys(COLUMNS, float("nan"))
    row["stays"] = float(first["timeouts"] == 0 and first["recoveries"] > 0)
    delivered = result.traces.get("delivered_bytes")
    if delivered is None:
        return row
    assert result.scenario.record.points
    interval_s = duration_s / result.scenario.record.points
    rates = measures.goodput_over_time(delivered, interval_s, duration_s)
    wide = rates.pivot(index="time_s", columns="flow", values="goodput_bps") / 1e6
    late = wide[wide.index > duration_s / 3]
    row |= {"first_mbps": late["1"].mean(), "total_mbps": late.mean().sum()}
    row["jain"] = float(measures.jain_index(late.to_numpy()).mean())
    row["uneven"] = float((late.std() / late.mean()).mean())
    last = (wide if wide.shape[1] == 1 else late).iloc[:, -1]
    return row | {name: float(measure(last)) for name, measure in VARIATIONS.items()}


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    names = [*settings().columns.drop("setting"), "run", "queue", "seed"]
    return scenario(**{name: row[name] for name in names})


POINT = Point(archived_scenario, lambda result: joint.rounded(measured(result)))


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the claims are judged by at each setting (`joint.evidence_by_setting`)."""
    return joint.evidence_by_setting(points, _of_a_setting)


def _of_a_setting(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    by_run = {name: one.set_index("seed") for name, one in runs.groupby("run")}
    stays = by_run[f"{LONG}standard"]["stays"]
    yield claims.evidence_row("survey-avoidance", ARCHIVE, statistics.share(stays == 1))
    how = runs["variation_measured_as"].iloc[0]
    varies = pd.DataFrame({name: by_run[f"{OVER_TIME}{name}"][how] for name in NAMES})
    yield from claims.of_order("variation", ARCHIVE, varies)
    yield from claims.of_queues(_shares(runs), ARCHIVE)
    crowds = {kind: by_run[f"{ALIKE}{kind}"] for kind in routers.CONTROLS}
    for kind in routers.KINDS:
        own, usual = (
            crowds[name]
            .rename(columns={"total_mbps": "mbps"})
            .assign(variation=crowds[name]["uneven"])
            for name in (kind, "standard TCP")
        )
        for found in routers.surpassed(kind, own, usual):
            yield claims.evidence_row(found.pop("claim"), ARCHIVE, found)


def _shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs beside another as `analysis.queue_shares` has them."""
    beside = runs[runs["run"].str.startswith(BESIDE)]
    return beside.assign(
        second=beside["run"].str.removeprefix(BESIDE),
        variation=beside["standard deviation / mean"],
    )


LEGS = (Leg(engine="segment", archive=ARCHIVE, settings=settings, evidence=evidence),)
