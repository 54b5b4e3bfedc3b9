"""ns-3 through its Python bindings, in this process.

For a notebook or a test that calls C++ from Python: after `load`, `cppyy.gbl.ns3` is ns-3, and the
congestion controls that were asked for are known to it ("longfat::hybla"). `execute` runs a request
of the engine. Runs of the engine itself need none of this (server.py).
"""

import contextlib
import ctypes
import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from longfat.cc import catalogue
from longfat.engines.ns3 import compiled, server

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def load(*controls: str) -> None:
    """Load ns-3, and these congestion controls that have a header of ours.

    Raises InputError for an unknown one, or one whose header does not compile.
    """
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    for name in controls:
        if header := catalogue.find(name).header:
            ctypes.CDLL(str(compiled.control(header)), ctypes.RTLD_GLOBAL)
    _engine()  # before any fork


@functools.cache
def _engine() -> Callable[[str], str]:
    return server.load(str(compiled.engine()))


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network in ns-3, run it, and return what it measured.

    Once in a process, or in a child that was forked for it: ns-3's random streams and addresses go
    on counting.
    """
    return json.loads(_engine()(json.dumps(request)))


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    saved = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(saved, kept.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)
