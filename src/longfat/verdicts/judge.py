"""From the evidence of a paper's claims to a verdict on each."""

from typing import Any, TypedDict

import numpy as np
import pandas as pd

from longfat.errors import InputError
from longfat.verdicts.rules import ENGINES, WITNESS, Region, outcome, region
from longfat.verdicts.wording import decides, depends_on, reason_for, sentences, text


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
    kind: str
    printed: float
    unit: str
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
    evidence: list[dict]  # a record an engine and setting


EVIDENCE_COLUMNS = tuple(Evidence.__annotations__)
JUDGED_COLUMNS = tuple(Judged.__annotations__)


def judge(claims: pd.DataFrame, evidence: pd.DataFrame) -> pd.DataFrame:
    """Judge every claim of a paper by its evidence: a row a claim (`Judged`).

    `claims` has id, where, statement, kind, printed, unit, half_unit, threshold, threshold_reason,
    fitted, and may have side ("below" turns a one-sided claim round) and note (ends the reason).
    `evidence` has a row a claim, engine, setting and point (`Evidence`). An empty `parameter` is
    the paper's stated setting with the chapter's base assumptions; else it names the unstated
    parameter that is varied.

    Each engine says of each setting whether the claim holds, fails, or stays open (`rules.RULES`,
    `rules.outcome`). The stated setting decides. A claim that holds there is reproduced, unless
    another plausible setting or an independent engine refutes it: then it depends on that. A claim
    that fails there is not reproduced only if it fails at every plausible setting and on every
    independent engine; it depends on a parameter if it holds at another setting of it, and is
    undecidable if one leaves it open. A claim whose number was used to fit a parameter is "fitted".

    Raises InputError for missing columns, unknown kinds, claims and engines.

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
    groups = dict(list(evidence.groupby("claim", sort=False)))
    rows = [_judge(claim, groups.get(claim.id)) for claim in claims.itertuples()]
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


def _check(claims: pd.DataFrame, evidence: pd.DataFrame) -> None:
    if missing := [name for name in EVIDENCE_COLUMNS if name not in evidence]:
        raise InputError(f"evidence: the columns {', '.join(missing)} are missing")
    if unknown := sorted(set(evidence["claim"]) - set(claims["id"])):
        raise InputError(f"evidence: no claim is called '{unknown[0]}'")
    if unknown := sorted(set(evidence["engine"]) - set(ENGINES)):
        raise InputError(f"evidence: engine is '{unknown[0]}': it is one of {', '.join(ENGINES)}")
    if claims["id"].duplicated().any():
        raise InputError(f"claims: {claims['id'][claims['id'].duplicated()].iloc[0]} comes twice")


def _judge(claim: Any, evidence: pd.DataFrame | None) -> dict:
    """Return the verdict on one claim (see `judge`)."""
    where = region(claim)
    row: dict[str, object] = dict.fromkeys(JUDGED_COLUMNS, np.nan)
    for name in ("id", "where", "statement", "kind", "printed"):
        row[name] = getattr(claim, name)
    unit = text(claim.unit)
    row |= {"unit": unit, "at": "", "engine": "", "evidence": []}
    note = text(getattr(claim, "note", ""))
    if where is None:
        reason = text(claim.threshold_reason)
        return row | {"verdict": "undecidable", "reason": sentences(reason, note)}
    row |= {"bound_low": where.low, "bound_high": where.high}
    records = [] if evidence is None else _records(evidence, where)
    base = [one for one in records if not one["parameter"]]
    if not base:
        reason = "Its runs were left out." if note == "" else note
        return row | {"verdict": "not yet measured", "reason": reason, "evidence": records}
    verdict, decider = _verdict(base, [one for one in records if one["parameter"]])
    if fitted := text(getattr(claim, "fitted", "")):
        verdict = "fitted"
    row |= {name: decider[name] for name in ("measured", "low", "high", "at", "engine", "runs")}
    measured = [one["measured"] for one in records]
    row |= {"range_low": min(measured), "range_high": max(measured)}
    reason = reason_for(verdict, decider, base, records, unit, fitted)
    if verdict == "undecidable":
        runs = _runs_to_verdict(records)
        row["decides"] = runs
        reason = sentences(reason, decides(runs))
    return row | {"verdict": verdict, "reason": sentences(reason, note), "evidence": records}


def _records(evidence: pd.DataFrame, where: Region) -> list[dict]:
    """Return what each engine says at each setting, with its deciding point."""
    table = evidence.assign(
        parameter=evidence["parameter"].fillna("").astype(str),
        setting=evidence["setting"].fillna("").astype(str),
        at=evidence["at"].fillna("").astype(str),
        experiment=evidence["experiment"].fillna("").astype(str),
    )
    records = []
    for names, points in table.groupby(["engine", "parameter", "setting"], sort=False):
        found = outcome(points, where)
        point = points.iloc[found.point]
        record = dict(zip(("engine", "parameter", "setting"), names, strict=True))
        record |= {name: float(point[name]) for name in ("measured", "low", "high", "runs")}
        record |= {"at": point["at"], "experiment": point["experiment"], "points": len(points)}
        said = {"says": found.says, "decides": found.decides, "leans": found.leans}
        records.append(record | said)
    rank = ENGINES
    return sorted(records, key=lambda one: (one["parameter"] != "", rank.index(one["engine"])))


def _verdict(base: list[dict], varied: list[dict]) -> tuple[str, dict]:
    """Return the verdict on a claim, and the record of the stated setting that decides it."""
    witnesses: dict[str, dict] = {}
    for one in base:  # of those that share code the first, which has the most runs, speaks for both
        witnesses.setdefault(WITNESS.get(one["engine"], one["engine"]), one)
    says = {one["says"] for one in witnesses.values()}

    def first(what: str) -> dict:
        return next(one for one in witnesses.values() if one["says"] == what)

    turns = {
        what: list(dict.fromkeys(one["parameter"] for one in varied if one["says"] == what))
        for what in ("holds", "fails", "open")
    }
    if says >= {"holds", "fails"}:
        return "depends on the engine", first("holds")
    if "holds" in says:
        on = turns["fails"]
        return (depends_on(on) if on else "reproduced"), first("holds")
    if "fails" in says:
        if turns["holds"]:
            return depends_on(turns["holds"]), first("fails")
        undecided = turns["open"] or "open" in says
        return ("undecidable" if undecided else "not reproduced"), first("fails")
    both = [name for name in turns["holds"] if name in turns["fails"]]
    return (depends_on(both) if both else "undecidable"), first("open")


def _runs_to_verdict(records: list[dict]) -> float:
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
        base = [one for one in told if not one["parameter"]]
        verdict, _ = _verdict(base, [one for one in told if one["parameter"]])
        if verdict != "undecidable":
            return runs
    return float("inf") if any(np.isinf(number) for number in waiting) else float("nan")
