"""Standard TCP, HSTCP and Scalable TCP, driven ACK by ACK against the survey's equations; FAST TCP
round trip by round trip; and where ns-3's own classes part from them."""

import math

import pytest

from longfat.engines.ns3 import bindings
from longfat.papers import survey

pytestmark = pytest.mark.ns3

SEGMENT = 1448

DRIVER = """
namespace aimd_test
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
        tcb->m_segmentSize = 1448;
        tcb->m_isCwndLimited = true;
    }

    void Set(double window, double threshold)
    {
        tcb->m_cWnd = window * tcb->m_segmentSize;
        tcb->m_ssThresh = std::min(threshold * tcb->m_segmentSize, 4294967295.0);
    }

    void Limit(bool byWindow)
    {
        tcb->m_isCwndLimited = byWindow;
    }

    void Ack(uint32_t segments)
    {
        ops->IncreaseWindow(tcb, segments);
    }

    /// As many ACKs as the window has segments, one segment each.
    double RoundTrip()
    {
        const uint32_t acks = tcb->m_cWnd.Get() / tcb->m_segmentSize;
        for (uint32_t i = 0; i < acks; ++i)
        {
            ops->IncreaseWindow(tcb, 1);
        }
        return GetWindow();
    }

    /// An ACK at that time with that round trip.
    void AckAt(double timeS, double rttS)
    {
        ns3::Simulator::Stop(ns3::Seconds(timeS) - ns3::Simulator::Now());
        ns3::Simulator::Run();
        tcb->m_lastRtt = ns3::Seconds(rttS);
        ops->PktsAcked(tcb, 1, ns3::Seconds(rttS));
        ops->IncreaseWindow(tcb, 1);
    }

    double GetWindow() const
    {
        return double(tcb->m_cWnd.Get()) / tcb->m_segmentSize;
    }

    /// The window after a loss that finds it all in flight.
    double Loss()
    {
        return double(ops->GetSsThresh(tcb, tcb->m_cWnd)) / tcb->m_segmentSize;
    }

    ns3::Ptr<ns3::TcpSocketState> tcb{ns3::CreateObject<ns3::TcpSocketState>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""

STANDARD, HIGHSPEED, SCALABLE = (
    f"longfat::Tcp{name}" for name in ("Standard", "HighSpeed", "Scalable")
)


@pytest.fixture(scope="module")
def make():
    """Make a congestion control with a socket state of so many segments."""
    bindings.load()
    import cppyy

    cppyy.cppdef(DRIVER)

    def make(kind, window, threshold=2, **attributes):
        made = cppyy.gbl.aimd_test.Driver(kind, {k: str(v) for k, v in attributes.items()})
        made.Set(window, threshold)
        return made

    yield make
    cppyy.gbl.ns3.Simulator.Destroy()


def increase(kind, w):
    """a(w) by the theory."""
    if kind == STANDARD:
        return 1.0
    return float(survey.highspeed_increase(w)) if kind == HIGHSPEED else 0.01 * w


def decrease(kind, w):
    if kind == STANDARD:
        return 0.5
    return float(survey.highspeed_decrease(w)) if kind == HIGHSPEED else 0.125


@pytest.mark.parametrize("kind", [STANDARD, HIGHSPEED, SCALABLE])
@pytest.mark.parametrize("window", [50, 400, 3000])
def test_an_ack_adds_a_over_w(make, kind, window):
    """500 ACKs: the fraction of a byte is carried, not lost."""
    tcp = make(kind, window)
    expected = float(window)
    for _ in range(500):
        expected += increase(kind, expected) / expected
        tcp.Ack(1)
        assert tcp.GetWindow() == pytest.approx(expected, abs=2 / SEGMENT)


@pytest.mark.parametrize("kind", [STANDARD, HIGHSPEED, SCALABLE])
@pytest.mark.parametrize("window", [17, 39, 400, 3000, 80_000])
def test_a_loss_takes_away_b(make, kind, window):
    expected = 0.5 if window <= 38 and kind == HIGHSPEED else decrease(kind, window)
    assert make(kind, window).Loss() == pytest.approx(window * (1 - expected), abs=1 / SEGMENT)


@pytest.mark.parametrize(("kind", "low"), [(HIGHSPEED, 38), (SCALABLE, 16)])
def test_small_windows_are_those_of_standard_tcp(make, kind, low):
    tcp, standard = make(kind, low - 3), make(STANDARD, low - 3)
    for _ in range(3):
        assert tcp.RoundTrip() == standard.RoundTrip()
    assert make(kind, low).Loss() == low / 2
    assert make(kind, 2).Loss() == 2


@pytest.mark.parametrize("kind", [STANDARD, HIGHSPEED, SCALABLE])
def test_slow_start_doubles_the_window_up_to_the_threshold(make, kind):
    tcp = make(kind, 10, threshold=45)
    assert [tcp.RoundTrip() for _ in range(2)] == [20, 40]
    tcp.RoundTrip()
    assert 45 <= tcp.GetWindow() < 46.5


@pytest.mark.parametrize("kind", [STANDARD, HIGHSPEED, SCALABLE])
def test_limited_slow_start_adds_half_of_max_ssthresh_a_round_trip(make, kind):
    """RFC 3742: K = int(cwnd / (max_ssthresh / 2)) grows within the round trip."""
    tcp = make(kind, 50, threshold=10**6, MaxSsThresh=100)
    assert tcp.RoundTrip() == 100
    expected = 100.0
    for _ in range(20):
        for _ in range(int(expected)):
            expected += 1 if expected <= 100 else 1 / int(expected / 50)
        assert tcp.RoundTrip() == pytest.approx(expected, abs=0.01)
    assert 20 * 45 < expected - 100 < 20 * 51


def test_an_ack_for_many_segments_is_one_ack(make):
    tcp = make(SCALABLE, 400)
    tcp.Ack(300)
    assert tcp.GetWindow() == pytest.approx(400.01, abs=1 / SEGMENT)
    tcp.Ack(0)
    assert tcp.GetWindow() == pytest.approx(400.01, abs=1 / SEGMENT)


@pytest.mark.parametrize("kind", [STANDARD, HIGHSPEED, SCALABLE])
def test_a_window_that_a_buffer_keeps_from_filling_does_not_grow(make, kind):
    tcp = make(kind, 400)
    tcp.Limit(False)
    assert tcp.RoundTrip() == 400


def test_the_largest_window(make):
    assert make(SCALABLE, 99.9, MaxWindow=100).RoundTrip() == 100


def test_ns3s_standard_tcp_grows_too_fast_beyond_a_window_of_mss_segments(make):
    """It adds whole bytes, at least one an ACK: 3000 segments grow by 3000 bytes, not by 1448."""
    theirs, ours = make("ns3::TcpNewReno", 3000), make(STANDARD, 3000)
    assert ours.RoundTrip() - 3000 == pytest.approx(1, abs=2 / SEGMENT)
    assert theirs.RoundTrip() - 3000 == pytest.approx(3000 / SEGMENT, abs=2 / SEGMENT)
    # and too slowly below it: of 1.448 bytes an ACK it adds one.
    assert make("ns3::TcpNewReno", 1000).RoundTrip() - 1000 == pytest.approx(1000 / 1448, abs=0.01)


def test_ns3s_highspeed_tcp_takes_the_next_higher_row_of_the_rfcs_table(make):
    import cppyy

    theirs = cppyy.gbl.ns3.TcpHighSpeed
    rows = survey.rfc3649_table(90_000)
    for row in rows.itertuples():
        if row.w == 53677:  # ns-3 has 53667 there
            assert theirs.TableLookupA(53667) == row.a and theirs.TableLookupA(53668) == row.a + 1
            continue
        assert theirs.TableLookupA(row.w) == row.a
        assert theirs.TableLookupB(row.w) == row.b
    assert theirs.TableLookupA(39) == 2
    assert increase(HIGHSPEED, 39) == pytest.approx(0.98, abs=0.01)
    grown = make("ns3::TcpHighSpeed", 60)
    for _ in range(61):
        grown.Ack(1)
    assert grown.GetWindow() == 62  # by 2 a round trip
    excess = [theirs.TableLookupA(w) - increase(HIGHSPEED, w) for w in range(39, 5000)]
    # The RFC rounds p(w), which takes 2.5 % off a(w); the row that is next higher adds more.
    assert max(excess) < 1.03
    assert sum(excess[:200]) / 200 > 0.3
    assert min(excess) > -0.025 * 20


def test_ns3s_scalable_tcp_grows_twice_as_fast_as_specified(make):
    theirs, ours = make("ns3::TcpScalable", 1000), make(SCALABLE, 1000)
    assert ours.RoundTrip() == pytest.approx(1010, abs=0.1)
    assert theirs.RoundTrip() == 1020
    # Standard TCP's growth below 50 segments, and yet the decrease of an eighth.
    assert make("ns3::TcpScalable", 20).RoundTrip() == 21
    assert make("ns3::TcpScalable", 20).Loss() == 17


@pytest.fixture
def fast(make):
    def make_fast(window, **attributes):
        import cppyy

        cppyy.gbl.ns3.Simulator.Destroy()
        return make("longfat::TcpFast", window, **attributes)

    return make_fast


def test_fast_tcp_follows_equation_37_every_other_round_trip(fast):
    tcp = fast(1000, Alpha=200)
    tcp.AckAt(0.1, 0.1)
    window = 1000 + 0.5 * 200
    assert tcp.GetWindow() == pytest.approx(window, abs=1 / SEGMENT)
    tcp.AckAt(0.2, 0.1)  # one round trip later: nothing
    assert tcp.GetWindow() == pytest.approx(window, abs=1 / SEGMENT)
    tcp.AckAt(0.4, 0.11)
    mean = 0.1 + 0.01 * 3 / window  # a new round trip weighs 3 / w
    given = {"w_i": window, "D": 0.1, "q": mean - 0.1, "alpha": 200, "gamma": 0.5}
    expected = survey.EQ.calculate((37,), **given)["w_{i+1}"]
    assert tcp.GetWindow() == pytest.approx(float(expected), rel=1e-5)


def test_fast_tcp_at_most_doubles(fast):
    tcp = fast(10, Alpha=200)
    tcp.AckAt(0.1, 0.1)
    assert tcp.GetWindow() == 20


def test_fast_tcp_comes_to_its_equilibrium(fast):
    """On a link of 10 000 segments/s: 1000 in the pipe, and alpha in the queue."""
    tcp = fast(500, Alpha=50)
    time = 0.0
    for _ in range(200):
        rtt = max(0.1, tcp.GetWindow() / 10_000)
        for _ in range(1000):
            time += rtt / 1000
            tcp.AckAt(time, rtt)
    assert tcp.GetWindow() == pytest.approx(1050, rel=0.002)
    assert math.isclose(tcp.Loss(), tcp.GetWindow() / 2, rel_tol=1e-3)


@pytest.mark.parametrize(
    ("window", "increase", "in_256ths"),
    [(38, 1, 128), (39, 2, 112), (119, 3, 104), (2000, 12, 74), (5000, 20, 62), (80000, 71, 25)],
)
def test_as_linux_highspeed_goes_by_a_table(make, window, increase, in_256ths):
    """Rows of Linux 6.12's tcp_highspeed.c, which stands for a(w) and b(w) between two of them."""
    tcp = make(HIGHSPEED, window, AsLinux="true")
    assert tcp.Loss() == pytest.approx(window * (1 - in_256ths / 256), abs=1e-3)
    tcp.Ack(1)
    assert tcp.GetWindow() - window == pytest.approx(increase / window, abs=1 / SEGMENT)
