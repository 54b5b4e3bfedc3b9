"""Harm and the tests of claims, against hand-made samples and by drawing."""

import numpy as np
import pandas as pd
import pytest

from longfat import measures, statistics
from longfat.errors import InputError

pytestmark = pytest.mark.medium


def test_both_senders_are_each_other_s_neighbour():
    runs = pd.DataFrame(
        {
            "N1": ["a", "a", "a", "a"],
            "N2": ["a", "a", "b", "b"],
            "flow": ["N1", "N2", "N1", "N2"],
            "goodput": [1, 2, 3, 4],
        }
    )
    got = measures.neighbour_goodput(runs)
    assert got[["control", "neighbour", "goodput"]].to_records(index=False).tolist() == [
        ("a", "a", 2),
        ("b", "a", 3),  # a's own goodput, beside b
        ("a", "b", 4),
    ]


def test_harm_is_what_is_lost():
    assert measures.harm([4.0, 4.0], [3.0, 5.0]) == pytest.approx([0.25, -0.25])


def samples(factor, n=10, spread=0.05, seed=0):
    random = np.random.default_rng(seed)
    return factor * np.exp(spread * random.standard_normal(n)), np.exp(
        spread * random.standard_normal(n)
    )


def test_the_interval_covers_the_ratio_as_often_as_it_says():
    hits = 0
    for seed in range(1000):
        interval = statistics.ratio(*samples(1.3, seed=seed), confidence=0.9)
        hits += interval["low"] <= 1.3 <= interval["high"]
    assert hits == pytest.approx(900, abs=4 * np.sqrt(1000 * 0.9 * 0.1))


@pytest.mark.parametrize(
    ("factor", "expected"), [(1.0, "same"), (1.5, "different"), (0.6, "different")]
)
def test_clear_cases_of_equivalence(factor, expected):
    assert statistics.equivalent(*samples(factor), factor=1.1)["verdict"] == expected


def test_at_the_margin_same_is_said_in_one_of_twenty():
    """The size of the test: samples that differ by just the factor pass at most as level says."""
    said = [
        statistics.equivalent(*samples(1.1, seed=s), factor=1.1)["verdict"] for s in range(1000)
    ]
    assert said.count("same") <= 50 + 4 * np.sqrt(1000 * 0.05 * 0.95)
    assert said.count("same") > 20


def test_few_and_scattered_runs_leave_it_open():
    assert statistics.equivalent(*samples(1.0, n=3, spread=0.5), factor=1.1)["verdict"] == "open"


def test_what_would_have_been_needed():
    result = statistics.equivalent(*samples(1.0), factor=1.1)
    assert statistics.equivalent(*samples(1.0), factor=result["needed"] + 1e-9)["verdict"] == "same"
    assert statistics.equivalent(*samples(1.0), factor=result["needed"] - 1e-9)["verdict"] != "same"


def test_equal_runs_without_scatter_are_the_same():
    result = statistics.equivalent([2.0, 2.0], [2.0, 2.0], factor=1.1)
    assert (result["ratio"], result["verdict"]) == (1, "same")


def test_bad_samples_are_refused():
    with pytest.raises(InputError, match="two runs"):
        statistics.ratio([1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="above 0"):
        statistics.ratio([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="factor"):
        statistics.equivalent([1.0, 2.0], [1.0, 2.0], factor=1)


def test_busy_is_bytes_over_rate():
    trace = pd.DataFrame(
        {"link": ["a>b"] * 3 + ["b>a"], "time_s": [1, 2, 3, 3.0], "sent_bytes": [0, 500, 1500, 9]}
    )
    assert measures.link_utilization(trace, "a>b", 8000, [0, 1, 2, 3]) == pytest.approx([0, 0.5, 1])
    with pytest.raises(InputError, match="b>a"):
        measures.link_utilization(trace, "x>y", 8000, [0, 1])


def many_runs(**factors):
    rows = []
    for loss in (0.0, 0.01):
        for seed, (name, factor) in enumerate(factors.items()):
            drawn = factor * (1 + loss) * samples(1.0, seed=seed)[0]
            rows += [{"control": name, "loss": loss, "Mb/s": value} for value in drawn]
    return pd.DataFrame(rows)
