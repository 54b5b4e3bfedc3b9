"""How flows share a link: harm, and tests of claims such as "the same as" or "between".

Goodputs are in any one unit; every function compares repeated, independent runs.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from longfat.errors import InputError


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


def ratio(measured: ArrayLike, reference: ArrayLike, confidence: float = 0.95) -> pd.Series:
    """Return the ratio of two samples' typical values (geometric means) with its interval.

    Welch's t on the logarithms, so that a factor up and the same factor down weigh alike. Keys:
    `ratio`, `low`, `high`. Raises InputError for samples of fewer than two, or not above 0.
    """
    logs = [np.asarray(sample, dtype=float) for sample in (measured, reference)]
    for sample in logs:
        if sample.size < 2 or (sample <= 0).any():
            raise InputError("a ratio needs two samples of two runs or more, all above 0")
    measured, reference = np.log(logs[0]), np.log(logs[1])
    centre = measured.mean() - reference.mean()
    if measured.std() == 0 and reference.std() == 0:
        return pd.Series(dict.fromkeys(("ratio", "low", "high"), float(np.exp(centre))))
    test = stats.ttest_ind(measured, reference, equal_var=False)
    low, high = test.confidence_interval(confidence)
    return pd.Series({"ratio": np.exp(centre), "low": np.exp(low), "high": np.exp(high)})


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
        samples = [here.loc[here["control"] == name, value] for name in (control, reference)]
        if factor is None:
            result = above(*samples, tests=len(losses))
        else:
            result = equivalent(*samples, factor=factor, tests=len(losses))
        rows.append({"loss": loss, "control": control, "reference": reference, **result})
    return pd.DataFrame(rows)


def judge(compared: pd.DataFrame, confirming: str) -> dict[str, object]:
    """Return the verdict on a claim from every point of `compare` (several tables in one, too).

    `confirming` is "same" or "above". Keys as in `report.VERDICT_COLUMNS`: `measured`, `low` and
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
