"""NewReno's window, ACK by ACK, against RFC 5681's equations (2) to (4)."""

import pytest
from cc_driver import load

pytestmark = pytest.mark.ns3

KIND = "longfat::TcpNewReno"


@pytest.fixture(scope="module")
def make():
    return load()


@pytest.mark.parametrize("window", [4, 50, 600, 3000])
def test_an_ack_adds_smss_squared_over_cwnd(make, window):
    """Equation (3): the fraction of a byte is carried, not lost."""
    tcp, expected = make(KIND, window), 1000.0 * window
    for _ in range(500):
        tcp.Ack(1)
        expected += 1000 * 1000 / expected
        assert 1000 * tcp.Window() == pytest.approx(expected, abs=1.1)


@pytest.mark.parametrize("window", [600, 3000])
def test_a_round_trip_adds_one_segment_where_ns3_adds_whole_bytes(make, window):
    """ns-3 adds 1 byte an ACK at 600 segments, where (3) has 1.67, and at 3000, where it is 1/3."""
    ours, theirs = make(KIND, window), make("ns3::TcpNewReno", window)
    for _ in range(window):
        ours.Ack(1)
        theirs.Ack(1)
    assert ours.Window() == pytest.approx(window + 1, abs=0.002)
    assert theirs.Window() == pytest.approx(window + window / 1000)


def test_slow_start_adds_smss_an_ack(make):
    tcp = make(KIND, 10, threshold=20)
    for acked in (1, 2, 1, 4):
        tcp.Ack(acked)
    assert tcp.Window() == 14  # equation (2): at most SMSS an ACK
    for _ in range(6):
        tcp.Ack(2)
    assert tcp.Window() == 20
    tcp.Ack(2)
    assert tcp.Window() == 20.05
    tcp.Ack(0)
    assert tcp.Window() == 20.05


@pytest.mark.parametrize("loss", ["EnterRecovery", "Timeout"])
def test_a_loss_halves_flightsize(make, loss):
    """Equation (4): FlightSize has what SACK reports and what is lost, and not what limited
    transmit sent; the window where the application has not filled it."""

    def threshold(kind, window, outstanding, pipe):
        tcp = make(kind, window)
        tcp.Fill(outstanding)
        getattr(tcp, loss)(pipe)
        return tcp.Threshold()

    assert threshold(KIND, 20, outstanding=22, pipe=18) == 10
    assert threshold("ns3::TcpNewReno", 20, outstanding=22, pipe=18) == 9
    assert threshold(KIND, 20, outstanding=12, pipe=8) == 6
    assert threshold(KIND, 3, outstanding=3, pipe=0) == 2


def test_the_ack_that_ends_a_recovery_is_one_ack(make):
    tcp = make(KIND, 20)
    tcp.EnterRecovery(17)
    tcp.EndRecovery(20)
    assert tcp.Window() == 10.1


def test_the_window_does_not_overflow(make):
    tcp = make(KIND, 2_147_483, threshold=10**7)
    for _ in range(10):
        tcp.Ack(1)
    assert 1000 * tcp.Window() == 2**31 - 1
