"""The chapters as objects: `longfat.experiment.Chapter`, with the figures that each shows.

Those that are not in `NAMES` yet are their notebooks alone, whose code `longfat.book.cells` reads;
that goes when the last of them is here.
"""

import functools
import importlib

from longfat.errors import InputError, nearest
from longfat.experiment import Chapter

NAMES = (
    "helpers",
    "helpers-links",
    "hybla",
    "models",
    "segment",
    "senders",
    "survey",
    "tcpj",
    "transfers",
    "ucc",
)


def find(name: str, **parameters) -> Chapter:
    """Return a chapter at a setting: `profile` and what else its setting takes.

    Raises InputError for an unknown name or parameter.
    """
    if name not in NAMES:
        raise InputError(
            f"no chapter '{name}': there are {', '.join(NAMES)}.{nearest(name, list(NAMES))}"
        )
    return importlib.import_module(f"longfat.book.chapters.{name.replace('-', '_')}").chapter(
        **parameters
    )


@functools.cache
def stated() -> dict[str, Chapter]:
    """Return every chapter with what its paper states, by its name."""
    return {name: find(name) for name in NAMES}


def of_figure(name: str) -> str | None:
    """Return the name of the chapter that shows a figure or table, or None."""
    return next((one for one, chapter in stated().items() if name in chapter.shown), None)
