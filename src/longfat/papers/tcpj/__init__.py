"""Paper tcpj: TCP-J, bandwidth estimation on radio links.

Its numbered equations (`EQ`) and their numeric functions; the symbols are in `equations`, the
derivations in `derivation`, the network in `network`, the reader's explorer in `explorer`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.papers.tcpj.equations import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """What `equations` has: sympy is imported for who asks for it, not for the network alone."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("longfat.papers.tcpj.equations"), name)
