"""The scoreboard accelerator: faster replacements for some functions of ns-3, results unchanged.

`make setup` compiles accelerate.cc where there is a C++ compiler; the engine loads it before ns-3.
Without it, on any other version of ns-3 or with LONGFAT_ACCELERATE=0, stock ns-3 runs: the same
results, more slowly.
"""

import ctypes
import hashlib
import importlib.metadata
import logging
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NS3_VERSION = "3.44"
SOURCE = Path(__file__).with_name("accelerate.cc")
# No fused multiply-add and no -march=native: a window must not depend on the processor.
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", "-DNS3_ASSERT_ENABLE", "-fPIC", "-shared")
LIBRARIES = ("-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", f"-lns{NS3_VERSION}-internet")

_log = logging.getLogger(__name__)


def library_path() -> Path:
    """Return where the compiled accelerator belongs; its name holds the hash of its source."""
    content = SOURCE.read_bytes() + " ".join(FLAGS + LIBRARIES).encode()
    digest = hashlib.sha256(content).hexdigest()
    return Path(sys.prefix) / "share" / "longfat" / f"ns3-accelerate-{digest[:16]}.so"


def build() -> Path | None:
    """Compile the accelerator, unless that is done already; return its path.

    Returns None, with a notice, where ns-3 3.44 or a C++ compiler is missing or the compiler
    fails: simulations then run on stock ns-3.
    """
    if obstacle := _other_version():
        print(f"notice: accelerator not built: {obstacle}.")
        return None
    library = library_path()
    if library.exists():
        return library
    compiler = (
        shlex.split(os.environ.get("CXX", ""))
        or [path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))][:1]
    )
    if not compiler:
        print("notice: accelerator not built: no C++ compiler found (g++, clang++ or $CXX).")
        return None
    library.parent.mkdir(parents=True, exist_ok=True)
    ns3 = Path(str(importlib.metadata.distribution("ns3").locate_file("ns3")))
    with tempfile.TemporaryDirectory(dir=library.parent) as scratch:
        fresh = Path(scratch) / library.name
        command = [*compiler, *FLAGS, f"-I{ns3 / 'include'}", str(SOURCE), "-o", str(fresh)]
        command += [f"-L{ns3 / 'lib64'}", f"-Wl,-rpath,{ns3 / 'lib64'}", *LIBRARIES]
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        except OSError as error:
            print(f"notice: accelerator not built: {compiler[0]} cannot be run: {error}.")
            return None
        if done.returncode != 0:
            print(f"notice: accelerator not built: {compiler[0]} failed:\n{done.stderr}")
            return None
        os.replace(fresh, library)
    for other in library.parent.glob("ns3-accelerate-*.so"):
        if other != library:
            other.unlink(missing_ok=True)
    return library


def load() -> bool:
    """Load the accelerator into this process; return whether that was done.

    To be called before ns-3 is imported. Whatever stands in the way is logged in one sentence.
    """
    if os.environ.get("LONGFAT_ACCELERATE") == "0":
        _log.info("accelerator switched off by LONGFAT_ACCELERATE=0")
        return False
    if obstacle := _other_version():
        _log.warning("accelerator not used: %s", obstacle)
        return False
    if "ns" in sys.modules:
        _log.warning("accelerator not used: ns-3 is already loaded in this process")
        return False
    library = library_path()
    if not library.exists():
        _log.warning("accelerator not used: it is not built (make setup builds it)")
        return False
    try:
        ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    except OSError as error:
        _log.warning("accelerator not used: it cannot be loaded: %s", error)
        return False
    return True


def _other_version() -> str:
    """Return what is wrong with the ns-3 installed here, or nothing."""
    try:
        version = importlib.metadata.version("ns3")
    except importlib.metadata.PackageNotFoundError:
        return "ns-3 is not installed"
    if version.split(".post")[0] != NS3_VERSION:
        return f"it is for ns-3 {NS3_VERSION}, and this is ns-3 {version}"
    return ""


if __name__ == "__main__":
    if path := build():
        print(f"accelerator: {path}")
