"""UCC's inverse problem: the distance to what was stated, on runs whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from longfat import experiment
from longfat.papers.ucc import inverse, plan
from longfat.papers.ucc.plan import CHD, NEIGHBOURS

SETTING = plan.setting("quick", loss_rates=[1e-4, 3e-3, 0.1], repetitions=8)


def made_up(ucc: float, chd: float, seeds: int = 4, scatter: float = 0.0, **labels) -> pd.DataFrame:
    """Pairs: a neighbour gets 1 Mb/s beside its own kind, and so much beside UCC and CHD."""
    rows = []
    for neighbour in NEIGHBOURS:
        for other, mbps in ((neighbour, 1.0), (CHD, chd), ("UCC", ucc)):
            for loss in SETTING.loss_rates:
                for seed in range(1, seeds + 1):
                    own = mbps * np.exp(scatter * (seed - (seeds + 1) / 2))
                    row = {"engine": "segment", "N1": neighbour, "N2": other, "loss": loss} | labels
                    rows.append(row | {"seed": seed, "flow": "N1", "Mb/s": own})
                    rows.append(row | {"seed": seed, "flow": "N2", "Mb/s": own})
    return pd.DataFrame(rows)


def test_two_or_three_of_what_ns2_did_are_changed_at_once():
    found = plan.combined()
    assert sorted(len(names) for names in found) == [2, 2, 2, 3]
    assert set().union(*found) == set(plan.TOGETHER)
    assert set(plan.TOGETHER) <= {one.parameter for one in plan.VARIED}


def test_statements_that_hold_have_no_distance():
    """A neighbour gets 5 % less beside UCC, which is almost the same, and half beside CHD."""
    [row] = inverse.distances(SETTING, made_up(ucc=0.95, chd=0.5)).itertuples()
    assert (row.parameter, row.distance, row.low, row.high) == ("none", 0, 0, 0)
    assert (row.met, row.of) == (12, 12)  # two statements, three neighbours, two loss rates


def test_the_distance_is_the_mean_of_what_is_missed():
    """A third more beside UCC misses "almost the same" by 21 %, half of the statements; and where
    CHD leaves it a third more than UCC, the other half is missed by that."""
    [above] = inverse.distances(SETTING, made_up(ucc=1.331, chd=0.5)).itertuples()
    assert above.distance == pytest.approx(21 / 2, abs=1e-6)
    assert (above.met, above.of) == (6, 12)
    [both] = inverse.distances(SETTING, made_up(ucc=0.5, chd=0.65)).itertuples()
    assert both.distance == pytest.approx((100 * (1 / 0.5 / 1.1 - 1) + 30) / 2, abs=1e-6)
    assert both.met == 0


def test_a_bootstrap_gives_the_interval_and_what_it_does_not_refute():
    [row] = inverse.distances(SETTING, made_up(1.2, 0.5, seeds=8, scatter=0.1)).itertuples()
    assert row.low < row.distance < row.high
    assert row.distance == pytest.approx(100 * (1.2 / 1.1 - 1) / 2, abs=1e-6)
    assert row.met == 12  # so few runs that scatter so much refute none


def test_the_nearest_combination_comes_first_and_what_was_not_run_is_as_in_the_chapter():
    base = made_up(ucc=1.5, chd=0.5)
    near = made_up(1.0, 0.5, parameter="recovery, loss_process", setting="halved, per bit")
    far = made_up(2.0, 0.5, parameter="cubic", setting="as Linux 6.12 has it")
    far = far[(far["N1"] == "CUBIC") | (far["N2"] == "CUBIC")]
    table = inverse.distances(SETTING, base, pd.concat([near, far]))
    assert list(table["parameter"]) == ["recovery, loss_process", "none", "cubic"]
    missed = 100 * (1.5 / 1.1 - 1)
    cubic = 100 * (2 / 1.1 - 1)
    assert table["distance"].to_list() == pytest.approx([0, missed / 2, (2 * missed + cubic) / 6])


def test_the_runs_change_several_assumptions_at_once(monkeypatch):
    seen = {}

    def sweep(scenarios, engine, experiment, labels):
        seen[experiment] = scenarios
        return labels.assign(goodput_bps=1e6)

    monkeypatch.setattr(experiment, "sweep", sweep)
    table = inverse.combined_runs(plan.runs(SETTING))
    scenarios = seen["ucc-inverse"]
    assert len(scenarios) == len(table) == 4 * 9 * 2 * SETTING.half
    every = table["parameter"] == "recovery, initial_ssthresh, loss_process"
    assert every.sum() == 9 * 2 * SETTING.half
    for number in np.flatnonzero(every):
        flow, link = scenarios[number].flows[0], scenarios[number].links[-2]
        assert (flow.recovery, flow.initial_ssthresh_segments) == ("halving", 20)
        assert link.loss_per_packet == 0 and link.loss_per_bit > 0
    assert (table["Mb/s"] == 1).all()
