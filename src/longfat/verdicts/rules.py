"""The one rule for each kind of claim, and what one engine at one setting says by it."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from longfat.errors import InputError
from longfat.statistics import LEVEL

POWER = 0.8  # of a further experiment that is to decide what is open
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
        "The printed number is the largest difference that the paper saw. Reproduced if the "
        "interval, in which the largest difference of a set of runs such as the paper's lies, "
        "holds it (as it was rounded); not reproduced if it does not."
    ),
    "about": (
        "Reproduced if the whole interval of our mean lies within what the printed number's "
        "rounding and wording allow; not reproduced if none of it does."
    ),
    "value": (
        "The printed number is a measurement, of one run or of a mean, and scatters as ours do. "
        "Reproduced if the interval in which a further such measurement of ours would lie holds "
        "it (as it was rounded); not reproduced if it does not."
    ),
    "order": (
        "Every step of the order is a one-sided test. Reproduced if at every step the whole "
        "interval of the difference lies above the threshold (0, or 1 for a ratio); not "
        "reproduced if all of it lies below at one step."
    ),
    "ratio": (
        "One-sided: reproduced if the whole interval of our ratio lies beyond the threshold, "
        "which is the printed ratio unless the claim says otherwise; not reproduced if none of it "
        "does."
    ),
    "direction": (
        "One-sided: reproduced if the whole interval of the difference lies beyond the threshold "
        "that was set before the runs; not reproduced if none of it does."
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
KINDS = tuple(RULES)
VERDICTS = (
    "reproduced",
    "not reproduced",
    "depends",  # with what it depends on: "depends on recovery"
    "undecidable",
    "fitted",
    "not yet measured",
)
ENGINES = ("segment", "ns2", "linux", "ns3", "arithmetic")  # in the order in which they decide
WITNESS = {"ns3": "segment"}  # they share the headers of congestion control and recovery


class Region(NamedTuple):
    """Where a measured value agrees with a claim: `low` to `high`, both in the claim's unit.

    `strict` where the bounds do not belong to it. `meets` where an interval that only touches the
    region agrees (it says where a further measurement lies, not where the mean does).
    """

    low: float
    high: float
    strict: bool = False
    meets: bool = False


def verdict_class(verdict: str) -> str:
    """Return which one of `VERDICTS` a verdict is: "depends" for "depends on recovery"."""
    return "depends" if verdict.startswith("depends on ") else verdict


def region(claim: Any) -> Region | None:
    """Return where a measured value agrees with a claim, or None where nothing can be measured.

    `claim` is a row of claims: kind, printed, half_unit, threshold, side (absent or empty: above).
    Raises InputError for an unknown kind, and where the kind needs a number that is missing.
    """

    def given(name: str) -> float:
        return float(pd.to_numeric(getattr(claim, name, np.nan)))

    printed, half, threshold = (given(name) for name in ("printed", "half_unit", "threshold"))
    kind = claim.kind
    if kind not in RULES:
        raise InputError(f"{claim.id}: kind is '{kind}', but a claim is one of {', '.join(KINDS)}")
    if kind in ("at most", "at least"):
        _needs(claim, printed=printed)
        slack = 0.0 if np.isnan(half) else half
        at_most = kind == "at most"
        return Region(-np.inf, printed + slack) if at_most else Region(printed - slack, np.inf)
    if kind in ("maximum", "about", "value", "arithmetic"):
        _needs(claim, printed=printed, half_unit=half)
        slack = half * (1 + 1e-9)  # a number that was rounded at its half is still the printed one
        return Region(printed - slack, printed + slack, meets=kind in ("maximum", "value"))
    if kind == "order":
        threshold = 0.0 if np.isnan(threshold) else threshold
    elif kind == "ratio":
        threshold = printed if np.isnan(threshold) else threshold
    elif kind == "qualitative" and np.isnan(threshold):
        return None
    _needs(claim, threshold=threshold)
    if kind == "same":
        if threshold <= 1:
            raise InputError(f"{claim.id}: threshold is {threshold:g}: a factor is above 1")
        return Region(1 / threshold, threshold, strict=True)
    side = getattr(claim, "side", "above")
    below = isinstance(side, str) and side == "below"
    return Region(*((-np.inf, threshold) if below else (threshold, np.inf)), strict=True)


def _needs(claim: Any, **numbers: float) -> None:
    for name, value in numbers.items():
        if np.isnan(value):
            raise InputError(f"{claim.id}: a claim of kind '{claim.kind}' needs its {name}")


class Outcome(NamedTuple):
    """What one engine at one setting says of a claim, and by which of its points."""

    says: str  # "holds", "fails" or "open"
    point: int  # the one that decides: the least favourable
    decides: float  # how many runs a point would decide what is open (missing: none, or not open)
    leans: str  # what it would say then, if the means so far are the true ones


def outcome(points: pd.DataFrame, where: Region) -> Outcome:
    """Judge a claim by all points of one engine and setting: columns measured, low, high, runs.

    A claim about several points holds if it does at each of them; each test may then be made at its
    own level (an intersection-union test). It fails if it fails at one; there are as many chances
    to err as points, so that these p-values are adjusted by Holm (only the smallest
    one counts here). A value without an interval
    decides nothing, except that low = high = measured says that nothing scatters.
    """
    measured, low, high, runs = (
        points[name].to_numpy(dtype=float) for name in ("measured", "low", "high", "runs")
    )
    known = ~np.isnan(low) & ~np.isnan(high)
    below = _beyond(where.low - measured, high - measured, measured - low, runs, where.strict)
    above = _beyond(measured - where.high, measured - low, high - measured, runs, where.strict)
    against = np.where(known, np.minimum(below, above), 1.0)
    distance = np.minimum(measured - where.low, where.high - measured)
    if where.strict:
        inside = (low > where.low) & (high < where.high)
    else:
        inside = (low >= where.low) & (high <= where.high)
    fails = bool(against.min() * len(against) < LEVEL)  # Holm's factor for the smallest one
    agree = known if where.meets else known & inside
    worst = int(np.lexsort((distance, against))[0])
    if fails:
        return Outcome("fails", worst, np.nan, "fails")
    if agree.all():
        return Outcome("holds", worst, np.nan, "holds")
    doubtful = np.flatnonzero(~agree)
    worst = int(doubtful[np.lexsort((distance[doubtful], against[doubtful]))[0]])
    outside = doubtful[~(distance[doubtful] > 0)]
    leans = "fails" if outside.size else "holds"
    if where.meets:
        return Outcome("open", worst, 2.0, leans)

    def needed(points: np.ndarray, level: float) -> list[float]:
        return [
            runs_to_decide(measured[i], low[i], high[i], int(runs[i]), where, level) for i in points
        ]

    if outside.size:  # one of these is enough, by the stricter test that many points ask for
        return Outcome(
            "open", worst, np.nanmin([np.inf, *needed(outside, LEVEL / len(points))]), leans
        )
    return Outcome("open", worst, max(needed(doubtful, LEVEL)), leans)


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
