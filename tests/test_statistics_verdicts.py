"""Gains, shares, errors of estimates and verdicts, on numbers whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from longfat import measures, statistics
from longfat.errors import InputError


def runs(ratio, spread, seeds, rng):
    base = rng.uniform(1e6, 2e6, seeds)
    other = base * ratio * np.exp(rng.normal(0, spread, seeds))
    rows = [("old", seed, b) for seed, b in enumerate(base)]
    rows += [("new", seed, b) for seed, b in enumerate(other)]
    return pd.DataFrame(rows, columns=["protocol", "seed", "goodput_bps"]).assign(loss=0.1)


def test_a_constant_ratio_has_no_width():
    found = statistics.gains(runs(1.5, 0, 4, np.random.default_rng(1)), "old", ["loss"])
    assert len(found) == 1
    row = found.iloc[0]
    assert (row.protocol, row.repetitions) == ("new", 4)
    assert [row.gain, row.low, row.high, row.one_low, row.one_high] == pytest.approx([50] * 5)


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(2)
    mean = one = 0
    for _ in range(1000):
        row = statistics.gains(runs(2.0, 0.3, 6, rng), "old", ["loss"]).iloc[0]
        mean += row.low <= 100 <= row.high
        one += row.one_low <= 100 * np.expm1(np.log(2) + rng.normal(0, 0.3)) <= row.one_high
    assert 0.93 < mean / 1000 < 0.97
    assert 0.93 < one / 1000 < 0.97


def test_one_pair_has_no_interval():
    row = statistics.gains(runs(1.5, 0, 1, np.random.default_rng(1)), "old", ["loss"]).iloc[0]
    assert row.gain == pytest.approx(50)
    assert np.isnan([row.low, row.one_high]).all()


def test_what_has_no_partner_is_in_no_pair():
    table = runs(1.5, 0.1, 4, np.random.default_rng(1))
    paired = table[(table["protocol"] == "old") | (table["seed"] < 2)]
    row = statistics.gains(paired, "old", ["loss"]).iloc[0]
    alone = statistics.gains(table[table["seed"] < 2], "old", ["loss"]).iloc[0]
    assert row.repetitions == 2
    assert [row.gain, row.low, row.one_high] == [alone.gain, alone.low, alone.one_high]


def test_what_cannot_be_compared_is_named():
    table = runs(1.5, 0, 2, np.random.default_rng(1))
    with pytest.raises(InputError, match="protocol: there is no 'older'"):
        statistics.gains(table, "older", ["loss"])
    with pytest.raises(InputError, match="goodput_bps: a ratio needs values above 0"):
        statistics.gains(table.assign(goodput_bps=0.0), "old", ["loss"])


def test_the_distance_to_printed_gains_is_one_of_logarithms():
    found = pd.DataFrame({"loss": [1, 2], "gain": [100.0, 10.0]})
    printed = pd.DataFrame({"loss": [1, 2, 3], "printed": [50.0, 10.0, 1.0]})
    error = statistics.distance(found, printed, ["loss"])["error"]
    assert error.tolist() == pytest.approx([np.log(2 / 1.5), 0])
    assert statistics.root_mean_square(error) == pytest.approx(np.log(2 / 1.5) / np.sqrt(2))


def shared(rates, seeds, rng):
    rows = [
        (seed, name, rate * rng.uniform(0.9, 1.1))
        for seed in range(seeds)
        for name, rate in rates.items()
    ]
    return pd.DataFrame(rows, columns=["seed", "protocol", "goodput_bps"])


def test_equal_and_unequal_shares():
    rng = np.random.default_rng(3)
    equal = shared({"a": 1, "b": 1, "c": 1}, 20, rng)
    unequal = shared({"a": 1, "b": 1, "c": 1.5}, 20, rng)
    assert measures.equal_shares(equal) > 0.05 > 1e-4 > measures.equal_shares(unequal)
    assert measures.shares(equal)["share"].sum() == pytest.approx(1)
    third = measures.shares(unequal).set_index("protocol").loc["c"]
    assert third.low < 1.5 / 3.5 < third.high
    two = shared({"a": 1, "b": 2}, 10, rng)
    assert measures.equal_shares(two) == pytest.approx(2 / 2**10)
    few = shared({"a": 1, "b": 1}, 2, rng)
    assert np.isnan(measures.equal_shares(few))  # too few for a test
    one = measures.shares(shared({"a": 1, "b": 3}, 1, rng))
    assert one["share"].sum() == pytest.approx(1) and one["low"].isna().all()


def test_a_held_value_and_a_throughput():
    trace = pd.DataFrame({"time_s": [1.0, 2.0, 4.0], "delivered_bytes": [100, 300, 400]})
    times = np.array([0.5, 1.0, 3.0, 5.0])
    assert measures.values_at(trace, "delivered_bytes", times) == pytest.approx(
        [np.nan, 100, 300, 400], nan_ok=True
    )
    assert measures.true_throughput(trace, times) == pytest.approx([1600, 800, 400])


def test_errors_of_an_estimate_that_is_a_tenth_too_high():
    times = np.arange(0.0, 101.0)
    delivered = pd.DataFrame({"time_s": times, "delivered_bytes": 1000 * times})
    estimate = pd.DataFrame({"time_s": times[1:], "bandwidth_bps": 8800.0})
    found = measures.estimate_error(delivered, estimate, times)
    assert found == pytest.approx({"bias": 0.1, "error": 0.1, "variation": 0})
