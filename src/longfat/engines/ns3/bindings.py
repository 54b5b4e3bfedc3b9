"""ns-3 through its Python bindings, with headers compiled by Cling in this process.

For a notebook or a test that calls C++ from Python: after `load`, `cppyy.gbl.ns3` is ns-3 and
`cppyy.gbl.longfat` what the congestion controls define, `cppyy.include` takes any other header, and
`execute` runs a request of the engine with them. Runs of the engine itself need none of this
(server.py).
"""

import contextlib
import functools
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

from longfat.engines.ns3 import ENGINE, compiled, server

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def load(headers: bool = True) -> None:
    """Load ns-3, and every congestion control unless not `headers`; once in a process."""
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    import cppyy

    if not headers:
        return
    from longfat.cc import catalogue

    for algorithm in catalogue.algorithms().values():
        if algorithm.header:
            cppyy.include(str(algorithm.header))
    _engine()  # before any fork


@functools.cache
def _engine() -> Callable[[str], str]:
    return server.load(str(compiled.build(ENGINE)))


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network in ns-3, run it, and return what it measured.

    Once in a process, or in a child that was forked for it: ns-3's random streams and addresses go
    on counting.
    """
    return json.loads(_engine()(json.dumps(request)))


@contextlib.contextmanager
def _quiet_stderr():
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
