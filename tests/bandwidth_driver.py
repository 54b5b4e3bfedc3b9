"""A sender's socket state and the events that ns-3's socket would bring to it, without a socket.

The order of calls is that of ns-3.44's TcpSocketBase: ReceivedAck, EnterRecovery, ReTxTimeout.
"""

from longfat.engines.ns3 import bindings

SEGMENT = 1000  # bytes

CODE = """
namespace longfat_bandwidth_test
{
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
        ops->TraceConnectWithoutContext("Bandwidth", ns3::MakeCallback(&Driver::OnBandwidth, this));
        tcb->m_segmentSize = 1000;
    }

    void OnBandwidth(double, double now)
    {
        bandwidth = now;
    }

    void Wait(double s)
    {
        ns3::Simulator::Stop(ns3::Seconds(s));
        ns3::Simulator::Run();
    }

    void Set(double window, double threshold, double rttS)
    {
        tcb->m_cWnd = window * 1000;
        tcb->m_ssThresh = threshold * 1000;
        tcb->m_minRtt = ns3::Seconds(rttS);
    }

    /// An ACK up to that segment, in the open state.
    void Ack(uint32_t segment)
    {
        const uint32_t before = tcb->m_lastAckedSeq.GetValue();
        tcb->m_lastAckedSeq = ns3::SequenceNumber32(segment * 1000);
        const uint32_t count = segment - before / 1000;
        ops->PktsAcked(tcb, count, tcb->m_minRtt);
        ops->IncreaseWindow(tcb, count);
    }

    void DuplicateAck()
    {
        ops->PktsAcked(tcb, 1, tcb->m_minRtt);
    }

    /// The third duplicate ACK, with TcpClassicRecovery.
    void EnterRecovery()
    {
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_RECOVERY);
        tcb->m_congState = ns3::TcpSocketState::CA_RECOVERY;
        tcb->m_ssThresh = ops->GetSsThresh(tcb, 0);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        DuplicateAck();
    }

    /// The ACK that ends the recovery.
    void EndRecovery(uint32_t segment)
    {
        const uint32_t count = segment - tcb->m_lastAckedSeq.GetValue() / 1000;
        tcb->m_lastAckedSeq = ns3::SequenceNumber32(segment * 1000);
        ops->PktsAcked(tcb, count, tcb->m_minRtt);
        ops->CwndEvent(tcb, ns3::TcpSocketState::CA_EVENT_COMPLETE_CWR);
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_OPEN);
        tcb->m_congState = ns3::TcpSocketState::CA_OPEN;
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        ops->IncreaseWindow(tcb, count);
    }

    void Timeout()
    {
        tcb->m_ssThresh = ops->GetSsThresh(tcb, 0);
        ops->CwndEvent(tcb, ns3::TcpSocketState::CA_EVENT_LOSS);
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_LOSS);
        tcb->m_congState = ns3::TcpSocketState::CA_LOSS;
        tcb->m_cWnd = tcb->m_segmentSize;
    }

    void Handoff(bool local, uint64_t announcedBps, uint32_t advertisedWindow)
    {
        dynamic_cast<longfat::HandoffSignal&>(*ns3::PeekPointer(ops))
            .OnHandoff(local, ns3::DataRate(announcedBps), advertisedWindow);
    }

    double Window() const
    {
        return tcb->m_cWnd.Get() / 1000.0;
    }

    double Threshold() const
    {
        return tcb->m_ssThresh.Get() / 1000.0;
    }

    double bandwidth{0}; //!< the last value of the trace, in bit/s
    ns3::Ptr<ns3::TcpSocketState> tcb{ns3::CreateObject<ns3::TcpSocketState>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""


def load():
    """Compile the driver once and return a function that makes one."""
    bindings.load()
    import cppyy

    if not hasattr(cppyy.gbl, "longfat_bandwidth_test"):
        cppyy.cppdef(CODE)

    def make(kind, window=20, threshold=10, rtt_s=0.1, **attributes):
        driver = cppyy.gbl.longfat_bandwidth_test.Driver(kind, attributes)
        driver.Set(window, threshold, rtt_s)
        return driver

    return make


def send_acks(driver, first, count, interval_s, segments=1):
    """Acknowledge `segments` more every `interval_s`, beginning after segment `first`."""
    for i in range(1, count + 1):
        driver.Wait(interval_s)
        driver.Ack(first + i * segments)
    return first + count * segments
