"""General AIMD, the header that experiments start from: its steps, and its entry in itself."""

import pytest

from longfat.cc import catalogue

DRIVER = """
namespace gaimd_test
{
struct Driver
{
    Driver(double increase, double decrease, double window)
    {
        ns3::ObjectFactory factory("longfat::TcpGaimd");
        factory.Set("Increase", ns3::DoubleValue(increase));
        factory.Set("Decrease", ns3::DoubleValue(decrease));
        ops = factory.Create<ns3::TcpCongestionOps>();
        tcb->m_segmentSize = 1000;
        tcb->m_cWnd = 1000 * window;
        tcb->m_ssThresh = 2000;
    }

    uint32_t Ack(uint32_t segments)
    {
        ops->IncreaseWindow(tcb, segments);
        return tcb->m_cWnd;
    }

    uint32_t Loss()
    {
        return ops->GetSsThresh(tcb, 0);
    }

    ns3::Ptr<ns3::TcpSocketState> tcb{ns3::CreateObject<ns3::TcpSocketState>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""


@pytest.fixture(scope="module")
def make(with_ns3):
    """Make a general AIMD with a window of so many segments of 1000 bytes."""
    from longfat.engines.ns3 import bindings

    bindings.load()
    import cppyy

    cppyy.cppdef(DRIVER)
    return cppyy.gbl.gaimd_test.Driver


@pytest.mark.parametrize("increase", [0.3, 1.0, 5.0])
def test_a_round_trip_adds_a_segments(make, increase):
    """2000 ACKs, each adding a / W: fractions of a byte are carried, not lost."""
    flow, window = make(increase, 0.5, 100), 100.0
    for _ in range(2000):
        window += increase / window
        assert flow.Ack(1) == pytest.approx(window * 1000, abs=2)


def test_a_delayed_ack_counts_both_its_segments(make):
    assert make(1.0, 0.5, 100).Ack(2) == pytest.approx(100_020, abs=1)


@pytest.mark.parametrize(("decrease", "left"), [(0.5, 50_000), (0.125, 87_500), (1.0, 2000)])
def test_a_loss_takes_the_part_b_down_to_two_segments(make, decrease, left):
    assert make(1.0, decrease, 100).Loss() == left


def test_it_is_under_eighty_lines_and_declares_itself():
    gaimd = catalogue.find("gaimd")
    assert len(gaimd.header_path.read_text().splitlines()) < 80
    assert catalogue.declared(gaimd.header_path) == ("gaimd", gaimd)
    assert gaimd.parameters["decrease"].default == 0.5
