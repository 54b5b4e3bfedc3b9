"""From runs to numbers: intervals, tests and estimates, each once.

A table has a row a run (or a flow of a run). Unless a function says otherwise an interval is
Student's, of 95 %.
"""

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike
from scipy import special

from longfat.errors import InputError

# An end of a 95 % interval is a one-sided test at this level, so that what a picture shows and what
# is concluded from it are the same.
LEVEL = 0.025

# --- plans of runs


def combinations(**values: Iterable[Any]) -> pd.DataFrame:
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
    quantile = special.stdtrit(np.maximum(count - 1, 1), (1 + confidence) / 2)
    return np.where(count > 1, quantile * np.asarray(deviation) / np.sqrt(count), np.nan)[()]


def interval(
    table: pd.DataFrame, by: list[str], value: str, confidence: float = 0.95
) -> pd.DataFrame:
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
    single further pair lies with that probability; repetitions, the number of pairs. Intervals need
    two pairs.
    Raises InputError where `base` is missing or a value is not above 0.
    """
    if base not in set(table[who]):
        raise InputError(f"{who}: there is no '{base}' to compare with")
    if (table[value] <= 0).any():
        raise InputError(f"{value}: a ratio needs values above 0")
    wide = table.pivot(index=[*by, "seed"], columns=who, values=value)
    ratios = np.log(wide.div(wide[base], axis=0)).drop(columns=base)
    groups = ratios.stack().groupby(level=[*by, who], sort=False)
    mean, n = groups.mean(), groups.count()
    of_mean = half_width(groups.std(), n, confidence)
    of_one = of_mean * np.sqrt(n + 1)
    ends = pd.DataFrame(
        {
            "gain": mean,
            "low": mean - of_mean,
            "high": mean + of_mean,
            "one_low": mean - of_one,
            "one_high": mean + of_one,
        }
    )
    return (100 * np.expm1(ends)).assign(repetitions=n).reset_index()


def ratio(measured: ArrayLike, reference: ArrayLike, confidence: float = 0.95) -> pd.Series:
    """Return the ratio of two samples' typical values (geometric means) with its interval.

    Welch's t on the logarithms, so that a factor up and the same factor down weigh alike. Keys:
    `ratio`, `low`, `high`. Raises InputError for samples of fewer than two, or not above 0.

    >>> from longfat import statistics
    >>> statistics.ratio([2.0, 2.2, 1.9], [1.0, 1.1, 1.0]).round(2).to_dict()
    {'ratio': 1.97, 'low': 1.69, 'high': 2.29}
    """
    return pd.Series(_ratio(measured, reference, confidence))


def _ratio(measured: ArrayLike, reference: ArrayLike, confidence: float) -> dict[str, float]:
    """Return what `ratio` does as a dictionary, which is made ten times as fast."""
    logs = [np.asarray(sample, dtype=float) for sample in (measured, reference)]
    for sample in logs:
        if sample.size < 2 or (sample <= 0).any():
            raise InputError("a ratio needs two samples of two runs or more, all above 0")
    first, second = np.log(logs[0]), np.log(logs[1])
    centre = first.mean() - second.mean()
    parts = np.array([sample.var(ddof=1) / sample.size for sample in (first, second)])
    half = 0.0
    if parts.any():  # Welch and Satterthwaite
        freedom = parts.sum() ** 2 / (parts**2 / [first.size - 1, second.size - 1]).sum()
        half = special.stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(parts.sum())
    low, value, high = np.exp([centre - half, centre, centre + half]).tolist()
    return {"ratio": value, "low": low, "high": high}


def half_unit(printed: float) -> float:
    """Return half of the last digit's unit of a printed number: 0.005 for 0.77, 0.5 for 12."""
    decimals = len(f"{printed:g}".partition(".")[2])
    return 0.5 * 10.0**-decimals


def root_mean_square(values: ArrayLike, left_out: int = 0) -> float:
    """Return the root of the mean of the squares, but for so many of the largest of these.

    >>> from longfat import statistics
    >>> statistics.root_mean_square([1.0, -1.0, 5.0], left_out=1)
    1.0
    """
    squares = np.sort(np.square(np.asarray(values, dtype=float)))
    return float(np.sqrt(squares[: len(squares) - left_out].mean()))


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


def share(happened: Iterable[bool]) -> dict[str, float]:
    """Return the share of runs in which something happened, with its exact interval: as `mean`.

    >>> from longfat import statistics
    >>> found = statistics.share([True] * 6)
    >>> found["measured"], round(found["low"], 2)
    (1.0, 0.54)
    """
    happened = [bool(one) for one in happened]
    found = scipy.stats.binomtest(sum(happened), len(happened))
    interval = found.proportion_ci(0.95)  # Clopper and Pearson's
    ends = {"low": float(interval.low), "high": float(interval.high)}
    return {"measured": float(found.statistic)} | ends | {"runs": len(happened)}


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
    measured, low, high = _ratio(values, reference, 0.95).values()
    runs = min(np.size(values), np.size(reference))
    return {"measured": measured, "low": low, "high": high, "runs": runs}


def maximum(at: np.ndarray, differences: np.ndarray, runs: int = 1) -> dict[str, float]:
    """Return the largest absolute difference that a set of runs such as the paper's would show.

    `differences` are those of runs (signed), `at` says at which point each was made. At each point
    the mean of `runs` further runs is drawn as Student's distribution predicts it from ours, and
    the largest absolute value over the points is kept; 10,000 such sets give the interval that
    holds 95 % of them. So it is the distribution of the largest one, and not that of the point
    which happened to be the largest.

    Keys: measured (the median set's), low, high, runs (at the point with the fewest) and at (the
    point that is the largest most often). Without repetitions low and high are missing.
    """
    differences = np.asarray(differences, dtype=float)
    points, where = np.unique(at, return_inverse=True)
    counts = np.bincount(where)
    means = np.bincount(where, differences) / counts
    if (counts < 2).any():
        largest = np.abs(means).argmax()
        found = {"measured": abs(float(means[largest])), "low": np.nan, "high": np.nan}
        return found | {"runs": int(counts.min()), "at": float(points[largest])}
    deviations = np.sqrt(np.bincount(where, (differences - means[where]) ** 2) / (counts - 1))
    scale = deviations * np.sqrt(1 / runs + 1 / counts)
    found, often = largest_absolute(means, scale, counts)
    return found | {"runs": int(counts.min()), "at": float(points[often])}


def largest_absolute(
    means: np.ndarray, scale: np.ndarray, counts: np.ndarray
) -> tuple[dict[str, float], int]:
    """Return where the largest absolute value lies of Student's ones, and which it is most often.

    They lie about `means`, by `scale`, of which so many runs tell (`counts`). Keys of the first:
    measured (the median), low, high.
    """
    drawn = _students(tuple(counts.tolist()))
    sizes = np.abs(means[:, np.newaxis] + scale[:, np.newaxis] * drawn)
    low, middle, high = np.quantile(sizes.max(axis=0), [LEVEL, 0.5, 1 - LEVEL])
    found = {"measured": float(middle), "low": float(low), "high": float(high)}
    return found, int(np.bincount(sizes.argmax(axis=0)).argmax())


@functools.lru_cache(maxsize=16)  # a chapter asks for the same ones hundreds of times
def _students(counts: tuple[int, ...]) -> np.ndarray:
    """Return 10,000 draws of Student's distribution for means of so many runs, the same ones.

    A row a mean: the largest of each draw is found fastest that way.
    """
    degrees = np.array(counts) - 1
    drawn = np.random.default_rng(1).standard_t(degrees, size=(10_000, len(counts)))
    return np.ascontiguousarray(drawn.T)


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _row(measured: float, width: float, runs: int) -> dict[str, float]:
    low, high = float(measured - width), float(measured + width)
    return {"measured": float(measured), "low": low, "high": high, "runs": runs}
