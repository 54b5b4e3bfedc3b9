"""A congestion control and the socket state that it works on, without a socket.

The order of calls is that of ns-3.44's TcpSocketBase: ReceivedAck, EnterRecovery, ReTxTimeout.
"""

from longfat.engines.ns3 import bindings

CODE = """
namespace longfat_cc_test
{
using State = ns3::TcpSocketState;

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
        tcb->m_segmentSize = 1000;
        tcb->m_isCwndLimited = true;
        tcb->m_initialSsThresh = 0xffffffff;
        ops->Init(tcb);
    }

    /// Window and threshold in segments; all of the window is in flight.
    void Set(double window, double threshold)
    {
        tcb->m_cWnd = window * tcb->m_segmentSize;
        tcb->m_ssThresh = std::min(threshold * tcb->m_segmentSize, 4294967295.0);
        Fill(window);
    }

    /// So many segments are sent and not acknowledged.
    void Fill(double segments)
    {
        tcb->m_highTxMark = tcb->m_lastAckedSeq + int(segments * tcb->m_segmentSize);
        tcb->m_bytesInFlight = segments * tcb->m_segmentSize;
    }

    void LimitByWindow(bool limited)
    {
        tcb->m_isCwndLimited = limited;
    }

    void WaitUntil(double timeS)
    {
        ns3::Simulator::Stop(ns3::Seconds(timeS) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    void SetRtt(double rttS)
    {
        tcb->m_lastRtt = ns3::Seconds(rttS);
        tcb->m_srtt = ns3::Seconds(rttS);
        if (ns3::Seconds(rttS) < tcb->m_minRtt)
        {
            tcb->m_minRtt = ns3::Seconds(rttS);
        }
    }

    /// The last round trip alone: smoothed and smallest stay.
    void SetLastRtt(double rttS)
    {
        tcb->m_lastRtt = ns3::Seconds(rttS);
    }

    /// An ACK for so many segments, of which that many had not been reported before; the window
    /// stays in flight.
    void Ack(uint32_t segments)
    {
        tcb->m_lastAckedSeq += int(segments * tcb->m_segmentSize);
        tcb->m_highTxMark = tcb->m_lastAckedSeq + int(tcb->m_bytesInFlight.Get());
        tcb->m_lastAckedSackedBytes = segments * tcb->m_segmentSize;
        ops->PktsAcked(tcb, segments, tcb->m_srtt);
        if (tcb->m_congState == State::CA_OPEN || tcb->m_congState == State::CA_LOSS)
        {
            ops->IncreaseWindow(tcb, segments);
        }
    }

    void DuplicateAck()
    {
        tcb->m_lastAckedSackedBytes = tcb->m_segmentSize;
        ops->PktsAcked(tcb, 1, tcb->m_srtt);
    }

    void SetState(int state)
    {
        ops->CongestionStateSet(tcb, static_cast<State::TcpCongState_t>(state));
        tcb->m_congState = static_cast<State::TcpCongState_t>(state);
    }

    /// The third duplicate ACK, where the socket halves at once; `inFlight` is its pipe.
    void EnterRecovery(double inFlight)
    {
        SetState(State::CA_RECOVERY);
        tcb->m_ssThresh = ops->GetSsThresh(tcb, inFlight * tcb->m_segmentSize);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
    }

    /// The ACK that ends it acknowledges so many segments, of which one was not reported before.
    void EndRecovery(uint32_t segments)
    {
        tcb->m_lastAckedSeq += int(segments * tcb->m_segmentSize);
        tcb->m_lastAckedSackedBytes = tcb->m_segmentSize;
        ops->PktsAcked(tcb, segments, tcb->m_srtt);
        ops->CwndEvent(tcb, State::CA_EVENT_COMPLETE_CWR);
        SetState(State::CA_OPEN);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        ops->IncreaseWindow(tcb, segments);
    }

    void Timeout(double inFlight)
    {
        tcb->m_ssThresh = ops->GetSsThresh(tcb, inFlight * tcb->m_segmentSize);
        ops->CwndEvent(tcb, State::CA_EVENT_LOSS);
        SetState(State::CA_LOSS);
        tcb->m_cWnd = tcb->m_segmentSize;
    }

    double Window() const
    {
        return double(tcb->m_cWnd.Get()) / tcb->m_segmentSize;
    }

    double Threshold() const
    {
        return double(tcb->m_ssThresh.Get()) / tcb->m_segmentSize;
    }

    ns3::Ptr<State> tcb{ns3::CreateObject<State>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""


def load():
    """Compile the driver once; return a function that makes one, of segments of 1000 bytes."""
    bindings.load()
    import cppyy

    if not hasattr(cppyy.gbl, "longfat_cc_test"):
        cppyy.cppdef(CODE)

    def make(kind, window=10, threshold=2, **attributes):
        cppyy.gbl.ns3.Simulator.Destroy()  # time begins at 0
        text = {name: str(value).lower() for name, value in attributes.items()}
        driver = cppyy.gbl.longfat_cc_test.Driver(kind, text)
        driver.Set(window, threshold)
        return driver

    return make
