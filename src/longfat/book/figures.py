"""One figure alone: made from the object of its chapter (`longfat.book.chapters`)."""

import ast
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from longfat import paths, store
from longfat.book import chapters, show
from longfat.errors import InputError, nearest
from longfat.experiment import Chapter, Table
from longfat.pictures import save

TIMES = paths.DATA / "figure-times.csv"


def catalogue() -> pd.DataFrame:
    """Return the figures and tables, chapter by chapter: columns name, chapter, shows.

    `shows` is the caption's first sentence.
    """
    rows = [
        {"name": name, "chapter": chapter.name, "shows": _first_sentence(one.caption)}
        for chapter in chapters.stated().values()
        for name, one in chapter.shown.items()
    ]
    return pd.DataFrame(rows, columns=["name", "chapter", "shows"])


def _first_sentence(caption: str) -> str:
    return show.plain(caption).partition(". ")[0].rstrip(".")


def experiments() -> dict[str, list[str]]:
    """Return, by the name of each figure and table, the experiments that it names."""
    return {
        name: sorted(one.uses)
        for chapter in chapters.stated().values()
        for name, one in chapter.shown.items()
    }


def times() -> pd.DataFrame:
    """Return the `catalogue` with the time that each figure takes, in s.

    Columns quick_s and paper_s: as measured by `measure`, at each profile; at the paper's own scale
    with the results of the archive. simulated_s: the processor time of those results, which is what
    it takes without them, divided by the number of cores. Missing where nothing was measured, or
    where an experiment is not archived.
    """
    table = catalogue()
    measured = pd.read_csv(TIMES) if TIMES.exists() else pd.DataFrame({"name": []})
    measured = measured.set_index("name").reindex(columns=["quick_s", "paper_s"])
    table = table.join(measured, on="name")
    used = experiments()
    lines = store.provenance()
    cost = {name: float(line["wall_s"]) for name, line in lines.items()}
    missing = float("nan")
    table["simulated_s"] = [
        float(sum(cost.get(experiment, missing) for experiment in used[name]))
        for name in table["name"]
    ]
    return table


def measure(profiles: tuple[str, ...] = ("quick", "paper")) -> None:
    """Make every figure that has no time at these profiles; write what it took to `TIMES`.

    A figure takes what `longfat figure` takes, with an empty local cache. What is measured is
    written at once, so that a call that was broken off goes on; figures that are gone leave.
    Without the file every figure is measured again.
    """
    table = times().set_index("name")
    _write_times(table)
    for profile in profiles:
        for name in table.index[table[f"{profile}_s"].isna()]:
            table.loc[name, f"{profile}_s"] = _measured_s(name, profile)
            _write_times(table)


def _measured_s(name: str, profile: str) -> float:
    """Return what `longfat figure` takes."""
    with tempfile.TemporaryDirectory() as scratch, environment(LONGFAT_CACHE=f"{scratch}/cache"):
        command = [sys.executable, "-m", "longfat", "figure", name]
        start = time.perf_counter()
        subprocess.run([*command, "--profile", profile, "--output", scratch], check=True)
        return time.perf_counter() - start


def _write_times(table: pd.DataFrame) -> None:
    measured = table[["quick_s", "paper_s"]].dropna(how="all").round(1).reset_index()
    measured.to_csv(TIMES, index=False, lineterminator="\n")


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """Read parameters from NAME=VALUE, where VALUE is a Python literal or a word."""
    parameters = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if not separator or not name.isidentifier():
            raise InputError(f"--set {setting}: write NAME=VALUE, for example --set repetitions=3")
        try:
            parameters[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            parameters[name] = value
    return parameters


def execute(name: str, folder: Path, parameters: dict[str, Any]) -> list[Path]:
    """Make one figure and return the files written into `folder`: PNG, SVG and CSV.

    Raises InputError for an unknown figure or parameter, SimulationError if a run fails; the folder
    then has no new file.
    """
    chapter = chapters.of_figure(name)
    if chapter is None:
        listed = f"no figure '{name}': 'longfat figure --list' names all."
        raise InputError(listed + nearest(name, list(catalogue()["name"])))
    return _make(chapters.find(chapter, **parameters), name, folder)


def _make(chapter: Chapter, name: str, folder: Path) -> list[Path]:
    one = chapter.shown[name]
    data = chapter.data(one)
    drawing = None if isinstance(one, Table) or data.empty else chapter.chart(one, data)
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"{name}.csv"]
    data.to_csv(made[0], index=False, lineterminator="\n")
    if drawing is not None:
        show.settle(drawing)
        made += [folder / f"{name}.png", folder / f"{name}.svg"]
        drawing.savefig(made[1], dpi=200)
        save(drawing, made[2])
    return made


@contextlib.contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set environment variables for a while: a notebook's kernel inherits them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
