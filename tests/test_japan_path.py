"""The survey's network as scenarios, and its chapter's archive at the paper's own scale."""

import pandas as pd
import pytest

from longfat import papers, simulate, topologies
from longfat.errors import InputError


def link(scenario, source, target):
    return next(k for k in scenario.links if (k.source, k.target) == (source, target))


def test_the_path_as_the_paper_states_it():
    scenario = topologies.japan("standard")
    narrow = link(scenario, "router", "receiver")
    assert narrow.rate_bps * 1448 / 1500 == pytest.approx(314e6)
    assert sum(k.delay_s for k in scenario.links) == papers.value("survey", "rtt")
    (flow,) = scenario.flows
    assert flow.segment_bytes == 1448
    assert flow.send_buffer_bytes == papers.value("survey", "send_buffer") * 1e6
    assert flow.receive_buffer_bytes == papers.value("survey", "receive_buffer") * 1e6
    assert scenario.duration_s == papers.value("survey", "duration")


def test_only_data_are_lost():
    scenario = topologies.japan("standard", loss=1e-3)
    lossy = [(k.source, k.target) for k in scenario.links if k.loss_per_packet]
    assert lossy == [("router", "receiver")]


def test_flows_are_dealt_to_paths_in_turn():
    scenario = topologies.japan(*["standard"] * 3, paths=2)
    assert [flow.path[1] for flow in scenario.flows] == ["router-1", "router-2", "router-1"]
    assert link(scenario, "router-2", "receiver") is not None


def test_a_relay_halves_the_round_trip():
    scenario = topologies.japan("standard", relay=True, loss=1e-5)
    assert scenario.flows[0].relays == ("relay",)
    assert link(scenario, "router", "relay").delay_s == 0.025
    assert link(scenario, "relay", "receiver").delay_s == 0.025
    assert link(scenario, "relay", "receiver").loss_per_packet == 0


def test_flows_with_round_trips_of_their_own_have_hosts_of_their_own():
    scenario = topologies.japan("standard", "standard", extra_rtt_s=(0.0, 0.1))
    assert [flow.source for flow in scenario.flows] == ["sender-1", "sender-2"]
    assert link(scenario, "sender-2", "router").delay_s == 0.05
    with pytest.raises((InputError, ValueError)):
        topologies.japan("standard", extra_rtt_s=(0.0, 0.1))


def test_large_packets_on_the_same_wire():
    small, large = topologies.japan("standard"), topologies.japan("standard", mtu_bytes=9000)
    assert large.flows[0].segment_bytes == 9000 - 52
    assert large.links == small.links


def test_only_data_are_lost_by_bits_and_marked():
    scenario = topologies.japan("standard", loss_per_bit=1e-9, mark_above_packets=50, ecn=True)
    (narrow,) = [k for k in scenario.links if k.loss_per_bit or k.mark_above_packets]
    assert (narrow.source, narrow.target) == ("router", "receiver")
    assert scenario.flows[0].ecn


@pytest.mark.slow
@pytest.mark.ns3
def test_both_engines_give_the_same_digits():
    for algorithm in ("standard", "highspeed", "scalable"):
        scenario = topologies.japan(
            algorithm, payload_bps=30e6, queue_packets=60, loss=1e-5, duration_s=12
        )
        ns3, segment = (simulate(scenario, engine).flows for engine in ("ns3", "segment"))
        pd.testing.assert_frame_equal(ns3, segment[list(ns3)], check_exact=True)
