"""The UCC chapter's archive: the scale that its pages state, and the engines beside each other."""

import json

import pytest

from longfat import paths, store
from longfat.result import FLOW_COLUMNS

pytestmark = pytest.mark.skipif(
    not (paths.RESULTS / "ucc-pairs.csv").exists(), reason="the chapter has no archive yet"
)
LOSSES = {0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1}


def runs(experiment):
    archive = store.read_archive(experiment)
    scenarios = [json.loads(text) for text in archive["scenario"]]
    archive["controls"] = [
        tuple(json.dumps(flow["congestion_control"]) for flow in s["flows"]) for s in scenarios
    ]
    archive["loss"] = [
        max(link.get("loss_per_packet", 0) for link in s["links"]) for s in scenarios
    ]
    return archive


def test_every_pair_of_five_has_ten_runs_at_each_loss_rate_and_equated_pairs_have_thirty():
    table = runs("ucc-pairs-segment")
    assert set(table["engine"]) == {"segment"}
    assert set(table["loss"]) == LOSSES
    assert len(set(table["controls"])) == 15
    assert (table["simulated_s"] == 100).all()
    seeds = table.groupby(["controls", "loss"])["seed"].nunique()
    assert sorted(set(seeds)) == [10, 30]
    assert (seeds == 30).sum() == 6 * 8


def test_the_full_stack_ran_ten_runs_of_all_but_four_pairs():
    table = runs("ucc-pairs")
    assert set(table["engine"]) == {"ns3"}
    assert set(table["loss"]) == LOSSES
    seeds = table.groupby(["controls", "loss"])["seed"].nunique()
    assert len(seeds) == 11 * 8
    assert (seeds == 10).all()


def test_the_chain_and_the_estimates_ran_on_ns3():
    for experiment in ("ucc-elsewhere", "ucc-utilization"):
        assert set(store.read_archive(experiment)["engine"]) == {"ns3"}
    table = runs("ucc-chain")
    assert set(table["engine"]) == {"ns3"}
    assert (table.groupby(["controls", "loss"])["seed"].nunique() == 10).all()
    assert set(table["loss"]) == LOSSES


def test_both_engines_give_the_same_digits_in_nearly_every_run():
    columns = [column for column in FLOW_COLUMNS if column not in ("flow", "transfer_time_s")]
    full, fast = store.read_archive("ucc-pairs"), store.read_archive("ucc-pairs-segment")
    both = full.merge(fast, on=["scenario", "flow"], suffixes=("", "_fast"))
    assert len(both) == len(full)
    equal = (both[columns].to_numpy() == both[[f"{c}_fast" for c in columns]].to_numpy()).all(1)
    assert equal.mean() > 0.95
    assert both["goodput_bps"].sum() == pytest.approx(both["goodput_bps_fast"].sum(), rel=0.005)
