"""Verdicts and the reasons for them as sentences."""

import re
from typing import Any

import numpy as np

from longfat.style import ENGINE_LABEL, label
from longfat.style import number as digits
from longfat.verdicts.rules import ENGINES, WITNESS, Region, is_near, verdict_class

ENGINE_NAMES = {name: ENGINE_LABEL.get(name, name) for name in ENGINES}

SEVERAL = "several parameters at once"  # of which no small set tells where a claim holds
NAMED = 2  # so many parameters that turn a verdict, a sentence names
HOPELESS = 10_000  # more runs than these to decide a claim are given in one digit


def worded(verdict: str, most: int = NAMED) -> str:
    """Return a verdict as a reader sees it: parameters in words, or how many, if more than `most`.

    >>> from longfat.verdicts import wording
    >>> wording.worded("depends on recovery and min_rto")
    'depends on the method of recovery and the shortest timeout'
    """
    if verdict_class(verdict) != "depends":
        return verdict
    names = re.split(r", | and ", verdict.removeprefix("depends on "))
    if names == [SEVERAL]:
        return verdict
    if len(names) > most:
        return f"depends on {len(names)} unstated parameters"
    return depends_on([label(name) for name in names])


def depends_on(parameters: list[str]) -> str:
    return f"depends on {_enumeration(parameters)}"


def reason_for(
    verdict: str,
    decider: dict,
    base: list[dict],
    settings: list[dict],
    *,
    unit: str,
    where: Region,
    asked: str,
    fitted: str,
) -> str:
    """Return in a few sentences why the verdict is what it is, and on which engines it rests.

    First what the engine measured that decides, `decider`, and what the claim allows; then what
    other `settings` make of it; last what other engines say, by the records `base`.
    """
    parts = []
    if fitted:
        names = [label(name) for name in fitted.split(", ")]
        what = _enumeration([name if name.startswith("the ") else f"the {name}" for name in names])
        parts.append(f"The number was used to fit {what}, so that it is no test.")
    if decider["parameter"]:
        parts.append(f"One instance is enough: {_named(decider)}.")
        base = []
    value = _with_unit(digits(decider["measured"]), unit)
    if decider["low"] < decider["high"]:
        value += f" [{digits(decider['low'])}, {digits(decider['high'])}]"
    many = decider["points"] > 1 and decider["at"]
    place = f"the least favourable of {decider['points']} points, " if many else ""
    place = f" at {place}{decider['at']}" if decider["at"] else ""
    if decider["engine"] == "arithmetic":
        parts.append(f"Calculated, it is {value}{place}.")
    else:
        count = _run_count(decider["runs"])
        parts.append(f"{_on(decider['engine'], asked)}, it is {value}{place} ({count}).")
    parts.append(_compared(where, unit, decider, bool(many)))
    if verdict != "depends on the engine":
        parts.append(_sensitivity(decider, settings))
    parts.append(_robustness(decider, [one for one in base if one is not decider], unit))
    return sentences(*parts)


def at_settings(rows: list[dict], asked: str) -> str:
    """Return what joint settings make of a claim, by rows of `joint.judge`: the first decides.

    At how many it holds, what tells at which, and what is left in doubt; then what the other rows,
    of other engines, say.
    """
    row, *others = rows
    count, undecided = row["settings"], row["open"]
    decided = count - undecided
    holds = round(row["share"] * decided) if decided else 0
    name = _engine_name(row["engine"])
    where = f"on {name}"
    if asked in ENGINE_LABEL and asked != row["engine"]:
        where += f", for want of such runs on the paper's {ENGINE_NAMES[asked]}"
    parts = [
        f"All that the paper leaves open varied at once, it holds at {holds or 'none'} of {count} "
        f"settings ({where})."
    ]
    if undecided:
        parts.append(f"At {undecided} the runs leave it open{_swing(row)}.")
    if row["ties"]:
        parts.append(f"At {row['ties']} the two are equal within 2 %.")
    verdict = row["joint_verdict"]
    if verdict == "depends":
        parts.append(_told(row))
    ends = [end for end in _LINES[verdict] if row["share_low"] < end < row["share_high"]]
    if ends:
        span = f"{100 * row['share_low']:.0f} to {100 * row['share_high']:.0f} %"
        parts.append(
            f"Of all plausible settings that is {span}: {count} cannot tell it from the "
            f"{100 * ends[0]:.0f} % at which the verdict turns."
        )
    for one in others:
        known = one["settings"] - one["open"]
        held = round(one["share"] * known) if known else 0
        also = f"On {_engine_name(one['engine'])} it holds at {held} of {one['settings']}"
        parts.append(f"{also}, and {one['open']} stay open." if one["open"] else f"{also}.")
    return sentences(*parts)


_LINES = {
    "reproduced": (0.95,),
    "not reproduced": (0.05,),
    "depends": (0.05, 0.95),
    "tie": (),
    "undecidable": (),
}


def _swing(row: dict) -> str:
    """Return what becomes of an undecidable claim, if what is open holds or fails."""
    if row["joint_verdict"] != "undecidable":
        return ", which changes nothing"
    return ", and these could turn the verdict"


def _told(row: dict) -> str:
    """Return what tells at which settings a claim holds."""
    if not row["turned_by"]:
        return "No three parameters tell at which it does."
    names = [label(name) for name in row["turned_by"].split(", ")]
    tell = "tells by itself" if len(names) == 1 else "tell together"
    right = f"{100 * row['told']:.0f} %" if row["told"] < 1 else "all"
    said = f"{_enumeration(names)} {tell} whether it does, at {right} of them."
    return said[0].upper() + said[1:]


def _on(engine: str, asked: str) -> str:
    """Return on which engine something was measured, and whether the claim is about that one."""
    name = _engine_name(engine)
    if asked == engine:
        return f"On {name}, as in the paper"
    if asked in ENGINE_LABEL:
        return f"On {name}, for want of such runs on the paper's {ENGINE_NAMES[asked]}"
    return f"On {name}"


def _compared(where: Region, unit: str, decider: dict, many: bool) -> str:
    """Return what a claim allows, in words, and what that makes of what was measured."""
    low, high, says = digits(where.low), digits(where.high), decider["says"]
    if not np.isnan(where.margin):
        middle = (where.low + where.high) / 2
        printed = _with_unit(digits(middle), unit)
        beyond = says != "fails" and not decider["low"] <= middle <= decider["high"]
        if beyond:  # the interval holds it only as it may have been rounded
            printed += f", which may be {low} to {high} by rounding and wording,"
        fits = {
            "holds": "agree with that",
            "fails": "do not lie there",
            "open": f"{'reach into that' if beyond else 'lie there'}, but so would much else",
        }
        return f"The paper's {printed} {fits[says]}."
    if np.isinf(where.low):
        allowed = f"allows {'less than' if where.strict else 'at most'} {_with_unit(high, unit)}"
    elif np.isinf(where.high):
        allowed = f"asks for {'more than' if where.strict else 'at least'} {_with_unit(low, unit)}"
    else:
        allowed = f"allows {low} to {_with_unit(high, unit)}"
    said = {
        "holds": "it holds",
        "fails": "it fails",
        "tie": f"the two are equal within 2 %{' there, and it fails nowhere' if many else ''}",
        "open": "that leaves it open",
    }
    return f"The claim {allowed}: {said[says]}."


def decides(runs: float, wide: bool = False) -> str:
    """Return how many runs at each point would decide what is open; nothing where none would.

    `wide` where it is open because single sets of runs such as the paper's scatter.
    """
    if np.isnan(runs):
        return ""
    if np.isinf(runs) and wide:
        return (
            "What is open is so because single sets of runs such as the paper's scatter: no number "
            "of runs of ours is sure to decide."
        )
    if np.isinf(runs):
        return "Its mean stands on the bound: no number of runs is sure to decide."
    if runs > HOPELESS:
        return f"It lies so near the bound that {digits(runs, 1)} runs a point would be needed."
    return f"About {runs:,.0f} runs a point would decide."


def hangs_on(rule: str, threshold: float, turns_at: float, unit: str) -> str:
    """Return at which threshold the verdict would turn, where the one that was taken is ours."""
    ours = f"The threshold of {_with_unit(digits(threshold), unit)} is ours"
    if np.isnan(turns_at):
        return f"{ours}; no other would turn the verdict."
    near = ", and near" if is_near(rule, threshold, turns_at) else ""
    return f"{ours}{near}: at {digits(turns_at)} the verdict would turn."


def _robustness(decider: dict, others: list[dict], unit: str) -> str:
    """Return what other engines say at the stated setting."""
    if not others:
        return ""
    told = []
    for one in others:
        kin = WITNESS.get(one["engine"], one["engine"]) == WITNESS.get(
            decider["engine"], decider["engine"]
        )
        shares = ", which shares its code," if kin else ""
        said = f"{_AGREEMENT[one['says']]} ({_with_unit(digits(one['measured']), unit)})"
        told.append(f"{_engine_name(one['engine'])}{shares} {said}")
    return f"As a check, {'; '.join(told)}."


_AGREEMENT = {
    "holds": "says that it holds",
    "fails": "says that it fails",
    "tie": "says that the two are equal",
    "open": "leaves it open",
}


def _sensitivity(decider: dict, varied: list[dict]) -> str:
    """Return what settings that the paper does not state make of a claim."""
    if not varied:
        return ""
    counts = {what: sum(one["says"] == what for one in varied) for what in _COUNTED}
    where = _elsewhere(decider, varied)
    if len(varied) == 1:
        one = varied[0]
        return (
            f"With the one other setting tried{where} ({_named(one)}) it {_COUNTED[one['says']]}."
        )
    settings = f"{len(varied)} other settings{where}"
    turns = {"holds": "fails", "fails": "holds"}.get(decider["says"], "")
    open_too = f", and {_COUNTED['open']} at {counts['open']}" if counts["open"] else ""
    if not turns:
        held, failed = (counts[what] or "none" for what in ("holds", "fails"))
        return f"Of {settings} it holds at {held} and fails at {failed}."
    if not counts[turns]:
        return f"It {turns} at none of {settings}{open_too}."
    turned = [_named(one) for one in varied if one["says"] == turns]
    such = "" if len(turned) <= NAMED else "such as "
    return (
        f"It {turns} at {counts[turns]} of {settings}{open_too}: {such}{'; '.join(turned[:NAMED])}."
    )


_COUNTED = {"holds": "holds", "fails": "fails", "tie": "is a tie", "open": "stays open"}


def _named(setting: dict) -> str:
    if not setting["parameter"]:
        return "what this chapter assumes"
    return f"{label(setting['parameter'])}, {setting['setting']}"


def _elsewhere(decider: dict, settings: list[dict]) -> str:
    """Return where settings were tried, if not on the engine that decides alone."""
    names = list(dict.fromkeys(_engine_name(one["engine"]) for one in settings))
    if names == [_engine_name(decider["engine"])]:
        return ""
    return f" on {_enumeration(names)}"


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
