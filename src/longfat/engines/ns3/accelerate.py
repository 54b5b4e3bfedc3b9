"""The accelerator of ns-3: faster replacements for what takes its time, results unchanged.

accelerate.cc replaces functions, schedule.cc those that find the next event, allocate.cc keeps the
memory of packets, and relink.cc shortens the calls between ns-3's libraries. `make setup` compiles
them where there is a C++ compiler; the engine loads them before ns-3. Without them, on any other
version of ns-3 or with LONGFAT_ACCELERATE=0, stock ns-3 runs: the same results, more slowly.
"""

import ctypes
import hashlib
import importlib.metadata
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

NS3_VERSION = "3.44"
SOURCES = [
    Path(__file__).with_name(name)
    for name in ("accelerate.cc", "allocate.cc", "relink.cc", "schedule.cc")
]
# ns-3's wheel is compiled with assertions. No fused multiply-add and no -march=native: a window
# must not depend on the processor.
FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-DNS3_ASSERT_ENABLE", "-fPIC", "-shared"]
# What replaces ns-3's functions is not replaced again; relink.cc lists them by their hash table.
FLAGS += ["-fno-semantic-interposition", "-Wl,--hash-style=both"]
LIBRARIES = [
    f"libns{NS3_VERSION}-{name}.so"
    for name in ("core", "network", "traffic-control", "internet", "point-to-point")
]

_log = logging.getLogger(__name__)


def library_path() -> Path:
    """Return where the compiled accelerator belongs.

    The name of its directory is the hash of all that it was made from: a change of the sources, or
    another ns-3, asks for another build.
    """
    content = hashlib.sha256(" ".join(FLAGS).encode())
    for source in [Path(__file__), *SOURCES]:
        content.update(source.read_bytes())
    for library in LIBRARIES:
        status = (_ns3() / "lib64" / library).stat()
        # In whole seconds, since the image of a container keeps no parts of them.
        content.update(f"{library} {status.st_size} {int(status.st_mtime)}".encode())
    name = f"ns3-accelerate-{content.hexdigest()[:16]}"
    return Path(sys.prefix) / "share" / "longfat" / name / "accelerate.so"


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
    home = library.parent.parent
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as scratch:
        fresh = Path(scratch) / library.parent.name
        fresh.mkdir()
        try:
            _compile(compiler, fresh / library.name)
            _list_calls(fresh)
            for old in home.glob("ns3-accelerate-*"):
                shutil.rmtree(old, ignore_errors=True)
            os.replace(fresh, library.parent)
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", None) or error
            print(f"notice: accelerator not built: {reason}")
            return None
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


def _ns3() -> Path:
    """Return the directory of ns-3's wheel."""
    return Path(str(importlib.metadata.distribution("ns3").locate_file("ns3")))


def _other_version() -> str:
    """Return what is wrong with the ns-3 installed here, or nothing."""
    try:
        version = importlib.metadata.version("ns3")
    except importlib.metadata.PackageNotFoundError:
        return "ns-3 is not installed"
    if version.split(".post")[0] != NS3_VERSION:
        return f"it is for ns-3 {NS3_VERSION}, and this is ns-3 {version}"
    return ""


def _compile(compiler: list[str], library: Path) -> None:
    """Compile the sources into a shared object that needs ns-3's libraries, to be loaded first."""
    libraries = _ns3() / "lib64"
    command = [*compiler, *FLAGS, f"-I{_ns3() / 'include'}", *map(str, SOURCES)]
    command += ["-o", str(library), "-ldl", f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    command += ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
    command += [f"-l:{name}" for name in LIBRARIES]
    subprocess.run(command, check=True, capture_output=True, text=True)


def _list_calls(directory: Path) -> None:
    """Write for relink.cc where ns-3's libraries call by way of their linkage tables.

    A file for each library: offsets of 32 bits. Without objdump there are none, and the calls stay
    as they are.
    """
    objdump = shutil.which("objdump")
    if objdump is None:
        print("notice: accelerator built without its faster calls: no objdump found (binutils).")
        return
    call = re.compile(r"^ *([0-9a-f]+):\t(?:call|jmp)q? .*@plt>$", re.MULTILINE)
    for library in LIBRARIES:
        command = [objdump, "-d", "-j", ".text", "--no-show-raw-insn"]
        listing = subprocess.run(
            [*command, str(_ns3() / "lib64" / library)], check=True, capture_output=True, text=True
        ).stdout
        offsets = array("I", (int(place, 16) for place in call.findall(listing)))
        (directory / f"{library}.calls").write_bytes(offsets.tobytes())


if __name__ == "__main__":
    if path := build():
        print(f"accelerator: {path}")
