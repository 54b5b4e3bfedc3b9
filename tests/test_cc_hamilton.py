"""HD and CHD by their papers and as in FreeBSD, event by event (paper ucc, equations 1 to 4)."""

from math import sqrt

import pytest
from cc_driver import MSS, Driver

BASE_S = 0.1  # the smallest round trip; figure 1 has q_min = 5 ms, q_th = 20 ms or 30 ms
HD = ["hd", "hd-freebsd"]
CHD = ["chd", "chd-freebsd"]


def measured(name: str, largest_delay_s: float, window=10, **parameters) -> Driver:
    """One that has seen the smallest round trip and the largest, and is in congestion avoidance."""
    sender = Driver(name, window, **parameters)
    sender.established(BASE_S)
    sender.ack(BASE_S + largest_delay_s)
    sender.ack(BASE_S)
    sender.set(window, 2)
    return sender


# --- figure 1


@pytest.mark.medium
@pytest.mark.parametrize("name", HD)
@pytest.mark.parametrize(
    ("delay_s", "expected"),
    [(0.005, 0), (0.0125, 0.025), (0.02, 0.05), (0.04, 0.025), (0.05, 0.0125), (0.0601, 0)],
)
def test_an_ack_backs_off_as_often_as_figure_1_says(name, delay_s, expected):
    """By hand, with p_max = 0.05 and q_max = 60 ms: both slopes in the middle, and their ends."""
    sender = measured(name, 0.06)
    count, acks = 0, 6000
    for _ in range(acks):
        sender.set(100, 2)
        count += sender.ack(BASE_S + delay_s) < 99
    assert count == pytest.approx(acks * expected, abs=4 * sqrt(acks * expected))


def test_a_round_trip_of_chd_backs_off_as_often_as_figure_1_says():
    """p_max = 0.5 and q_th = 30 ms: at 17.5 ms a quarter of all round trips."""
    sender = measured("chd", 0.1)
    count, rounds = 0, 1500
    for _ in range(rounds):
        sender.set(4, 2)
        sender.round(BASE_S + 0.0175)
        count += sender.cwnd < 4
    assert count == pytest.approx(rounds / 4, abs=4 * sqrt(rounds * 3 / 16))


# --- HD


@pytest.mark.parametrize("window", [10, 4000])
def test_hd_grows_as_equation_1(window):
    sender = measured("hd", 0.06, window)
    sender.set(window, 2)
    assert sender.ack(BASE_S) == pytest.approx(window + 1 / window, rel=1e-12)


@pytest.mark.parametrize("name", HD)
def test_hd_backs_off_to_half_and_leaves_slow_start(name):
    sender = measured(name, 0.06, max_probability=1.0)
    sender.set(30, 64)
    assert sender.ack(BASE_S + 0.02) == sender.ssthresh == 15


@pytest.mark.parametrize("name", HD)
def test_hd_takes_half_for_a_loss(name):
    assert measured(name, 0.06, 40).threshold("loss") == pytest.approx(20, abs=1)
    assert measured(name, 0.06, 3).threshold("timeout") == 2


@pytest.mark.parametrize("name", [*HD, *CHD])
def test_an_ack_without_a_round_trip_backs_off_nobody(name):
    """NO_RTT is no sample (audit B10), whatever the last one was."""
    sender = measured(name, 0.06, max_probability=1.0)
    sender.set(10, 2)
    sender.ack(BASE_S + 0.02, sample=True, segments=0)  # a duplicate
    for _ in range(50):
        sender.ack(sample=False)
    assert sender.cwnd >= 10 or name == "chd-freebsd"  # one round trip has that sample


@pytest.mark.parametrize("name", [*HD, *CHD])
def test_a_window_that_does_not_limit_does_not_grow(name):
    sender = measured(name, 0.06)
    sender.limited = False
    sender.set(10, 2)
    for _ in range(3):
        sender.round(BASE_S)
    assert sender.cwnd == 10


@pytest.mark.parametrize("name", [*HD, *CHD])
def test_backing_off_goes_on_after_two_gigabytes(name):
    """Audit B1: marks of 32 bits went stale 2^31 bytes after the last back-off."""
    sender = measured(name, 0.06, max_probability=1.0, threshold_delay_s=0.02)
    sender.round(BASE_S + 0.0199)
    for gigabytes in (3, 6, 9):
        sender.una = sender.nxt = gigabytes * 10**9
        sender.set(20, 2)
        sender.round(BASE_S)
        sender.set(20, 2)
        sender.round(BASE_S + 0.0199)
        sender.round(BASE_S + 0.0199)
        assert sender.cwnd < 16


def test_hd_of_freebsd_holds_for_one_ack():
    """cc_hd.c sets CONGRECOVERY without snd_recover, so that the next ACK clears it."""
    sender = measured("hd-freebsd", 0.06, max_probability=1.0)
    sender.set(40, 2)
    found = [sender.ack(BASE_S + 0.02) for _ in range(4)]
    assert found == [20, 20, 10, 10]


@pytest.mark.parametrize("name", ["hd-freebsd", "chd-freebsd"])
def test_freebsd_counts_bytes(name):
    """RFC 3465 with L = 2: delayed ACKs slow neither slow start nor congestion avoidance."""
    sender = measured(name, 0.06)
    sender.set(10, 100)
    assert sender.ack(BASE_S, segments=2) == 12
    assert sender.ack(BASE_S, segments=5) == 14
    sender.set(20, 2)
    windows = [sender.ack(BASE_S, segments=2) for _ in range(10)]
    assert windows == [20] * 9 + [21]


# --- CHD


@pytest.mark.parametrize("name", CHD)
def test_chd_grows_by_a_segment_a_round_trip(name):
    sender = measured(name, 0.06)
    sender.round(BASE_S)
    sender.set(50, 2)
    before = sender.cwnd
    for _ in range(20):
        sender.round(BASE_S)
    assert sender.cwnd == pytest.approx(before + 20, abs=1)


@pytest.mark.parametrize("name", CHD)
def test_the_largest_delay_of_the_round_decides(name):
    """One ACK at q_th backs off, if p_max is 1; an average would not."""
    sender = measured(name, 0.06, max_probability=1.0, threshold_delay_s=0.02)
    sender.round(BASE_S)
    sender.set(20, 2)
    sender.ack(BASE_S + 0.02)
    sender.round(BASE_S)
    sender.round(BASE_S)
    assert sender.cwnd < 14


@pytest.mark.parametrize(
    ("delay_s", "expected"), [(0.01, 40), (0.0299, 40), (0.031, 20), (0.09, 20)]
)
def test_a_loss_is_judged_by_equation_4(delay_s, expected):
    """Without a shadow window: max(w, 0) / 2 above q_th = 30 ms, else w."""
    sender = Driver("chd", 40, delay_based=False)
    sender.established(BASE_S)
    sender.ack(BASE_S)
    sender.ack(BASE_S + delay_s)
    sender.set(40, 2)
    assert sender.threshold("loss") == expected


@pytest.mark.parametrize("cause", ["loss", "again", "ecn"])
def test_before_any_measurement_a_loss_is_congestion(cause):
    assert Driver("chd", 40).threshold(cause) == 20


def test_the_shadow_window_follows_equation_3():
    """40 backs off to 20 at 25 ms (region A, rising): s = 40. A loss in region B then takes half of
    that and not of w; s is halved too, and a back-off at a smaller delay forgets it."""
    sender = measured("chd", 0.5, max_probability=1.0)
    sender.round(BASE_S)
    sender.set(40, 2)
    sender.ack(BASE_S + 0.0299)
    while sender.cwnd >= 40:
        sender.ack(BASE_S)
    assert sender.cwnd == pytest.approx(20, abs=0.1)
    sender.ack(BASE_S + 0.2)
    assert sender.threshold("loss") == pytest.approx(20, abs=0.1)  # max(20, 40) / 2
    sender.set(6, 2)
    assert sender.threshold("loss") == pytest.approx(10, abs=0.1)  # max(6, 20) / 2


def backed_off(sender: Driver, delay_s: float) -> float:
    """A round trip with that delay backs the sender off. Returns the window then."""
    before = sender.cwnd
    sender.ack(BASE_S + delay_s)
    return next(window for _ in range(100) if (window := sender.ack(BASE_S)) < before)


def test_the_shadow_window_grows_as_much_as_the_window():
    """Section 2 of the paper: as NewReno's would."""
    sender = measured("chd", 0.5, max_probability=1.0)
    sender.round(BASE_S)
    sender.set(40, 2)
    left = backed_off(sender, 0.0299)
    for _ in range(10):
        sender.round(BASE_S)
    grown = sender.cwnd - left
    assert grown > 8
    sender.ack(BASE_S + 0.2)
    assert sender.threshold("loss") == pytest.approx((40 + grown) / 2, abs=0.5)


def test_a_second_back_off_at_the_same_delay_forgets_the_shadow_window():
    """Equation (3): h is not above h_b, nor above q_th."""
    sender = measured("chd", 0.5, max_probability=1.0)
    sender.round(BASE_S)
    sender.set(40, 2)
    backed_off(sender, 0.0299)
    sender.set(30, 2)
    left = backed_off(sender, 0.0299)
    sender.ack(BASE_S + 0.2)
    assert sender.threshold("loss") == pytest.approx(left / 2, abs=0.5)


def test_the_first_round_trip_of_chd_is_over_with_the_first_byte():
    sender = Driver("chd", 10, 2)
    sender.established(BASE_S)
    assert sender.ack(BASE_S, snd_una=1, newly_acked=1) == 11


def test_a_timeout_of_chd_is_newrenos():
    sender = measured("chd", 0.06)
    sender.set(40, 2)
    assert sender.timeout() == 20
    assert sender.ack(BASE_S) == 2


def test_a_back_off_of_chd_freebsd_leaves_the_larger_half():
    """chd_window_decrease: win -= max(win / 2, 1), at least two."""
    for window, left in ((5, 3), (4, 2), (3, 2), (2, 2), (41, 21)):
        sender = measured("chd-freebsd", 0.06, window, max_probability=1.0)
        sender.ack(BASE_S + 0.019999999)
        sender.set(window, 2)
        while sender.cwnd >= window and sender.una < 200 * MSS:
            sender.limited = False
            sender.ack(BASE_S + 0.0199)
        assert sender.cwnd == left or window == 2


def test_a_loss_restores_the_shadow_window_only_beside_loss_based_flows():
    """chd_cong_signal, CC_NDUPACK: the flag is set by a back-off above q_th alone."""
    found = {}
    for delay_s in (0.0199, 0.0201):
        sender = measured("chd-freebsd", 0.0402, max_probability=1.0)
        sender.round(BASE_S)
        sender.limited = False  # nothing grows
        sender.set(40, 2)
        while sender.cwnd >= 40:
            sender.ack(BASE_S + delay_s)
        assert sender.cwnd == 20
        for _ in range(45):  # what was outstanding is acknowledged
            sender.ack(BASE_S + 0.0401)
        found[delay_s] = sender.cwnd, sender.threshold("loss")
    assert found[0.0199] == (20, 10)
    assert found[0.0201] == (20, 20)  # half of 40


def test_a_loss_before_all_is_acknowledged_takes_no_more():
    sender = measured("chd-freebsd", 0.06, max_probability=1.0)
    sender.round(BASE_S)
    sender.limited = False
    sender.set(40, 2)
    while sender.cwnd >= 40:
        sender.ack(BASE_S + 0.0199)
    sender.ack(BASE_S + 0.05)
    assert sender.threshold("loss") == 20


@pytest.mark.parametrize("cause", ["ecn", "timeout"])
def test_marks_and_timeouts_of_chd_freebsd_are_newrenos(cause):
    sender = measured("chd-freebsd", 0.06)
    sender.set(41, 2)
    assert sender.threshold(cause) == 20
