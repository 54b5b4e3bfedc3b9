"""HD's class, driven ACK by ACK against equation (1) and figure 1."""

import numpy as np
import pytest
from delay_driver import load

from longfat.papers import ucc

pytestmark = pytest.mark.ns3

BASE = 0.040  # s, the round trip without a queue


@pytest.fixture(scope="module")
def make():
    maker = load()

    def hd(window=100, threshold=10, **attributes):
        made = maker("TcpHd", window, threshold, **attributes)
        for rtt_s in (BASE, BASE + 0.060):  # RTT_min and RTT_max
            made.Measure(rtt_s)
        return made

    return hd


def test_the_probability_is_figure_1(make):
    hd = make()
    delays = np.arange(0, 0.0651, 0.001)
    expected = ucc.backoff_probability(delays, 0.005, 0.020, 0.060, 0.05)
    assert [hd.Probability(delay) for delay in delays] == pytest.approx(list(expected), abs=1e-12)
    assert max(expected) == 0.05


def test_without_a_back_off_it_grows_as_equation_1(make):
    hd = make(window=10)
    expected = 10.0
    for _ in range(300):
        expected += 1 / expected
        assert hd.Ack(BASE + 0.004) == pytest.approx(expected, abs=0.3)  # ns-3 cuts off bytes
    assert hd.Window() > 24


def test_it_backs_off_to_half(make):
    hd = make(window=100, MaxProbability="1")
    assert hd.Ack(BASE + 0.020) == 50
    assert hd.Threshold() == 50


def test_a_back_off_ends_slow_start(make):
    hd = make(window=40, threshold=1000, MaxProbability="1")
    assert hd.Ack(BASE) == 41
    assert hd.Ack(BASE + 0.020) == 20.5
    assert hd.Ack(BASE) == pytest.approx(20.5 + 1 / 20.5, abs=1e-3)


def test_back_offs_are_as_frequent_as_figure_1_says(make):
    """4000 ACKs at p = p_max / 2 = 0.2: mean 800, standard deviation 25."""
    hd = make(MaxProbability="0.4")
    count = 0
    for _ in range(4000):
        hd.Set(100, 10)
        count += hd.Ack(BASE + 0.0125) == 50
    assert abs(count - 800) < 4 * 25.3


def test_a_loss_halves_as_newreno(make):
    assert make(window=100).Recovery() == 50
    assert make(window=100).Timeout(60) == 30


def test_before_any_measurement_there_is_no_back_off(make):
    hd = load()("TcpHd", 100, 10, MaxProbability="1")
    assert hd.Ack(BASE) == pytest.approx(100.01)
