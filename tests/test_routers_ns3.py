"""Managed queues and losses in bursts on ns-3, beside the segment engine.

Queues are ns-3's own, with rules and random numbers of their own (tests/test_queues_as_ns3.py says
which): they agree within what these make.
"""

import numpy as np
import pandas as pd
import pytest

from longfat import InputError, Scenario
from longfat.book.chapters import routers_charts
from longfat.engines import ns3, segment
from longfat.experiment import Runs
from longfat.network import duplex
from longfat.scenario import Flow
from longfat.studies import queues_ns3


def scenario(duration_s=8, ecn=False, flows=2, **link):
    plain = {"rate_bps": 5e6, "delay_s": 0.02, "queue_packets": 60}
    own = [
        Flow(source="a", target="b", congestion_control="newreno", start_s=0.35 * n, ecn=ecn)
        for n in range(flows)
    ]
    return Scenario(
        links=duplex("a", "b", **plain | link), flows=own, duration_s=duration_s, seed=7
    )


BURSTS = {"loss_per_packet": 0.02, "mean_packets": 4}


def _losses_and_bursts(wanted):
    """Return packets sent over the link, those lost, and recoveries of all flows."""
    result = ns3.simulate(wanted)
    sent, lost = result.links.loc[0, ["packets_sent", "packets_lost"]]
    return sent, lost, result.flows["recoveries"].sum() + result.flows["timeouts"].sum()


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("within", [1.0, 0.5])
def test_bursts_lose_as_many_as_stated_and_one_after_the_other(within):
    """A burst of four is one recovery, where four losses apart are more: and so the flows are
    faster, at the same part lost."""
    many = {"duration_s": 60, "flows": 8, "rate_bps": 20e6}
    bursts = {"loss_bursts": BURSTS | {"loss_within": within}, "backward": {"loss_bursts": None}}
    apart = {"loss_per_packet": 0.02, "backward": {"loss_per_packet": 0.0}}
    sent, lost, reduced = _losses_and_bursts(scenario(**many, **bursts))
    bursts_seen = 0.02 * sent / (within * 4)
    # The number of bursts varies as a Poisson number does, the length of each by itself.
    assert lost == pytest.approx(0.02 * sent, abs=4 * within * 4 * np.sqrt(2 * bursts_seen))
    sent_apart, lost_apart, reduced_apart = _losses_and_bursts(scenario(**many, **apart))
    assert lost_apart == pytest.approx(0.02 * sent_apart, abs=4 * np.sqrt(0.02 * sent_apart))
    assert reduced / lost < 0.75 * reduced_apart / lost_apart


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize(
    "hardship",
    [
        {"changes": [{"at_s": 3, "loss_per_packet": 0.03}], "backward": {"changes": ()}},
        {"outages": [{"start_s": 2, "duration_s": 0.3}], "backward": {"outages": ()}},
        {"mark_above_packets": 10, "ecn": True},
    ],
    ids=["losses that change", "outages", "marks"],
)
def test_bursts_stand_beside_other_hardships(hardship):
    link = ns3.simulate(scenario(loss_bursts=BURSTS, **hardship)).links.iloc[0]
    assert link["packets_lost"] > 0
    assert (link["packets_lost_in_outage"] > 0) == ("outages" in hardship)
    assert (link["packets_marked"] > 0) == ("ecn" in hardship)


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("ecn", [False, True])
@pytest.mark.parametrize("kind", ["red", "codel", "pie"])
def test_a_queue_that_does_nothing_changes_no_digit(kind, ecn):
    """It drops when it is full, as one that is not managed does: then both are the same."""
    idle = {
        "red": {"min_threshold_packets": 1e6, "max_threshold_packets": 2e6},
        "codel": {"target_s": 60},
        "pie": {"target_s": 60},
    }[kind]
    plain, managed = (scenario(ecn=ecn, **aqm) for aqm in ({}, {"aqm": {"kind": kind} | idle}))
    plain, managed = plain.replace(record=RECORD), managed.replace(record=RECORD)
    alone, idles = ns3.simulate(plain), ns3.simulate(managed)
    pd.testing.assert_frame_equal(alone.flows, idles.flows)
    pd.testing.assert_frame_equal(alone.links, idles.links)
    pd.testing.assert_frame_equal(alone.traces["queue_packets"], idles.traces["queue_packets"])
    assert alone.links["packets_dropped_by_queue"].max() > 0
    assert (idles.links[["packets_dropped_early", "packets_marked"]] == 0).all(axis=None)


RECORD = {"series": ["queue_packets"], "points": 500}


@pytest.mark.ns3
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["red", "codel", "pie"])
def test_a_managed_queue_is_short_and_marks_instead_of_dropping(kind):
    deep = {"queue_packets": 400, "aqm": {"kind": kind}}
    plain, marking = (scenario(15, ecn, **deep).replace(record=RECORD) for ecn in (False, True))
    for wanted in (plain, marking):
        full, fast = ns3.simulate(wanted), segment.simulate(wanted)
        queues = [queues_ns3.routers.queue_samples(one, 5.0, "a>b").mean() for one in (full, fast)]
        assert max(queues) < 30
        goodput, ours = (one.flows["goodput_bps"].sum() for one in (full, fast))
        assert goodput > 0.75 * ours  # PIE of ns-3 marks too much
        assert ours > 2.5e6  # half of the link: without marks, RED throws most of slow start away
        counted = full.links.iloc[0]
        assert counted["packets_dropped_by_queue"] == 0
        assert (counted["packets_marked"] > 10) == wanted.flows[0].ecn
        assert counted["packets_dropped_early"] > 10 or wanted.flows[0].ecn


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"arq": {"persistence": 3, "feedback_s": 0.01}}, "links.0.arq: the engine 'ns3' does not"),
        (
            {"queue_packets": None, "queue_bytes": 50_000, "aqm": {"kind": "red"}},
            "links.0.aqm: RED",
        ),
    ],
)
def test_what_ns3_does_not_have_is_refused_in_a_sentence(link, words):
    with pytest.raises(InputError, match=words) as no:
        ns3.simulate(scenario(**link))
    assert "\n" not in str(no.value)


def test_ns3_and_the_segment_engine_agree_but_for_rules_that_have_a_name():
    """Of the archive, six runs a case. RED of ns-3 drops nothing while one packet or none waits
    (with that rule ours carries 6 % more, and 2 % more than ns-3's), and PIE, once it has marked a
    packet, marks on (`test_queues_as_ns3`)."""
    table = queues_ns3.engine_comparison(Runs(None, queues_ns3.experiments(6))).set_index(
        ["case", "measure"]
    )
    for kind in ("RED", "RED and ECN", "CoDel", "CoDel and ECN", "PIE", "bursts"):
        goodput, queue = (table.loc[(kind, measure)] for measure in ("goodput", "queue"))
        assert (0.92 if "RED" in kind else 0.95) < goodput["low"] < goodput["high"] < 1.03
        assert 0.85 < queue["ratio"] < 1.15
    marked = table.xs("marked", level="measure")["ratio"]
    assert marked[["RED and ECN", "CoDel and ECN"]].between(0.9, 1.1).all()
    assert marked["PIE and ECN"] < 0.2
    assert table.loc[("PIE and ECN", "goodput"), "low"] > 1.1
    shown = routers_charts.beside_ns3(table.reset_index())
    assert shown["queue"].tolist() == [case for case in queues_ns3.CASES if case != "bursts"]
    assert shown["marked"].tolist()[::2] == ["none"] * 3
