"""The page on ns-3's faults: its scenarios show them, and its tables say what was measured."""

import re

import pandas as pd
import pytest

from longfat.book import sphinx
from longfat.engines import segment
from longfat.faults import NS3_3_44
from longfat.studies import ns3_faults


def counts(scenario) -> list:
    return segment.simulate(scenario).flows[list(ns3_faults.COUNTS)].values.tolist()


def test_every_fault_of_recovery_and_socket_has_a_smallest_scenario():
    assert list(ns3_faults.SMALLEST) == list(NS3_3_44)


@pytest.mark.parametrize("fault", NS3_3_44)
def test_the_smallest_scenario_shows_its_fault(fault):
    scenario = ns3_faults.smallest(fault)
    assert scenario.faults == ()
    assert counts(scenario) != counts(scenario.with_(faults=(fault,)))


@pytest.mark.parametrize("name", ns3_faults.controls())
def test_a_congestion_control_does_otherwise_as_ns3(name):
    pairs = [
        [counts(ns3_faults.control(name, as_ns3, loss, seed=1)) for as_ns3 in (False, True)]
        for loss in (1e-3, 1e-2)
    ]
    assert any(ours != theirs for ours, theirs in pairs)


def test_counts_that_do_not_change_are_a_dash():
    shown = pd.DataFrame(
        {"fault": ["a", "a", "b", "b"], "with_it": [False, True] * 2}
        | {count: [1, 2, 5, 5] for count in ns3_faults.COUNTS}
    )
    table = ns3_faults.what_changes(shown)
    assert table["timeouts"].tolist() == ["1 → 2", "–"]
    assert table["fault"].tolist() == ["a", "b"]


def runs(**goodputs) -> pd.DataFrame:
    """Two seeds at each of two loss rates; the goodput is in Mb/s."""
    rows = [
        (faults, loss, seed, 1e6 * (goodput + 0.01 * seed))
        for faults, goodput in goodputs.items()
        for loss in (1e-4, 5e-3)
        for seed in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["faults", "loss", "seed", "goodput_bps"])


def test_changes_are_of_pairs_with_the_same_seed():
    table = ns3_faults.changes(runs(**{ns3_faults.BY_THE_RFCS: 8.0, "other": 4.0}))
    assert set(table["faults"]) == {"other"}
    assert table["gain"].between(-50, -49.8).all()
    assert (table["high"] < 0).all()


def test_small_changes_are_named_and_not_drawn():
    changes = pd.DataFrame(
        {
            "faults": ["large", "large", "small", ns3_faults.ALL],
            "gain": [0.1, -2.0, -0.4, -3.0],
            "loss": [1e-4, 1e-3, 1e-3, 1e-3],
        }
    )
    assert ns3_faults.that_matter(changes, least_percent=0.5) == [ns3_faults.ALL, "large"]
    assert ns3_faults.that_do_not(changes, least_percent=0.5)["faults"].tolist() == ["small"]


def test_a_claim_is_judged_for_each_set_of_faults():
    good, bad = 8.0, 4.0
    sets = dict.fromkeys(ns3_faults.CLAIM_SETS, bad) | {ns3_faults.BY_THE_RFCS: good}
    table = ns3_faults.claims(runs(**sets))
    assert len(table) == 4
    rare = table[table["printed"] == 0.33].iloc[0]
    assert 47 < float(rare[ns3_faults.ALL].split()[0]) < 49
    assert rare[ns3_faults.ALL].endswith("], not reproduced")
    assert float(rare[ns3_faults.BY_THE_RFCS].split()[0]) < 5


def test_the_largest_change_is_of_means_and_up_or_down():
    table = runs(**{ns3_faults.BY_THE_RFCS: 8.0, ns3_faults.SOCKET: 4.0, ns3_faults.ALL: 10.0})
    assert 49.8 < ns3_faults.largest_change(table, ns3_faults.SOCKET) < 50
    assert 24.9 < ns3_faults.largest_change(table, ns3_faults.ALL) < 25


def test_what_has_no_run_on_ns3_needs_no_word_about_it():
    assert sphinx.of_ns3(["hybla-steady"]) == ""
    of_the_socket, all_of_it = (
        float(re.search(r"goodput by ([0-9.]+) %", sphinx.of_ns3([name]))[1])
        for name in ("survey-stacks-ns3", "cross-check-stock-ns3")
    )
    assert of_the_socket < 1 < all_of_it  # the recovery's overflow is the large one


def test_a_round_of_recovery_takes_more_from_smaller_windows():
    model = ns3_faults.with_a_round_of_recovery(ns3_faults.setting("paper"))
    assert model["ratio"].is_monotonic_decreasing
    assert 0.99 < model["ratio"].iloc[0] < 1
    assert 0.8 < model["ratio"].iloc[-1] < 0.95


def test_no_line_of_a_response_is_above_what_the_link_carries():
    lines = ns3_faults.pipe_responses(ns3_faults.setting("paper"))
    assert lines["goodput_bps"].max() < ns3_faults.PIPE_BPS
    assert set(lines["response"]) == set(ns3_faults.PIPE)


def test_linux_beside_the_pipe_is_told_where_both_ran():
    rows = [
        {"response": "standard", "faults": who, "loss": loss, "goodput_bps": bps}
        for who, loss, bps in [
            (ns3_faults.BY_THE_RFCS, 1e-5, 50e6),
            (ns3_faults.BY_THE_RFCS, 1e-5, 50e6),
            (ns3_faults.LINUX, 1e-5, 40e6),
            (ns3_faults.LINUX, 1e-5, 40e6),
            (ns3_faults.BY_THE_RFCS, 1e-6, 150e6),
            (ns3_faults.ALL, 1e-6, 150e6),
        ]
    ]
    [row] = ns3_faults.pipe_beside_linux(pd.DataFrame(rows)).to_dict("records")
    assert (row["sender"], row["loss"]) == ("standard", 1e-5)
    assert row["Linux's, times ours"] == "0.800 [0.800, 0.800]"
    assert row["response function"] == pytest.approx(44.9, abs=0.1)


def test_linux_gives_the_same_where_losses_are_rare():
    table = ns3_faults.pipe_beside_linux(ns3_faults.both_pipes(ns3_faults.setting("paper")))
    assert len(table) == 18
    rare = table[table["loss"] < 5e-6]
    assert (rare["ratio"] - 1).abs().max() < 0.011
    beyond = table[(table["ratio"] - 1).abs() > 0.05]
    told = beyond[(beyond["low"] > 1) | (beyond["high"] < 1)]
    assert told[["sender", "loss"]].values.tolist() == [["highspeed", 3e-4]]


def test_linuxs_table_makes_highspeed_faster_where_windows_are_small():
    setting = ns3_faults.setting("quick")
    pipe = ns3_faults.long_fat_pipe(setting)
    table = ns3_faults.highspeed_beside_linux(setting, pipe)
    assert table["loss"].tolist() == [3e-4]
    assert table["Linux 6.12"].tolist() == [""]  # not given
    [ours], [changed] = (
        table[name].str.partition(" ")[0].astype(float)
        for name in ("ours", "ours with Linux's table")
    )
    assert changed > ours
