"""C++ compiled against ns-3 ahead of a run, into shared libraries that are kept by content: the
engine, and each header of congestion controls with the adapter in front of it."""

import functools
import importlib.metadata
from pathlib import Path

from longfat import builds
from longfat.cc import catalogue

NS3_VERSION = "3.44"
HERE = Path(__file__).parent
ENGINE = HERE / "engine.cc"
ADAPTER = HERE / "adapter.h"
# ns-3's wheel is compiled with assertions. No fused multiply-add and no -march=native: a window
# must not depend on the processor.
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", "-DNS3_ASSERT_ENABLE", "-fPIC", "-shared")
LIBRARIES = [
    f"libns{NS3_VERSION}-{name}.so"
    for name in ("core", "network", "traffic-control", "internet", "point-to-point")
]


def ns3() -> Path:
    """Return the directory of ns-3's wheel."""
    return Path(str(importlib.metadata.distribution("ns3").locate_file("ns3"))).resolve()


def engine() -> Path:
    """Return the engine's library, compiled unless that is done.

    Raises InputError where there is no compiler, SimulationError where it fails, with the
    compiler's first error.
    """
    return builds.compiled("ns3", "engine", _flags(), [ENGINE], product=_ns3_version())


def control(header: Path) -> Path:
    """Return the library that makes a header's congestion controls known to ns-3, compiled unless
    that is done; errors as in `engine`."""
    return _control(header.stem, [], header, "")


def all_in_one() -> Path:
    """Return the library of all of the package's headers, in a seventh of the time that they take
    one by one: for who uses them all. Errors as in `engine`."""
    return _control("all", *catalogue.in_one())


def _control(name: str, options: list[str], header: Path, others: str) -> Path:
    flags = [*_flags(), "-include", ADAPTER.name, *options, "-x", "c++"]
    product = f"{_ns3_version()} {builds.content_sha256([ADAPTER])} {others}".rstrip()
    folders = [catalogue.CORE, catalogue.FOLDER, HERE]
    return builds.compiled("ns3", name, flags, [header], folders, product)


def _flags() -> list[str]:
    libraries = ns3() / "lib64"
    return [
        *FLAGS,
        *("-isystem", str(ns3() / "include")),
        *(f"-L{libraries}", f"-Wl,-rpath,{libraries}"),
        *("-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"),
        *(f"-l:{name}" for name in LIBRARIES),
    ]


@functools.cache
def _ns3_version() -> str:
    """Return what is another when ns-3 is another."""
    libraries = ns3() / "lib64"
    stats = [(libraries / library).stat() for library in LIBRARIES]
    # In whole seconds, since the image of a container keeps no parts of them.
    return " ".join(f"{status.st_size} {int(status.st_mtime)}" for status in stats)
