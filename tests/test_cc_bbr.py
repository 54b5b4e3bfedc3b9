"""BBR 1 and what BBR 3 has of it, ACK by ACK against the draft's sections and tcp_bbr.c."""

import math

import pytest
from cc_driver import MSS, Driver

BASE = 0.1  # s
RATE = 8e6  # bit/s: a hundred segments of 1000 bytes in a round trip
GAIN = 2.89
MARGIN = 0.99


class Bbr(Driver):
    """One on a path of RATE and BASE, round trip by round trip, by ten ACKs of ten segments."""

    def __init__(self, name: str = "bbr", **parameters) -> None:
        super().__init__(name, 10, threshold=1e9, **parameters)
        self.established(BASE)

    def part(self, segments: int = 10, flight: int = 100, **more) -> float:
        """An ACK of so many segments, 10 ms after the last. Returns the window."""
        self.now_s += BASE / 10
        self.nxt = self.una + flight * MSS
        own = {"rate_delivered": 100 * MSS, "rate_interval": 100 * MSS * 8e9 / RATE}
        own["rate_prior_delivered"] = max(self.delivered + segments * MSS - 100 * MSS, 0)
        return self.ack(BASE, segments, **own | more)

    def trip(self, **more) -> None:
        for _ in range(10):
            self.part(**more)

    @property
    def gain(self) -> float:
        """That of the pacing rate."""
        return self.pacing_bps / MARGIN / RATE


def windows_that_hold(bbr: Bbr, rate_bps: float, window: float) -> set[float]:
    """Those of a gain of 1, of a sender that measures that rate and would have a larger window.

    Each ACK brings whole segments, and is that much ahead; as many are taken off here.
    """
    measured = {"rate_interval": 100 * MSS * 8e9 / rate_bps}
    measured["segments"] = ahead = int(rate_bps * BASE / 10 / 8 / MSS)
    for _ in range(800):
        bbr.part(flight=0, **measured)
    windows = set()
    for _ in range(100):
        bbr.set(window)
        bbr.part(flight=int(window), **measured)
        if bbr.pacing_bps == pytest.approx(MARGIN * rate_bps):
            windows.add(round(bbr.cwnd - ahead, 3))
    return windows


@pytest.fixture
def steady():
    """In ProbeBW, which it reaches after one round trip of growth and three without."""
    bbr = Bbr()
    for _ in range(7):
        bbr.trip()
    assert bbr.gain == pytest.approx(1) or bbr.gain in (1.25, 0.75)
    return bbr


def test_bbr_knows_no_rate_before_the_first_sample():
    assert Bbr().bandwidth_bps == 0


def test_without_a_round_trip_bbr_begins_as_if_it_were_a_millisecond():
    """4.3.1 and tcp_bbr.c, bbr_init_pacing_rate_from_rtt."""
    bbr = Driver("bbr", 10)
    bbr.event("established", rtt=-1)
    assert bbr.pacing_bps == pytest.approx(MARGIN * GAIN * 10 * 8 * MSS / 0.001)


@pytest.mark.parametrize("name", ["bbr", "bbr3"])
def test_without_a_round_trip_the_window_grows_until_the_first_one_is_delivered(name):
    """4.2.3.2, and 5.6.4.6 of the draft of BBR 3: whatever the target is."""
    bbr = Driver(name, 10, 1e9)
    bbr.event("established", rtt=-1)
    for _ in range(8):
        bbr.ack(sample=False)
    bbr.set(30)
    assert [bbr.ack(sample=False) for _ in range(4)] == [31, 31, 31, 31]


def test_without_a_round_trip_bbrs_target_is_the_first_window():
    bbr = Driver("bbr", 10, 1e9)
    bbr.event("established", rtt=-1)
    bbr.ack(sample=False, segments=10)
    bbr.set(9)
    assert [bbr.ack(sample=False) for _ in range(3)] == [10, 10, 10]


@pytest.mark.parametrize("name", ["bbr", "bbr3"])
def test_startup_ends_with_the_third_round_trip_without_growth(name):
    """4.3.2.1; the first sample counts, that of what was sent when nothing was delivered."""
    bbr, acks = Bbr(name), 0
    while (bbr.gain > 1 or acks < 5) and acks < 100:
        bbr.part()
        acks += 1
    assert acks == 31


def test_the_best_rate_of_ten_round_trips_is_remembered_by_its_thirds():
    """win_minmax.c: after a quarter of the window the second best is chosen, after half the third.

    The rate falls by 2 % in each: 94 is chosen after three, 88 after six, and each lasts for ten.
    """
    bbr, measured = Bbr(), []
    bbr.trip()
    for lower in range(18):
        for _ in range(10):
            bbr.part(rate_interval=100 * MSS * 8e9 / (RATE * (1 - 0.02 * lower)))
        measured.append(round(100 * bbr.bandwidth_bps / RATE))
    assert measured[:17] == [100] * 11 + [94] * 3 + [88] * 3


def test_a_loss_that_was_none_lets_startup_go_on():
    """tcp_bbr.c, bbr_undo_cwnd: three round trips without growth are counted anew."""
    bbr, acks = Bbr(), 0
    while (bbr.gain > 1 or acks < 5) and acks < 100:
        if acks == 29:
            bbr.event("undo", before=bbr.cwnd)
        bbr.part()
        acks += 1
    assert acks == 61


def test_bbr_measures_its_round_trip_anew_when_it_is_older_than_ten_seconds(steady):
    """4.1.2.3 and 4.3.5: four segments, for more than 200 ms and a round trip."""
    measured = steady.now_s
    steady.rtt_s = 0.12

    def at(time_s: float, flight: int = 100) -> float:
        steady.now_s = time_s - BASE / 10
        return steady.part(flight=flight, rtt=1.2e8)

    assert at(measured + 10) > 4
    assert at(measured + 10.001) == 4
    begun = measured + 10.1
    assert at(begun, 4) == 4
    steady.trip(rtt=1.2e8)
    assert at(begun + 0.2, 4) == 4
    assert at(begun + 0.201, 4) > 4


def test_bbr_has_room_for_two_segments_more_where_it_probes(steady):
    """tcp_bbr.c, bbr_quantization_budget: twice the product, three bursts of two, and what
    ACKs are ahead."""
    windows = {}
    for _ in range(100):
        steady.part(flight=134)
        windows.setdefault(round(steady.gain, 3), set()).add(round(steady.cwnd, 3))
    assert windows == {1.25: {218}, 0.75: {216}, 1.0: {216}}


@pytest.mark.parametrize(("rate_bps", "burst"), [(1e6, 1), (8e6, 2), (80e6, 9.9), (8e9, 64)])
def test_bbr_has_room_for_three_bursts(rate_bps, burst):
    """4.2.2: a segment below 1.2 Mb/s, then two; what a millisecond paces; 64 kB at most."""
    product = rate_bps * BASE / 8 / MSS
    windows = windows_that_hold(Bbr(), rate_bps, 2 * product + 300)
    assert min(windows) - 2 * product == pytest.approx(3 * burst, abs=0.1)


@pytest.mark.parametrize(("as_linux", "probes"), [(False, False), (True, True)])
def test_linux_renews_rtprop_by_smaller_round_trips_alone(as_linux, probes):
    """tcp_bbr.c, bbr_update_min_rtt: an equal one is the draft's (4.1.2.3)."""
    bbr, least = Bbr(as_linux_6_12=as_linux), 1e9
    for _ in range(110):
        bbr.trip()
        least = min(least, bbr.cwnd)
    assert (least == 4) == probes


def test_the_first_round_trip_renews_rtprop_as_linux_too():
    """bbr_update_min_rtt: it is smaller than none; the handshake had none, and it comes at 5 s."""
    bbr = Driver("bbr", 10, threshold=1e9, as_linux_6_12=True)
    bbr.event("established", rtt=-1)
    bbr.now_s = 5.0
    least = {}
    for _ in range(1200):
        bbr.now_s += BASE / 10
        bbr.nxt = bbr.una + 100 * MSS
        prior = max(bbr.delivered - 90 * MSS, 0)
        sample = {"rate_delivered": 100 * MSS, "rate_interval": 1e8, "rate_prior_delivered": prior}
        least[bbr.now_s] = bbr.ack(BASE, 10, **sample)
    assert min(time for time, window in least.items() if window == 4) == pytest.approx(15, abs=0.2)


def test_linuxs_rtprop_is_that_of_a_repair_in_whole_milliseconds():
    """tcp_ack_update_rtt: 99.3 ms by timestamps are 99, and no round trip is smaller again."""
    products = []
    for as_linux in (False, True):
        bbr = Bbr(as_linux_6_12=as_linux)
        for _ in range(7):
            bbr.trip(rtt=0.0993e9)
        bbr.now_s = 0.8009 - BASE / 10
        bbr.part(rtt=0.0993e9, delay_s=0.0993, prior_state="recovery")
        products.append(min(bbr.part(rtt=0.0993e9, flight=600) for _ in range(100)))
    assert products[0] == pytest.approx(2 * 99.3 + 6 + 10, abs=0.1)
    assert products[1] == 2 * round((2 * 99 + 6 + 10) / 2)


def test_linuxs_windows_are_even():
    """tcp_bbr.c, bbr_quantization_budget: with all that is ahead, 9 segments here, rounded up."""
    draft, linux = (
        windows_that_hold(Bbr(as_linux_6_12=one), 0.995 * RATE, 500) for one in (False, True)
    )
    assert min(draft) == 2 * 99.5 + 6
    assert (min(linux) + 9) % 2 == 0
    assert 0 <= min(linux) - min(draft) <= 2


@pytest.mark.parametrize(("rate_bps", "burst"), [(80e6, 9), (8e9, 65)])
def test_linuxs_bursts_are_whole_segments(rate_bps, burst):
    """tcp_bbr.c, bbr_tso_segs_goal: of what a 1024th of a second paces; 64 kB with headers."""
    product, ahead = rate_bps * BASE / 8 / MSS, rate_bps * BASE / 10 / 8 / MSS
    windows = windows_that_hold(Bbr(as_linux_6_12=True), rate_bps, 2 * product + 300)
    assert min(windows) + ahead == 2 * math.ceil((2 * product + ahead + 3 * burst) / 2)


@pytest.mark.parametrize(("as_linux", "window"), [(False, 217.635), (True, 220)])
def test_linuxs_product_and_what_acks_run_ahead_are_each_rounded_up(as_linux, window):
    """tcp_bbr.c, bbr_bdp and bbr_update_ack_aggregation: 198.6 and 13.035 are 199 and 14."""
    rate = 0.993 * RATE
    measured = {"rate_interval": 100 * MSS * 8e9 / rate, "segments": 9}
    bbr = Bbr(as_linux_6_12=as_linux)
    for _ in range(400):
        bbr.part(flight=0, **measured)
    bbr.now_s -= BASE / 20  # the next comes after 5 ms
    windows = set()
    for _ in range(60):
        bbr.part(flight=0, **measured)
        bbr.set(300)
        bbr.part(flight=300, **measured)
        if bbr.pacing_bps == pytest.approx(MARGIN * rate):
            windows.add(round(bbr.cwnd, 3))
    assert max(windows) == window


def test_what_acks_run_ahead_is_known_for_five_to_ten_round_trips():
    """tcp_bbr.c, bbr_update_ack_aggregation: the largest excess of five, and of the five before."""
    known = []
    for early in range(10, 15):
        bbr = Bbr()
        for _ in range(early):
            bbr.trip()
        bbr.part(segments=40)
        bbr.wait(0.03)  # as much as is too early
        trips = 0
        while (bbr.cwnd > 230 or trips < 2) and trips < 20:
            bbr.trip()
            trips += 1
        known.append(trips)
    assert sorted(known) == [6, 7, 8, 9, 10]


def test_acks_that_come_just_at_the_measured_rate_begin_the_count_anew():
    """bbr_update_ack_aggregation: what is not more than expected begins another epoch, so that of a
    rate that falls only what came since is ahead, whenever it falls: an ACK of 16 segments, and a
    quarter of another."""
    rate, windows = 8.192e6, set()
    for falls in range(100, 116):
        bbr, acks = Bbr(), 0
        while not 0 < bbr.bandwidth_bps < 0.9 * rate:
            bbr.now_s += 0.015625
            bbr.nxt = bbr.una + 100 * MSS
            bbr.ack(
                BASE,
                16,
                rate_delivered=100 * MSS,
                rate_interval=100 * MSS * 8e9 / (rate if acks < falls else 0.75 * rate),
                rate_prior_delivered=max(bbr.delivered + (16 - 100) * MSS, 0),
            )
            acks += 1
        windows.add(bbr.cwnd)
    product = 0.75 * rate * BASE / 8 / MSS
    assert max(windows) == pytest.approx(2 * product + 6 + 2 + 16 + 4)


@pytest.mark.parametrize("prior_state", ["open", "recovery"])
def test_bbr_sends_what_is_delivered_in_the_first_round_trip_of_a_recovery(steady, prior_state):
    """tcp_bbr.c: also of one that a timer began before this ACK (prev_ca_state is BBR's own)."""
    steady.state = "recovery"
    assert steady.part(segments=10, flight=60, prior_state=prior_state) == 60
    assert steady.part(segments=10, flight=60) == 60


def test_bbr_has_its_window_back_after_a_recovery_that_began_in_a_reduction_for_marks(steady):
    """tcp_bbr.c: by the state before, for ssthresh() was asked by the mark alone."""
    before = steady.part()
    steady.state = "cwr"
    steady.threshold("ecn")
    steady.part()
    steady.state = "recovery"
    assert steady.part(segments=10, flight=60) == 60
    steady.state = "open"
    assert steady.part(segments=1, flight=60) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("state", ["recovery", "loss"])
def test_bbr_takes_what_is_lost_from_its_window(steady, state):
    """tcp_bbr.c, bbr_set_cwnd_to_recover_or_restore. A recovery may grow after a round trip."""
    steady.state = state
    steady.part(prior_state="open")
    steady.trip()
    steady.trip()
    steady.set(50)
    assert steady.part(segments=2, newly_lost=10 * MSS) == 50 - 10 + 2
