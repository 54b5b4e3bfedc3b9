"""Routers that speak, and senders that ask, in the core: XCP, Quick-Start, PTP, probes."""

import sys
from pathlib import Path

import pytest
import segment_link_driver
from segment_link_driver import Offered
from segment_scenarios import flow, link, run, scenario

from longfat.engines.segment import native

FIXED = Path(__file__).parent / "cc_fixed.h"

pytestmark = pytest.mark.medium
FLAGS: tuple[str, ...] = ()  # for the compiler
ASKER = Path(__file__).parent / "cc_asker.h"
# In 20 s a sender asks every 50 ms once there is a connection, and hears all but the last two.
ASKED, ANSWERED = (20 - 0.1) / 0.05, (20 - 0.2) / 0.05


@pytest.fixture(autouse=True, params=["", pytest.param("sanitizers", marks=pytest.mark.slow)])
def _flags(request, monkeypatch):
    """Under sanitizers the engine is compiled for more than a minute."""
    flags = native.SANITIZED if request.param else ()
    monkeypatch.setattr(sys.modules[__name__], "FLAGS", flags)


def asked(what: int, forth: dict, window: float = 20, back=None, duration_s=20.0, **more) -> dict:
    """Return the counts of a flow whose sender uses one of the requests (cc_asker.h)."""
    own = flow({"name": "asker", "parameters": {"what": what, "window": window}}, **more)
    series = ["bandwidth_bps", "utilization"]
    case = scenario(forth, own, duration_s=duration_s, series=series, back=back)
    answer = native.run(case, own=ASKER, flags=FLAGS)
    first = answer["flows"][0]
    last = {name: first["series"][name][1][-1] for name in series}
    return first | {
        "answered": last["bandwidth_bps"],
        "told": last["utilization"],
        "links": answer["links"],
    }


# --- XCP


def test_a_sender_that_routers_tell_its_rate_fills_the_link():
    told = asked(4, link(queue=119, xcp={}), window=10, back={"xcp": {}})
    assert told["xcp"] == "spoken"
    assert told["answered"] > 1000
    assert told["links"][0]["packets_dropped_by_queue"] == 0
    assert told["delivered_bytes"] * 8 > 0.9 * 20 * 10e6 * 1000 / 1054


def test_a_router_that_speaks_counts_what_its_queue_marks():
    """Audit D: an XCP link counted none."""
    told = run(link(queue=119, mark_above_packets=20, xcp={}), flow(ecn=True))
    marked = told["links"][0]["packets_marked"]
    assert marked > 5
    assert told["recoveries"] == told["retransmissions"] == 0


def test_a_router_that_says_nothing_is_known():
    assert asked(4, link())["xcp"] == "fallen back"


# --- Quick-Start (RFC 4782)


@pytest.mark.parametrize(
    ("approves", "wanted", "rate"),
    [
        (10e6, 8e6, 5.12e6),  # 40 kb/s times a power of 2
        (10e6, 5.11e6, 2.56e6),
        (3e6, 8e6, 2.56e6),
        (50e3, 8e6, 0),
        (None, 8e6, 0),
    ],
)
def test_what_a_router_approves_is_used_and_reported(approves, wanted, rate):
    own = {"approve_bps": approves} if approves else {}
    forth = link(delay_s=0.15, queue=2000, **own)
    plain = run(forth, flow(bytes=400_000), duration_s=60)
    answer = run(forth, flow(bytes=400_000, quick_start_bps=wanted), duration_s=60)
    assert answer["quick_start_bps"] == rate
    assert answer["links"][0]["quick_starts_reported"] == (rate > 0)
    if rate:  # three of ten doublings are saved
        assert answer["completion_s"] < plain["completion_s"] - 0.5
    else:
        assert answer["completion_s"] == pytest.approx(plain["completion_s"], abs=1e-3)


@pytest.mark.parametrize("start_s", [60, 3600])
def test_a_router_approves_the_same_however_long_it_has_seen_traffic(start_s):
    """What it has seen in the last half second counts: five segments of the other flow."""
    steady = flow(receive_buffer_bytes=1000)  # one in flight, every 0.1 s
    own = flow(start_s=start_s, quick_start_bps=8e6, bytes=1000)
    forth = link(approve_bps=185e3)  # less 84 kb/s
    answer = native.run(scenario(forth, steady, own, duration_s=start_s + 2))
    assert answer["flows"][1]["quick_start_bps"] == 80e3


def test_a_router_counts_all_traffic_of_the_last_half_second():
    """Of 10 Mb/s, 5 are used: 2.56 may be approved, and never the next step, 5.12."""
    steady = flow({"name": "fixed", "parameters": {"window": 1e6, "pacing_bps": 5e6}})
    starts = [5 + 0.013 * k for k in range(8)]
    asked = [
        flow(start_s=at + 2 * k, quick_start_bps=8e6, bytes=1000) for k, at in enumerate(starts)
    ]
    forth = link(rate_bps=100e6, approve_bps=9.9e6)
    answer = native.run(scenario(forth, steady, *asked, duration_s=24), own=FIXED)
    assert {one["quick_start_bps"] for one in answer["flows"][1:]} == {2.56e6}


def test_a_rate_that_was_not_there_is_given_back():
    forth = link(rate_bps=1e6, delay_s=0.1, queue=20, approve_bps=10e6)
    answer = run(forth, flow(quick_start_bps=8e6), duration_s=20, series=["cwnd_segments"])
    times, values = answer["series"]["cwnd_segments"]
    assert max(values) > 100
    assert min(w for t, w in zip(times, values, strict=True) if t > 1.5) <= 12
    assert answer["delivered_bytes"] * 8 / 20 > 0.5e6


# --- a sender's own packets


def test_probes_are_answered_at_once():
    """Every 50 ms one, a round trip of the path with headers alone."""
    told = asked(0, link(), window=1)
    assert told["answered"] == pytest.approx(ANSWERED, abs=1)
    assert 0.1 < told["told"] < 0.103


def test_routers_that_speak_ptp_write_into_queries():
    whole, broken = asked(1, link(ptp=True)), asked(1, link())
    assert (whole["ptp"], whole["told"]) == ("spoken", 1)
    assert (broken["ptp"], broken["told"]) == ("fallen back", 0)
    assert whole["ptp_queries"] == pytest.approx(ASKED, abs=1)


def test_supplements_are_beyond_the_window_and_their_losses_reduce_nothing():
    free, without = asked(2, link()), asked(0, link())
    assert free["answered"] == pytest.approx(ANSWERED, abs=1)
    assert free["segments_sent"] == pytest.approx(without["segments_sent"] + ASKED, abs=30)
    # A window that nearly fills the queue leaves room for few of them, and its own are not lost.
    narrow = link(rate_bps=1e6, queue=9)
    full, alone = (asked(what, narrow, window=18) for what in (2, 4))
    lost = [one["links"][0]["packets_dropped_by_queue"] for one in (full, alone)]
    assert lost[0] > lost[1] + 50
    assert full["answered"] + lost[0] - lost[1] == pytest.approx(ANSWERED, abs=3)
    assert full["recoveries"] == alone["recoveries"] <= 1  # of the burst in which it begins
    assert full["timeouts"] == 0


def test_a_sender_that_holds_is_neither_timed_out_nor_in_recovery():
    forth = link(outages=[{"start_s": 5, "duration_s": 0.3}])
    held = asked(3, forth)
    plain = asked(0, forth)
    assert held["answered"] >= 1
    assert held["told"] == held["recoveries"] == held["timeouts"] == 0
    assert plain["recoveries"] + plain["timeouts"] > 0
    assert held["delivered_bytes"] > 0.9 * plain["delivered_bytes"]


def test_a_sender_that_resumes_with_less_is_asked_once_for_what_is_in_flight():
    """Nothing left while it held, so that what was outstanding is what it sent before: a window."""
    held = asked(5, link(outages=[{"start_s": 5, "duration_s": 0.3}]))
    assert held["answered"] == held["recoveries"] == 1
    assert held["timeouts"] == 0
    assert 0 < held["told"] <= 20


def test_what_acks_deliver_is_whole_segments_also_where_duplicates_only_guess():
    """Without SACK, over timeouts: in LOSS a duplicate ACK says of nothing that it has arrived."""
    hard = link(loss_per_packet=0.05, outages=[{"start_s": 5, "duration_s": 0.3}])
    all_acks = asked(6, hard, sack=False)
    assert all_acks["timeouts"] > 3
    assert (
        all_acks["told"] >= all_acks["delivered_bytes"] - 20_000
    )  # the last ACKs are on their way
    assert all_acks["told"] % 1000 == 0


@pytest.mark.parametrize("sack", [False, True])
def test_no_retransmission_moves_what_a_round_trip_ends_with(sack):
    """Audit B10: snd_nxt is the end of what was ever sent, and not of what was sent last."""
    told = asked(6, link(loss_per_packet=0.05), sack=sack)
    assert told["retransmissions"] > 50
    assert told["answered"] == 0


# --- what links tell (ELN) and queues prefer


def test_a_loss_that_the_link_tells_of_does_not_reduce_the_window():
    own = flow(initial_ssthresh_segments=60)
    plain, told = (
        run(link(loss_per_packet=3e-3, notifies_loss=tells), own) for tells in (False, True)
    )
    assert told["recoveries"] > 20
    assert told["links"][0]["acks_told_of_loss"] > 100
    assert told["delivered_bytes"] > 3 * plain["delivered_bytes"]


@pytest.mark.parametrize("steps", [False, True])
def test_a_full_queue_drops_low_priority_first(steps):
    low, normal = segment_link_driver.LOW, 0
    packets = [Offered(0, 1000, low) for _ in range(10)] + [Offered(0, 1000, normal)] * 5
    arrivals, counts = segment_link_driver.send(packets, 1, queue_packets=8, ptp=steps)
    # One is being sent, eight wait: all that are not low, and the first of those that are.
    assert [a.number for a in arrivals] == [0, 1, 2, 3, 10, 11, 12, 13, 14]
    assert counts["overflow"] == 6
