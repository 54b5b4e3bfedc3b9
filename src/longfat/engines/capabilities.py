"""Which engine and which export can do what: `capabilities.csv`, and refusing the rest.

A row is something that a scenario may use, a column an engine or an export. A row is named by a
field, such as `links.aqm`, whose value is then another than its default; by a field and its value,
as in `links.aqm = red`; or by what a flow's congestion control needs. What is in no row all can do,
but for values, and fields together, that an engine refuses where it plans its run. A cell is "yes",
"no", or the reason why not. Which congestion control an engine has is said by the catalogue
(`longfat.engines.with_control`).
"""

import csv
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from longfat.cc import catalogue
from longfat.errors import InputError
from longfat.scenario import Ns2, Scenario

TABLE = Path(__file__).with_name("capabilities.csv")
EXPORTS = ("netns", "mininet")
NOT_REFUSED = ("yes", "not recorded")
CONTROL = "flows.congestion_control: "  # a row of what a congestion control needs begins so
# Events and needs of a congestion control (`Algorithm`) that not every engine serves.
NEEDS = {
    "supplement": "segments beyond the window",
    "answer": "answers to probes and queries",
    "holds": "pauses",
    "router feedback": "feedback of routers",
}


class Use(NamedTuple):
    """What a scenario uses: a row of the table, the field that says so, and what it is in words."""

    row: str
    place: str
    what: str = "it"


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """Return the cells by row, and then by engine or export."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {line.pop("uses"): line for line in csv.DictReader(file)}


def uses(scenario: Scenario) -> Iterator[Use]:
    """Yield what a scenario uses of what stands in the table."""
    if scenario.ns2 != Ns2():
        yield Use("ns2", "ns2", "the habits of ns-2")
    for name in ("transfers", "media_streams"):
        if getattr(scenario, name):
            yield Use(name, name, "them")
    for kind in ("transfers", "links", "flows"):
        for number, one in enumerate(getattr(scenario, kind)):
            for row, field in _fields(kind):
                if _is_used(one, *field):
                    yield Use(row, f"{kind}.{number}.{field[0]}")
    for number, flow in enumerate(scenario.flows):
        name = flow.congestion_control.name
        for need in needs(catalogue.find(name)):
            what = f"{need}, which '{name}' needs"
            yield Use(CONTROL + need, f"flows.{number}.congestion_control", what)
    for name in scenario.record.series:
        if (row := f"record.series = {name}") in table():
            yield Use(row, "record.series", f"'{name}'")


def needs(algorithm: catalogue.Algorithm) -> list[str]:
    """Return what a congestion control needs, of what not every engine serves."""
    return [what for name, what in NEEDS.items() if name in algorithm.events + algorithm.needs]


def serves(target: str, algorithm: catalogue.Algorithm) -> bool:
    """Return whether an engine or export has all that a congestion control needs."""
    return all(table()[CONTROL + need][target] == "yes" for need in needs(algorithm))


def refuse(scenario: Scenario, target: str) -> None:
    """Raise InputError for the first that a scenario uses and an engine or export cannot do."""
    for use in uses(scenario):
        answers = table()[use.row]
        if (answer := answers[target]) in NOT_REFUSED:
            continue
        able = [f"'{one}'" for one, other in answers.items() if other == "yes"]
        engines = " or ".join(one for one in able if one.strip("'") not in EXPORTS)
        if target in EXPORTS:
            reason = f"only the engine {engines} has {use.what}" if answer == "no" else answer
            raise InputError(f"{use.place}: this cannot be exported: {reason}")
        because = "" if answer == "no" else f" ({answer})"
        raise InputError(
            f"{use.place}: the engine '{target}' does not have {use.what}{because}: use the engine "
            f"{engines}"
        )


@functools.cache
def _fields(kind: str) -> tuple[tuple[str, tuple[str, str]], ...]:
    """Return the rows that are fields of a link, flow or transfer: each with field and value."""
    rows = [row for row in table() if row.startswith(f"{kind}.") and not row.startswith(CONTROL)]
    found = []
    for row in rows:
        field, _, value = row.removeprefix(f"{kind}.").partition(" = ")
        found.append((row, (field, value)))
    return tuple(found)


def _is_used(one: BaseModel, field: str, value: str) -> bool:
    """Return whether a field, or a field of what stands there, has this value, or not its own."""
    name, _, part = field.partition(".")
    if name not in type(one).model_fields:
        return False  # of several kinds of transfers, one alone has it
    there: Any = getattr(one, name)
    if part:
        inner: Iterable = there if isinstance(there, tuple) else (there,)
        return any(_is_used(item, part, value) for item in inner)
    if value:
        return value == getattr(there, "kind", there)
    return there != type(one).model_fields[name].default
