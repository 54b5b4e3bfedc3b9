"""What the segment engine's TCP does: round trips, rates, losses, outages, large numbers."""

import json
import math
from itertools import pairwise
from pathlib import Path

import pytest
from segment_scenarios import HEADERS, SENDERS, drawn, flow, link, run, scenario

from longfat import topologies
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.engines.segment import native
from longfat.scenario import Flow, Scenario

FIXED = Path(__file__).parent / "cc_fixed.h"


@pytest.mark.parametrize("group", range(6))
def test_drawn_scenarios_pass_the_checks_of_every_run(group):
    """Bytes and packets are conserved, and no sample says more than what happened."""
    for seed in range(50 * group, 50 * (group + 1)):
        native.run(drawn(seed, SENDERS))


def test_what_has_been_reported_is_not_probed():
    """RFC 8985, 7.2: nor while `probing` answers a loss by itself (found among drawn scenarios)."""
    native.run(drawn(484, SENDERS))


# A scenario may take minutes under sanitizers.
SANITIZED_GROUPS = [0, pytest.param(1, marks=pytest.mark.long)]


@pytest.mark.slow
@pytest.mark.parametrize("group", SANITIZED_GROUPS)
def test_drawn_scenarios_under_sanitizers(group, tmp_path):
    """All senders are compiled as one: each alone reads the same again."""
    headers = sorted({one.header for one in catalogue.algorithms().values() if one.header})
    every = tmp_path / "every.h"
    every.write_text("".join(f'#include "{header}"\n' for header in headers))
    for seed in range(1000 + 20 * group, 1000 + 20 * (group + 1)):
        scenario_json = json.dumps(drawn(seed, SENDERS))
        answer = native.run_text(scenario_json, [every], 600, None, native.SANITIZED)
        assert not answer.keys() & {"failed", "error"}, answer


# --- round trips


def longest_s(rate_bps: float, rtt_s: float, queue: int, ack_timeout_s: float = 0) -> float:
    """The largest round trip that the path can show: base, a full queue, an ACK's delay."""
    segment_s, ack_s = 8 * (1000 + HEADERS) / rate_bps, 8 * 90 / rate_bps
    return rtt_s + (queue + 2) * segment_s + 2 * ack_s + ack_timeout_s


@pytest.mark.parametrize("timestamps", [False, True])
@pytest.mark.parametrize("segments_per_ack", [1, 2])
@pytest.mark.parametrize("loss", [1e-3, 1e-2, 5e-2])
def test_no_round_trip_is_longer_than_the_path(timestamps, segments_per_ack, loss):
    """A2: none is taken of what SACK had reported, nor of what was sent twice."""
    own = flow(timestamps=timestamps, segments_per_ack=segments_per_ack, min_rto_s=0.2)
    answer = run(link(loss_per_packet=loss, queue=20), own, duration_s=200)
    delay_s = 0.2 if segments_per_ack > 1 else 0
    assert answer["retransmissions"] > 50
    assert answer["max_rtt_s"] <= longest_s(10e6, 0.1, 20, delay_s)


def test_a_segment_that_came_again_may_tell_of_what_was_sent_before_it():
    """Where ACKs are lost a sample may be longer than its round trip: the run is no failed one."""
    own = Flow(
        source="sender",
        target="receiver",
        congestion_control={"name": "hybla", "parameters": {"rtt0_s": 0.025}},
        max_window_segments=550,
        initial_window_segments=1,
        bytes=10_000_000,
    )
    links = topologies.duplex(
        "sender",
        "receiver",
        rate_bps=1e8,
        delay_s=0.275,
        queue_packets=1000,
        loss_per_packet=0.3,
    )
    lossy = Scenario(links=links, flows=[own], duration_s=5000, seed=2)
    (row,) = segment.simulate(lossy).flow_rows()
    assert row["transfer_time_s"] < 5000


@pytest.mark.parametrize("timestamps", [False, True])
@pytest.mark.parametrize("side", ["forth", "back", "both"])
def test_an_outage_is_no_round_trip(timestamps, side):
    """A5: ten seconds without a packet, or without an ACK, do not become a sample."""
    outages = [{"start_s": 20, "duration_s": 10}]
    forth = link(queue=20, outages=outages if side != "back" else [])
    back = {"outages": outages if side != "forth" else []}
    answer = run(forth, flow(timestamps=timestamps), duration_s=60, back=back)
    assert answer["timeouts"] > 2
    assert answer["max_rtt_s"] <= longest_s(10e6, 0.1, 20)


@pytest.mark.parametrize("tick_s", [0.0, 5.0])
def test_a_clocks_tick_may_hide_which_segment_is_answered(tick_s):
    """What overtakes is told by timestamps, up to their tick: it is no fault of the engine."""
    own = flow(frto=True, timestamp_tick_s=tick_s)
    for seed in (11, 47, 70):
        answer = run(
            link(32e3, 0.3, 20), own, duration_s=60, seed=seed, back={"loss_per_packet": 0.75}
        )
        assert answer["timeouts"] > 0
        assert answer["max_rtt_s"] <= longest_s(32e3, 0.6, 20) + tick_s


# --- on the wire


@pytest.mark.parametrize(("timestamps", "blocks"), [(True, 3), (False, 4)])
@pytest.mark.parametrize("tells", [{}, {"undo": True}, {"rack": True}])
def test_an_ack_reports_as_many_blocks_as_it_has_room_for(timestamps, blocks, tells):
    """RFC 2018, section 3: 40 bytes of options. Every one is counted where it is sent."""
    own = flow({"name": "fixed", "parameters": {"window": 100}}, timestamps=timestamps, **tells)
    case = scenario(link(loss_per_packet=0.1), own, duration_s=20, series=["sent_bytes"])
    answer = native.run(case, own=FIXED)["links"][1]
    times, sent = answer["series"]["sent_bytes"]
    assert len(sent) == answer["packets_sent"]
    assert 0 < min(times) < max(times) <= 20
    sizes = {after - before for before, after in pairwise(sent)}
    options = [10 * timestamps + (2 + 8 * n if n else 0) for n in range(blocks + 1)]
    assert sizes >= {42 + 4 * math.ceil(one / 4) for one in options}
    assert max(sizes) == 42 + 4 * math.ceil(options[-1] / 4)


@pytest.mark.parametrize(("tells", "told"), [({}, False), ({"rack": True}, True)])
def test_a_segment_that_comes_twice_is_told_of_where_it_is_asked_for(tells, told):
    """DSACK (RFC 2883), a block of its own: RACK's window for reordering hangs on it, too.

    A path that becomes longer at once loses nothing, so that all that is sent again comes twice.
    """
    longer = link(changes=[{"at_s": 5, "delay_s": 0.9}])
    own = flow(timestamps=True, min_rto_s=0.2, receive_buffer_bytes=20_000, **tells)
    answer = native.run(scenario(longer, own, duration_s=9, series=["sent_bytes"]))
    again = answer["flows"][0]["retransmissions"]
    _, sent = answer["links"][1]["series"]["sent_bytes"]
    sizes = [after - before for before, after in pairwise(sent)]
    assert again > 0
    assert sizes.count(42 + 12 + 8) == (again if told else 0)


# --- delivery rates


@pytest.mark.parametrize("loss", [0, 1e-3, 1e-2, 5e-2])
@pytest.mark.parametrize("rate_bps", [1e6, 100e6])
def test_no_delivery_rate_is_above_the_links(loss, rate_bps):
    """A1: a sample ends with its ACK. 1 % covers the end of a nanosecond and of a first flight."""
    own = flow(
        {"name": "fixed", "parameters": {"window": rate_bps * 0.1 / 8000 * 1.5}},
        min_rto_s=0.2,
    )
    answer = native.run(
        scenario(link(rate_bps, loss_per_packet=loss), own, duration_s=60), own=FIXED
    )["flows"][0]
    payload_bps = rate_bps * 1000 / (1000 + HEADERS)
    assert 0.5 * payload_bps < answer["max_delivery_rate_bps"] < 1.01 * payload_bps


def counted(loss: float, **more) -> tuple[float, float]:
    """Return how many samples the application has limited, and how often the sender restarted."""
    own = flow({"name": "fixed", "parameters": {"window": 100}}, **more)
    case = scenario(link(loss_per_packet=loss), own, series=["utilization"])
    values = native.run(case, own=FIXED)["flows"][0]["series"]["utilization"][1]
    restarts, limited = divmod(values[-1], 1e6)
    return limited, restarts


def test_samples_of_a_sender_without_data_say_so():
    """A6: what a flow sends again that has nothing more to send is marked; of another, nothing."""
    assert counted(0.1, bytes=50_000)[0] > 0
    assert counted(0.1)[0] == 0


def test_a_sender_restarts_where_nothing_is_outstanding_and_not_when_it_begins():
    """RFC 5681, 4.1: an ACK for all that has been sent comes at the end of some recoveries."""
    assert counted(0)[1] == 0
    assert counted(0.1)[1] > 0


# --- buffers


@pytest.mark.parametrize("timestamps", [False, True])
def test_a_receive_buffer_that_grows_is_soon_no_limit(timestamps):
    """Its round trip is that of timestamps that come back, or of a window that comes in."""
    own = flow(timestamps=timestamps, receive_buffer_bytes="auto")
    forth = link(100e6, queue=1000)  # a window of 1250 segments; the buffer begins with 65
    grown = run(forth, own, duration_s=20)["delivered_bytes"]
    assert grown > 0.97 * run(forth, flow(timestamps=timestamps), duration_s=20)["delivered_bytes"]


# --- losses and outages


@pytest.mark.parametrize("sack", [True, False])
def test_what_overtakes_by_two_places_is_no_loss(sack):
    """B8: packets displaced by up to two places cause no recovery, however many."""
    # At 10 Mbit/s a segment takes 0.84 ms: a path shorter by 1.2 ms is overtaken by one or two.
    changes = [{"at_s": 2 + 0.5 * i, "delay_s": 0.05 if i % 2 else 0.0512} for i in range(50)]
    back = {"loss_per_packet": 0.2}
    own = flow(sack=sack, receive_buffer_bytes=40_000)
    answer = run(link(changes=changes), own, duration_s=28, back=back)
    assert answer["recoveries"] == answer["retransmissions"] == 0


@pytest.mark.parametrize("outage_s", [50, 70, 200])
def test_an_outage_is_survived(outage_s):
    """B3: a connection goes on after more than 63 s, as Linux's, and R2 is at least 100 s."""
    forth = link(outages=[{"start_s": 10, "duration_s": outage_s}])
    answer = run(forth, flow(), duration_s=10 + outage_s + 80)
    assert answer["given_up_s"] is None
    before = run(link(), flow(), duration_s=10)["delivered_bytes"]
    assert answer["delivered_bytes"] > 1.5 * before


def test_a_connection_that_gives_up_says_when():
    """B3: R2 is a flow's choice, and in the result."""
    forth = link(outages=[{"start_s": 10, "duration_s": 500}])
    answer = run(forth, flow(retries=3), duration_s=600)
    assert answer["timeouts"] == 3
    assert 10 + 15 <= answer["given_up_s"] <= 10 + 17


@pytest.mark.parametrize(
    "large",
    [
        {"initial_window_segments": 2_863_312, "segment_bytes": 1500},
        {"initial_ssthresh_segments": 4_295_000},
        {"initial_window_segments": 2_147_483_647, "max_window_segments": 2_147_483_647},
    ],
    ids=["window", "threshold", "largest"],
)
def test_windows_beyond_32_bits(large):
    """B4: products that do not fit 32 bits are as any other."""
    answer = run(link(), flow(receive_buffer_bytes=10**6, **large), duration_s=10)
    assert answer["delivered_bytes"] * 8 / 10 > 0.8 * 10e6
    assert answer["timeouts"] == 0


def test_a_timeout_in_a_recovery_is_told_as_one():
    """B5: what has happened is in the value, not in the order of calls. `fixed` answers with it."""
    own = flow({"name": "fixed", "parameters": {"window": 50}})
    forth = link(outages=[{"start_s": 5, "duration_s": 0.001}, {"start_s": 5.08, "duration_s": 2}])
    case = scenario(forth, own, duration_s=20, series=["ssthresh_segments"])
    answer = native.run(case, own=FIXED)["flows"][0]
    loss, timeout = 1000, 1003
    assert answer["recoveries"] == 1
    assert answer["series"]["ssthresh_segments"][1] == [loss, timeout]


def test_a_lost_retransmission_may_be_left_to_the_timer():
    """RFC 6675 waits for the timer; what was sent after it tells sooner (RFC 8985, section 3)."""
    found, left = (
        sum(
            run(link(loss_per_packet=0.02), own, duration_s=100, seed=seed)["timeouts"]
            for seed in range(1, 6)
        )
        for own in (flow(), flow(lost_retransmissions="timeout"))
    )
    assert left > 3 * found + 5


# --- what Linux has besides


@pytest.mark.parametrize("timestamps", [True, False])
def test_an_early_timeout_is_undone(timestamps):
    """By F-RTO, timestamps, or DSACK alone: a path that becomes longer at once has lost nothing."""
    forth = link(changes=[{"at_s": 5, "delay_s": 1.2}])
    own = flow(receive_buffer_bytes=60_000, timestamps=timestamps)
    plain, frto, undo = (
        run(forth, own | more, duration_s=60) for more in ({}, {"frto": True}, {"undo": True})
    )
    assert plain["timeouts"] > 0
    assert plain["undone"] == 0
    for answer in (frto, undo):
        assert answer["undone"] > 0
        assert answer["retransmissions"] <= plain["retransmissions"]
        assert answer["delivered_bytes"] >= plain["delivered_bytes"]


AS_LINUX = {"rack": True, "frto": True, "undo": True}


@pytest.mark.parametrize("tells", [{"frto": True}, {"undo": True}, AS_LINUX])
def test_a_flight_that_an_outage_has_lost_is_lost(tells):
    """Whoever took that timeout for none would send as fast as before, and wait for timeouts."""
    forth = link(10e6, 0.05, outages=[{"start_s": 5, "duration_s": 1}])
    own = flow(initial_window_segments=30, initial_ssthresh_segments=30)
    plain, other = (run(forth, own | more, duration_s=30) for more in ({}, tells))
    assert plain["timeouts"] > 0
    assert other["undone"] == 0
    assert other["delivered_bytes"] > 0.95 * plain["delivered_bytes"]


@pytest.mark.parametrize("queue", [50, 100])
@pytest.mark.parametrize("control", ["newreno", "cubic", "bbr"])
def test_what_a_queue_has_dropped_is_lost(control, queue):
    """On a path that keeps the order, whichever recovery the retransmissions are of."""
    forth = link(10e6, 0.05, queue_packets=queue)
    for more in ({"undo": True}, {"undo": True, "timestamps": False}, AS_LINUX):
        answer = run(forth, flow({"name": control}) | more, duration_s=60)
        assert answer["retransmissions"] > 0
        assert answer["undone"] == 0


def test_rack_takes_reordering_for_no_loss():
    """RFC 8985: what arrives within a quarter of a round trip of its turn is not lost."""
    changes = [{"at_s": 3 + 0.5 * i, "delay_s": 0.05 if i % 2 else 0.06} for i in range(40)]
    own = flow(receive_buffer_bytes=100_000)
    plain, rack = (
        run(link(changes=changes), own | {"rack": rack}, duration_s=30) for rack in (False, True)
    )
    assert rack["retransmissions"] < 0.5 * plain["retransmissions"]


def test_a_tail_loss_probe_takes_the_place_of_a_timeout():
    """RFC 8985, section 7: the last segments of a transfer are lost."""
    own = flow(bytes=20_000)
    done_s = run(link(100e6), own)["completion_s"]
    forth = link(100e6, outages=[{"start_s": done_s - 1e-4, "duration_s": 0.02}])
    plain, rack = (run(forth, own | {"rack": rack}) for rack in (False, True))
    assert plain["timeouts"] == 1
    assert rack["timeouts"] == 0
    assert rack["completion_s"] < plain["completion_s"] - 0.3


def thresholds_after(
    outage_s: float, lossy_s: float, loss: float, seed: int = 1, **own
) -> list[float]:
    """Return the thresholds (segments) that follow an outage at 5 s and losses after it."""
    outage = {"start_s": 5, "duration_s": outage_s}
    changes = [{"at_s": 5, "loss_per_packet": loss}, {"at_s": 5 + lossy_s, "loss_per_packet": 0.0}]
    forth = link(rate_bps=20e6, delay_s=0.05, queue=500, outages=[outage], changes=changes)
    settings = flow(**own) | {"initial_ssthresh_segments": 100}
    answer = run(forth, settings, duration_s=8, seed=seed, series=["ssthresh_segments"])
    times, thresholds = answer["series"]["ssthresh_segments"]
    return [one for time_s, one in zip(times, thresholds, strict=True) if time_s > 5]


@pytest.mark.parametrize("recovery", ["prr", "halving"])
@pytest.mark.parametrize(
    ("control", "leaves"), [("newreno", 1 / 2), ("scalable", 7 / 8), ("cubic", 0.7)]
)
def test_a_lost_retransmission_lowers_the_threshold_from_itself(control, leaves, recovery):
    """RFC 5681, 4.3: twice, whatever a recovery allows at the moment."""
    first, second, *_ = thresholds_after(
        0.06, 0.56, 0.1, congestion_control=control, recovery=recovery
    )
    assert second == pytest.approx(leaves * first, rel=0.02)


def test_who_would_leave_the_window_as_it_is_does_so_where_a_retransmission_is_lost():
    ucc = {"name": "ucc", "parameters": {"alpha": 1.0}}
    found = thresholds_after(0.06, 0.56, 0.1, congestion_control=ucc)
    assert len(found) == 1  # it is told where it changes


def test_after_a_timeout_a_lost_retransmission_begins_no_recovery():
    """RFC 6675, 5.1: not before all is acknowledged that was outstanding."""
    found = thresholds_after(0.5, 1.3, 0.05, seed=2, congestion_control="newreno")
    assert len(found) == 1
