"""The rules by which claims are judged, and what one engine at one setting says by one."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from longfat.errors import InputError
from longfat.statistics import LEVEL

POWER = 0.8  # of a further experiment that is to decide what is open
TIE = 1.02  # two things are equal whose ratio is surely less than this, either way
NEAR = 0.1  # a verdict hangs on a threshold of ours if a change by this part of it turns it
RULES = {
    "at most": (
        "Reproduced if the whole interval of our mean lies at or below the printed bound (as it "
        "was rounded), at every point that the claim speaks of; not reproduced if all of it lies "
        "above at one of them."
    ),
    "at least": (
        "Reproduced if the whole interval of our mean lies at or above the printed bound (as it "
        "was rounded), at every point that the claim speaks of; not reproduced if all of it lies "
        "below at one of them."
    ),
    "maximum": (
        "The printed number is the largest difference that the paper saw, and ours is the "
        "distribution of the largest difference of a set of runs such as the paper's. Reproduced "
        "if its interval holds the printed number (as it was rounded) and lies within a quarter of "
        "it on either side; not reproduced if it does not hold it; undecidable if it holds it only "
        "because it is wide."
    ),
    "about": (
        "Reproduced if the whole interval of our mean lies within what the printed number's "
        "rounding and wording allow; not reproduced if none of it does."
    ),
    "value": (
        "The printed number is a measurement, of one run or of a mean, and scatters as ours do. "
        "Reproduced if the interval in which a further such measurement of ours would lie holds "
        "it (as it was rounded) and lies within a quarter of it on either side (of the ratio, "
        "where it is a gain); not reproduced if it does not hold it; undecidable if it holds it "
        "only because it is wide."
    ),
    "order": (
        "Every step of the order is a one-sided test. Reproduced if at every step the whole "
        "interval of the difference lies above the threshold (0, or 1 for a ratio); not "
        "reproduced if all of it lies below at one step; a tie where the two are equal within 2 %."
    ),
    "ratio": (
        "One-sided: reproduced if the whole interval of our ratio lies beyond the threshold, "
        "which is the printed ratio unless the claim says otherwise; not reproduced if none of it "
        "does."
    ),
    "direction": (
        "One-sided: reproduced if the whole interval of the difference lies beyond the threshold "
        "that was set before the runs; not reproduced if none of it does. Where the claim says "
        "which of two is the larger it is a tie if they are equal: if the whole interval of their "
        "ratio lies within 2 % of 1."
    ),
    "same": (
        "Two one-sided tests (TOST): reproduced if the whole interval of the ratio lies between "
        "1/threshold and the threshold, which was set before the runs; not reproduced if none of "
        "it does."
    ),
    "qualitative": (
        "The sentence was turned into a measurable one, with a threshold and a reason for it, "
        "before the runs. Reproduced if the whole interval lies beyond the threshold; not "
        "reproduced if none of it does; undecidable where no threshold does the sentence justice."
    ),
    "arithmetic": (
        "Calculated from the paper's own numbers. Reproduced if the result, rounded as printed, "
        "is the printed one; else not reproduced."
    ),
}
VERDICTS = (
    "reproduced",
    "not reproduced",
    "tie",
    "depends",  # with what it depends on: "depends on recovery"
    "undecidable",
    "fitted",
    "not yet measured",
)
KINDS = {
    "measured": "It was held against runs.",
    "fitted": "The number served to fit a parameter that the paper does not state: no test.",
    "possible": "It says that something may be: one instance is enough.",
    "construction": "It follows from how the thing is built, and no run could have refuted it.",
    "arithmetic": "It is calculated from the paper's own numbers and formulas.",
}
ENGINES = ("segment", "ns2", "linux", "ns3", "arithmetic")  # in the order in which they decide
WITNESS = {"ns3": "segment"}  # they share the headers of congestion control and recovery


class Region(NamedTuple):
    """Where a measured value agrees with a claim: `low` to `high`, both in the claim's unit.

    `strict` where the bounds do not belong to it. With a `margin` the interval says where a further
    measurement lies, and not where the mean does: it agrees if it meets the region and reaches no
    further than the margin from its middle, the printed number. `tie_low` and `tie_high` are given
    where the claim says which of two things is the larger: between them they are equal.
    """

    low: float
    high: float
    strict: bool = False
    margin: float = float("nan")
    tie_low: float = float("nan")
    tie_high: float = float("nan")


def verdict_class(verdict: str) -> str:
    """Return which one of `VERDICTS` a verdict is: "depends" for "depends on recovery"."""
    return "depends" if verdict.startswith("depends on ") else verdict


def sentence_verdict(parts: Iterable[tuple[str, str]]) -> str:
    """Return the verdict on a sentence: that of all its parts, or "mixed".

    `parts` are the kind and the verdict of each claim in it. One that is fitted does not count,
    unless all are.
    """
    parts = list(parts)
    tested = [verdict for kind, verdict in parts if kind != "fitted"]
    ended = {verdict_class(verdict) for verdict in tested or [verdict for _, verdict in parts]}
    return ended.pop() if len(ended) == 1 else "mixed"


def sentence_kind(kinds: Iterable[str]) -> str:
    """Return the kind of a sentence: the first of `KINDS` that a part has, fitted ones last."""
    here = set(kinds)
    return next((kind for kind in KINDS if kind in here and kind != "fitted"), "fitted")


def counts(judged: pd.DataFrame, prefix: str) -> dict[str, int]:
    """Return how many sentences and claims of a paper ended how, by names for its chapter's text.

    `judged` is of `judge.judge`. Names are PREFIX_sentences and PREFIX_claims for all; with a kind
    at the end, as in PREFIX_sentences_arithmetic, those of that kind; and with a verdict, as in
    PREFIX_sentences_not_reproduced, of those that are measured: the others are no test.
    """
    parts = judged.groupby("sentence")[["kind", "verdict"]]
    whole = pd.DataFrame(
        [
            (sentence_kind(rows["kind"]), sentence_verdict(rows.itertuples(index=False)))
            for _, rows in parts
        ],
        columns=["kind", "verdict"],
    )
    found = {}
    for what, table in (("sentences", whole), ("claims", judged)):
        name = f"{prefix}_{what}"
        found[name] = len(table)
        ended = table["verdict"][table["kind"] == "measured"].map(verdict_class)
        for verdict in (*VERDICTS, "mixed"):
            found[f"{name}_{verdict.replace(' ', '_')}"] = int((ended == verdict).sum())
        for kind in KINDS:
            found[f"{name}_{kind}"] = int((table["kind"] == kind).sum())
    return found


def region(claim: Any) -> Region | None:
    """Return where a measured value agrees with a claim, or None where nothing can be measured.

    `claim` is a row of claims: rule, printed, half_unit, margin, threshold, side (absent or empty:
    above). Raises InputError for an unknown rule, and where the rule needs a number that is
    missing.
    """

    def given(name: str) -> float:
        return float(pd.to_numeric(getattr(claim, name, np.nan)))

    printed, half, threshold = (given(name) for name in ("printed", "half_unit", "threshold"))
    rule = claim.rule
    if rule not in RULES:
        raise InputError(f"{claim.id}: rule is '{rule}': it is one of {', '.join(RULES)}")
    if rule in ("at most", "at least"):
        _needs(claim, printed=printed)
        slack = 0.0 if np.isnan(half) else half
        at_most = rule == "at most"
        return Region(-np.inf, printed + slack) if at_most else Region(printed - slack, np.inf)
    if rule in ("maximum", "about", "value", "arithmetic"):
        _needs(claim, printed=printed, half_unit=half)
        slack = half * (1 + 1e-9)  # a number that was rounded at its half is still the printed one
        rounded = Region(printed - slack, printed + slack)
        if rule in ("about", "arithmetic"):
            return rounded
        margin = given("margin")
        _needs(claim, margin=margin)
        return rounded._replace(margin=margin)
    if rule == "order":
        threshold = 0.0 if np.isnan(threshold) else threshold
    elif rule == "ratio":
        threshold = printed if np.isnan(threshold) else threshold
    elif rule == "qualitative" and np.isnan(threshold):
        return None
    _needs(claim, threshold=threshold)
    if rule == "same":
        if threshold <= 1:
            raise InputError(f"{claim.id}: threshold is {threshold:g}: a factor is above 1")
        return Region(1 / threshold, threshold, strict=True)
    ends = (-np.inf, threshold) if _is_below(claim) else (threshold, np.inf)
    tie = {"times": (1 / TIE, TIE), "%": (100 * (1 / TIE - 1), 100 * (TIE - 1))}.get(claim.unit)
    if tie is None or threshold != EQUAL[claim.unit]:
        return Region(*ends, strict=True)
    return Region(*ends, strict=True, tie_low=tie[0], tie_high=tie[1])


EQUAL = {"times": 1.0, "%": 0.0}  # by the unit of a ratio or a gain: of two things that are equal


def _is_below(claim: Any) -> bool:
    side = getattr(claim, "side", "above")
    return isinstance(side, str) and side == "below"


def own_threshold(claim: Any) -> float:
    """Return the threshold of a claim that is ours and not the sentence's own; missing if none is.

    Where a claim says which of two things is the larger, that they are equal is its own bound.
    """
    name = {"maximum": "margin", "value": "margin", "about": "half_unit"}.get(claim.rule)
    if name is None and claim.rule not in ("direction", "order", "ratio", "same", "qualitative"):
        return float("nan")
    threshold = float(pd.to_numeric(getattr(claim, name or "threshold", np.nan)))
    own = claim.rule == "same" or threshold not in (0.0, EQUAL.get(claim.unit, 0.0)) or name
    return threshold if own else float("nan")


def _needs(claim: Any, **numbers: float) -> None:
    for name, value in numbers.items():
        if np.isnan(value):
            raise InputError(f"{claim.id}: a claim judged by '{claim.rule}' needs its {name}")


Points: TypeAlias = pd.DataFrame | Mapping[str, np.ndarray]  # columns measured, low, high, runs


class Outcome(NamedTuple):
    """What one engine at one setting says of a claim, and by which of its points."""

    says: str  # "holds", "fails", "tie" or "open"
    point: int  # the one that decides: the least favourable
    decides: float  # how many runs a point would decide what is open (missing: none, or not open)
    leans: str  # what it would say then, if the means so far are the true ones
    tied: bool = False  # open, but a point of it is a tie: it can no longer hold


def outcome(points: Points, where: Region) -> Outcome:
    """Judge a claim by all points of one engine and setting: columns measured, low, high, runs.

    A claim about several points holds if it does at each of them; each test may then be made at its
    own level (an intersection-union test). It fails if it fails at one; there are as many chances
    to err as points, so that these p-values are adjusted by Holm (only the smallest
    one counts here). A value without an interval
    decides nothing, except that low = high = measured says that nothing scatters.

    A point at which two things are equal (`Region`) is a tie: it neither holds nor fails. The claim
    is one if it is a tie at a point and holds at the others; with such a point it cannot hold.

    Of the points that say so it is the one whose mean is the least favourable that decides.
    """
    measured, low, high, runs = (
        np.asarray(points[name], dtype=float) for name in ("measured", "low", "high", "runs")
    )
    known = ~np.isnan(low) & ~np.isnan(high)
    below = _beyond(where.low - measured, high - measured, measured - low, runs, where.strict)
    above = _beyond(measured - where.high, measured - low, high - measured, runs, where.strict)
    against = np.where(known, np.minimum(below, above), 1.0)
    distance = _distance(measured, where)

    def least_favourable(which: np.ndarray) -> int:
        return int(which[np.argmin(distance[which])])

    tied = known & (low >= where.tie_low) & (high <= where.tie_high)
    refuted = (against * len(against) < LEVEL) & ~tied  # Holm's factor for the smallest one
    refuting = np.flatnonzero(refuted)
    if refuting.size:
        return Outcome("fails", least_favourable(refuting), np.nan, "fails")
    agree = known & _agree(low, high, where) & ~tied
    if (agree | tied).all() and tied.any():
        return Outcome("tie", least_favourable(np.flatnonzero(tied)), np.nan, "tie")
    if agree.all():
        return Outcome("holds", least_favourable(np.arange(len(agree))), np.nan, "holds")
    doubtful = np.flatnonzero(~(agree | tied))
    worst = least_favourable(doubtful)
    outside = doubtful[~(distance[doubtful] > 0)]
    met = bool(tied.any())
    leans = "fails" if outside.size else "tie" if met else "holds"
    if not np.isnan(where.margin):  # its width is that of such measurements, and not of our mean
        return Outcome("open", worst, np.inf if known.all() else 2.0, leans)

    def needed(points: np.ndarray, level: float) -> list[float]:
        return [
            runs_to_decide(measured[i], low[i], high[i], int(runs[i]), where, level) for i in points
        ]

    if outside.size:  # one of these is enough, by the stricter test that many points ask for
        runs_needed = np.nanmin([np.inf, *needed(outside, LEVEL / len(measured))])
        return Outcome("open", worst, runs_needed, leans, met)
    return Outcome("open", worst, max(needed(doubtful, LEVEL)), leans, met)


def _distance(measured: np.ndarray, where: Region) -> np.ndarray:
    """Return how far inside a region means are, below 0 for outside; of a factor in logarithms."""
    if where.strict and where.low > 0 and np.isfinite(where.high):
        with np.errstate(divide="ignore"):
            return np.log(where.high) - np.abs(np.log(measured))
    return np.minimum(measured - where.low, where.high - measured)


def _agree(low: np.ndarray, high: np.ndarray, where: Region) -> np.ndarray:
    """Return which intervals agree with a claim."""
    if not np.isnan(where.margin):
        middle = (where.low + where.high) / 2
        meets = (low <= where.high) & (high >= where.low)
        return meets & (np.maximum(high - middle, middle - low) <= where.margin)
    if where.strict:
        return (low > where.low) & (high < where.high)
    return (low >= where.low) & (high <= where.high)


def is_near(rule: str, threshold: float, turns_at: float) -> bool:
    """Return whether a verdict hangs on a threshold of ours; of a factor what is above 1 counts."""
    allowed = threshold - 1 if rule == "same" else threshold
    return abs(turns_at - threshold) <= NEAR * abs(allowed)


class Turns(NamedTuple):
    """At which threshold what one engine says of one setting would turn, by `own_threshold`.

    A claim is the harder the larger its threshold is, or the smaller, if not `rising`. It holds at
    thresholds up to `holds`, and fails at those that are harder than `fails`.
    """

    holds: float
    fails: float
    rising: bool

    def says(self, threshold: float) -> str:
        """Return what would be said at another threshold."""
        sign = 1 if self.rising else -1
        if sign * threshold <= sign * self.holds:
            return "holds"
        return "fails" if sign * threshold > sign * self.fails else "open"


def turns(points: Points, claim: Any, where: Region) -> Turns:
    """Return at which threshold of ours a claim would turn, by the points of `outcome`."""
    measured, low, high, runs = (
        np.asarray(points[name], dtype=float) for name in ("measured", "low", "high", "runs")
    )
    # The ends of the wider intervals that Holm asks of one point among several.
    freedom = np.maximum(runs - 1, 1)
    strict = 1 - LEVEL / len(measured)
    wider = special.stdtrit(freedom, strict) / special.stdtrit(freedom, 1 - LEVEL)
    lower = measured - (measured - low) * wider
    upper = measured + (high - measured) * wider
    known = ~np.isnan(low) & ~np.isnan(high)
    if claim.rule in ("maximum", "value", "about"):
        middle = (where.low + where.high) / 2
        reach = np.maximum(high - middle, middle - low).max()
        if claim.rule == "about":
            away = np.maximum(np.maximum(lower - middle, middle - upper), 0).max()
        else:
            away = -np.inf if ((low <= where.high) & (high >= where.low)).all() else np.inf
        found = Turns(max(reach, away), away, rising=False)
    elif claim.rule == "same":
        with np.errstate(divide="ignore"):
            found = Turns(
                np.maximum(high, 1 / low).max(), np.maximum(lower, 1 / upper).max(), rising=False
            )
    elif _is_below(claim):
        found = Turns(high.max(), lower.max(), rising=False)
    else:
        found = Turns(low.min(), upper.min(), rising=True)
    return found if known.all() else Turns(np.inf if not found.rising else -np.inf, *found[1:])


def _beyond(
    gap: np.ndarray, near: np.ndarray, far: np.ndarray, runs: np.ndarray, strict: bool
) -> np.ndarray:
    """Return the p-values of means being beyond a bound, `gap` away from it (above 0: beyond).

    `near` and `far` are the widths of the interval on the side of the bound and on the other.
    """
    freedom = np.maximum(runs - 1, 1)
    width = np.where(gap >= 0, near, far)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gap / width * special.stdtrit(freedom, 1 - LEVEL)
    exact = np.where(gap > 0, 0.0, 1.0)
    if strict:
        exact = np.where(gap >= 0, 0.0, 1.0)
    return np.where(width > 0, special.stdtr(freedom, -np.nan_to_num(t)), exact)


def runs_to_decide(
    measured: float, low: float, high: float, runs: int, where: Region, level: float = LEVEL
) -> float:
    """Return how many runs would decide, with a power of 80 %, what `runs` left open.

    As if the mean and the scatter so far were the true ones, by a one-sided test at `level`.
    Missing where nothing is known of the scatter; infinite where the mean stands on the bound.
    """
    ends = [bound for bound in (where.low, where.high) if np.isfinite(bound)]
    near = min(ends, key=lambda bound: abs(bound - measured))
    width = high - measured if near > measured else measured - low
    if runs < 2 or np.isnan(width):
        return float("nan")
    deviation = width / special.stdtrit(runs - 1, 1 - LEVEL) * np.sqrt(runs)
    effect = abs(near - measured) / deviation if deviation else np.inf
    if effect < 1e-4:
        return float("inf")
    # Enough by the normal distribution; then up to what Student's noncentral one asks for.
    sum_of_quantiles = special.ndtri(1 - level) + special.ndtri(POWER)
    count = max(2, int(np.ceil((sum_of_quantiles / effect) ** 2)))
    while count < 1000:
        critical = special.stdtrit(count - 1, 1 - level)
        if 1 - special.nctdtr(count - 1, min(effect * np.sqrt(count), 30), critical) >= POWER:
            break
        count += 1
    return float(count)
