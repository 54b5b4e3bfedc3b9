"""Intervals and tests against scipy's own, on samples of a few runs."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from longfat import statistics

RUNS = np.array([9.1, 10.4, 11.2, 9.8, 10.9])
OTHERS = np.array([7.7, 8.1, 9.0, 8.3])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
def test_interval_of_a_mean(confidence):
    of_scipy = stats.ttest_1samp(RUNS, 0).confidence_interval(confidence)
    width = statistics.half_width(RUNS.std(ddof=1), len(RUNS), confidence)
    assert (RUNS.mean() - width, RUNS.mean() + width) == pytest.approx(tuple(of_scipy))


def test_every_interval_is_one_of_95_percent():
    low, high = stats.ttest_1samp(RUNS, 0).confidence_interval(0.95)
    table = pd.DataFrame({"loss": 0.1, "Mb/s": RUNS})
    row = statistics.interval(table, ["loss"], "Mb/s").iloc[0]
    assert (row["Mb/s"], row["halfwidth"]) == pytest.approx((RUNS.mean(), (high - low) / 2))
    assert row["repetitions"] == 5
    found = statistics.mean(RUNS)
    assert (found["low"], found["high"], found["runs"]) == pytest.approx((low, high, 5))


@pytest.mark.parametrize("runs", [1, 3])
def test_interval_of_further_runs(runs):
    """The textbook's: t s sqrt(1/m + 1/n) for the mean of m further runs."""
    reach = stats.t.ppf(0.975, 4) * RUNS.std(ddof=1) * np.sqrt(1 / runs + 1 / 5)
    found = statistics.prediction_interval(RUNS, runs)
    assert found["low"] == pytest.approx(RUNS.mean() - reach)
    assert found["high"] == pytest.approx(RUNS.mean() + reach)


def test_gains_of_pairs_and_of_a_single_further_pair():
    other = RUNS * np.array([1.1, 1.3, 1.2, 1.15, 1.25])
    table = pd.concat(
        pd.DataFrame({"protocol": name, "seed": range(5), "loss": 0.1, "goodput_bps": values})
        for name, values in [("old", RUNS), ("new", other)]
    )
    row = statistics.gains(table, "old", ["loss"]).iloc[0]
    logs = np.log(other / RUNS)
    ends = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert (row.low, row.high) == pytest.approx(tuple(100 * np.expm1(ends)))
    one = stats.t.ppf(0.975, 4) * logs.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert row.one_low == pytest.approx(100 * np.expm1(logs.mean() - one))
    assert row.one_high == pytest.approx(100 * np.expm1(logs.mean() + one))
    of_pairs = statistics.paired(other, RUNS, ratio=True)
    assert of_pairs["low"] == pytest.approx(1 + row.low / 100)
    difference = statistics.paired(other, RUNS)
    of_scipy = stats.ttest_rel(other, RUNS).confidence_interval(0.95)
    assert (difference["low"], difference["high"]) == pytest.approx(tuple(of_scipy))


def test_ratio_of_samples_that_are_no_pairs():
    ends = stats.ttest_ind(np.log(RUNS), np.log(OTHERS), equal_var=False).confidence_interval(0.95)
    for found in (statistics.ratio(RUNS, OTHERS), statistics.unpaired(RUNS, OTHERS)):
        assert (found["low"], found["high"]) == pytest.approx(tuple(np.exp(ends)))
    assert statistics.unpaired(RUNS, OTHERS)["runs"] == 4


@pytest.mark.parametrize("tests", [1, 6])
@pytest.mark.parametrize("turned", [False, True])
def test_different_is_said_at_the_level_that_so_many_tests_leave(tests, turned):
    """By scipy's one-sided p: the level at which it turns is that p times the number of tests."""
    factor, samples = 1.1, (RUNS, OTHERS)
    first, second = np.log(RUNS) - np.log(factor), np.log(OTHERS)
    p = stats.ttest_ind(first, second, equal_var=False, alternative="greater").pvalue
    if turned:
        samples = (OTHERS, RUNS)
    for share, verdict in [(1.01, "different"), (0.99, "open")]:
        level = p * tests * share
        assert statistics.equivalent(*samples, factor, level, tests)["verdict"] == verdict


def test_the_largest_difference_of_one_point_is_that_points():
    """Far from 0 no sign is lost, and the interval is that of a mean of further runs."""
    found = statistics.maximum(np.full(len(RUNS), 0.1), RUNS, runs=2)
    reach = stats.t.ppf(0.975, 4) * RUNS.std(ddof=1) * np.sqrt(1 / 2 + 1 / 5)
    assert found["measured"] == pytest.approx(RUNS.mean(), rel=0.01)
    assert found["low"] == pytest.approx(RUNS.mean() - reach, rel=0.01)
    assert found["high"] == pytest.approx(RUNS.mean() + reach, rel=0.01)
    assert (found["runs"], found["at"]) == (5, 0.1)


def test_the_largest_difference_is_of_the_point_that_is_largest_by_its_size():
    losses, differences = np.array([0.1, 0.1, 0.2, 0.2]), np.array([5, 5.1, -9, -9.1])
    found = statistics.maximum(losses, differences)
    assert found["at"] == 0.2
    assert found["measured"] == pytest.approx(9.05, rel=0.01)
    once = statistics.maximum(losses[::2], differences[::2])
    assert (once["measured"], once["at"], once["runs"]) == (9, 0.2, 1)
    assert np.isnan([once["low"], once["high"]]).all()


@pytest.mark.parametrize(("printed", "half"), [(0.77, 0.005), (12, 0.5), (1.5, 0.05)])
def test_half_of_the_last_digits_unit(printed, half):
    assert statistics.half_unit(printed) == pytest.approx(half)
