"""Senders of the core that go by loss, ACK by ACK against their papers' equations."""

import math

import pytest
from cc_driver import MSS, Driver

BASE = 0.1  # s


def rtt(window: float, queued: float) -> float:
    """The round trip at which so many segments of the window wait: w (1 - base / RTT) = queued."""
    return BASE / (1 - queued / window)


def highspeed(w: float) -> tuple[float, float]:
    """a(w) and b(w) of RFC 3649, section 5."""
    part = math.log(w / 38) / math.log(83000 / 38)
    b = 0.5 - 0.4 * part
    p = 1e-3 * (w / 38) ** (math.log(1e-7 / 1e-3) / math.log(83000 / 38))
    return 2 * w * w * p * b / (2 - b), b


# --- TCP-Africa


@pytest.mark.parametrize("window", [100, 3000])
def test_africa_is_highspeed_while_its_segments_do_not_wait(window):
    africa = Driver("africa", window)
    increase, decrease = highspeed(window)
    assert africa.ack(BASE) == pytest.approx(window + increase / window)
    africa.set(window)
    assert africa.threshold() == pytest.approx(window * (1 - decrease))


def test_africa_is_standard_tcp_as_soon_as_they_do():
    """w (RTT - RTT_min) / RTT, with RTT smoothed by an eighth, against alpha = 1.641."""
    africa, smoothed = Driver("africa", 1000), BASE
    africa.ack(BASE)
    slow = []
    for _ in range(60):
        africa.set(1000)
        smoothed += (rtt(1000, 3) - smoothed) / 8
        growth = africa.ack(rtt(1000, 3)) - 1000
        slow.append(1000 * (smoothed - BASE) / smoothed >= 1.641)
        assert growth == pytest.approx(1 / 1000 if slow[-1] else highspeed(1000)[0] / 1000)
    assert {False, True} == set(slow)


# --- BIC: Xu, Harfoush and Rhee 2004, section III


def bic_growth(w: float, w_max: float, s_max=16.0, b=4.0, smooth=20.0) -> float:
    """Segments a round trip."""
    if w < w_max:
        distance = (w_max - w) / b
        return b / smooth if distance <= 1 else min(distance, s_max)
    beyond = w - w_max
    return b / smooth if beyond < b else min(beyond / (b - 1), s_max)


@pytest.mark.parametrize(
    "w", [850, 900, 950, 990, 995, 997, 999, 1000, 1003, 1006, 1020, 1040, 1100]
)
def test_bic_searches_for_the_window_of_the_last_loss(w):
    bic = Driver("bic", 1000)
    assert bic.threshold() == 800
    bic.set(w, 2)
    assert bic.ack() - w == pytest.approx(bic_growth(w, 1000) / w)


def test_bic_takes_its_smooth_part_and_largest_increment():
    bic = Driver("bic", 1000, smooth_part=5, max_increase_segments=32)
    bic.threshold()
    bic.set(999, 2)
    assert bic.ack() - 999 == pytest.approx(0.8 / 999)
    bic.set(800)
    assert bic.ack() - 800 == pytest.approx(32 / 800)


def test_bic_opens_by_a_segment_an_ack_at_most():
    bic = Driver("bic", 1000)
    bic.threshold()
    bic.set(15, 2)
    assert bic.ack() == 16
    bic.set(15.9, 2)
    assert bic.ack() == pytest.approx(16.9)


def test_what_a_loss_takes_from_bic():
    bic = Driver("bic", 10)
    assert bic.threshold() == 5  # standard TCP below the low window
    bic.set(1000)
    assert bic.threshold() == 800
    bic.set(900)
    assert bic.threshold() == 720
    bic.set(800, 2)  # W_max is 900 (1 + 0.8) / 2: fast convergence
    assert bic.ack() - 800 == pytest.approx(bic_growth(800, 810) / 800)


def test_bic_as_linux_opens_by_whole_segments():
    """tcp_bic.c: 16/31 of the ACKs, for its allowance begins with two segments an ACK."""
    bic = Driver("bic", 1000, as_linux_6_12=True)
    assert bic.threshold() == 799  # 1000 * 819 // 1024
    bic.set(900, 2)
    delayed_ack, count, window, windows = 32, 0, 900, []
    for _ in range(300):
        delayed_ack += 1 - (delayed_ack >> 4)
        distance = (1000 - window) // 4
        need = window // min(distance, 16) if distance > 1 else window * 20 // 4
        need = max(need * 16 // delayed_ack, 1)
        if count >= need:
            count, window = 0, window + 1
        count += 1
        window, count = window + count // need, count % need
        windows.append(window)
        bic.ack()
        assert bic.cwnd == window
    assert delayed_ack == 31
    bic.timeout()
    bic.state = "open"
    bic.set(500, 2)
    for _ in range(45):
        bic.ack()
    assert bic.cwnd == 505  # W_max is forgotten: one in 20 * 16 // 31 ACKs


# --- YeAH: Baiocchi et al. 2007, section II


def yeah_at(window: float, queued: float = 0, **parameters) -> Driver:
    """After two round trips, in the second of which so many segments waited."""
    yeah = Driver("yeah", window, **parameters)
    yeah.round(BASE)
    yeah.set(window, 2)
    yeah.round(rtt(window, queued))
    return yeah


def test_yeah_grows_as_scalable_tcp_in_fast_mode():
    yeah = yeah_at(1000)
    yeah.set(1000)
    assert yeah.ack(BASE) == pytest.approx(1000.01)
    yeah.set(50)
    assert yeah.ack(BASE) == pytest.approx(50 + 1 / 50)  # at least Reno's


def test_yeah_grows_as_reno_where_the_path_is_congested():
    """L = (RTT_min - RTT_base) / RTT_base above 1/8, Q below 80 segments."""
    yeah = yeah_at(400, 60)
    yeah.set(400)
    assert yeah.ack(BASE) == pytest.approx(400 + 1 / 400)


def test_yeah_takes_what_waits_from_its_window():
    """Precautionary decongestion: Q > Q_max = 80."""
    yeah = yeah_at(1000, 100)
    queue = yeah.cwnd / 9  # what is left is nine tenths
    assert queue == pytest.approx(100, rel=0.02)
    assert yeah.cwnd == pytest.approx(0.9 * 1010, rel=0.01)
    assert yeah.ssthresh == pytest.approx(yeah.cwnd, rel=1e-5)


@pytest.mark.parametrize("lost", [False, True])
def test_yeah_leaves_no_less_than_renos_window_which_a_loss_halves(lost):
    yeah = yeah_at(1000, 100)
    reno = yeah.cwnd / 2
    if lost:
        yeah.threshold()
    yeah.set(600, 2)
    for _ in range(2):
        yeah.round(rtt(yeah.cwnd, 200))
    assert yeah.cwnd < 0.9 * reno if lost else yeah.cwnd == pytest.approx(reno, rel=0.01)


@pytest.mark.parametrize(("queued", "taken"), [(0, 125), (70, 125), (200, 200)])
def test_a_loss_takes_yeahs_queue(queued, taken):
    """An eighth at least; the queue, as the last round trip had it."""
    yeah = yeah_at(1000, queued, max_queue_segments=500)
    yeah.set(1000)
    assert 1000 - yeah.threshold() == pytest.approx(taken, rel=0.02)


def test_a_timeout_takes_half_of_yeahs_window():
    yeah = yeah_at(1000)
    yeah.set(1000)
    assert yeah.timeout() == 500


def test_a_loss_takes_half_where_reno_flows_compete():
    """After rho round trips in slow mode."""
    yeah = Driver("yeah", 400, slow_round_trips=4, max_queue_segments=200)
    yeah.round(BASE)
    for rounds in range(6):
        yeah.set(400, 2)
        half = rounds > 3
        if rounds in (3, 5):
            assert 400 - yeah.threshold() == pytest.approx(200 if half else 100, rel=0.05)
        yeah.set(400, 2)
        yeah.round(rtt(400, 100))


# --- Westwood: Mascolo et al. 2001, paper tcpj, (1) and (2)


@pytest.mark.parametrize(("interval_s", "idle"), [(0.4, 0), (0.509, 0), (0.511, 1), (1.3, 2)])
def test_westwood_puts_samples_of_zero_into_a_silence(interval_s, idle):
    """One each T/2, but none in the last 10 ms before the ACK."""
    westwood, estimate, last = Driver("westwood", 50), 0.0, 0.0

    def filtered(sample, duration_s):
        ratio = 2 / duration_s  # T = 1 s
        return ((ratio - 1) * estimate + sample + last) / (ratio + 1)

    westwood.now_s = 1.0
    westwood.ack(BASE)
    for count in (1, 2):
        westwood.now_s = 1 + 0.1 * count
        westwood.ack(BASE)
        estimate, last = filtered(8 * MSS / 0.1, 0.1), 8 * MSS / 0.1
    for _ in range(idle):
        estimate, last = filtered(0, 0.5), 0
    rest_s = interval_s - 0.5 * idle
    estimate = filtered(8 * MSS / rest_s, rest_s)
    westwood.wait(interval_s)
    westwood.ack(BASE)
    assert westwood.bandwidth_bps == pytest.approx(estimate, rel=1e-6)


# --- Westwood+: Grieco and Mascolo 2004


def test_westwood_plus_samples_once_a_round_trip_and_filters():
    """b_k = d_k / Delta_k, B_k = 0.9 B_{k-1} + 0.1 (b_k + b_{k-1}) / 2."""
    westwood = Driver("westwood-plus", 50)
    westwood.now_s = 1.0
    westwood.ack(BASE)
    estimate, last = None, 0.0
    for spacing_ms, acks in ((2, 50), (4, 25), (1, 100), (2, 50)):
        start = westwood.now_s
        for _ in range(acks):
            westwood.now_s = round(westwood.now_s + spacing_ms / 1000, 9)
            westwood.ack(BASE)
        sample = 8 * MSS * acks / (westwood.now_s - start)
        mean = (sample + last) / 2
        estimate = sample if estimate is None else 0.9 * estimate + 0.1 * mean
        last = sample
        assert westwood.bandwidth_bps == pytest.approx(estimate)
    assert westwood.threshold() == pytest.approx(estimate * BASE / 8 / MSS)


def test_westwood_plus_counts_each_segment_once():
    """What SACK has reported is not counted again when it is acknowledged."""
    westwood = Driver("westwood-plus", 50)
    westwood.now_s = 1.0
    westwood.ack(BASE)
    for _ in range(30):
        westwood.now_s = round(westwood.now_s + 0.002, 9)
        westwood.ack(segments=0, sacked=1, sample=False)
    westwood.now_s = 1.1
    westwood.ack(segments=31, delivered=1)
    assert westwood.bandwidth_bps == pytest.approx(8 * MSS * 31 / 0.1)


def test_westwood_plus_as_linux_counts_a_recovery_twice():
    """tcp_westwood.c: the ACK that ends it has no SACK block, and counts all that it acknowledges.

    Two filters of 7/8 in series; the first sample, which begins with the connection, fills both.
    """
    westwood = Driver("westwood-plus", 50, as_linux_6_12=True)
    westwood.now_s = 1.0
    westwood._tell(now=1e9)
    westwood.established()
    for count in range(1, 61):
        westwood.now_s = round(1 + 0.002 * count, 9)
        westwood.ack(BASE)
    # 20 s are the round trip before the first, then 100 ms: the sample ends at 102 ms
    first = 8 * MSS * 50 / 0.102
    assert westwood.bandwidth_bps == pytest.approx(first)
    for count in range(61, 91):  # a hole, and 30 reports
        westwood.now_s = round(1 + 0.002 * count, 9)
        westwood.ack(segments=0, sacked=1, sample=False)
    westwood.now_s = round(1 + 0.002 * 91, 9)
    westwood.ack(BASE, segments=31, delivered=1)
    for count in range(92, 103):
        westwood.now_s = round(1 + 0.002 * count, 9)
        westwood.ack(BASE)
    sample = 8 * MSS * (51 + 31 - 1 - 1) / 0.102  # from 102 to 204 ms
    stage = (7 * first + sample) / 8
    assert westwood.bandwidth_bps == pytest.approx((7 * first + stage) / 8, rel=0.003)
    westwood.set(50)
    assert westwood.threshold() == 25  # Reno's, until the recovery ends
    assert westwood.recovery() == int(westwood.bandwidth_bps * BASE / 8 / MSS)


# --- Hybla with its start: Caini and Firrincieli 2004, section 4; Hoe 1996


def test_hybla_2004_estimates_what_the_path_holds_by_its_first_three_acks():
    """Two segments in 2 ms, and the round trip is 0.1 s: 100 segments."""
    hybla = Driver("hybla-2004", 10, 1e6)
    hybla.established(BASE)
    for _ in range(3):
        hybla.wait(0.001)
        hybla.ack(BASE)
    assert hybla.ssthresh == pytest.approx(100)
    assert hybla.cwnd == 10
    assert hybla.ack(BASE) == pytest.approx(10 + 2**4 - 1)


def test_hybla_2004_spreads_its_window_over_a_round_trip():
    hybla = Driver("hybla-2004", 10, 1e6)
    hybla.established(BASE)
    assert math.isinf(hybla.pacing_bps)  # the first window is not paced
    hybla.ack(BASE)
    assert hybla.pacing_bps == pytest.approx(8 * MSS * hybla.cwnd / BASE)


@pytest.mark.parametrize(("scaled", "first"), [(True, 12), (False, 4)])
def test_hybla_2004_scales_its_first_window_on_demand(scaled, first):
    hybla = Driver("hybla-2004", 3, 1e6, scaled_first_window=scaled)
    assert hybla.established(BASE) == first


# --- HighSpeed TCP as in Linux: RFC 3649, appendix B

LINUX_TABLE = [(38, 128), (118, 112), (221, 104), (851, 86), (5036, 62), (53677, 31), (89053, 24)]
BEYOND = (200_000, 24)  # the last row's


def test_highspeed_as_linux_loses_by_the_row_of_the_last_avoidance():
    """hstcp_ssthresh: b of ca->ai, which slow start leaves as it is; at first a half."""
    linux = Driver("highspeed", 238, 1e6, as_linux_6_12=True)
    assert linux.threshold() == 238 - 238 * 128 // 256
    linux.set(2000, 2)
    linux.ack()
    b = 256 * (2000 - linux.threshold()) / 2000
    linux.set(60, 1e6)
    linux.ack()
    assert linux.threshold() == 61 - int(61 * round(b) / 256)


def test_highspeed_as_linux_goes_by_the_table_of_the_rfc():
    """net/ipv4/tcp_highspeed.c, hstcp_aimd_vals: rows of windows and of b(w) in 256ths."""
    for window, in_256ths in [*LINUX_TABLE, BEYOND]:
        linux = Driver("highspeed", window, as_linux_6_12=True)
        linux.ack()
        assert linux.threshold() == window - window * in_256ths // 256
    linux = Driver("highspeed", 118, as_linux_6_12=True)
    windows = [linux.ack() for _ in range(59)]
    assert (windows[57], windows[58]) == (118, 119)  # a(w) = 2
