"""What is read off traces and flows: rates over time, estimates, shares, harm.

A table has a row a run (or a flow of a run); a trace a row a change.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from longfat.errors import InputError
from longfat.statistics import half_width
from longfat.style import ENGINE_LABEL

# What has columns, those of a table of `Result.traces`.
Trace: TypeAlias = Mapping[str, Any] | pd.DataFrame


def values_at(trace: Trace, series: str, times: ArrayLike) -> np.ndarray:
    """Return a trace's value at each of the times: the last one before; missing before the first.

    `trace` is one flow's, with columns time_s and `series`.
    """
    position = np.searchsorted(np.asarray(trace["time_s"]), times, side="right") - 1
    values = np.asarray(trace[series], dtype=float)
    return np.where(position >= 0, values[np.maximum(position, 0)], np.nan)


def extended_trace(trace: pd.DataFrame, end_s: float) -> pd.DataFrame:
    """Return a trace whose last value lasts until `end_s`: a trace has a point a change."""
    return pd.concat([trace, trace.tail(1).assign(time_s=end_s)], ignore_index=True)


def true_throughput(trace: Trace, times: np.ndarray) -> np.ndarray:
    """Return the throughput between consecutive times, bit/s, from a trace of delivered_bytes."""
    return 8 * np.diff(np.nan_to_num(values_at(trace, "delivered_bytes", times))) / np.diff(times)


def estimate_error(delivered: Trace, estimate: Trace, times: np.ndarray) -> dict:
    """Return how an estimate of the bandwidth compares with the throughput between the times.

    Traces of one flow, of delivered_bytes and bandwidth_bps. Keys: bias (mean of the estimate over
    the mean throughput, less 1), error (root mean square of the difference, over the mean
    throughput), variation (standard deviation of the estimate over its mean).
    """
    truth = true_throughput(delivered, times)
    guess = values_at(estimate, "bandwidth_bps", times)[1:]
    known = ~np.isnan(guess)
    truth, guess = truth[known], guess[known]
    return {
        "bias": guess.mean() / truth.mean() - 1,
        "error": np.sqrt(np.mean((guess - truth) ** 2)) / truth.mean(),
        "variation": guess.std() / guess.mean(),
    }


def goodput_over_time(
    delivered: Trace, interval_s: float, duration_s: float, start_s: float = 0.0
) -> pd.DataFrame:
    """Return the goodput of each flow in each whole interval, from its `delivered_bytes` trace.

    `delivered` has columns flow, time_s and delivered_bytes, such as `result.traces[...]`. Columns
    of the result: flow, time_s (end of the interval), goodput_bps. A trace that holds the last
    value in each of N intervals is exact where `interval_s` is a multiple of those.
    """
    ends_s, rates = interval_goodput(delivered, interval_s, duration_s, start_s)
    return pd.DataFrame(
        {
            "flow": [flow for flow in rates for _ in ends_s],
            "time_s": np.tile(ends_s, len(rates)),
            "goodput_bps": np.concatenate([[], *rates.values()]),
        }
    )


def interval_goodput(
    delivered: Trace, interval_s: float, duration_s: float, start_s: float = 0.0
) -> tuple[np.ndarray, dict[Any, np.ndarray]]:
    """Return where the intervals of `goodput_over_time` end (s), and each flow's goodput (bit/s) in
    them; it makes no table."""
    if not 0 < interval_s <= duration_s - start_s:
        raise InputError(f"interval_s is {interval_s:g}: it must be above 0 and at most the run's")
    count = int(round((duration_s - start_s) / interval_s, 6))
    edges = start_s + interval_s * np.arange(count + 1)
    columns = {name: np.asarray(delivered[name]) for name in ("flow", "time_s", "delivered_bytes")}
    rates = {}
    for flow in dict.fromkeys(columns["flow"].tolist()):
        trace = {name: values[columns["flow"] == flow] for name, values in columns.items()}
        reached = np.nan_to_num(values_at(trace, "delivered_bytes", edges + 1e-9))
        rates[flow] = 8 * np.diff(reached) / interval_s
    return edges[1:], rates


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
        return values_at(window, "cwnd_segments", when - 0.2 * rtt_s)

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

    >>> from longfat import measures
    >>> float(measures.jain_index([[3.0, 1.0]])[0])
    0.8
    """
    rates = np.asarray(rates, dtype=float)
    with np.errstate(invalid="ignore"):
        return rates.sum(axis) ** 2 / (rates.shape[axis] * (rates**2).sum(axis))


def link_utilization(
    sent_bytes: pd.DataFrame, link: str, rate_bps: float, times_s: ArrayLike
) -> np.ndarray:
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


def shares(table: pd.DataFrame, who: str = "protocol", value: str = "goodput_bps") -> pd.DataFrame:
    """Return the flows' mean shares of their sum: a row a flow, with share, low and high (of 1).

    `table` has a row a flow and run: columns seed, `who` and `value`. Intervals are Student-t,
    95 %, over the seeds.
    """
    part = _shares(table, who, value)
    width = half_width(part.std(), len(part))
    rows = {"share": part.mean(), "low": part.mean() - width, "high": part.mean() + width}
    return pd.DataFrame(rows).reset_index()


def equal_shares(table: pd.DataFrame, who: str = "protocol", value: str = "goodput_bps") -> float:
    """Return the p value of a test whether flows share equally; `table` is as for `shares`.

    It is the Friedman test's over the seeds, the sign test's for two flows; missing for fewer than
    three seeds.
    """
    part = _shares(table, who, value)
    if len(part) < 3:
        return np.nan
    if part.shape[1] > 2:
        return float(scipy.stats.friedmanchisquare(*(part[name] for name in part)).pvalue)
    above = int((part.iloc[:, 0] > 0.5).sum())
    return float(scipy.stats.binomtest(above, len(part)).pvalue)


def _shares(table: pd.DataFrame, who: str, value: str) -> pd.DataFrame:
    wide = table.pivot(index="seed", columns=who, values=value)
    return wide.div(wide.sum(axis=1), axis=0)


def neighbour_goodput(runs: pd.DataFrame) -> pd.DataFrame:
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


def over_segment_engine(points: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    """Return what other engines have over what the segment engine has, at points that both have.

    `points` has a row a point and the columns engine (as readers know it), `by` and `value`. A row
    a point of another engine; columns engine, `by`, ratio.
    """
    ours = points["engine"] == ENGINE_LABEL["segment"]
    both = points[~ours].merge(points.loc[ours, [*by, value]], on=by, suffixes=("", " ours"))
    ratio = both[value] / both[f"{value} ours"]
    return both[["engine", *by]].assign(ratio=ratio)


def harm(reference: ArrayLike, measured: ArrayLike) -> np.ndarray:
    """Return what a flow loses by its neighbour, as a part: (reference - measured) / reference.

    `reference` is its goodput beside the neighbour that is taken as harmless (Ware et al. 2019);
    negative where it gains.
    """
    reference = np.asarray(reference, dtype=float)
    return ((reference - np.asarray(measured, dtype=float)) / reference)[()]
