"""Senders of the core that go by delay, ACK by ACK against their papers' equations."""

import random
from itertools import pairwise

import numpy as np
import pytest
from cc_driver import Driver

BASE = 0.1  # s


def rtt(window: float, queued: float) -> float:
    """The round trip at which so many segments of the window wait: w (1 - base / RTT) = queued."""
    return BASE / (1 - queued / window)


def settled(name: str, window: float, threshold: float = 10, **parameters) -> Driver:
    """A sender that has seen an empty queue, at the beginning of a round."""
    tcp = Driver(name, window, threshold, **parameters)
    tcp.established(BASE)
    tcp.round(BASE)
    tcp.set(window, threshold)
    return tcp


# --- FAST: survey, equation (37)


@pytest.mark.parametrize(("queued", "alpha", "gamma"), [(0, 200, 0.5), (40, 20, 0.5), (9, 10, 0.9)])
def test_fast_follows_its_equation_every_other_round_trip(queued, alpha, gamma):
    fast = Driver("fast", 100, 2, alpha_segments=alpha, gamma=gamma)
    base, delayed = BASE, rtt(100, queued)
    fast.ack(base)
    mean, w = base, fast.cwnd
    fast.set(100)
    for _ in range(1000):
        fast.wait(0.0001)
        mean += min(3 / fast.cwnd, 0.25) * (delayed - mean)
        assert fast.ack(delayed) == 100
    fast.wait(2 * base)
    mean += 3 / 100 * (delayed - mean)
    wanted = min(2 * 100, (1 - gamma) * 100 + gamma * (base / mean * 100 + alpha))
    assert fast.ack(delayed) == pytest.approx(wanted, rel=1e-6)
    assert w == pytest.approx(min(200, (1 - gamma) * 100 + gamma * (100 + alpha)))


@pytest.mark.medium
def test_fast_rests_where_alpha_segments_wait():
    """Equation (38)."""
    fast = Driver("fast", 100, 2, alpha_segments=20)
    for _ in range(100):
        fast.round(max(BASE, BASE * fast.cwnd / 100))
    assert fast.cwnd == pytest.approx(120, rel=0.02)


def test_fast_does_not_grow_where_the_receiver_limits():
    fast = Driver("fast", 100, 2)
    fast.limited = False
    assert fast.ack(BASE) == 100
    assert fast.threshold() == 50


# --- Compound: Tan et al. 2006


def test_compound_adds_its_delay_window_once_a_round_trip():
    """win <- win + (alpha win^k - 1) + 1 where the queue is short."""
    compound, win = settled("compound", 400), 400.0
    for _ in range(5):
        acks = int(win)
        for _ in range(acks):
            win += 1 / win
        win += 0.125 * win**0.75 - 1
        assert compound.round(BASE) == pytest.approx(win, rel=1e-3)


def test_compound_adds_no_delay_window_to_a_small_one():
    """alpha win^k is below one up to 16 segments."""
    compound = settled("compound", 10)
    for _ in range(4):
        before = compound.cwnd
        assert before + 0.8 < compound.round(BASE) < before + 1.01


def test_compounds_delay_window_falls_with_the_queue():
    """By zeta diff from gamma = 30 packets in the queue on, and never below none."""
    compound, dwnd = Driver("compound", 400, zeta=0.1), 0.0
    for queued in (0, 0, 20):
        before = compound.cwnd
        compound.round(rtt(before, queued))
        rise = 0.125 * (before + 1) ** 0.75 - 1
        assert compound.cwnd == pytest.approx(before + 1 + rise, abs=0.1)
        dwnd += rise
    compound.round(rtt(compound.cwnd, 40))
    dwnd -= 0.1 * 40
    for _ in range(10):
        before, fall = compound.cwnd, min(dwnd, 0.1 * 40)
        assert compound.round(rtt(before, 40)) == pytest.approx(before + 1 - fall, abs=0.15)
        dwnd -= fall
    assert dwnd == 0


def test_a_loss_leaves_compound_half_and_its_delay_window_the_rest():
    compound = settled("compound", 400, beta=0.3)
    win = compound.round(BASE)
    assert compound.threshold() == pytest.approx(win * 0.7)
    assert compound.threshold("again") == pytest.approx(win * 0.7)
    assert compound.timeout() == pytest.approx(compound.nxt / 1000 - compound.una / 1000, abs=win)


def test_a_timeout_takes_compounds_delay_window():
    compound = settled("compound", 400)
    compound.round(BASE)
    flight = (compound.nxt - compound.una) / 1000
    assert compound.timeout() == pytest.approx(flight / 2)
    compound.state = "open"
    compound.set(400, 2)
    assert compound.threshold() == 200  # no dwnd


def test_compound_keeps_two_segments():
    """Where nearly all of the window is that of the delay, and the queue takes it."""
    compound = settled("compound", 400, beta=0.1, zeta=10)
    for _ in range(9):
        compound.set(compound.threshold(), 2)
    compound.una = compound.nxt  # and the round is over
    assert compound.ack(rtt(compound.cwnd, compound.cwnd / 2)) == 2


# --- DUAL# --- DUAL: Wang and Crowcroft 1992


def dual_at(part: float) -> float:
    """What is left of 100 segments where the delay is that part of the way to the largest."""
    dual = Driver("dual", 100, 10)
    dual.round(BASE)
    dual.round(2 * BASE)
    dual.set(100)
    dual.round(BASE)
    dual.round(BASE)
    dual.set(100)
    windows = [dual.round(BASE * (1 + part)) for _ in range(2)]
    return min(windows)


def test_dual_takes_an_eighth_beyond_the_middle_of_the_delays():
    assert dual_at(0.45) > 100
    assert dual_at(0.55) == pytest.approx(7 / 8 * 101, rel=0.02)


def test_dual_asks_every_second_round_trip():
    dual = settled("dual", 100)
    dual.round(2 * BASE)
    windows = [dual.round(2 * BASE) for _ in range(8)]
    falls = [after < before for before, after in pairwise(windows)]
    assert falls in ([True, False] * 3 + [True], [False, True] * 3 + [False])


def test_dual_keeps_its_slow_start_beside_its_own_bursts():
    """On an exact clock, at any rate: what a window itself queues behind its head is no delay."""
    dual = Driver("dual", 10, 1e6)
    for _ in range(5):
        for i in range((dual.nxt - dual.una) // 1000):
            dual.wait(1e-4)
            dual.ack(BASE + 1e-5 * i)
    assert dual.cwnd == pytest.approx(320)


# --- CARD: Jain 1989


@pytest.mark.parametrize("window", [90, 110])
@pytest.mark.parametrize("delay_s", [-0.02, 0, 0.02])
def test_card_goes_by_the_gradient_of_the_delay(window, delay_s):
    """NDG = ((t - t') / (t + t')) / ((w - w') / (w + w'))."""
    card = Driver("card", 100, 10)
    card.round(BASE + 0.05)
    assert card.cwnd == 101  # there is no t' yet
    card.set(window)
    before, after = BASE + 0.05, BASE + 0.05 + delay_s
    gradient = ((after - before) / (after + before)) / ((window - 100) / (window + 100))
    wanted = 7 / 8 * window if gradient > 0 else window + 1
    assert card.round(after) == pytest.approx(wanted)


def test_card_keeps_two_segments():
    card = Driver("card", 10, 2, decrease=0.1)
    card.round(BASE + 0.05)
    card.set(9)  # and the delay falls: a tenth would be left
    assert card.round(BASE + 0.03) == 2


def test_card_keeps_its_slow_start_beside_its_own_bursts():
    card = Driver("card", 10, 1e6)
    for _ in range(5):
        for i in range((card.nxt - card.una) // 1000):
            card.wait(1e-4)
            card.ack(BASE + 1e-5 * i)
    assert card.cwnd == pytest.approx(320)


# --- PERT: Bhandarkar et al. 2007


def gentle_red(q: float, low=0.005, high=0.01, most=0.05) -> float:
    return float(np.interp(q, [low, high, 2 * high], [0, most, 1]))


@pytest.mark.medium
@pytest.mark.parametrize("queue_s", [0.004, 0.0075, 0.0099, 0.012, 0.0199])
def test_pert_answers_with_the_probability_of_gentle_red(queue_s):
    """The queue is constant from the second ACK on, once 0.99 s + 0.01 RTT has come to it."""
    p, trials, answers = gentle_red(queue_s), 0, 0
    pert = Driver("pert", 1000, 10, weight=1)
    pert.established()
    pert.ack(BASE)
    while trials < 4000:
        pert.set(1000)
        trials += 1
        if pert.ack(BASE + queue_s) < 1000:
            answers += 1
            assert pert.cwnd == pytest.approx(0.65 * 1000)
            pert.ack(BASE, segments=(pert.nxt - pert.una) // 1000)  # the round is over
    assert abs(answers - p * trials) <= 4 * max(1, (p * (1 - p) * trials) ** 0.5) + 1e-9


def test_pert_answers_once_a_round_trip():
    pert = Driver("pert", 100, 10, weight=1)
    pert.established()
    pert.ack(BASE)
    windows = [pert.ack(BASE + 1) for _ in range(99)]
    assert windows[0] == pytest.approx(65, rel=0.01)
    assert min(windows) == windows[0]
    pert.round(BASE + 1)
    assert pert.cwnd < 0.66 * windows[-1]


def test_pert_still_answers_after_two_gigabytes():
    """Audit B1: its mark went stale where sequence numbers had 32 bits."""
    pert = Driver("pert", 100, 10, weight=1)
    pert.established()
    pert.ack(BASE)
    pert.ack(BASE + 1)
    pert.una = pert.nxt = 3_000_000_000
    pert.set(100)
    pert.ack(BASE)
    assert pert.ack(BASE + 1) < 66


# --- LEDBAT: RFC 6817


@pytest.mark.parametrize("queue_s", [0, 0.03, 0.1, 0.17])
def test_ledbat_goes_for_its_target(queue_s):
    """2.4.2: cwnd += GAIN off_target bytes_newly_acked MSS / cwnd, in segments."""
    ledbat, w = Driver("ledbat", 100, 10, gain=0.8), 100.0
    ledbat.ack(delay_s=0.05)
    w += 0.8 / w
    for _ in range(3):  # the smallest of the last four delays counts
        ledbat.ack(delay_s=0.05 + queue_s)
        w += 0.8 / w
    for acked in (1, 2, 1, 5):
        w += 0.8 * (0.1 - queue_s) / 0.1 * acked / w
        assert ledbat.ack(delay_s=0.05 + queue_s, segments=acked) == pytest.approx(w, rel=1e-9)


def test_ledbat_forgets_the_smallest_delay_after_its_minutes():
    """BASE_HISTORY = 2: a longer path is a queue for two minutes, and none any more then."""
    ledbat = Driver("ledbat", 100, 10, base_history=2, noise_filter=1)
    ledbat.ack(delay_s=0.05)
    before = [ledbat.cwnd]
    for minute in (1, 2):
        ledbat.now_s = 60 * minute + 1
        before.append(ledbat.ack(delay_s=0.25))
    assert before[1] == pytest.approx(before[0] - 1 / before[0])  # off_target = -1
    assert before[2] == pytest.approx(before[1] + 1 / before[1])


def test_ledbat_keeps_the_smallest_delay_of_a_minute():
    """However many come after it."""
    ledbat = Driver("ledbat", 100, 10, base_history=2, noise_filter=1)
    ledbat.now_s = 61
    ledbat.ack(delay_s=0.05)
    windows = [ledbat.cwnd, *(ledbat.ack(delay_s=0.25) for _ in range(5))]
    assert all(after < before for before, after in pairwise(windows))


def test_ledbats_window_is_never_more_than_a_segment_above_what_is_in_flight():
    ledbat = Driver("ledbat", 100, 10)
    ledbat.ack(delay_s=0.05)
    ledbat.nxt = ledbat.una + 40_000
    assert ledbat.ack(delay_s=0.05) == 41


def test_a_loss_halves_ledbats_window():
    assert Driver("ledbat", 100).threshold() == 50
    assert Driver("ledbat", 3).threshold() == 2
    assert Driver("ledbat", 1).threshold() == 1


# --- TCP-LP: Kuzmanovic and Knightly 2003


def test_lp_halves_its_window_at_the_first_sign_and_waits():
    """sd > d_min + 0.15 (d_max - d_min), sd <- 7/8 sd + 1/8 d."""
    lp, sd = Driver("lp", 64, 10, clock_s=0), 0.05
    lp.ack(BASE, delay_s=0.05)
    while sd <= 0.05 + 0.15 * (0.2 - 0.05):
        before = lp.cwnd
        sd = 7 / 8 * sd + 0.2 / 8
        lp.ack(BASE, delay_s=0.2)
    half = lp.cwnd
    assert half == pytest.approx(before / 2)
    assert lp.ssthresh <= half  # no slow start follows
    lp.wait(0.299)
    assert lp.ack(BASE, delay_s=0.07) == half  # within 3 round trips
    lp.wait(0.002)
    assert lp.ack(BASE, delay_s=0.07) == pytest.approx(half + 1 / half)


def test_lp_leaves_one_segment_at_the_second_sign():
    """d_min is sd after the first, and d_max twice as much."""
    lp = Driver("lp", 64, 10, clock_s=0)
    lp.ack(BASE, delay_s=0.05)
    for _ in range(2):
        lp.ack(BASE, delay_s=0.2)
    assert 30 < lp.cwnd < 33
    sd = low = 7 / 8 * (7 / 8 * 0.05 + 0.2 / 8) + 0.2 / 8
    while sd <= low + 0.15 * max(low, 0.2 - low):
        assert lp.cwnd > 30
        sd = 7 / 8 * sd + 0.2 / 8
        lp.ack(BASE, delay_s=0.2)
    assert lp.cwnd == 1


def test_lps_delay_is_one_of_clocks_that_tick():
    """Timestamps (RFC 7323): what is less than a millisecond is none."""
    lp = Driver("lp", 64, 10)
    lp.now_s = 1.0002
    lp.ack(BASE, delay_s=0.05)
    lp.now_s = 1.0007
    for _ in range(20):
        lp.ack(BASE, delay_s=0.0504)
    assert lp.cwnd > 64


# --- what all of them have in common


@pytest.mark.parametrize("name", ["card", "compound", "dual", "fast", "ledbat", "lp", "pert"])
def test_an_ack_without_a_round_trip_is_no_sample(name):
    """Audit B10: the last sample is not counted again with every ACK that has none."""
    draw = random.Random(3)
    with_none, without = settled(name, 50), settled(name, 50)
    for _ in range(300):
        sample = BASE + draw.uniform(0, 0.02)
        for tcp in (with_none, without):
            tcp.wait(0.001)
            tcp.ack(sample)
        with_none.rtt_s = 5.0
        with_none.ack(5.0, segments=0, sample=False)
        with_none.rtt_s = sample
    assert with_none.cwnd == pytest.approx(without.cwnd)


# --- TCP Vegas


def round_trip(sender: Driver, rtt_s: float) -> float:
    """All that is in flight is acknowledged, segment by segment; return the window then."""
    end = sender.nxt
    while sender.una < end:
        sender.ack(rtt_s)
    return sender.cwnd


def behind(segments: float, window: float, base_s: float = 0.1) -> float:
    """Return the round trip of a window of which so many segments wait in queues."""
    return base_s / (1 - segments / window)


@pytest.mark.parametrize(("queued", "change"), [(1, 1), (3, 0), (5, -1)])
def test_vegas_keeps_alpha_to_beta_segments_in_queues(queued, change):
    """Brakmo and Peterson, 3.2: of 2 to 4 it leaves the window alone."""
    vegas = Driver("vegas", 100, 50)
    round_trip(vegas, 0.1)
    vegas.set(100)
    rtt_s = behind(queued, 100)
    round_trip(vegas, rtt_s)
    vegas.set(100)
    assert round_trip(vegas, rtt_s) == 100 + change


def test_vegas_doubles_every_other_round_trip_and_ends_with_gamma():
    """3.3: more than one segment in queues ends slow start, at what the pipe holds."""
    vegas = Driver("vegas", 100, 1e6)
    windows = [round_trip(vegas, 0.1) for _ in range(6)]
    ratios = [after / before for before, after in pairwise(windows)]
    assert sorted(ratios[1:]) == pytest.approx([1, 1, 2, 2], rel=0.06)
    window = windows[-1]
    for _ in range(2):
        round_trip(vegas, behind(0.1 * window, window))
    assert vegas.cwnd == vegas.ssthresh < vegas.nxt - vegas.una


def test_vegas_leaves_slow_start_with_a_segment_more_than_the_pipe_holds():
    vegas = Driver("vegas", 20, 1e6)
    round_trip(vegas, 0.1)
    while vegas.ssthresh == 1e6:
        window = vegas.cwnd
        vegas.ack(0.2)
    assert vegas.cwnd == vegas.ssthresh == pytest.approx(window / 2 + 1)
