"""One figure alone: the cells of a notebook that make it, executed by papermill.

A cell that makes a figure or table carries its name as a tag (`hybla-3`), and so does every cell
that only this figure needs; cells tagged `parameters` and `setup` come before each of them.
"""

import ast
import copy
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
from papermill.exceptions import PapermillExecutionError

from longfat import paths, report
from longfat.errors import InputError, SimulationError, nearest

ALWAYS = {"parameters", "setup"}


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
        names = list(known["name"])
        raise InputError(f"no figure '{name}': there are {', '.join(names)}.{nearest(name, names)}")
    path = paths.NOTEBOOKS / known.set_index("name").loc[name, "notebook"]
    _check_parameters(path, parameters)
    notebook = copy.deepcopy(nbformat.read(path, as_version=4))
    notebook.cells = [c for c in notebook.cells if ALWAYS.union([name]).intersection(_tags(c))]
    with tempfile.TemporaryDirectory() as scratch:
        only = Path(scratch) / path.name
        nbformat.write(notebook, only)
        os.environ[report.FIGURE_FOLDER] = scratch
        try:
            papermill.execute_notebook(
                str(only), str(only), parameters=parameters, cwd=str(path.parent), log_output=False
            )
        except PapermillExecutionError as error:
            raise SimulationError(f"{name}: {error.ename}: {error.evalue}") from None
        finally:
            del os.environ[report.FIGURE_FOLDER]
        folder.mkdir(parents=True, exist_ok=True)
        made = sorted(Path(scratch).glob(f"{name}.*"))
        return [Path(shutil.copy(file, folder)) for file in made]


def _check_parameters(path: Path, parameters: dict[str, Any]) -> None:
    known = sorted(papermill.inspect_notebook(str(path)))
    for parameter in parameters:
        if parameter not in known:
            raise InputError(
                f"{path.name} has no parameter '{parameter}': it has {', '.join(known)}."
                f"{nearest(parameter, known)}"
            )
