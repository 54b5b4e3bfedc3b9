"""The congestion controls: where each comes from, where its code is, what can be set.

A header of ours brings its entry with it, as TOML in a comment that begins with `/* catalogue`. A
parameter's default, range and meaning stand once, in the `AddAttribute` of the header: the entry
says by which name a scenario sets that attribute. What has no header of ours is in `ns3.toml`:
ns-3's own classes, and those that only Linux has.
"""

import re
import tomllib
import warnings
from dataclasses import field
from functools import cache
from importlib.resources import files
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError, field_validator
from pydantic.dataclasses import dataclass

from longfat.errors import InputError, nearest, quoted, sentence

FOLDER = Path(str(files("longfat.cc")))
UNITS = {"_s": "s", "_segments": "segments"}  # of a parameter, by how its name ends

_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_CONFIG)
class Parameter:
    """An ns-3 attribute under the name by which a scenario sets it (unit in the name).

    A number is allowed from `minimum` to `maximum`, both included, and only below the parameter
    that `below` names. `linux` is the path, below /sys/module, of a Linux module parameter that is
    the same in ms.
    """

    name: str
    attribute: str
    default: bool | int | float
    meaning: str
    minimum: int | float | None = None
    maximum: int | float | None = None
    below: str = ""
    linux: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.default, bool) and None in (self.minimum, self.maximum):
            raise ValueError("minimum or maximum is missing")
        if not self.allows(self.default):
            raise ValueError(f"its default {self.default} is not {self.range}")

    @property
    def unit(self) -> str:
        """The unit, "" where it is a plain number."""
        return next((unit for end, unit in UNITS.items() if self.name.endswith(end)), "")

    @property
    def range(self) -> str:
        """What is allowed, in words, with the unit."""
        if isinstance(self.default, bool):
            return "true or false"
        whole = "a whole number " if isinstance(self.default, int) else ""
        return f"{whole}from {self.minimum:.15g} to {self.maximum:.15g} {self.unit}".rstrip()

    def allows(self, value: Any) -> bool:
        """Return whether a scenario may set this value: of the right type, and in range."""
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(self.default, bool) and isinstance(value, bool)
        if self.minimum is None or self.maximum is None:
            return False
        is_number = isinstance(value, Integral if isinstance(self.default, int) else Real)
        return is_number and bool(self.minimum <= value <= self.maximum)

    def refusal(self, value: Any, allowed: str) -> str:
        """Return the sentence that refuses a value."""
        return f"{quoted(value)} is not allowed: {allowed} ({self.meaning})"

    def ns3_text(self, value: bool | int | float) -> str:
        """Return the value as ns-3 reads it from a string."""
        if isinstance(value, bool):
            return "true" if value else "false"
        return f"{value!r}s" if self.unit == "s" else repr(value)


@dataclass(frozen=True, config=_CONFIG)
class Algorithm:
    """A congestion control.

    `version` is raised by whoever changes its digits (`longfat.engines.behaviour`).
    `traces` are the time series of its own that it offers (`longfat.scenario.FlowSeries`);
    `signals` is what else it is told beside ACKs (`signals.h`, `router-feedback.h`), or does
    (`own-packets.h`, `path-queries.h`).
    `linux` is its name in Linux, where
    Linux has it; an empty `type_id` means that only Linux has it.
    """

    title: str
    source: str
    type_id: str = ""
    header: str | None = None
    caps_window: bool = False
    traces: tuple[Literal["bandwidth_bps", "utilization"], ...] = ()
    version: int = 1
    signals: tuple[
        Literal["one-way delay", "handoff", "own packets", "router feedback", "path queries"], ...
    ] = ()
    linux: str = ""
    parameters: dict[str, Parameter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.type_id or self.linux):
            raise ValueError("it needs a type_id, or a name in linux")

    @field_validator("parameters")
    @classmethod
    def _order_is_of_parameters(cls, parameters: dict[str, Parameter]) -> dict[str, Parameter]:
        for name, parameter in parameters.items():
            if parameter.below and parameter.below not in parameters:
                raise ValueError(f"{name} is to be below '{parameter.below}', which is none")
        return parameters

    @property
    def needs_routers(self) -> bool:
        """Whether routers must tell it a rate: only the engine `segment` has such routers."""
        return "router feedback" in self.signals

    @property
    def header_path(self) -> Path | None:
        """Path of our header, or None for a class of ns-3's own."""
        return FOLDER / self.header if self.header else None

    @property
    def header_paths(self) -> tuple[Path, ...]:
        """Paths of our header and of those of ours that it includes: all of its code."""
        return _with_includes(FOLDER / self.header) if self.header else ()

    def refusals(self, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong with these values of parameters: names and reasons."""
        wrong = []
        for name, value in values.items():
            if name not in self.parameters:
                known = sorted(self.parameters)
                hint = f"it has {', '.join(known) or 'none'}.{nearest(name, known)}"
                wrong.append((name, f"{self.title} has no parameter {quoted(name)}: {hint}"))
            elif not (parameter := self.parameters[name]).allows(value):
                wrong.append((name, parameter.refusal(value, parameter.range)))
        if wrong:
            return wrong
        in_force = {name: p.default for name, p in self.parameters.items()} | values
        for name, parameter in self.parameters.items():
            if parameter.below and in_force[name] >= in_force[parameter.below]:
                limit = f"below {parameter.below}, which is {in_force[parameter.below]}"
                wrong.append((name, parameter.refusal(in_force[name], limit)))
        return wrong


def algorithms() -> dict[str, Algorithm]:
    """Return the congestion controls by name: those with a header of ours first.

    They are read once. A header whose entry cannot be read is left out, with a warning.

    >>> from longfat.cc import catalogue
    >>> catalogue.algorithms()["hybla"].title
    'TCP Hybla'
    """
    return _read_once()[0]


def find(name: str) -> Algorithm:
    """Return the congestion control of this name.

    Raises InputError if there is none, or if its entry cannot be read.

    >>> from longfat.cc import catalogue
    >>> catalogue.find("hybla").parameters["rtt0_s"].default
    0.025
    """
    found, refused = _read_once()
    if name in found:
        return found[name]
    if name in refused:
        raise InputError(refused[name])
    known = sorted(found)
    raise InputError(
        f"unknown congestion control {quoted(name)}: "
        f"known are {', '.join(known)}.{nearest(name, known)}"
    )


@cache
def _read_once() -> tuple[dict[str, Algorithm], dict[str, str]]:
    found, refused = read(FOLDER)
    for reason in refused.values():
        warnings.warn(f"left out: {reason}", stacklevel=4)
    return found, refused


def read(folder: Path) -> tuple[dict[str, Algorithm], dict[str, str]]:
    """Read the headers' entries in a folder, and its `ns3.toml`.

    Return the congestion controls, and by name those that are left out: why, in one sentence.
    """
    found: dict[str, Algorithm] = {}
    refused: dict[str, str] = {}
    rest = folder / "ns3.toml"
    others = tomllib.loads(rest.read_text("utf-8")) if rest.exists() else {}
    entries = ((path.stem, path) for path in sorted(folder.glob("*.h")))
    for name, content in chain(entries, others.items()):
        try:
            if isinstance(content, dict):
                entry = _algorithm(content, rest.name)
            elif (declaration := declared(content)) is not None:
                name, entry = declaration
            else:
                continue
            if name in found:
                raise InputError(f"{entry.header or rest.name}: '{name}' is there twice")
            found[name] = entry
        except InputError as error:  # one bad entry must not take the others away
            refused[name] = str(error)
    return found, refused


def declared(header: Path) -> tuple[str, Algorithm] | None:
    """Return the name and the entry that a header has in itself, or None.

    The entry is what `Algorithm` has, and `name` where that is not the file's. Its table
    `parameters` says of each the `attribute`, and what else `Parameter` has that does not follow
    from the header's AddAttribute (an attribute of a class of ns-3's needs all).
    Raises InputError where it cannot be read so.
    """
    try:
        text = header.read_text("utf-8")
        comment = re.search(r"^/\* catalogue\n(.*?)^\*/", text, re.M | re.S)
        if not comment:
            return None
        entry = tomllib.loads(comment[1])
        attributes = _attributes(header)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(header.name, str(error)) from None
    name = entry.pop("name", header.stem)
    algorithm = _algorithm(entry | {"header": header.name}, header.name, attributes)
    if f'"{algorithm.type_id}"' not in text.replace(comment[0], ""):
        raise _unreadable(header.name, f"it has no class '{algorithm.type_id}'")
    return name, algorithm


def _algorithm(
    entry: dict[str, Any], where: str, attributes: dict[str, list[str]] | None = None
) -> Algorithm:
    """Make an algorithm of its entry; `attributes` are those of its header."""
    place = ""
    try:
        parameters = {}
        for name, stated in _table(entry.get("parameters", {}), "parameters").items():
            place = f"parameters.{name}: "
            arguments = (attributes or {}).get(_table(stated, "it").get("attribute", ""))
            follows = _follows(arguments) if arguments else {}
            parameters[name] = Parameter(**({"name": name} | follows | stated))
        place = ""
        return Algorithm(**(entry | {"parameters": parameters}))
    except ValidationError as error:
        raise _unreadable(where, place + sentence(error)) from None
    except ValueError as error:
        raise _unreadable(where, place + str(error)) from None


def _table(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be a table, not {quoted(value)}")
    return value


def _unreadable(where: str, reason: str) -> InputError:
    return InputError(f"{where}: its catalogue entry cannot be read: {reason}")


# --- what stands in a header


def _with_includes(header: Path) -> tuple[Path, ...]:
    paths = [header]
    for path in paths:
        included = re.findall(r'^#include "([\w-]+\.h)"', path.read_text("utf-8"), re.MULTILINE)
        paths += [path.with_name(name) for name in included if path.with_name(name) not in paths]
    return tuple(paths)


def _attributes(header: Path) -> dict[str, list[str]]:
    """Return the arguments of every AddAttribute, by the attribute's name: own ones before those
    of the headers that this one includes."""
    found: dict[str, list[str]] = {}
    for path in _with_includes(header):
        text = path.read_text("utf-8")
        for call in re.finditer(r"\bAddAttribute\(", text):
            arguments = _arguments(text[call.end() :])
            found.setdefault(_string(arguments[0]), arguments)
    return found


def _arguments(text: str) -> list[str]:
    """Split the arguments of a call whose opening parenthesis stands before the text."""
    arguments, depth = [""], 0
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|[^"]', text):
        part = match[0]
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth < 0:
            break
        if part == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += part
    return [argument.strip() for argument in arguments]


def _string(literals: str) -> str:
    """Return the text of C++ string literals that stand one after the other."""
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals)).replace('\\"', '"')


_LARGEST = {"uint8_t": 2**8 - 1, "uint16_t": 2**16 - 1, "uint32_t": 2**32 - 1}
_SECOND = {"Seconds": 1, "MilliSeconds": 10**3, "MicroSeconds": 10**6}
_SECOND |= {"NanoSeconds": 10**9, "Time": 10**9}


def _follows(arguments: list[str]) -> dict[str, Any]:
    """Return what an AddAttribute (ns-3's, or of attributes.h) says about a parameter: default,
    minimum, maximum, meaning."""
    found: dict[str, Any] = {"meaning": _string(arguments[1])}
    if short := re.fullmatch(r"(?:Number|Switch)\((.*)\)", arguments[2], re.S):
        values = [_value(_kind(text), text) for text in _arguments(short[1])[1:]]
        return found | dict(zip(("default", "minimum", "maximum"), values, strict=False))
    for argument in arguments[2:]:
        if value := re.fullmatch(r"(?:ns3::)?(\w+)Value\((.*)\)", argument, re.S):
            found["default"] = _value(value[1], value[2])
        elif checker := re.fullmatch(
            r"(?:ns3::)?Make(\w+)Checker(?:<(?:std::)?(\w+)>)?\((.*)\)", argument, re.S
        ):
            kind, largest = checker[1], _LARGEST.get(checker[2] or "")
            limits = [_value(kind, limit) for limit in _arguments(checker[3]) if limit]
            if kind == "Uinteger" and largest:
                limits = [*limits, *(0, largest)[len(limits) :]]
            found |= dict(zip(("minimum", "maximum"), limits, strict=False))
    return found


def _kind(text: str) -> str:
    """Return of which kind of ns-3 value a C++ literal is, as attributes.h takes it."""
    if text in ("true", "false"):
        return "Boolean"
    return "Time" if "(" in text else "Uinteger" if text.endswith("u") else "Double"


def _value(kind: str, text: str) -> bool | int | float:
    """Return a C++ literal of an ns-3 value; a time in seconds. Raises ValueError."""
    literal = text.replace("'", "").strip()
    if kind == "Boolean" and literal in ("true", "false"):
        return literal == "true"
    if kind == "Double":
        return float(literal)
    if kind in ("Uinteger", "Integer"):
        return int(literal.removesuffix("u"))
    time = re.fullmatch(r"(?:ns3::)?(\w+)\(([^()]+)\)", literal)
    if kind == "Time" and time and time[1] in _SECOND:
        return float(time[2]) / _SECOND[time[1]]
    raise ValueError(f"'{text}' is no literal of a {kind}Value")
