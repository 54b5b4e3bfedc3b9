// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: a timeout of more than 60 s gets shorter when it backs off.
//
// RFC 6298, section 5 (5.5): RTO is doubled; a maximum of 60 s or more may bound it (2.5).
// ReTxTimeout bounds twice the timeout by 60 s, but EstimateRtt bounds nothing: a round trip of 42
// s asks for 126 s, of which the first back-off makes 60 s. No network is needed.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    void Open()
    {
        m_state = ESTABLISHED;
        m_tcb->m_segmentSize = 1000;
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        SetRtt(CreateObject<RttMeanDeviation>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_txBuffer->Add(Create<Packet>(10'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = SequenceNumber32(10'001);
    }

    /// After that round trip, and an expired timer.
    double GetBackedOffS(Time roundTrip)
    {
        m_rtt->Measurement(roundTrip);
        m_rto = m_rtt->GetEstimate() + m_rtt->GetVariation() * 4;
        m_dataRetrCount = 6;
        ReTxTimeout();
        return m_rto.Get().GetSeconds();
    }

    uint32_t SendDataPacket(SequenceNumber32, uint32_t size, bool) override
    {
        return size; // there is no network
    }
};

int
main()
{
    auto sender = CreateObject<Sender>();
    sender->Open();
    const double timeoutS = sender->GetBackedOffS(Seconds(42));
    std::cout << "timeout of 126 s after its first back-off\n"
              << "expected 126 s at least, observed " << timeoutS << " s" << std::endl;
    Simulator::Destroy();
    return timeoutS < 126;
}
