"""Linux's Reno, ACK by ACK, against tcp_slow_start and tcp_cong_avoid_ai in whole segments."""

import pytest
from cc_driver import load

pytestmark = pytest.mark.ns3

KIND, NS3 = "longfat::TcpReno", "ns3::TcpLinuxReno"


@pytest.fixture(scope="module")
def make():
    return load()


def test_every_window_of_segments_opens_it_by_one(make):
    tcp, window, counted = make(KIND, 10), 10, 0
    for i in range(400):
        acked = (1, 2, 1, 3)[i % 4]
        tcp.Ack(acked)
        counted += acked
        window, counted = window + counted // window, counted % window
        assert tcp.Window() == window


def test_slow_start_counts_segments_and_leaves_the_rest_to_congestion_avoidance(make):
    tcp = make(KIND, 10, threshold=16)
    tcp.Ack(2)
    assert tcp.Window() == 12
    tcp.Ack(4 + 16)
    assert tcp.Window() == 17
    ns3 = make(NS3, 12, threshold=16)
    ns3.Ack(4 + 16)
    assert ns3.Window() == 16


def test_a_loss_leaves_half_of_the_window_in_whole_segments(make):
    for window, half in ((20, 10), (21, 10), (3, 2), (2, 2)):
        tcp = make(KIND, window)
        tcp.EnterRecovery(window)
        assert tcp.Threshold() == half
    ns3 = make(NS3, 21)
    ns3.EnterRecovery(21)
    assert ns3.Threshold() == 10.5


def test_the_ack_that_ends_a_recovery_counts_as_what_it_newly_delivers(make):
    """Of 40 segments that it acknowledges, 39 had been reported: c is 1, and 19 more fill it."""
    tcp = make(KIND, 40)
    tcp.EnterRecovery(36)
    tcp.EndRecovery(40)
    assert tcp.Window() == 20
    tcp.Ack(18)
    assert tcp.Window() == 20
    tcp.Ack(1)
    assert tcp.Window() == 21
    ns3 = make(NS3, 40)
    ns3.EnterRecovery(36)
    ns3.EndRecovery(40)
    assert ns3.Window() == 22  # two round trips' growth at once


def test_after_a_timeout_in_a_recovery_an_ack_counts_in_full(make):
    tcp = make(KIND, 40)
    tcp.EnterRecovery(36)
    tcp.Timeout(20)
    tcp.Ack(3)
    assert tcp.Window() == 4


@pytest.mark.parametrize(("kind", "slow_start"), [(KIND, 20), (NS3, 25)])
def test_a_window_that_is_not_used_does_not_grow(make, kind, slow_start):
    """In slow start Linux asks for half of it."""
    avoidance = make(kind, 20)
    avoidance.LimitByWindow(False)
    avoidance.Ack(20)
    assert avoidance.Window() == 20
    for in_flight, window in ((5, slow_start), (6, 25)):
        tcp = make(kind, 20, threshold=100)
        tcp.LimitByWindow(False)
        tcp.Fill(in_flight)
        tcp.Ack(5)
        assert tcp.Window() == window
