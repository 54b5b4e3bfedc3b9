"""Does the archive still hold? Run a random sample of it again and compare every digit."""

import itertools
import pkgutil
import random
from collections.abc import Callable
from typing import Any

import pandas as pd

from longfat import engines, store
from longfat.engines import behaviour
from longfat.errors import InputError
from longfat.experiment import Point
from longfat.result import Result
from longfat.scenario import Scenario

Report = Callable[[str], object]


def archived_runs(experiment: str | None = None) -> pd.DataFrame:
    """Return every archived run, and every point of a sweep that is archived as points.

    Columns: experiment, run (its row), engine, scenario (JSON; missing for a point).
    """
    names = [experiment] if experiment else [*store.experiments(), *store.points()]
    tables = []
    for name in names:
        if name in store.points():
            table = store.read_table(name, "points")
            engine = store.line_of(name)["engine"]
            table = pd.DataFrame({"engine": engine, "scenario": None}, index=table.index)
        else:
            table = store.read_table(name, "runs")[["engine", "scenario"]]
        tables.append(table.assign(experiment=name).rename_axis("run").reset_index())
    if not tables:
        raise InputError("the archive is empty: there is nothing to audit")
    return pd.concat(tables, ignore_index=True)[["experiment", "run", "engine", "scenario"]]


def stale(experiment: str | None = None) -> pd.DataFrame:
    """Return the archived runs whose engine or congestion controls have another version by now.

    The columns of `archived_runs`, and parts: the names of what has (a point has all of its sweep).
    """
    runs = archived_runs(experiment)
    others = {name: engines.changed_since(name) for name in runs["experiment"].unique()}
    doubtful = runs[runs["experiment"].map(others).astype(bool)]
    parts = [sorted(_changed(run, others[run.experiment])) for run in doubtful.itertuples()]
    doubtful = doubtful.assign(parts=pd.Series(parts, index=doubtful.index, dtype=object))
    return doubtful[doubtful["parts"].astype(bool)]


def _changed(run: Any, others: store.Versions) -> set[str]:
    """Return what of `others`, which `engines.changed_since` tells, takes part in an archived run.

    Of a run that nothing here reads any more, that is the congestion controls that are gone.
    """
    if not run.scenario:
        return set(others)
    try:
        return others.keys() & _parts(run.scenario, run.engine)
    except InputError:
        return {name for name in others if _is_gone(name)}


def _is_gone(name: str) -> bool:
    """Return whether an engine or a congestion control is not here any more ("": nothing says)."""
    try:
        engines.part(name)
    except InputError:
        return True
    return False


def _named(gone: str) -> str:
    return f"{gone}: no longer here" if gone else "nothing says by what some archives were made"


def _parts(scenario: str, engine: str) -> set[str]:
    return {name for name, _, _ in engines.parts(Scenario.from_json(scenario), engine)}


def audit(
    sample: int,
    seed: int | None = None,
    experiment: str | None = None,
    report: Report = print,
) -> pd.DataFrame:
    """Run `sample` archived runs again; return a row a run with `equal`, whether all digits are.

    Columns: experiment, run, equal. Compared are flows, links, transfers, media streams and series.
    `seed` makes the choice repeatable. Runs of another version of behaviour, and of engines that
    are not on this machine, are not drawn.
    """
    runs = archived_runs(experiment)
    older = stale(experiment)
    if len(older):
        report(f"{len(older)} runs are of other versions of behaviour: none of them is drawn")
        runs = runs.drop(older.index)
    return _compared(_drawn(_here(runs, report), sample, random.Random(seed)), report)


def accept(sample: int, seed: int | None = None, report: Report = print) -> pd.DataFrame:
    """Find out whether code that is not known gives the archived digits; if so, take it as known.

    For each engine and congestion control whose code here is not known to give the digits of the
    version that it says it has (`longfat.engines.behaviour`), `sample` archived runs of that
    version are made again. Where every digit agrees, `data/versions.csv` gets a line. Returns what
    `audit` does.
    """
    older = stale()
    names = sorted({name for parts in older["parts"] for name in parts})
    if not names:
        report("all code here is known to give the archived digits: there is nothing to accept")
    tables, draw = [], random.Random(seed)
    for name in names:
        if _is_gone(name):
            report(f"{_named(name)}, so its runs stay as they were made")
            continue
        part = engines.part(name)
        own = older[older["parts"].map(lambda parts, name=name: name in parts)]
        same = own["experiment"].map(lambda e, n=name, p=part: store.versions_of(e)[n] == str(p[1]))
        if not same.any():
            report(f"{name}: version {part[1]} has no archived results; 'longfat reproduce'")
            continue
        table = _compared(_taking_part(name, _here(own[same], report), sample, draw), report)
        tables.append(table)
        if len(table) and table["equal"].all():
            behaviour.accept([part])
            report(f"{name}: {len(table)} runs are equal, so its code is that of version {part[1]}")
        elif len(table):
            report(f"{name}: digits differ; raise its version, and make its results again")
    return pd.concat(tables) if tables else pd.DataFrame(columns=["experiment", "run", "equal"])


def carry(
    sample: int, seed: int | None = None, experiment: str | None = None, report: Report = print
) -> pd.DataFrame:
    """Find out which archives of earlier versions of behaviour have the digits of the present ones.

    Of each, or of `experiment`, `sample` runs are made again, of those in which a part has another
    version by now. Where every digit agrees, the archive's line of provenance says the present
    versions, and of how many runs that is known; the others are to be made again. Returns what
    `audit` does.
    """
    older, draw = stale(experiment), random.Random(seed)
    if older.empty:
        report("every archive is of the present versions of behaviour: there is nothing to carry")
    tables = []
    for name, runs in _here(older, report).groupby("experiment"):
        if gone := [part for part in store.versions_of(name) if _is_gone(part)]:
            report(f"{name}: {gone[0]} is no longer here, so it stays as it was made")
            continue
        table = _compared(_drawn(runs, sample, draw), report)
        tables.append(table)
        if table["equal"].all():
            parts = [engines.part(part) for part in store.versions_of(name)]
            behaviour.accept_new(parts)
            store.carry(name, behaviour.versions(parts), len(table))
            report(f"{name}: {len(table)} runs are equal, so it is of the present versions")
        else:
            report(f"{name}: digits differ; make its results again")
    return pd.concat(tables) if tables else pd.DataFrame(columns=["experiment", "run", "equal"])


def _here(runs: pd.DataFrame, report: Report) -> pd.DataFrame:
    here = runs["engine"].map(engines.is_here).astype(bool)
    for engine in runs["engine"][~here].unique():
        report(f"engine {engine}: not on this machine, so none of its runs is drawn")
    if "parts" not in runs:
        return runs[here]
    gone = {name for name in runs["parts"].explode().dropna() if _is_gone(name)}
    for name in sorted(gone):
        report(f"{_named(name)}, so no run or sweep of it is drawn")
    return runs[here & runs["parts"].map(gone.isdisjoint).astype(bool)]


def _drawn(runs: pd.DataFrame, sample: int, draw: random.Random) -> pd.DataFrame:
    return runs.iloc[draw.sample(range(len(runs)), min(sample, len(runs)))]


def _taking_part(name: str, runs: pd.DataFrame, sample: int, draw: random.Random) -> pd.DataFrame:
    """Draw runs in which the engine or congestion control `name` takes part.

    They come from as many experiments as they can: a large one may never reach what was changed. A
    sweep that is archived as points was made with many controls; a point of it has its own few.
    """
    shuffled = runs.iloc[draw.sample(range(len(runs)), len(runs))]
    turns = shuffled.groupby("experiment").cumcount()
    ordered = shuffled.loc[turns.sort_values(kind="stable").index]
    each = (ordered.iloc[[row]] for row in range(len(ordered)))
    drawn = (run for run in each if _tells_of(name, next(run.itertuples())))
    return pd.concat([runs.iloc[:0], *itertools.islice(drawn, sample)])


def _tells_of(name: str, run: Any) -> bool:
    """Return whether `name` takes part, and nothing that the archive was made before."""
    parts = _own_parts(run)
    return name in parts and parts <= store.versions_of(run.experiment).keys()


def _own_parts(run: Any) -> set[str]:
    """Return the names of the engine and the controls of one run, or of one point."""
    if run.scenario:
        return _parts(run.scenario, run.engine)
    point, row = _point(run.experiment, run.run)
    return {part for part, _, _ in engines.parts(point.scenario(row), run.engine)}


def _compared(runs: pd.DataFrame, report: Report) -> pd.DataFrame:
    rows = []
    for run in runs.itertuples():
        same = _same_run if run.scenario else same_point
        equal = same(run.experiment, run.run)
        report(f"{run.experiment} {run.run}: {'equal' if equal else 'DIFFERENT'}")
        rows.append({"experiment": run.experiment, "run": run.run, "equal": equal})
    return pd.DataFrame(rows, columns=["experiment", "run", "equal"])


def _same_run(experiment: str, run: int) -> bool:
    archived = store.archived_result(experiment, run)
    engine = engines.get(archived.provenance["engine"])
    return values(archived) == values(engine.simulate(archived.scenario))


def values(result: Result) -> list:
    """Return all that was measured, as data in which equal digits are equal."""
    rows = [result.flow_rows(), result.link_rows(), result.transfer_rows()]
    tables = [
        [{name: value for name, value in row.items() if value is not None} for row in table]
        for table in rows
    ]
    series = {
        name: [
            [*map(str, trace.iloc[:, 0])],
            [*map(float, trace["time_s"])],
            [*map(float, trace[name])],
        ]
        for name, trace in result.traces.items()
        if len(trace)
    }
    streams = result.media_stream_rows()  # which most runs have not
    return [*tables, series, *([streams] if streams else [])]


def same_point(experiment: str, run: int) -> bool:
    """Return whether a row of an archive of points has the digits that it has when made again."""
    point, archived = _point(experiment, run)
    engine = engines.get(store.line_of(experiment)["engine"])
    again = point.measured(engine.simulate(point.scenario(archived)))
    return all(_equal(archived[name], value) for name, value in again.items())


def _point(experiment: str, run: int) -> tuple[Point, dict[str, Any]]:
    """Return what makes a point again, by the archive's line of provenance, and its row."""
    point = pkgutil.resolve_name(store.line_of(experiment)["points"])
    return point, store.read_table(experiment, "points").iloc[run].to_dict()


def _equal(one: object, two: object) -> bool:
    return one == two or bool(pd.isna(one) and pd.isna(two))
