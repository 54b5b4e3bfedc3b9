"""BBR 3 against draft-ietf-ccwg-bbr-06: its equations, and the test cases of its appendix."""

from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from cc_driver import MSS, Driver
from segment_scenarios import HEADERS, flow, link, run, scenario

from longfat.engines.segment import native

STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
WATCHED = Path(__file__).parent / "cc_watched.h"
RATE = 8e6  # bit/s: a hundred segments of 1000 bytes in a round trip of 0.1 s


class Bbr(Driver):
    """BBR 3 on a path that the test describes, round trip by round trip, by ten ACKs each.

    `flight` segments are in flight; each ACK's sample is of what was sent a round trip before.
    """

    def __init__(self, watched: str = "bbr3-state", **parameters) -> None:
        super().__init__(watched, 10, threshold=1e9, **parameters)
        self.lost_segments = 0
        self.established(0.1)

    @property
    def mode(self) -> int:
        return int(min(self.utilization, 1e9))

    @property
    def gain(self) -> float:
        return self.pacing_bps / 0.99 / self.bandwidth_bps

    def part(self, flight=100.0, rate_bps=RATE, rtt_s=0.1, limited=False, pipe=None) -> int:
        """An ACK for a tenth of the flight. Returns the mode."""
        tenth = max(round(flight / 10), 1)
        self.now_s += rtt_s / 10
        flight_bytes = round(flight) * MSS
        self.nxt = self.una + flight_bytes
        self.ack(
            rtt_s,
            segments=tenth,
            rate_delivered=flight_bytes,
            rate_interval=flight_bytes * 8e9 / rate_bps,
            rate_prior_delivered=self.delivered + tenth * MSS - flight_bytes,
            rate_tx_in_flight=flight_bytes,
            rate_lost=self.lost_segments * MSS,
            is_app_limited=limited,
            pipe=(flight if pipe is None else pipe) * MSS,
        )
        return self.mode

    def trip(self, *arguments, **more) -> int:
        for _ in range(10):
            self.part(*arguments, **more)
        return self.mode

    def until(self, mode: int, most=400, **more) -> None:
        """Go on until it is in that mode."""
        for _ in range(most):
            if self.part(**more) == mode:
                return
        raise AssertionError(f"it is in mode {self.mode}, not {mode}")

    def lose(self, segments: int, flight=100.0, limited=False) -> int:
        """So many segments of a flight, in places apart; a recovery begins. Returns the mode."""
        for i in range(segments):
            self.lost_segments = i + 1
            self.event(
                "lost",
                sequence=self.una + 2 * i * MSS,
                lost_since=self.lost_segments * MSS,
                tx_in_flight=round(flight) * MSS,
                sent_delivered=self.delivered - round(flight) * MSS,
                is_app_limited=limited,
            )
        self.threshold("loss")
        self.state = "recovery"
        return self.mode

    def recover(self) -> None:
        self.lost_segments = 0
        self.state = "open"


@pytest.fixture
def sender():
    return Bbr()


@pytest.fixture
def steady():
    """In ProbeBW, on a path of 8 Mbit/s and 0.1 s, and ProbeRTT is far."""
    made = Bbr(probe_rtt_interval_s=1000.0)
    made.until(CRUISE)
    return made


@pytest.fixture
def draining(steady):
    """It has probed, and more is in flight than the product."""
    steady.until(UP, flight=95)
    steady.until(DOWN, flight=125, pipe=150)
    return steady


# --- equations


def test_the_first_rate_is_that_of_the_first_window():
    """2.77 times 10 segments in 0.1 s (5.6.2); without a round trip, in 1 ms."""
    assert Bbr().pacing_bps == pytest.approx(2.77 * 10 * 8000 / 0.1)
    blind = Driver("bbr3", 10)
    blind.event("established", rtt=-1)
    assert blind.pacing_bps == pytest.approx(2.77 * 10 * 8000 / 0.001)


def test_the_window_is_two_products_and_what_acks_are_ahead(steady):
    """5.6.4.2, 5.5.9: 2 x 100 segments; an ACK of 10 that comes with the interval's start is 10
    ahead, 9 of the ten others fall behind."""
    for _ in range(12):
        steady.trip()
    assert steady.bandwidth_bps == pytest.approx(RATE)
    assert steady.cwnd == pytest.approx(210, abs=1)


def test_a_round_trip_with_losses_leaves_seven_tenths_or_what_was_delivered(steady):
    """5.5.10.3: bw_shortterm = max(bw_latest, 0.7 max_bw)."""
    steady.until(CRUISE, flight=90)
    for rate_part, left in ((0.9, 0.9), (0.5, 0.63), (0.1, 0.441)):
        for _ in range(2):
            steady.trip(90, rate_part * RATE)
        steady.lose(1, flight=90)
        for _ in range(2):
            steady.trip(90, rate_part * RATE)
        steady.recover()
        assert steady.bandwidth_bps == pytest.approx(left * RATE, rel=1e-9)


@pytest.mark.parametrize(("with_an_ack", "acks"), [(False, 10), (True, 11)])
def test_a_round_of_losses_begins_with_what_is_delivered_when_they_are_found(
    steady, with_an_ack, acks
):
    """NoteLoss (5.5.10.2): C.delivered, of the next ACK where that finds them, else of the last."""
    for _ in range(2):
        steady.trip(rate_bps=0.5 * RATE)
    steady.now_s += with_an_ack * 0.01
    steady.lose(1)
    steady.now_s -= with_an_ack * 0.01
    before, count = steady.bandwidth_bps, 0
    while steady.bandwidth_bps == before and count < 30:
        steady.part(rate_bps=0.5 * RATE)
        count += 1
    assert count == acks


def test_a_small_window_probes_as_often_as_reno_would():
    """IsRenoCoexistenceProbeTime: as many round trips as the product has segments, or one fewer."""
    sender = Bbr()
    sender.until(CRUISE, flight=10, rate_bps=RATE / 10)
    start = sender.now_s
    sender.until(REFILL, flight=9, rate_bps=RATE / 10)
    assert 0.8 < sender.now_s - start < 0.91  # 9 or 10 round trips of 9 ACKs, 10 ms each


def test_a_large_window_waits_two_to_three_seconds(steady):
    """PickProbeWait: 2 s and a random part of another; or 62 or 63 round trips."""
    waits = []
    for _ in range(8):
        steady.until(CRUISE, flight=90)
        start = steady.now_s
        steady.until(REFILL, flight=90)
        waits.append(steady.now_s - start)
        steady.until(DOWN, flight=125, pipe=150)
    assert 1.8 < min(waits) < max(waits) < 3.1
    assert max(waits) - min(waits) > 0.1


def test_a_timeout_leaves_a_segment_and_gives_the_window_back(steady):
    """5.6.4.4: OnEnterRTO, then RestoreCwnd."""
    steady.until(CRUISE, flight=90)
    for _ in range(12):
        steady.trip(90)
    before = steady.cwnd
    steady.event("timeout")
    steady.state = "loss"
    assert steady.cwnd == 1
    steady.part(90)
    assert steady.cwnd >= 4
    steady.recover()
    steady.part(90)
    assert steady.cwnd == pytest.approx(before, rel=0.06)


def test_marks_are_no_signal(steady):
    steady.threshold("ecn")
    before = steady.cwnd
    steady.state = "cwr"
    steady.part()
    assert steady.cwnd >= before


# --- the test cases of the draft's appendix, in its order


def test_startup_ends_on_a_plateau_of_the_bandwidth(sender):
    """Three round trips that grow by less than a quarter, and not two."""
    for rate in (1e6, 2e6, 4e6, 8e6):
        assert sender.trip(100, rate) == STARTUP
    assert sender.trip(100, 8e6 * 1.24) == STARTUP
    assert sender.trip(100, 8e6 * 1.24) == STARTUP
    assert sender.trip(100, 8e6 * 1.24, pipe=300) == DRAIN
    assert sender.gain == pytest.approx(0.5)


def test_startup_ends_on_loss_when_the_application_limits(sender):
    """More than 2 % in six places, over a round trip of a recovery."""
    for _ in range(5):
        sender.trip(limited=True)
    assert sender.mode == STARTUP
    sender.lose(6, limited=True)
    for _ in range(2):
        sender.trip(limited=True, pipe=300)
    assert sender.mode == DRAIN


@pytest.mark.parametrize(("places", "flight"), [(5, 100), (6, 400)])
def test_startup_goes_on_with_losses_in_few_places_or_below_the_threshold(sender, places, flight):
    for _ in range(3):
        sender.trip(flight, limited=True)
    sender.lose(places, flight, limited=True)
    for _ in range(3):
        sender.trip(flight, limited=True)
    assert sender.mode == STARTUP


def test_without_sack_any_loss_ends_startup():
    sender = Bbr()
    sender.event("established", no_sack=1)
    sender.trip(limited=True)
    sender.lose(1)
    assert sender.part(pipe=300) == DRAIN


def test_drain_ends_when_the_product_is_in_flight(sender):
    sender.until(DRAIN, pipe=300)
    assert sender.part(pipe=101) == DRAIN
    assert sender.part(pipe=100) == CRUISE  # by way of DOWN, whose end is the same


def test_drain_ends_after_three_round_trips(sender):
    sender.until(DRAIN, pipe=300)
    for _ in range(3):
        assert sender.trip(pipe=300) == DRAIN
    assert sender.trip(pipe=300) == DOWN


def test_probe_up_ends_on_a_plateau_of_the_bandwidth(steady):
    steady.until(REFILL, flight=95)
    steady.until(UP, flight=100)
    assert steady.gain == pytest.approx(1.25)
    start = steady.now_s
    steady.until(DOWN, flight=125)
    assert steady.now_s - start == pytest.approx(0.3, abs=0.11)  # three round trips


def test_probe_up_ends_on_loss_when_the_application_limits(steady):
    steady.until(UP, flight=95)
    steady.trip(120, limited=True)
    assert steady.lose(2, 120, limited=True) == UP  # not above a fiftieth
    assert steady.lose(3, 120, limited=True) == DOWN


@pytest.mark.parametrize("mode", [STARTUP, UP])
def test_probing_goes_on_while_the_application_limits_and_nothing_is_lost(mode):
    sender = Bbr(probe_rtt_interval_s=1000.0)
    if mode == UP:
        sender.until(UP, flight=95)
    for _ in range(40):
        assert sender.trip(rtt_s=0.1, limited=True) == mode


def test_probe_down_ends_when_the_queue_and_the_headroom_are_free(draining):
    """85 % of inflight_longterm, and the product."""
    assert draining.gain == pytest.approx(0.9)
    assert draining.part(pipe=101) == DOWN
    assert draining.part(pipe=100) == CRUISE
    bounded = Bbr(probe_rtt_interval_s=1000.0)
    bounded.until(UP, flight=95)
    bounded.trip(110)
    bounded.lose(3, 110)  # inflight_longterm is 109 or so
    bounded.recover()
    assert bounded.part(pipe=95) == DOWN
    assert bounded.part(pipe=91) == CRUISE


def test_probe_down_ends_after_its_time(draining):
    """Straight to REFILL, if what is in flight does not fall."""
    start = draining.now_s
    modes = {draining.part(pipe=150) for _ in range(350) if draining.mode != REFILL}
    assert modes == {DOWN, REFILL}
    assert 2 <= draining.now_s - start <= 3.1


def test_probe_rtt_comes_after_five_seconds_and_goes_after_200_ms(sender):
    steady = sender
    steady.until(CRUISE)
    first_s = 0.01  # the smallest round trip; none is smaller after it
    steady.until(PROBE_RTT, flight=90, most=600)
    assert steady.now_s - first_s == pytest.approx(5, abs=0.03)
    steady.part(90)
    assert steady.cwnd == pytest.approx(50, abs=6)  # half of the product
    entered = steady.now_s
    for _ in range(100):
        if steady.part(45, RATE / 2) != PROBE_RTT:
            break
    assert steady.mode == CRUISE
    assert steady.now_s - entered == pytest.approx(0.25, abs=0.06)
    assert steady.bandwidth_bps == pytest.approx(RATE)  # its samples do not count
    assert steady.cwnd > 150


def test_probe_rtt_is_skipped_after_idleness(steady):
    steady.part(90)
    steady.now_s += 6
    steady.restart(6)
    assert steady.gain == pytest.approx(1, abs=0.12)
    assert steady.part(90, rtt_s=0.12) != PROBE_RTT


def run_watched(forth: dict, own: dict, watched: str = "bbr3-state", series=(), **more) -> dict:
    told = scenario(
        forth, own | {"congestion_control": watched}, series=["utilization", *series], **more
    )
    answer = native.run(told, own=WATCHED)
    return answer | answer["flows"][0]


def modes_of(answer: dict) -> list[tuple[int, float]]:
    """Return each mode and when it began."""
    times, modes = answer["series"]["utilization"]
    pairs = groupby(zip(modes, times, strict=True), key=lambda pair: pair[0])
    return [(int(mode), next(group)[1]) for mode, group in pairs]


def test_a_flow_goes_through_the_modes_and_measures_its_link():
    """max_bw is within 2 % of the link; Startup, Drain, then the cycle of ProbeBW, and ProbeRTT."""
    answer = run_watched(link(10e6, 0.05, 400), flow(), series=["bandwidth_bps"], duration_s=20)
    order = [mode for mode, _ in modes_of(answer)]
    # From Drain to CRUISE it is DOWN for one ACK, which ends both.
    assert order[:6] == [STARTUP, DRAIN, CRUISE, REFILL, UP, DOWN]
    assert PROBE_RTT in order
    follows = {STARTUP: {DRAIN}, DRAIN: {CRUISE}, REFILL: {UP}, PROBE_RTT: {CRUISE}}
    for (one, _), (other, _) in pairwise(modes_of(answer)):
        assert other in follows.get(one, {other}) | {PROBE_RTT}
    times, rates = answer["series"]["bandwidth_bps"]
    for second in (2, 8, 18):
        assert rates[np.searchsorted(times, second)] == pytest.approx(
            10e6 * 1000 / (1000 + HEADERS), rel=0.02
        )


@pytest.mark.parametrize("segments_per_ack", [2, 16])
def test_aggregated_acks_do_not_keep_it_from_the_bandwidth(segments_per_ack):
    """Startup finds it, cruising holds it; the window is above two products of 95 segments."""
    own = flow("bbr3", segments_per_ack=segments_per_ack, ack_timeout_s=0.2)
    answer = run(link(10e6, 0.05, 1000), own, duration_s=30, series=["cwnd_segments"])
    assert answer["delivered_bytes"] * 8 / 30 > 0.9 * 10e6 * 1000 / (1000 + HEADERS)
    times, windows = answer["series"]["cwnd_segments"]
    assert windows[np.searchsorted(times, 20)] >= 2 * 93


def test_a_product_below_a_segment_keeps_four_in_flight():
    """64 kbit/s and 2 ms: the product is 0.02 segments."""
    answer = run(link(64e3, 0.001, 100), flow("bbr3"), duration_s=120, series=["cwnd_segments"])
    assert answer["delivered_bytes"] * 8 / 120 > 0.93 * 64e3 * 1000 / (1000 + HEADERS)
    assert answer["timeouts"] == 0
    times, windows = map(np.array, answer["series"]["cwnd_segments"])
    assert windows[times > 20].min() == 4
    assert windows[times > 20].max() <= 12  # 4, 2 for a probe, and what ACKs are ahead


def mbps_by_second(answer: dict, duration_s: int) -> np.ndarray:
    times, delivered = answer["series"]["delivered_bytes"]
    return np.diff(np.interp(range(duration_s + 1), times, delivered)) * 8e-6


def test_ten_times_the_bandwidth_is_found():
    """From 10 to 100 Mbit/s; probing doubles what it adds each round trip."""
    forth = link(10e6, 0.05, 2000, changes=[{"at_s": 20, "rate_bps": 100e6}])
    answer = run(forth, flow("bbr3"), duration_s=60, series=["delivered_bytes"])
    mbps = mbps_by_second(answer, 60)
    assert mbps[15:19].mean() == pytest.approx(9.4, rel=0.06)
    assert mbps[45:].mean() > 80


def test_a_tenth_of_the_bandwidth_is_kept():
    """From 100 to 10 Mbit/s: after two cycles max_bw is of the new link."""
    forth = link(100e6, 0.05, 1000, changes=[{"at_s": 20, "rate_bps": 10e6}])
    answer = run(forth, flow("bbr3"), duration_s=60, series=["bandwidth_bps"])
    times, rates = map(np.array, answer["series"]["bandwidth_bps"])
    assert rates[(times > 15) & (times < 20)].max() == pytest.approx(94.9e6, rel=0.02)
    assert rates[times > 45].max() == pytest.approx(9.49e6, rel=0.02)


def test_a_queue_of_a_few_packets_does_not_lose_for_ever():
    """A path that drops what comes too fast (the core has no token bucket): little is lost."""
    answer = run(link(10e6, 0.05, 5), flow("bbr3"), duration_s=60)
    assert answer["retransmissions"] < 0.02 * answer["segments_sent"]
    assert answer["delivered_bytes"] * 8 / 60 > 0.7 * 10e6 * 1000 / (1000 + HEADERS)


@pytest.mark.parametrize("by_timeout", [False, True])
def test_a_spurious_recovery_is_undone(steady, by_timeout):
    """Back to probing, with the bounds and the window of before."""
    steady.until(UP, flight=95)
    steady.trip(120)
    window = steady.cwnd
    assert steady.lose(5, 120) == DOWN
    if by_timeout:
        steady.event("timeout")
        steady.state = "loss"
    steady.part(100, RATE / 3)
    steady.recover()
    steady.event("undo")
    assert steady.mode == REFILL
    assert steady.cwnd >= 0.95 * window
    steady.until(UP, flight=100)


def test_a_round_begins_with_what_is_delivered_when_probing_is_found_too_much():
    """handle_inflight_too_high: C.delivered, of the next ACK where that finds it, else of the last;
    the fifth round from there is that in which a window of five segments probes anew."""
    counts = []
    for with_an_ack in (False, True):
        small = Bbr(probe_rtt_interval_s=1000.0)
        small.until(UP, flight=5, rate_bps=RATE / 20)
        small.now_s += with_an_ack * 0.01
        assert small.lose(2, flight=5) == DOWN
        small.now_s -= with_an_ack * 0.01
        count = 0
        while small.part(5, RATE / 20) != REFILL:
            count += 1
        counts.append(count)
    assert counts[1] - counts[0] == 1


def test_a_round_begins_with_what_is_delivered_at_an_undo(steady):
    """HandleSpuriousLossDetection (5.5.11.2): REFILL lasts a round trip from the ACK at hand."""
    steady.until(UP, flight=95)
    assert steady.lose(5) == DOWN
    steady.part()
    steady.recover()
    steady.now_s += 0.01
    steady.event("undo")
    steady.now_s -= 0.01
    modes = [steady.part() for _ in range(12)]
    assert modes == [REFILL] * 10 + [UP] * 2


def test_startup_goes_on_after_a_spurious_loss(sender):
    for _ in range(2):
        sender.trip(limited=True)
    sender.lose(8)
    for _ in range(2):
        sender.trip(limited=True, pipe=300)
    assert sender.mode == DRAIN
    sender.recover()
    sender.event("undo")
    assert sender.mode == STARTUP


def test_probe_rtt_in_startup_returns_to_it(sender):
    for _ in range(60):
        if sender.trip(rtt_s=0.1 + 0.001 * sender.now_s, limited=True) == PROBE_RTT:
            break
    assert sender.mode == PROBE_RTT
    for _ in range(10):
        sender.trip(40, limited=True)
    assert sender.mode == STARTUP


def test_a_loss_in_probe_up_lowers_the_long_term_bound():
    """5.5.10.2: to the flight at which losses crossed 2 %; and DOWN."""
    watcher = Bbr("bbr3-longterm", probe_rtt_interval_s=1000.0)
    for _ in range(60):
        watcher.part()
    gains = []
    for _ in range(400):
        watcher.part(95)
        gains.append(watcher.gain)
        if gains[-1] > 1.2:
            break
    watcher.trip(130)
    watcher.lose(3, 130)
    # (0.02 x 129 - 2) / 0.98 of a segment beyond the 129 before it
    assert watcher.utilization == pytest.approx(129 + (0.02 * 129 - 2) / 0.98, abs=1e-9)
    watcher.recover()
    watcher.part(95, pipe=120)
    assert watcher.gain == pytest.approx(0.9)


def test_the_long_term_bound_rises_by_one_two_four_segments_a_round_trip():
    """RaiseInflightLongtermSlope of the draft: while all that it allows is in flight."""
    watcher = Bbr("bbr3-longterm", probe_rtt_interval_s=1000.0)
    for _ in range(60):
        watcher.part()

    def until_up() -> None:
        for _ in range(600):
            watcher.part(95)
            if watcher.gain > 1.2:
                return

    until_up()
    watcher.trip(130)
    watcher.lose(3, 130)
    watcher.recover()
    watcher.part(95, pipe=120)
    until_up()
    rises = []
    for _ in range(3):
        before = watcher.utilization
        for _ in range(10):
            watcher.part(int(watcher.cwnd))
        rises.append(watcher.utilization - before)
    assert rises == pytest.approx([1, 2, 4], abs=1)
    assert rises[0] == pytest.approx(1)


def test_samples_of_an_application_in_refill_do_not_lower_the_bandwidth(steady):
    steady.until(REFILL, flight=95)
    for _ in range(30):
        if steady.part(30, RATE / 4, limited=True) == UP:
            break
    assert steady.mode == UP
    assert steady.bandwidth_bps == pytest.approx(RATE)


# --- beside version 1


def test_it_loses_less_in_a_short_buffer_than_version_1():
    short = link(50e6, 0.02, 40)
    lost = [run(short, flow(name), duration_s=30)["retransmissions"] for name in ("bbr3", "bbr")]
    assert lost[0] < 0.5 * lost[1]


@pytest.mark.parametrize("loss", [1e-3, 1e-2])
def test_losses_below_the_threshold_cost_little(loss):
    """Audit A1, A4: it is never above the link, and holds most of it up to a loss of 1 %."""
    forth = link(100e6, 0.05, 800, loss_per_packet=loss)
    answer = run(forth, flow("bbr3"), duration_s=60, series=["bandwidth_bps"])
    assert answer["delivered_bytes"] * 8 / 60 > 0.75 * 100e6
    assert max(answer["series"]["bandwidth_bps"][1]) <= 100e6 * 1000 / (1000 + HEADERS) * 1.001
