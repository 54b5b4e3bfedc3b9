"""Verdicts and the reasons for them as sentences."""

import re
from typing import Any

import numpy as np

from longfat.style import ENGINE_LABEL, label
from longfat.style import number as digits
from longfat.verdicts.rules import ENGINES, WITNESS, verdict_class

ENGINE_NAMES = {name: ENGINE_LABEL.get(name, name) for name in ENGINES}

NAMED = 3  # so many parameters that turn a verdict, a sentence names
HOPELESS = 10_000  # more runs than these to decide a claim are given in one digit


def worded(verdict: str, most: int = NAMED) -> str:
    """Return a verdict as a reader sees it: parameters in words, and no more than so many of them.

    >>> from longfat.verdicts import wording
    >>> wording.worded("depends on recovery and min_rto")
    'depends on the method of recovery and the shortest timeout'
    """
    if verdict_class(verdict) != "depends":
        return verdict
    names = re.split(r", | and ", verdict.removeprefix("depends on "))
    return depends_on(_first_names([label(name) for name in names], most))


def _first_names(names: list[str], most: int) -> list[str]:
    """Return the first ones, and how many more there are."""
    return names if len(names) <= most + 1 else [*names[:most], f"{len(names) - most} more"]


def depends_on(parameters: list[str]) -> str:
    return f"depends on {_enumeration(parameters)}"


def reason_for(
    verdict: str, decider: dict, base: list[dict], records: list[dict], unit: str, fitted: str
) -> str:
    """Return in a sentence or two why the verdict is what it is, and on which engines it rests."""
    parts = []
    if fitted:
        names = [label(name) for name in fitted.split(", ")]
        what = _enumeration([name if name.startswith("the ") else f"the {name}" for name in names])
        parts.append(f"The number was used to fit {what}, so that it is no test.")
    value = _with_unit(digits(decider["measured"]), unit)
    if decider["low"] < decider["high"]:
        value += f" [{digits(decider['low'])}, {digits(decider['high'])}]"
    place = f" at {decider['at']}" if decider["at"] else ""
    if decider["engine"] == "arithmetic":
        first = f"Calculated, it is {value}{place}"
    else:
        name = _engine_name(decider["engine"])
        name = name.replace("the ", "The ")  # others are spelled as they are
        alone = ", asked alone," if len(base) == 1 else ""
        count = _run_count(decider["runs"])
        first = f"{name}{alone} {_AGREEMENT[decider['says']]}: {value}{place}, {count}"
    others = [_other_engine(one, unit) for one in base if one is not decider]
    parts.append(f"{'; '.join([first, *others])}.")
    parts.append(_sensitivity(verdict, decider, [one for one in records if one["parameter"]]))
    return sentences(*parts)


def decides(runs: float) -> str:
    """Return how many runs at each point would decide what is open; nothing where none would."""
    if np.isnan(runs):
        return ""
    if np.isinf(runs):
        return "Its mean stands on the bound: no number of runs is sure to decide."
    if runs > HOPELESS:
        return f"It lies so near the bound that {digits(runs, 1)} runs a point would be needed."
    return f"About {runs:,.0f} runs a point would decide."


_AGREEMENT = {"holds": "agrees", "fails": "disagrees", "open": "leaves it open"}


def _other_engine(one: dict, unit: str) -> str:
    """Return what another engine says."""
    shares = ", which shares its code," if one["engine"] in WITNESS else ""
    said = f"{_AGREEMENT[one['says']]} ({_with_unit(digits(one['measured']), unit)})"
    return f"{_engine_name(one['engine'])}{shares} {said}"


def _sensitivity(verdict: str, decider: dict, varied: list[dict]) -> str:
    """Return what settings that the paper does not state make of a claim."""
    if not varied or verdict == "depends on the engine":
        return ""
    names = list(dict.fromkeys(one["parameter"] for one in varied))
    if verdict_class(verdict) == "depends":
        turns = "fails" if decider["says"] == "holds" else "holds"
        settings: dict[str, list[str]] = {}
        for one in varied:
            if one["says"] == turns:
                settings.setdefault(one["parameter"], []).append(one["setting"])
        told = [f"{label(name)} ({_settings(found)})" for name, found in settings.items()]
        return f"It {turns} when this is changed: {_enumeration(_first_names(told, 1))}."
    one_only = len(varied) == 1
    many = "the one other setting" if one_only else f"any of the {len(varied)} other settings"
    of = label(names[0]) if len(names) == 1 else f"{len(names)} parameters"
    decided = [one for one in varied if one["says"] != "open"]
    if not decided:
        return f"It stays open with {many} of {of}."
    said = {"reproduced": ("holds", "fails"), "not reproduced": ("fails", "holds")}.get(verdict)
    if said and one_only:
        return f"It also {said[0]} with the one other setting of {of}."
    return f"It {said[1]} with none of the {len(varied)} other settings of {of}." if said else ""


def _settings(settings: list[str]) -> str:
    settings = list(dict.fromkeys(settings))
    return " or ".join(settings) if len(settings) <= 2 else f"{len(settings)} settings"


def _with_unit(value: str, unit: str) -> str:
    return f"{value} {unit}".rstrip()


def _engine_name(engine: str) -> str:
    return "the segment engine" if engine == "segment" else ENGINE_NAMES[engine]


def _run_count(count: float) -> str:
    return "one run" if count == 1 else f"{count:.0f} runs"


def _enumeration(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
