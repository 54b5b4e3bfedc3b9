"""The chapters as objects: `longfat.experiment.Chapter`, with the figures that each shows.

Each module here is a chapter of its name and has a function `chapter`, but for those of pictures
(`..._charts`).
"""

import functools
import gc
import importlib
import inspect
from pathlib import Path
from typing import Any

import pandas as pd

from longfat import paths
from longfat.errors import InputError, nearest
from longfat.experiment import Chapter

# Tables of some hundred rows are worked on; pyarrow's texts took a tenth of a page's time. It is
# set for all of the process: tables that were made before keep theirs.
pd.set_option("mode.string_storage", "python")

LONG = "-long"  # ends the name of a chapter's page for specialists
NAMES = tuple(
    sorted(
        path.stem.replace("_", "-")
        for path in Path(__file__).parent.glob("[a-z]*.py")
        if not path.stem.endswith("_charts")
    )
)


def find(name: str, **parameters: Any) -> Chapter:
    """Return a chapter at a setting: `profile` and what else its setting takes.

    Raises InputError for an unknown name or parameter.
    """
    if name not in NAMES:
        raise InputError(
            f"no chapter '{name}': there are {', '.join(NAMES)}.{nearest(name, list(NAMES))}"
        )
    module = importlib.import_module(f"longfat.book.chapters.{name.replace('-', '_')}")
    _keep_what_is_imported()
    taken = inspect.signature(module.chapter).parameters
    if not any(one.kind is one.VAR_KEYWORD for one in taken.values()):
        for parameter in set(parameters) - set(taken):
            known = list(taken)
            raise InputError(
                f"no parameter '{parameter}': there are {', '.join(known)}."
                f"{nearest(parameter, known)}"
            )
    return module.chapter(**parameters)


# No garbage collector looks through it; what is garbage then, which is little, stays too.
_keep_what_is_imported = functools.cache(gc.freeze)


@functools.cache
def stated() -> dict[str, Chapter]:
    """Return every chapter with what its paper states, by its name."""
    return {name: find(name) for name in NAMES}


def page(name: str) -> str:
    """Return the page of a chapter, from the book's root: a notebook, or one of `book`."""
    folder = "notebooks" if (paths.NOTEBOOKS / f"{name}.ipynb").exists() else "book"
    return f"{folder}/{name}"


def of_figure(name: str) -> str | None:
    """Return the name of the chapter that shows a figure or table, or None."""
    return next((one for one, chapter in stated().items() if name in chapter.shown), None)
