"""The repository's own archive: complete, up to date, and true to the last digit."""

import json
import math

import pytest

from longfat import audit, store
from longfat.scenario import Scenario

pytestmark = pytest.mark.book


def test_every_archived_result_is_of_the_present_engine_and_headers():
    stale = audit.stale()
    assert stale.empty, f"stale: {', '.join(stale['experiment'].unique())}; run 'longfat reproduce'"


@pytest.mark.slow
@pytest.mark.ns3
def test_a_random_sample_comes_out_again_to_the_last_digit():
    compared = audit.audit(2, seed=1)
    assert len(compared) == 2
    assert compared["equal"].all()


# Where a transfer may be under way at the end: ns-2's sender behind a queue of a fifth of its
# window goes from timeout to timeout.
NOT_DONE = {"hybla-inverse-more"}


def transfers_are_whole(table):
    """A transfer that was done has all of its bytes, and one that was not has had all its time."""
    for row in table.drop_duplicates("key").itertuples():
        scenario = Scenario.from_json(row.scenario)
        assert scenario.canonical_json() == row.scenario
        told = json.loads(row.transfers) if scenario.transfers else []
        for transfer, came in zip(scenario.transfers, told, strict=True):
            if came["transfer_time_s"] is None:
                assert came["delivered_bytes"] <= transfer.bytes
                assert row.simulated_s == scenario.duration_s
            else:
                assert came["delivered_bytes"] == transfer.bytes


def test_every_archive_is_whole():
    assert store.experiments()
    for experiment in store.experiments():
        is_whole(experiment, store.read_archive(experiment))


def is_whole(experiment, table):
    assert not table.duplicated(["key", "flow"]).any()
    if "transfers" in table:
        transfers_are_whole(table)
    table = table[table["flow"].notna()]  # a run without flows has a row without one
    many = table["scenario"].str.contains('"transfers":')  # of many streams one may carry nothing
    assert (table["goodput_bps"][~many] > 0).all()
    assert (table["goodput_bps"] >= 0).all()
    for row in table.itertuples():
        scenario = Scenario.from_json(row.scenario)
        assert scenario.canonical_json() == row.scenario
        assert scenario.seed == row.seed
        finite = scenario.flows[0].bytes
        if finite and math.isnan(row.transfer_time_s):  # not done in the time that it was given
            assert experiment in NOT_DONE
            assert row.delivered_bytes < finite
            assert row.simulated_s == scenario.duration_s
        elif finite:
            assert row.delivered_bytes == finite
            assert row.transfer_time_s > 0
        if len(scenario.flows) > 1 or scenario.transfers:  # a link's losses are of all on it
            continue
        if "probes" in scenario.features:  # lost are packets of the sender's own too
            continue
        lost = {link["source"]: link["packets_lost"] for link in json.loads(row.links)}
        assert row.retransmissions >= 0.9 * lost[scenario.flows[0].source] - 3


def test_the_papers_own_scale_is_archived():
    """Table 1 of the paper: 1000 s at each of the thirteen loss rates; ten repetitions and more."""
    table = store.read_archive("hybla-steady")
    assert len(table) == 13 * 20
    assert (table["simulated_s"] == 1000).all()
    assert sorted(table["seed"].unique()) == list(range(1, 21))
    transfers = store.read_archive("hybla-transfers")
    assert transfers.groupby("flows.0.bytes").size().to_dict() == {
        10_000_000: 13 * 20,
        50_000_000: 13 * 20 + 140,  # more at one loss rate, where a verdict was open
        100_000_000: 13 * 20 + 60,
    }
