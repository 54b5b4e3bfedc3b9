"""The engine as WebAssembly, for where there is no C++ compiler, and how its module is made.

engine.wasm has the engine and every congestion control of the catalogue that has a header. It is
built by a pinned compiler, the package `ziglang`, always to the same bytes:

    python -m longfat.engines.segment.wasm
"""

import hashlib
import json
import math
import os
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
from longfat.engines.segment import native, registration
from longfat.errors import InputError, SimulationError

HERE = Path(str(files("longfat.engines.segment")))
MODULE = HERE / "engine.wasm"
ZIG_VERSION = "0.17.1"
FLAGS = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-fno-exceptions"]
FLAGS += ["-O3", "-ffp-contract=off", "-s"]
EVENTS_AT_ONCE = 100_000.0  # between two looks at the clock: some hundredths of a second


def is_here() -> bool:
    """Return whether this environment can run WebAssembly (the package wasmtime)."""
    return find_spec("wasmtime") is not None


def run(scenario_json: str, time_limit_s: float, memory_limit_bytes: int | None) -> dict[str, Any]:
    """Run a scenario; return the answer as `native.run` does.

    A run that takes too long or too much memory, or traps, is `given_up`, with the reason.
    """
    import wasmtime

    ends_s = time.monotonic() + time_limit_s
    started, cpu_started = time.perf_counter(), time.thread_time()
    stops = _stops
    store = wasmtime.Store(_engine())
    own = wasmtime.Instance(store, _module(), []).exports(store)
    memory = own["memory"]
    if memory_limit_bytes is not None:
        store.set_limits(memory_size=memory.data_len(store) + memory_limit_bytes)
    scenario = scenario_json.encode()
    try:
        own["_initialize"](store)
        text = own["longfat_alloc"](store, len(scenario))
        memory.write(store, scenario, text)
        run = own["longfat_start"](store, text, len(scenario))
        while own["longfat_run"](store, run, math.inf, EVENTS_AT_ONCE):
            if stops != _stops:
                raise SimulationError("the run was given up")
            if time.monotonic() > ends_s:
                return {"given_up": f"took longer than its limit of {time_limit_s:g} s"}
        head = _text(memory, store, own["longfat_answer"](store, run))
        first = own["longfat_numbers"](store, run)
        count = own["longfat_number_count"](store, run)
        numbers = array("d", bytes(memory.read(store, first, first + 8 * count)))
    except wasmtime.Trap as trap:
        words = _text(memory, store, own["longfat_last_words"](store))
        if words == "out of memory":
            limit = f" (its limit is {memory_limit_bytes / 1e6:g} MB)" if memory_limit_bytes else ""
            return {"given_up": f"ran out of memory{limit}"}
        return {"given_up": f"gave up: {words or str(trap).splitlines()[0]}"}
    return native.read(json.loads(head), numbers) | {
        "cpu_s": time.thread_time() - cpu_started,
        "wall_s": time.perf_counter() - started,
        "peak_memory_bytes": memory.data_len(store),
    }


def _text(memory, store, pointer: int) -> str:
    """Return the text at a pointer, up to the zero that ends it."""
    size = 4096
    while b"\0" not in (text := bytes(memory.read(store, pointer, pointer + size))):
        size *= 2
    return text[: text.index(b"\0")].decode()


_stops = 0


def stop() -> None:
    """Give up the runs of this process."""
    global _stops
    _stops += 1


_lock = threading.Lock()


@cache
def _engine():
    import wasmtime

    return wasmtime.Engine()


def _module():
    with _lock:
        return _compiled()


@cache
def _compiled():
    """Return the module, compiled for this machine: from the folder of the local cache, or new."""
    import wasmtime

    code = MODULE.read_bytes()
    name = hashlib.sha256(code + version("wasmtime").encode()).hexdigest()[:24]
    kept = native.folder() / f"engine-{name}.cwasm"
    try:
        return wasmtime.Module.deserialize_file(_engine(), str(kept))
    except wasmtime.WasmtimeError:  # not there, or of another machine
        module = wasmtime.Module(_engine(), code)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as fresh:
        fresh.write(module.serialize())
    os.replace(fresh.name, kept)
    return module


# --- how the module is made


def build(path: Path) -> None:
    """Compile the module.

    Raises InputError without that very compiler, SimulationError where it fails.
    """
    try:
        found = version("ziglang")
    except PackageNotFoundError:
        found = "none"
    if found != ZIG_VERSION:
        raise InputError(f"the module is built by ziglang {ZIG_VERSION}, and here is {found}")
    own = {
        name: algorithm for name, algorithm in catalogue.algorithms().items() if algorithm.header
    }
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "catalogue.cc"
        source.write_text(_catalogue(own), encoding="utf-8")
        headers = {f"-I{algorithm.header_path.parent}" for algorithm in own.values()}
        sources = [HERE / "engine.cc", HERE / "wasm.cc", HERE / "ns3" / "random-variable-stream.cc"]
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, f"-I{HERE}", *sorted(headers)]
        command += [*map(str, sources), str(source), "-o", str(path.resolve())]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SimulationError(f"the module does not compile: {native.first_error(done.stderr)}")


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


if __name__ == "__main__":
    build(MODULE)
    print(f"{MODULE}: {MODULE.stat().st_size} bytes")
