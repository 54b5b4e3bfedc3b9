"""The engine as WebAssembly, for where there is no C++ compiler, and how its module is made.

engine.wasm has the engine and every congestion control of `longfat.cc`. It is built by a pinned
compiler, the package `ziglang`, always to the same bytes:

    python -m longfat.engines.segment

engine.wasm.txt has the hash of the sources that it was built from. Where those here are others, the
module is built anew, kept by content, if the compiler is there; an old one never runs.
"""

import atexit
import hashlib
import json
import math
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longfat import builds, paths
from longfat.cc import catalogue
from longfat.engines import host
from longfat.engines.segment import native
from longfat.errors import InputError, SimulationError

HERE = catalogue.CORE
MODULE = HERE / "engine.wasm"
BUILT_FROM = HERE / "engine.wasm.txt"
ZIG_VERSION = "0.17.1"
FLAGS = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-fno-exceptions"]
FLAGS += ["-O3", "-flto", "-ffp-contract=off", "-s", f"-fmacro-prefix-map={HERE}/="]
FLAGS += [f"-fmacro-prefix-map={catalogue.FOLDER}/="]
EVENTS_AT_ONCE = 100_000.0  # between two looks at the clock: some hundredths of a second


def is_here() -> bool:
    """Return whether this environment can run WebAssembly (the package wasmtime)."""
    return find_spec("wasmtime") is not None


def is_built() -> bool:
    """Return whether the module that comes with the package is that of the sources here."""
    return MODULE.exists() and BUILT_FROM.read_text("utf-8").strip() == sources_sha256()


def has(headers: Iterable[Path]) -> bool:
    """Return whether the package's module can run these headers here, without being built."""
    return is_here() and is_built() and all(one.parent == catalogue.FOLDER for one in headers)


def module() -> Path:
    """Return the module of the sources here. Raises InputError where it has to be built first."""
    if is_built():
        return MODULE
    kept = paths.builds() / "segment" / f"module-{sources_sha256()}.wasm"
    if not kept.exists():
        with builds.scratch(kept.parent) as scratch:
            build(scratch / kept.name).replace(kept)
    return kept


def module_with(headers: Iterable[Path]) -> Path:
    """Return a module of these headers alone, one's own among them; built unless it is kept.

    Errors as of `build`.
    """
    headers = sorted(set(headers))
    kept = paths.builds() / "segment" / f"module-{sources_sha256(headers)}.wasm"
    if not kept.exists():
        with builds.scratch(kept.parent) as scratch:
            build(scratch / kept.name, headers).replace(kept)
    return kept


def sources_sha256(headers: Iterable[Path] | None = None) -> str:
    """Return the hash of all that a module is built from: all congestion controls, or these."""
    folders = [HERE, catalogue.FOLDER]
    headers = _headers() if headers is None else headers
    content = builds.content_sha256([*_sources(), *headers], folders)
    flags = " ".join(FLAGS[:-2])
    return hashlib.sha256(f"{content} {ZIG_VERSION} {flags}".encode()).hexdigest()[:16]


def _sources() -> list[Path]:
    return [HERE / "engine.cc", HERE / "wasm.cc"]


def _headers() -> list[Path]:
    return sorted(catalogue.FOLDER.glob("*.h"))


def run(scenario_json: str, time_limit_s: float, memory_limit_bytes: int | None) -> dict[str, Any]:
    """Run a scenario; return the answer as `native.run_text` does.

    A run that takes too long or too much memory, or traps, is `given_up`, with the reason.
    """
    import wasmtime

    ends_s = time.monotonic() + time_limit_s
    stops, report = _stops, host.watcher.get()
    instance = Instance(memory_limit_bytes)
    started, cpu_started = time.perf_counter(), time.thread_time()
    try:
        run = instance.start(scenario_json)
        goes_on = True
        while goes_on:
            goes_on = instance.run(run, math.inf, EVENTS_AT_ONCE)
            if stops != _stops:
                raise SimulationError("the run was given up")
            if report:
                report(instance.now_s(run))
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

    def _call(self, name: str, *arguments: Any) -> Any:
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

    def now_s(self, run: int) -> float:
        """Return the simulated time so far."""
        return self._call("longfat_now", run)

    def answer(self, run: int) -> dict[str, Any]:
        """Return what was counted, with the series."""
        head = json.loads(self._text(self._call("longfat_answer", run)))
        first = self._call("longfat_numbers", run)
        end = first + 8 * self._call("longfat_number_count", run)
        return native.read(head, array("d", bytes(self._memory.read(self._store, first, end))))

    def catalogue(self) -> list[dict[str, Any]]:
        """Return the entries and parameters of its congestion controls."""
        return json.loads(self._text(self._call("longfat_catalogue")))

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


def _loaded() -> Any:
    """Return wasmtime's engine and the module, compiled for this machine once for all threads."""
    with _lock:
        return _load()


@cache
def _load() -> Any:
    import wasmtime

    engine = wasmtime.Engine()
    code = module().read_bytes()
    name = hashlib.sha256(code + version("wasmtime").encode()).hexdigest()[:24]
    kept = paths.builds() / "segment" / f"engine-{name}.cwasm"
    atexit.register(_load.cache_clear)  # while wasmtime is still there to free both
    try:
        return engine, wasmtime.Module.deserialize_file(engine, str(kept))
    except wasmtime.WasmtimeError:  # not there, or of another machine
        loaded = wasmtime.Module(engine, code)
    with builds.scratch(kept.parent) as scratch:
        fresh = scratch / kept.name
        fresh.write_bytes(loaded.serialize())
        fresh.replace(kept)
    return engine, loaded


# --- how the module is made


def zig_here() -> str:
    """Return the version of the package ziglang, "" where there is none."""
    try:
        return version("ziglang")
    except PackageNotFoundError:
        return ""


def build(path: Path, headers: Iterable[Path] | None = None) -> Path:
    """Compile the module of all congestion controls, or of these headers; return its path.

    Raises InputError without that very compiler, SimulationError where it fails.
    """
    if zig_here() != ZIG_VERSION:
        raise InputError(
            f"the engine's module is built by ziglang {ZIG_VERSION}, and here is "
            f"{zig_here() or 'none'}"
        )
    with builds.scratch(path.resolve().parent) as folder:
        source = folder / "controls.cc"
        names = _headers() if headers is None else headers
        source.write_text(
            "".join(
                f'#include "{one.name if one.parent == catalogue.FOLDER else one.resolve()}"\n'
                for one in names
            ),
            encoding="utf-8",
        )
        folders = [f"-I{HERE}", f"-I{catalogue.FOLDER}"]
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, *folders]
        command += [*map(str, _sources()), source.name, "-o", str(path.resolve())]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SimulationError(f"the module does not compile: {builds.first_error(done.stderr)}")
    return path


def build_in_place() -> None:
    """Build the module where the package has it, and note what it was built from."""
    build(MODULE)
    BUILT_FROM.write_text(sources_sha256() + "\n", encoding="utf-8")
