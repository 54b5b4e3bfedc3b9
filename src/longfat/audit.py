"""Does the archive still hold? Run a random sample of it again and compare every digit."""

import csv
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
    return _run_again(archived_runs(experiment), sample, seed, report)


def adopt(
    sample: int,
    seed: int | None = None,
    experiment: str | None = None,
    report: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Let archived runs stand that a changed engine has made stale, if it changed no digit.

    For a change that only adds to an engine or makes it faster, where recomputing would take hours:
    `sample` of the stale runs are run again, and only if every digit of each is the same are all of
    them given the key of the present headers. Their `headers_sha256` stays that of the headers that
    made them; a column `adopted_after` says how many runs were compared. Returns what `audit`
    returns.
    """
    runs = stale(experiment)
    if runs.empty:
        raise InputError("no archived run is stale: there is nothing to adopt")
    compared = _run_again(runs, sample, seed, report)
    if compared["equal"].all():
        keys = dict(zip(runs["key"], runs["current_key"], strict=True))
        for name in store.experiments():  # a run may be in several
            _rekey(name, keys, len(compared))
    return compared


def _rekey(experiment: str, keys: dict[str, str], compared: int) -> None:
    """Change keys in an archive and its traces; every other character stays as it is."""
    for path in (store.archive_path(experiment), store.traces_path(experiment)):
        if not path.exists():
            continue
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if not any(row["key"] in keys for row in rows):
            continue
        for row in rows:
            if row["key"] in keys:
                row["key"] = keys[row["key"]]
                if path == store.archive_path(experiment):
                    row["adopted_after"] = compared
        unfinished = path.with_suffix(".tmp")
        with unfinished.open("w", newline="", encoding="utf-8") as file:
            columns = dict.fromkeys(name for row in rows for name in row)
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        unfinished.replace(path)
    store.forget_archive()


def _run_again(
    runs: pd.DataFrame, sample: int, seed: int | None, report: Callable[[str], None]
) -> pd.DataFrame:
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
        report(f"{run['experiment']} {run['key']}: {'equal' if equal else 'DIFFERENT'}")
        rows.append({"experiment": run["experiment"], "key": run["key"], "equal": equal})
    return pd.DataFrame(rows)
