"""Paper hybla: TCP Hybla over a geostationary satellite.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the data of the chapter's figures in
`experiments`, the reader's explorer in `explorer`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.papers.hybla.equations import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """What `equations` has: sympy is imported for who asks for it, not for the network alone."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("longfat.papers.hybla.equations"), name)
