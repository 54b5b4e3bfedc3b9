"""Convert archives of the form before longfat 0.2, a CSV file an experiment, value by value.

    python tools/convert_archive.py [EXPERIMENT ...]        all of data/results without a name

A file that was converted is removed, with its traces. The results are taken to be of the versions
of behaviour that the code here says it has: 'longfat audit --experiment NAME' runs some again.
"""

import csv
import functools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd

from longfat import engines, paths, store
from longfat.engines import behaviour
from longfat.result import FLOW_COLUMNS, Result, trace_carrier
from longfat.scenario import Scenario

PRODUCT = {"ns3": "ns3_wheel_version", "linux": "kernel_version", "ns2": "engine_version"}


def convert(path: Path) -> None:
    """Write the archive of a CSV file in the form of today, and remove the file."""
    experiment = path.stem
    traced = path.parent / "traces" / path.name
    traces = read_traces(traced) if traced.exists() else {}
    results, parts = [], set()
    for row, flows in runs(path):
        scenario = Scenario.from_json(row["scenario"])
        engine = row["engine"]
        parts.update(own := engines.parts(scenario, engine))
        results.append(
            Result(
                scenario=scenario,
                flows=flows,
                links=[cleaned(link) for link in json.loads(row["links"])],
                traces=traces.get(row["key"], {}),
                transfers=[cleaned(one) for one in json.loads(row.get("transfers") or "[]")],
                provenance={
                    "engine": engine,
                    "engine_version": row.get(PRODUCT.get(engine, ""), ""),
                    "versions": {name: str(number) for name, number, _ in own},
                    "longfat_version": row["longfat_version"],
                    "commit": row.get("commit", ""),
                    "platform": row["platform"],
                    "simulated_s": number(row["simulated_s"]),
                    "wall_s": number(row["wall_s"]),
                    "made": day(row.get("commit", ""), path),
                },
            )
        )
    behaviour.accept_new(parts)
    store.write_archive(experiment, results)
    check(experiment, path, traced)
    path.unlink()
    traced.unlink(missing_ok=True)


@functools.cache
def day(commit: str, path: Path) -> str:
    """Return the day of a commit, or of the file's last, "" outside of a repository."""
    what = [commit.removesuffix("+")] if commit else ["-1", "--", str(path)]
    command = ["git", "-C", str(path.parent), "log" if not commit else "show", "-s", "--format=%cs"]
    done = subprocess.run([*command, *what], capture_output=True, text=True)
    return done.stdout.strip()


def runs(path: Path):
    """Return each run's first row, and its flows."""
    found: dict[str, tuple[dict, list[dict]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            _, flows = found.setdefault(row["key"], (row, []))
            if row["flow"]:
                flows.append({"flow": row["flow"]} | {n: number(row[n]) for n in FLOW_COLUMNS[1:]})
    return found.values()


def read_traces(path: Path) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the recorded series by key of the run."""
    found: dict[str, dict[str, pd.DataFrame]] = {}
    table = pd.read_csv(path, dtype={"key": str, "flow": str})
    for (key, series), values in table.groupby(["key", "series"], sort=False):
        named = values.rename(columns={"value": series, "flow": trace_carrier(series)})
        columns = [trace_carrier(series), "time_s", series]
        found.setdefault(key, {})[series] = named[columns].reset_index(drop=True)
    return found


def number(text: str) -> int | float | None:
    """Return a number as it was written; None where it is missing."""
    if not text:
        return None
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def cleaned(row: dict) -> dict:
    """Return a row without what it does not have, with counts as whole numbers."""
    kept = {n: v for n, v in row.items() if v is not None and v == v}
    return {
        n: int(v) if isinstance(v, float) and v.is_integer() and not n.endswith("_s") else v
        for n, v in kept.items()
    }


def check(experiment: str, path: Path, traced: Path) -> None:
    """Stop unless the archive as read again has every value of the CSV files."""
    old = pd.read_csv(path, dtype={"flow": str})
    new = store.read_archive(experiment)
    assert len(old) == len(new), experiment
    for name in [n for n in new.columns if n in old.columns]:
        for one, two in zip(old[name], new[name], strict=True):
            assert same(one, two) or (name == "scenario" and one != one), (experiment, name, two)
    dropped = set(old.columns) - set(new.columns)
    assert dropped <= {"key", "links", "transfers", *DROPPED}, (experiment, dropped)
    if traced.exists():
        before = pd.read_csv(traced)
        after = store.read_table(experiment, "traces")
        assert math.isclose(len(before), len(after))
        assert (before["value"].to_numpy() == after["value"].to_numpy()).all(), experiment
        assert (before["time_s"].to_numpy() == after["time_s"].to_numpy()).all(), experiment


def same(one, two) -> bool:
    """Return whether a value is what the CSV file's is read as."""
    if one != one:
        return two is None or two != two or two == ""
    if isinstance(one, float) and isinstance(two, str):
        return one == float(two)  # a name that is a number
    return one == two or str(one) == str(two)


DROPPED = (
    "engine_version",
    "headers_sha256",
    "commit",
    "longfat_version",
    "ns3_wheel_version",
    "accelerated",
    "kernel_version",
    "config_sha256",
    "platform",
    "events",
    "wall_s",
)


if __name__ == "__main__":
    named = [paths.RESULTS / f"{name}.csv" for name in sys.argv[1:]]
    for file in named or sorted(paths.RESULTS.glob("*.csv")):
        convert(file)
        print(file.stem)
