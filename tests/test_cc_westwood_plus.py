"""TCP Westwood+, ACK by ACK, against its samples, its filter and its threshold."""

import pytest
from cc_driver import load

pytestmark = pytest.mark.ns3

KIND, NS3 = "longfat::TcpWestwoodPlus", "ns3::TcpWestwoodPlus"
RTT_S = 0.1
ALPHA = 0.9


@pytest.fixture(scope="module")
def make():
    maker = load()

    def make(kind=KIND, **options):
        tcp = maker(kind, **options)
        tcp.SetRtt(RTT_S)
        return tcp

    return make


def acks(tcp, start_s, count, interval_s, segments=1):
    """Send so many ACKs, the first an interval after the start; return when the last came."""
    for i in range(1, count + 1):
        tcp.WaitUntil(start_s + i * interval_s)
        tcp.Ack(segments)
    return start_s + count * interval_s


def estimate(tcp):
    """B RTT_min after a loss, in segments."""
    tcp.EnterRecovery(1)
    return tcp.Threshold()


def test_a_sample_is_what_a_round_trip_delivers(make):
    """40 segments in 0.1 s fill the filter; then samples of 80 enter by the filter's equation."""
    tcp = make()
    tcp.Ack(1)  # starts the clock
    now = acks(tcp, 0, 40, RTT_S / 40)
    bandwidth = last = 40
    for _ in range(5):
        now = acks(tcp, now, 40, RTT_S / 40, segments=2)
        bandwidth = ALPHA * bandwidth + (1 - ALPHA) * (80 + last) / 2
        last = 80
    assert estimate(tcp) == pytest.approx(bandwidth, abs=0.002)


def test_ns3s_filter_begins_at_zero(make):
    results = []
    for kind in (KIND, NS3):
        tcp = make(kind)
        tcp.Ack(1)
        acks(tcp, 0, 200, RTT_S / 40)
        results.append(estimate(tcp))
    assert results[0] == pytest.approx(40, abs=0.01)
    assert results[1] < 20


@pytest.mark.parametrize(("linux", "counted"), [(False, 41), (True, 71)])
def test_a_segment_counts_once_whatever_reports_it(make, linux, counted):
    """Of 41 segments that an ACK acknowledges, duplicate ACKs had reported 30.

    Linux counts these once more, when the ACK that ends the recovery comes, but not when one
    acknowledges a part of them.
    """
    tcp = make(Alpha=0, AsLinux=linux)
    tcp.Ack(1)
    now = acks(tcp, 0, 40, RTT_S / 40)
    for i in range(30):
        tcp.WaitUntil(now + (i + 1) * RTT_S / 100)
        tcp.DuplicateAck()
    tcp.WaitUntil(now + RTT_S)
    tcp.Ack(41)
    assert estimate(tcp) == pytest.approx((40 + counted) / 2, abs=0.01)


def test_as_linux_a_partial_ack_counts_once(make):
    """Duplicate ACKs reported 30 segments; an ACK of 10 of them and a hole counts the hole."""
    samples = []
    for linux in (False, True):
        tcp = make(Alpha=0, AsLinux=linux)
        tcp.Ack(1)
        now = acks(tcp, 0, 40, RTT_S / 40)
        for i in range(30):
            tcp.WaitUntil(now + (i + 1) * RTT_S / 100)
            tcp.DuplicateAck()
        tcp.WaitUntil(now + RTT_S)
        tcp.Ack(11)
        samples.append(estimate(tcp))
    assert samples[0] == samples[1] == pytest.approx((40 + 31) / 2, abs=0.01)


def test_the_threshold_takes_the_smallest_round_trip_not_the_smallest_smoothed_one(make):
    tcp = make()
    tcp.Ack(1)
    acks(tcp, 0, 400, RTT_S / 40)
    tcp.SetLastRtt(RTT_S / 2)
    tcp.Ack(1)
    tcp.SetLastRtt(RTT_S)
    assert estimate(tcp) == pytest.approx(20, rel=0.01)


def test_without_a_sample_two_segments(make):
    tcp = make()
    tcp.Timeout(7)
    assert tcp.Threshold() == 2
    assert tcp.Window() == 1


def test_it_grows_as_newreno(make):
    tcp = make(window=600, threshold=2)
    for _ in range(600):
        tcp.Ack(1)
    assert tcp.Window() == pytest.approx(601, abs=0.002)
