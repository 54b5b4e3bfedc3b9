"""Drives a congestion control of the paper ucc ACK by ACK, without a socket."""

from functools import cache

from longfat.engines.ns3 import bindings

SEGMENT = 1000

DRIVER = """
namespace longfat_test
{
/// A congestion control and the socket state that it works on. Windows are in segments.
struct DelayDriver
{
    DelayDriver(const std::string& type, const std::map<std::string, std::string>& attributes)
    {
        ns3::ObjectFactory factory(type);
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, ns3::StringValue(value));
        }
        ops = factory.Create<ns3::TcpCongestionOps>();
        tcb->m_segmentSize = 1000;
        tcb->m_minRtt = ns3::Seconds(0);
    }

    void Set(double window, double threshold)
    {
        tcb->m_cWnd = window * 1000;
        tcb->m_ssThresh = std::min(threshold * 1000, 4e9);
        if (sentBefore == ns3::SequenceNumber32(0)) // the first window is sent
        {
            sentBefore = ns3::SequenceNumber32(tcb->m_cWnd.Get());
            tcb->m_nextTxSequence = sentBefore;
        }
    }

    /// A round trip was measured, on an ACK that advances or not.
    void Measure(double rttS)
    {
        ops->PktsAcked(tcb, 1, ns3::Seconds(rttS));
    }

    /// An ACK of one segment; the sender then fills its window.
    double Ack(double rttS)
    {
        tcb->m_lastAckedSeq += 1000;
        Measure(rttS);
        sentBefore = tcb->m_nextTxSequence.Get();
        ops->IncreaseWindow(tcb, 1);
        tcb->m_nextTxSequence =
            std::max(sentBefore,
                     tcb->m_lastAckedSeq + ns3::SequenceNumber32(tcb->m_cWnd.Get()));
        return Window();
    }

    /// Acknowledge what had been sent when the last ACK came: a round trip. Returns the window.
    double Round(double rttS)
    {
        const ns3::SequenceNumber32 end = sentBefore;
        do
        {
            Ack(rttS);
        } while (tcb->m_lastAckedSeq < end);
        return Window();
    }

    /// Duplicate ACKs reveal a loss: the order of the calls is TcpSocketBase::EnterRecovery's.
    double Recovery()
    {
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_RECOVERY);
        tcb->m_congState = ns3::TcpSocketState::CA_RECOVERY;
        tcb->m_ssThresh = ops->GetSsThresh(tcb, tcb->m_cWnd);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_OPEN);
        tcb->m_congState = ns3::TcpSocketState::CA_OPEN;
        return Window();
    }

    /// The timer expires, as in TcpSocketBase::ReTxTimeout. Returns the new threshold.
    double Timeout(double segmentsInFlight)
    {
        tcb->m_ssThresh = ops->GetSsThresh(tcb, segmentsInFlight * 1000);
        tcb->m_cWnd = 1000;
        ops->CongestionStateSet(tcb, ns3::TcpSocketState::CA_LOSS);
        tcb->m_congState = ns3::TcpSocketState::CA_LOSS;
        return Threshold();
    }

    void OneWayDelay(double sentS, double delayS)
    {
        dynamic_cast<longfat::OneWayDelaySignal*>(ns3::PeekPointer(ops))
            ->OnOneWayDelay(ns3::Seconds(sentS), ns3::Seconds(sentS + delayS));
    }

    double Probability(double delayS)
    {
        return dynamic_cast<longfat::TcpDelayBackOff*>(ns3::PeekPointer(ops))
            ->BackOffProbability(ns3::Seconds(delayS));
    }

    double Shadow()
    {
        return dynamic_cast<longfat::TcpChd*>(ns3::PeekPointer(ops))->GetShadowWindow() / 1000.0;
    }

    double DelayWindow()
    {
        return dynamic_cast<longfat::TcpCompound*>(ns3::PeekPointer(ops))->GetDelayWindow();
    }

    void OnUtilization(double, double now)
    {
        utilization = now;
    }

    void TraceUtilization()
    {
        ops->TraceConnectWithoutContext(
            "Utilization",
            ns3::MakeCallback(&DelayDriver::OnUtilization, this));
    }

    double Window() const
    {
        return tcb->m_cWnd.Get() / 1000.0;
    }

    double Threshold() const
    {
        return tcb->m_ssThresh.Get() / 1000.0;
    }

    double utilization{0};
    ns3::SequenceNumber32 sentBefore{0};
    ns3::Ptr<ns3::TcpSocketState> tcb{ns3::CreateObject<ns3::TcpSocketState>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
};
}
"""


@cache
def _driver():
    bindings.load()
    import cppyy

    cppyy.cppdef(DRIVER)
    return cppyy.gbl.longfat_test.DelayDriver


def load():
    """Return a function that makes a driver: class, window, threshold, attributes."""

    def make(kind, window=100, threshold=10, **attributes):
        driver = _driver()(f"longfat::{kind}", attributes)
        driver.Set(window, threshold)
        return driver

    return make
