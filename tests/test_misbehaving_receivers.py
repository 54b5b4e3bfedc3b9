"""Receivers that divide their ACKs or acknowledge what has not come: who is fooled by how much."""

from itertools import pairwise

import numpy as np
import pytest
from segment_scenarios import SENDERS, flow, link, run, scenario

from longfat import InputError, Scenario, simulate
from longfat.engines.segment import native

PATH = link(100e6, 0.05, queue=100_000)
# Who grows by what is acknowledged, not by how often: Linux and FreeBSD count, models do not ask.
COUNT_BYTES = {
    "bbr", "bbr3", "cdg-linux", "chd-freebsd", "cubic", "fast", "hd-freebsd", "reno"
}  # fmt: skip


def window(sender: str, at_s: float, **more) -> float:
    """The window at a time, of a flow over a path of 100 ms that loses nothing."""
    found = run(PATH, flow(sender, **more), duration_s=at_s, series=("cwnd_segments",))
    return found["series"]["cwnd_segments"][1][-1]


@pytest.mark.parametrize("division", [2, 4, 10])
def test_who_counts_acks_grows_so_many_times_as_fast(division):
    """The first ten segments are acknowledged from 0.2 to 0.201 s."""
    assert window("newreno", 0.25) == 20
    assert window("newreno", 0.25, ack_division=division) == 10 + 10 * division
    assert window("reno", 0.25, ack_division=division) == pytest.approx(20)


def test_who_counts_acks_does_so_in_congestion_avoidance_too():
    """A segment a round trip, and four."""
    grown = {
        (sender, division): window(sender, 5, initial_ssthresh_segments=10, ack_division=division)
        - 10
        for sender in ("newreno", "reno")
        for division in (1, 4)
    }
    assert grown["newreno", 4] == pytest.approx(4 * grown["newreno", 1], rel=0.01)
    assert grown["reno", 4] == pytest.approx(grown["reno", 1], abs=1)


@pytest.mark.parametrize("sender", sorted({*SENDERS} - {"vegas"}))  # grows every other round trip
def test_which_senders_slow_start_is_fooled(sender):
    """Peach and Cherry begin with a segment, and grow by their supplements besides."""
    honest, divided = (window(sender, 0.25, ack_division=count) for count in (1, 4))
    assert (divided == pytest.approx(honest)) == (sender in COUNT_BYTES)


def test_parts_are_of_what_an_ack_is_for():
    """An ACK for two segments in three parts: half as many ACKs, each three times."""
    counts = {}
    for per_ack, division in ((1, 1), (2, 1), (2, 3), (1, 1000)):
        found = run(
            link(1e6, 0.05),
            flow("reno", bytes=100_000, segments_per_ack=per_ack, ack_division=division),
            back={"rate_bps": 1e9, "delay_s": 0},
        )
        assert found["delivered_bytes"] == 100_000
        counts[per_ack, division] = found["links"][1]["packets_sent"] - 1  # the SYN's
    assert counts[1, 1] == pytest.approx(100, abs=2)
    assert counts[2, 3] == pytest.approx(3 * counts[2, 1], abs=5)
    assert counts[1, 1000] > 90_000  # an ACK a byte


def test_divided_acks_repair_what_is_lost():
    lossy = link(10e6, 0.02, loss_per_packet=0.02)
    for sack in (True, False):
        own = flow("newreno", bytes=1_000_000, ack_division=4, sack=sack)
        found = run(lossy, own, duration_s=300)
        assert found["delivered_bytes"] == 1_000_000
        assert found["retransmissions"] > 10


def test_an_optimistic_receiver_is_done_before_the_data_could_have_come():
    """The sender has heard of the last byte before that has come, which an honest receiver's ACK
    follows by half a round trip at least."""
    own = flow("reno", bytes=300_000)
    series = ("acknowledged_bytes", "delivered_bytes")
    found = run(PATH, own | {"optimistic_ack_segments": 1000}, series=series)["series"]
    acknowledged, delivered = (
        next(time_s for time_s, value in zip(*found[name], strict=True) if value == 300_000)
        for name in series
    )
    assert acknowledged < delivered - 0.04
    honest = run(PATH, own)
    assert honest["completion_s"] > delivered + 0.09  # a round trip that its window needs


def test_an_optimistic_receiver_makes_the_round_trip_seem_short():
    shortest = [
        min(run(PATH, flow("reno", **more), duration_s=1, series=("rtt_s",))["series"]["rtt_s"][1])
        for more in ({}, {"optimistic_ack_segments": 20})
    ]
    assert shortest[0] > 0.1
    assert shortest[1] < 0.05


def test_an_optimistic_receiver_hides_losses():
    lossy = link(10e6, 0.02, queue=20, loss_per_packet=0.02)
    own = flow("newreno", optimistic_ack_segments=5, receive_buffer_bytes=100_000)
    found = run(lossy, own, duration_s=10)
    assert found["recoveries"] == 0
    assert found["links"][0]["packets_lost"] > 50


def test_an_ack_of_what_has_not_been_sent_is_dropped_and_answered():
    """A window of two, and an ACK for two, in which the receiver is ahead by as many as have come:
    what it acknowledges was not sent. The sender says so, and goes on when its timer expires."""
    own = flow(
        "newreno",
        bytes=20_000,
        initial_window_segments=2,
        max_window_segments=2,
        segments_per_ack=2,
        optimistic_ack_segments=100,
    )
    found = run(link(10e6, 0.02), own, duration_s=300)
    answers = found["links"][0]["packets_sent"] - found["segments_sent"] - 2  # SYN, and its ACK
    assert answers > 0
    assert found["timeouts"] > 0
    assert found["delivered_bytes"] == 20_000
    assert run(link(10e6, 0.02), own | {"optimistic_ack_segments": 0})["timeouts"] == 0


def test_with_an_optimistic_receiver_an_outage_is_over_some_time():
    cut = link(10e6, 0.02, outages=[{"start_s": 2, "duration_s": 3}])
    own = flow("newreno", optimistic_ack_segments=50, receive_buffer_bytes=100_000)
    found = run(cut, own, duration_s=20, series=("delivered_bytes",))
    times_s, values = (np.array(one) for one in found["series"]["delivered_bytes"])
    assert values[-1] > 1.5 * values[times_s < 5][-1]


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"ack_division": 0}, "ack_division"),
        ({"ack_division": 1001}, "ack_division"),
        ({"optimistic_ack_segments": -1}, "optimistic_ack_segments"),
        ({"ack_division": 2, "relays": ["m"]}, "answers the sender itself"),
        ({"optimistic_ack_segments": 1, "relays": ["m"]}, "answers the sender itself"),
    ],
)
def test_what_is_refused(field, words):
    """In the same words by the scenario and by the engine's own reader."""
    nodes = ("a", "m", "b")
    there = link(queue=10)
    links = [
        there | {"source": one, "target": other}
        for ends in pairwise(nodes)
        for one, other in (ends, ends[::-1])
    ]
    data = scenario(there, flow(**field)) | {"links": links}
    for read in (lambda: Scenario(**data), lambda: native.run(data)):
        with pytest.raises(InputError, match=words) as refused:
            read()
        assert len(str(refused.value).splitlines()) == 1


def test_other_engines_refuse_it_in_a_sentence():
    for field in ({"ack_division": 2}, {"optimistic_ack_segments": 2}):
        one = Scenario(**scenario(PATH, flow(**field), duration_s=1))
        [name] = field
        with pytest.raises(
            InputError, match=rf"flows\.0\.{name}: the engine 'linux' does not have"
        ):
            simulate(one, engine="linux")
