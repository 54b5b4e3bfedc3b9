"""Results by content: the archive in `data/results/`, and a local cache.

A run is its canonical scenario, its engine, and the versions of behaviour of that engine and of the
congestion controls that it uses (`longfat.engines.behaviour`).

The archive is a folder of Parquet files an experiment, which hold values: `runs` (the scenario's
fields that vary in the experiment, engine, seed, and the whole scenario as JSON), `flows`, `links`,
`transfers`, `media_streams` and `traces`, whose column `run` counts the rows of `runs` from 0. In
`traces`, `flow` is the name of the link or transfer where the series is theirs. Who made them,
when, and with which versions, is one line of `data/provenance.csv`. A sweep of thousands is
archived as `points`: a row a point, with its seeds and what was measured there.
"""

import contextlib
import csv
import datetime
import functools
import hashlib
import itertools
import json
import os
import shutil
import sqlite3
import tempfile
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import diskcache
import platformdirs

from longfat import paths
from longfat.errors import InputError, LongfatError, SimulationError, nearest
from longfat.result import (
    FLOW_COLUMNS,
    MORE_FLOW_COLUMNS,
    Result,
    Row,
    trace_carrier,
)
from longfat.scenario import Scenario

if TYPE_CHECKING:  # pandas takes longer to import than a short run, which needs no table
    import pandas as pd
    import pyarrow as pa

TABLES = ("runs", "flows", "links", "transfers", "media_streams", "traces")
PROVENANCE_COLUMNS = (
    "experiment",
    "engine",
    "engine_version",
    "versions",
    "runs",
    "wall_s",
    "longfat_version",
    "commit",
    "platform",
    "made",
    "points",
    "carried",
)

Versions = Mapping[str, str]  # of behaviour, by engine or congestion control ("cc/hybla")


def key(scenario: Scenario, engine: str, versions: Versions) -> str:
    """Return the key of a run: scenario and engine, by content and behaviour."""
    text = json.dumps([scenario.canonical_json(), engine, dict(versions)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def find(
    scenario: Scenario, engine: str, versions: Versions, experiment: str | None = None
) -> Result | None:
    """Return the stored result of a run, or None; not from the archive while that is remade.

    `experiment` is the archive in which it probably is.
    """
    if not reproducing() and (result := find_archived(scenario, engine, versions, experiment)):
        return result
    return find_cached(key(scenario, engine, versions))


def is_stored(
    scenario: Scenario, engine: str, versions: Versions, experiment: str | None = None
) -> bool:
    """Return whether `find` has the result of a run; it is not read."""
    archived = not reproducing() and _place(scenario, engine, versions, experiment)
    return bool(archived) or is_cached(key(scenario, engine, versions))


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
def _storage_errors(what: str) -> Iterator[None]:
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
    try:
        import fcntl
    except ModuleNotFoundError:  # not on every system: there two may make the same run
        yield True
        return
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


def archive_folder(experiment: str) -> Path:
    """Return the folder of an experiment's archive."""
    return paths.RESULTS / experiment


def experiments() -> list[str]:
    """Return the names of the archived experiments."""
    return sorted(path.parent.name for path in paths.RESULTS.glob("[!.]*/runs.parquet"))


def has_runs(experiment: str) -> bool:
    """Return whether an experiment's runs are archived."""
    return (archive_folder(experiment) / "runs.parquet").exists()


def read_archive(experiment: str) -> "pd.DataFrame":
    """Return an experiment's runs and flows as a table, a row a flow.

    Columns: run, the fields of the scenario in which the runs differ (by path, such as
    `links.0.loss_per_packet`), those of `Result.flows`, engine, seed, simulated_s and scenario
    (JSON). A run without flows has one row, without a flow. Raises InputError for an unknown
    experiment, LongfatError where its files cannot be read.

    >>> from longfat import store
    >>> runs = store.read_archive("hybla-steady")
    >>> {"scenario", "engine", "goodput_bps"} <= set(runs.columns)
    True
    """
    runs = read_table(experiment, "runs")
    varied = [name for name in runs.columns if name not in RUN_COLUMNS]
    flows = read_table(experiment, "flows")
    columns = [*FLOW_COLUMNS, *(name for name in MORE_FLOW_COLUMNS if name in flows)]
    flows = flows.reindex(columns=["run", *columns])
    together = runs.rename_axis("run").reset_index().merge(flows, on="run", how="left")
    return together[["run", *varied, *columns, *RUN_COLUMNS]]


def read_table(experiment: str, table: str) -> "pd.DataFrame":
    """Return one of an experiment's tables (`TABLES`, or "points"), empty where it has none.

    Raises InputError for an unknown experiment, LongfatError where the file cannot be read.
    """
    return _read(experiment, table).to_pandas()


def _read(
    experiment: str,
    table: str,
    columns: Collection[str] | None = None,
    without: Collection[str] = (),
) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = archive_folder(experiment) / f"{table}.parquet"
    if not path.exists():
        _check_known(experiment)
        return pa.table({})
    try:
        with pq.ParquetFile(path) as file:
            known = file.schema_arrow.names if columns is None else columns
            return file.read([name for name in known if name not in without])
    except (pa.ArrowException, OSError) as error:
        raise LongfatError(f"the archive's file {path} cannot be read: {_first(error)}") from None


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _check_known(experiment: str) -> None:
    """Raise InputError for an experiment that is not archived, or in the form of before."""
    there = (archive_folder(experiment) / f"{name}.parquet" for name in ("runs", "points"))
    if any(path.exists() for path in there):
        return
    known = [*experiments(), *points()]
    if (old := paths.RESULTS / f"{experiment}.csv").exists():
        raise InputError(
            f"{old} is an archive of the form before longfat 0.2: "
            f"'python tools/convert_archive.py' converts it"
        )
    raise InputError(
        f"no archived experiment '{experiment}': each of the {len(known)} is a folder in "
        f"{paths.RESULTS}.{nearest(experiment, known)}"
    )


RUN_COLUMNS = ("engine", "seed", "simulated_s", "scenario")
# Numbers also where all are missing.
REAL = ("goodput_bps", "transfer_time_s", "acknowledged_s", "simulated_s", "given_up_s")


def write_archive(experiment: str, results: Iterable[Result]) -> bool:
    """Write the results as the experiment's archive, with its line of provenance.

    A table is written where a value differs from what is there, all of the tables or none. Returns
    whether any value did.
    """
    import pyarrow as pa

    results = list(results)
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    traces = []
    fields = varying_fields([result.scenario for result in results])
    for run, (result, varied) in enumerate(zip(results, fields, strict=True)):
        scenario = result.scenario
        rows["runs"].append(
            {name: value for name, value in varied.items() if name != "seed"}
            | {
                "engine": result.provenance["engine"],
                "seed": scenario.seed,
                "simulated_s": result.provenance.get("simulated_s"),
                "scenario": scenario.canonical_json(),
            }
        )
        rows["flows"] += [{"run": run} | flow for flow in result.flow_rows()]
        rows["links"] += [{"run": run} | link for link in result.link_rows()]
        rows["transfers"] += [{"run": run} | transfer for transfer in result.transfer_rows()]
        rows["media_streams"] += [{"run": run} | own for own in result.media_stream_rows()]
        for series, table in result.traces.items():
            named = table.rename(columns={series: "value", trace_carrier(series): "flow"})
            traces.append(named.assign(run=run, series=series))
    tables = {name: _table(found) for name, found in rows.items() if found}
    if traces:
        import pandas as pd

        order = ["run", "series", "flow", "time_s", "value"]
        whole = pd.concat(traces, ignore_index=True)[order]
        tables["traces"] = pa.Table.from_pandas(whole, preserve_index=False)
    return _write(experiment, tables, _made(experiment, [result.provenance for result in results]))


def _write(experiment: str, tables: "Mapping[str, pa.Table]", made: dict[str, str]) -> bool:
    changed = _write_tables(experiment, tables)
    if changed or made["versions"] != provenance().get(experiment, {}).get("versions"):
        _write_provenance(made)
    forget_archive()
    return changed


def _table(rows: list[Row]) -> "pa.Table":
    """Return rows as a table; a column of more than one kind of value becomes one of text."""
    import pyarrow as pa

    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if name in REAL or kinds == {int, float}:
            columns[name] = pa.array(values, pa.float64(), from_pandas=True)
        elif len(kinds) > 1:
            columns[name] = pa.array([None if v is None else str(v) for v in values])
        else:
            columns[name] = pa.array(values, from_pandas=True)
    return pa.table(columns)


def _write_tables(experiment: str, tables: "Mapping[str, pa.Table]") -> bool:
    """Write the tables of an experiment whose values differ from those there, all or none."""
    import pyarrow.parquet as pq

    folder = archive_folder(experiment)
    tables = {name: _as_written(table) for name, table in tables.items()}
    kept = {name for name, table in tables.items() if _is_there(folder, name, table)}
    if kept == set(tables) == {path.stem for path in folder.glob("*.parquet")}:
        return False
    paths.RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=paths.RESULTS, prefix=".") as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        for name, table in tables.items():
            if name in kept:
                shutil.copy2(folder / f"{name}.parquet", fresh)
            else:
                pq.write_table(
                    table,
                    fresh / f"{name}.parquet",
                    compression="zstd",
                    compression_level=19,
                    store_schema=False,
                )
        if folder.exists():
            folder.rename(Path(scratch) / "old")
        fresh.rename(folder)
    return True


def _as_written(table: "pa.Table") -> "pa.Table":
    """Return a table as a file has it, whichever texts pandas has (its "mode.string_storage")."""
    import pyarrow as pa

    large = pa.types.is_large_string
    fields = [one.with_type(pa.string()) if large(one.type) else one for one in table.schema]
    return table.cast(pa.schema(fields))


def _is_there(folder: Path, name: str, table: "pa.Table") -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(folder / f"{name}.parquet") as file:
            present = file.read()
    except (OSError, pa.ArrowException):
        return False
    return present.replace_schema_metadata(None).equals(table)


def varying_fields(scenarios: list[Scenario]) -> list[dict[str, Any]]:
    """Return, a scenario each, the fields in which the scenarios differ.

    A field is named by its path, such as `links.0.loss_per_packet`.
    """
    flat = [flatten(scenario.model_dump(mode="json", exclude={"title"})) for scenario in scenarios]
    names = list(dict.fromkeys(name for fields in flat for name in fields))
    varied = [name for name in names if any(f.get(name) != flat[0].get(name) for f in flat)]
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


def find_archived(
    scenario: Scenario, engine: str, versions: Versions, experiment: str | None = None
) -> Result | None:
    """Return the result of a run from the archive, or None; `experiment` is looked in first.

    Where the archive has the scenario, but made with other versions, nothing is answered; a warning
    says so, once for each engine and congestion control.
    """
    place = _place(scenario, engine, versions, experiment)
    return archived_result(*place, scenario) if place else None


def archived_rows(
    scenarios: list[Scenario], engine: str, each_versions: list[Versions], experiment: str
) -> list[int] | None:
    """Return the rows of `runs` that one archive has of these scenarios, or None.

    None is where it lacks one or has one of other versions, and while it is remade.
    """
    if reproducing() or not (known := _runs_of(experiment)):
        return None
    if any(other_versions(experiment, versions) for versions in each_versions):
        return None
    found = [known.get((engine, scenario.sha256())) for scenario in scenarios]
    runs = [run for run in found if run is not None]
    return runs if len(runs) == len(found) else None


def archived_flows(experiment: str, runs: list[int]) -> "pd.DataFrame":
    """Return the flows of these runs of an archive.

    Columns: those of `Result.flows`. The index counts the runs as they are given.
    """
    import pandas as pd

    flows = read_table(experiment, "flows")
    columns = [*FLOW_COLUMNS, *(name for name in MORE_FLOW_COLUMNS if name in flows)]
    flows = flows.reindex(columns=["run", *columns])
    found = pd.DataFrame({"run": runs}).reset_index(names="scenario").merge(flows, on="run")
    return found.set_index("scenario")[columns].rename_axis(None)


def _place(
    scenario: Scenario, engine: str, versions: Versions, experiment: str | None = None
) -> tuple[str, int] | None:
    """Return where a run is in the archive (`find_archived`): experiment, and its run."""
    wanted = engine, scenario.sha256()
    run = _runs_of(experiment).get(wanted) if experiment else None
    if experiment and run is not None and not other_versions(experiment, versions):
        return experiment, run
    places = _archive_index().get(wanted, ())
    for place, run in places:
        if not other_versions(place, versions):
            return place, run
    for place, _ in places:
        for part in other_versions(place, versions):
            say_not_answered(part, versions[part])
    return None


def other_versions(experiment: str, versions: Versions) -> list[str]:
    """Return what is of another version in an archive, of the parts that `versions` has."""
    made_with = versions_of(experiment)
    return [part for part, version in versions.items() if made_with.get(part) != version]


@functools.cache
def say_not_answered(part: str, version: str) -> None:
    """Warn, once, that the archive does not answer for an engine or a congestion control."""
    code = f"here is version {version}"
    if not version.isdecimal():
        code = "the code here is not known to give its digits ('longfat audit --accept' compares)"
    warnings.warn(
        f"nothing that '{part}' decides is answered from the archive, all is run: {code}",
        stacklevel=2,
    )


def archived_result(experiment: str, run: int, scenario: Scenario | None = None) -> Result:
    """Return a run of an experiment's archive; who has its scenario already may give it.

    Raises LongfatError where it cannot be read.
    """
    tables = _by_run(experiment)
    row = tables["runs"][run]
    line = line_of(experiment)
    return Result(
        scenario=scenario or row["scenario"],
        flows=tables["flows"].get(run, []),
        links=tables["links"].get(run, []),
        traces=_traces(experiment).get(run, {}),
        provenance={
            "experiment": experiment,
            "engine": line["engine"],
            "engine_version": line["engine_version"],
            "versions": versions_of(experiment),
            "longfat_version": line["longfat_version"],
            "commit": line["commit"],
            "platform": line["platform"],
            "made": line["made"],
            "seed": row["seed"],
            "simulated_s": row["simulated_s"],
        },
        transfers=tables["transfers"].get(run, []),
        media_streams=tables["media_streams"].get(run, []),
    )


def forget_archive() -> None:
    """Read the archive anew when it is next needed: it has changed."""
    for function in (
        _archive_index,
        _runs_of,
        kinds_and_draws,
        _by_run,
        _traces,
        provenance,
        versions_of,
    ):
        function.cache_clear()


@functools.cache
def _archive_index() -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return where runs are, by engine and hash of the scenario: experiments, and their runs.

    Whole tables are read when they are needed. Without the package that reads them there are none.
    """
    if find_spec("pyarrow") is None:
        return {}
    places: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for experiment in experiments():
        for wanted, run in _runs_of(experiment).items():
            places.setdefault(wanted, []).append((experiment, run))
    return places


@functools.cache
def _runs_of(experiment: str) -> dict[tuple[str, str], int]:
    """Return an experiment's runs by engine and hash of the scenario.

    Of one that is not archived there are none; nor of one that cannot be read, and a warning says
    so.
    """
    if not has_runs(experiment):
        return {}
    try:
        runs = _read(experiment, "runs", ["engine", "scenario"]).to_pydict()
        line_of(experiment)
    except LongfatError as error:
        warnings.warn(f"{error}: left out", stacklevel=2)
        return {}
    return {
        (engine, hashlib.sha256(text.encode()).hexdigest()): run
        for run, (engine, text) in enumerate(zip(runs["engine"], runs["scenario"], strict=True))
    }


@functools.cache
def kinds_and_draws(experiment: str) -> tuple[list[int], list[int], list[tuple[int, ...]]]:
    """Return of an archive's runs, in lists: their seeds; their kinds; their draws.

    When something starts or moves is often drawn from the seed: a draw is the seed with the times
    that vary in a kind, and a kind is all else that varies. Runs of the same draw have the same
    numbers, and those of the same kind that follow each other have the same one.
    """
    import numpy as np

    runs = _read(experiment, "runs", without=("simulated_s", "scenario"))
    turns, times = np.zeros(len(runs), dtype=bool), []
    for name, column in zip(runs.column_names, runs.columns, strict=True):
        codes = column.combine_chunks().dictionary_encode("encode").indices.to_numpy()
        if name.rpartition(".")[2] in ("start_s", "at_s"):
            times.append(codes)
        elif name != "seed":
            turns[1:] |= codes[1:] != codes[:-1]
    drawn = [codes.tolist() for codes in times if (np.diff(codes)[~turns[1:]] != 0).any()]
    seeds = runs["seed"].to_pylist()
    return seeds, turns.cumsum().tolist(), list(zip(seeds, *drawn, strict=True))


@functools.cache
def _by_run(experiment: str) -> dict[str, dict[int, Any]]:
    """Return the tables of an experiment by run: "runs" a row each, the others a list of rows."""
    runs = _read(experiment, "runs", ("seed", "simulated_s", "scenario")).to_pylist()
    found: dict[str, dict[int, Any]] = {"runs": dict(enumerate(runs))}
    for name in ("flows", "links", "transfers", "media_streams"):
        found[name] = {}
        for row in _rows(experiment, name):
            found[name].setdefault(row.pop("run"), []).append(row)
    for rows in found["links"].values():  # what only links of other runs have
        rows[:] = [{name: n for name, n in row.items() if n is not None} for row in rows]
    return found


def _rows(experiment: str, table: str) -> list[Row]:
    return _read(experiment, table).to_pylist()


@functools.cache
def _traces(experiment: str) -> dict[int, dict[str, dict[str, Any]]]:
    """Return an experiment's recorded series, by run and name of the series: columns of each.

    The rows of a series stand together (`write_archive`).
    """
    import numpy as np

    traces: dict[int, dict[str, dict[str, Any]]] = {}
    if not (table := _read(experiment, "traces")).num_rows:
        return traces
    columns = {name: table[name].to_numpy() for name in table.column_names}
    runs, names = columns.pop("run"), columns.pop("series")
    begins = np.flatnonzero((runs[1:] != runs[:-1]) | (names[1:] != names[:-1])) + 1
    for start, end in itertools.pairwise([0, *begins.tolist(), len(table)]):
        run, series = int(runs[start]), names[start]
        here = {name: values[start:end] for name, values in columns.items()}
        traces.setdefault(run, {})[series] = {
            trace_carrier(series): here["flow"],
            "time_s": here["time_s"],
            series: here["value"],
        }
    return traces


# --- sweeps of thousands: a row a point


def points() -> list[str]:
    """Return the names of the sweeps that are archived as points."""
    return sorted(path.parent.name for path in paths.RESULTS.glob("[!.]*/points.parquet"))


def write_points(
    experiment: str, table: "pd.DataFrame", point: str, made: Iterable[dict[str, Any]]
) -> bool:
    """Write a sweep as points: a row a point. `made` has the provenance of each run.

    `point` names what makes a row again (a `longfat.experiment.Point`), as "package.module:POINT".
    Returns whether a value differs from what was there.
    """
    import pyarrow as pa

    tables = {"points": pa.Table.from_pandas(table, preserve_index=False)}
    return _write(experiment, tables, _made(experiment, list(made), point))


# --- provenance

PROVENANCE = "provenance.csv"


@functools.cache
def provenance() -> dict[str, dict[str, str]]:
    """Return who made each archive: a line of `data/provenance.csv` by experiment.

    engine, engine_version (of ns-3, ns-2 or Linux), versions (of behaviour: "segment 1, cc/hybla
    2"), runs, wall_s (what they took, s), longfat_version, commit (of this package; with "+" where
    it differed from that), platform, made (the day), points, what a point is computed by, and
    carried: how many of its runs were made again by a later version, with the same digits each
    (`carry`).
    """
    try:
        with _provenance_path().open(encoding="utf-8", newline="") as file:
            return {line["experiment"]: line for line in csv.DictReader(file)}
    except FileNotFoundError:
        return {}


def line_of(experiment: str) -> dict[str, str]:
    """Return an archive's line of `provenance`. Raises LongfatError where there is none."""
    try:
        return provenance()[experiment]
    except KeyError:
        raise LongfatError(f"{PROVENANCE} has no line of '{experiment}'") from None


def _provenance_path() -> Path:
    return paths.RESULTS.parent / PROVENANCE


@functools.cache
def versions_of(experiment: str) -> dict[str, str]:
    """Return the versions of behaviour that an archive was made with; none where nothing says."""
    text = provenance().get(experiment, {}).get("versions", "")
    return dict(part.rsplit(" ", 1) for part in text.split(", ") if part)


def _made(experiment: str, made: list[dict[str, Any]], points: str = "") -> dict[str, str]:
    """Return the line of provenance of results that are archived now, of those of the runs."""

    def all_of(name: str) -> str:
        return " ".join(dict.fromkeys(str(one.get(name) or "") for one in made))

    today = datetime.date.today().isoformat()
    versions = {part: number for one in made for part, number in one["versions"].items()}
    return {
        "experiment": experiment,
        "engine": all_of("engine"),
        "engine_version": all_of("engine_version"),
        "versions": ", ".join(f"{part} {number}" for part, number in sorted(versions.items())),
        "runs": str(len(made)),
        "wall_s": f"{sum(one.get('wall_s') or 0 for one in made):.0f}",
        "longfat_version": all_of("longfat_version"),
        "commit": all_of("commit"),
        "platform": all_of("platform"),
        "made": max(one.get("made") or today for one in made),
        "points": points,
        "carried": "",
    }


def carry(experiment: str, versions: Versions, runs: int) -> None:
    """Say that an archive is of these versions of behaviour too: so many of its runs were equal.

    They are the present ones of what it was made with (`versions_of`).
    """
    text = ", ".join(f"{part} {number}" for part, number in sorted(versions.items()))
    _write_provenance(line_of(experiment) | {"versions": text, "carried": str(runs)})


def _write_provenance(line: dict[str, str]) -> None:
    """Put the line in the place of the experiment's.

    The file is read anew: another process may have archived since this one began.
    """
    provenance.cache_clear()
    lines = provenance() | {line["experiment"]: line}
    path = _provenance_path()
    unfinished = path.with_suffix(".tmp")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, PROVENANCE_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[name] for name in sorted(lines))
    unfinished.replace(path)
    forget_archive()
