"""From runs to numbers, and from numbers to a verdict: intervals, tests and verdicts, each once.

A table has a row a run (or a flow of a run). Unless a function says otherwise an interval is
Student's, of 95 %.
"""

import functools
import re
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from longfat.errors import InputError
from longfat.style import ENGINE_LABEL, label
from longfat.style import number as digits

# --- plans of runs


def combinations(**values) -> pd.DataFrame:
    """Return every combination of the values: a row each, a column a name.

    >>> from longfat import statistics
    >>> statistics.combinations(loss=[0.0, 0.01], seed=[1, 2])
       loss  seed
    0  0.00     1
    1  0.00     2
    2  0.01     1
    3  0.01     2
    """
    index = pd.MultiIndex.from_product(values.values(), names=values.keys())
    return index.to_frame(index=False)


# --- intervals


def half_width(deviation: ArrayLike, count: ArrayLike, confidence: float = 0.95) -> np.ndarray:
    """Return half of Student's interval for the mean of `count` values.

    `deviation` is their standard deviation. Not a number for fewer than two values.
    """
    count = np.asarray(count)
    quantile = stats.t.ppf((1 + confidence) / 2, np.maximum(count - 1, 1))
    return np.where(count > 1, quantile * np.asarray(deviation) / np.sqrt(count), np.nan)[()]


def interval(table: pd.DataFrame, by: list[str], value: str, confidence: float = 0.95):
    """Return mean, half-width of its Student-t confidence interval, and number of repetitions.

    A row a combination of the columns `by`; columns `value`, `halfwidth`, `repetitions`. A single
    repetition has no interval (missing).

    >>> import pandas as pd
    >>> from longfat import statistics
    >>> runs = pd.DataFrame({"loss": [0.01] * 3, "goodput": [9.0, 10.0, 11.0]})
    >>> statistics.interval(runs, ["loss"], "goodput").round(2)
       loss  goodput  halfwidth  repetitions
    0  0.01     10.0       2.48            3
    """
    groups = table.groupby(by)[value]
    n = groups.count()
    width = half_width(groups.std(), n, confidence)
    summary = pd.DataFrame({value: groups.mean(), "halfwidth": width, "repetitions": n})
    return summary.reset_index()


def gains(
    table: pd.DataFrame,
    base: str,
    by: list[str],
    who: str = "protocol",
    value: str = "goodput_bps",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return how much more than `base` the others get, in per cent.

    `table` has a row a run: columns `by`, `who`, seed and `value`; runs of one seed are a pair.
    Returns a row a combination of `by` and `who`: gain, from the mean logarithm of the pairs'
    ratios; low and high, its Student-t confidence interval; one_low and one_high, between which a
    single further pair lies with that probability; repetitions. Intervals need two pairs.
    Raises InputError where `base` is missing or a value is not above 0.
    """
    if base not in set(table[who]):
        raise InputError(f"{who}: there is no '{base}' to compare with")
    if (table[value] <= 0).any():
        raise InputError(f"{value}: a ratio needs values above 0")
    wide = table.pivot(index=[*by, "seed"], columns=who, values=value)
    ratios = np.log(wide.div(wide[base], axis=0)).drop(columns=base)
    long = ratios.stack().rename("ratio").reset_index()
    rows = []
    for names, group in long.groupby([*by, who], sort=False):
        mean, n = group["ratio"].mean(), len(group)
        spread = group["ratio"].std() if n > 1 else np.nan
        of_mean = half_width(spread, n, confidence)
        of_one = of_mean * np.sqrt(n + 1)
        ends = mean + np.array([0, -of_mean, of_mean, -of_one, of_one])
        rows.append([*names, *(100 * np.expm1(ends)), n])
    columns = [*by, who, "gain", "low", "high", "one_low", "one_high", "repetitions"]
    return pd.DataFrame(rows, columns=columns)


def ratio(measured: ArrayLike, reference: ArrayLike, confidence: float = 0.95) -> pd.Series:
    """Return the ratio of two samples' typical values (geometric means) with its interval.

    Welch's t on the logarithms, so that a factor up and the same factor down weigh alike. Keys:
    `ratio`, `low`, `high`. Raises InputError for samples of fewer than two, or not above 0.

    >>> from longfat import statistics
    >>> statistics.ratio([2.0, 2.2, 1.9], [1.0, 1.1, 1.0]).round(2).to_dict()
    {'ratio': 1.97, 'low': 1.69, 'high': 2.29}
    """
    logs = [np.asarray(sample, dtype=float) for sample in (measured, reference)]
    for sample in logs:
        if sample.size < 2 or (sample <= 0).any():
            raise InputError("a ratio needs two samples of two runs or more, all above 0")
    first, second = np.log(logs[0]), np.log(logs[1])
    centre = first.mean() - second.mean()
    if first.std() == 0 and second.std() == 0:
        return pd.Series(dict.fromkeys(("ratio", "low", "high"), float(np.exp(centre))))
    test = stats.ttest_ind(first, second, equal_var=False)
    low, high = test.confidence_interval(confidence)
    return pd.Series({"ratio": np.exp(centre), "low": np.exp(low), "high": np.exp(high)})


def half_unit(printed: float) -> float:
    """Return half of the last digit's unit of a printed number: 0.005 for 0.77, 0.5 for 12."""
    decimals = len(f"{printed:g}".partition(".")[2])
    return 0.5 * 10.0**-decimals


def root_mean_square(values: pd.Series) -> float:
    """Return the root of the mean of the squares."""
    return float(np.sqrt(np.mean(np.square(values))))


# --- differences from a model and from printed numbers


def difference_percent(summary: pd.DataFrame, value: str, model: str) -> pd.DataFrame:
    """Add the paper's measure of difference, (model - measured) / model in per cent.

    Columns `difference` and `difference_halfwidth`, from `value` with its `halfwidth` and `model`.
    """
    return summary.assign(
        difference=100 * (summary[model] - summary[value]) / summary[model],
        difference_halfwidth=100 * summary["halfwidth"] / summary[model],
    )


def distance(found: pd.DataFrame, printed: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Add how far gains are from printed ones: column error, the difference of their logarithms.

    `found` and `printed` have the columns `on`; gain and printed are in per cent.
    """
    joined = found.merge(printed[[*on, "printed"]], on=on)
    error = np.log1p(joined["gain"] / 100) - np.log1p(joined["printed"] / 100)
    return joined.assign(error=error)


def fit(
    measured: pd.DataFrame, assumptions: list[str], case: str, printed: pd.DataFrame
) -> pd.DataFrame:
    """Return how far each combination of assumptions is from several printed numbers at once.

    `measured` has a column for each of `assumptions`, the column `case` (which run), and one for
    each number; `printed` has the cases as index and the numbers as columns, in the printed order.
    Repetitions are averaged. A row a combination: a column NUMBER CASE for each measured / printed;
    `factor`, by which the worst of them is off, up or down (1 is exact); `ordered`, whether every
    number comes in the order in which `printed` has it.
    """
    means = measured.groupby([*assumptions, case])[list(printed)].mean()
    wide = means.unstack(case)
    ratios = pd.DataFrame(
        {
            f"{number} {name}": wide[number, name] / printed.at[name, number]
            for number in printed
            for name in printed.index
        }
    )
    with np.errstate(divide="ignore"):
        off = np.exp(np.abs(np.log(ratios)).max(axis=1))
    in_order = np.ones(len(wide), dtype=bool)
    for number in printed:
        by_size = printed[number].sort_values().index
        in_order &= (np.diff(wide[number][by_size].to_numpy(), axis=1) > 0).all(axis=1)
    return ratios.assign(factor=off, ordered=in_order).reset_index()


# --- tests


def equivalent(
    measured: ArrayLike, reference: ArrayLike, factor: float, level: float = 0.05, tests: int = 1
) -> pd.Series:
    """Judge whether two samples are the same within a factor: two one-sided tests (TOST).

    Both one-sided tests reject at `level` exactly if the interval of confidence 1 - 2 `level` for
    the ratio lies within 1/`factor` to `factor`; then `verdict` is "same". It is "different" if
    the ratio lies outside at a confidence that allows for so many `tests` (Bonferroni), else
    "open". Other keys: `ratio`, `low`, `high` (of the first interval), and `needed`, the smallest
    factor that would be "same". (Schuirmann 1987, on logarithms as in bioequivalence.)
    Raises InputError for a factor of 1 or less.

    >>> from longfat import statistics
    >>> statistics.equivalent([1.0, 1.1, 1.05], [1.0, 1.05, 1.1], factor=1.25)["verdict"]
    'same'
    """
    if factor <= 1:
        raise InputError(f"factor is {factor}: it must be above 1")
    inner = ratio(measured, reference, 1 - 2 * level)
    outer = ratio(measured, reference, 1 - 2 * level / tests)
    if 1 / factor < inner["low"] and inner["high"] < factor:
        verdict = "same"
    elif outer["high"] < 1 / factor or outer["low"] > factor:
        verdict = "different"
    else:
        verdict = "open"
    needed = max(1 / inner["low"], inner["high"])
    return pd.Series({**inner, "needed": needed, "verdict": verdict})


# --- evidence: from runs to what a verdict is made of


def mean(values: ArrayLike) -> dict[str, float]:
    """Return the mean of runs with its interval: keys measured, low, high, runs.

    A single run has no interval (missing).

    >>> from longfat import statistics
    >>> {key: round(float(value), 2) for key, value in statistics.mean([4, 5, 6]).items()}
    {'measured': 5.0, 'low': 2.52, 'high': 7.48, 'runs': 3.0}
    """
    values = np.asarray(values, dtype=float)
    width = half_width(_deviation(values), values.size)
    return _row(float(values.mean()), float(width), values.size)


def prediction_interval(values: ArrayLike, runs: int = 1) -> dict[str, float]:
    """Return the mean of our runs, and where the mean of `runs` further ones lies (95 %).

    The same keys as `mean`. It is what a printed measurement is held against: the paper's runs were
    drawn as ours are, so that theirs scatter too.
    """
    values = np.asarray(values, dtype=float)
    width = half_width(_deviation(values), values.size) * np.sqrt(values.size / runs + 1)
    return _row(float(values.mean()), float(width), values.size)


def paired(values: ArrayLike, reference: ArrayLike, ratio: bool = False) -> dict[str, float]:
    """Return by how much `values` are above `reference`, seed by seed: the keys of `mean`.

    With `ratio` how many times as large they are, from the mean of the logarithms (all must be
    above 0, or InputError is raised).
    """
    first, second = np.asarray(values, dtype=float), np.asarray(reference, dtype=float)
    if not ratio:
        return mean(first - second)
    if (first <= 0).any() or (second <= 0).any():
        raise InputError("a ratio needs values above 0")
    found = mean(np.log(first / second))
    ends = {key: float(np.exp(found[key])) for key in ("measured", "low", "high")}
    return ends | {"runs": found["runs"]}


def unpaired(values: ArrayLike, reference: ArrayLike) -> dict[str, float]:
    """Return how many times as large `values` are as `reference`: the keys of `mean`.

    For runs that are no pairs: Welch's interval on the logarithms (`ratio`); `runs` is the smaller
    number of the two.
    """
    found = ratio(values, reference)
    measured, low, high = (float(found[key]) for key in ("ratio", "low", "high"))
    runs = min(np.size(values), np.size(reference))
    return {"measured": measured, "low": low, "high": high, "runs": runs}


def maximum(differences: pd.DataFrame, at: str, value: str, runs: int = 1) -> dict:
    """Return the largest absolute difference that a set of runs such as the paper's would show.

    `differences` has a row a run: the column `at` says at which point it was made, `value` is its
    (signed) difference. At each point the mean of `runs` further runs is drawn as Student's
    distribution predicts it from ours, and the largest absolute value over the points is kept;
    10,000 such sets give the interval that holds 95 % of them. So it is the distribution of the
    largest one, and not that of the point which happened to be the largest.

    Keys: measured (the median set's), low, high, runs (at the point with the fewest) and at (the
    point that is the largest most often). Without repetitions low and high are missing.
    """
    groups = differences.groupby(at, sort=True)[value]
    means, counts = groups.mean(), groups.count()
    if (counts < 2).any():
        largest = means.abs().idxmax()
        found = {"measured": abs(float(means[largest])), "low": np.nan, "high": np.nan}
        return found | {"runs": int(counts.min()), "at": f"{at} = {largest:g}"}
    scale = groups.std() * np.sqrt(1 / runs + 1 / counts)
    sizes = np.abs(means.to_numpy() + scale.to_numpy() * _students(tuple(counts)))
    low, middle, high = np.quantile(sizes.max(axis=1), [LEVEL, 0.5, 1 - LEVEL])
    often = means.index[np.bincount(sizes.argmax(axis=1), minlength=len(means)).argmax()]
    found = {"measured": float(middle), "low": float(low), "high": float(high)}
    return found | {"runs": int(counts.min()), "at": f"{at} = {often:g}"}


@functools.lru_cache(maxsize=16)  # a chapter asks for the same ones hundreds of times
def _students(counts: tuple[int, ...]) -> np.ndarray:
    """Return 10,000 draws of Student's distribution for means of so many runs, the same ones."""
    degrees = np.array(counts) - 1
    return np.random.default_rng(1).standard_t(degrees, size=(10_000, len(counts)))


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _row(measured: float, width: float, runs: int) -> dict[str, float]:
    low, high = float(measured - width), float(measured + width)
    return {"measured": float(measured), "low": low, "high": high, "runs": runs}


# --- verdicts: the one rule for each kind of claim

# An end of a 95 % interval is a one-sided test at this level, so that what a picture shows and what
# is concluded from it are the same.
LEVEL = 0.025
HOPELESS = 10_000  # more runs than these to decide a claim are given in one digit
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
NAMED = 3  # so many parameters that turn a verdict, a sentence names
VERDICTS = (
    "reproduced",
    "not reproduced",
    "depends",  # with what it depends on: "depends on recovery"
    "undecidable",
    "fitted",
    "not yet measured",
)
# In the order in which they decide, with the name that a sentence calls them by.
ENGINES = {
    name: ENGINE_LABEL.get(name, name) for name in ("segment", "ns2", "linux", "ns3", "arithmetic")
}
WITNESS = {"ns3": "segment"}  # they share the headers of congestion control and recovery
EVIDENCE_COLUMNS = (
    "claim",
    "engine",
    "parameter",
    "setting",
    "measured",
    "low",
    "high",
    "runs",
    "at",
    "experiment",
)
JUDGED_COLUMNS = (
    "id",
    "where",
    "statement",
    "kind",
    "printed",
    "unit",
    "measured",
    "low",
    "high",
    "at",
    "engine",
    "runs",
    "verdict",
    "reason",
    "range_low",
    "range_high",
    "bound_low",
    "bound_high",
    "decides",
    "evidence",
)


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


def worded(verdict: str, most: int = NAMED) -> str:
    """Return a verdict as a reader sees it: parameters in words, and no more than so many of them.

    >>> from longfat import statistics
    >>> statistics.worded("depends on recovery and min_rto")
    'depends on the method of recovery and the shortest timeout'
    """
    if verdict_class(verdict) != "depends":
        return verdict
    names = re.split(r", | and ", verdict.removeprefix("depends on "))
    return _depends(_some([label(name) for name in names], most))


def _some(names: list[str], most: int) -> list[str]:
    """Return the first ones, and how many more there are."""
    return names if len(names) <= most + 1 else [*names[:most], f"{len(names) - most} more"]


def region(claim) -> Region | None:
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


def _needs(claim, **numbers: float) -> None:
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

    def needed(points, level: float) -> list[float]:
        return [
            runs_to_decide(measured[i], low[i], high[i], int(runs[i]), where, level) for i in points
        ]

    if outside.size:  # one of these is enough, by the stricter test that many points ask for
        return Outcome(
            "open", worst, np.nanmin([np.inf, *needed(outside, LEVEL / len(points))]), leans
        )
    return Outcome("open", worst, max(needed(doubtful, LEVEL)), leans)


def _beyond(gap, near, far, runs, strict: bool) -> np.ndarray:
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


def judge(claims: pd.DataFrame, evidence: pd.DataFrame) -> pd.DataFrame:
    """Judge every claim of a paper by its evidence: a row a claim, columns `JUDGED_COLUMNS`.

    `claims` has id, where, statement, kind, printed, unit, half_unit, threshold, threshold_reason,
    fitted, and may have side ("below" turns a one-sided claim round) and note (ends the reason).
    `evidence` has the columns `EVIDENCE_COLUMNS`, a row a claim, engine, setting and point. An
    empty `parameter` is the paper's stated setting with the chapter's base assumptions; else it
    names the unstated parameter that is varied.

    Each engine says of each setting whether the claim holds, fails, or stays open (`RULES`,
    `outcome`). The stated setting decides. A claim that holds there is reproduced, unless another
    plausible setting or an independent engine refutes it: then it depends on that. A claim that
    fails there is not reproduced only if it fails at every plausible setting and on every
    independent engine; it depends on a parameter if it holds at another setting of it, and is
    undecidable if one leaves it open. A claim whose number was used to fit a parameter is "fitted".

    Of the result: measured to runs are the deciding engine's least favourable point; range_low and
    range_high the least and the largest measured over all plausible settings and engines;
    bound_low and bound_high where the claim holds (infinite: no bound); decides, how many runs a
    point would make a verdict of what is undecidable; evidence, a list of one record an engine and
    setting.
    Raises InputError for missing columns, unknown kinds, claims and engines.

    >>> import pandas as pd
    >>> from longfat import papers, statistics
    >>> claims = papers.claims("hybla").query("id == 'hybla-s4-steady-rate-simulation-rare'")
    >>> stated = {"engine": "segment", "parameter": "", "setting": "", "experiment": ""}
    >>> found = statistics.mean([2.1, 1.9, 2.0])  # per cent, where at most 4 are printed
    >>> row = {"claim": claims["id"].iloc[0], "at": "p = 0.002"} | stated | found
    >>> statistics.judge(claims, pd.DataFrame([row]))["verdict"].tolist()
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


def _judge(claim, evidence: pd.DataFrame | None) -> dict:
    """Return the verdict on one claim (see `judge`)."""
    where = region(claim)
    row: dict[str, object] = dict.fromkeys(JUDGED_COLUMNS, np.nan)
    for name in ("id", "where", "statement", "kind", "printed"):
        row[name] = getattr(claim, name)
    unit = _text(claim.unit)
    row |= {"unit": unit, "at": "", "engine": "", "evidence": []}
    note = _text(getattr(claim, "note", ""))
    if where is None:
        reason = _text(claim.threshold_reason)
        return row | {"verdict": "undecidable", "reason": _sentences(reason, note)}
    row |= {"bound_low": where.low, "bound_high": where.high}
    records = [] if evidence is None else _records(evidence, where)
    base = [one for one in records if not one["parameter"]]
    if not base:
        reason = "Its runs were left out." if note == "" else note
        return row | {"verdict": "not yet measured", "reason": reason, "evidence": records}
    verdict, decider = _verdict(base, [one for one in records if one["parameter"]])
    if fitted := _text(getattr(claim, "fitted", "")):
        verdict = "fitted"
    row |= {name: decider[name] for name in ("measured", "low", "high", "at", "engine", "runs")}
    measured = [one["measured"] for one in records]
    row |= {"range_low": min(measured), "range_high": max(measured)}
    reason = _reason(verdict, decider, base, records, unit, fitted)
    if verdict == "undecidable":
        runs = _runs_to_verdict(records)
        row["decides"] = runs
        reason = _sentences(reason, _decides(runs))
    return row | {"verdict": verdict, "reason": _sentences(reason, note), "evidence": records}


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
    rank = list(ENGINES)
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
        return (_depends(on) if on else "reproduced"), first("holds")
    if "fails" in says:
        if turns["holds"]:
            return _depends(turns["holds"]), first("fails")
        undecided = turns["open"] or "open" in says
        return ("undecidable" if undecided else "not reproduced"), first("fails")
    both = [name for name in turns["holds"] if name in turns["fails"]]
    return (_depends(both) if both else "undecidable"), first("open")


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


def _depends(parameters: list[str]) -> str:
    return f"depends on {_list(parameters)}"


def _reason(
    verdict: str, decider: dict, base: list[dict], records: list[dict], unit: str, fitted: str
) -> str:
    """Return in a sentence or two why the verdict is what it is, and on which engines it rests."""
    parts = []
    if fitted:
        names = [label(name) for name in fitted.split(", ")]
        what = _list([name if name.startswith("the ") else f"the {name}" for name in names])
        parts.append(f"The number was used to fit {what}, so that it is no test.")
    value = _with_unit(digits(decider["measured"]), unit)
    if decider["low"] < decider["high"]:
        value += f" [{digits(decider['low'])}, {digits(decider['high'])}]"
    place = f" at {decider['at']}" if decider["at"] else ""
    if decider["engine"] == "arithmetic":
        first = f"Calculated, it is {value}{place}"
    else:
        name = _called(decider["engine"]).replace("the ", "The ")  # others are spelled as they are
        alone = ", asked alone," if len(base) == 1 else ""
        first = f"{name}{alone} {_SAYS[decider['says']]}: {value}{place}, {_runs(decider['runs'])}"
    others = [_beside(one, unit) for one in base if one is not decider]
    parts.append(f"{'; '.join([first, *others])}.")
    parts.append(_turned(verdict, decider, [one for one in records if one["parameter"]]))
    return _sentences(*parts)


def _decides(runs: float) -> str:
    """Return how many runs at each point would decide what is open; nothing where none would."""
    if np.isnan(runs):
        return ""
    if np.isinf(runs):
        return "Its mean stands on the bound: no number of runs is sure to decide."
    if runs > HOPELESS:
        return f"It lies so near the bound that {digits(runs, 1)} runs a point would be needed."
    return f"About {runs:,.0f} runs a point would decide."


_SAYS = {"holds": "agrees", "fails": "disagrees", "open": "leaves it open"}


def _beside(one: dict, unit: str) -> str:
    """Return what another engine says."""
    shares = ", which shares its code," if one["engine"] in WITNESS else ""
    said = f"{_SAYS[one['says']]} ({_with_unit(digits(one['measured']), unit)})"
    return f"{_called(one['engine'])}{shares} {said}"


def _turned(verdict: str, decider: dict, varied: list[dict]) -> str:
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
        return f"It {turns} when this is changed: {_list(_some(told, 1))}."
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


def _called(engine: str) -> str:
    return "the segment engine" if engine == "segment" else ENGINES[engine]


def _runs(count: float) -> str:
    return "one run" if count == 1 else f"{count:.0f} runs"


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _text(value) -> str:
    return value.strip() if isinstance(value, str) else ""
