"""Compound TCP's class, driven ACK by ACK against Tan et al. 2006."""

import pytest
from delay_driver import load

pytestmark = pytest.mark.ns3

BASE = 0.100  # s, the round trip without a queue


@pytest.fixture(scope="module")
def make():
    maker = load()

    def compound(window=100, threshold=10, **attributes):
        return maker("TcpCompound", window, threshold, **attributes)

    return compound


def settled(make, window=100, **attributes):
    """Return one whose last round has just ended, without a delay window."""
    compound = make(window, threshold=10**6, **attributes)  # slow start: no delay window
    compound.Ack(BASE)
    compound.Set(window, 10)
    return compound


def test_an_empty_queue_grows_the_delay_window_by_alpha_win_to_the_k(make):
    compound = settled(make, window=200)
    expected = 0.0
    for _ in range(20):
        before = compound.DelayWindow()
        compound.Round(BASE)
        grown = compound.DelayWindow() - before
        window = compound.Window() - grown  # with the growth of the loss window
        expected = 0.125 * window**0.75 - 1
        assert grown == pytest.approx(expected, rel=1e-3)
    assert expected > 6
    assert compound.Window() - compound.DelayWindow() == pytest.approx(200 + 20, rel=0.02)


def test_a_small_window_has_no_delay_window(make):
    """alpha win^k < 1 up to win = 8^(4/3) = 16: Compound is NewReno."""
    compound = settled(make, window=10)
    windows = [compound.Round(BASE) for _ in range(5)]
    assert compound.DelayWindow() == 0
    assert windows[-1] == pytest.approx(15, abs=0.6)


def test_gamma_packets_in_the_queue_lower_the_delay_window(make):
    """win (1 - baseRTT/RTT) packets are queued; from gamma on zeta times as many go."""
    compound = settled(make, window=200)
    for _ in range(20):
        compound.Round(BASE)
    before, window = compound.DelayWindow(), compound.Window()
    assert before > 100
    rtt_s = BASE / (1 - 40 / window)  # 40 packets queued
    compound.Round(rtt_s)
    window = compound.Window() + before - compound.DelayWindow()  # the round's loss window added
    assert before - compound.DelayWindow() == pytest.approx(window * (1 - BASE / rtt_s), rel=1e-2)


def test_fewer_than_gamma_packets_do_not(make):
    compound = settled(make, window=200)
    compound.Round(BASE)
    before = compound.DelayWindow()
    compound.Round(BASE / (1 - 28 / compound.Window()))
    assert compound.DelayWindow() > before


def test_the_delay_window_never_falls_below_zero(make):
    compound = settled(make, window=200)
    compound.Round(BASE)
    compound.Round(3 * BASE)
    assert compound.DelayWindow() == 0
    assert compound.Window() == pytest.approx(202, abs=0.5)  # ns-3 cuts off bytes
    assert compound.Threshold() <= compound.Window()


@pytest.mark.parametrize(("beta", "expected"), [("0.5", 0.5), ("0.125", 0.875)])
def test_a_loss_takes_beta_of_the_window(make, beta, expected):
    compound = settled(make, window=200, Beta=beta)
    for _ in range(20):
        compound.Round(BASE)
    window, delay_window = compound.Window(), compound.DelayWindow()
    loss_window = window - delay_window
    assert compound.Recovery() == pytest.approx(window * expected, abs=1e-3)
    assert compound.DelayWindow() == pytest.approx(window * expected - loss_window / 2, abs=1e-3)


def test_the_loss_window_is_halved_at_least(make):
    """Without a delay window, win (1 - beta) - cwnd / 2 is 0 for beta = 1/2."""
    compound = settled(make, window=100)
    assert compound.Recovery() == 50
    assert compound.DelayWindow() == 0


def test_a_timeout_leaves_no_delay_window(make):
    compound = settled(make, window=200)
    compound.Round(BASE)
    assert compound.DelayWindow() > 0
    assert compound.Timeout(60) == 30
    assert compound.DelayWindow() == 0


def test_slow_start_is_newrenos(make):
    compound = make(window=2, threshold=10**6)
    assert [compound.Ack(BASE) for _ in range(30)] == list(range(3, 33))
    assert compound.DelayWindow() == 0
