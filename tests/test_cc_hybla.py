"""TCP Hybla's class, driven ACK by ACK against equation (1); and why ns-3's own will not do."""

import math

import pytest

from longfat.engines.ns3 import bindings

pytestmark = pytest.mark.ns3

SEGMENT = 1000
RTT = 0.55


DRIVER = """
namespace longfat_test
{
/// A congestion control and the socket state that it works on, without a socket.
struct Driver
{
    Driver(const std::string& type, const std::map<std::string, std::string>& attributes)
    {
        ns3::ObjectFactory factory(type);
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, ns3::StringValue(value));
        }
        ops = factory.Create<ns3::TcpCongestionOps>();
    }

    void Set(uint32_t window, uint32_t threshold, double rttS)
    {
        tcb->m_segmentSize = 1000;
        tcb->m_cWnd = window;
        tcb->m_ssThresh = threshold;
        tcb->m_minRtt = ns3::Seconds(rttS);
    }

    uint32_t Ack(uint32_t segments)
    {
        ops->PktsAcked(tcb, segments, tcb->m_minRtt);
        ops->IncreaseWindow(tcb, segments);
        return tcb->m_cWnd;
    }

    uint32_t Open()
    {
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_OPEN);
        return tcb->m_cWnd;
    }

    uint32_t SsThresh(uint32_t bytesInFlight)
    {
        return ops->GetSsThresh(tcb, bytesInFlight);
    }

    ns3::Ptr<ns3::TcpSocketState> tcb{ns3::CreateObject<ns3::TcpSocketState>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""


@pytest.fixture(scope="module")
def driver():
    """Make a congestion control with a socket state of so many segments."""
    bindings.load()
    import cppyy

    cppyy.cppdef(DRIVER)

    def make(window, threshold, rtt0=0.025, max_window=550, rtt=RTT, kind="longfat::TcpHybla"):
        attributes = {"Rtt0": f"{rtt0}s", "MaxWindow": str(max_window)}
        if kind == "ns3::TcpHybla":
            attributes = {"RRTT": f"{rtt0}s"}
        made = cppyy.gbl.longfat_test.Driver(kind, attributes)
        made.Set(round(window * SEGMENT), min(round(threshold * SEGMENT), 2**32 - 1), rtt)
        return made

    return make


@pytest.mark.parametrize("rtt0", [0.55, 0.275, 0.1, 0.025])
def test_congestion_avoidance_follows_equation_1(driver, rtt0):
    """2000 ACKs, each adding rho^2 / W: the fraction of a byte is carried, not lost."""
    hybla = driver(window=100, threshold=50, rtt0=rtt0, max_window=10**6)
    expected = 100.0
    for _ in range(2000):
        expected += (RTT / rtt0) ** 2 / expected
        assert hybla.Ack(1) == pytest.approx(expected * SEGMENT, abs=2)


@pytest.mark.parametrize("rtt0", [0.55, 0.275, 0.11])
def test_slow_start_follows_equation_1_up_to_the_threshold(driver, rtt0):
    rho = RTT / rtt0
    hybla = driver(window=rho, threshold=400, rtt0=rtt0)
    expected = rho
    while expected < 400:
        expected = min(expected + 2**rho - 1, 400)
        assert hybla.Ack(1) == pytest.approx(expected * SEGMENT, abs=2)


def test_a_shorter_round_trip_changes_both_increments(driver):
    """The smallest round trip may fall at any ACK, and rho with it."""
    hybla = driver(window=100, threshold=50, rtt0=0.1)
    for window, threshold in ((100, 50), (100, 400)):
        for rtt in (0.55, 0.3, 0.2):
            hybla.Set(window * SEGMENT, threshold * SEGMENT, rtt)
            rho = rtt / 0.1
            increment = rho**2 / window if window > threshold else 2**rho - 1
            assert hybla.Ack(1) == pytest.approx((window + increment) * SEGMENT, abs=2)


def test_the_window_never_passes_its_maximum_at_rho_22(driver):
    slow_start = driver(window=22, threshold=10**6)
    avoidance = driver(window=540, threshold=100)
    assert [slow_start.Ack(1) for _ in range(100)] == [550 * SEGMENT] * 100
    assert max(avoidance.Ack(1) for _ in range(100)) == 550 * SEGMENT


def test_ns3s_own_class_overflows_at_rho_22(driver):
    """Two increments of 2^22 - 1 segments do not fit 32 bits of bytes: the window shrinks."""
    theirs = driver(window=22, threshold=10**7, kind="ns3::TcpHybla")
    first, second = theirs.Ack(1), theirs.Ack(1)
    assert first == (22 + 2**22 - 1) * SEGMENT
    assert second == (22 + 2 * (2**22 - 1)) * SEGMENT - 2**32


def test_the_first_window_is_rho(driver):
    assert driver(window=1, threshold=10**6).Open() == pytest.approx(22 * SEGMENT, abs=1)
    assert driver(window=1, threshold=10**6, rtt=0.01).Open() == SEGMENT


def test_a_path_shorter_than_the_reference_is_reno(driver):
    hybla = driver(window=50, threshold=10, rtt=0.01)
    assert hybla.Ack(1) == pytest.approx((50 + 1 / 50) * SEGMENT, abs=1)


def test_a_loss_halves_the_window_down_to_two_segments(driver):
    assert driver(window=301, threshold=550).SsThresh(200 * SEGMENT) == 301 * SEGMENT // 2
    assert driver(window=3, threshold=550).SsThresh(3 * SEGMENT) == 2 * SEGMENT


def test_an_ack_for_many_segments_is_one_ack(driver):
    """ns-3 reports a whole recovered window at the end of recovery: it earns one increment."""
    hybla = driver(window=200, threshold=100)
    assert hybla.Ack(400) == pytest.approx((200 + 22**2 / 200) * SEGMENT, abs=1)
    assert hybla.Ack(0) == pytest.approx((200 + 22**2 / 200) * SEGMENT, abs=1)


def test_growth_per_round_trip_is_rho_squared(driver):
    """W ACKs raise the window from W to the root of W^2 + 2 rho^2 W: about rho^2 for W >> rho^2."""
    hybla = driver(window=20_000, threshold=10, max_window=10**6)
    for _ in range(20_000):
        after = hybla.Ack(1) / SEGMENT
    assert after == pytest.approx(math.sqrt(20_000**2 + 2 * 22**2 * 20_000), rel=1e-4)
    assert after - 20_000 == pytest.approx(22**2, rel=0.02)
