"""One figure alone: the cells of a notebook that make it, executed by papermill.

A cell that makes a figure or table carries its name as a tag (`hybla-3`), and so does every cell
that only this figure needs; cells tagged `parameters` and `setup` come before each of them.
"""

import ast
import contextlib
import copy
import fnmatch
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
from papermill.exceptions import PapermillExecutionError

from longfat import paths, store
from longfat.book import show
from longfat.errors import InputError, SimulationError, nearest

ALWAYS = {"parameters", "setup"}
EXPERIMENT = re.compile(r'\bexperiment=f?"([^"]+)"')
TIMES = paths.DATA / "figure-times.csv"


def _tags(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def catalogue() -> pd.DataFrame:
    """Return the figures and tables in the order of the book: columns name, notebook, section."""
    rows = {}
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        section = ""
        for cell in nbformat.read(notebook, as_version=4).cells:
            if cell.cell_type == "markdown":
                headings = [line for line in cell.source.splitlines() if line.startswith("#")]
                section = headings[-1].lstrip("# ") if headings else section
            for tag in _tags(cell):
                if tag.startswith(f"{notebook.stem}-"):
                    rows.pop(tag, None)  # the last cell with the tag is the one that shows it
                    rows[tag] = {"name": tag, "notebook": notebook.name, "section": section}
    return pd.DataFrame(rows.values(), columns=["name", "notebook", "section"])


def experiments() -> dict[str, list[str]]:
    """Return, by the name of each figure and table, the archived experiments that it shows.

    They are those that its cells name; where a cell puts a name together, all that fit.
    """
    archived = store.experiments()
    found = {name: set() for name in catalogue()["name"]}
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(notebook, as_version=4).cells:
            for pattern in EXPERIMENT.findall(cell.source):
                names = fnmatch.filter(archived, re.sub(r"\{.*?\}", "*", pattern))
                for tag in found.keys() & set(_tags(cell)):
                    found[tag].update(names)
    return {name: sorted(names) for name, names in found.items()}


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
    cost = {
        experiment: store.read_archive(experiment).drop_duplicates("key")["wall_s"].sum()
        for experiment in set().union(*used.values())
    }
    table["simulated_s"] = [sum(cost[e] for e in used[name]) for name in table["name"]]
    return table


def measure(profiles: tuple[str, ...] = ("quick", "paper")) -> None:
    """Execute every notebook at these profiles and write what each figure takes to `TIMES`.

    A figure takes what the cells take that `execute` executes, with an empty local cache; in a
    notebook without profiles, the same at each. Profiles that are not measured keep their times.
    What is measured is written a notebook at a time.
    """
    table = times().set_index("name")
    for profile in profiles:
        for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
            known = papermill.inspect_notebook(str(path))
            with tempfile.TemporaryDirectory() as scratch, _environment(LONGFAT_CACHE=scratch):
                executed = papermill.execute_notebook(
                    str(path),
                    str(Path(scratch) / path.name),
                    parameters={"profile": profile} if "profile" in known else {},
                    cwd=str(path.parent),
                )
            for name in table.index[table["notebook"] == path.name]:
                table.loc[name, f"{profile}_s"] = sum(
                    cell.metadata.papermill.duration or 0.0
                    for cell in executed.cells
                    if ALWAYS.union([name]).intersection(_tags(cell))
                )
            measured = table[["quick_s", "paper_s"]].round(1).reset_index()
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

    Raises InputError for an unknown figure or parameter, SimulationError if a cell fails; the
    folder then has no new file.
    """
    known = catalogue()
    if name not in set(known["name"]):
        listed = f"no figure '{name}': 'longfat figure --list' names all."
        raise InputError(listed + nearest(name, list(known["name"])))
    path = paths.NOTEBOOKS / known.set_index("name").loc[name, "notebook"]
    _check_parameters(path, parameters)
    notebook = copy.deepcopy(nbformat.read(path, as_version=4))
    notebook.cells = [c for c in notebook.cells if ALWAYS.union([name]).intersection(_tags(c))]
    with tempfile.TemporaryDirectory() as scratch:
        only = Path(scratch) / path.name
        nbformat.write(notebook, only)
        try:
            with _environment(**{show.FIGURE_FOLDER: scratch}):
                papermill.execute_notebook(
                    str(only), str(only), parameters=parameters, cwd=str(path.parent)
                )
        except PapermillExecutionError as error:
            raise SimulationError(f"{name}: {error.ename}: {error.evalue}") from None
        folder.mkdir(parents=True, exist_ok=True)
        made = sorted(Path(scratch).glob(f"{name}.*"))
        return [Path(shutil.copy(file, folder)) for file in made]


@contextlib.contextmanager
def _environment(**variables: str):
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
