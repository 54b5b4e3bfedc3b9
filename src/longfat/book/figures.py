"""One figure alone: made from a chapter's object, where there is one (`longfat.book.chapters`).

Of the other chapters, the cells of a notebook that make it are executed by papermill. Which cells
those are follows from the code (`longfat.book.cells`): the one that shows the figure, and those
before it that make what it uses. This goes when the last chapter is an object.
"""

import ast
import contextlib
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
from papermill.exceptions import PapermillExecutionError
from pydantic import ValidationError

from longfat import paths, store
from longfat.book import cells, chapters, show
from longfat.engines import ENGINES
from longfat.errors import InputError, SimulationError, nearest, sentence
from longfat.experiment import Chapter, Table
from longfat.pictures import save

TIMES = paths.DATA / "figure-times.csv"


class Notebook:
    """A notebook's cells, and what each of them shows."""

    def __init__(self, path: Path):
        self.path = path
        self.content = nbformat.read(path, as_version=4)
        self.code = [cell for cell in self.content.cells if cell.cell_type == "code"]
        self._sources = [cell.source for cell in self.code]
        self.shows = {
            name: number
            for number, source in enumerate(self._sources)
            for name in cells.shown(source)
        }  # the last cell with a name

    def needed(self, name: str) -> list[int]:
        """Return which code cells the figure needs: its own, the parameters, and what it uses."""
        parameters = [n for n, cell in enumerate(self.code) if "parameters" in _tags(cell)]
        return sorted({*parameters, *cells.needed(self._sources, self.shows[name])})

    def experiments(self, name: str) -> set[str]:
        """Return the patterns of the experiments that the figure's cells run."""
        imported = cells.modules("\n".join(self._sources))
        return cells.experiments([self._sources[n] for n in self.needed(name)], imported)

    def sections(self) -> dict[str, str]:
        """Return the heading above each figure and table."""
        sections: dict[str, str] = {}
        heading = ""
        for cell in self.content.cells:
            if cell.cell_type == "markdown":
                headings = [line for line in cell.source.splitlines() if line.startswith("#")]
                heading = headings[-1].lstrip("# ") if headings else heading
            elif cell.cell_type == "code":
                sections |= dict.fromkeys(cells.shown(cell.source), heading)
        return sections


def _tags(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def _place(path: Path) -> str:
    """A chapter comes before its long version."""
    return path.stem


def notebooks() -> list[Notebook]:
    """Return the notebooks, in the order of their names."""
    return [Notebook(path) for path in sorted(paths.NOTEBOOKS.glob("*.ipynb"), key=_place)]


def catalogue() -> pd.DataFrame:
    """Return the figures and tables, chapter by chapter: columns name, notebook, shows.

    `shows` is the caption's first sentence, or the heading above.
    """
    rows = []
    for notebook in notebooks():
        shows = notebook.sections()
        if chapter := chapters.stated().get(notebook.path.stem):
            shows |= {name: _first_sentence(one.caption) for name, one in chapter.shown.items()}
        rows += [
            {"name": name, "notebook": notebook.path.name, "shows": what}
            for name, what in shows.items()
        ]
    table = pd.DataFrame(rows, columns=["name", "notebook", "shows"])
    return table.drop_duplicates("name", keep="last")  # shown on both pages of a chapter: the main


def _first_sentence(caption: str) -> str:
    return show.plain(caption).partition(". ")[0].rstrip(".")


def experiments() -> dict[str, list[str]]:
    """Return, by the name of each figure and table, the archived experiments that it shows.

    They are those that it names. Where its chapter is no object yet, they are those that its cells
    name, or the functions that these call, for an engine or for all; where code puts a part of a
    name together, all that fit.
    """
    archived = store.experiments()
    named = {
        name: sorted(one.uses)
        for chapter in chapters.stated().values()
        for name, one in chapter.shown.items()
    }
    return named | {
        name: sorted(
            {
                one
                for pattern in notebook.experiments(name)
                if pattern.count("*") < 2
                for ending in ("", *(f"-{engine}" for engine in ENGINES))
                for one in fnmatch.filter(archived, pattern + ending)
            }
        )
        for notebook in notebooks()
        for name in notebook.shows
    }


def times() -> pd.DataFrame:
    """Return the `catalogue` with the time that each figure takes, in s.

    Columns quick_s and paper_s: as measured by `measure`, at each profile; at the paper's own scale
    with the results of the archive. simulated_s: the processor time of those results, which is what
    it takes without them, divided by the number of cores. Missing where nothing was measured.
    """
    table = catalogue()
    measured = pd.read_csv(TIMES) if TIMES.exists() else pd.DataFrame({"name": []})
    measured = measured.set_index("name").reindex(columns=["quick_s", "paper_s"])
    table = table.join(measured, on="name")
    used = experiments()
    cost = {experiment: _processor_s(experiment) for experiment in set().union(*used.values())}
    table["simulated_s"] = [sum(cost[e] for e in used[name]) for name in table["name"]]
    return table


def _processor_s(experiment: str) -> float:
    """Return what the runs of an archived experiment took, in s."""
    return float(store.provenance()[experiment]["wall_s"])


def measure(profiles: tuple[str, ...] = ("quick", "paper")) -> None:
    """Execute every notebook with a figure that has no time at these profiles; write it to `TIMES`.

    A figure takes what the cells take that `execute` executes, with an empty local cache; in a
    notebook without profiles, the same at each. What is measured is written a notebook at a time,
    so that a call that was broken off goes on; figures that are gone leave. Without the file every
    figure is measured again.
    """
    table = times().set_index("name")
    _write_times(table)
    for profile in profiles:
        for name in (name for chapter in chapters.stated().values() for name in chapter.shown):
            if pd.notna(table.loc[name, f"{profile}_s"]):
                continue
            table.loc[name, f"{profile}_s"] = _measured_s(name, profile)
            _write_times(table)
        for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
            notebook = Notebook(path)
            if table.loc[list(notebook.shows), f"{profile}_s"].notna().all():
                continue
            known = papermill.inspect_notebook(str(path))
            with tempfile.TemporaryDirectory() as scratch, environment(LONGFAT_CACHE=scratch):
                executed = papermill.execute_notebook(
                    str(path),
                    str(Path(scratch) / path.name),
                    parameters={"profile": profile} if "profile" in known else {},
                    cwd=str(path.parent),
                )
            durations = {
                cell.id: cell.metadata.papermill.duration or 0.0
                for cell in executed.cells
                if cell.cell_type == "code"
            }
            for name in notebook.shows:
                used = [notebook.code[number].id for number in notebook.needed(name)]
                table.loc[name, f"{profile}_s"] = sum(durations[identity] for identity in used)
            _write_times(table)


def _measured_s(name: str, profile: str) -> float:
    """Return what `longfat figure` takes for a figure of a chapter that is an object."""
    with tempfile.TemporaryDirectory() as scratch, environment(LONGFAT_CACHE=f"{scratch}/cache"):
        command = [sys.executable, "-m", "longfat", "figure", name]
        start = time.perf_counter()
        subprocess.run([*command, "--profile", profile, "--output", scratch], check=True)
        return time.perf_counter() - start


def _write_times(table: pd.DataFrame) -> None:
    measured = table[["quick_s", "paper_s"]].dropna(how="all").round(1).reset_index()
    measured.to_csv(TIMES, index=False, lineterminator="\n")


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """Read papermill parameters from NAME=VALUE, where VALUE is a Python literal or a word."""
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
    """Re-execute one figure and return the files written into `folder`: PNG, SVG and CSV.

    Raises InputError for an unknown figure or parameter, SimulationError if a run or cell fails;
    the folder then has no new file.
    """
    if chapter := chapters.of_figure(name):
        try:
            return _make(chapters.find(chapter, **parameters), name, folder)
        except ValidationError as error:  # of a part that a setting makes impossible
            raise InputError(f"{name}: {sentence(error)}") from None
    known = catalogue()
    if name not in set(known["name"]):
        listed = f"no figure '{name}': 'longfat figure --list' names all."
        raise InputError(listed + nearest(name, list(known["name"])))
    path = paths.NOTEBOOKS / known.set_index("name").loc[name, "notebook"]
    _check_parameters(path, parameters)
    whole = Notebook(path)
    notebook = whole.content
    notebook.cells = [whole.code[number] for number in whole.needed(name)]
    with tempfile.TemporaryDirectory() as scratch:
        only = Path(scratch) / path.name
        nbformat.write(notebook, only)
        try:
            with environment(**{show.FIGURE_FOLDER: scratch}):
                papermill.execute_notebook(
                    str(only), str(only), parameters=parameters, cwd=str(path.parent)
                )
        except PapermillExecutionError as error:
            raise SimulationError(f"{name}: {error.ename}: {error.evalue}") from None
        folder.mkdir(parents=True, exist_ok=True)
        made = sorted(Path(scratch).glob(f"{name}.*"))
        return [Path(shutil.copy(file, folder)) for file in made]


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
def environment(**variables: str):
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


def _check_parameters(path: Path, parameters: dict[str, Any]) -> None:
    known = sorted(papermill.inspect_notebook(str(path)))
    for parameter in parameters:
        if parameter not in known:
            raise InputError(
                f"{path.name} has no parameter '{parameter}': it has {', '.join(known)}."
                f"{nearest(parameter, known)}"
            )
