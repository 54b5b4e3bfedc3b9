"""H-TCP and BIC, TCP-LP and LEDBAT, driven ACK by ACK against their papers' and RFC's equations."""

import pytest
from window_driver import make

pytestmark = pytest.mark.ns3

BASE = 0.1  # s

# --- H-TCP


def alpha(since_s, beta=0.5):
    late = max(since_s - 1, 0)
    return max(1, 2 * (1 - beta) * (1 + 10 * late + (late / 2) ** 2))


@pytest.mark.parametrize("since_s", [0, 0.5, 1, 1.5, 3, 10, 60])
def test_htcp_grows_by_alpha_segments_a_round_trip(since_s):
    htcp, expected = make("Htcp", 200), 200.0
    htcp.At(1 + since_s)
    for _ in range(200):
        expected += alpha(since_s) / expected
        assert htcp.Ack(BASE) == pytest.approx(expected, abs=0.003)


def htcp_after(throughputs, largest=0.15):
    """The window that the last loss leaves, as a part; windows before losses as given."""
    htcp, now = make("Htcp", 100), 1.0
    for window in throughputs:
        htcp.Set(window, 10)
        htcp.Ack(BASE)
        htcp.Ack(largest)
        now += 5
        htcp.At(now)
        htcp.Ack(BASE)
        before = htcp.Window()
        after = htcp.Recovery()
    return after / before


def test_htcp_halves_while_the_throughput_changes():
    assert htcp_after([100]) == pytest.approx(0.5, abs=1e-4)
    assert htcp_after([100, 200]) == pytest.approx(0.5, abs=1e-4)
    assert htcp_after([200, 100]) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(
    ("largest", "left"), [(0.15, BASE / 0.15), (0.11, 0.8), (0.3, 0.5), (0.13, BASE / 0.13)]
)
def test_htcp_leaves_what_fills_the_pipe_when_it_does_not(largest, left):
    assert htcp_after([200, 195], largest) == pytest.approx(left, abs=1e-3)
    assert htcp_after([195, 200], largest) == pytest.approx(left, abs=1e-3)


def test_the_backoff_of_htcp_scales_its_increase():
    htcp = make("Htcp", 200)
    for second in (5, 10):
        htcp.Set(200, 10)
        htcp.At(second)
        htcp.Ack(0.125)
        htcp.Ack(BASE)
        htcp.Recovery()
    htcp.Set(200, 10)
    htcp.At(12)
    assert 200 * (htcp.Ack(BASE) - 200) == pytest.approx(alpha(2, beta=0.8), abs=0.3)


# --- BIC


def bic_increase(w, top, low=14, largest=16, smooth=5, b=4):
    """Segments a round trip (section III, and the authors' constants)."""
    if w < low:
        return 1
    if w < top:
        distance = (top - w) / b
        return b / smooth if distance <= 1 else min(distance, largest)
    if w < top + b:
        return b / smooth
    return min((w - top) / (b - 1), largest)


@pytest.mark.parametrize("smooth", [5, 20])
@pytest.mark.parametrize("start", [20, 100, 300])
def test_bic_searches_for_the_window_of_the_last_loss(start, smooth):
    bic, w = make("Bic", start, SmoothPart=smooth), float(start)
    w = bic.Recovery()
    assert w == pytest.approx(0.8 * start, abs=0.001)
    for _ in range(1500):
        w += bic_increase(w, start, smooth=smooth) / w
        assert bic.Ack(BASE) == pytest.approx(w, abs=0.01)


def test_bic_is_standard_tcp_below_its_low_window():
    bic, w = make("Bic", 10), 10.0
    for _ in range(30):
        w += 1 / w
        assert bic.Ack(BASE) == pytest.approx(w, abs=0.001)
    assert make("Bic", 10).Recovery() == 5
    assert make("Bic", 20, LowWnd=30).Recovery() == 10


def test_bic_gives_way_to_newer_flows():
    """A loss below the last maximum: the search is for the middle between it and what is left."""
    for fast, top in (("true", 200 * (1 + 0.8) / 2), ("false", 200)):
        bic = make("Bic", 400, FastConvergence=fast)
        bic.Recovery()
        bic.Set(200, 10)
        w = bic.Recovery()
        assert w == pytest.approx(160, abs=0.001)
        for _ in range(500):
            w += bic_increase(w, top) / w
            assert bic.Ack(BASE) == pytest.approx(w, abs=0.01)


def test_bic_grows_by_a_twentieth_while_it_knows_no_maximum():
    bic, w = make("Bic", 400), 400.0
    for _ in range(100):
        w += 1 / 20
        assert bic.Ack(BASE) == pytest.approx(w, abs=0.001)


# --- TCP-LP


def lp_at(window=100, threshold=10, largest=0.1):
    """A sender that has seen one-way delays of 50 ms and `largest`, in additive increase."""
    lp = make("Lp", window, threshold)
    for delay in (0.05, largest, 0.05):
        lp.Delay(delay)
        lp.Ack(0.2)
    for _ in range(100):  # smoothed: 50 ms
        lp.Ack(0.2)
    lp.Set(window, threshold)
    return lp


def test_lp_is_standard_tcp_while_nothing_waits():
    lp, w = lp_at(), 100.0
    for _ in range(300):
        w += 1 / w
        assert lp.Ack(0.2) == pytest.approx(w, abs=0.002)
    assert lp_at().Recovery() == 50


def test_lp_without_timestamps_is_standard_tcp():
    lp, w = make("Lp", 100), 100.0
    lp.Delay(-1)
    for _ in range(300):
        w += 1 / w
        assert lp.Ack(0.2) == pytest.approx(w, abs=0.002)


def test_lp_halves_its_window_at_15_percent_of_the_range_of_delays():
    """From 50 ms, a delay of 60 ms: sd = 60 - 10 (7/8)^n passes 50 + 7.5 ms at n = 11."""
    lp = lp_at()
    lp.Delay(0.06)
    windows = [lp.Ack(0.2) for _ in range(20)]
    cut = next(n for n, w in enumerate(windows, 1) if w < 60)
    assert cut == 11
    assert windows[cut - 1] == pytest.approx(windows[cut - 2] / 2, abs=0.01)
    assert lp.Threshold() <= windows[cut - 1]


def test_lp_does_not_grow_for_three_round_trips_and_then_does():
    lp = lp_at()
    lp.Delay(0.06)
    w = [lp.Ack(0.2) for _ in range(11)][-1]
    assert w < 60
    lp.Delay(0.05)
    assert lp.Ack(0.2) == w
    lp.At(1.59)
    assert lp.Ack(0.2) == w
    lp.At(1.61)
    assert lp.Ack(0.2) == pytest.approx(w + 1 / w, abs=0.002)


def test_a_second_indication_in_that_time_leaves_lp_one_segment():
    lp = lp_at()
    lp.Delay(0.06)
    assert [lp.Ack(0.2) for _ in range(11)][-1] < 60
    lp.Delay(0.2)
    lp.At(1.59)
    assert min(lp.Ack(0.2) for _ in range(5)) == 1
    assert lp.Threshold() == 1


# --- LEDBAT


def ledbat_at(window=100, threshold=10, **attributes):
    """A LEDBAT that has seen an empty queue, with the threshold below its window."""
    ledbat = make("Ledbat", window, threshold, **attributes)
    ledbat.Delay(0.05)
    ledbat.Ack(0.2)
    ledbat.Set(window, threshold)
    return ledbat


@pytest.mark.parametrize("queued_s", [0, 0.04, 0.1, 0.13, 0.3])
@pytest.mark.parametrize("gain", [1, 0.25])
def test_ledbat_follows_the_rfcs_equation(queued_s, gain):
    ledbat = ledbat_at(Gain=gain, NoiseFilterLen=1)
    ledbat.Delay(0.05 + queued_s)
    w = 100.0
    for _ in range(60):
        w += gain * (0.1 - queued_s) / 0.1 / w
        assert ledbat.Ack(0.2) == pytest.approx(w, abs=0.002)


def test_ledbat_counts_the_bytes_that_an_ack_newly_delivers():
    ledbat = ledbat_at()
    assert ledbat.Ack(0.2, 4) == pytest.approx(100 + 4 / 100, abs=0.002)
    ledbat = ledbat_at()
    assert ledbat.AckOf(50, 0, 100) == 100  # the end of a recovery: all was SACKed before


def test_the_smallest_of_four_delays_counts():
    ledbat, w = ledbat_at(), 100.0
    ledbat.Delay(0.3)
    for n in range(6):
        offset = 1 if n < 3 else (0.1 - 0.25) / 0.1
        w += offset / w
        assert ledbat.Ack(0.2) == pytest.approx(w, abs=0.002)


def test_the_base_delay_is_the_smallest_of_ten_minutes():
    ledbat = ledbat_at(NoiseFilterLen=1)
    ledbat.Delay(0.25)
    for minute in range(1, 13):
        ledbat.At(1 + 60.5 * minute)
        ledbat.Set(100, 10)
        grows = ledbat.Ack(0.2) > 100
        assert grows == (minute >= 10)


def test_ledbat_keeps_two_segments_and_one_beyond_what_is_in_flight():
    ledbat = ledbat_at(3, 2, NoiseFilterLen=1)
    ledbat.Delay(0.5)
    for _ in range(10):
        ledbat.Ack(0.2)
    assert ledbat.Window() == 2
    idle = ledbat_at()
    assert idle.AckOf(1, 1, 9) == 11


def test_ledbat_slow_starts_and_halves_at_a_loss():
    assert [make("Ledbat", 10, 100).Ack(0.2), make("Ledbat", 100).Recovery()] == [11, 50]
    without = make("Ledbat", 10, 100, SlowStart="false")
    without.Delay(0.05)
    assert without.Ack(0.2) == pytest.approx(10.1, abs=0.01)


def test_ledbat_without_timestamps_is_standard_tcp():
    ledbat, w = make("Ledbat", 100), 100.0
    ledbat.Delay(-1)
    for _ in range(100):
        w += 1 / w
        assert ledbat.Ack(0.2) == pytest.approx(w, abs=0.002)


# --- all


@pytest.mark.parametrize("kind", ["Htcp", "Bic", "Lp"])
def test_what_they_share(kind):
    """Slow start adds a segment an ACK; a window that is not filled does not grow; an ACK of many
    segments, as at the end of a recovery, is one; the largest window holds."""
    tcp = make(kind, 10, 100)
    assert tcp.Ack(BASE) == 11
    tcp.Limit(False)
    assert tcp.Ack(BASE) == 11
    assert make(kind, 100).Ack(BASE, 90) - 100 <= 0.161  # BIC: S_max / 100
    capped = make(kind, 99.9, 1000, MaxWindow=100)
    assert max(capped.Round(BASE) for _ in range(3)) == 100
    assert make(kind, 2).Timeout() == 2
