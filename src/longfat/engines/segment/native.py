"""The engine on this machine: compiled by its C++ compiler when first used, a process for each run.

A program (host.cc) has the engine, and each congestion control is a shared object of its own that
the program loads when a scenario asks for it: a header that does not compile takes only itself
away. Both are kept by content in the folder of builds (`paths.builds`).
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from longfat import paths
from longfat.cc import catalogue
from longfat.cc.catalogue import Algorithm
from longfat.engines import host
from longfat.engines.segment import registration
from longfat.errors import InputError, SimulationError

HERE = Path(str(files("longfat.engines.segment")))
STANDIN = [HERE / "algorithm.h", *sorted((HERE / "ns3").glob("*.h"))]
SOURCES = [HERE / "host.cc", HERE / "engine.cc", HERE / "ns3" / "random-variable-stream.cc"]
# No fused multiply-add and no -march=native: a window must not depend on the processor.
FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", f"-I{HERE}"]
PROGRAM_FLAGS = ["-rdynamic", "-ldl"]
PLUGIN_FLAGS = ["-fPIC", "-shared"]
if sys.platform == "darwin":
    PLUGIN_FLAGS += ["-undefined", "dynamic_lookup"]  # it finds the engine when it is loaded


@cache
def compiler() -> tuple[str, ...] | None:
    """Return the command of the C++ compiler ($CXX, g++, clang++ or c++), or None."""
    if os.name != "posix":
        return None
    command = shlex.split(os.environ.get("CXX", ""))
    if command:
        return tuple(command)
    found = next((path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))), None)
    return (found,) if found else None


def run(
    scenario_json: str,
    names: list[str],
    features: frozenset[str],
    time_limit_s: float,
    memory_limit_bytes: int | None,
) -> dict[str, Any]:
    """Run a scenario that needs those congestion controls and features; return the answer of
    engine.h.

    It has the series as arrays, and what the run took. A run that failed has `failed`, the status
    of its process, and `last_words`. Raises InputError for a congestion control whose header does
    not compile, with the compiler's own words.
    """
    parts = [
        _program(features),
        *(_plugin(name, catalogue.find(name)) for name in sorted(set(names))),
    ]
    if missing := [part for part in parts if not part.path.exists()]:
        with ThreadPoolExecutor(len(missing)) as threads:
            list(threads.map(_Part.make, missing))
    program, *loaded = (str(part.path) for part in parts)
    limits = [repr(float(time_limit_s)), str(memory_limit_bytes or 0)]
    output, words, status = _processes.run([program, *limits, *loaded], scenario_json)
    if status:
        return {"failed": status, "last_words": words.strip()}
    head, took, numbers = output.split(b"\n", 2)
    return read(json.loads(head), array("d", numbers)) | json.loads(took)


def read(answer: dict[str, Any], numbers) -> dict[str, Any]:
    """Put each series in an answer in the place of where it stands among the numbers."""
    for carrier in [
        *answer.get("flows", ()),
        *answer.get("links", ()),
        *answer.get("transfers", ()),
    ]:
        for name, (first, count) in carrier["series"].items():
            middle, end = first + count, first + 2 * count
            carrier["series"][name] = [list(numbers[first:middle]), list(numbers[middle:end])]
    return answer


# --- compiled, and kept by content


@dataclass(frozen=True)
class _Part:
    """The engine or a congestion control: what it is compiled from and to."""

    name: str
    command: tuple[str, ...]
    source: str  # empty: SOURCES
    path: Path

    def make(self) -> None:
        """Compile it, unless that is done; all of it or nothing is kept."""
        with _locks.setdefault(self.path.name, threading.Lock()):
            if not self.path.exists():
                with host.scratch(self.path.parent) as scratch:
                    self._compile(scratch)

    def _compile(self, scratch: Path) -> None:
        sources = SOURCES
        if self.source:
            sources = [scratch / f"{self.name}.cc"]
            sources[0].write_text(self.source, encoding="utf-8")
        fresh = scratch / self.path.name
        command = [*self.command, "-o", str(fresh), *map(str, sources)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise InputError(f"the C++ compiler {command[0]} cannot be run: {error}") from None
        if done.returncode:
            reason = first_error(done.stderr)
            if self.source:
                raise InputError(f"congestion control '{self.name}' cannot be used: {reason}")
            raise SimulationError(f"the engine 'segment' cannot be compiled: {reason}")
        os.replace(fresh, self.path)


_locks: dict[str, threading.Lock] = {}


def _program(features: frozenset[str]) -> _Part:
    flags = [*PROGRAM_FLAGS, *host.macros(features)]
    return _part("engine", flags, host.content_sha256(SOURCES, features))


def _plugin(name: str, algorithm: Algorithm) -> _Part:
    header = algorithm.header_path
    assert header, "ns-3's own classes are not here"
    source = registration.cpp(name, algorithm, "longfat_algorithm")
    content = host.content_sha256([header, *STANDIN])
    return _part(name, [*PLUGIN_FLAGS, f"-I{header.parent}"], content, source)


def _part(name: str, flags: list[str], content: str, source: str = "") -> _Part:
    command = (*(compiler() or ()), *FLAGS, *flags)
    text = "\0".join([*command, _compiler_version(), content, source])
    place = folder() / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    return _Part(name, command, source, place)


def folder() -> Path:
    return paths.builds() / "segment"


@cache
def _compiler_version() -> str:
    """Return what is another when the compiler is another."""
    command = compiler()
    program = shutil.which(command[0]) if command else None
    if program is None:
        return ""
    status = os.stat(program)
    return f"{program} {status.st_size} {status.st_mtime_ns}"


def first_error(words: str) -> str:
    """Return the first error of a compiler: file, line and message."""
    lines = words.splitlines()
    return next((line for line in lines if " error: " in line), words.strip()[-300:])


# --- processes


class _Processes:
    """The runs of this process that are under way, so that they can be given up."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._given_up: set[subprocess.Popen] = set()

    def run(self, command: list, text: str) -> tuple[bytes, str, int]:
        """Run a program on that input; return its output, last words and status."""
        with self._lock:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,  # an interrupt from the keyboard is for this process alone
            )
            self._running.add(process)
        try:
            output, words = process.communicate(text.encode())
        finally:
            process.kill()
            process.wait()
            with self._lock:
                self._running.discard(process)
                given_up = process in self._given_up
                self._given_up.discard(process)
        if given_up:
            raise SimulationError("the run was given up")
        return output, words.decode(errors="replace"), process.returncode

    def stop(self) -> None:
        with self._lock:
            for process in self._running:
                self._given_up.add(process)
                process.kill()


_processes = _Processes()
stop = _processes.stop
