"""What is made of runs: throughput over time, fairness, loss, and which assumptions fit numbers."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat import findings
from longfat.errors import InputError


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
        position = np.searchsorted(trace["time_s"], edges + 1e-9, side="right")
        values = np.concatenate([[0.0], trace["delivered_bytes"]])[position]
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
        position = np.searchsorted(window["time_s"], when - 0.2 * rtt_s, side="right")
        return np.append(np.nan, window["cwnd_segments"])[position]

    table = pd.DataFrame(
        {
            "before": held(times),
            "threshold": threshold["ssthresh_segments"].to_numpy(),
            "after": held(later),
            "growth": (held(ends) - held(later)) * rtt_s / (ends - later),
        }
    )
    return table[(ends - times >= 8 * rtt_s) & table["before"].notna()].reset_index(drop=True)


def jain_index(rates: ArrayLike, axis: int = -1) -> np.ndarray:
    """Return Jain's fairness index, (sum x)^2 / (n sum x^2): 1 is equal shares, 1/n is one for all.

    Over `axis`; where all rates are 0 it is not a number.
    """
    rates = np.asarray(rates, dtype=float)
    with np.errstate(invalid="ignore"):
        return rates.sum(axis) ** 2 / (rates.shape[axis] * (rates**2).sum(axis))


def loss_percent(flows: pd.DataFrame) -> pd.Series:
    """Return the loss rate that a sender sees, in per cent: retransmissions of segments sent."""
    return 100 * flows["retransmissions"] / flows["segments_sent"]


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


def rising(runs: pd.DataFrame, order: list[str], value: str, case: str = "algorithm") -> dict:
    """Judge the claim that `value` rises from case to case, over repetitions paired by seed.

    `runs` has a row a run: columns seed, `case` and `value`. Returns the `findings.finding` of the
    step that is least favourable to it, in the unit of `value`.
    """
    wide = runs.pivot(index="seed", columns=case, values=value)[order].to_numpy()
    return findings.worst([findings.finding(step, above=0) for step in np.diff(wide).T])


def everywhere(holds: Iterable[bool]) -> str:
    """Return the verdict on a claim that was tried once each under several assumptions."""
    holds = [bool(one) for one in holds]
    if all(holds):
        return "reproduced"
    return "undecidable" if any(holds) else "not reproduced"
