"""The engine as WebAssembly, for where there is no C++ compiler, and how its module is made.

engine.wasm has the engine and every congestion control of the catalogue that has a header. It is
built by a pinned compiler, the package `ziglang`, always to the same bytes:

    python -m longfat.engines.segment
"""

import atexit
import hashlib
import json
import math
import re
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longfat.cc import catalogue
from longfat.cc.catalogue import Algorithm
from longfat.engines import host
from longfat.engines.segment import native, registration
from longfat.errors import InputError, SimulationError
from longfat.scenario import FEATURES

HERE = Path(str(files("longfat.engines.segment")))
MODULE = HERE / "engine.wasm"
HEADERS = HERE / "engine.wasm.json"  # the congestion controls in it: hashes of their code, by name
ZIG_VERSION = "0.17.1"
FLAGS = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-fno-exceptions"]
FLAGS += ["-O3", "-ffp-contract=off", "-s"]
EVENTS_AT_ONCE = 100_000.0  # between two looks at the clock: some hundredths of a second


def is_here() -> bool:
    """Return whether this environment can run WebAssembly (the package wasmtime)."""
    return find_spec("wasmtime") is not None


def has(name: str) -> bool:
    """Return whether the module has a congestion control as its header now is (comments aside)."""
    return json.loads(HEADERS.read_text("utf-8")).get(name) == _code_sha256(catalogue.find(name))


def _code_sha256(algorithm: Algorithm) -> str:
    code = "".join(path.read_text("utf-8") for path in algorithm.header_paths)
    plain = re.sub(r"//[^\n]*|/\*.*?\*/|\s+", " ", code, flags=re.DOTALL)
    return hashlib.sha256(plain.encode()).hexdigest()


def run(scenario_json: str, time_limit_s: float, memory_limit_bytes: int | None) -> dict[str, Any]:
    """Run a scenario; return the answer as `native.run` does.

    A run that takes too long or too much memory, or traps, is `given_up`, with the reason.
    """
    import wasmtime

    ends_s = time.monotonic() + time_limit_s
    stops = _stops
    instance = Instance(memory_limit_bytes)
    started, cpu_started = time.perf_counter(), time.thread_time()
    try:
        run = instance.start(scenario_json)
        while instance.run(run, math.inf, EVENTS_AT_ONCE):
            if stops != _stops:
                raise SimulationError("the run was given up")
            if time.monotonic() > ends_s:
                return {"given_up": f"took longer than its limit of {time_limit_s:g} s"}
        answer = instance.answer(run)
    except wasmtime.Trap as trap:
        words = instance.last_words()
        if words == "out of memory":
            limit = f" (its limit is {memory_limit_bytes / 1e6:g} MB)" if memory_limit_bytes else ""
            return {"given_up": f"ran out of memory{limit}"}
        return {"given_up": f"gave up: {words or str(trap).splitlines()[0]}"}
    return answer | {
        "cpu_s": time.thread_time() - cpu_started,
        "wall_s": time.perf_counter() - started,
        "peak_memory_bytes": instance.memory_bytes(),
    }


class Instance:
    """The engine with memory of its own, and its functions (engine.h). A run is a number."""

    def __init__(self, memory_limit_bytes: int | None = None):
        import wasmtime

        engine, module = _loaded()
        self._store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self._store, module, [])
        self._own: dict[str, Any] = dict(instance.exports(self._store))
        self._memory = self._own["memory"]
        if memory_limit_bytes is not None:
            self._store.set_limits(memory_size=self.memory_bytes() + memory_limit_bytes)
        self._call("_initialize")

    def _call(self, name: str, *arguments):
        return self._own[name](self._store, *arguments)

    def start(self, scenario_json: str) -> int:
        """Build a scenario's run; return it."""
        scenario = scenario_json.encode()
        place = self._call("longfat_alloc", len(scenario))
        self._memory.write(self._store, scenario, place)
        return self._call("longfat_start", place, len(scenario))

    def run(self, run: int, until_s: float, events: float) -> bool:
        """Go on to that time, or by so many events; return whether there is more to come."""
        return bool(self._call("longfat_run", run, until_s, events))

    def answer(self, run: int) -> dict[str, Any]:
        """Return what was counted, with the series."""
        head = json.loads(self._text(self._call("longfat_answer", run)))
        first = self._call("longfat_numbers", run)
        end = first + 8 * self._call("longfat_number_count", run)
        return native.read(head, array("d", bytes(self._memory.read(self._store, first, end))))

    def last_words(self) -> str:
        """Return why it gave up, after a trap."""
        return self._text(self._call("longfat_last_words"))

    def memory_bytes(self) -> int:
        """Return how much memory it has taken: never less than before."""
        return self._memory.data_len(self._store)

    def _text(self, pointer: int) -> str:
        """Return the text at a pointer, up to the zero that ends it."""
        size = 4096
        while b"\0" not in (text := bytes(self._memory.read(self._store, pointer, pointer + size))):
            size *= 2
        return text[: text.index(b"\0")].decode()


_stops = 0


def stop() -> None:
    """Give up the runs of this process."""
    global _stops
    _stops += 1


_lock = threading.Lock()


def _loaded():
    """Return wasmtime's engine and the module, compiled for this machine once for all threads."""
    with _lock:
        return _load()


@cache
def _load():
    import wasmtime

    engine = wasmtime.Engine()
    code = MODULE.read_bytes()
    name = hashlib.sha256(code + version("wasmtime").encode()).hexdigest()[:24]
    kept = native.folder() / f"engine-{name}.cwasm"
    atexit.register(_load.cache_clear)  # while wasmtime is still there to free both
    try:
        return engine, wasmtime.Module.deserialize_file(engine, str(kept))
    except wasmtime.WasmtimeError:  # not there, or of another machine
        module = wasmtime.Module(engine, code)
    with host.scratch(kept.parent) as scratch:
        fresh = scratch / kept.name
        fresh.write_bytes(module.serialize())
        fresh.replace(kept)
    return engine, module


# --- how the module is made


def zig_here() -> str:
    """Return the version of the package ziglang, "" where there is none."""
    try:
        return version("ziglang")
    except PackageNotFoundError:
        return ""


def build(path: Path) -> None:
    """Compile the module.

    Raises InputError without that very compiler, SimulationError where it fails.
    """
    if zig_here() != ZIG_VERSION:
        raise InputError(
            f"the module is built by ziglang {ZIG_VERSION}, and here is {zig_here() or 'none'}"
        )
    known = catalogue.algorithms().items()
    own = {name: algorithm for name, algorithm in known if algorithm.header}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "catalogue.cc"
        source.write_text(_catalogue(own), encoding="utf-8")
        headers = {f"-I{a.header_path.parent}" for a in own.values() if a.header_path}
        sources = [HERE / "engine.cc", HERE / "wasm.cc", HERE / "ns3" / "random-variable-stream.cc"]
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, *host.macros(FEATURES)]
        command += [f"-I{HERE}", *sorted(headers)]
        command += [*map(str, sources), str(source), "-o", str(path.resolve())]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SimulationError(f"the module does not compile: {native.first_error(done.stderr)}")


def build_in_place() -> None:
    """Build the module where the package has it, and note the headers that it was built from."""
    build(MODULE)
    known = catalogue.algorithms().items()
    hashes = {name: _code_sha256(algorithm) for name, algorithm in known if algorithm.header}
    HEADERS.write_text(json.dumps(hashes, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _catalogue(algorithms: dict) -> str:
    """Return the C++ that tells the engine of all algorithms."""
    parts = [
        registration.cpp(name, algorithm, f"algorithm_{number}")
        for number, (name, algorithm) in enumerate(algorithms.items())
    ]
    known = ", ".join(f"&algorithm_{number}" for number in range(len(parts)))
    parts += [
        "std::vector<const longfat::segment::Algorithm*>",
        "longfat::segment::KnownAlgorithms()",
        "{",
        f"    return {{{known}}};",
        "}",
        "",
    ]
    return "\n".join(parts)
