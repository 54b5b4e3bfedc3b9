"""Throughput over time, fairness, and the fit of assumptions to printed numbers."""

import numpy as np
import pandas as pd
import pytest

from longfat import measures, statistics
from longfat.errors import InputError


def test_goodput_over_time_counts_each_byte_once():
    trace = pd.DataFrame(
        {"flow": "1", "time_s": [0.5, 1.9, 2.0, 3.5, 5.9], "delivered_bytes": [10, 30, 40, 70, 100]}
    )
    table = measures.goodput_over_time(trace, 2, 6)
    assert table["time_s"].tolist() == [2, 4, 6]
    assert (table["goodput_bps"] * 2 / 8).tolist() == [40, 30, 30]


def test_goodput_over_time_of_nobody_is_an_empty_table():
    trace = pd.DataFrame({"flow": [], "time_s": [], "delivered_bytes": []})
    table = measures.goodput_over_time(trace, 2, 6)
    assert table.empty
    assert list(table) == ["flow", "time_s", "goodput_bps"]


def test_goodput_over_time_of_a_flow_that_starts_late():
    trace = pd.DataFrame({"flow": "1", "time_s": [4.5], "delivered_bytes": [8]})
    assert measures.goodput_over_time(trace, 2, 6)["goodput_bps"].tolist() == [0, 0, 32]
    assert measures.goodput_over_time(trace, 1, 6, 3)["goodput_bps"].tolist() == [0, 64, 0]
    with pytest.raises(InputError, match="interval_s is 7"):
        measures.goodput_over_time(trace, 7, 6)


def test_slope():
    table = pd.DataFrame({"t": [0, 1, 2, 3, 4], "x": [9, 1, 3, 5, 5]})
    assert measures.slope(table, "t", "x", 1, 3) == pytest.approx(2)
    assert measures.slope(table, "t", "x", 1, 9, until=5) == pytest.approx(2)
    assert np.isnan(measures.slope(table, "t", "x", 3, 3))


def test_loss_responses():
    window = pd.DataFrame(
        {"time_s": [0, 1.9, 2.0, 2.2, 5.9, 6.1], "cwnd_segments": [10, 20, 15, 12, 48, 24]}
    )
    threshold = pd.DataFrame(
        {"time_s": [2.0, 3.0, 6.0, 6.2], "ssthresh_segments": [10, 10, 24, 20]}
    )
    table = measures.loss_responses(window, threshold, 0.1, 6.5)
    assert len(table) == 1  # the others come too soon after each other
    assert table.loc[0, ["before", "threshold", "after"]].tolist() == [20, 10, 12]
    assert table.loc[0, "growth"] == pytest.approx((48 - 12) * 0.1 / 3.75)


def test_jain_index():
    assert measures.jain_index([5, 5, 5]) == 1
    assert measures.jain_index([1, 0, 0, 0]) == 0.25
    assert measures.jain_index([[1, 1], [3, 1]]).tolist() == [1, 0.8]
    assert np.isnan(measures.jain_index([0, 0]))


PRINTED = pd.DataFrame({"rate": [10.0, 20.0], "loss": [1.0, 2.0]}, index=["a", "b"])


def runs(buffer, rate_a, rate_b, loss_a, loss_b):
    return [
        {"buffer": buffer, "case": "a", "rate": rate_a, "loss": loss_a},
        {"buffer": buffer, "case": "b", "rate": rate_b, "loss": loss_b},
    ]


def test_fit_names_the_worst_number_and_the_order():
    table = pd.DataFrame(
        runs(1, 10, 20, 1, 2) + runs(2, 5, 20, 1, 2) + runs(3, 30, 20, 1, 2) + runs(4, 9, 21, 3, 2)
    )
    result = statistics.fit(table, ["buffer"], "case", PRINTED).set_index("buffer")
    assert result["factor"].tolist() == pytest.approx([1, 2, 3, 3])
    assert result["ordered"].tolist() == [True, True, False, False]
    assert result.loc[2, "rate a"] == 0.5


def test_fit_averages_repetitions():
    table = pd.DataFrame(runs(1, 8, 20, 1, 2) + runs(1, 12, 20, 1, 2))
    assert statistics.fit(table, ["buffer"], "case", PRINTED)["factor"].tolist() == pytest.approx(
        [1]
    )


def test_loss_percent():
    flows = pd.DataFrame({"retransmissions": [3], "segments_sent": [1000]})
    assert measures.loss_percent(flows).tolist() == pytest.approx([0.3])
