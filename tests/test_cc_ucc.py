"""UCC's class, driven packet by packet and loss by loss against equations (6) and (7)."""

import pytest
from delay_driver import load

pytestmark = pytest.mark.ns3

EMPTY = 0.0208432  # s, one way through an empty queue: no whole number of clock ticks


@pytest.fixture(scope="module")
def make():
    maker = load()

    def ucc(window=100, **attributes):
        made = maker("TcpUcc", window, **attributes)
        made.TraceUtilization()
        return made

    return ucc


def send(ucc, empty, queued, start_s=0.0, delay_s=EMPTY):
    """Let so many packets meet an empty queue, and so many others a queue; 1 ms apart."""
    for number in range(empty + queued):
        queue_s = 0 if number < empty else 0.0008 * (1 + number % 40)
        ucc.OneWayDelay(start_s + number * 1e-3, delay_s + queue_s)


@pytest.mark.parametrize(("empty", "queued"), [(1, 0), (5, 95), (1, 99), (300, 700)])
def test_the_estimate_is_equation_6(make, empty, queued):
    ucc = make()
    send(ucc, empty, queued)
    assert ucc.utilization == queued / (empty + queued)


def test_equal_delays_are_equal_at_any_time_of_the_clock(make):
    """The simulator's clock counts nanoseconds, so that 100 s on no digit is missing."""
    ucc = make()
    for number in range(999):
        ucc.OneWayDelay(number * 0.1000001, EMPTY)
    ucc.OneWayDelay(100, EMPTY + 1e-9)
    assert ucc.utilization == 1 / 1000


@pytest.mark.parametrize(
    ("empty", "queued", "expected"),
    [(5, 95, 100), (1, 99, 100), (1, 100, 50), (0, 100, 50), (100, 0, 100)],
)
def test_equation_7_halves_above_alpha_only(make, empty, queued, expected):
    """rho = 0.99 exactly is not above alpha = 0.99."""
    ucc = make(window=100)
    ucc.OneWayDelay(0, EMPTY)  # the connection knows its smallest delay
    ucc.Recovery()
    ucc.Set(100, 10)
    send(ucc, empty, queued, start_s=1)
    assert ucc.Recovery() == expected


def test_alpha_is_a_parameter(make):
    halving, keeping = make(Alpha="0.5"), make(Alpha="0.7")
    for ucc in (halving, keeping):
        send(ucc, 40, 60)
    assert (halving.Recovery(), keeping.Recovery()) == (50, 100)


def test_the_count_begins_anew_at_each_loss(make):
    ucc = make()
    send(ucc, 100, 0)
    assert ucc.Recovery() == 100
    send(ucc, 0, 50, start_s=1)
    assert ucc.utilization == 1
    assert ucc.Recovery() == 50


def test_a_smaller_delay_makes_the_others_queued(make):
    ucc = make()
    send(ucc, 50, 0, delay_s=EMPTY + 0.001)
    assert ucc.utilization == 0
    ucc.OneWayDelay(1, EMPTY)
    assert ucc.utilization == pytest.approx(50 / 51)


def test_a_timeout_is_newrenos(make):
    ucc = make()
    send(ucc, 100, 0)
    assert ucc.Timeout(60) == 30
    assert ucc.Timeout(1) == 2
    ucc.Set(1, 4)
    assert [ucc.Ack(0.04) for _ in range(4)] == [2, 3, 4, 4.25]


def test_the_window_is_two_segments_at_least(make):
    ucc = make(window=3)
    send(ucc, 0, 100)
    ucc.OneWayDelay(1, EMPTY)
    for _ in range(200):
        ucc.OneWayDelay(2, EMPTY + 1e-3)
    assert ucc.Recovery() == 2


def test_a_loss_before_any_delay_is_congestion(make):
    assert make(window=100).Recovery() == 50


def test_with_the_minimum_of_the_epoch_100_packets_never_halve(make):
    """One of N packets has the smallest delay: rho <= 1 - 1/N, above 0.99 only for N > 100."""
    for packets, expected in ((100, 100), (101, 50)):
        ucc = make(window=100, MinimumOfEpoch="true")
        ucc.OneWayDelay(0, EMPTY)
        ucc.Recovery()
        ucc.Set(100, 10)
        for number in range(packets):
            ucc.OneWayDelay(1 + number, EMPTY + 0.01 + number * 1e-6)
        assert ucc.Recovery() == expected


def test_the_minimum_can_be_forgotten(make):
    """The path got longer: without a lifetime, no packet is ever at the minimum again."""
    forever, forgetful = make(), make(MinimumLifetime="10s")
    for ucc in (forever, forgetful):
        send(ucc, 100, 0)
        for number in range(300):
            ucc.OneWayDelay(1 + 0.1 * number, EMPTY + 0.01)
    assert forever.utilization == pytest.approx(300 / 400)
    assert forgetful.utilization == 0
    assert (forever.Recovery(), forgetful.Recovery()) == (100, 100)
    for ucc in (forever, forgetful):
        for number in range(90):
            ucc.OneWayDelay(31 + 0.1 * number, EMPTY + 0.01)
    assert (forever.Recovery(), forgetful.Recovery()) == (50, 100)


def test_a_millisecond_clock_mixes_the_delays_within_a_tick(make):
    """A delay of 20.8 ms takes 20 ticks in 20 % of the phases and 21 in the others."""
    ucc = make(Clock="1ms")
    for number in range(1000):
        ucc.OneWayDelay(number * 0.01061803, 0.0208)
    assert ucc.utilization == pytest.approx(0.8, abs=0.01)
    busy = make(Clock="1ms")
    for number in range(1000):  # an empty queue and one of 0.1 ms: both can take 20 ticks
        busy.OneWayDelay(number * 0.01061803, 0.0201 + 0.0001 * (number % 2))
    assert busy.utilization == pytest.approx(1 - (0.9 + 0.8) / 2, abs=0.01)
