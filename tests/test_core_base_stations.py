"""Base stations that know TCP, losses that are told, radios with frames, in the core."""

import core_results
import pytest

from longfat import Record, Scenario, Snoop, Wtcp
from longfat.topologies import duplex

pytestmark = pytest.mark.slow  # until the engine `segment` is this core

BASE_RTT_S = 2 * (0.05 + 0.002)


def cell(loss=0.02, wire_loss=0.0, station=None, told=False, radio=None, record=None, **flow):
    """A wire of 100 ms and a radio of 4 ms, of half the rate."""
    wire = {"rate_bps": 20e6, "delay_s": 0.05, "queue_packets": 500}
    air = {"rate_bps": 10e6, "delay_s": 0.002, "queue_packets": 200, "loss_per_packet": loss}
    air |= {"base_station": station, "notifies_loss": told} | (radio or {})
    plain = {"loss_per_packet": 0, "base_station": None, "notifies_loss": False}
    links = duplex("host", "base", loss_per_packet=wire_loss, backward=plain, **wire)
    links += duplex("base", "mobile", backward=plain, **air)
    flow = {"congestion_control": "reno", "receive_buffer_bytes": 200_000} | flow
    return Scenario(
        links=links,
        flows=[{"source": "host", "target": "mobile"} | flow],
        duration_s=30,
        record=record or Record(),
    )


def run(*args, **fields):
    result = core_results.simulate(cell(*args, **fields))
    return result.flows.iloc[0], result.links.set_index(["source", "target"]), result.traces


RADIO = ("base", "mobile")


# --- Snoop and WTCP


@pytest.mark.parametrize("sack", [False, True])
@pytest.mark.parametrize("station", [Snoop(), Wtcp()], ids=["snoop", "wtcp"])
@pytest.mark.parametrize("loss", [0.001, 0.01, 0.05])
def test_a_base_station_hides_the_losses_of_its_radio(loss, station, sack):
    flow, links, _ = run(loss, station=station, sack=sack)
    whole, _, _ = run(0.0, sack=sack)
    alone, _, _ = run(loss, sack=sack)
    assert flow.retransmissions == flow.recoveries == flow.timeouts == 0
    assert flow.goodput_bps > (1 - 1.5 * loss) * whole.goodput_bps
    assert flow.goodput_bps > 2 * alone.goodput_bps
    # Each loss is repaired once, or once more if the repair was lost.
    radio = links.loc[RADIO]
    assert radio.packets_lost <= radio.packets_repaired <= 1.1 * radio.packets_lost + 2
    assert links.loc[RADIO[::-1]].acks_held_back == 0
    assert radio.acks_held_back > radio.packets_lost


def test_blocks_that_are_not_hidden_show_the_sender_what_is_being_repaired():
    hidden, _, _ = run(0.05, station=Snoop())
    shown, _, _ = run(0.05, station=Snoop(hides_sack=False))
    assert hidden.recoveries == 0
    assert shown.recoveries > 10
    assert shown.goodput_bps < hidden.goodput_bps / 2


@pytest.mark.parametrize("station", [Snoop(), Wtcp()], ids=["snoop", "wtcp"])
def test_losses_before_the_base_station_are_left_to_the_sender(station):
    flow, links, _ = run(0.0, wire_loss=0.003, station=station)
    lost = links.loc[("host", "base")].packets_lost
    assert lost > 10
    assert flow.retransmissions >= lost
    assert flow.recoveries > 10
    assert flow.timeouts == 0
    assert links.loc[RADIO].packets_repaired == 0


def test_what_its_own_queue_drops_is_left_to_the_sender():
    small = {"queue_packets": 20}
    flow, links, _ = run(0.0, station=Snoop(), radio=small, receive_buffer_bytes=64_000_000)
    assert links.loc[RADIO].packets_dropped_by_queue > 20
    assert flow.recoveries >= 1
    assert flow.retransmissions >= links.loc[RADIO].packets_dropped_by_queue


def test_a_cache_that_is_full_repairs_less():
    small, links, _ = run(0.02, station=Snoop(cache_packets=2))
    assert links.loc[RADIO].packets_cached == 2
    assert small.recoveries > 5
    large, links, _ = run(0.02, station=Snoop())
    assert links.loc[RADIO].packets_cached > 10
    assert large.recoveries == 0


def test_the_local_timer_repairs_what_no_duplicate_tells_of():
    """Windows of two segments have no three duplicates, and a lost last one has none at all."""
    few = {"receive_buffer_bytes": 2000, "min_rto_s": 3.0}
    alone, _, _ = run(0.05, **few)
    helped, links, _ = run(0.05, station=Snoop(), **few)
    assert alone.timeouts > 3
    assert helped.timeouts == 0
    assert links.loc[RADIO].packets_repaired > 10
    assert helped.goodput_bps > 1.5 * alone.goodput_bps


def test_wtcp_hides_what_segments_wait_at_the_base_station():
    record = Record(series=("rtt_s",), points=1000)
    slow = {"rate_bps": 2e6}

    def longest(station):
        _, _, traces = run(0.01, station=station, radio=slow, record=record)
        return traces["rtt_s"]["rtt_s"].max()

    assert longest(Wtcp(hides_time=False)) > 0.4
    # Round trip of an empty path and two transmissions; milliseconds for the timestamps' clock.
    assert longest(Wtcp()) < BASE_RTT_S + 8 * 1054 * (1 / 20e6 + 1 / 2e6) + 0.006


def test_wtcp_sends_one_segment_alone_until_the_radio_is_back():
    off = {"outages": [{"start_s": 10.0, "duration_s": 3.0}]}
    _, snoop, _ = run(0.0, station=Snoop(), radio=off)
    _, wtcp, _ = run(0.0, station=Wtcp(), radio=off)
    # Snoop's router goes on to send what comes; WTCP's queue waits.
    assert wtcp.loc[RADIO].packets_lost_in_outage < snoop.loc[RADIO].packets_lost_in_outage / 1.2


@pytest.mark.parametrize("kind", [Snoop, Wtcp])
def test_when_a_base_station_fails_nothing_is_lost_for_good(kind):
    flow, links, _ = run(0.01, station=kind(fails_at_s=5.0), bytes=7_000_000)
    assert flow.delivered_bytes == 7_000_000
    assert flow.retransmissions > 10
    assert 10 < links.loc[RADIO].packets_repaired < 100


# --- explicit loss notification


def test_a_loss_that_the_link_tells_of_does_not_reduce_the_window():
    record = Record(series=("cwnd_segments",), points=3000)
    fields = {"initial_ssthresh_segments": 60, "record": record}
    _, _, plain = run(0.003, **fields)
    flow, links, told = run(0.003, told=True, **fields)
    assert flow.recoveries > 20
    assert links.loc[RADIO].acks_told_of_loss == links["acks_told_of_loss"].sum() > 100
    after = {name: t["cwnd_segments"] for name, t in (("plain", plain), ("told", told))}
    late = {k: t[t["time_s"] > 5]["cwnd_segments"] for k, t in after.items()}
    assert late["told"].min() >= 60
    assert late["plain"].min() < 30


def test_a_loss_that_the_link_does_not_tell_of_reduces_it_as_ever():
    before, _, _ = run(0.0, wire_loss=0.003)
    flow, links, _ = run(0.0, wire_loss=0.003, told=True)
    assert flow.equals(before)
    assert links["acks_told_of_loss"].sum() == 0


def test_among_losses_of_both_kinds_the_window_is_reduced_for_the_others():
    """Both kinds together: more than one reduction is left, and less than without notification."""
    both, _, _ = run(0.005, wire_loss=0.002, told=True)
    none, _, _ = run(0.005, wire_loss=0.002)
    wire, _, _ = run(0.0, wire_loss=0.002)
    assert none.goodput_bps * 1.2 < both.goodput_bps < 1.05 * wire.goodput_bps


# --- frames and intervals of a radio


def test_only_frames_that_are_lost_are_sent_again():
    share = 0.1
    arq = {"persistence": 50, "feedback_s": 0.01, "frame_bytes": 50}
    flow, links, _ = run(share, radio={"arq": arq}, bytes=2_000_000)
    assert flow.delivered_bytes == 2_000_000
    assert flow.retransmissions == 0
    radio = links.loc[RADIO]
    frames = 22  # of 1054 bytes
    # The mean number of transmissions until all of 22 frames are through.
    mean = sum(1 - (1 - share**n) ** frames for n in range(60))
    assert radio.packets_sent / 2000 == pytest.approx(mean, rel=0.02)


def test_what_is_sent_arrives_at_the_end_of_an_interval():
    arq = {"persistence": 5, "feedback_s": 0.01, "interval_s": 0.02}
    record = Record(series=("delivered_bytes",), points=100_000)
    _, _, traces = run(0.05, radio={"arq": arq, "delay_s": 0.0}, record=record)
    times = traces["delivered_bytes"]["time_s"]
    assert len(times) > 100
    assert [round(t / 0.02, 6) % 1 for t in times] == pytest.approx([0] * len(times))
