"""All that a paper does not state, varied at once: a designed sample of settings, and its runs.

What is plausible is in `data/papers/<paper>/parameters.csv` (`longfat.papers.plausible`). A setting
has a value of each parameter; the sample is a Latin hypercube, so that every parameter alone is
spread evenly over its range or its choices.
"""

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from longfat import engines, paths, statistics, store
from longfat.errors import InputError
from longfat.experiment import Experiment
from longfat.papers import plausible
from longfat.papers.plausible import Plausible
from longfat.result import Result
from longfat.scenario import Scenario
from longfat.sweeps import can_run
from longfat.verdicts import joint as at_once
from longfat.verdicts.judge import EVIDENCE_COLUMNS

SETTINGS = 48
SEED = 1
DIGITS = 4  # significant ones of a value that is drawn from a range
MEASURED_DIGITS = 6  # of what is archived
ENOUGH = 8  # runs of a setting, to tell how much they scatter
MADE_AGAIN = 16  # archived runs, to see whether the archive still is what this code makes


def parameters(paper: str, left_out: Collection[str] = ()) -> list[Plausible]:
    """Return the unstated parameters that have more than one plausible value, but for some.

    Raises InputError where what is left out is none of them.
    """
    found = {
        one.name: one
        for one in plausible.read(paths.PAPERS / paper / "parameters.csv")
        if len(one.choices) != 1
    }
    if unknown := [name for name in left_out if name not in found]:
        raise InputError(f"{paper}: '{unknown[0]}' is left out, but is no parameter that is varied")
    return [one for name, one in found.items() if name not in left_out]


def settings(
    paper: str,
    left_out: Collection[str] = (),
    count: int = SETTINGS,
    seed: int = SEED,
    without: Collection[tuple[str, str]] = (),
) -> pd.DataFrame:
    """Return `count` settings of a paper: setting (a number), and a column a parameter.

    Ranges have numbers, in the parameter's unit; choices have text, but for those of a parameter
    that are `without`.

    >>> from longfat.papers import joint
    >>> joint.settings("hybla", count=4)["recovery"].value_counts().to_dict()
    {'PRR': 2, 'halved at once': 2}
    """
    from scipy.stats import qmc  # half a second, which only those wait who ask for settings

    varied = parameters(paper, left_out)
    draws = qmc.LatinHypercube(len(varied), rng=np.random.default_rng(seed)).random(count)
    columns = {}
    for one, draw in zip(varied, draws.T, strict=True):
        choices = tuple(choice for choice in one.choices if (one.name, choice) not in without)
        columns[one.name] = _values(one.model_copy(update={"choices": choices}), draw)
    return pd.DataFrame({"setting": range(count), **columns})


def _values(parameter: Plausible, draws: np.ndarray) -> list[float] | list[str]:
    """Return a parameter's value for each draw from 0 to 1."""
    if parameter.choices:
        number = len(parameter.choices)
        return [parameter.choices[int(draw * number)] for draw in draws]
    low, high = float(parameter.low or 0), float(parameter.high or 0)
    if parameter.spacing == "log":
        values = low * (high / low) ** draws
    else:
        values = low + draws * (high - low)
    return [_rounded(value, DIGITS) for value in values]


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


@dataclass(frozen=True, kw_only=True, eq=False)
class JointRuns(Experiment):
    """The runs at all settings, archived as points: a row a run.

    `measure` makes a row's numbers of a result; `point`, such as "package.module:POINT", names what
    makes an archived row again. Runs are in the local cache only if they are `kept` there, so that
    what was interrupted goes on: many short ones are made again sooner.
    """

    measure: Callable[[Result], dict[str, float]]
    point: str
    kept: bool = False

    def results(self) -> list[Result]:
        """Make the archive, by all cores; return nothing.

        Runs whose rows are archived are not made again (`_archived`), only those that were added;
        and none at all where this machine lacks the engine.
        """
        scenarios = self.scenarios
        if not can_run(scenarios, self.engine, self.name):
            return []
        engine = engines.get(self.engine)
        kinds = {tuple(engine.controls(scenario)): scenario for scenario in scenarios}
        engines.accept_new(kinds.values(), self.engine)
        versions = engines.versions(scenarios, self.engine)
        rows, before = self._archived(scenarios, versions)
        made = [before | {"versions": versions[run]} for run in rows]
        missing = [run for run, _ in enumerate(scenarios) if run not in rows]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            results = threads.map(self._result, [scenarios[run] for run in missing])
            for run, result in zip(missing, tqdm(results, self.name, len(missing)), strict=True):
                rows[run] = rounded(self.measure(result))
                provenance = {"versions": versions[run], "commit": paths.commit()}
                made.append(result.provenance | provenance)
        table = self.design.join(pd.DataFrame.from_dict(rows, orient="index"))
        store.write_points(self.name, table, self.point, made)
        return []

    def _result(self, scenario: Scenario) -> Result:
        if self.kept:
            return engines.simulate(scenario, self.engine)
        return engines.get(self.engine).simulate(scenario)

    def _archived(
        self, scenarios: Sequence[Scenario], versions: Sequence[Mapping[str, str]]
    ) -> tuple[dict[int, dict[str, float]], dict[str, Any]]:
        """Return what is archived of runs, by their numbers, and the provenance of one of these.

        It is of the rows that were made with the `versions` of each run. What makes a scenario of a
        row has no version: some are made again, and if one has other digits, nothing is taken; nor
        where the archive is to be made anew (`store.reproducing`).
        """
        if store.reproducing() or self.name not in store.points():
            return {}, {}
        stored, columns = store.read_table(self.name, "points"), list(self.design)
        if not set(columns) <= set(stored):
            return {}, {}
        found = self.design.merge(stored, on=columns, how="left", indicator=True)
        there = found[found["_merge"] == "both"][list(stored.columns.drop(columns))]
        rows = {
            run: row
            for run, row in there.to_dict("index").items()
            if not store.other_versions(self.name, versions[run])
        }
        for run in pd.Series(list(rows)).sample(min(MADE_AGAIN, len(rows)), random_state=SEED):
            again = pd.Series(rounded(self.measure(self._result(scenarios[run]))))
            if not again.equals(pd.Series(rows[run])):
                return {}, {}
        line = store.provenance()[self.name]
        return rows, line | {"wall_s": float(line["wall_s"]) / int(line["runs"])}


@dataclass(frozen=True, kw_only=True, eq=False)
class Leg:
    """The joint settings of a paper on one engine.

    `settings` is a row a setting, of what the engine varies (setting, and a column a parameter);
    `evidence` makes of the archive's rows what claims are judged by (`verdicts.joint.judge`);
    `parts` names each setting's part, where claims are judged in each apart too; `lacks` has, by a
    claim's name, parameters that none of its runs has.
    """

    engine: str
    archive: str
    settings: Callable[[], pd.DataFrame]
    evidence: Callable[[pd.DataFrame], pd.DataFrame]
    parts: Callable[[pd.DataFrame], pd.Series] | None = None
    lacks: Mapping[str, Collection[str]] = field(default_factory=dict)


def rounded(row: dict[str, float]) -> dict[str, float]:
    """Return what was measured as it is archived."""
    return {name: _rounded(value, MEASURED_DIGITS) for name, value in row.items()}


def written(paper: str) -> pd.DataFrame:
    """Return what is written of a paper's claims at all settings (`verdicts.joint.written`).

    A warning says where what made these runs is otherwise by now: they are hours of computing, and
    not made again for a page.
    """
    for archive in store.points():
        if archive.startswith(f"{paper}-joint"):
            engines.say_as_made(archive)
    return at_once.written().query("paper == @paper")


def means(runs: pd.DataFrame, point: str, value: str, like: str) -> pd.DataFrame:
    """Return each setting's mean at each point, with what it scatters.

    `ENOUGH` runs tell their own scatter. Fewer say little of it: they are taken to scatter as all
    runs do at that point and at settings that have the same of the parameter `like`. Of these,
    runs with the same of the column `seed` lose the same packets, and tell of their scatter
    together no more than one does. Columns: setting, the point's; mean; count (of runs); deviation
    (of a run), and freedom, of how many degrees it is known.
    """
    table = runs.groupby(["setting", point, like])[value].agg(["mean", "count", "var"])
    table = table.reset_index().assign(degrees=lambda one: one["count"] - 1)
    table["squares"] = table["var"].fillna(0) * table["degrees"]
    alike = table.groupby([point, like])[["count", "degrees", "squares"]].transform("sum")
    seeds = runs.groupby([point, like])["seed"].nunique().rename("seeds")
    independent = table.join(seeds, on=[point, like])["seeds"] / alike["count"]
    own = table["count"] >= ENOUGH
    variance = table["var"].where(own, alike["squares"] / alike["degrees"])
    freedom = table["degrees"].where(own, alike["degrees"] * independent)
    table = table.drop(columns=["var", "degrees", "squares"])
    return table.assign(deviation=np.sqrt(variance), freedom=freedom)


def mean_evidence(table: pd.DataFrame) -> pd.DataFrame:
    """Return `means` as evidence: measured, low, high, runs (a degree of freedom more)."""
    width = statistics.half_width(table["deviation"], table["freedom"] + 1)
    width = width * np.sqrt((table["freedom"] + 1) / table["count"])
    return table.assign(
        measured=table["mean"],
        low=table["mean"] - width,
        high=table["mean"] + width,
        runs=table["freedom"] + 1,
    )


def evidence_by_setting(
    points: pd.DataFrame, of_a_setting: Callable[[pd.DataFrame], Iterable[Mapping[str, Any]]]
) -> pd.DataFrame:
    """Return what a chapter's own rows of evidence say of the runs of each setting.

    The columns of `verdicts.judge.Evidence`, and setting, its number; rows in which the chapter
    varies something are left out.
    """
    tables = []
    with warnings.catch_warnings():  # where nothing is random all runs are equal
        warnings.filterwarnings("ignore", "Precision loss occurred", RuntimeWarning)
        for number, runs in points.groupby("setting"):
            rows = pd.DataFrame(of_a_setting(runs), columns=list(EVIDENCE_COLUMNS))
            stated = rows["parameter"].isna() | (rows["parameter"] == "")
            tables.append(rows[stated].assign(setting=number))
    return pd.concat(tables, ignore_index=True)
