"""CARD, DUAL, TCP-Africa, PERT and CDG, driven ACK by ACK against their rules."""

import itertools
import math

import pytest
from window_driver import make

pytestmark = pytest.mark.ns3

BASE = 0.1  # s


def rounds(tcp, *delays):
    """Acknowledge a window at each of these queueing delays (s); return the window."""
    for delay in delays:
        tcp.Round(BASE + delay)
    return tcp.Window()


def fixed(tcp, window, *delays):
    """The same, with the window put back after each round."""
    for delay in delays:
        tcp.Round(BASE + delay)
        tcp.Set(window, 10)


# --- CARD: the sign of the normalised delay gradient


def test_card_grows_by_a_segment_a_round_trip_where_the_delay_does_not_follow():
    card = make("Card", 100)
    first = card.Round(BASE)
    assert [card.Round(BASE) for _ in range(3)] == [first + 1, first + 2, first + 3]


def test_card_lowers_its_window_by_an_eighth_where_delay_and_window_grow():
    card = make("Card", 100)
    before = rounds(card, 0, 0, 0)
    card.Ack(BASE + 0.01)
    after = rounds(card, 0.01, 0.01)
    assert min(after, card.Window()) < 0.9 * before


def test_card_grows_where_a_smaller_window_has_a_larger_delay():
    card = make("Card", 100)
    rounds(card, 0, 0)
    card.Set(80, 10)
    before = card.Window()
    assert rounds(card, 0.02) >= before


def test_cards_slow_start_ends_at_the_first_positive_gradient():
    card = make("Card", 10, 10**6)
    assert rounds(card, 0) == pytest.approx(20, abs=1)
    rounds(card, 0.01, 0.01)
    assert card.Threshold() < 10**4


# --- DUAL: the middle of the delays


@pytest.mark.parametrize(("delay", "lowered"), [(0.024, False), (0.026, True)])
def test_dual_asks_whether_the_queue_is_more_than_half_of_the_longest(delay, lowered):
    dual = make("Dual", 100)
    fixed(dual, 100, 0, 0.05)  # RTT_min and RTT_max
    fixed(dual, 100, *[0] * 2)
    windows = [dual.Round(BASE + delay) for _ in range(3)]
    assert (min(windows) < 95) == lowered


def test_dual_asks_every_second_round_trip_only():
    dual = make("Dual", 100)
    fixed(dual, 100, 0, 0.05)
    lowered = []
    for _ in range(8):
        dual.Set(100, 10)
        lowered.append(dual.Round(BASE + 0.05) < 95)
    assert sum(lowered) == 4
    assert all(a != b for a, b in itertools.pairwise(lowered))


def test_dual_takes_an_eighth():
    dual = make("Dual", 100)
    fixed(dual, 100, 0, 0.05)
    least = 100.0
    for _ in range(4):
        dual.Set(100, 10)
        least = min(least, dual.Ack(BASE + 0.05), dual.Round(BASE + 0.05))
    assert 87 < least < 89


# --- TCP-Africa: HighSpeed TCP's increase without a queue, Reno's with one


def test_africa_is_highspeed_tcp_without_a_queue():
    africa, highspeed = make("Africa", 5000), make("HighSpeed", 5000)
    for tcp in (africa, highspeed):
        tcp.Round(BASE)
    assert africa.Window() == highspeed.Window() > 5010


@pytest.mark.parametrize(("queued", "fast"), [(1.5, True), (1.8, False)])
def test_africa_is_standard_tcp_from_alpha_segments_in_queues_on(queued, fast):
    africa = make("Africa", 1000)
    africa.Ack(BASE)
    delayed = BASE / (1 - queued / 1000)
    for _ in range(200):  # its smoothed round trip follows
        africa.Set(1000, 10)
        africa.Ack(delayed)
    africa.Set(1000, 10)
    gained = 1000 * (africa.Ack(delayed) - 1000)
    assert gained == pytest.approx(africa_increase() if fast else 1, abs=1.1)


def africa_increase():
    highspeed = make("HighSpeed", 1000)
    return 1000 * (highspeed.Ack(BASE) - 1000)


def test_a_loss_takes_from_africa_what_it_takes_from_highspeed_tcp():
    assert make("Africa", 5000).Recovery() == make("HighSpeed", 5000).Recovery() > 2600


# --- PERT: RED at the sender


def pert_probability(delay, low=0.005, high=0.010, largest=0.05):
    """Gentle RED's curve."""
    if delay <= low:
        return 0.0
    if delay <= high:
        return largest * (delay - low) / (high - low)
    return min(1.0, largest + (1 - largest) * (delay - high) / high)


@pytest.mark.parametrize("delay", [0.003, 0.0075, 0.012, 0.03])
def test_pert_answers_as_often_as_its_curve_says(delay):
    pert = make("Pert", 100, Weight=1)
    pert.Ack(BASE)
    tried, answered = 3000, 0
    for _ in range(tried):
        pert.Set(100, 10)
        answered += pert.Ack(BASE + delay, 200) < 99  # all that was sent: a round is over
    expected = pert_probability(delay)
    spread = 4 * math.sqrt(expected * (1 - expected) / tried)
    assert answered / tried == pytest.approx(expected, abs=spread + 1e-9)


def test_pert_takes_35_per_cent_once_a_round_trip():
    pert = make("Pert", 1000, Weight=1)
    pert.Ack(BASE)
    fixed(pert, 1000, 0)
    windows = [pert.Ack(BASE + 0.05) for _ in range(700)]
    assert min(windows) == pytest.approx(650, abs=1)
    assert pert.Threshold() == pytest.approx(650, abs=1)


def test_perts_round_trip_is_smoothed_by_a_hundredth():
    pert = make("Pert", 1000)
    pert.Ack(BASE)
    # After n ACKs at 50 ms of queue, 50 ms (1 - 0.99^n) are seen: below 5 ms up to n = 10.
    assert min(pert.Ack(BASE + 0.05) for _ in range(10)) > 999


# --- CDG: the gradient of the delay


def test_cdg_backs_off_as_often_as_the_exponential_of_the_gradient():
    backed_off, tried = 0, 600
    cdg = make("Cdg", 100, Smoothing=1, Ineffectual=0)
    for _ in range(tried):
        fixed(cdg, 100, 0.05, 0)  # the queue falls: no back-off
        fixed(cdg, 100, 0)
        backed_off += cdg.Round(BASE + 0.003) < 90  # it rises by G = 3 ms
        cdg.Set(100, 10)
    expected = 1 - math.exp(-1)
    assert backed_off / tried == pytest.approx(expected, abs=4 * math.sqrt(0.25 / tried))


def test_cdg_stays_while_the_delay_does_however_long_the_queue():
    cdg = make("Cdg", 100, Smoothing=1)
    fixed(cdg, 100, *[0.05] * 3)
    assert rounds(cdg, *[0.05] * 20) > 115


def test_cdg_leaves_seven_tenths():
    cdg = make("Cdg", 100, Smoothing=1, Scale="1ns")
    fixed(cdg, 100, 0, 0)
    cdg.Round(BASE + 0.01)
    least = min(cdg.Window(), cdg.Ack(BASE + 0.02))
    assert least == pytest.approx(70, abs=1.2)


def test_cdg_holds_still_after_back_offs_without_effect():
    cdg = make("Cdg", 100, Smoothing=1, Scale="1ns", Ineffectual=3)
    fixed(cdg, 100, 0, 0)
    delay, lowered = 0.0, []
    for _ in range(24):
        delay += 0.01  # it rises on, whatever CDG does
        cdg.Set(100, 10)
        lowered.append(cdg.Round(BASE + delay) < 90)
    assert sum(lowered[:6]) == 3
    longest = max(len(run) for run in "".join("x" if one else "." for one in lowered).split("x"))
    assert longest >= 4


def test_cdg_tolerates_a_loss_without_a_full_queue():
    assert make("Cdg", 100).Recovery() == 100
    assert make("Cdg", 100, TolerateLoss="false").Recovery() == 50
    assert make("Cdg", 100).Timeout() == 50


def test_cdg_takes_a_loss_for_congestion_where_only_the_least_delay_still_rises():
    cdg = make("Cdg", 100, Smoothing=1, Scale="10s")
    for smallest in (0.0, 0.01, 0.02):
        cdg.Ack(BASE + 0.05)  # the largest stays
        rounds(cdg, smallest)
    for smallest in (0.03, 0.04):
        cdg.Ack(BASE + 0.05)
        rounds(cdg, smallest)
    before = cdg.Window()
    assert cdg.Recovery() == pytest.approx(before / 2, abs=0.01)


# --- all


@pytest.mark.parametrize("kind", ["Card", "Dual", "Africa", "Pert", "Cdg"])
def test_what_they_share(kind):
    """Slow start adds a segment an ACK; a window that is not filled does not grow; the largest
    window holds; a timeout leaves half."""
    tcp = make(kind, 10, 100)
    assert tcp.Ack(BASE) == 11
    tcp.Limit(False)
    assert tcp.Ack(BASE) == 11
    capped = make(kind, 99.9, 1000, MaxWindow=100)
    assert max(capped.Round(BASE) for _ in range(5)) == 100
    assert make(kind, 38).Timeout() == 19
