"""Results by content: the archive in `data/results/`, and a local cache.

The key of a run is the hash of its canonical scenario and of what else decides its digits: the
engine, its version, the content of its headers. A changed header therefore has no results yet.

The archive is one CSV file an experiment, a row a flow: key, the scenario's fields that vary in the
experiment, what was measured, provenance, and the whole scenario as JSON.
"""

import functools
import hashlib
import json
import os
import sqlite3
import warnings
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import diskcache
import pandas as pd
import platformdirs

from longfat import paths
from longfat.errors import InputError, LongfatError, nearest
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Scenario

PROVENANCE_COLUMNS = (
    "engine",
    "engine_version",
    "headers_sha256",
    "longfat_version",
    "ns3_wheel_version",
    "seed",
    "platform",
    "events",
    "simulated_s",
    "wall_s",
)


def key(scenario: Scenario, ingredients: dict[str, str]) -> str:
    """Return the key of a run: scenario and engine, by content."""
    text = json.dumps([scenario.canonical_json(), ingredients], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def find(key: str, scenario: Scenario) -> Result | None:
    """Return the stored result of a run, or None."""
    return find_archived(key, scenario) or find_cached(key, scenario)


# --- the local cache


@functools.cache
def _cache() -> diskcache.Cache:
    folder = os.environ.get("LONGFAT_CACHE") or platformdirs.user_cache_dir("longfat")
    try:
        return diskcache.Cache(folder, disk=diskcache.JSONDisk, eviction_policy="none")
    except (OSError, sqlite3.Error) as error:
        raise LongfatError(f"the cache {folder} cannot be opened: {error}") from None


def find_cached(key: str, scenario: Scenario) -> Result | None:
    """Return the result of a run from the local cache, or None. A damaged entry is dropped."""
    cache = _cache()
    try:
        data = cache.get(key)
        return None if data is None else Result.from_dict(data)
    except (zlib.error, ValueError, KeyError, TypeError, OSError) as error:
        warnings.warn(f"cache entry {key} is damaged ({error}): it will be run again", stacklevel=2)
        cache.delete(key)
        return None


def keep(key: str, result: Result) -> None:
    """Store a result in the local cache, whole or not at all."""
    cache = _cache()
    try:
        cache.set(key, result.to_dict())
    except (OSError, sqlite3.Error) as error:
        raise LongfatError(f"the result cannot be stored in {cache.directory}: {error}") from None


# --- the archive


def archive_path(experiment: str) -> Path:
    """Return the path of an experiment's archive."""
    return paths.RESULTS / f"{experiment}.csv"


def read_archive(experiment: str) -> pd.DataFrame:
    """Return an experiment's archive as a table. Raises InputError for an unknown experiment."""
    path = archive_path(experiment)
    if not path.exists():
        known = experiments()
        raise InputError(
            f"no archived experiment '{experiment}': archived are {', '.join(known) or 'none'}."
            f"{nearest(experiment, known)}"
        )
    return pd.read_csv(path, float_precision="round_trip", dtype={"key": str, "flow": str})


def experiments() -> list[str]:
    """Return the names of the archived experiments."""
    return sorted(path.stem for path in paths.RESULTS.glob("*.csv"))


def write_archive(experiment: str, results: Iterable[tuple[str, Result]]) -> Path:
    """Write the results (with their keys) as the experiment's archive, whole or not at all."""
    keyed = list(results)
    varied = varying_fields([result.scenario for _, result in keyed])
    rows = []
    for (run_key, result), fields in zip(keyed, varied, strict=True):
        provenance = {name: result.provenance.get(name) for name in PROVENANCE_COLUMNS}
        for flow in result.flows.to_dict("records"):
            rows.append(
                {"key": run_key}
                | fields
                | flow
                | provenance
                | {
                    "links": json.dumps(result.links.to_dict("records"), separators=(",", ":")),
                    "scenario": result.scenario.canonical_json(),
                }
            )
    table = pd.DataFrame(rows)
    path = archive_path(experiment)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    table.to_csv(unfinished, index=False, lineterminator="\n")
    unfinished.replace(path)
    _archive_index.cache_clear()
    return path


def varying_fields(scenarios: list[Scenario]) -> list[dict[str, Any]]:
    """Return, a scenario each, the fields in which the scenarios differ.

    A field is named by its path, such as `links.0.loss_per_packet`.
    """
    flat = [_flatten(scenario.model_dump(mode="json", exclude={"title"})) for scenario in scenarios]
    names = list(dict.fromkeys(name for fields in flat for name in fields))
    missing = object()
    varied = [
        name
        for name in names
        if any(f.get(name, missing) != flat[0].get(name, missing) for f in flat)
    ]
    return [{name: fields.get(name) for name in varied} for fields in flat]


def _flatten(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {path: value}
    flat = {}
    for name, item in items:
        flat |= _flatten(item, f"{path}.{name}" if path else str(name))
    return flat


def find_archived(key: str, scenario: Scenario) -> Result | None:
    """Return the result of a run from the archive, or None (always None if it has traces)."""
    if scenario.record.series or key not in _archive_index():
        return None
    return archived_result(_archive_index()[key])


def archived_result(rows: pd.DataFrame) -> Result:
    """Make a result from a run's rows of an archive."""
    first = rows.iloc[0]
    provenance = {name: first[name] for name in PROVENANCE_COLUMNS if name in rows}
    return Result(
        scenario=Scenario.from_json(first["scenario"]),
        flows=rows[list(FLOW_COLUMNS)].reset_index(drop=True),
        links=pd.DataFrame(json.loads(first["links"])),
        traces={},
        provenance=provenance,
    )


@functools.cache
def _archive_index() -> dict[str, pd.DataFrame]:
    index = {}
    for experiment in experiments():
        index |= dict(list(read_archive(experiment).groupby("key")))
    return index
