"""From repeated runs to a finding: gains, shares, estimates against the truth, verdicts."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from longfat.errors import InputError


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
        quantile = stats.t.ppf((1 + confidence) / 2, max(n - 1, 1))
        of_mean, of_one = quantile * spread / np.sqrt(n), quantile * spread * np.sqrt(1 + 1 / n)
        ends = mean + np.array([0, -of_mean, of_mean, -of_one, of_one])
        rows.append([*names, *(100 * np.expm1(ends)), n])
    columns = [*by, who, "gain", "low", "high", "one_low", "one_high", "repetitions"]
    return pd.DataFrame(rows, columns=columns)


def distance(found: pd.DataFrame, printed: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Add how far gains are from printed ones: column error, the difference of their logarithms.

    `found` and `printed` have the columns `on`; gain and printed are in per cent.
    """
    joined = found.merge(printed[[*on, "printed"]], on=on)
    error = np.log1p(joined["gain"] / 100) - np.log1p(joined["printed"] / 100)
    return joined.assign(error=error)


def root_mean_square(values: pd.Series) -> float:
    """Return the root of the mean of the squares."""
    return float(np.sqrt(np.mean(np.square(values))))


def compatible(printed: float, half_unit: float, low: float, high: float) -> str:
    """Judge a printed value that is one run's, by the interval in which one run lies.

    `half_unit` is half of the last printed digit's unit. Returns `reproduced` where the two
    intervals meet, `not reproduced` where they do not, `undecidable` without an interval.
    """
    if np.isnan([low, high]).any():
        return "undecidable"
    meets = printed - half_unit <= high and printed + half_unit >= low
    return "reproduced" if meets else "not reproduced"


def half_unit(printed: float) -> float:
    """Return half of the last digit's unit of a printed number: 0.005 for 0.77, 0.5 for 12."""
    decimals = len(f"{printed:g}".partition(".")[2])
    return 0.5 * 10.0**-decimals


class Shares(NamedTuple):
    """How flows divide what they get: `table` has a row a flow with share, low, high (of 1)."""

    table: pd.DataFrame
    p_value: float
    repetitions: int


def shares(table: pd.DataFrame, who: str = "protocol", value: str = "goodput_bps") -> Shares:
    """Return the flows' mean shares of their sum, and whether they are equal.

    `table` has a row a flow and run: columns seed, `who` and `value`. `p_value` is that of the
    Friedman test of equal shares over the repetitions, the sign test's for two flows. Intervals
    are Student-t, 95 %. Raises InputError for fewer than three repetitions.
    """
    wide = table.pivot(index="seed", columns=who, values=value)
    if len(wide) < 3:
        raise InputError(f"shares need at least 3 repetitions, not {len(wide)}")
    part = wide.div(wide.sum(axis=1), axis=0)
    width = stats.t.ppf(0.975, len(part) - 1) * part.std() / np.sqrt(len(part))
    rows = pd.DataFrame(
        {"share": part.mean(), "low": part.mean() - width, "high": part.mean() + width}
    )
    if part.shape[1] > 2:
        p_value = stats.friedmanchisquare(*(part[name] for name in part)).pvalue
    else:
        above = int((part.iloc[:, 0] > 0.5).sum())
        p_value = stats.binomtest(above, len(part)).pvalue
    return Shares(rows.reset_index(), float(p_value), len(part))


def held_at(trace: pd.DataFrame, series: str, times: np.ndarray) -> np.ndarray:
    """Return a trace's value at each of the times: the last one before; missing before the first.

    `trace` is one flow's, with columns time_s and `series`.
    """
    position = np.searchsorted(trace["time_s"].to_numpy(), times, side="right") - 1
    values = trace[series].to_numpy(dtype=float)
    return np.where(position >= 0, values[np.maximum(position, 0)], np.nan)


def true_throughput(trace: pd.DataFrame, times: np.ndarray) -> np.ndarray:
    """Return the throughput between consecutive times, bit/s, from a trace of delivered_bytes."""
    return 8 * np.diff(np.nan_to_num(held_at(trace, "delivered_bytes", times))) / np.diff(times)


def estimate_error(delivered: pd.DataFrame, estimate: pd.DataFrame, times: np.ndarray) -> dict:
    """Return how an estimate of the bandwidth compares with the throughput between the times.

    Traces of one flow, of delivered_bytes and bandwidth_bps. Keys: bias (mean of the estimate over
    the mean throughput, less 1), error (root mean square of the difference, over the mean
    throughput), variation (standard deviation of the estimate over its mean).
    """
    truth = true_throughput(delivered, times)
    guess = held_at(estimate, "bandwidth_bps", times)[1:]
    known = ~np.isnan(guess)
    truth, guess = truth[known], guess[known]
    return {
        "bias": guess.mean() / truth.mean() - 1,
        "error": np.sqrt(np.mean((guess - truth) ** 2)) / truth.mean(),
        "variation": guess.std() / guess.mean(),
    }


def finding(
    values: np.ndarray, above: float | None = None, within: float | None = None
) -> dict[str, float | str]:
    """Judge a claim by repeated measurements: is their mean above a bound, or within one of 0?

    State `above` or `within`. Keys: measured (the mean), low, high (its Student-t interval, 95 %)
    and verdict: `reproduced` where the whole interval agrees with the claim, `not reproduced` where
    none of it does, otherwise `undecidable`. Raises InputError unless one bound is stated.
    """
    if (above is None) == (within is None):
        raise InputError("finding: state either above or within")
    values = np.asarray(values, dtype=float)
    mean, n = values.mean(), len(values)
    width = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    low, high = mean - width, mean + width
    if np.isnan(width):
        verdict = "undecidable"
    elif above is not None:
        verdict = "reproduced" if low > above else "not reproduced" if high <= above else ""
    else:
        inside = -within <= low and high <= within
        verdict = "reproduced" if inside else "not reproduced" if abs(mean) - width > within else ""
    return {"measured": mean, "low": low, "high": high, "verdict": verdict or "undecidable"}


def worst(findings: list[dict]) -> dict:
    """Return the finding that decides a claim about every case: the least favourable verdict.

    Among those of the same verdict, the one with the smallest value.
    """
    order = ["not reproduced", "undecidable", "reproduced"]
    return min(findings, key=lambda one: (order.index(one["verdict"]), one["measured"]))


def every(values: pd.Series, level: str, **bound: float) -> dict:
    """Judge a claim about every value of an index level: the worst of their findings.

    `values` are measurements with that level in their index; `bound` is as in `finding`. The key
    reason names the worst case.
    """
    return worst(
        [
            finding(group.to_numpy(), **bound) | {"reason": f"the worst case is at {case:g}"}
            for case, group in values.groupby(level=level)
        ]
    )
