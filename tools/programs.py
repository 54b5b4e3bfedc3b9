"""C++ programs that tests and tools drive, compiled with the headers here and kept by content."""

import hashlib
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import longfat
from longfat import paths
from longfat.cc import catalogue
from longfat.engines import host
from longfat.engines.segment import native, registration

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
PACKAGE = Path(longfat.__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")


@cache
def compiled(
    source: str,
    *flags: str,
    features: Iterable[str] = frozenset(),
    controls: tuple[str, ...] = (),
) -> Path:
    """Return the program of a source here or among the tests, with the engine's features and
    controls."""
    place = next(path for folder in (HERE, TESTS) if (path := folder / source).exists())
    files = [place, native.HERE / "ns3" / "random-variable-stream.cc"]
    command = [*(native.compiler() or ()), "-std=c++20", *flags, *host.macros(features)]
    command += [f"-I{native.HERE}", f"-I{place.parent}"]
    found = [(name, catalogue.find(name)) for name in controls]
    command += [f"-I{catalogue.FOLDER}"] * bool(found)
    registered = "\n".join(registration.cpp(name, algorithm, name) for name, algorithm in found)
    content = hashlib.sha256(f"{command} {files} {registered}".encode())
    for path in sorted(path for folder in (PACKAGE, HERE, TESTS) for path in folder.rglob("*")):
        if path.suffix in (".h", ".cc"):
            content.update(path.read_bytes())
    program = paths.builds() / "tests" / f"{Path(source).stem}-{content.hexdigest()[:24]}"
    if not program.exists():
        with host.scratch(program.parent) as scratch:
            if registered:
                files.append(scratch / "algorithms.cc")
                files[-1].write_text(registered, encoding="utf-8")
            fresh = scratch / program.name
            subprocess.run([*command, *map(str, files), "-o", str(fresh)], check=True)
            os.replace(fresh, program)
    return program
