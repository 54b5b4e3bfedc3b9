"""How much a result moves with an assumption, from the archived runs that vary it.

`data/papers/<paper>/variations.csv` says where: the name of a parameter, the fields of a scenario
that it sets, the experiments in which they vary, and those that have what the chapter took.
"""

import fnmatch
import json
from collections.abc import Iterable

import pandas as pd

from longfat import engines, store
from longfat.paths import PAPERS

# What a seed decides, and what changes nothing about a run.
NOT_COMPARED = ("seed", "title", "flows.?.start_s", "flows.?.name", "record.*")


def effects(paper: str) -> pd.DataFrame:
    """Return how far total goodput moves when an assumption alone is another one, in per cent.

    A row a parameter of `variations.csv`: name; low and high, the smallest and the largest change
    of the mean over seeds, over all values that were tried and all else that the experiments vary;
    comparisons, how many that are; experiments, which vary it. Runs are compared seed by seed.
    """
    path = PAPERS / paper / "variations.csv"
    if not path.exists():
        return pd.DataFrame(columns=["name", "low", "high", "comparisons", "experiments"])
    rows = []
    for row in pd.read_csv(path).itertuples():
        change = changes(row.fields.split(), row.experiments.split(), row.base.split())
        rows.append(
            {
                "name": row.name,
                "low": change.min(),
                "high": change.max(),
                "comparisons": len(change),
                "experiments": row.experiments,
            }
        )
    return pd.DataFrame(rows)


def changes(fields: list[str], experiments: list[str], base: list[str]) -> pd.Series:
    """Return the changes of total goodput (%) between runs that differ in these fields alone.

    `fields` are patterns such as `flows.*.recovery`. A run is compared with the one that has the
    same of all else, and of these fields what most runs of the experiments `base` have.
    """
    runs = pd.concat([_runs(name) for name in dict.fromkeys([*base, *experiments])])
    runs = runs.reset_index(drop=True)
    flat = [store.flatten(json.loads(text)) for text in runs["scenario"]]
    names = {name for run in flat for name in run}
    chosen = {name for name in names if _fits(name, fields)}
    apart = {name for name in names if _fits(name, NOT_COMPARED)} | chosen
    runs["value"] = [str({name: run.get(name) for name in sorted(chosen)}) for run in flat]
    runs["rest"] = [
        kind + str(sorted((name, run[name]) for name in run.keys() - apart))
        for run, kind in zip(flat, runs["kind"], strict=True)
    ]
    usual = runs.loc[runs["experiment"].isin(base), "value"].mode().iloc[0]
    runs = runs.drop_duplicates(["value", "rest", "seed"])
    taken = runs[runs["value"] == usual]
    pairs = runs[runs["value"] != usual].merge(taken, on=["rest", "seed"], suffixes=("", "_taken"))
    means = pairs.groupby(["value", "rest"])[["goodput_bps", "goodput_bps_taken"]].mean()
    return 100 * (means["goodput_bps"] / means["goodput_bps_taken"] - 1)


def _runs(experiment: str) -> pd.DataFrame:
    """Return an archive's runs: goodput_bps (of all flows), scenario, kind (of engine), seed."""
    runs = engines.read_as_made(experiment).groupby("run", sort=False)
    runs = runs.agg(
        goodput_bps=("goodput_bps", "sum"),
        scenario=("scenario", "first"),
        kind=("engine", "first"),
        seed=("seed", "first"),
    )
    return runs.assign(experiment=experiment)


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
