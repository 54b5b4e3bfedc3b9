"""CUBIC, ACK by ACK, against the equations of RFC 9438, and HyStart++ against RFC 9406."""

import math

import pytest
from cc_driver import load

pytestmark = pytest.mark.ns3

KIND = "longfat::TcpCubic"
C, BETA = 0.4, 0.7
ALPHA = 3 * (1 - BETA) / (1 + BETA)
RTT_S = 0.2


@pytest.fixture(scope="module")
def make():
    return load()


def after_a_loss(make, window, **attributes):
    """A sender that has just left the recovery from a loss at that window, at time 0."""
    tcp = make(KIND, window, **attributes)
    tcp.SetRtt(RTT_S)
    tcp.EnterRecovery(window - 3)
    tcp.EndRecovery(window)
    return tcp


def run(tcp, start_s, end_s, step_s, each=None):
    """Send an ACK every `step_s`; give each time and window to `each`."""
    for i in range(1, round((end_s - start_s) / step_s) + 1):
        tcp.WaitUntil(start_s + i * step_s)
        tcp.Ack(1)
        if each:
            each(start_s + i * step_s, tcp.Window())


@pytest.mark.parametrize(
    ("window", "linux"), [(30, False), (200, False), (1000, False), (30, True)]
)
def test_every_ack_follows_the_equations(make, window, linux):
    """W_est's alpha becomes 1 at cwnd_prior (section 4.3); in Linux 6.12 it stays."""
    tcp = after_a_loss(make, window, AsLinux=linux)
    w = estimate = BETA * window
    k = ((window - w) / C) ** (1 / 3)

    def cubic(t):
        return C * (t - k) ** 3 + window

    def ack(t):
        nonlocal w, estimate
        estimate += (ALPHA if linux or estimate < window else 1) / w
        if cubic(t) < estimate:
            w = max(w, estimate)
        else:
            w += (min(max(cubic(t + RTT_S), w), 1.5 * w) - w) / w

    def compare(t, got):
        ack(t)
        assert got == pytest.approx(w, rel=1e-5, abs=2e-3)

    ack(0)  # the ACK that ends the recovery
    assert tcp.Window() == pytest.approx(w, abs=2e-3)
    run(tcp, 0, 2 * k, 0.01, compare)
    assert w > window


def test_the_window_is_what_it_was_after_k(make):
    """K = cbrt(0.3 W / C), whatever the round trip; there the curve is flat (section 4.2)."""
    tcp = after_a_loss(make, 500)
    k = (0.3 * 500 / C) ** (1 / 3)
    seen = []
    run(tcp, 0, k + 1, 0.001, lambda t, w: seen.append((t, w)))
    at_k = [w for t, w in seen if abs(t - k) < 0.5]
    assert max(at_k) - min(at_k) < 1
    assert at_k[0] == pytest.approx(500, abs=1)


def test_fast_convergence_lowers_the_plateau(make):
    """A loss at 300, below W_max = 500: W_max becomes 0.85 of 300 (section 4.7)."""
    for fast, plateau in ((True, 255), (False, 300)):
        tcp = after_a_loss(make, 500, FastConvergence=fast)
        tcp.Set(300, 300)
        tcp.EnterRecovery(297)
        assert tcp.Threshold() == 210
        tcp.EndRecovery(300)
        k = ((plateau - 210) / C) ** (1 / 3)
        run(tcp, 0, k, 0.001)
        assert tcp.Window() == pytest.approx(plateau, abs=0.5)


def test_in_renos_region_it_grows_as_reno_would(make):
    """alpha a round trip up to the window before the loss, then one (section 4.3)."""
    tcp = make(KIND, 10)
    tcp.SetRtt(0.001)
    tcp.EnterRecovery(7)
    tcp.EndRecovery(10)
    rounds = []
    for i in range(14):
        before = tcp.Window()
        for j in range(math.floor(before)):
            tcp.WaitUntil(0.001 * (i + j / before))
            tcp.Ack(1)
        rounds.append((before, tcp.Window() - before))
    assert all(grown == pytest.approx(ALPHA, rel=0.15) for w, grown in rounds if w < 9.4)
    assert all(grown == pytest.approx(1, rel=0.15) for w, grown in rounds if w > 10.1)
    assert rounds[-1][0] > 12
    alone = make(KIND, 10, RenoFriendly=False)
    alone.SetRtt(0.001)
    alone.EnterRecovery(7)
    alone.EndRecovery(10)
    for _ in range(7):
        alone.Ack(1)
    assert alone.Window() < 7.1


def test_rfc_8312_keeps_the_slope_of_reno_and_takes_k_from_w_max(make):
    tcp = make(KIND, 10, Rfc8312=True)
    tcp.SetRtt(0.01)
    tcp.EnterRecovery(7)
    tcp.EndRecovery(10)
    run(tcp, 0, 0.2, 0.001)
    assert tcp.Window() == pytest.approx(7 + ALPHA * 20, rel=1e-3)
    # After fast convergence K is of W_max (1 - beta), not of what is missing to W_max.
    tcp = after_a_loss(make, 500, Rfc8312=True)
    tcp.Set(300, 300)
    tcp.EnterRecovery(297)
    tcp.EndRecovery(300)
    run(tcp, 0, (0.3 * 255 / C) ** (1 / 3), 0.001)
    assert tcp.Window() == pytest.approx(255, abs=0.5)


def test_the_target_is_at_most_half_a_window_away(make):
    tcp = after_a_loss(make, 20)
    tcp.WaitUntil(60)
    before = tcp.Window()
    tcp.Ack(1)
    assert tcp.Window() == pytest.approx(before + 0.5, abs=2e-3)


def test_a_loss_leaves_beta_of_flightsize(make):
    for window, outstanding, left in ((100, 102, 70), (100, 50, 35), (2, 2, 2)):
        tcp = make(KIND, window)
        tcp.Fill(outstanding)
        tcp.EnterRecovery(1)
        assert tcp.Threshold() == left


def test_after_a_timeout_k_is_zero(make):
    """Section 4.8: W_cubic begins at the window with which congestion avoidance does."""
    tcp = make(KIND, 100)
    tcp.SetRtt(RTT_S)
    tcp.Timeout(97)
    assert tcp.Threshold() == 70
    while tcp.Window() < 70:  # slow start
        before = tcp.Window()
        tcp.Ack(3)
        assert tcp.Window() == before + 1
    run(tcp, 0, 5, RTT_S / 90)  # so often that the window is the target of a round trip ago
    assert tcp.Window() == pytest.approx(70 + C * 5**3, rel=0.02)


def test_the_ack_that_ends_a_recovery_is_one_ack(make):
    ours, theirs = (make(kind, 40) for kind in (KIND, "ns3::TcpCubic"))
    for tcp in (ours, theirs):
        tcp.SetRtt(RTT_S)
        tcp.EnterRecovery(37)
        tcp.EndRecovery(40)
    assert ours.Window() - 28 < 0.1
    assert theirs.Window() == 29


def test_time_in_which_the_window_limits_nothing_does_not_count(make):
    """Sections 4.2 and 5.8: 5 s of it, and 5 s of silence."""
    import cppyy

    plain, paused = after_a_loss(make, 200), []
    run(plain, 0, 4, 0.01, lambda t, w: paused.append(w))
    tcp = after_a_loss(make, 200)
    run(tcp, 0, 2, 0.01)
    tcp.LimitByWindow(False)
    before = tcp.Window()
    run(tcp, 2, 7, 0.01)
    assert tcp.Window() == before
    tcp.LimitByWindow(True)
    tcp.WaitUntil(12)
    tcp.ops.CwndEvent(tcp.tcb, cppyy.gbl.ns3.TcpSocketState.CA_EVENT_TX_START)
    run(tcp, 12, 14, 0.01)
    assert tcp.Window() == pytest.approx(paused[-1], rel=1e-6)


def a_round(tcp, rtt_s, segments=1):
    """As many ACKs as the window has segments; return by what the window grew."""
    before = tcp.Window()
    tcp.SetRtt(rtt_s)
    tcp.Fill(before)
    for _ in range(int(before) // segments):
        tcp.Ack(segments)
    return tcp.Window() / before


def test_slow_start_becomes_conservative_when_the_round_trip_rises(make):
    tcp = make(KIND, 16, threshold=10**6)
    assert a_round(tcp, 0.1) == pytest.approx(2, rel=0.1)
    assert a_round(tcp, 0.111) == pytest.approx(2, rel=0.1)  # less than an eighth
    a_round(tcp, 0.126)
    growth = [a_round(tcp, 0.126) for _ in range(4)]
    assert growth == pytest.approx([1.25] * 4, rel=0.03)
    assert tcp.Threshold() > 1000  # and not yet congestion avoidance
    a_round(tcp, 0.126)
    assert tcp.Threshold() <= tcp.Window() < tcp.Threshold() * 1.05


def test_slow_start_goes_on_when_the_round_trip_falls_again(make):
    tcp = make(KIND, 16, threshold=10**6)
    a_round(tcp, 0.1)
    a_round(tcp, 0.13)
    assert a_round(tcp, 0.13) == pytest.approx(1.25, rel=0.03)
    a_round(tcp, 0.12)
    assert a_round(tcp, 0.12) == pytest.approx(2, rel=0.1)


def test_hystart_is_for_the_first_slow_start(make):
    off, later = make(KIND, 16, threshold=10**6, HyStart=False), make(KIND, 32)
    later.Timeout(29)
    later.Set(16, 10**6)
    for tcp in (off, later):
        for rtt_s in (0.1, 0.2, 0.4):
            assert a_round(tcp, rtt_s) == 2


def test_it_takes_at_most_eight_segments_of_an_ack(make):
    tcp = make(KIND, 100, threshold=10**6)
    tcp.SetRtt(0.1)
    tcp.Ack(20)
    assert tcp.Window() == 108
