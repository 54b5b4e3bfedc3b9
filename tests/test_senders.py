"""The data of the page on every sender that the papers name, on a small scale."""

import numpy as np
import pandas as pd
import pytest

from longfat import InputError
from longfat.cc import catalogue
from longfat.papers import senders


def test_every_header_but_those_that_are_newreno_is_a_sender():
    names = senders.senders()
    headers = {name for name, one in catalogue.algorithms().items() if one.header}
    assert headers - set(names) == set(senders.SAME_AS_NEWRENO)
    assert {*senders.QUEUES, *senders.GROWTH, *senders.TOLERANT} <= set(names)


def test_a_scenario_has_what_a_sender_needs():
    one = senders.scenario("lp", beside="newreno", start_s=1.0, buffer=0.5, loss=0.01)
    assert [flow.timestamps for flow in one.flows] == [True, False]
    assert [flow.start_s for flow in one.flows] == [1.0, 0.0]
    assert one.links[0].queue_packets == 59  # half of 119
    assert (one.links[0].loss_per_packet, one.links[1].loss_per_packet) == (0.01, 0.0)
    (fast,) = senders.scenario("fast").flows
    assert fast.congestion_control.parameters == {"alpha_segments": 20.0}
    with pytest.raises(InputError, match="congestion"):
        senders.scenario("no such sender")


def test_the_mean_of_a_queue_is_over_time():
    """A queue of 10 packets for nine tenths of the time and of 100 for the rest."""
    trace = pd.DataFrame(
        {"sender": "x", "time_s": [0.0, 19.0, 20.0], "queue_packets": [10, 100, 100]}
    )
    (row,) = senders.queue_means(trace).to_dict("records")
    assert row["mean"] == pytest.approx(0.9 * 10 + 0.1 * 100, rel=0.02)
    assert row["high"] == 100


def test_vegas_keeps_two_to_four_packets_and_newreno_fills_the_buffer():
    queues = senders.queues(["vegas", "newreno"], duration_s=40.0)
    assert set(queues) == {"sender", "time_s", "queue_packets"}
    means = senders.queue_means(queues).set_index("sender")
    assert 2 <= means.at["vegas", "mean"] <= 4
    assert queues[queues["sender"] == "newreno"]["queue_packets"].max() == 119


def test_a_neighbour_of_its_own_kind_gets_its_own():
    table = senders.beside(["newreno", "vegas"], starts=3).set_index("sender")
    assert table.at["newreno", "neighbour"] == pytest.approx(1)
    assert table.at["newreno", "low"] < 1 < table.at["newreno", "high"]
    assert table.at["vegas", "low"] > 1.2


def test_choices_are_sorted_and_have_what_the_neighbour_gets():
    satellite = pd.DataFrame(
        {
            "sender": ["a", "b", "a"],
            "loss": [1e-3, 1e-3, 1e-4],
            "Mb/s": [1.0, 2.0, 9.0],
            "halfwidth": 0.1,
        }
    )
    beside = pd.DataFrame(
        {"sender": ["a", "b"], "neighbour": [1.0, 0.2], "low": [0.9, 0.1], "high": [1.1, 0.3]}
    )
    chosen = senders.choices(satellite, beside, 1e-3)
    assert chosen["sender"].tolist() == ["b", "a"]
    assert chosen["neighbour"].tolist() == [0.2, 1.0]


def test_losses_cost_newreno_more_than_bbr():
    table = senders.lossy(["newreno", "bbr"], losses=(1e-2,), seeds=2).set_index("sender")
    assert table.at["bbr", "Mb/s"] > 3 * table.at["newreno", "Mb/s"]
    assert np.isfinite(table["halfwidth"]).all()


def test_a_gap_has_a_reason_where_the_interval_leaves_out_one():
    table = senders.second_sources()
    assert set(table["source"]) == {"Linux", "ns-2"}
    parted = (table["low"] > 1) | (table["high"] < 1)
    assert ((table["reason"] != "") == parted).all()
