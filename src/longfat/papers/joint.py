"""All that a paper does not state, varied at once: a designed sample of settings, and its runs.

What is plausible is in `data/papers/<paper>/parameters.csv` (`longfat.papers.plausible`). A setting
has a value of each parameter; the sample is a Latin hypercube, so that every parameter alone is
spread evenly over its range or its choices.
"""

import functools
import os
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from longfat import engines, paths, statistics, store
from longfat.errors import InputError
from longfat.experiment import Experiment
from longfat.papers import plausible
from longfat.papers.plausible import Plausible
from longfat.result import Result

SETTINGS = 48
SEED = 1
DIGITS = 4  # significant ones of a value that is drawn from a range
MEASURED_DIGITS = 6  # of what is archived


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
        """Make the archive, by all cores; return nothing."""
        scenarios = self.scenarios
        engine = engines.get(self.engine)
        kinds = {tuple(engine.controls(scenario)): scenario for scenario in scenarios}
        engines.accept_new(kinds.values(), self.engine)
        versions = engines.versions(scenarios, self.engine)
        run = (
            functools.partial(engines.simulate, engine=self.engine)
            if self.kept
            else engine.simulate
        )
        rows, made = [], []
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            results = threads.map(run, scenarios)
            for result, own in zip(tqdm(results, self.name, len(scenarios)), versions, strict=True):
                rows.append(rounded(self.measure(result)))
                made.append(result.provenance | {"versions": own, "commit": paths.commit()})
        table = self.design.join(pd.DataFrame(rows))
        store.write_points(self.name, table, self.point, made)
        return []


@dataclass(frozen=True, kw_only=True, eq=False)
class Leg:
    """The joint settings of a paper on one engine.

    `settings` is a row a setting, of what the engine varies (setting, and a column a parameter);
    `evidence` makes of the archive's rows what claims are judged by (`verdicts.joint.judge`).
    """

    engine: str
    archive: str
    settings: Callable[[], pd.DataFrame]
    evidence: Callable[[pd.DataFrame], pd.DataFrame]


def rounded(row: dict[str, float]) -> dict[str, float]:
    """Return what was measured as it is archived."""
    return {name: _rounded(value, MEASURED_DIGITS) for name, value in row.items()}


def pooled(runs: pd.DataFrame, point: str, value: str, like: str) -> pd.DataFrame:
    """Return each setting's mean at each point, with what it scatters.

    Few runs say little of how much runs scatter: at one point they are taken to scatter alike at
    all settings that have the same of the parameter `like`. Columns: setting, the point's; mean;
    count (of runs); deviation (of a run), and freedom, of how many degrees it is known.
    """
    table = runs.groupby(["setting", point, like])[value].agg(["mean", "count", "var"])
    table = table.reset_index()
    degrees = table["count"] - 1
    alike = [table[point], table[like]]
    freedom = degrees.groupby(alike).transform("sum")
    squares = (table["var"].fillna(0) * degrees).groupby(alike).transform("sum")
    deviation = np.sqrt(squares / freedom)
    return table.drop(columns="var").assign(deviation=deviation, freedom=freedom)


def mean_evidence(table: pd.DataFrame) -> pd.DataFrame:
    """Return `pooled` means as evidence: measured, low, high, runs (a degree of freedom more)."""
    width = statistics.half_width(table["deviation"], table["freedom"] + 1)
    width = width * np.sqrt((table["freedom"] + 1) / table["count"])
    return table.assign(
        measured=table["mean"],
        low=table["mean"] - width,
        high=table["mean"] + width,
        runs=table["freedom"] + 1,
    )
