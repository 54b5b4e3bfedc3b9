"""Versions of behaviour: which code gives which digits.

An engine and a congestion control have a number each, which is raised by whoever changes digits: an
engine's is `BEHAVIOUR` of its module, a congestion control's is `version` of its catalogue entry. A
test runs some hundred small scenarios against kept digits, and fails where digits change and the
number does not (tests/test_digits.py).

A number does not prove that the code is the same. `data/versions.csv` has a line for each hash of
code that is known to give a version's digits; code with another hash has no version, but its own
hash in the place of one, so that nothing is answered for it from the archive.
"""

import csv
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from longfat import builds, paths
from longfat.cc import catalogue
from longfat.errors import InputError

FILE = "versions.csv"
COLUMNS = ("part", "version", "code")
CONTROL = "cc/"  # a congestion control's name begins so
UNKNOWN = "sha256:"  # code that has no version begins so

Part = tuple[str, int, str]  # name, version that it says it has, hash of its code


def versions(parts: Iterable[Part]) -> dict[str, str]:
    """Return the version of each part by its name; of unknown code, its hash."""
    return {
        name: str(number) if code in known().get((name, number), ()) else UNKNOWN + code
        for name, number, code in parts
    }


def engine(name: str, number: int, sources: Iterable[Path], product: str = "") -> Part:
    """Return an engine: `sources` and what they include, and the product whose code runs too."""
    text = f"{builds.content_sha256(sources)} {product}"
    return name, number, hashlib.sha256(text.encode()).hexdigest()[:16]


def control(name: str) -> Part:
    """Return a congestion control that has a header of ours: that, and what it includes."""
    algorithm = catalogue.find(name)
    assert algorithm.header, f"'{name}' has a header of ours"
    return CONTROL + name, algorithm.version, catalogue.code(algorithm.header)


def known() -> dict[tuple[str, int], set[str]]:
    """Return the hashes of the code that is known to give a version's digits."""
    return _known(_path())


@functools.cache
def _known(path: Path) -> dict[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                found.setdefault((line["part"], int(line["version"])), set()).add(line["code"])
    except FileNotFoundError:
        pass
    return found


def accept(parts: Iterable[Part]) -> None:
    """Say that this code gives the digits of the version that it says it has: a line each."""
    lines = {(*part, code) for part, codes in known().items() for code in codes} | set(parts)
    path = _path()
    unfinished = path.with_suffix(".tmp")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sorted(lines))
    unfinished.replace(path)
    _known.cache_clear()


def accept_new(parts: Iterable[Part]) -> None:
    """Accept the code of versions that have none yet: what is archived now has their digits.

    Raises InputError for code that differs from what is known of its version.
    """
    parts = set(parts)
    for name, number, code in sorted(parts):
        if code not in (codes := known().get((name, number), {code})):
            raise InputError(
                f"the code of '{name}' is not among the {len(codes)} known to give the digits of "
                f"its version {number}: 'longfat audit --accept' compares them; raise the version "
                "where they differ"
            )
    if new := {part for part in parts if part[:2] not in known()}:
        accept(new)


def _path() -> Path:
    return paths.RESULTS.parent / FILE
