"""C++ compiled ahead of a run into shared libraries, each kept under a name that tells its content.

The name has the hash of all that the library was made from: a change of a source, of what that
includes, of the flags, or another ns-3 asks for another build.
"""

import functools
import hashlib
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import threading
from collections import defaultdict
from pathlib import Path

from longfat import paths
from longfat.engines import host

NS3_VERSION = "3.44"
# ns-3's wheel is compiled with assertions. No fused multiply-add and no -march=native: a window
# must not depend on the processor.
FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-DNS3_ASSERT_ENABLE", "-fPIC", "-shared"]
LIBRARIES = [
    f"libns{NS3_VERSION}-{name}.so"
    for name in ("core", "network", "traffic-control", "internet", "point-to-point")
]


class CompilerError(Exception):
    """There is no C++ compiler, or it does not compile: the message is one sentence."""


def ns3() -> Path:
    """Return the directory of ns-3's wheel."""
    return Path(str(importlib.metadata.distribution("ns3").locate_file("ns3")))


def compiler() -> list[str]:
    """Return the C++ compiler's command, or an empty list."""
    return (
        shlex.split(os.environ.get("CXX", ""))
        or [path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))][:1]
    )


def folder() -> Path:
    return paths.builds() / "ns3"


NO_FEATURES: frozenset[str] = frozenset()


def name_of(source: Path, features: frozenset[str] = NO_FEATURES) -> str:
    """Return the file name of the library that is made from the source, as it is now.

    `features` are those that it is compiled with (`host.as_compiled`).
    """
    flags = [*FLAGS, *host.macros(features)]
    content = host.content_sha256([source], features)
    digest = hashlib.sha256(f"{flags} {_ns3_version()} {content}".encode())
    return f"{source.stem}-{digest.hexdigest()[:16]}.so"


@functools.cache
def _ns3_version() -> str:
    libraries = ns3() / "lib64"  # where what is compiled looks for them
    stats = [(libraries / library).stat() for library in LIBRARIES]
    # In whole seconds, since the image of a container keeps no parts of them.
    times = " ".join(f"{status.st_size} {int(status.st_mtime)}" for status in stats)
    return f"{libraries} {times}"


def find(source: Path, features: frozenset[str] = NO_FEATURES) -> Path | None:
    """Return the library that is made from the source, or None where it is not built."""
    path = folder() / name_of(source, features)
    return path if path.exists() else None


def build(source: Path, features: frozenset[str] = NO_FEATURES) -> Path:
    """Return the library that is made from the source: compile it, unless that is done already.

    Raises CompilerError, with the compiler's own first file, line and message where it has one.
    """
    with _building[source]:
        return find(source, features) or _build(source, features)


_building: dict[Path, threading.Lock] = defaultdict(threading.Lock)


def _build(source: Path, features: frozenset[str]) -> Path:
    command = compiler()
    if not command:
        raise CompilerError("no C++ compiler found (g++, clang++ or $CXX)")
    libraries = ns3() / "lib64"
    with host.scratch(folder()) as scratch:
        fresh = scratch / name_of(source, features)
        command += [*FLAGS, *host.macros(features), "-isystem", str(ns3() / "include")]
        command += ["-x", "c++", str(source)]
        command += ["-o", str(fresh), f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
        command += ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
        command += [f"-l:{name}" for name in LIBRARIES]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise CompilerError(f"the C++ compiler cannot be run: {error}") from None
        if done.returncode:
            raise CompilerError(_first_error(done.stderr) or f"{command[0]} failed")
        return fresh.replace(folder() / fresh.name)


def _first_error(words: str) -> str:
    lines = [line for line in words.splitlines() if re.search(r"\berror\b", line)]
    return next(iter(lines or words.splitlines()), "").strip()
