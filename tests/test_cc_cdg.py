"""CDG by its paper and as in Linux, event by event (paper ucc, table 1; tcp_cdg.c)."""

from math import exp, sqrt

import pytest
from cc_driver import MSS, Driver

BASE_S = 0.1


def driven(name: str, window=10.0, **parameters) -> Driver:
    sender = Driver(name, window, **parameters)
    sender.established(BASE_S)
    sender.round(BASE_S)
    sender.set(window, 2)
    return sender


def back_offs(sender: Driver, gradient_s: float, rounds: int) -> int:
    """Rounds whose round trips are longer than the last by so much; how many end with less."""
    count, rtt_s = 0, BASE_S
    for _ in range(rounds):
        sender.set(8, 2)
        rtt_s += gradient_s
        sender.limited = False
        count += sender.round(rtt_s) < 8
    return count


@pytest.mark.parametrize("gradient_s", [0.001, 0.003])
def test_a_back_off_is_as_frequent_as_the_exponential_of_the_gradient(gradient_s):
    """Without smoothing or holding still p = 1 - exp(-g / 3 ms), and none right after another: in
    p / (1 + p) of all rounds."""
    sender = driven("cdg", smoothing_rounds=1, ineffectual=0)
    rounds, chance = 1500, 1 - exp(-gradient_s / 0.003)
    expected = rounds * chance / (1 + chance)
    assert back_offs(sender, gradient_s, rounds) == pytest.approx(expected, abs=4 * sqrt(expected))


def test_after_five_back_offs_in_vain_five_are_left_out():
    """One in two rounds, while the delay rises so much that it is certain."""
    sender = driven("cdg", smoothing_rounds=1, scale_s=1e-9)
    assert back_offs(sender, 0.002, 15) == 5


@pytest.mark.medium
def test_linux_backs_off_five_times_in_vain():
    """use_ineff: the sixth and all that follow are left out until the delay falls."""
    sender = driven("cdg-linux", 100)
    rtt_s, thresholds = BASE_S, []
    for _ in range(60):  # a gradient of 8 x 2 ms: one in two rounds
        rtt_s += 0.002
        before = sender.ssthresh
        sender.round(rtt_s)
        thresholds += [sender.ssthresh] if sender.ssthresh != before else []
    assert len(thresholds) == 5
    for _ in range(12):
        sender.round(BASE_S)
        before = sender.ssthresh
    for _ in range(12):
        rtt_s += 0.05
        sender.round(rtt_s)
    assert sender.ssthresh != before


def test_linux_goes_to_seven_tenths_over_a_round_trip():
    """backoff_beta is 724 of 1024, and PRR paces the way: 100 becomes 70, not at once."""
    sender = driven("cdg-linux", 100)
    rtt_s = BASE_S
    while sender.ssthresh == 2:
        rtt_s += 0.005
        start = sender.una
        sender.ack(rtt_s, segments=1)
        while sender.una < start + 101 * MSS and sender.ssthresh == 2:
            sender.ack(rtt_s)
    assert sender.ssthresh == int(int(sender.cwnd) * 724 / 1024)
    assert sender.cwnd >= 100


@pytest.mark.parametrize("name", ["cdg", "cdg-linux"])
def test_it_stays_while_the_delay_does_however_long_the_queue(name):
    sender = driven(name)
    for _ in range(30):
        sender.round(5 * BASE_S)
    before = sender.cwnd
    for _ in range(40):
        sender.round(5 * BASE_S)
    assert sender.cwnd == pytest.approx(before + 40, abs=1.5)


def test_a_back_off_leaves_seven_tenths():
    sender = driven("cdg", 20, scale_s=1e-9, smoothing_rounds=1)
    sender.limited = False
    for _ in range(60):
        if sender.cwnd < 20:
            break
        sender.ack(BASE_S + 0.01)
    assert sender.cwnd == sender.ssthresh == pytest.approx(0.7 * 20)


def test_a_loss_is_tolerated_where_the_queue_is_not_full():
    sender = driven("cdg", 40)
    assert sender.threshold("loss") == 40
    assert sender.threshold("ecn") == 20  # a mark is the queue's
    assert sender.threshold("timeout") == 20  # audit B5: a timeout is no duplicate ACK
    assert driven("cdg", 40, tolerates_loss=False).threshold("loss") == 20
    assert driven("cdg-linux", 40).threshold("loss") == 20


def full_queue(name: str, **parameters) -> Driver:
    """The largest round trips stay, the smallest still rise: the queue does not empty any more."""
    sender = driven(name, 8, smoothing_rounds=1, scale_s=10.0, **parameters)
    for smallest_s in (0.1, 0.12, 0.14, 0.16):
        sender.set(8, 2)
        end = sender.nxt
        sender.ack(0.2)
        while sender.una < end:
            sender.ack(smallest_s)
    sender.set(40, 2)
    return sender


def test_a_loss_is_congestion_where_only_the_smallest_delay_still_rises():
    assert full_queue("cdg").threshold("loss") == 20


def test_a_loss_is_tolerated_again_once_the_delays_fall():
    sender = full_queue("cdg")
    for rtt_s in (0.15, 0.12):
        sender.round(rtt_s)
    sender.set(40, 2)
    assert sender.threshold("loss") == 40


@pytest.mark.parametrize("name", ["cdg", "cdg-linux"])
def test_a_window_that_does_not_limit_does_not_grow(name):
    sender = driven(name, 10)
    sender.limited = False
    for _ in range(5):
        sender.round(BASE_S)
    assert sender.cwnd == 10


def test_the_shadow_window_of_linux_is_at_most_the_window():
    """After a window that did not limit, half of the shadow is no more than half of the window."""
    sender = driven("cdg-linux", 100)
    sender.set(10, 2)
    sender.limited = False
    sender.ack(BASE_S)
    assert sender.threshold("loss") == 5


def test_slow_start_of_linux_ends_by_a_train_of_acks():
    """ACKs less than 3 ms apart for more than half the smallest round trip (hystart_detect, 1)."""
    sender = Driver("cdg-linux", 100, threshold=1e9)
    sender.established(BASE_S)
    for _ in range(200):
        sender.wait(0.001)
        sender.ack(BASE_S)
        if sender.ssthresh < 1e9:
            break
    assert 0.05 < sender.now_s < 0.06
    other = Driver("cdg-linux", 100, threshold=1e9, hybrid_slow_start=False)
    for _ in range(200):
        other.wait(0.001)
        other.ack(BASE_S)
    assert other.ssthresh == 1e9


def test_slow_start_of_linux_ends_by_an_eighth_more_of_delay():
    """hystart_detect, 2: the smallest of a round, after eight of its ACKs."""
    base_s = 0.002  # so short that the gradients are small
    sender = Driver("cdg-linux", 20, threshold=1e9)
    sender.established(base_s)
    for _ in range(40):
        sender.wait(0.004)  # no train
        sender.ack(base_s)
    assert sender.ssthresh == 1e9
    for part, ends in ((1.12, False), (1.15, True)):
        for _ in range(2 * int(sender.cwnd)):
            sender.wait(0.004)
            sender.ack(base_s * part)
        assert (sender.ssthresh < 1e9) == ends
