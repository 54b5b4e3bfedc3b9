"""A new experiment: a page, a network and a congestion control that run, to be changed.

The templates are `templates/experiment.*` and `templates/congestion-control.h`.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from longfat import paths
from longfat.cc import catalogue
from longfat.errors import InputError, SimulationError

PART = "Experiments"  # of the book's table of contents
TEMPLATE = "my-experiment"  # the name that the templates have
TEMPLATES = Path(__file__).with_name("templates")
HEADER = TEMPLATES / "congestion-control.h"


def experiment(name: str, report: Callable[[str], object] = lambda line: None) -> list[Path]:
    """Write a new experiment into the repository, execute its notebook, and return its files.

    The files are the notebook, the scenario, the header and the chapter's object; the book's table
    of contents gets a line. `report` is told what takes time.
    Raises InputError for a name that is taken or cannot be one, and where there is no repository;
    SimulationError if the notebook fails. Then nothing is written.
    """
    root = paths.DATA.parent
    contents = root / "book" / "_toc.yml"
    if not contents.is_file():
        raise InputError(f"a new experiment belongs in the book's repository, and {root} is none")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise InputError(
            f"name is '{name}': it must be lower-case letters and digits in words joined by "
            f"hyphens, such as {TEMPLATE}"
        )
    texts = _texts(name)
    taken = [path for path in texts if path.exists()]
    if taken or name in catalogue.algorithms():
        where = taken[0] if taken else "a congestion control of the catalogue"
        raise InputError(f"name is '{name}': it is taken by {where}")
    listed = _listed(contents.read_text("utf-8"), f"notebooks/{name}")
    with _all_or_nothing(list(texts)):
        for path, text in texts.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        report(f"executing notebooks/{name}.ipynb (about a minute)")
        _execute(paths.NOTEBOOKS / f"{name}.ipynb")
        unfinished = contents.with_suffix(".tmp")
        unfinished.write_text(listed, encoding="utf-8")
        unfinished.replace(contents)
    return [*texts, contents]


def _texts(name: str) -> dict[Path, str]:
    """Return what the experiment's files contain, by their paths."""
    title = name.replace("-", " ").capitalize()
    module = name.replace("-", "_")
    names = {
        TEMPLATE: name,
        "My experiment": title,
        "MyExperiment": "".join(word.capitalize() for word in name.split("-")),
        "MY_EXPERIMENT": module.upper(),
        "my_experiment": module,
    }
    package = Path(str(files("longfat")))
    written = {
        paths.NOTEBOOKS / f"{name}.ipynb": "experiment.ipynb",
        paths.SCENARIOS / f"{name}.json": "experiment.json",
        package / "cc" / f"{name}.h": HEADER.name,
        package / "book" / "chapters" / f"{module}.py": "experiment.py",
    }
    return {path: _replaced(TEMPLATES / own, names) for path, own in written.items()}


def _replaced(template: Path, names: dict[str, str]) -> str:
    text = template.read_text("utf-8")
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def _listed(contents: str, page: str) -> str:
    """Return the table of contents with the page at the end of its part of experiments."""
    before, caption, after = contents.partition(f"  - caption: {PART}\n")
    if not caption:
        raise InputError(f"book/_toc.yml: there is no part '{PART}' for a new page")
    chapters, next_part, rest = after.partition("  - caption: ")
    return f"{before}{caption}{chapters.rstrip()}\n      - file: {page}\n{next_part}{rest}"


@contextlib.contextmanager
def _all_or_nothing(made: list[Path]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
            Path(cache_from_source(str(path))).unlink(missing_ok=True)  # of a module that ran
        raise


def _execute(notebook: Path) -> None:
    """Execute a notebook and keep its outputs, without anything that differs between machines."""
    content = nbformat.read(notebook, as_version=4)
    resources = {"metadata": {"path": str(notebook.parent)}}
    try:
        NotebookClient(
            content,
            resources=resources,
            record_timing=False,
            extra_arguments=["--log-level=ERROR"],  # without its warning about this machine's TCP
        ).execute()
    except CellExecutionError as error:
        raise SimulationError(f"{notebook.name}: {error.ename}: {error.evalue}") from None
    content.metadata["language_info"].pop("version", None)
    nbformat.write(content, notebook)
