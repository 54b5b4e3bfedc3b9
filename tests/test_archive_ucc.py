"""The UCC chapter's archive: the scale that its pages state, and the engines beside each other."""

import json

import pytest

from longfat import store
from longfat.papers.ucc import analysis, joint, plan

pytestmark = pytest.mark.book

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


def test_every_pair_of_five_has_six_runs_at_each_loss_rate_and_equated_pairs_have_twelve():
    table = runs("ucc-pairs-segment")
    assert set(table["engine"]) == {"segment"}
    assert set(table["loss"]) == LOSSES
    assert len(set(table["controls"])) == 15
    assert (table["simulated_s"] == 100).all()
    seeds = table.groupby(["controls", "loss"])["seed"].nunique()
    assert sorted(set(seeds)) == [6, 12, 48]
    assert (seeds == 6).sum() == 6 * 8
    assert (seeds == 48).sum() == 9 + 2 + 6 + 1
    more = (
        runs("ucc-pairs-more").groupby(["controls", "loss"])["seed"].agg(["min", "max", "nunique"])
    )
    assert sorted(more.index.get_level_values("loss")) == [0.003, 0.003, 0.1, 0.1]
    assert (
        sorted(more.itertuples(index=False, name=None))
        == [(49, 480, 432)] * 2 + [(49, 600, 552)] * 2
    )


def test_the_chain_has_every_layout():
    table = runs("ucc-chain-segment")
    assert set(table["engine"]) == {"segment"}
    assert set(table["loss"]) == LOSSES
    assert len(set(table["controls"])) == 3


def test_ns3_has_runs_of_the_segment_engine():
    full, fast = runs("ucc-pairs"), runs("ucc-pairs-segment")
    assert set(full["engine"]) == {"ns3"}
    runs_of_point = full.groupby(["controls", "loss"])["seed"].nunique()
    assert (runs_of_point == plan.NS3_RUNS).all()
    assert len(runs_of_point) == 5 * len(plan.NS3_LOSSES) + len(plan.NEIGHBOURS_ON_NS3)
    early = full["seed"] <= plan.setting().half  # as often the segment engine has every pair
    assert set(full.loc[early, "scenario"]) < set(fast["scenario"])


def test_ns2_has_each_pair_of_its_senders_forty_eight_times_or_more():
    """And UCC there takes for equal what is equal to a nanosecond."""
    table = runs("ucc-pairs-ns2")
    assert set(table["engine"]) == {"ns2"}
    assert set(table["loss"]) == LOSSES
    seeds = table.groupby(["controls", "loss"])["seed"].nunique()
    assert len(seeds) == len(plan.NS2_PAIRS) * len(LOSSES)
    more = seeds[seeds > 48]
    assert set(seeds) == {48, 192, 480}
    assert more.groupby("loss").apply(sorted).to_dict() == {
        0.003: [192, 192, 480, 480, 480, 480],
        0.1: [192, 192],
    }
    names = {json.loads(control)["name"] for pair in table["controls"] for control in pair}
    assert names == {"newreno", "cubic", "compound", "ucc"}
    for pair in set(table["controls"]):
        for one in map(json.loads, pair):
            assert one["name"] != "ucc" or one["parameters"]["tolerance_s"] == 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("loss", [1e-4, 1e-3, 3e-3, 1e-2])
@pytest.mark.parametrize("control", ["NewReno", "UCC"])
def test_two_that_share_no_code_carry_alike_over_several_bottlenecks(control, loss):
    """As figure 8's text has the network; beyond one loss in a hundred ns-2's timer parts them."""
    chains = analysis.chains(plan.runs(plan.setting()))
    here = chains[(chains["layout"] == plan.LAYOUT) & (chains["loss"] == loss)]
    means = here[here["control"] == control].groupby("engine")["Mb/s"].mean()
    assert means["ns2"] == pytest.approx(means["segment"], rel=0.12)


def test_what_is_said_of_hd_and_chd_has_as_many_runs_as_a_verdict_rests_on():
    table = runs("ucc-relatives")
    beside = table["controls"].map(lambda two: "newreno" in two[1])
    rests = beside & table["controls"].map(lambda two: '"name": "hd"' in two[0] or "chd" in two[0])
    seeds = table.groupby(["controls", "loss"])["seed"].nunique()
    assert set(seeds) == {plan.setting().half, plan.REPETITIONS}
    assert set(table[rests & (table["seed"] > plan.setting().half)]["loss"]) == {0, 0.01}


def test_the_estimates_of_two_flows_are_archived_at_every_loss_rate():
    table = store.read_table(plan.MEASURED, "points")
    assert set(table["loss"]) == LOSSES
    assert (table.groupby("loss")["seed"].nunique() == plan.REPETITIONS).all()
    assert (table["losses"] > 50).all()
    assert table[["estimate", "utilization", "error"]].to_numpy().max() <= 1


def test_a_neighbour_keeps_more_where_the_smallest_delay_is_the_connections():
    found = joint.numbers()
    keeps = "ucc_joint_newreno_kept_clean"
    assert found[f"{keeps}_epoch"] < found[keeps] < found[f"{keeps}_connection"] < 1
    assert found["ucc_joint_newreno_holds"] <= found["ucc_joint_newreno_decided"]
    assert found["ucc_joint_newreno_decided"] <= found["ucc_joint_settings"] == 48
