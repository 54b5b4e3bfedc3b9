"""What a result tells beside its tables."""

import numpy as np

from longfat import LinkChange, Result, simulate
from longfat.topologies import reference

RECORD = {"series": ["cwnd_segments", "queue_packets"], "points": 1000}


def changed(at_s=None, rate_bps=5e6, duration_s=10) -> Result:
    """A run whose link becomes another at that time."""
    scenario = reference(congestion_control="newreno", duration_s=duration_s, record=RECORD)
    if at_s is not None:
        changes = (LinkChange(at_s=at_s, rate_bps=rate_bps),)
        there = type(scenario.links[0])(**dict(scenario.links[0]) | {"changes": changes})
        scenario = scenario.replace(links=(there, *scenario.links[1:]))
    return simulate(scenario)


def test_two_runs_part_where_the_link_becomes_another():
    table = changed().parts_from(changed(at_s=5))
    assert set(table["series"]) == {"cwnd_segments", "queue_packets"}
    assert 5 < table["time_s"].min() < 5.3
    assert table["time_s"].is_monotonic_increasing
    queue = table[table["series"] == "queue_packets"].iloc[0]
    assert queue["of"] == "sender>receiver" and queue["there"] > queue["here"]


def test_equal_runs_do_not_part_and_a_small_difference_is_a_matter_of_tolerance():
    assert changed().parts_from(changed()).empty
    slower = changed(at_s=5, rate_bps=9.99e6)
    strict, usual = (changed().parts_from(slower, tolerance=t) for t in (0.0, 0.5))
    assert len(strict) and usual.empty


def test_runs_of_two_lengths_are_compared_as_far_as_both_go():
    table = changed(duration_s=6).parts_from(changed(at_s=5))
    assert np.all(table["time_s"] <= 6)
    assert len(table)
