"""The core on this machine: compiled by its C++ compiler when first used, a process a run."""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from array import array
from functools import cache
from pathlib import Path
from typing import Any

from longfat import paths
from longfat.engines import host
from longfat.errors import InputError, SimulationError

HERE = Path(__file__).resolve().parent
CC = HERE / "cc"
# No fused multiply-add and no -march=native: a window must not depend on the processor.
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", f"-I{HERE}")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def run(
    scenario: dict[str, Any],
    flags: tuple[str, ...] = (),
    own: Path | None = None,
    time_limit_s: float = 600,
) -> Any:
    """Run a scenario, as `Scenario.model_dump(mode="json")` writes it, and return the answer.

    Series are in their places, as lists of times and of values; `cpu_s` is what the run took.
    `own` is a congestion control's header beside those in `cc`; `flags` are further options for
    the compiler. Raises InputError for what a scenario may not say, SimulationError where the run
    has found itself wrong, or takes longer than `time_limit_s`.
    """
    text = json.dumps(scenario).encode()
    try:
        done = subprocess.run(
            [program(flags, own)], input=text, capture_output=True, timeout=time_limit_s
        )
    except subprocess.TimeoutExpired:
        raise SimulationError(
            f"the core took longer than its limit of {time_limit_s:g} s"
        ) from None
    head, _, rest = done.stdout.partition(b"\n")
    if not rest:
        words = done.stderr.decode(errors="replace").strip()
        raise SimulationError(f"the core ended with status {done.returncode}: {words[-300:]}")
    answer = json.loads(head)
    if "error" in answer:
        raise (InputError if answer["input"] else SimulationError)(answer["error"])
    took, _, numbers = rest.partition(b"\n")
    _put_series(answer, array("d", numbers))
    return answer | json.loads(took)


def _put_series(answer: dict[str, Any], numbers: array) -> None:
    """Put each series in the place of where it stands among the numbers."""
    for carrier in [*answer["flows"], *answer["links"]]:
        for name, (first, count) in carrier["series"].items():
            middle, end = first + count, first + 2 * count
            carrier["series"][name] = [list(numbers[first:middle]), list(numbers[middle:end])]


def catalogue() -> list[dict[str, Any]]:
    """Return each congestion control's entry and parameters, as the program prints them."""
    done = subprocess.run([program(), "--catalogue"], capture_output=True, check=True)
    return json.loads(done.stdout)


def program(flags: tuple[str, ...] = (), own: Path | None = None) -> Path:
    """Return the program with all congestion controls, compiled unless that is done.

    Raises InputError for a header of one's own that does not compile, with the compiler's words.
    """
    headers = [*sorted(CC.glob("*.h")), *([own] if own else [])]
    source = "".join(f'#include "{header}"\n' for header in headers)
    content = host.content_sha256([HERE / "main.cc", *headers])
    command = [*compiler(), *FLAGS, *flags]
    key = hashlib.sha256("\0".join([*command, _version(), content]).encode()).hexdigest()[:24]
    path = paths.builds() / "core" / key
    with _lock:
        if not path.exists():
            _compile(command, source, path, own)
    return path


_lock = threading.Lock()


def _compile(command: list[str], source: str, path: Path, own: Path | None) -> None:
    """Compile it; all of it or nothing stays in the cache."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        listed = Path(scratch) / "controls.cc"
        listed.write_text(source, encoding="utf-8")
        fresh = Path(scratch) / path.name
        parts = ["-o", str(fresh), str(HERE / "main.cc"), str(listed)]
        done = subprocess.run([*command, *parts], capture_output=True, text=True)
        if done.returncode:
            lines = done.stderr.splitlines()
            reason = next((line for line in lines if " error: " in line), done.stderr[-300:])
            if own:
                raise InputError(f"{own.name} cannot be used: {reason}")
            raise SimulationError(f"the core cannot be compiled: {reason}")
        fresh.replace(path)


@cache
def compiler() -> tuple[str, ...]:
    """Return the command of the C++ compiler: $CXX, g++, clang++ or c++."""
    command = shlex.split(os.environ.get("CXX", ""))
    found = next((path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))), None)
    if not command and not found:
        raise InputError("the core needs a C++ compiler (g++, clang++ or $CXX)")
    return tuple(command) or (str(found),)


@cache
def _version() -> str:
    return subprocess.run([*compiler(), "--version"], capture_output=True, text=True).stdout
