"""Start-ups, ACK by ACK, each against its own document.

Every test says which section it is about and works the expected numbers out from its rules; none of
them was taken from what the engine prints. Segments are of 1000 bytes.
"""

import json
import math
from itertools import pairwise

import pytest
from cc_driver import MSS, Driver
from segment_scenarios import HEADERS, SENDERS, flow, link, run, scenario
from sender_driver import play

from longfat import Flow, Scenario, builds
from longfat.cc import catalogue
from longfat.engines.segment import native
from longfat.errors import InputError

pytestmark = pytest.mark.skipif(builds.compiler() is None, reason="no C++ compiler here")

NONE = 1e9  # a threshold that is not there
KINDS = ["standard", "paced", "limited", "hystart", "hystart++", "search", "hybla", "picoquic"]
RESUME = {"kind": "careful-resume", "saved_cwnd_bytes": 200 * MSS, "saved_rtt_s": 0.1}


def starting(kind, window=10, sender="newreno", threshold=NONE, rtt_s=0.1, **fields):
    """Return a sender whose first window is full, with that start-up."""
    own = kind if isinstance(kind, dict) else {"kind": kind} | fields
    driver = Driver(sender, window, threshold, start_up=own)
    driver.established(rtt_s)
    driver.fill(driver.cwnd)
    return driver


def windows(driver, acks, **ack):
    return [driver.ack(**ack) for _ in range(acks)]


# --- what holds for all


@pytest.mark.parametrize("kind", [*KINDS, RESUME])
def test_the_first_congestion_ends_a_start_up_and_its_pace(kind):
    """From then on every decision is the sender's: after a loss, and after a timeout."""
    driver = starting(kind, sender="reno")
    driver.ack(0.1)
    driver.threshold("timeout")
    driver.set(1)
    driver.event("timeout")
    assert driver.pacing_bps == math.inf
    driver.set(8, 16)  # a later slow start is the sender's own
    assert windows(driver, 4) == [9, 10, 11, 12]
    driver.set(20, 16)
    assert driver.ack() == pytest.approx(20, abs=1)
    assert driver.pacing_bps == math.inf


@pytest.mark.parametrize("kind", [*KINDS, RESUME])
def test_a_window_that_does_not_limit_what_is_sent_does_not_grow(kind):
    """RFC 7661: the application's pauses prove nothing."""
    driver = starting(kind, rtt_s=0.05)  # picoquic scales nothing at 50 ms; hybla's rho is 2
    driver.limited = False
    first = driver.cwnd
    assert set(windows(driver, 5, rtt_s=0.05)) == {first}


@pytest.mark.parametrize("kind", KINDS)
def test_no_start_up_goes_beyond_the_threshold(kind):
    driver = starting(kind, threshold=12)
    assert max(windows(driver, 24, rtt_s=0.1)) < 14  # congestion avoidance from there on
    assert driver.cwnd > 12


def test_what_was_no_congestion_has_ended_nothing():
    driver = starting("limited", window=8, max_ssthresh_segments=8)
    driver.threshold("loss")
    driver.event("undo", before=8)
    driver.set(8, NONE)
    assert windows(driver, 2) == [9, 9.5]  # as RFC 3742 goes on


def test_a_sender_that_backs_off_by_delay_ends_a_start_up():
    """Vegas's window falls to what the path holds, in the start-up of another too."""
    driver = starting("standard", window=64, sender="vegas")
    for _ in range(3):
        driver.round(0.1)
    assert driver.ssthresh == NONE
    for _ in range(3):
        driver.round(0.3)
    assert driver.ssthresh < NONE


def test_the_end_of_a_senders_own_slow_start_is_not_that_of_another():
    """CUBIC's HyStart++ would have slowed down, and ended, with such a rise."""
    driver = starting("standard", window=20, sender="cubic")
    for rtt_s in [0.1, *[0.15] * 7]:
        before = driver.cwnd
        driver.round(rtt_s)
        assert driver.cwnd == 2 * before
    assert driver.ssthresh == NONE


def test_the_sender_sees_the_whole_connection():
    """Westwood's threshold after a loss is the bandwidth of the ACKs that came in the start-up."""
    plain, paced = (
        run(
            link(16e6, queue=60),
            flow("westwood", **more),
            duration_s=10,
            series=["ssthresh_segments"],
        )
        for more in ({}, {"start_up": "standard"})
    )
    assert plain["recoveries"] > 0
    assert plain["flows"] == paced["flows"]


@pytest.mark.parametrize(
    "sender", [name for name in SENDERS if catalogue.find(name).has_slow_start]
)
@pytest.mark.parametrize("kind", ["hybla", "search", RESUME])
def test_every_sender_with_a_slow_start_takes_any_start_up(sender, kind):
    own = flow(sender, start_up=kind, bytes=3_000_000)
    answer = run(link(20e6, queue=100), own, duration_s=300)
    assert answer["delivered_bytes"] == 3_000_000


@pytest.mark.parametrize("sender", [n for n in SENDERS if not catalogue.find(n).has_slow_start])
def test_a_sender_without_one_is_refused_in_a_sentence(sender):
    with pytest.raises(InputError, match=f"'{sender}' has no slow start"):
        Flow(source="a", target="b", congestion_control=sender, start_up="standard")
    own = flow(sender, start_up="standard")
    with pytest.raises(InputError, match=r"flows\.0\.start_up: .* has no slow start"):
        native.run(scenario(link(), own))


def test_a_scenario_keeps_a_start_up():
    ends = {"source": "a", "target": "b", "congestion_control": "cubic"}
    named = Flow(**ends, start_up="hybla")
    assert named == Flow(**ends, start_up={"kind": "hybla", "rtt0_s": 0.025})
    assert json.loads(named.model_dump_json(exclude_defaults=True))["start_up"] == {"kind": "hybla"}
    cable = {"rate_bps": 1e6, "delay_s": 0.01, "queue_packets": 9}
    links = [{"source": s, "target": t} | cable for s, t in ("ab", "ba")]
    whole = Scenario(links=links, flows=[named], duration_s=1)
    assert Scenario.from_json(whole.to_json()) == whole
    with pytest.raises(InputError, match="either start_up or quick_start_bps"):
        Flow(**ends, start_up="hybla", quick_start_bps=1e6)
    with pytest.raises(InputError, match="of one connection"):
        Flow(**ends, start_up=RESUME, relays=("m",))


# --- standard (RFC 5681, 3.1, (2); RFC 3465, 2.2; RFC 9002, 7.3.1 and 7.7)


@pytest.mark.parametrize(("limit", "added"), [(1, 1), (2, 2), (8, 4), (1e6, 4)])
def test_an_ack_counts_for_what_it_acknowledges_up_to_the_limit(limit, added):
    driver = starting("standard", limit_segments=limit)
    assert driver.ack(segments=4) == 10 + added


def test_newreno_with_the_standard_start_is_newreno():
    """Whole runs: losses by overflow and at random, timeouts, a threshold of its own."""
    for more in ({}, {"loss_per_packet": 0.01}, {"outages": [{"start_s": 3, "duration_s": 2}]}):
        forth = link(queue=40, **more)
        own = [flow(start_up=kind, initial_ssthresh_segments=200) for kind in (None, "standard")]
        plain, same = (run(forth, one, duration_s=30) for one in own)
        assert plain["flows"] == same["flows"]
        assert plain["retransmissions"] > 0


@pytest.mark.slow
def test_a_paced_start_spreads_its_windows_over_the_round_trip():
    """N = 2 windows a round trip of 0.1 s, of ten segments first: one each 5 ms."""
    answer = play(["synack 0.1", "run 0.19"], timestamps=False, start_up="paced")[1]
    assert [time for time, *_ in play(["synack 0.1"], start_up="paced")[0]["sent"][1:]] == [0.1]
    assert [round(time, 6) for time, *_ in answer["sent"]] == [
        round(0.1 + 0.005 * number, 6) for number in range(1, 10)
    ]


def test_the_pace_follows_the_window():
    driver = starting("paced", gain=1.5)
    driver.ack(0.1)
    assert driver.pacing_bps == pytest.approx(1.5 * 8 * 11 * MSS / 0.1)


# --- limited (RFC 3742, section 2)


def test_limited_slow_start():
    """max_ssthresh 8: +1 up to a window of 8; then 1 / K, with K = int(W / 4): 1/2 below 12."""
    driver = starting("limited", window=6, max_ssthresh_segments=8)
    assert windows(driver, 4) == [7, 8, 9, 9.5]
    driver.set(12)
    assert driver.ack() == 12 + 1 / 3
    driver.set(16)
    assert driver.ack() == 16 + 1 / 4


def test_limited_slow_start_adds_half_of_its_limit_a_round_trip():
    """At most max_ssthresh / 2 segments: 50 of the 100 that the RFC recommends."""
    driver = starting("limited", window=1000)
    driver.round(0.1)
    assert 45 < driver.cwnd - 1000 <= 50


# --- HyStart (Ha and Rhee 2011; Linux, hystart_update)


def test_hystart_ends_with_a_train_of_half_a_round_trip():
    """ACKs 1 ms apart: the 52nd, 51 ms after the first, is beyond (100 + 1) / 2 ms.

    One millisecond is what Linux adds for bursts at that rate at most. The 51 before have each
    added a segment.
    """
    driver = starting("hystart", window=64)
    for number in range(52):
        driver.now_s = 0.2 + 0.001 * number
        driver.ack(0.1)
        assert driver.ssthresh == (64 + 51 if number == 51 else NONE)


def test_hystart_ends_with_a_round_trip_that_is_longer_by_an_eighth():
    """Of 100 ms: beyond 112.5. ACKs 3 ms apart are no train; nine samples are needed."""

    def ends(rtt_s):
        driver = starting("hystart", window=64)
        driver.now_s = 0.2
        driver.ack(0.1)  # the smallest
        driver.una = 64 * MSS  # the next ACK begins a round
        driver.fill(64)
        for number in range(10):
            driver.now_s += 0.003
            driver.ack(rtt_s)
            if driver.ssthresh < NONE:
                return number
        return None

    assert ends(0.113) == 8
    assert ends(0.112) is None


# --- HyStart++ (RFC 9406, 4.2 and 4.3)


def test_hystart_plus_plus_grows_a_quarter_as_fast_after_a_rise():
    """RttThresh = clamp(4, 100 / 8, 16) ms: from 112.5 on, after eight samples.

    The twentieth ACK, of all that was sent first, begins the second round. ACKs then add 1/4.
    """
    driver = starting("hystart++", window=20)
    assert windows(driver, 19, rtt_s=0.1)[-1] == 39
    rises = [driver.cwnd, *windows(driver, 10, rtt_s=0.113)]
    assert [b - a for a, b in pairwise(rises)] == [1] * 7 + [0.25] * 3


def test_a_smaller_rise_is_none():
    driver = starting("hystart++", window=20)
    windows(driver, 19, rtt_s=0.1)
    assert windows(driver, 20, rtt_s=0.112)[-1] == 59


def test_hystart_plus_plus_ends_after_five_such_rounds():
    driver = starting("hystart++", window=20)
    driver.round(0.1)
    driver.round(0.113)  # in which it begins
    for _ in range(5):
        assert driver.ssthresh == NONE
        driver.round(0.113)
    assert driver.ssthresh < NONE


def test_hystart_plus_plus_goes_on_when_the_rise_was_none():
    """An RTT below that at which it began, after eight samples, ends conservative slow start."""
    driver = starting("hystart++", window=20)
    driver.round(0.1)
    driver.round(0.113)
    driver.round(0.1)
    before = driver.cwnd
    assert driver.ack(0.1) == before + 1


# --- SEARCH (draft-chung-ccwg-search-09, 3.2)


def searched(arrivals, rtt_s=0.1):
    """Return in which round SEARCH ends, if so many segments arrive in each, or None.

    Slow start sends twice what arrives. An ACK comes each fortieth of a round trip, the first at
    0.1025 s; bins end 35 ms apart from there on.
    """
    driver = starting("search", window=10)
    driver.now_s = rtt_s
    for number, arrives in enumerate(arrivals):
        for part in range(40):
            driver.now_s += rtt_s / 40
            own = round(arrives * (part + 1) / 40) - round(arrives * part / 40)
            driver.ack(rtt_s, segments=own)
        if driver.ssthresh < NONE:
            return number
    return None


def test_search_does_not_end_while_what_was_sent_arrives():
    """What is delivered in a window is what was sent in it a round trip ago."""
    assert searched([10 * 2**n for n in range(12)]) is None


def test_search_ends_when_what_arrives_falls_behind():
    """From round 8 on no more than 1280 arrive a round, while 2560 are sent.

    In the bin that ends at 0.9775 s, 77.5 % of round 8 have passed: 992 of 4136 are missing of
    what was sent in W = 3.5 round trips, 24 %. In the next, 12.5 % into round 9, 1440 of 4920 are,
    29 %.
    """
    assert searched([10 * 2 ** min(n, 7) for n in range(14)]) == 9


def test_search_looks_back_on_more_than_a_window():
    """Eleven bins of 35 ms and a round trip have to have passed: 1.1 x 3.5 + 1 = 4.85 of them."""
    assert searched([10 * 2 ** min(n, 1) for n in range(14)]) in (4, 5)


# --- Hybla (equation (1), first line)


def test_hybla_begins_with_the_ratio_and_adds_two_to_its_power():
    driver = starting("hybla", window=2)  # rho = 0.1 / 0.025
    assert driver.cwnd == 4
    assert windows(driver, 2, rtt_s=0.1) == [4 + 15, 4 + 30]
    short = starting("hybla", window=2, rtt_s=0.01)  # rho is never below 1
    assert windows(short, 2, rtt_s=0.01) == [3, 4]


def test_hyblas_start_goes_with_any_sender_as_with_hybla():
    """Up to the first loss the windows are those of Hybla itself."""
    own = {"series": ["cwnd_segments"], "duration_s": 0.45}
    itself = run(link(100e9, queue=10**6), flow("hybla", initial_window_segments=1), **own)
    other = flow("newreno", initial_window_segments=1, start_up="hybla")
    assert run(link(100e9, queue=10**6), other, **own)["series"] == itself["series"]


# --- picoquic (cc_common.c, cubic.c, frames.c)


@pytest.mark.parametrize(("rtt_s", "first"), [(0.05, 10), (0.1, 10), (0.6, 60), (0.7, 61)])
def test_picoquics_first_window_is_scaled_by_the_round_trip(rtt_s, first):
    """picoquic_cc_update_cwin_for_long_rtt: RTT / 100 ms, up to 610 ms."""
    assert starting("picoquic", rtt_s=rtt_s).cwnd == pytest.approx(first)
    assert starting("picoquic", rtt_s=rtt_s, scales_first_window=False).cwnd == 10


def test_picoquic_holds_half_of_what_the_largest_rate_fills():
    """picoquic_cc_update_target_cwin_estimation.

    Ten segments come in 10 ms: 1000 a second, of which 0.6 s hold 600; half of that is 300. The
    ACK adds what it acknowledges.
    """
    driver = starting("picoquic", rtt_s=0.6, scales_first_window=False)
    driver.now_s = 0.6
    driver.ack(0.6)
    driver.now_s += 0.01
    assert driver.ack(0.6, segments=10) == pytest.approx(310)
    assert driver.pacing_bps == pytest.approx(1.25 * 8 * 310 * MSS / 0.6)


@pytest.mark.parametrize(
    ("rtt_s", "stays"), [(0.05, 0.5), (0.4, (1 + 1 / 4) / 2), (0.8, (1 + 0.61 / 0.8) / 2)]
)
def test_picoquic_takes_its_window_back_when_round_trips_rise(rtt_s, stays):
    """Seven samples, 1 ms apart at least, all longer by more than a quarter, seven times."""
    driver = starting("picoquic", rtt_s=rtt_s, window=1000, scales_first_window=False)
    for number in range(7 + 7 + 6):
        driver.now_s += 0.002
        before = driver.cwnd
        driver.ack(rtt_s * (1.26 if number >= 7 else 1))
        ended = driver.ssthresh < NONE
        assert ended == (number == 19)
    assert driver.cwnd == pytest.approx(before * stays)
    assert driver.pacing_bps == math.inf


# --- Careful Resume (RFC 9959)


def resuming(window=10, rtt_s=0.1, **fields):
    driver = starting(RESUME | fields, window=window, rtt_s=rtt_s)
    driver.now_s = rtt_s
    return driver


def jumped(**fields):
    """Return a sender that has just jumped, and sent nothing of it.

    The tenth ACK has come, 18 segments are in flight: PipeSize begins with that.
    """
    driver = resuming(**fields)
    windows(driver, 9, rtt_s=0.1)
    driver.fills = False
    driver.ack(0.1)
    return driver


def test_reconnaissance_is_normal_until_the_first_window_is_acknowledged():
    """3.2: the window grows as ever; the ACK that completes the initial data may jump."""
    driver = resuming()
    assert windows(driver, 9, rtt_s=0.1) == list(range(11, 20))
    assert driver.pacing_bps == math.inf
    assert driver.ack(0.1) == 100  # half of what was saved


def test_the_jump_is_half_of_what_was_saved_and_paced_over_the_round_trip():
    """3.3, and 4.3: ITT = (current RTT x MPS) / jump_cwnd."""
    driver = jumped()
    assert driver.cwnd == 100
    assert driver.pacing_bps == pytest.approx(8 * 100 * MSS / 0.1)
    assert jumped(max_jump_bytes=60 * MSS).cwnd == 60


@pytest.mark.parametrize(
    ("saved_rtt_s", "jumps"), [(0.2, False), (0.199, True), (0.0101, True), (0.0099, False)]
)
def test_another_round_trip_is_another_path(saved_rtt_s, jumps):
    """3.2 and 4.2.1: not up to half of the saved one, nor more than ten times."""
    assert (jumped(saved_rtt_s=saved_rtt_s).cwnd == 100) == jumps


def test_a_jump_that_would_lower_the_window_is_none():
    assert jumped(saved_cwnd_bytes=30 * MSS).cwnd == 20


def test_congestion_in_reconnaissance_is_the_senders_affair():
    """3.2: it stops, and goes on with normal congestion control."""
    driver = resuming()
    driver.ack(0.1)
    assert driver.threshold("loss") == 5.5  # NewReno's half of what is outstanding
    driver.set(11, NONE)
    assert windows(driver, 20, rtt_s=0.1) == list(range(12, 32))


def test_the_jump_waits_for_data():
    """4.2: a sender that has no more to send remains in reconnaissance."""
    driver = resuming()
    windows(driver, 9, rtt_s=0.1)
    driver.limited = False
    assert driver.ack(0.1) < 21
    driver.limited = True
    assert driver.ack(0.1) == 100


def test_the_window_does_not_grow_before_it_is_proved():
    """3.3: ACKs of what was sent before the jump count for the pipe, not for the window."""
    driver = jumped()
    driver.fill(40)  # of the jump, 22 have left
    assert windows(driver, 5, rtt_s=0.1) == [100] * 5


def validating():
    """Return a sender that has sent its whole jump: the ACK makes the window what is in flight."""
    driver = jumped()
    driver.fill(100)
    driver.ack(0.1)
    return driver


def test_when_all_is_sent_the_window_is_what_is_in_flight():
    """3.3: flight_size equals CWND; then CWND is flight_size, unpaced."""
    driver = validating()
    assert (driver.cwnd, driver.pacing_bps) == (99, math.inf)


def test_in_validation_the_window_grows_as_ever():
    """3.4: until the last unvalidated segment is acknowledged, and after it."""
    driver = validating()
    driver.fills = True
    assert windows(driver, 120, rtt_s=0.1) == [100 + n for n in range(120)]


def test_the_first_unvalidated_segment_that_is_acknowledged_ends_the_phase():
    """3.3: 18 were in flight at the jump; the 19th ACK is of a segment of the jump.

    60 are then in flight: more than the pipe, which is 18 at the jump and 19 acknowledged since.
    """
    driver = jumped()
    driver.fill(79)
    assert windows(driver, 18, rtt_s=0.1) == [100] * 18
    assert driver.ack(0.1) == 60


def test_a_round_trip_ends_the_phase():
    """3.3: more than one RTT has elapsed."""
    driver = jumped()
    driver.fill(60)
    driver.now_s += 0.0999
    assert driver.ack(0.1) == 100
    driver.now_s += 0.0002
    assert driver.ack(0.1) == 58


def test_a_jump_that_was_not_used_leaves_the_pipe():
    """3.3, rate_limited: in flight is no more than the pipe, 18 and 19 acknowledged since."""
    driver = jumped()
    driver.fill(40)
    windows(driver, 18, rtt_s=0.1)
    assert driver.ack(0.1) == 37
    assert driver.ack(0.1) == 38  # normal


@pytest.mark.parametrize("cause", ["loss", "ecn"])
def test_safe_retreat_leaves_half_of_what_has_arrived(cause):
    """3.5: PipeSize is 18 at the jump, and 31 acknowledged since: 49 / 2."""
    driver = validating()
    windows(driver, 30, rtt_s=0.1)
    assert driver.threshold(cause) == 49 / 2


def test_the_threshold_after_the_retreat_is_beta_of_the_pipe():
    """3.5: the window is kept, PipeSize goes on: 49 and 40; ssthresh = 89 x Beta."""
    for beta in (0.5, 0.7):
        driver = jumped(beta=beta)
        driver.fill(100)
        windows(driver, 31, rtt_s=0.1)
        driver.threshold("loss")
        driver.set(49 / 2)
        driver.state = "recovery"
        for _ in range(40):
            driver.ack(0.1)
        assert driver.cwnd == 49 / 2
        driver.event("recovered recovery")
        assert (driver.cwnd, driver.ssthresh) == (49 / 2, pytest.approx(89 * beta))
        driver.state = "open"
        assert driver.ack(0.1) == 49 / 2 + 1  # normal: slow start up to it


def test_a_second_loss_in_the_retreat_does_not_raise_the_window():
    """3.5: the window must not be increased in it."""
    driver = validating()
    windows(driver, 30, rtt_s=0.1)
    first = driver.threshold("loss")
    driver.fill(200)
    assert driver.threshold("again") == first


def test_persistent_congestion_ends_careful_resume():
    """3.6: a timeout is the sender's affair: half of what is outstanding."""
    driver = validating()
    assert driver.threshold("timeout") == pytest.approx(99 / 2, abs=1)


def commands_to_the_jump():
    """Of a whole sender: the SYN-ACK, and the ACKs of the first window at 0.2 s, 0.1 ms apart."""
    return ["synack 0.1", *(f"ack {0.2 + 0.0001 * n:.4f} {n + 1}" for n in range(10))]


def test_a_whole_sender_paces_its_jump_and_nothing_after_it():
    """Of 100 segments 18 are in flight at the jump: the rest leaves 0.1009 s / 100 apart."""
    answers = play([*commands_to_the_jump(), "run 0.35"], timestamps=False, start_up=RESUME)
    sent = answers[-1]["sent"]
    times = [time for time, *_ in sent]
    assert len(answers[-2]["sent"]) + len(sent) == 82
    assert [b - a for a, b in pairwise(times)] == pytest.approx([0.001009] * 80, abs=1e-8)


def test_a_whole_sender_retreats_at_once():
    """3.5, and 4.5: proportional rate reduction is not for it.

    All of the jump has left and 30 is lost; ACKs report 31, 32 and 33. The pipe is 18 at the jump,
    and what twenty ACKs and two reports have told: 40 / 2. (The third report shows the loss: the
    threshold is asked for before it is counted.) The window is that with the same ACK.
    """
    first = [*commands_to_the_jump(), "run 0.29"]
    second = [f"ack {0.3 + 0.0001 * n:.4f} {n + 11}" for n in range(20)]
    reports = [f"ack {0.303 + 0.0001 * n:.4f} 30 31-{32 + n}" for n in range(3)]
    answers = play([*first, *second, *reports], timestamps=False, start_up=RESUME)
    last = answers[-1]
    assert last["state"] == "recovery"
    assert last["cwnd"] == last["ssthresh"] == (18 + 20 + 2) / 2
    assert [number for _, number, _ in last["sent"]] == [30]


def test_careful_resume_is_sooner_by_whole_round_trips():
    """Alone on a path of 0.6 s, and into a link on which another is, everything arrives."""
    forth = link(20e6, delay_s=0.3, queue=2000)
    resume = RESUME | {"saved_cwnd_bytes": int(20e6 * 0.6 / 8), "saved_rtt_s": 0.6}
    took = {}
    for kind in ("standard", resume):
        answer = run(forth, flow(start_up=kind, bytes=5_000_000), duration_s=60)
        took[str(kind)] = answer["completion_s"]
    slow, fast = took.values()
    assert fast < slow - 2 * 0.6
    least = 2 * 0.6 + 8 * 5_000_000 * (1 + HEADERS / 1000) / 20e6
    assert fast > least
