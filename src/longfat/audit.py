"""Does the archive still hold? Run a random sample of it again and compare every digit."""

import random
from collections.abc import Callable

import pandas as pd

from longfat import engines, store
from longfat.errors import InputError
from longfat.result import FLOW_COLUMNS
from longfat.scenario import Scenario


def archived_runs(experiment: str | None = None) -> pd.DataFrame:
    """Return every archived run: columns experiment, key, engine, scenario (JSON), a row a run."""
    names = [experiment] if experiment else store.experiments()
    tables = [
        store.read_archive(name)[["key", "engine", "scenario"]].assign(experiment=name)
        for name in names
    ]
    if not tables:
        raise InputError("the archive is empty: there is nothing to audit")
    return pd.concat(tables, ignore_index=True).drop_duplicates("key")


def stale(experiment: str | None = None) -> pd.DataFrame:
    """Return the archived runs whose engine or headers have changed since they were made.

    The columns of `archived_runs`, and current_key.
    """
    runs = archived_runs(experiment)
    current = [engines.key(Scenario.from_json(r.scenario), r.engine) for r in runs.itertuples()]
    runs = runs.assign(current_key=current)
    return runs[runs["current_key"] != runs["key"]]


def audit(
    sample: int,
    seed: int | None = None,
    experiment: str | None = None,
    report: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Run `sample` archived runs again; return a row a run with `equal`, whether all digits are.

    Results are compared in the columns `FLOW_COLUMNS`. `seed` makes the choice repeatable.
    """
    runs = archived_runs(experiment)
    older = stale(experiment)
    if len(older):
        report(f"{len(older)} runs are older than their engine or headers: none of them is drawn")
        runs = runs[~runs["key"].isin(older["key"])]
    here = runs["engine"].map(engines.is_here)
    for engine in runs["engine"][~here].unique():
        report(f"engine {engine}: not on this machine, so none of its runs is drawn")
    runs = runs[here].to_dict("records")
    rows = []
    for run in random.Random(seed).sample(runs, min(sample, len(runs))):
        archive = store.read_archive(run["experiment"])
        archived = store.archived_result(run["experiment"], archive[archive["key"] == run["key"]])
        again = engines.get(run["engine"]).simulate(Scenario.from_json(run["scenario"]))
        equal = archived.flows.equals(again.flows[list(FLOW_COLUMNS)].astype(archived.flows.dtypes))
        equal = equal and archived.transfer_rows() == again.transfer_rows()
        report(f"{run['experiment']} {run['key']}: {'equal' if equal else 'DIFFERENT'}")
        rows.append({"experiment": run["experiment"], "key": run["key"], "equal": equal})
    return pd.DataFrame(rows, columns=["experiment", "key", "equal"])
