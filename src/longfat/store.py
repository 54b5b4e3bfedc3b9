"""Results by content: the archive in `data/results/`, and a local cache.

The key of a run is the hash of its canonical scenario and of what else decides its digits: the
engine, its version, the content of its headers. A changed header therefore has no results yet.

The archive is one CSV file an experiment, a row a flow: key, the scenario's fields that vary in the
experiment, what was measured, provenance, and the whole scenario as JSON, with what its transfers
came to. A run without flows has one row, without a flow. Traces are in a table beside it, a row a
point; its column `flow` has the name of the link or transfer where the series is theirs.
"""

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import sqlite3
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import diskcache
import platformdirs

from longfat import paths
from longfat.errors import InputError, LongfatError, SimulationError, nearest
from longfat.result import FLOW_COLUMNS, Result, Row, records, trace_carrier
from longfat.scenario import Scenario

if TYPE_CHECKING:  # pandas takes longer to import than a short run, which needs no table
    import pandas as pd

PROVENANCE_COLUMNS = (
    "engine",
    "engine_version",
    "headers_sha256",
    "commit",
    "longfat_version",
    "ns3_wheel_version",
    "accelerated",
    "kernel_version",
    "config_sha256",
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


def find(scenario: Scenario, ingredients: dict[str, str]) -> Result | None:
    """Return the stored result of a run, or None; not from the archive while that is remade."""
    if not reproducing() and (result := find_archived(key(scenario, ingredients))):
        return result
    return find_cached(key(scenario, ingredients))


def reproducing() -> bool:
    """Return whether the archive is being remade (environment variable LONGFAT_REPRODUCE)."""
    return os.environ.get("LONGFAT_REPRODUCE", "0") != "0"


# --- the local cache


def folder() -> Path:
    """Return the folder of the local cache: environment variable LONGFAT_CACHE, or the user's."""
    return Path(os.environ.get("LONGFAT_CACHE") or platformdirs.user_cache_dir("longfat"))


@functools.cache
def _cache() -> diskcache.Cache:
    with _storage_errors("cannot be opened"):
        return diskcache.Cache(folder(), disk=diskcache.JSONDisk, eviction_policy="none")


@contextlib.contextmanager
def _storage_errors(what: str):
    """Turn what goes wrong with files or database into one sentence that names the folder."""
    try:
        yield
    except (OSError, sqlite3.Error, diskcache.Timeout) as error:
        reason = str(error) or "it was locked for too long"
        with contextlib.suppress(OSError):
            reason += f", and its disk has {shutil.disk_usage(folder()).free / 1e6:.1f} MB free"
        raise LongfatError(f"the cache {folder()} {what}: {reason}") from None


def find_cached(key: str) -> Result | None:
    """Return the result of a run from the local cache, or None. A damaged entry is dropped."""
    with _storage_errors("cannot be read"):
        cache = _cache()
        try:
            data = cache.get(key)
            if data is None and key in cache:
                raise ValueError("its file is gone")
            if data is None:
                return None
            result = Result.from_dict(data)
            result.provenance["key"] = key
            return result
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            warnings.warn(
                f"cache entry {key} is damaged ({error}): it will be run again", stacklevel=2
            )
            cache.delete(key)
            return None


def is_cached(key: str) -> bool:
    """Return whether the local cache has a run."""
    with _storage_errors("cannot be read"):
        return key in _cache()


def keep(key: str, result: Result) -> None:
    """Store a result in the local cache, whole or not at all.

    Raises LongfatError, which names the folder, where the disk is full or cannot be written.
    """
    with _storage_errors("cannot take a result (what it has is safe)"):
        _cache().set(key, result.to_dict())
        _failure_path(result.scenario.sha256()).unlink(missing_ok=True)


@contextlib.contextmanager
def claim(key: str) -> Iterator[bool]:
    """Claim a run for this thread; the value says whether that succeeded, or another has it.

    The claim is a lock of the kernel's on the file `claims/<key>` in the folder of the local cache:
    it ends with the process, however that ends, and then a file that is left does not matter.
    """
    import fcntl  # not on every system; simulating needs one that has it

    path = folder() / "claims" / key
    with _storage_errors("cannot take a claim"):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w")  # noqa: SIM115 it is closed below, which ends the claim
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = os.path.samestat(os.fstat(file.fileno()), os.stat(path))
        except (BlockingIOError, FileNotFoundError):
            mine = False  # FileNotFoundError: whoever had it has just finished
        try:
            yield mine
        finally:
            if mine:
                path.unlink()


def keep_failure(error: SimulationError) -> SimulationError:
    """Save a failed run's scenario with the engine's last words; return an error that says where.

    The file is `failures/<hash of the scenario>.json` in the folder of the local cache.
    """
    if error.failure is None:
        return error
    path = _failure_path(Scenario(**error.failure["scenario"]).sha256())
    with _storage_errors("cannot take a failed scenario"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(error.failure, indent=2) + "\n", encoding="utf-8")
    return SimulationError(f"{error} [saved as {path}]")


def _failure_path(scenario_sha256: str) -> Path:
    return folder() / "failures" / f"{scenario_sha256[:12]}.json"


# --- the archive


def archive_path(experiment: str) -> Path:
    """Return the path of an experiment's archive."""
    return paths.RESULTS / f"{experiment}.csv"


def read_archive(experiment: str) -> "pd.DataFrame":
    """Return an experiment's archive as a table. Raises InputError for an unknown experiment.

    >>> from longfat import store
    >>> runs = store.read_archive("hybla-steady")
    >>> {"scenario", "engine", "goodput_bps"} <= set(runs.columns)
    True
    """
    path = archive_path(experiment)
    if not path.exists():
        known = experiments()
        raise InputError(
            f"no archived experiment '{experiment}': archived are {', '.join(known) or 'none'}."
            f"{nearest(experiment, known)}"
        )
    return _read_csv(path)


def experiments() -> list[str]:
    """Return the names of the archived experiments."""
    return sorted(path.stem for path in paths.RESULTS.glob("*.csv"))


def traces_path(experiment: str) -> Path:
    """Return the path of an experiment's archived traces."""
    return paths.RESULTS / "traces" / f"{experiment}.csv"


def write_archive(experiment: str, results: Iterable[Result]) -> Path:
    """Write the results as the experiment's archive, and their traces if they have any.

    Each file is written whole or not at all. Returns the path of the archive.
    """
    import pandas as pd

    results = list(results)
    rows, traces = [], []
    for result, fields in zip(results, varying_fields([r.scenario for r in results]), strict=True):
        provenance = {name: result.provenance.get(name) for name in PROVENANCE_COLUMNS}
        run_key = result.provenance["key"]
        whole_run: dict[str, str | None] = {
            "links": json.dumps(result.links.to_dict("records"), separators=(",", ":")),
            "scenario": result.scenario.canonical_json(),
        }
        if result.scenario.transfers:
            whole_run["transfers"] = json.dumps(result.transfer_rows(), separators=(",", ":"))
        for flow in result.flows.to_dict("records") or [dict.fromkeys(FLOW_COLUMNS)]:
            rows.append(
                {"key": run_key}
                | {name: value for name, value in fields.items() if name not in provenance}
                | flow
                | provenance
                | whole_run
            )
            whole_run = dict.fromkeys(whole_run)  # once a run: the long columns
        for series, table in result.traces.items():
            renamed = table.rename(columns={series: "value", trace_carrier(series): "flow"})
            traces.append(renamed.assign(key=run_key, series=series))
    _write_csv(pd.DataFrame(rows), archive_path(experiment))
    if traces:
        columns = ["key", "series", "flow", "time_s", "value"]
        _write_csv(pd.concat(traces)[columns], traces_path(experiment))
    forget_archive()
    return archive_path(experiment)


def _write_csv(table: "pd.DataFrame", path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    table.to_csv(unfinished, index=False, lineterminator="\n")
    unfinished.replace(path)


def _read_csv(path: Path) -> "pd.DataFrame":
    import pandas as pd

    table = pd.read_csv(path, dtype={"key": str, "flow": str})
    whole_run = [column for column in ("links", "scenario", "transfers") if column in table]
    if whole_run:  # written with a run's first flow alone
        table[whole_run] = table.groupby("key", sort=False)[whole_run].ffill()
    return table


def varying_fields(scenarios: list[Scenario]) -> list[dict[str, Any]]:
    """Return, a scenario each, the fields in which the scenarios differ.

    A field is named by its path, such as `links.0.loss_per_packet`.
    """
    flat = [flatten(scenario.model_dump(mode="json", exclude={"title"})) for scenario in scenarios]
    names = list(dict.fromkeys(name for fields in flat for name in fields))
    missing = object()
    varied = [
        name
        for name in names
        if any(f.get(name, missing) != flat[0].get(name, missing) for f in flat)
    ]
    return [{name: fields.get(name) for name in varied} for fields in flat]


def flatten(value: Any, path: str = "") -> dict[str, Any]:
    """Return nested dictionaries and lists as one: by path, such as `links.0.loss_per_packet`."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return {path: value}
    flat: dict[str, Any] = {}
    for name, item in items:
        flat |= flatten(item, f"{path}.{name}" if path else str(name))
    return flat


def find_archived(key: str) -> Result | None:
    """Return the result of a run from the archive, or None."""
    experiment = _archive_index().get(key)
    return None if experiment is None else _result(experiment, _runs(experiment)[key])


def archived_result(experiment: str, rows: "pd.DataFrame") -> Result:
    """Make a result from a run's rows of an experiment's archive."""
    return _result(experiment, records(rows))


def _result(experiment: str, rows: list[Row]) -> Result:
    first = rows[0]
    scenario = Scenario.from_json(first["scenario"])
    return Result(
        scenario=scenario,
        flows=[
            {column: row[column] for column in FLOW_COLUMNS}
            for row in rows
            if row["flow"] is not None
        ],
        links=json.loads(first["links"]),
        traces=dict(_traces(experiment)[first["key"]]) if scenario.record.series else {},
        provenance={name: first.get(name) for name in ("key", *PROVENANCE_COLUMNS)},
        transfers=json.loads(first.get("transfers") or "[]"),
    )


def forget_archive() -> None:
    """Read the archive anew when it is next needed: it has changed."""
    _archive_index.cache_clear()
    _runs.cache_clear()
    _traces.cache_clear()


@functools.cache
def _archive_index() -> dict[str, str]:
    """Return which experiment has a run, by key. Whole tables are read when they are needed."""
    return {
        key.decode(): experiment
        for experiment in experiments()
        for key in re.findall(rb"^([0-9a-f]{32}),", archive_path(experiment).read_bytes(), re.M)
    }


@functools.cache
def _runs(experiment: str) -> dict[str, list[Row]]:
    """Return the rows of an experiment's archive, by key of the run."""
    runs: dict[str, list[Row]] = {}
    for row in records(read_archive(experiment)):
        runs.setdefault(row["key"], []).append(row)
    return runs


@functools.cache
def _traces(experiment: str) -> "dict[str, dict[str, pd.DataFrame]]":
    """Return an experiment's recorded series, by key of the run and name of the series."""
    traces: dict[str, dict[str, pd.DataFrame]] = {}
    table = _read_csv(traces_path(experiment))
    for (key, series), values in table.groupby(["key", "series"], sort=False):
        named = values[["flow", "time_s", "value"]].rename(
            columns={"value": series, "flow": trace_carrier(series)}
        )
        traces.setdefault(key, {})[series] = named.reset_index(drop=True)
    return traces
