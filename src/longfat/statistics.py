"""From runs to numbers, and from numbers to a verdict: intervals, tests and verdicts, each once.

A table has a row a run (or a flow of a run). Unless a function says otherwise an interval is
Student's, of 95 %.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from longfat.errors import InputError

VERDICTS = ("reproduced", "not reproduced", "undecidable", "not yet measured")


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


def largest_difference(compared: pd.DataFrame) -> dict[str, float]:
    """Return the largest |difference|, with the interval that the repetitions allow for it.

    Keys: `measured` (the largest of the means), `low`, `high` (the largest of the lower and of the
    upper ends), `at` (the loss rate where the mean is largest).
    """
    size = compared["difference"].abs()
    halfwidth = compared["difference_halfwidth"]
    return {
        "measured": size.max(),
        "low": (size - halfwidth).clip(lower=0).max(),
        "high": (size + halfwidth).max(),
        "at": compared["loss"].iloc[size.argmax()],
    }


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


# --- traces and shares


def held_at(trace: pd.DataFrame, series: str, times: ArrayLike) -> np.ndarray:
    """Return a trace's value at each of the times: the last one before; missing before the first.

    `trace` is one flow's, with columns time_s and `series`.
    """
    position = np.searchsorted(trace["time_s"].to_numpy(), times, side="right") - 1
    values = trace[series].to_numpy(dtype=float)
    return np.where(position >= 0, values[np.maximum(position, 0)], np.nan)


def held(trace: pd.DataFrame, end_s: float) -> pd.DataFrame:
    """Return a trace whose last value lasts until `end_s`: a trace has a point a change."""
    return pd.concat([trace, trace.tail(1).assign(time_s=end_s)], ignore_index=True)


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


def goodput_over_time(
    delivered: pd.DataFrame, interval_s: float, duration_s: float, start_s: float = 0.0
) -> pd.DataFrame:
    """Return the goodput of each flow in each whole interval, from its `delivered_bytes` trace.

    `delivered` has columns flow, time_s and delivered_bytes, such as `result.traces[...]`. Columns
    of the result: flow, time_s (end of the interval), goodput_bps. A trace that holds the last
    value in each of N intervals is exact where `interval_s` is a multiple of those.
    """
    if not 0 < interval_s <= duration_s - start_s:
        raise InputError(f"interval_s is {interval_s:g}: it must be above 0 and at most the run's")
    count = int(round((duration_s - start_s) / interval_s, 6))
    edges = start_s + interval_s * np.arange(count + 1)
    tables = []
    for flow, trace in delivered.groupby("flow", sort=False):
        values = np.nan_to_num(held_at(trace, "delivered_bytes", edges + 1e-9))
        tables.append(
            pd.DataFrame(
                {
                    "flow": flow,
                    "time_s": edges[1:],
                    "goodput_bps": 8 * np.diff(values) / interval_s,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def slope(
    table: pd.DataFrame, time: str, value: str, start: float, end: float, until: float = np.inf
) -> float:
    """Return the slope of `value` over `time` by least squares, from `start` to `end`.

    With `until` only up to the first time from `start` on at which `value` reaches it. Not a number
    for fewer than two points.
    """
    part = table[table[time].between(start, end)]
    reached = part[part[value] >= until]
    if len(reached):
        part = part[part[time] < reached[time].iloc[0]]
    if len(part) < 2:
        return float("nan")
    return float(np.polyfit(part[time], part[value], 1)[0])


def loss_responses(
    window: pd.DataFrame, threshold: pd.DataFrame, rtt_s: float, duration_s: float
) -> pd.DataFrame:
    """Return what each loss did to a flow's window, from its traces cwnd and ssthresh (segments).

    A loss is a change of the threshold, with eight round trips at least to the next one. Columns:
    before (the window just before), threshold, after (the window two and a half round trips later,
    when the recovery is over) and growth (segments a round trip from there to the next loss).
    """
    threshold = threshold[threshold["ssthresh_segments"].diff() != 0]
    times = threshold["time_s"].to_numpy()
    ends = np.append(times[1:], duration_s)
    later = times + 2.5 * rtt_s

    def held(when: np.ndarray) -> np.ndarray:
        return held_at(window, "cwnd_segments", when - 0.2 * rtt_s)

    table = pd.DataFrame(
        {
            "before": held(times),
            "threshold": threshold["ssthresh_segments"].to_numpy(),
            "after": held(later),
            "growth": (held(ends) - held(later)) * rtt_s / (ends - later),
        }
    )
    return table[(ends - times >= 8 * rtt_s) & table["before"].notna()].reset_index(drop=True)


def loss_percent(flows: pd.DataFrame) -> pd.Series:
    """Return the loss rate that a sender sees, in per cent: retransmissions of segments sent."""
    return 100 * flows["retransmissions"] / flows["segments_sent"]


def jain_index(rates: ArrayLike, axis: int = -1) -> np.ndarray:
    """Return Jain's fairness index, (sum x)^2 / (n sum x^2): 1 is equal shares, 1/n is one for all.

    Over `axis`; where all rates are 0 it is not a number.

    >>> from longfat import statistics
    >>> float(statistics.jain_index([[3.0, 1.0]])[0])
    0.8
    """
    rates = np.asarray(rates, dtype=float)
    with np.errstate(invalid="ignore"):
        return rates.sum(axis) ** 2 / (rates.shape[axis] * (rates**2).sum(axis))


def busy(sent_bytes: pd.DataFrame, link: str, rate_bps: float, times_s: ArrayLike) -> np.ndarray:
    """Return a link's true utilization between successive times, from its trace of bytes sent.

    `sent_bytes` is `Result.traces["sent_bytes"]`, `link` is such as "R>N3"; between the points of
    the trace the count is taken to rise evenly. One value less than `times_s` (s).
    Raises InputError for a link that the trace does not have.
    """
    trace = sent_bytes[sent_bytes["link"] == link]
    if trace.empty:
        known = ", ".join(sorted(set(sent_bytes["link"])))
        raise InputError(f"link is '{link}': the trace has {known}")
    times_s = np.asarray(times_s, dtype=float)
    start = np.r_[0.0, trace["time_s"]], np.r_[0.0, trace["sent_bytes"]]
    sent = np.interp(times_s, *start)
    return 8 * np.diff(sent) / (rate_bps * np.diff(times_s))


class Shares(NamedTuple):
    """How flows divide what they get: `table` has a row a flow with share, low, high (of 1)."""

    table: pd.DataFrame
    p_value: float
    repetitions: int


def shares(table: pd.DataFrame, who: str = "protocol", value: str = "goodput_bps") -> Shares:
    """Return the flows' mean shares of their sum, and whether they are equal.

    `table` has a row a flow and run: columns seed, `who` and `value`. `p_value` is that of the
    Friedman test of equal shares over the repetitions, the sign test's for two flows; it is missing
    for fewer than three repetitions. Intervals are Student-t, 95 %.
    """
    wide = table.pivot(index="seed", columns=who, values=value)
    part = wide.div(wide.sum(axis=1), axis=0)
    width = half_width(part.std(), len(part))
    rows = pd.DataFrame(
        {"share": part.mean(), "low": part.mean() - width, "high": part.mean() + width}
    )
    if len(part) < 3:
        p_value = np.nan
    elif part.shape[1] > 2:
        p_value = stats.friedmanchisquare(*(part[name] for name in part)).pvalue
    else:
        above = int((part.iloc[:, 0] > 0.5).sum())
        p_value = stats.binomtest(above, len(part)).pvalue
    return Shares(rows.reset_index(), float(p_value), len(part))


def beside(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each of two senders got as the neighbour of the other, a row a sender of a run.

    `runs` is a sweep's table of runs with two flows: columns N1 and N2 name their congestion
    controls, `flow` says whose row it is. Added are `neighbour`, the flow's own congestion control,
    and `control`, that of the other flow, beside which it stood. Of two equal senders only N2
    counts as the neighbour, so that every run counts once.
    """
    first = runs["flow"] == "N1"
    return runs.assign(
        neighbour=runs["N1"].where(first, runs["N2"]),
        control=runs["N2"].where(first, runs["N1"]),
    )[~first | (runs["N1"] != runs["N2"])].reset_index(drop=True)


def harm(reference: ArrayLike, measured: ArrayLike) -> np.ndarray:
    """Return what a flow loses by its neighbour, as a part: (reference - measured) / reference.

    `reference` is its goodput beside the neighbour that is taken as harmless (Ware et al. 2019);
    negative where it gains.
    """
    reference = np.asarray(reference, dtype=float)
    return ((reference - np.asarray(measured, dtype=float)) / reference)[()]


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


def above(
    upper: ArrayLike, lower: ArrayLike, level: float = 0.05, tests: int = 1, nearly: float = 1.0
) -> pd.Series:
    """Judge whether one sample is above another: one-sided Welch tests on the logarithms.

    Keys: `ratio` of upper to lower with `low`, `high` (confidence 1 - 2 `level`), and `verdict`:
    "above" if all of the interval is above 1; "below" if the ratio is below 1/`nearly` at a
    confidence that allows for so many `tests`; else "open".

    >>> from longfat import statistics
    >>> statistics.above([2.0, 2.2, 1.9], [1.0, 1.1, 1.0])["verdict"]
    'above'
    """
    inner = ratio(upper, lower, 1 - 2 * level)
    outer = ratio(upper, lower, 1 - 2 * level / tests)
    verdict = "above" if inner["low"] > 1 else "below" if outer["high"] < 1 / nearly else "open"
    return pd.Series({**inner, "verdict": verdict})


def compare(
    runs: pd.DataFrame, value: str, control: str, reference: str, factor: float | None = None
) -> pd.DataFrame:
    """Compare what two congestion controls give at each loss rate, a row a rate.

    `runs` has columns control, loss and `value`. With a `factor` the question is whether `control`
    gives the same as `reference` (see `equivalent`), without one whether it gives more (see
    `above`). Columns: loss, control, reference, then those of that function.
    """
    losses = sorted(runs["loss"].unique())
    rows = []
    for loss in losses:
        here = runs[runs["loss"] == loss]
        ours, theirs = (here.loc[here["control"] == name, value] for name in (control, reference))
        if factor is None:
            result = above(ours, theirs, tests=len(losses))
        else:
            result = equivalent(ours, theirs, factor=factor, tests=len(losses))
        rows.append({"loss": loss, "control": control, "reference": reference, **result})
    return pd.DataFrame(rows)


# --- verdicts


def finding(
    values: np.ndarray, above: float | None = None, within: float | None = None
) -> dict[str, float | str]:
    """Judge a claim by repeated measurements: is their mean above a bound, or within one of 0?

    State `above` or `within`. Keys: measured (the mean), low, high (its Student-t interval, 95 %)
    and verdict: `reproduced` where the whole interval agrees with the claim, `not reproduced` where
    none of it does, otherwise `undecidable`. Raises InputError unless one bound is stated.

    >>> from longfat import statistics
    >>> statistics.finding([4.0, 5.0, 6.0], above=0)["verdict"]
    'reproduced'
    """
    if (above is None) == (within is None):
        raise InputError("finding: state either above or within")
    values, verdict = np.asarray(values, dtype=float), ""
    mean, n = values.mean(), len(values)
    width = half_width(values.std(ddof=1) if n > 1 else np.nan, n)
    low, high = mean - width, mean + width
    if np.isnan(width):
        verdict = "undecidable"
    elif above is not None:
        verdict = "reproduced" if low > above else "not reproduced" if high <= above else ""
    elif within is not None:
        inside = -within <= low and high <= within
        verdict = "reproduced" if inside else "not reproduced" if abs(mean) - width > within else ""
    return {"measured": mean, "low": low, "high": high, "verdict": verdict or "undecidable"}


def compatible(printed: float, half_unit: float, low: float, high: float) -> str:
    """Judge a printed value that is one run's, by the interval in which one run lies.

    `half_unit` is half of the last printed digit's unit. Returns `reproduced` where the two
    intervals meet, `not reproduced` where they do not, `undecidable` without an interval.
    """
    if np.isnan([low, high]).any():
        return "undecidable"
    meets = printed - half_unit <= high and printed + half_unit >= low
    return "reproduced" if meets else "not reproduced"


def at_most(bound: float, low: float, high: float) -> str:
    """Judge the claim "at most `bound`" by an interval: is all of it, or none of it, within?

    Without a bound or an interval (missing numbers) the claim is undecidable.
    """
    if np.isnan([bound, low, high]).any():
        return "undecidable"
    if high <= bound:
        return "reproduced"
    return "not reproduced" if low > bound else "undecidable"


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


def everywhere(holds: Iterable[bool]) -> str:
    """Return the verdict on a claim that was tried once each under several assumptions."""
    holds = [bool(one) for one in holds]
    if all(holds):
        return "reproduced"
    return "undecidable" if any(holds) else "not reproduced"


def rising(runs: pd.DataFrame, order: list[str], value: str, case: str = "algorithm") -> dict:
    """Judge the claim that `value` rises from case to case, over repetitions paired by seed.

    `runs` has a row a run: columns seed, `case` and `value`. Returns the `finding` of the
    step that is least favourable to it, in the unit of `value`.
    """
    wide = runs.pivot(index="seed", columns=case, values=value)[order].to_numpy()
    return worst([finding(step, above=0) for step in np.diff(wide).T])


def all_points(verdicts: list[str], confirming: str, refuting: str) -> str:
    """Return the verdict on a claim that is made for every point of a curve.

    "reproduced" if every point confirms it, "not reproduced" if one refutes it, "undecidable"
    otherwise, and "not yet measured" without points.
    """
    if not verdicts:
        return "not yet measured"
    if refuting in verdicts:
        return "not reproduced"
    return "reproduced" if set(verdicts) == {confirming} else "undecidable"


def judge_comparison(compared: pd.DataFrame, confirming: str) -> dict[str, object]:
    """Return the verdict on a claim from every point of `compare` (several tables in one, too).

    `confirming` is "same" or "above". Keys as a chapter's verdicts have them: `measured`, `low` and
    `high`, by how many per cent the most unfavourable point is off the reference; `unit`;
    `verdict`; and `reason`, which names that point and counts the others.
    """
    refuting = {"same": "different", "above": "below"}[confirming]
    size = np.log(compared["ratio"])
    worst = compared.loc[size.abs().idxmax() if confirming == "same" else size.idxmin()]
    counts = [(compared["verdict"] == verdict).sum() for verdict in (confirming, "open", refuting)]
    at = f"loss {worst['loss']:g}, {worst['control']} against {worst['reference']}"
    if "neighbour" in compared:
        at += f", neighbour {worst['neighbour']}"
    return {
        "measured": 100 * (worst["ratio"] - 1),
        "low": 100 * (worst["low"] - 1),
        "high": 100 * (worst["high"] - 1),
        "unit": "%",
        "verdict": all_points(list(compared["verdict"]), confirming, refuting),
        "reason": f"{counts[0]} of {len(compared)} points are {confirming}, {counts[1]} open, "
        f"{counts[2]} {refuting}; the most unfavourable: {at}",
    }


def bands(claims: pd.DataFrame, transfer: str, metric: str) -> pd.DataFrame:
    """Return the bounds that section 4 of a paper puts on its simulation, a row a range of loss."""
    return claims[
        (claims["engine"] == "simulation")
        & (claims["transfer"] == transfer)
        & (claims["metric"] == metric)
        & (claims["where"] == "section 4")
    ]


def judge_differences(claims: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """Judge every claim of the form "model and `engine` differ by at most `bound_percent`".

    `claims` is `papers.claims(...)`; `compared` has columns engine, transfer, metric, loss,
    difference and difference_halfwidth (per cent). Adds to each claim `measured`, `low`, `high`,
    `at` (see `largest_difference`) and `verdict`; a claim whose range of loss rates was not
    measured is "not yet measured".
    """

    def one(claim) -> dict:
        chosen = compared[
            (compared["engine"] == claim.engine)
            & (compared["transfer"] == claim.transfer)
            & (compared["metric"] == claim.metric)
            & compared["loss"].between(claim.loss_min, claim.loss_max)
        ]
        if chosen.empty:
            return {"verdict": "not yet measured"}
        largest = largest_difference(chosen)
        judgement = at_most(claim.bound_percent, largest["low"], largest["high"])
        return largest | {"verdict": judgement}

    columns = ["measured", "low", "high", "at", "verdict"]
    judged = pd.DataFrame([one(claim) for claim in claims.itertuples()], claims.index, columns)
    return claims.join(judged)
