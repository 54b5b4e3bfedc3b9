"""Verdicts and the reasons for them as sentences."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat.style import ENGINE_LABEL, label
from longfat.style import number as digits
from longfat.verdicts import joint
from longfat.verdicts.rules import ENGINES, WITNESS, Region, is_near, verdict_class

ENGINE_NAMES = {name: ENGINE_LABEL.get(name, name) for name in ENGINES}

SEVERAL = "several parameters at once"  # of which no small set tells where a claim holds
NAMED = 2  # so many parameters that turn a verdict, a sentence names
HOPELESS = 10_000  # more runs than these to decide a claim are given in two digits


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


def tally(judged: pd.DataFrame) -> str:
    """Return how many of the claims that runs test are reproduced, as a figure's title has it."""
    tested = judged["verdict"][judged["kind"] == "measured"]
    held = (tested == "reproduced").sum()
    return f"{held} of the {len(tested)} claims that runs test are reproduced"


class Told(NamedTuple):
    """A claim that was judged by runs, as far as its reason is made of it."""

    verdict: str
    kind: str
    rule: str
    unit: str
    measure: str  # what is measured, in words; may be empty
    asked: str  # the engine that it is about, or none
    fitted: str
    where: Region
    decider: dict  # the record of the stated setting that decides, or of the one instance
    base: list[dict]  # what each engine says at the stated setting
    settings: list[dict]  # what is said of others, one parameter varied at a time
    apart: list[dict]  # of those, what an engine says that parts with the deciding one
    at_once: list[dict]  # rows of `joint.judge`, the one that decides first
    decides: float  # how many runs a point would make a verdict of what is undecidable
    threshold: float  # if it is ours
    turns_at: float  # where the verdict would turn


def reason_for(told: Told) -> str:
    """Return in a few sentences why the verdict is what it is, and on which engines it rests.

    What was measured; at how many joint settings the claim holds, if there are any; what came out
    with the chapter's assumptions at the least favourable point, and what the claim allows; what
    one parameter at a time makes of it, if that decides; what would turn the verdict; last what
    other engines say.
    """
    decider = told.decider
    parts = [f"Measured: {told.measure}." if told.measure else ""]
    if told.fitted:
        names = [label(name) for name in told.fitted.split(", ")]
        what = _enumeration([name if name.startswith("the ") else f"the {name}" for name in names])
        parts.append(f"The number was used to fit {what}, so that it is no test.")
    if decider["parameter"]:
        parts.append(f"One instance is enough: {_named(decider)}.")
    if told.at_once:
        parts.append(_at_settings(told.at_once[0], told.asked))
    parts.append(_stated(told))
    if told.fitted:
        return sentences(*parts)
    if not told.at_once and told.verdict != "depends on the engine":
        parts.append(_one_at_a_time(told))
    if not told.at_once and told.verdict == "undecidable":
        parts.append(_decides(told.decides, wide=not np.isnan(told.where.margin)))
    if not np.isnan(told.threshold):
        parts.append(_hangs_on(told))
    if not decider["parameter"]:
        parts.append(_check(told))
    return sentences(*parts)


# --- what joint settings make of it


def _at_settings(row: dict, asked: str) -> str:
    """Return at how many joint settings a claim holds, what tells at which, what would turn it."""
    counts = joint.counts(row)
    undecidable = row["joint_verdict"] == "undecidable"
    part = _all_or(counts["holds"], row["settings"])
    at = f"{part} {'' if part == 'all' else 'of '}{row['settings']} joint settings"
    said = f"{_capital(_on(row['engine'], asked))} it holds at {at}{_share(row)}"
    if undecidable and counts["fails"]:
        said += f" and fails at {_all_or(counts['fails'], row['settings'])}"
    ties = _count(counts["tie"], "is a tie", "are ties")
    left = [ties, _count(counts["open"], "stays open", "stay open")]
    parts = [f"{'; '.join(filter(None, [said, ', '.join(filter(None, left))]))}."]
    if row["joint_verdict"] == "depends":
        parts.append(_tells(row))
    if undecidable:
        parts += [_could_turn(row, counts), _settles(row)]
    return sentences(*parts)


def _all_or(number: int, count: int) -> str:
    return "all" if number == count else f"{number or 'none'}"


def _share(row: dict) -> str:
    """Return the interval of the share of all plausible settings, unless it is undecidable."""
    if row["joint_verdict"] == "undecidable":
        return ""
    low, high = 100 * row["share_low"], 100 * row["share_high"]
    return f" [{low:.0f} to {high:.0f} %]"


def _tells(row: dict) -> str:
    """Return what tells at which settings a claim holds; where nothing does, what matters most."""
    if row["turned_by"]:
        names = [label(name) for name in row["turned_by"].split(", ")]
        verb = "tells" if len(names) == 1 else "tell"
        right = f"{100 * row['told']:.0f} %" if row["told"] < 1 else "all"
        return f"{_capital(_enumeration(names))} {verb} at which ({right} rightly)."
    if not row["matters"]:
        return "No three parameters tell at which, and none explains more of it than chance would."
    index = f"first-order index {row['first_order']:.2f}"
    return f"No three parameters tell at which; {label(row['matters'])} matters most ({index})."


def _could_turn(row: dict, counts: dict[str, int]) -> str:
    """Return which verdicts what is open can still make, and how much of it that takes."""
    ways = joint.still_possible(row["settings"], counts["holds"], counts["open"])
    fail_too = "did not hold" if row["ties"] else "failed"
    said = []
    for verdict, (hold, fail) in ways.items():
        takes = [f"{hold} held" if hold else "", f"{fail} {fail_too}" if fail else ""]
        what = "depend" if verdict == "depends" else f"be {verdict}"
        said.append(f"{what} if {' and '.join(filter(None, takes))}")
    if len(said) > 1:
        said[-1] = f"and {said[-1]}"
    return f"Of the open ones, it would {', '.join(said)}." if said else ""


def _settles(row: dict) -> str:
    """Return how many runs would settle what is undecidable by joint settings."""
    if np.isinf(row["decides"]):
        return "No number of runs is sure to settle that."
    first = ""
    if row["cheapest"] < row["decides"]:
        first = f" ({_runs(row['cheapest'])} decide the first)"
    return f"That takes about {_runs(row['decides'])} runs a point{first}."


# --- what came out at one setting


def _stated(told: Told) -> str:
    """Return what was measured, by which engine, at which point."""
    decider, many = told.decider, _many(told)
    value = _with_unit(digits(decider["measured"]), told.unit)
    if decider["low"] < decider["high"]:
        value += f" [{digits(decider['low'])}, {digits(decider['high'])}]"
    worst = f"the least favourable of {decider['points']} points" if many else ""
    place = ", ".join(filter(None, [decider["at"], worst]))
    if decider["engine"] == "arithmetic":
        return f"Calculated, it is {value}{f' ({place})' if place else ''}{_compared(told)}"
    on = _on(decider["engine"], told.asked)
    if told.at_once:
        here = "" if decider["engine"] == told.at_once[0]["engine"] else f", {on.rstrip(',')},"
        on = f"At the stated setting{here}"
    runs = "one run" if decider["runs"] == 1 else f"{decider['runs']:.0f} runs"
    beside = "; ".join(filter(None, [place, runs]))
    return f"{_capital(on)} it is {value} ({beside}){_compared(told)}"


def _many(told: Told) -> bool:
    return bool(told.decider["points"] > 1 and told.decider["at"])


def _compared(told: Told) -> str:
    """Return what a claim allows, in words, and what that makes of what was measured."""
    where, unit, says = told.where, told.unit, told.decider["says"]
    if not np.isnan(where.margin):
        return f". {_compared_with_margin(told)}"
    low, high = _told_apart(where.low, where.high)
    fails = "it fails"
    unit = f" {unit}" if unit.startswith("%") else ""
    if np.isinf(where.low):
        allowed = f"{'less than' if where.strict else 'at most'} {high}{unit} is allowed"
    elif np.isinf(where.high):
        allowed = f"{'more than' if where.strict else 'at least'} {low}{unit} is asked for"
    else:
        allowed = f"{low} to {high}{unit} is allowed"
        side = "more" if told.decider["measured"] > where.high else "less"
        fails = f"it is {side}, and fails"
    beside = " there, and it fails nowhere" if _many(told) else ""
    said = {
        "holds": "it holds",
        "fails": fails,
        "tie": f"the two are equal within 2 %{beside}",
        "open": "that leaves it open",
    }
    return f", where {allowed}: {said[says]}."


def _compared_with_margin(told: Told) -> str:
    """Return what is said of a printed number by the interval of a set of runs such as its own."""
    where, decider = told.where, told.decider
    middle = (where.low + where.high) / 2
    printed = f"The paper's {_with_unit(digits(middle), told.unit)}"
    if decider["says"] == "fails":
        return f"{printed} do not lie there: it fails."
    lie = " lie there"
    if not decider["low"] <= middle <= decider["high"]:
        span = f"{digits(where.low)} to {digits(where.high)}"
        lie = f", which may be {span} by rounding and wording, reach into that"
    if decider["says"] == "holds":
        return f"{printed}{lie}, and it stays within our margin: it holds."
    return f"{printed}{lie}, but it reaches beyond our margin: that leaves it open."


# --- what one parameter at a time makes of it

_COUNTED = {"holds": "holds", "fails": "fails", "tie": "is a tie", "open": "stays open"}


def _one_at_a_time(told: Told) -> str:
    """Return what settings make of a claim that vary one parameter that the paper leaves open."""
    decider, varied = told.decider, told.settings
    if not varied:
        return _without_settings(told)
    counts = {what: sum(one["says"] == what for one in varied) for what in _COUNTED}
    where = _elsewhere(decider, varied)
    if len(varied) == 1:
        one = varied[0]
        return (
            f"With the one other setting tried{where} ({_named(one)}) it {_COUNTED[one['says']]}."
        )
    settings = f"{len(varied)} other settings{where}, one parameter varied at a time"
    turns = {"holds": "fails", "fails": "holds"}.get(decider["says"], "")
    open_too = f", and {_COUNTED['open']} at {counts['open']}" if counts["open"] else ""
    if not turns:
        held, failed = (counts[what] or "none" for what in ("holds", "fails"))
        return f"Of {settings}, it holds at {held} and fails at {failed}."
    if not counts[turns]:
        return f"It {turns} at none of {settings}{open_too}."
    turned = [_named(one) for one in varied if one["says"] == turns]
    such = "" if len(turned) <= NAMED else "such as "
    return (
        f"It {turns} at {counts[turns]} of {settings}{open_too}: {such}{'; '.join(turned[:NAMED])}."
    )


def _without_settings(told: Told) -> str:
    """Return that nothing was varied, or only where it does not count."""
    if told.kind != "measured":
        return ""
    if not told.apart:
        return "Nothing else was varied."
    engines = list(dict.fromkeys(_engine_name(one["engine"]) for one in told.apart))
    part = "parts" if len(engines) == 1 else "part"
    said = f"Other settings were tried on {_enumeration(engines)} alone, which {part} with it here"
    if told.verdict != "undecidable":
        return f"{said}: they do not count."
    kept = sum(one["says"] != "fails" for one in told.apart)
    return (
        f"{said}, and {kept} of {len(told.apart)} do not refute it: no number of runs at the "
        "stated setting decides."
    )


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


# --- what would turn it


def _decides(runs: float, wide: bool) -> str:
    """Return how many runs at each point would decide what is open; nothing where none would.

    `wide` where it is open because single sets of runs such as the paper's scatter.
    """
    if np.isnan(runs):
        return ""
    if np.isinf(runs) and wide:
        return (
            "Single sets of runs such as the paper's scatter: no number of runs is sure to decide."
        )
    if np.isinf(runs):
        return "Its mean stands on the bound: no number of runs is sure to decide."
    if runs > HOPELESS:
        return f"It is so near the bound that {_runs(runs)} runs a point would be needed."
    return f"About {_runs(runs)} runs a point would decide."


def _runs(count: float) -> str:
    """Return a number of runs in words, a large one in two digits."""
    return f"{float(f'{count:.1e}') if count > HOPELESS else count:,.0f}"


def _hangs_on(told: Told) -> str:
    """Return at which threshold the verdict would turn, where the one that was taken is ours.

    For a rule with a margin, at which margin; where joint settings decide, over all of them.
    """
    what, way = ("margin", " either way") if not np.isnan(told.where.margin) else ("threshold", "")
    if told.rule == "about":
        what, way = "margin", " either way"
    ours = _with_unit(digits(told.threshold), told.unit) + way
    if np.isnan(told.turns_at):
        return f"No other {what} than our {ours} would turn it."
    at, _ = _told_apart(told.turns_at, told.threshold)
    near = ", and near" if is_near(told.rule, told.threshold, told.turns_at) else ""
    it = "Over all settings it" if told.at_once else "It"
    return f"{it} would turn at a {what} of {at} (ours{near}: {ours})."


# --- what other engines say


def _check(told: Told) -> str:
    """Return what other engines say otherwise at the stated setting and at joint ones."""
    others = {one["engine"]: one for one in told.base if one is not told.decider}
    shares = {row["engine"]: row for row in told.at_once[1:]}
    said, agree = [], []
    for engine in dict.fromkeys([*others, *shares]):
        one, row = others.get(engine), shares.get(engine)
        kin = _witness(engine) == _witness(told.decider["engine"])
        name = f"{_engine_name(engine)}{', which shares its code,' if kin and one else ''}"
        parts = []
        if one is not None and one["says"] != told.decider["says"]:
            value = _with_unit(digits(one["measured"]), told.unit)
            parts.append(f"{_AGREEMENT[one['says']]} ({value})")
        if row is not None and row["joint_verdict"] != told.at_once[0]["joint_verdict"]:
            counts = joint.counts(row)
            left = f" ({counts['open']} open)" if counts["open"] else ""
            parts.append(f"holds at {counts['holds'] or 'none'} of {row['settings']}{left}")
        if parts:
            said.append(f"{name} {' and '.join(parts)}")
        else:
            agree.append(name)
    parts = [f"As a check, {'; '.join(said)}." if said else ""]
    if agree:
        verb = "agree" if len(agree) > 1 else "agrees"
        parts.append(f"{_capital(_enumeration(agree))} {verb}.")
    return sentences(*parts)


_AGREEMENT = {
    "holds": "says that it holds",
    "fails": "says that it fails",
    "tie": "says that the two are equal",
    "open": "leaves it open",
}


# --- words


def _on(engine: str, asked: str) -> str:
    """Return on which engine something was measured, and if that is not the one that is asked."""
    name = _engine_name(engine)
    if asked in ENGINE_LABEL and asked != engine:
        return f"on {name}, for want of such runs on the paper's {ENGINE_NAMES[asked]},"
    return f"on {name}"


def _capital(text: str) -> str:
    """Return the text as a sentence begins; ns-2 and ns-3 are small there too."""
    return text if text.startswith("ns-") else text[0].upper() + text[1:]


def _count(number: int, one: str, more: str) -> str:
    """Return how many do something, in words; nothing where none does."""
    return f"{number} {one if number == 1 else more}" if number else ""


def _witness(engine: str) -> str:
    return WITNESS.get(engine, engine)


def _told_apart(one: float, other: float) -> list[str]:
    """Return two numbers in as many digits, three or more, as tell them apart."""
    for count in range(3, 7):
        told = [digits(value, count) for value in (one, other)]
        if told[0] != told[1]:
            break
    return told


def _with_unit(value: str, unit: str) -> str:
    return f"{value} {unit}".rstrip()


def _engine_name(engine: str) -> str:
    return "the segment engine" if engine == "segment" else ENGINE_NAMES[engine]


def _enumeration(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
