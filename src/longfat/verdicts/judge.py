"""From the evidence of a paper's claims to a verdict on each."""

from typing import Any, TypedDict

import numpy as np
import pandas as pd

from longfat.errors import InputError
from longfat.verdicts import joint
from longfat.verdicts.rules import (
    ENGINES,
    WITNESS,
    Region,
    outcome,
    own_threshold,
    region,
    turns,
    verdict_class,
)
from longfat.verdicts.wording import (
    SEVERAL,
    Told,
    depends_on,
    reason_for,
    sentences,
    text,
)


class Evidence(TypedDict):
    """The columns of the evidence of claims: a row a claim, engine, setting and point."""

    claim: str
    engine: str
    parameter: str  # which of the parameters that the paper does not state is varied, or none
    setting: str  # its value, in words
    measured: float
    low: float  # the interval, of 95 %
    high: float
    runs: float
    at: str  # the point, in words
    experiment: str


class Judged(TypedDict):
    """The columns of judged claims: a row a claim."""

    id: str
    where: str
    statement: str
    sentence: str  # of which it is a part
    kind: str  # one of `rules.KINDS`
    rule: str
    stated_engine: str  # the one that the claim is about, or none
    printed: float
    unit: str
    measure: str  # what is measured, in words; may be empty
    measured: float  # to runs: the deciding engine's least favourable point
    low: float
    high: float
    at: str
    engine: str
    runs: float
    verdict: str
    reason: str
    range_low: float  # the least and the largest measured over all plausible settings and engines
    range_high: float
    bound_low: float  # where the claim holds; infinite: no bound
    bound_high: float
    decides: float  # how many runs a point would make a verdict of what is undecidable
    threshold: float  # if it is ours and not the sentence's own
    turns_at: float  # the nearest one at which the verdict would be another
    share: float  # of the joint settings that decide, at which it holds; missing without any
    share_low: float
    share_high: float
    settings: float  # how many joint settings there are
    turned_by: str  # the parameters that tell at which it holds
    evidence: list[dict]  # a record an engine and setting


EVIDENCE_COLUMNS = tuple(Evidence.__annotations__)
_SETTING = ("engine", "parameter", "setting")
_POINT = ("measured", "low", "high", "runs", "at", "experiment")
# Of one claim, by `_SETTING`: the columns `_POINT` of its points.
BySetting = dict[tuple[str, ...], dict[str, np.ndarray]]
JUDGED_COLUMNS = tuple(Judged.__annotations__)


def judge(
    claims: pd.DataFrame, evidence: pd.DataFrame, at_once: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Judge every claim of a paper by its evidence: a row a claim (`Judged`).

    `claims` has id, where, statement, rule, printed, unit, half_unit, margin, threshold,
    threshold_reason, fitted, and may have sentence, kind (of `rules.KINDS`), engine (which it is
    about), side ("below" turns a one-sided claim round), measure (what is measured, in words) and
    note (ends the reason). `evidence` has a row a claim, engine, setting and point (`Evidence`). An
    empty `parameter` is the paper's stated setting with the chapter's base assumptions; else it
    names the unstated parameter that is varied.

    Each engine says of each setting whether the claim holds, fails, is a tie, or stays open
    (`rules.RULES`, `rules.outcome`). The stated setting decides, on the engine that the claim is
    about. Where it is about none, or was not run there, all engines decide, and if independent ones
    part, it depends on the engine. A claim that holds there is reproduced, unless another plausible
    setting refutes it: then it depends on that. A claim that fails there is not reproduced only if
    it fails at every plausible setting; it depends on a parameter if it holds at another setting of
    it, and is undecidable if one leaves it open. One that is open or a tie there depends on a
    parameter if it holds at one value of it and fails at another. A setting may have been tried on
    another engine, which counts where that engine says the same as the deciding one at the stated
    setting, or leaves it open; else it refutes nothing, and is open. A claim whose number was used
    to fit a parameter is "fitted". One that says that something is possible (kind) is reproduced if
    it holds at any setting.

    Where settings were varied jointly (`at_once`, of `joint.written`), these decide and not what is
    varied alone: by the share of them at which the claim holds (`joint.share`), on the claim's own
    engine if it was run at them, else on another.

    Where the threshold is ours, `turns_at` is the nearest one at which the verdict would be
    another, by the same runs.

    Raises InputError for missing columns, unknown rules, claims and engines.

    >>> import pandas as pd
    >>> from longfat import papers, statistics
    >>> from longfat.verdicts.judge import judge
    >>> claims = papers.claims("hybla").query("id == 'hybla-s4-steady-rate-simulation-rare'")
    >>> stated = {"engine": "segment", "parameter": "", "setting": "", "experiment": ""}
    >>> found = statistics.mean([2.1, 1.9, 2.0])  # per cent, where at most 4 are printed
    >>> row = {"claim": claims["id"].iloc[0], "at": "p = 0.002"} | stated | found
    >>> judge(claims, pd.DataFrame([row]))["verdict"].tolist()
    ['reproduced']
    """
    _check(claims, evidence)
    texts = ("parameter", "setting", "at", "experiment")
    evidence = evidence.assign(**{name: evidence[name].fillna("").astype(str) for name in texts})
    points = _by_setting(evidence)
    told = {} if at_once is None else _by_claim(at_once, claims)
    rows = [
        _judge(claim, points.get(claim.id, {}), told.get(claim.id, []))
        for claim in claims.itertuples()
    ]
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


def _by_setting(evidence: pd.DataFrame) -> dict[str, BySetting]:
    """Return the evidence on each claim, setting by setting, in the evidence's order."""
    names = zip(*(evidence[name].tolist() for name in ("claim", *_SETTING)), strict=True)
    places: dict[str, dict[tuple[str, ...], list[int]]] = {}
    for row, (claim, *setting) in enumerate(names):
        places.setdefault(claim, {}).setdefault(tuple(setting), []).append(row)
    columns = {name: evidence[name].to_numpy() for name in _POINT}
    return {
        claim: {
            setting: {name: column[rows] for name, column in columns.items()}
            for setting, rows in settings.items()
        }
        for claim, settings in places.items()
    }


def _check(claims: pd.DataFrame, evidence: pd.DataFrame) -> None:
    if missing := [name for name in EVIDENCE_COLUMNS if name not in evidence]:
        raise InputError(f"evidence: the columns {', '.join(missing)} are missing")
    if unknown := sorted(set(evidence["claim"]) - set(claims["id"])):
        raise InputError(f"evidence: no claim is called '{unknown[0]}'")
    if unknown := sorted(set(evidence["engine"]) - set(ENGINES)):
        raise InputError(f"evidence: engine is '{unknown[0]}': it is one of {', '.join(ENGINES)}")
    if claims["id"].duplicated().any():
        raise InputError(f"claims: {claims['id'][claims['id'].duplicated()].iloc[0]} comes twice")


def _by_claim(at_once: pd.DataFrame, claims: pd.DataFrame) -> dict[str, list[dict]]:
    """Return what joint settings say of each claim, the row that decides first."""
    first = joint.deciding(at_once, claims)
    ordered = pd.concat([first, at_once.drop(first.index)])
    found: dict[str, list[dict]] = {}
    for row in ordered.to_dict("records"):
        found.setdefault(row["id"], []).append(row)
    return found


def _judge(claim: Any, points: BySetting, at_once: list[dict]) -> dict:
    """Return the verdict on one claim (see `judge`)."""
    where = region(claim)
    row: dict[str, Any] = dict.fromkeys(JUDGED_COLUMNS, np.nan)
    for name in ("id", "where", "statement", "rule", "printed"):
        row[name] = getattr(claim, name)
    kind = text(getattr(claim, "kind", "")) or "measured"
    row |= {"sentence": text(getattr(claim, "sentence", "")) or claim.id, "kind": kind}
    unit, stated_engine = text(claim.unit), text(getattr(claim, "engine", ""))
    row |= {"unit": unit, "at": "", "stated_engine": stated_engine, "engine": "", "evidence": []}
    row |= {"measure": text(getattr(claim, "measure", "")), "turned_by": ""}
    note = text(getattr(claim, "note", ""))
    if where is None:
        reason = text(claim.threshold_reason)
        return row | {"verdict": "undecidable", "reason": sentences(reason, note)}
    threshold = own_threshold(claim)
    row |= {"bound_low": where.low, "bound_high": where.high, "threshold": threshold}
    records = _records(points, where)
    base = [one for one in records if not one["parameter"]]
    if not base:
        reason = "Its runs were left out." if note == "" else note
        return row | {"verdict": "not yet measured", "reason": reason, "evidence": records}
    verdict, decider, settings = _verdict(records, stated_engine, kind)
    if fitted := text(getattr(claim, "fitted", "")):
        verdict = "fitted"
    decided = at_once if kind == "measured" and not fitted else []
    if decided:
        verdict = _at_once(decided[0])
        row |= {name: decided[0][name] for name in _SHARE}
    row |= {name: decider[name] for name in ("measured", "low", "high", "at", "engine", "runs")}
    measured = [one["measured"] for one in records]
    row |= {"range_low": min(measured), "range_high": max(measured)}
    if verdict == "undecidable":
        waiting = _runs_to_verdict(records, stated_engine, kind)
        row["decides"] = decided[0]["decides"] if decided else waiting
    if not np.isnan(threshold) and not fitted:
        turning = _turning(records, points, claim, where)
        row["turns_at"] = decided[0]["turns_at"] if decided else turning
    reason = reason_for(
        Told(
            verdict=verdict,
            kind=kind,
            rule=claim.rule,
            unit=unit,
            measure=row["measure"],
            asked=stated_engine,
            fitted=fitted,
            where=where,
            decider=decider,
            base=base,
            settings=settings,
            apart=_apart(records, settings),
            at_once=decided,
            decides=row["decides"],
            threshold=threshold,
            turns_at=row["turns_at"],
        )
    )
    return row | {"verdict": verdict, "reason": sentences(reason, note), "evidence": records}


_SHARE = ("share", "share_low", "share_high", "settings", "turned_by")


def _at_once(row: dict[str, Any]) -> str:
    """Return the verdict by joint settings, with the parameters that turn it."""
    if row["joint_verdict"] != "depends":
        return row["joint_verdict"]
    return depends_on(row["turned_by"].split(", ") if row["turned_by"] else [SEVERAL])


def _records(points_of: BySetting, where: Region) -> list[dict]:
    """Return what each engine says at each setting, with its deciding point."""
    records = []
    for names, points in points_of.items():
        found = outcome(points, where)
        point = {name: column[found.point] for name, column in points.items()}
        record: dict[str, Any] = dict(zip(_SETTING, names, strict=True))
        record |= {name: float(point[name]) for name in ("measured", "low", "high", "runs")}
        many = len(points["measured"])
        record |= {"at": point["at"], "experiment": point["experiment"], "points": many}
        said = {"says": found.says, "decides": found.decides, "leans": found.leans}
        records.append(record | said)
    rank = ENGINES
    return sorted(records, key=lambda one: (one["parameter"] != "", rank.index(one["engine"])))


def _turning(records: list[dict], points_of: BySetting, claim: Any, where: Region) -> float:
    """Return the threshold nearest to ours at which the verdict would be another, or none."""
    stated_engine, ours = text(getattr(claim, "engine", "")), own_threshold(claim)
    found = {names: turns(points, claim, where) for names, points in points_of.items()}
    kind = text(getattr(claim, "kind", ""))
    verdict = verdict_class(_verdict(records, stated_engine, kind)[0])

    def verdict_at(threshold: float) -> str:
        told = [
            one | {"says": found[tuple(one[name] for name in _SETTING)].says(threshold)}
            for one in records
        ]
        return verdict_class(_verdict(told, stated_engine, kind)[0])

    ends = {end for one in found.values() for end in one[:2] if np.isfinite(end)}
    for end in sorted(ends, key=lambda end: abs(end - ours)):
        beyond = end + 1e-6 * max(abs(end), 1e-6) * (1 if end >= ours else -1)
        if verdict_at(beyond) != verdict:
            return end
    return float("nan")


def _verdict(records: list[dict], stated_engine: str, kind: str) -> tuple[str, dict, list[dict]]:
    """Return the verdict on a claim, the record that decides it, and those of other settings.

    The record is of the stated setting, unless the claim is that something is possible: then it is
    one at which it happens, if there is one. Of other settings those count that the deciding engine
    was run at, and those that another one was run at which does not part with it as stated.
    """
    base = [one for one in records if not one["parameter"]]
    own = [one for one in base if one["engine"] == stated_engine]
    witnesses: dict[str, dict] = {}
    for one in own or base:  # of those that share code the first, which has the most runs, speaks
        witnesses.setdefault(_witness(one), one)
    says = {one["says"] for one in witnesses.values()}
    parted = says >= {"holds", "fails"}
    if kind == "possible":
        return _possibility(records)
    said = next(what for what in ("holds", "fails", "tie", "open") if what in says)
    decider = next(one for one in witnesses.values() if one["says"] == said)
    if parted:
        return "depends on the engine", decider, []
    alike = [_witness(one) for one in base if one["says"] in (said, "open")]
    settings: dict[tuple, dict] = {}  # what the deciding engine says of one comes first
    for witness in dict.fromkeys([_witness(decider), *alike]):
        for one in records:
            if one["parameter"] and _witness(one) == witness:
                settings.setdefault((one["parameter"], one["setting"]), one)
    varied = list(settings.values())
    turned = {
        what: list(dict.fromkeys(one["parameter"] for one in varied if one["says"] == what))
        for what in ("holds", "fails", "open")
    }
    if said == "holds":
        on = turned["fails"]
        return (depends_on(on) if on else "reproduced"), decider, varied
    if said == "fails":
        if turned["holds"]:
            return depends_on(turned["holds"]), decider, varied
        kept = any(one["says"] != "fails" for one in _apart(records, varied))
        undecided = turned["open"] or "open" in says or kept
        return ("undecidable" if undecided else "not reproduced"), decider, varied
    both = [name for name in turned["holds"] if name in turned["fails"]]
    left = "tie" if said == "tie" else "undecidable"
    return (depends_on(both) if both else left), decider, varied


def _apart(records: list[dict], settings: list[dict]) -> list[dict]:
    """Return what is said of settings by engines that do not count, of those that none else tried.

    They part with the deciding one as stated. Such settings are open: they refute nothing.
    """
    known = {(one["parameter"], one["setting"]) for one in settings}
    return [
        one
        for one in records
        if one["parameter"] and (one["parameter"], one["setting"]) not in known
    ]


def _possibility(records: list[dict]) -> tuple[str, dict, list[dict]]:
    """Return the verdict on a claim that something may be: one instance is enough."""
    for what, verdict in (("holds", "reproduced"), ("open", "undecidable")):
        for one in records:
            if one["says"] == what:
                return verdict, one, [other for other in records if other is not one]
    return "not reproduced", records[0], records[1:]


def _witness(record: dict) -> str:
    """Return for which of the engines that share no code one speaks."""
    return WITNESS.get(record["engine"], record["engine"])


def _runs_to_verdict(records: list[dict], stated_engine: str, kind: str) -> float:
    """Return how many runs a point would make a verdict of what is undecidable.

    The least number with which enough of what is open says what it leans to. Infinite where no
    number does; missing where nothing is known of the scatter.
    """
    waiting = [one["decides"] for one in records if one["says"] == "open"]
    for runs in sorted(number for number in waiting if np.isfinite(number)):
        told = [
            one | {"says": one["leans"]}
            if one["says"] == "open" and one["decides"] <= runs
            else one
            for one in records
        ]
        if _verdict(told, stated_engine, kind)[0] != "undecidable":
            return runs
    return float("inf") if any(np.isinf(number) for number in waiting) else float("nan")
