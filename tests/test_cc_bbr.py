"""BBR, ACK by ACK, against draft-cardwell-iccrg-bbr-congestion-control-00: its model and modes."""

import pytest
from cc_driver import load

from longfat.engines import segment
from longfat.scenario import Flow, Record, Scenario
from longfat.topologies import duplex

pytestmark = pytest.mark.ns3

KIND, NS3 = "longfat::TcpBbr", "ns3::TcpBbr"
RTT_S, RATE_BPS = 0.1, 8e6  # 100 segments of 1000 bytes in flight

CODE = """
namespace longfat_bbr_test
{
/// A path of one rate and round trip: what an ACK tells that finds so many segments in flight.
struct Path
{
    Path(longfat_cc_test::Driver& driver, double rttS)
        : d(driver)
    {
        d.SetRtt(rttS);
        d.tcb->m_initialCWnd = 10;
        d.tcb->m_maxPacingRate = ns3::DataRate("100Gbps");
        d.SetState(0);
    }

    /// An ACK for so many segments, at that rate; the segment was sent when so many bytes had been
    /// delivered.
    void Ack(double timeS, uint32_t segments, double rateBps, double inFlight, uint64_t prior,
             uint32_t lostSegments = 0)
    {
        d.WaitUntil(timeS);
        connection.m_delivered += 1000 * segments;
        ns3::TcpRateOps::TcpRateSample sample;
        sample.m_deliveryRate = ns3::DataRate(static_cast<uint64_t>(rateBps));
        sample.m_interval = ns3::MilliSeconds(100);
        sample.m_delivered = 1000 * segments;
        sample.m_priorDelivered = prior;
        sample.m_priorInFlight = 1000 * (inFlight + segments);
        sample.m_ackedSacked = 1000 * segments;
        sample.m_bytesLoss = 1000 * lostSegments;
        d.tcb->m_bytesInFlight = 1000 * inFlight;
        d.tcb->m_lastAckedSackedBytes = 1000 * segments;
        d.ops->CongControl(d.tcb, connection, sample);
    }

    /// The ACK that ends a recovery: the socket sets the window to ssthresh.
    void EndRecovery()
    {
        d.ops->CwndEvent(d.tcb, ns3::TcpSocketState::CA_EVENT_COMPLETE_CWR);
        d.SetState(0);
        d.tcb->m_cWnd = d.tcb->m_ssThresh.Get();
    }

    double PacingBps() const
    {
        return d.tcb->m_pacingRate.Get().GetBitRate();
    }

    longfat_cc_test::Driver& d;
    ns3::TcpRateOps::TcpRateConnection connection;
};
}
"""


@pytest.fixture(scope="module")
def make():
    driver = load()
    import cppyy

    if not hasattr(cppyy.gbl, "longfat_bbr_test"):  # of another file in this process
        cppyy.cppdef(CODE)
    alive = []  # paths refer to them

    def make(kind=KIND, **attributes):
        tcp = driver(kind, 10, 10**7, **attributes)
        alive.append(tcp)
        path = cppyy.gbl.longfat_bbr_test.Path(tcp, RTT_S)
        return tcp, path

    return make


def rounds(path, count, rate_bps=RATE_BPS, in_flight=50, start_s=0.0):
    """An ACK a round trip, each for a segment sent at the last one; return when the last came."""
    for i in range(1, count + 1):
        path.Ack(start_s + i * RTT_S, 1, rate_bps, in_flight, path.connection.m_delivered)
    return start_s + count * RTT_S


def gain(path, rate_bps=RATE_BPS):
    return path.PacingBps() / (0.99 * rate_bps)


def test_the_first_rate_is_that_of_the_first_window(make):
    """4.2.1.1, with the margin that ns-3 leaves out."""
    nominal_bps = 10 * 8000 / RTT_S
    assert make()[1].PacingBps() == pytest.approx(2.89 * 0.99 * nominal_bps, rel=1e-6)
    assert make(NS3)[1].PacingBps() == pytest.approx(2.89 * nominal_bps, rel=1e-6)


def test_startup_ends_after_three_round_trips_without_growth_and_drain_empties_the_queue(make):
    _, path = make()
    for i, rate in enumerate((1e6, 2e6, 4e6, 8e6)):
        path.Ack((i + 1) * RTT_S, 1, rate, 150, path.connection.m_delivered)
        assert gain(path, rate) == pytest.approx(2.89, rel=1e-5)
    now = rounds(path, 2, in_flight=150, start_s=0.4)
    assert gain(path) == pytest.approx(2.89, rel=1e-5)
    now = rounds(path, 1, in_flight=150, start_s=now)
    assert gain(path) == pytest.approx(1 / 2.89, rel=1e-5)
    rounds(path, 1, in_flight=104, start_s=now)  # the path and three segments: 103
    assert gain(path) == pytest.approx(1 / 2.89, rel=1e-5)
    rounds(path, 1, in_flight=103, start_s=now + RTT_S)
    assert round(gain(path), 5) in (0.75, 1, 1.25)


def test_a_round_trip_that_grows_by_a_quarter_starts_the_count_again(make):
    _, path = make()
    now = rounds(path, 3, 1e6, 50)
    now = rounds(path, 3, 1.25e6, 50, now)
    assert gain(path, 1.25e6) == pytest.approx(2.89, rel=1e-5)
    rounds(path, 1, 1.25e6, 50, now)
    assert gain(path, 1.25e6) != pytest.approx(2.89, rel=1e-5)


def test_the_gain_goes_through_its_cycle(make):
    """5/4, 3/4 and six times 1, each a round trip, once all of 5/4 is in flight (4.3.4.3)."""
    _, path = make()
    now, gains = rounds(path, 5, in_flight=50), []
    for i in range(1, 25):
        path.Ack(now + i * 1.01 * RTT_S, 1, RATE_BPS, 130, path.connection.m_delivered)
        gains.append(round(gain(path), 3))
    first = gains.index(1.25)
    assert gains[first : first + 8] == [1.25, 0.75, 1, 1, 1, 1, 1, 1]
    assert gains[first + 8] == 1.25


def test_the_window_is_twice_the_path_and_three_segments(make):
    tcp, path = make()
    now = rounds(path, 6, in_flight=50)
    for i in range(300):
        path.Ack(now + (i + 1) * 0.01, 1, RATE_BPS, 130, path.connection.m_delivered - 1000)
    # Two more segments in the phase of 5/4, and what ACKs were ahead of 8 Mb/s: here one segment.
    assert 203 <= tcp.Window() <= 206


def test_the_largest_rate_of_ten_round_trips_is_kept(make):
    _, path = make()
    now = rounds(path, 5)
    now = rounds(path, 10, RATE_BPS / 2, 50, now)
    assert path.PacingBps() > 0.7 * RATE_BPS
    rounds(path, 2, RATE_BPS / 2, 50, now)
    assert path.PacingBps() < 0.7 * RATE_BPS


def to_probe_rtt(path):
    """Eleven seconds in which no round trip is as small as the first."""
    now = rounds(path, 5)
    path.d.SetLastRtt(RTT_S + 0.01)
    for i in range(1, 110):
        path.Ack(now + i * RTT_S, 1, RATE_BPS, 100, path.connection.m_delivered)
        if path.d.Window() == 4:
            return now + i * RTT_S
    raise AssertionError("RTprop did not grow old")


def test_probe_rtt_sends_four_segments_for_200_ms_and_gives_the_window_back(make):
    tcp, path = make()
    now = to_probe_rtt(path)
    assert now == pytest.approx(10.6, abs=0.01)  # the smallest round trip was measured at 0.5 s
    before = tcp.Window()
    assert before == 4 and gain(path) == pytest.approx(1, rel=1e-5)
    now = rounds(path, 1, in_flight=4, start_s=now)
    now = rounds(path, 2, in_flight=4, start_s=now)  # 200 ms and a round trip
    assert tcp.Window() == 4
    rounds(path, 1, in_flight=4, start_s=now)
    assert tcp.Window() > 50


@pytest.mark.parametrize(("kind", "restarts"), [(KIND, False), (NS3, True)])
def test_after_probe_rtt_the_sender_is_no_longer_application_limited(make, kind, restarts):
    """ns-3's is forever: whenever nothing is in flight, the gain of the phase is lost."""
    import cppyy

    _, path = make(kind)
    now = to_probe_rtt(path)
    now = rounds(path, 14, in_flight=4, start_s=now)
    while gain(path) < 1.2:
        now = rounds(path, 1, in_flight=130, start_s=now + 0.01)
    path.d.ops.CwndEvent(path.d.tcb, cppyy.gbl.ns3.TcpSocketState.CA_EVENT_TX_START)
    assert (round(gain(path), 2) == 1) is restarts


def test_samples_of_probe_rtt_do_not_count_as_the_paths_rate(make):
    """A rate below BtlBw is not entered while the window is kept small (4.3.5)."""
    for kind, entered in ((KIND, False), (NS3, True)):
        _, path = make(kind, **({"ProbeRttTime": "5s"} if kind == KIND else {}))
        if kind == NS3:
            _, path = make(kind, ProbeRttDuration="5s")
        now = to_probe_rtt(path)
        rounds(path, 15, RATE_BPS / 10, 4, now)
        assert (path.PacingBps() < RATE_BPS / 2) is entered


def test_a_recovery_conserves_packets_for_a_round_trip_and_gives_the_window_back(make):
    tcp, path = make()
    now = rounds(path, 30, in_flight=100)
    before = tcp.Window()
    tcp.Fill(60)
    tcp.SetState(3)
    assert tcp.Window() == 61
    # One leaves, one may enter; the first round trip is of segments that were sent before.
    sent = path.connection.m_delivered - 1000
    for i in range(20):
        path.Ack(now + (i + 1) * 0.004, 1, RATE_BPS, 60, sent)
        assert tcp.Window() == 61
    path.Ack(now + 0.09, 1, RATE_BPS, 60, sent, 2)
    assert tcp.Window() == 61
    path.EndRecovery()
    path.Ack(now + 0.12, 1, RATE_BPS, 60, path.connection.m_delivered)
    assert tcp.Window() >= before


@pytest.mark.parametrize(("kind", "is_restored"), [(KIND, True), (NS3, False)])
def test_a_recovery_in_startup_does_not_leave_the_window_at_ssthresh(make, kind, is_restored):
    """ns-3's socket sets it to that, and Startup's is infinite."""
    tcp, path = make(kind)
    path.Ack(0.1, 20, 1e6, 10, 0)
    path.Ack(0.2, 1, 2e6, 10, path.connection.m_delivered)
    tcp.Fill(10)
    tcp.SetState(3)
    path.EndRecovery()
    path.Ack(0.3, 1, 2e6, 10, path.connection.m_delivered)
    assert (tcp.Window() == 32) is is_restored
    assert (tcp.Window() > 1e6) is not is_restored


def test_a_timeout_gives_the_window_back_when_it_is_over(make):
    for kind, given_back in ((KIND, True), (NS3, False)):
        tcp, path = make(kind)
        now = rounds(path, 30, in_flight=100)
        before = tcp.Window()
        tcp.Timeout(0)
        assert tcp.Window() == 1
        path.Ack(now + 1, 1, RATE_BPS, 0, path.connection.m_delivered)
        tcp.SetState(0)
        path.Ack(now + 1.1, 1, RATE_BPS, 4, path.connection.m_delivered)
        assert (tcp.Window() >= before) is given_back


def test_after_a_timeout_what_is_repaired_does_not_count_as_lost(make):
    """The socket's sample calls every change of the bytes held for lost a loss."""
    tcp, path = make()
    now = rounds(path, 30, in_flight=100)
    tcp.Timeout(0)
    for i in range(20):
        path.Ack(now + (i + 1) * RTT_S, 1, RATE_BPS, 4, path.connection.m_delivered, 1)
    assert tcp.Window() >= 20


def test_it_fills_a_link_and_keeps_the_queue_short():
    """20 Mb/s, 40 ms, a buffer of five times the path: CUBIC fills it, BBR does not."""

    def simulate(name):
        result = segment.simulate(
            Scenario(
                links=duplex("a", "b", rate_bps=20e6, delay_s=0.02, queue_packets=500),
                flows=[Flow(source="a", target="b", congestion_control=name, timestamps=False)],
                duration_s=30,
                record=Record(series=("queue_packets",)),
            )
        )
        queue = result.traces["queue_packets"]
        queue = queue[(queue["link"] == "a>b") & (queue["time_s"] > 10)]["queue_packets"]
        return result.flows["goodput_bps"][0] / (20e6 * 1000 / 1054), queue.median()

    goodput, queue = simulate("bbr")
    assert goodput > 0.93
    assert queue < 120  # a path of data is 95 packets
    assert simulate("cubic")[1] > 200
