"""The congestion controls: where each comes from, where its code is, what can be set.

A header declares its entry and each parameter once (`engines/segment/model.h`): name, default,
range, unit, meaning, source. Python does not read C++: what it knows comes from the compiled
headers. For those that come with the package that is kept in `catalogue.json`, which `python -m
longfat.engines.segment` writes; a header that is new or changed is compiled first, then its table
is read. What only one engine has stands in `controls.toml` of that engine.
"""

import json
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from longfat import builds, paths
from longfat.errors import InputError, LongfatError, SimulationError, nearest, quoted

ENGINES = Path(str(files("longfat"))) / "engines"
CORE = ENGINES / "segment"  # what the headers include
FOLDER = Path(str(files("longfat.cc")))
FILE = FOLDER / "catalogue.json"
# No fused multiply-add and no -march=native: a window must not depend on the processor.
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off")
PROGRAM_FLAGS = ("-rdynamic", "-O3")  # a tenth faster; headers gain nothing by it
PLUGIN_FLAGS = ("-fPIC", "-shared", "-x", "c++")
if sys.platform == "darwin":
    PLUGIN_FLAGS += ("-undefined", "dynamic_lookup")  # it finds the engine when it is loaded
LONGEST_S = 10  # that a header may take to print its table
PORTING = "book/contributing.md, 'A congestion control of your own'"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a congestion control, as it is declared.

    `kind` is "number", "whole number" or "truth". A number is allowed from `minimum` to `maximum`,
    both included, and only below the parameter that `below` names. `source` is the default's.
    """

    name: str
    kind: str
    default: bool | int | float
    minimum: int | float
    maximum: int | float
    unit: str
    meaning: str
    source: str = ""
    below: str = ""
    linux: str = ""

    @property
    def range(self) -> str:
        """What is allowed, in words, with the unit."""
        if self.kind == "truth":
            return "true or false"
        whole = "a whole number " if self.kind == "whole number" else ""
        return f"{whole}from {self.minimum:.15g} to {self.maximum:.15g} {self.unit}".rstrip()

    def allows(self, value: Any) -> bool:
        """Return whether a scenario may set this value: of the right type, and in range."""
        if self.kind == "truth" or isinstance(value, bool):
            return self.kind == "truth" and isinstance(value, bool)
        is_number = isinstance(value, Integral if self.kind == "whole number" else Real)
        return is_number and bool(self.minimum <= value <= self.maximum)


@dataclass(frozen=True)
class Algorithm:
    """A congestion control: what its entry says (`Entry` in congestion-control.h).

    `header` is the path of the file that has it, or None for what only `engine` has; `own` is what
    that engine says of it. `events` are what it is told besides ACKs and congestion; `needs` what
    it must know of every ACK beyond what is free.
    """

    name: str
    title: str
    source: str
    header: Path | None = None
    engine: str = ""
    own: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    short_name: str = ""
    colour: str = ""
    marker: str = ""
    linux: str = ""
    events: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    regulates_recovery: bool = False
    parameters: dict[str, Parameter] = field(default_factory=dict)

    @property
    def needs_routers(self) -> bool:
        """Whether routers must tell it a rate."""
        return "router feedback" in self.needs

    @property
    def has_slow_start(self) -> bool:
        """Whether another start-up can take the place of its own: it has a window that slow start
        opens, and no other way to open it."""
        others = {"timer", "answer", "supplement", "holds"}
        return bool(
            self.header
            and not self.regulates_recovery
            and not self.needs_routers
            and others.isdisjoint(self.events)
        )

    @property
    def caps_window(self) -> bool:
        """Whether a flow can cap its window: our engine does that, whatever the algorithm."""
        return self.header is not None

    @property
    def traces(self) -> tuple[str, ...]:
        """The time series of its own that it offers (`longfat.scenario.FlowSeries`)."""
        names = {"bandwidth": "bandwidth_bps", "utilization": "utilization"}
        return tuple(series for event, series in names.items() if event in self.events)

    def refusals(self, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong with these values of parameters: names and reasons."""
        wrong = []
        for name, value in values.items():
            if name not in self.parameters:
                known = sorted(self.parameters)
                hint = f"it has {', '.join(known) or 'none'}.{nearest(name, known)}"
                wrong.append((name, f"{self.title} has no parameter {quoted(name)}: {hint}"))
            elif not (parameter := self.parameters[name]).allows(value):
                wrong.append((name, _refusal(parameter, value, parameter.range)))
        if wrong:
            return wrong
        in_force = {name: p.default for name, p in self.parameters.items()} | values
        for name, parameter in self.parameters.items():
            if parameter.below and in_force[name] >= in_force[parameter.below]:
                limit = f"below {parameter.below}, which is {in_force[parameter.below]}"
                wrong.append((name, _refusal(parameter, in_force[name], limit)))
        return wrong


def _refusal(parameter: Parameter, value: Any, allowed: str) -> str:
    return f"{quoted(value)} is not allowed: {allowed} ({parameter.meaning})"


def algorithms() -> dict[str, Algorithm]:
    """Return the congestion controls by name: those with a header, then those of one engine.

    A header whose table cannot be read is left out, with a warning.

    >>> from longfat.cc import catalogue
    >>> catalogue.algorithms()["hybla"].parameters["rtt0_s"].unit
    's'
    """
    found, refused = _read(FOLDER)
    for reason in refused.values():
        warnings.warn(f"left out: {reason}", stacklevel=1)
    return found | _of_engines() | _used


def find(name: str) -> Algorithm:
    """Return the congestion control of this name.

    Raises InputError if there is none, or if its header cannot be used.

    >>> from longfat.cc import catalogue
    >>> catalogue.find("hybla").title
    'TCP Hybla'
    """
    found, refused = _read(FOLDER)
    for some in (_of_engines(), found, _used):
        if name in some:
            return some[name]
    if name in refused:
        raise InputError(refused[name])
    known = sorted(algorithms())
    raise InputError(
        f"unknown congestion control {quoted(name)}: "
        f"known are {', '.join(known)}.{nearest(name, known)}"
    )


_used: dict[str, Algorithm] = {}  # of headers that lie elsewhere


def named(sender: str) -> str:
    """Return the name of a sender that is given by its name, or by the path of its header.

    A path ends with ".h"; what it declares is known from then on, in this process, like any other.
    Raises InputError for a header that cannot be used, and for one whose name is another's.

    >>> from longfat.cc import catalogue
    >>> catalogue.named("hybla")
    'hybla'
    """
    if not sender.endswith(".h"):
        return sender
    header = Path(sender).resolve()
    if header.parent == FOLDER.resolve():
        found, refused = _read(FOLDER)
        names = [
            name for name, one in found.items() if one.header and one.header.name == header.name
        ]
        if header.stem in refused:
            raise InputError(refused[header.stem])
    else:
        made = [algorithm(entry, header) for entry in table([header])]
        names = [one.name for one in made]
        for one in made:
            if one.name in _read(FOLDER)[0] or one.name in _of_engines():
                raise InputError(
                    f"{header.name}: '{one.name}', the name in its entry, is another's"
                )
            _used[one.name] = one
    if len(names) != 1:
        raise InputError(f"{header.name} has {len(names)} congestion controls, and not one")
    return names[0]


@cache
def _read(folder: Path) -> tuple[dict[str, Algorithm], dict[str, str]]:
    """Return what is in a folder of headers: congestion controls by name, and by the names of
    files why they are left out."""
    kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    found: dict[str, Algorithm] = {}
    refused: dict[str, str] = {}
    for header in sorted(folder.glob("*.h")):
        known = kept.get(header.name, {})
        try:
            if known.get("code") == code(header):
                entries = known["entries"]
            elif builds.compiler():
                entries = table([header])
            else:
                raise InputError(f"{header.name}: a changed header needs a C++ compiler")
            found |= {entry["name"]: algorithm(entry, header) for entry in entries}
        except LongfatError as error:  # one bad header must not take the others away
            refused[header.stem] = str(error)
    return found, refused


@cache
def _of_engines() -> dict[str, Algorithm]:
    """Return what only one engine has: the entries of its `controls.toml`."""
    found = {}
    for path in sorted(ENGINES.glob("*/controls.toml")):
        for name, entry in tomllib.loads(path.read_text("utf-8")).items():
            parameters = {
                parameter: Parameter(name=parameter, **stated)
                for parameter, stated in entry.pop("parameters", {}).items()
            }
            engine = path.parent.name
            found[name] = Algorithm(name, **entry, engine=engine, parameters=parameters)
    return found


def forget() -> None:
    """Read the headers anew when they are next asked for: one has changed."""
    _read.cache_clear()
    _own.cache_clear()


def code(header: Path) -> str:
    """Return the hash of a header and of the parts that it takes from its folder, or from ours."""
    within = (header.resolve().parent, FOLDER.resolve())
    return builds.content_sha256([header], [FOLDER], within)[:16]


def algorithm(entry: dict[str, Any], header: Path) -> Algorithm:
    """Make an algorithm of its entry, as the compiled module prints it."""
    parameters = {one["name"]: Parameter(**_typed(one)) for one in entry["parameters"]}
    lists = {name: tuple(entry[name]) for name in ("events", "needs")}
    return Algorithm(**entry | lists | {"header": header, "parameters": parameters})


def _typed(parameter: dict[str, Any]) -> dict[str, Any]:
    kinds = {"truth": bool, "whole number": int, "number": float}
    kind = kinds[parameter["kind"]]
    limits = {name: parameter[name] for name in ("minimum", "maximum")}
    if kind is int:
        limits = {name: int(value) for name, value in limits.items()}
    return parameter | limits | {"default": kind(parameter["default"])}


# --- compiled


def program(flags: Sequence[str] = ()) -> Path:
    """Return the program that runs scenarios, compiled unless that is done."""
    try:
        return builds.compiled(*_of_program(flags))
    except SimulationError as error:
        raise SimulationError(f"the engine cannot be compiled: {error}") from None


def plugin(header: Path, flags: Sequence[str] = ()) -> Path:
    """Return what a header is compiled to, which the program loads.

    Raises InputError for a header that does not compile, with the compiler's first error; of the
    interface of another simulator, with the page that tells how to port it.
    """
    try:
        return builds.compiled(*_of_plugin(header, flags))
    except SimulationError as error:
        if "TcpCongestionOps" in header.read_text("utf-8"):
            raise InputError(
                f"{header.name} is written for another interface (TcpCongestionOps): {PORTING} "
                "tells how to port it"
            ) from None
        raise InputError(f"{header.name} cannot be used: {error}") from None


def plugins(headers: Iterable[Path], flags: Sequence[str] = ()) -> list[Path]:
    """Return what headers are compiled to, for the program to load; errors as in `plugin`.

    The package's own are compiled in one, which takes a fifth of the time that they take one by
    one; where one of them has been changed, each is for itself.
    """
    wanted = dict.fromkeys(headers)
    together = _unchanged() & wanted.keys()
    apart = [header for header in wanted if header not in together]
    try:
        made = [builds.compiled(*_of_all(flags))] if together else []
    except SimulationError as error:
        raise InputError(f"the congestion controls cannot be used: {error}") from None
    return [*made, *(plugin(header, flags) for header in apart)]


def is_compiled(headers: Iterable[Path]) -> bool:
    """Return whether the program, and what these headers are compiled to, are there already."""
    if builds.compiler() is None:
        return False
    asked = paths.builds(), tuple(headers)
    if asked not in _compiled:  # one that has changed since is compiled when it is used
        together = _unchanged()
        parts = [_of_all() if one in together else _of_plugin(one) for one in asked[1]]
        if all(builds.place(*one).exists() for one in (_of_program(), *parts)):
            _compiled.add(asked)
    return asked in _compiled


_compiled: set[tuple[Path, tuple[Path, ...]]] = set()


def _of_program(flags: Sequence[str] = ()) -> tuple[str, str, list[str], tuple[Path, ...]]:
    """Return what `builds.compiled` takes to make the program."""
    sources = (CORE / "main.cc", CORE / "engine.cc")
    return "segment", "segment", [*FLAGS, *PROGRAM_FLAGS, *flags], sources


def _of_plugin(header: Path, flags: Sequence[str] = ()) -> tuple[str, str, list[str], list, list]:
    """Return what `builds.compiled` takes to make of a header what the program loads."""
    return "segment", header.stem, [*FLAGS, *PLUGIN_FLAGS, *flags], [header], [CORE, FOLDER]


def _of_all(flags: Sequence[str] = ()) -> tuple[str, str, list[str], list, list, str]:
    """Return what `builds.compiled` takes to make one of all of the package's headers."""
    options, last, others = in_one()
    folder, _, own, sources, folders = _of_plugin(last, [*options, *flags])
    return folder, "all", own, sources, folders, others


def in_one() -> tuple[list[str], Path, str]:
    """Return how a compiler is told to take all of the package's headers at once: options that
    include all but the last, the last, and the hash of the others."""
    *others, last = _own()
    options = [part for header in others for part in ("-include", str(header))]
    return options, last, builds.content_sha256(others, [CORE, FOLDER])


@cache
def _own() -> tuple[Path, ...]:
    return tuple(sorted(FOLDER.glob("*.h")))


def _unchanged() -> frozenset[Path]:
    """Return the package's headers if they are as `catalogue.json` knows them, else none."""
    return _as_known(builds.content_sha256(_own(), [FOLDER], [FOLDER]))


@cache
def _as_known(_content: str) -> frozenset[Path]:
    own = _own()
    kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    same = all(kept.get(header.name, {}).get("code") == code(header) for header in own)
    return frozenset(own) if same else frozenset()


def table(headers: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the entries of the congestion controls that the headers have, as they print them.

    Raises InputError where one does not compile, or does not print them within its time.
    """
    names = [header.name for header in headers]
    command = [str(program()), "--catalogue", str(LONGEST_S), *map(str, plugins(headers))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip()[-300:] or f"it ended with status {done.returncode}"
        raise InputError(f"{', '.join(names)} cannot be used: no table of parameters: {reason}")
    return [entry for entry in json.loads(done.stdout) if entry["header"] in names]


def write() -> None:
    """Write what the headers print as the package's own catalogue."""
    FILE.write_text(json.dumps(printed(), indent=1) + "\n", encoding="utf-8")
    forget()


def printed() -> dict[str, dict[str, Any]]:
    """Return what the compiled headers print, and the hashes of their code, by name of the file."""
    headers = _own()
    entries = sorted(table(headers), key=lambda entry: entry["name"])
    return {
        header.name: {
            "code": code(header),
            "entries": [entry for entry in entries if entry["header"] == header.name],
        }
        for header in headers
    }
