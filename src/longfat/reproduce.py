"""Make a chapter's archive again, and say what changed."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import papermill
from papermill.exceptions import PapermillExecutionError

from longfat import paths, store
from longfat.errors import InputError, SimulationError, nearest
from longfat.result import FLOW_COLUMNS

LONG = "-long"  # ends the name of a chapter's page for specialists


def chapters() -> list[str]:
    """Return the names of the chapters: the notebooks, a chapter's two pages as one."""
    return sorted({path.stem.removesuffix(LONG) for path in paths.NOTEBOOKS.glob("*.ipynb")})


def reproduce(chapter: str, make: Callable[[], object] | None = None) -> pd.DataFrame:
    """Execute a chapter's notebooks at the papers' own scale, without reading the archive.

    A chapter that is an object, or a page that is no notebook, is made by `make`, which runs its
    experiments.
    Every experiment that they name is written to `data/results/`. Finished runs wait in
    the local cache, so an interrupted call goes on where it was. Returns a row an experiment:
    runs, and how many of them are `added`, `removed` and `changed` against the archive before.
    Raises InputError for an unknown chapter, SimulationError if the notebook fails.
    """
    if make is None and chapter not in chapters():
        raise InputError(
            f"no chapter '{chapter}': there are {', '.join(chapters())}."
            f"{nearest(chapter, chapters())}"
        )
    before = {name: _rows(store.read_archive(name)) for name in store.experiments()}
    os.environ["LONGFAT_REPRODUCE"] = "1"
    try:
        if make:
            make()
        else:
            _execute(chapter)
    except PapermillExecutionError as error:
        raise SimulationError(f"{chapter}: {error.ename}: {error.evalue}") from None
    finally:
        del os.environ["LONGFAT_REPRODUCE"]
    after = {
        name: _rows(store.read_archive(name))
        for name in store.experiments()
        if name.startswith(f"{chapter}-")
    }
    return pd.DataFrame(
        [_compare(name, before.get(name, {}), rows) for name, rows in after.items()]
    )


def _execute(chapter: str) -> None:
    """Execute a chapter's notebooks, at the papers' own scale."""
    pages = [paths.NOTEBOOKS / f"{chapter}{end}.ipynb" for end in ("", LONG)]
    with tempfile.TemporaryDirectory() as scratch:
        for notebook in filter(Path.exists, pages):
            papermill.execute_notebook(
                str(notebook),
                str(Path(scratch) / notebook.name),
                parameters={"profile": "paper"},
                cwd=str(notebook.parent),
                log_output=True,
            )


def _rows(archive: pd.DataFrame) -> dict[tuple, tuple]:
    """Return what was measured, by scenario, engine and flow."""
    archive = archive.astype(object).where(archive.notna(), None)
    identity = archive[["scenario", "engine", "flow"]].itertuples(index=False, name=None)
    return dict(
        zip(identity, archive[list(FLOW_COLUMNS)].itertuples(index=False, name=None), strict=True)
    )


def _compare(name: str, before: dict, after: dict) -> dict[str, object]:
    common = before.keys() & after.keys()
    return {
        "experiment": name,
        "runs": len(after),
        "added": len(after.keys() - before.keys()),
        "removed": len(before.keys() - after.keys()),
        "changed": sum(before[row] != after[row] for row in common),
    }
