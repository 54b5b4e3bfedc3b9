"""The comparison of the segment engine with the full stack."""

import pytest

from longfat import sweep
from longfat.studies import engines_checked


def test_a_sweep_that_differs_is_seen():
    scenarios, labels = engines_checked.runs(["newreno"], seeds=2)
    one = sweep(scenarios, engine="segment", labels=labels)
    assert len(labels) == 3 + 2 * 5
    same = engines_checked.compare(one, one)
    assert (same["equal"] == same["runs"]).all() and (same["difference_percent"] == 0).all()
    other = one.assign(goodput_bps=1.1 * one["goodput_bps"], segments_sent=0)
    table = engines_checked.by_algorithm(engines_checked.compare(one, other))
    assert table["equal"].tolist() == [0]
    assert table["largest_difference_percent"].iloc[0] == pytest.approx(10)
