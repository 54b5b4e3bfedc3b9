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
    """Return the archived runs whose engine or headers have changed since they were made."""
    runs = archived_runs(experiment)

    def current_key(run) -> str:
        scenario = Scenario.from_json(run.scenario)
        return store.key(scenario, engines.get(run.engine).ingredients(scenario))

    return runs[[current_key(run) != run.key for run in runs.itertuples()]]


def audit(
    sample: int,
    seed: int | None = None,
    experiment: str | None = None,
    report: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Run `sample` archived runs again; return a row a run with `equal`, whether all digits are.

    Results are compared in the columns `FLOW_COLUMNS`. `seed` makes the choice repeatable.
    """
    runs = archived_runs(experiment).to_dict("records")
    chosen = random.Random(seed).sample(runs, min(sample, len(runs)))
    rows = []
    for run in chosen:
        archive = store.read_archive(run["experiment"])
        archived = store.archived_result(run["experiment"], archive[archive["key"] == run["key"]])
        again = engines.get(run["engine"]).simulate(Scenario.from_json(run["scenario"]))
        equal = archived.flows.equals(again.flows[list(FLOW_COLUMNS)].astype(archived.flows.dtypes))
        report(f"{run['experiment']} {run['key']}: {'equal' if equal else 'DIFFERENT'}")
        rows.append({"experiment": run["experiment"], "key": run["key"], "equal": equal})
    return pd.DataFrame(rows)
