"""Relays and movements on the transport core: the tests of the engine `segment`, and more."""

import statistics

import core_results
import pytest
from core_scenarios import flow
from test_base_stations import (  # noqa: F401  (collected here once more)
    test_a_handoff_takes_what_its_messages_take,
    test_a_message_that_is_lost_goes_again_after_a_second,
    test_a_relay_that_has_failed_has_no_state_to_move,
    test_after_a_handoff_the_flow_goes_on_by_the_new_way,
    test_the_state_of_a_split_connection_crosses_the_network,
    test_what_a_relay_has_acknowledged_is_lost_with_it,
    test_what_was_sent_to_the_old_place_is_not_found_by_the_new_way,
)

from longfat import Scenario
from longfat.engines import segment
from longfat.engines.segment import native
from longfat.topologies import duplex

pytestmark = pytest.mark.slow  # until the engine `segment` is this core

old_engine = segment.simulate


@pytest.fixture(autouse=True)
def on_the_core(monkeypatch):
    monkeypatch.setattr(segment, "simulate", core_results.simulate)


def split(loss: float = 0, seed: int = 1, **more) -> Scenario:
    """A wire of 100 ms, a relay, a radio of 200 ms and half the rate; the old clock has 1 ms."""
    links = duplex("a", "m", rate_bps=20e6, delay_s=0.05, queue_packets=500)
    clean = {"loss_per_packet": 0.0}
    radio = {"rate_bps": 10e6, "delay_s": 0.1, "queue_packets": 200, "loss_per_packet": loss}
    links += duplex("m", "b", backward=clean, **radio)
    own = {"source": "a", "target": "b", "relays": ["m"], "timestamps": False}
    own |= {"congestion_control": "newreno"} | more
    return Scenario(links=links, flows=[own], duration_s=60, seed=seed)


COUNTS = ["goodput_bps", "segments_sent", "retransmissions", "recoveries", "timeouts"]


@pytest.mark.parametrize("buffer", [None, 5000, 50_000, 400_000])
@pytest.mark.parametrize("window", [100_000, 64_000_000, "auto"])
def test_a_relay_without_losses_counts_as_in_the_old_engine(buffer, window):
    scenario = split(relay_buffer_bytes=buffer, receive_buffer_bytes=window)
    new, old = core_results.simulate(scenario), old_engine(scenario)
    assert new.flows[COUNTS].equals(old.flows[COUNTS])


@pytest.mark.parametrize("buffer", [50_000, 400_000])
def test_a_relay_repairs_losses_as_in_the_old_engine(buffer):
    ratios = []
    for seed in range(1, 13):
        scenario = split(1e-3, seed, relay_buffer_bytes=buffer)
        new, old = core_results.simulate(scenario), old_engine(scenario)
        ratios.append(new.flows.iloc[0].goodput_bps / old.flows.iloc[0].goodput_bps)
    assert statistics.fmean(ratios) == pytest.approx(1, abs=0.04)


# --- a window that closes


def chain(radio_outages=(), ack_outages=(), duration_s=60.0, **more) -> dict:
    """The same as the core reads it, with outages of the radio and of the wire's way back."""
    ends = [("a", "m", ()), ("m", "a", ack_outages), ("m", "b", radio_outages), ("b", "m", ())]
    links = [
        {"source": source, "target": target, "rate_bps": 10e6, "delay_s": 0.05}
        | {"queue_packets": 1000, "outages": list(outages)}
        for source, target, outages in ends
    ]
    own = flow(relays=["m"], relay_buffer_bytes=20_000, **more)
    record = {"series": ["acknowledged_bytes", "delivered_bytes"], "points": 100_000}
    return {"links": links, "flows": [own], "duration_s": duration_s, "record": record}


def growth(answer: dict, series: str, begin_s: float, end_s: float) -> float:
    times, values = answer["flows"][0]["series"][series]
    return sum(
        after - before
        for before, after, time_s in zip(values, values[1:], times[1:], strict=False)
        if begin_s <= time_s < end_s
    )


def test_a_probe_finds_out_that_a_closed_window_is_open_again():
    """RFC 9293, 3.8.6.1: the ACK that tells of the open window is lost, and nothing is sent."""
    radio = [{"start_s": 10, "duration_s": 10}]
    acks = [{"start_s": 12, "duration_s": 15}]
    answer = native.run(chain(radio, acks))
    assert growth(answer, "acknowledged_bytes", 12, 27) == 0
    assert growth(answer, "delivered_bytes", 12, 27) > 0
    # After 27 s the next probe comes within the time for which all have been asked so far.
    assert growth(answer, "delivered_bytes", 45, 60) > 0
    assert answer["flows"][0]["given_up_s"] is None


def test_a_closed_window_that_is_answered_keeps_the_connection_open():
    """However long: R2 is for what is not answered. Probes are few, for their intervals grow."""
    answer = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=600))
    first = answer["links"][0]
    short = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=20))["links"][0]
    assert growth(answer, "delivered_bytes", 500, 600) > 0
    assert answer["flows"][0]["given_up_s"] is None
    during = native.run(chain([{"start_s": 10, "duration_s": 400}], duration_s=410))["links"][0]
    assert 5 <= during["packets_sent"] - short["packets_sent"] <= 15
    assert first["packets_sent"] > during["packets_sent"] + 100


def test_a_sender_whose_relay_has_failed_gives_up_and_says_when():
    """R2, after retransmissions as after probes of a closed window."""
    answer = native.run(chain(relays_fail_at_s=10, retries=4, duration_s=200))
    assert 10 + 15 < answer["flows"][0]["given_up_s"] < 10 + 35
    closed = chain([{"start_s": 5, "duration_s": 400}], relays_fail_at_s=10, retries=4)
    answer = native.run(closed | {"duration_s": 400.0})
    assert answer["flows"][0]["timeouts"] > 0  # of the relay, whose radio is gone
    assert answer["flows"][0]["given_up_s"] > 10 + 15
