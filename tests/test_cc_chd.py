"""CHD's class, driven ACK by ACK against equations (2) to (4)."""

import numpy as np
import pytest
from delay_driver import load

from longfat.papers import ucc

pytestmark = pytest.mark.ns3

BASE = 0.040  # s, the round trip without a queue
A, B = BASE + 0.020, BASE + 0.035  # round trips in the regions A and B, q_th = 30 ms


@pytest.fixture(scope="module")
def make():
    maker = load()

    def chd(window=100, threshold=10, **attributes):
        made = maker("TcpChd", window, threshold, **attributes)
        made.Round(BASE)  # RTT_min
        made.Measure(BASE + 0.060)  # RTT_max
        made.Round(BASE)
        made.Round(BASE)  # the measured maximum is of an earlier round
        made.Set(window, threshold)
        return made

    return chd


def test_the_probability_is_figure_1(make):
    chd = make(MaxProbability="0.5")
    delays = np.arange(0, 0.0651, 0.001)
    expected = ucc.backoff_probability(delays, 0.005, 0.030, 0.060, 0.5)
    assert [chd.Probability(delay) for delay in delays] == pytest.approx(list(expected), abs=1e-12)


def test_it_grows_by_a_segment_a_round_trip(make):
    chd = make(window=20)
    assert [chd.Round(BASE + 0.004) for _ in range(10)] == list(range(21, 31))


def test_the_largest_delay_of_the_round_decides(make):
    """p = 1 at q_th: one such ACK in the round is enough, and it acts once, at the round's end."""
    chd = make(window=20, MaxProbability="1")
    chd.Ack(BASE + 0.030)
    windows = [chd.Ack(BASE) for _ in range(25)]
    assert set(windows) == {20, 10}
    assert windows.count(10) == 25 - windows.index(10)


def test_a_back_off_halves_by_equation_2(make):
    chd = make(window=40, MaxProbability="1")
    chd.Round(BASE + 0.030)
    assert chd.Window() == 20
    assert chd.Threshold() == 20


def force_back_off(chd, rtt_s, window):
    """Back off in a round with that delay: try until X < g(h) holds."""
    for _ in range(200):
        chd.Set(window, 10)
        if chd.Round(rtt_s) < window:
            return
    raise AssertionError("no back-off in 200 rounds")


def test_the_shadow_window_follows_equation_3(make):
    chd = make(window=40, MaxProbability="1")
    assert chd.Shadow() == 0
    force_back_off(chd, BASE + 0.010, 40)  # above h_b = 0, region A: first line
    assert chd.Shadow() == 40
    chd.Set(20, 10)
    chd.Round(BASE)
    assert chd.Window() == 21
    assert chd.Shadow() == 41  # as NewReno's window would grow
    force_back_off(chd, BASE + 0.008, 20)  # below h_b, region A: last line
    assert chd.Shadow() == 0
    force_back_off(chd, B, 24)  # region B: second line
    assert chd.Shadow() == 24
    force_back_off(chd, B, 12)  # max(w, s)
    assert chd.Shadow() >= 24


@pytest.mark.parametrize(("rtt_s", "expected"), [(A, 100), (BASE + 0.030, 100), (B, 50)])
def test_a_loss_in_region_a_changes_nothing_by_equation_4(make, rtt_s, expected):
    chd = make(window=100, DelayBased="false")
    chd.Ack(rtt_s)
    assert chd.Recovery() == expected


def test_a_loss_in_region_b_halves_the_shadow_window(make):
    chd = make(window=40, MaxProbability="1")
    force_back_off(chd, BASE + 0.010, 40)
    assert (chd.Window(), chd.Shadow()) == (20, 40)
    chd.Measure(B)
    assert chd.Recovery() == 20  # half of 40, not of 20
    assert chd.Shadow() == 20


def test_without_dcc_delay_alone_never_lowers_the_window(make):
    chd = make(window=20, MaxProbability="1", DelayBased="false")
    assert [chd.Round(BASE + 0.030) for _ in range(10)] == list(range(21, 31))
    assert chd.Shadow() == 0


def test_slow_start_and_timeouts_are_newrenos(make):
    chd = make(window=100)
    assert chd.Timeout(60) == 30
    chd.Set(1, 4)
    assert [chd.Ack(BASE) for _ in range(3)] == [2, 3, 4]


def test_before_any_measurement_a_loss_is_congestion(make):
    assert load()("TcpChd", 100, 10).Recovery() == 50
