"""Vegas, Veno, Illinois and YeAH, driven ACK by ACK against their papers' equations."""

import itertools

import pytest
from window_driver import make

pytestmark = pytest.mark.ns3

BASE = 0.1  # s


def rtt(window, queued):
    """The round trip at which so many segments of the window wait: w (1 - base / RTT) = queued."""
    return BASE / (1 - queued / window)


def settled(kind, window, threshold=10, **attributes):
    """A sender that has seen an empty queue, at the beginning of a round."""
    tcp = make(kind, window, threshold, **attributes)
    tcp.Round(BASE)
    tcp.Set(window, threshold)
    return tcp


# --- Vegas


@pytest.mark.parametrize(("queued", "change"), [(0, 1), (1.9, 1), (2.1, 0), (3.9, 0), (4.1, -1)])
def test_vegas_keeps_alpha_to_beta_segments_in_queues(queued, change):
    vegas = settled("Vegas", 100)
    delayed = rtt(100, queued)
    assert vegas.Round(delayed) == pytest.approx(100 + change, abs=0.002)


def test_vegas_takes_its_own_alpha_and_beta():
    vegas = settled("Vegas", 100, Alpha=10, Beta=20)
    assert vegas.Round(rtt(100, 9.9)) == pytest.approx(101, abs=0.002)
    assert settled("Vegas", 100, Alpha=10, Beta=20).Round(rtt(100, 19)) == 100


def test_vegas_doubles_every_other_round_trip():
    vegas = make("Vegas", 100, 10**6)
    windows = [vegas.Round(BASE) for _ in range(7)]
    growth = [after / before for before, after in itertools.pairwise(windows)]
    assert sorted(growth)[:3] == pytest.approx([1] * 3, abs=0.11)
    assert sorted(growth)[-3:] == pytest.approx([2] * 3, abs=0.11)
    assert all((a > 1.5) != (b > 1.5) for a, b in itertools.pairwise(growth))


def test_vegas_ends_slow_start_at_gamma_segments_in_queues():
    vegas = settled("Vegas", 100, 10**6)
    vegas.Round(rtt(100, 5))
    assert vegas.Window() < 100
    assert vegas.Threshold() == vegas.Window()


def test_what_a_loss_takes_from_vegas():
    assert make("Vegas", 100).Recovery() == 75
    assert make("Vegas", 100, Decrease=0.5).Recovery() == 50
    assert make("Vegas", 100).Timeout() == 50
    assert make("Vegas", 2).Recovery() == 2


# --- Veno


def test_veno_grows_like_reno_up_to_beta_segments_in_queues():
    veno, expected = settled("Veno", 100), 100.0
    for _ in range(200):
        expected += 1 / expected
        assert veno.Ack(rtt(100, 2.5)) == pytest.approx(expected, abs=0.002)


def test_veno_grows_at_every_other_ack_beyond():
    veno, expected = settled("Veno", 100), 100.0
    for i in range(200):
        expected += 1 / expected if i % 2 == 0 else 0
        assert veno.Ack(rtt(100, 5)) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(("queued", "left"), [(0, 80), (2.9, 80), (4, 50), (20, 50)])
def test_veno_tells_random_losses_from_congestion(queued, left):
    veno = settled("Veno", 100)
    veno.Ack(rtt(100, queued))
    assert veno.Recovery() == pytest.approx(left, abs=0.02)


def test_a_loss_begins_venos_search_for_the_base_round_trip_anew():
    veno = settled("Veno", 100)
    veno.Ack(rtt(100, 20))
    assert veno.Recovery() == pytest.approx(50, abs=0.02)
    veno.Ack(rtt(100, 20))  # the smallest that is known now
    assert veno.Recovery() == pytest.approx(40, abs=0.04)


# --- Illinois


def illinois_parameters(delay, largest):
    """alpha and beta by section 3 with the paper's constants, from k_1 to k_4."""
    d1, d2, d3 = largest / 100, largest / 10, 0.8 * largest
    k1 = (largest - d1) * 0.3 * 10 / (10 - 0.3)
    k2 = (largest - d1) * 0.3 / (10 - 0.3) - d1
    k3 = (0.125 * d3 - 0.5 * d2) / (d3 - d2)
    k4 = (0.5 - 0.125) / (d3 - d2)
    alpha = 10 if delay <= d1 else k1 / (k2 + delay)
    beta = 0.125 if delay <= d2 else 0.5 if delay >= d3 else k3 + k4 * delay
    return alpha, beta


def illinois_with(largest, **attributes):
    """An Illinois that has seen queueing delays of 0 and `largest`, at the beginning of a round."""
    tcp = make("Illinois", 100, 10, **attributes)
    tcp.Ack(BASE)
    tcp.Ack(BASE + largest)
    tcp.Set(100, 10)
    tcp.Round(BASE)
    tcp.Set(100, 10)
    return tcp


@pytest.mark.parametrize("part", [0.005, 0.05, 0.2, 0.5, 0.79, 0.9, 1.0])
def test_illinois_takes_alpha_and_beta_from_the_mean_queueing_delay(part):
    tcp = illinois_with(0.08)
    for _ in range(8):  # more than theta
        tcp.Round(BASE + part * 0.08)
        tcp.Set(100, 10)
    alpha, beta = illinois_parameters(part * 0.08, 0.08)
    expected = 100.0
    for _ in range(50):
        expected += alpha / expected
        assert tcp.Ack(BASE + part * 0.08) == pytest.approx(expected, abs=0.003)
    assert tcp.Recovery() == pytest.approx(expected * (1 - beta), abs=0.01)


def test_illinois_is_standard_tcp_below_its_threshold():
    tcp = make("Illinois", 12, 2)
    for _ in range(2):
        tcp.Round(BASE)
    before = tcp.Window()
    assert before < 15
    assert tcp.Ack(BASE) == pytest.approx(before + 1 / before, abs=0.002)
    assert tcp.Recovery() == pytest.approx((before + 1 / before) / 2, abs=0.002)


def test_illinois_waits_theta_round_trips_of_small_delay():
    tcp = illinois_with(0.08)
    for _ in range(3):
        tcp.Round(BASE + 0.04)
    increments = []
    for _ in range(8):
        tcp.Set(100, 10)
        tcp.Round(BASE)
        tcp.Set(100, 10)
        increments.append(100 * (tcp.Ack(BASE) - 100))
    low = illinois_parameters(0.04, 0.08)[0]
    assert increments[0] == pytest.approx(low, abs=0.15)
    assert increments[-1] == pytest.approx(10, abs=0.1)
    jump = next(i for i, one in enumerate(increments) if one > 9)
    assert 3 <= jump <= 5


def test_a_timeout_makes_illinois_standard_tcp_again():
    tcp = illinois_with(0.08)
    tcp.Timeout()
    tcp.Open()
    tcp.Set(100, 10)
    assert 100 * (tcp.Ack(BASE) - 100) == pytest.approx(1, abs=0.1)


# An empty queue: alpha is 10, beta an eighth.
LINUX = {"AsLinux": "true"}


def test_as_linux_illinois_grows_by_whole_segments_when_counted_alphas_fill_the_window():
    linux = make("Illinois", 100, 10, **LINUX)
    assert [linux.Ack(BASE) for _ in range(9)] == [100] * 9
    assert linux.Ack(BASE) == 101  # 10 segments, 10 each
    assert [linux.Ack(BASE) for _ in range(10)] == [101] * 10
    assert linux.Ack(BASE) == 102  # 11 segments: 110
    ours, expected = make("Illinois", 100, 10), 100.0
    for _ in range(10):  # the paper: alpha / w an ACK, whatever part of a segment that is
        expected += 10 / expected
        assert ours.Ack(BASE) == pytest.approx(expected, abs=0.003)


def test_as_linux_illinois_counts_all_that_the_ack_which_ends_a_recovery_acknowledges():
    linux = make("Illinois", 100, 10, **LINUX)
    assert linux.Ack(BASE, 45) == 104  # 450 / 100, rounded down
    assert linux.Ack(BASE) == 104  # the count began anew
    ours = make("Illinois", 100, 10)
    assert ours.Ack(BASE, 45) == pytest.approx(100.1, abs=0.001)


def test_as_linux_illinois_loses_whole_segments():
    linux, ours = (make("Illinois", 101, 10, **more) for more in (LINUX, {}))
    for tcp in (linux, ours):
        tcp.Ack(BASE)
        tcp.Set(101, 10)
    assert linux.Recovery() == 101 - 12  # an eighth is 12.6
    assert ours.Recovery() == pytest.approx(101 * 7 / 8, abs=0.001)
    small = make("Illinois", 2, 1, **LINUX)
    assert small.Recovery() == 2


def test_as_linux_illinois_counts_nothing_while_the_window_is_not_used():
    linux = make("Illinois", 100, 10, **LINUX)
    linux.Limit(False)
    assert linux.Ack(BASE, 45) == 100
    linux.Limit(True)
    assert linux.Ack(BASE) == 100


# --- YeAH


def test_yeah_grows_like_scalable_tcp_while_the_path_is_not_congested():
    yeah, expected = settled("Yeah", 400), 400.0
    for _ in range(100):
        expected += 0.01
        assert yeah.Ack(BASE) == pytest.approx(expected, abs=0.002)
    small, expected = settled("Yeah", 40), 40.0
    for _ in range(100):
        expected += 1 / expected
        assert small.Ack(BASE) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(("delay", "slow"), [(0.0124, False), (0.0126, True)])
def test_an_eighth_of_the_base_round_trip_is_congestion_to_yeah(delay, slow):
    yeah = settled("Yeah", 400)
    for _ in range(2):
        yeah.Round(BASE + delay)
        yeah.Set(400, 10)
    assert yeah.Ack(BASE + delay) - 400 == pytest.approx(1 / 400 if slow else 0.01, abs=0.001)


def test_yeah_takes_its_queue_from_the_window():
    yeah = settled("Yeah", 1000)
    yeah.Round(rtt(1000, 79))
    assert yeah.Window() > 1000
    yeah = settled("Yeah", 1000)
    yeah.Round(rtt(1000, 100))
    left = yeah.Window()
    assert left == pytest.approx((1000 + 10) * 0.9, rel=0.002)
    assert yeah.Threshold() == left


@pytest.mark.parametrize(("queued", "taken"), [(0, 125), (60, 125), (79, 125), (200, None)])
def test_a_loss_takes_yeahs_queue_an_eighth_at_least(queued, taken):
    yeah = settled("Yeah", 1000)
    yeah.Round(rtt(1000, queued) if queued else BASE)
    yeah.Set(1000, 10)
    expected = 1000 - (taken or queued)
    assert yeah.Recovery() == pytest.approx(expected, abs=4)


def test_beside_reno_flows_a_loss_halves_yeah():
    yeah = settled("Yeah", 100)
    for _ in range(18):
        yeah.Round(BASE + 0.02)
        yeah.Set(100, 10)
    assert yeah.Recovery() == 50


# --- all


@pytest.mark.parametrize("kind", ["Vegas", "Veno", "Illinois", "Yeah"])
def test_what_they_share(kind):
    """Slow start adds a segment an ACK; a window that is not filled does not grow; an ACK of many
    segments, as at the end of a recovery, is one; the largest window holds."""
    tcp = make(kind, 10, 100)
    assert tcp.Ack(BASE) == 11
    tcp.Limit(False)
    assert tcp.Ack(BASE) == 11
    many = settled(kind, 100)
    assert many.Ack(BASE, 90) - 100 <= 0.11
    capped = make(kind, 99.9, 1000, MaxWindow=100)
    assert max(capped.Round(BASE) for _ in range(5)) == 100
    assert make(kind, 2).Timeout() == 2
