"""The accelerator of ns-3: faster replacements for what takes its time, results unchanged.

accelerate.cc defines functions of ns-3 once more; loaded before ns-3, it takes their place by name.
`make setup` compiles it where there is a C++ compiler. Without it, on any other version of ns-3 or
with LONGFAT_ACCELERATE=0, stock ns-3 runs: the same results, more slowly. A result says which of
the two it was.
"""

import ctypes
import importlib.metadata
import logging
import os
import sys
from pathlib import Path

from longfat.engines.ns3 import compiled

SOURCE = Path(__file__).with_name("accelerate.cc")

_log = logging.getLogger(__name__)

loaded = False  # in this process


def build() -> Path | None:
    """Compile the accelerator, unless that is done already; return its path.

    Returns None, with a notice, where ns-3 3.44 or a C++ compiler is missing or the compiler
    fails: simulations then run on stock ns-3.
    """
    if obstacle := _other_version():
        print(f"notice: accelerator not built: {obstacle}.")
        return None
    try:
        return compiled.build(SOURCE)
    except compiled.CompilerError as error:
        print(f"notice: accelerator not built: {error}.")
        return None


def library() -> Path | None:
    """Return what is to be loaded before ns-3, or None: whatever stands in the way is logged."""
    if os.environ.get("LONGFAT_ACCELERATE") == "0":
        _log.info("accelerator switched off by LONGFAT_ACCELERATE=0")
        return None
    if obstacle := _other_version():
        _log.warning("accelerator not used: %s", obstacle)
        return None
    path = compiled.find(SOURCE)
    if path is None:
        _log.warning("accelerator not used: it is not built (make setup builds it)")
    return path


def load() -> bool:
    """Load the accelerator into this process, before ns-3 is; return whether that was done."""
    global loaded
    if "ns" in sys.modules:
        _log.warning("accelerator not used: ns-3 is already loaded in this process")
        return False
    path = library()
    if path is None:
        return False
    try:
        ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
    except OSError as error:
        _log.warning("accelerator not used: it cannot be loaded: %s", error)
        return False
    loaded = True
    return True


def _other_version() -> str:
    """Return what is wrong with the ns-3 installed here, or nothing."""
    try:
        version = importlib.metadata.version("ns3")
    except importlib.metadata.PackageNotFoundError:
        return "ns-3 is not installed"
    if version.split(".post")[0] != compiled.NS3_VERSION:
        return f"it is for ns-3 {compiled.NS3_VERSION}, and this is ns-3 {version}"
    return ""
