"""TCP Westwood's class, driven ACK by ACK against equations (1) and (2) of the paper tcpj."""

import pytest
from bandwidth_driver import load, send_acks

pytestmark = pytest.mark.ns3

SEGMENT_BITS = 8000
T = 1.0  # time constant of the filter, s


@pytest.fixture(scope="module")
def make():
    maker = load()
    return lambda **options: maker("longfat::TcpWestwood", **options)


def tustin(bandwidth, sample, last_sample, interval):
    """Equation (2), as printed."""
    ratio = 2 * T / interval
    return (ratio - 1) / (ratio + 1) * bandwidth + (sample + last_sample) / (ratio + 1)


def test_the_filter_follows_equation_2_at_uneven_intervals(make):
    westwood = make()
    westwood.Ack(1)  # starts the clock
    bandwidth = sample = 0.0
    segment = 1
    for i in range(200):
        interval = (0.003, 0.01, 0.2, 0.07)[i % 4]
        new = (1, 2, 1)[i % 3]
        segment += new
        westwood.Wait(interval)
        westwood.Ack(segment)
        last, sample = sample, new * SEGMENT_BITS / interval
        bandwidth = tustin(bandwidth, sample, last, interval)
        assert westwood.bandwidth == pytest.approx(bandwidth, rel=1e-6)


def test_the_estimate_converges_to_the_rate_of_arrivals(make):
    westwood = make()
    send_acks(westwood, 0, 2000, 0.005)
    assert westwood.bandwidth == pytest.approx(SEGMENT_BITS / 0.005, rel=1e-3)


def test_silence_counts_as_samples_of_zero(make):
    """1.3 s without an ACK: two samples of zero over T/2 each, then one of 0.3 s."""
    westwood = make()
    last = send_acks(westwood, 0, 2000, 0.005)
    rate = SEGMENT_BITS / 0.005
    expected = tustin(tustin(westwood.bandwidth, 0, rate, T / 2), 0, 0, T / 2)
    expected = tustin(expected, SEGMENT_BITS / 0.3, 0, 0.3)
    westwood.Wait(1.3)
    westwood.Ack(last + 1)
    assert westwood.bandwidth == pytest.approx(expected, rel=1e-6)


def test_an_ack_just_after_an_interval_belongs_to_it(make):
    """501 ms of silence are one interval, not one of T/2 and a sample over a millisecond."""
    westwood = make()
    last = send_acks(westwood, 0, 2000, 0.005)
    expected = tustin(westwood.bandwidth, SEGMENT_BITS / 0.501, SEGMENT_BITS / 0.005, 0.501)
    westwood.Wait(0.501)
    westwood.Ack(last + 1)
    assert westwood.bandwidth == pytest.approx(expected, rel=1e-6)


def test_a_timeout_takes_the_estimate_fallen_in_the_silence_before(make):
    westwood = make(window=20, threshold=15)
    send_acks(westwood, 0, 2000, 0.005)
    rate = westwood.bandwidth
    westwood.Wait(1.1)
    westwood.Timeout()
    fallen = tustin(tustin(rate, 0, SEGMENT_BITS / 0.005, T / 2), 0, 0, T / 2)
    assert westwood.Threshold() == pytest.approx(fallen * 0.1 / SEGMENT_BITS, abs=0.002)
    assert westwood.Window() == 1
    assert westwood.bandwidth == rate  # the samples of zero are entered with the next ACK


def test_duplicate_acks_count_one_segment_each_and_the_hole_filler_only_the_rest(make):
    """Ten segments in flight, the first lost: nine duplicate ACKs, then an ACK for all ten."""
    westwood = make()
    last = send_acks(westwood, 0, 2000, 0.005)
    for _ in range(9):
        westwood.Wait(0.005)
        westwood.DuplicateAck()
    westwood.Wait(0.005)
    westwood.Ack(last + 10)
    assert westwood.bandwidth == pytest.approx(SEGMENT_BITS / 0.005, rel=1e-3)


def test_a_hole_filler_for_fewer_than_reported_counts_one(make):
    """Two holes: the first retransmission is acknowledged up to the second hole."""
    westwood, even = make(), make()  # of one clock
    arrived = 0

    def one_segment(westwood_ack=None):
        nonlocal arrived
        arrived += 1
        westwood.Wait(0.005)
        even.Ack(arrived)
        if westwood_ack is None:
            westwood.DuplicateAck()
        else:
            westwood.Ack(westwood_ack)

    for segment in range(1, 101):
        one_segment(segment)
    for _ in range(8):
        one_segment()
    one_segment(104)  # 4 of the 8 that were reported
    assert westwood.bandwidth == pytest.approx(even.bandwidth, rel=1e-9)
    one_segment(109)  # 4 of 5 were reported
    assert westwood.bandwidth == pytest.approx(even.bandwidth, rel=1e-9)


def test_a_second_ack_of_one_instant_counts_in_the_next_sample(make):
    """Two segments 10 ms after the last ACK, in two ACKs or in one."""
    two, one = make(), make()
    for segment in range(1, 101):
        two.Wait(0.005)
        two.Ack(segment)
        one.Ack(segment)
    two.Wait(0.01)
    two.Ack(101)
    two.Ack(102)
    one.Ack(102)
    two.Wait(0.005)
    two.Ack(103)
    one.Ack(103)
    assert two.bandwidth == pytest.approx(one.bandwidth, rel=5e-3)


def test_duplicate_acks_lower_the_window_to_the_threshold(make):
    """1.6 Mb/s and 100 ms are 20 segments of 1000 bytes."""
    westwood = make(window=35, threshold=10)
    last = send_acks(westwood, 0, 2000, 0.005)
    window = westwood.Window()
    assert window > 35
    westwood.EnterRecovery()
    westwood.EndRecovery(last + 10)
    assert westwood.Threshold() == pytest.approx(20, rel=1e-3)
    assert westwood.Window() == pytest.approx(20 + 1 / 20, rel=2e-3)  # and NewReno's growth


def test_duplicate_acks_never_raise_the_window(make):
    westwood = make(window=1, threshold=40)
    last = send_acks(westwood, 0, 2000, 0.005)
    westwood.Set(8, 4, 0.1)
    westwood.EnterRecovery()
    assert westwood.Window() == 8
    westwood.EndRecovery(last + 5)
    assert westwood.Threshold() == pytest.approx(20, rel=1e-2)
    assert westwood.Window() == 9  # below the threshold: slow start goes on


def test_a_timeout_in_a_recovery_forgets_the_recovery(make):
    westwood = make()
    last = send_acks(westwood, 0, 2000, 0.005)
    westwood.Set(8, 4, 0.1)
    westwood.EnterRecovery()
    westwood.Timeout()
    assert westwood.Threshold() == pytest.approx(20, rel=1e-2)
    westwood.Ack(last + 1)
    assert westwood.Window() == 2
    assert westwood.Threshold() == pytest.approx(20, rel=1e-2)


def test_the_threshold_is_at_least_two_segments(make):
    westwood = make()
    westwood.Ack(1)
    westwood.Timeout()
    assert westwood.Threshold() == 2


def test_a_coarse_clock_rounds_the_round_trip_up_to_a_tick(make):
    coarse = make(rtt_s=0.04, RttTick="0.1s")
    exact = make(rtt_s=0.04)
    for segment in range(1, 2001):
        exact.Wait(0.005)
        exact.Ack(segment)
        coarse.Ack(segment)
    exact.Timeout()
    coarse.Timeout()
    assert exact.Threshold() == pytest.approx(8, rel=1e-3)
    assert coarse.Threshold() == pytest.approx(20, rel=1e-3)
