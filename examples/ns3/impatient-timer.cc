// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: with SACK too, only the first partial ACK of a recovery restarts the timer.
//
// RFC 6298, section 5 (5.3): an ACK of new data restarts the timer. RFC 6582, section 4, allows the
// impatient variant, for senders without SACK. ProcessAck passes m_isFirstPartialAck to NewAck for
// all. Over a satellite with a round trip of 0.55 s and a timeout of 1 s, whatever takes a recovery
// into its third round trip ends in a timeout. The socket gets its ACKs here without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// Partial ACKs at 0 s and at 0.5 s: how long is left of the timeout after the second?
    Time GetDelayLeft()
    {
        m_state = ESTABLISHED;
        m_tcb->m_segmentSize = 1000;
        m_tcb->m_ssThresh = m_tcb->m_cWnd = 10'000;
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        SetRtt(CreateObject<RttMeanDeviation>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_rWnd = 100'000;
        m_txBuffer->Add(Create<Packet>(10'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = m_recover = SequenceNumber32(10'001);
        m_tcb->m_congState = TcpSocketState::CA_RECOVERY;
        TcpHeader ack;
        ack.SetFlags(TcpHeader::ACK);
        ack.SetAckNumber(SequenceNumber32(2001));
        ReceivedAck(Create<Packet>(), ack);
        Simulator::Stop(Seconds(0.5));
        Simulator::Run();
        ack.SetAckNumber(SequenceNumber32(3001));
        ReceivedAck(Create<Packet>(), ack);
        return m_rto.Get() - Simulator::GetDelayLeft(m_retxEvent);
    }

    uint32_t SendDataPacket(SequenceNumber32, uint32_t size, bool) override
    {
        return size; // there is no network
    }
};

int
main()
{
    const Time running = CreateObject<Sender>()->GetDelayLeft();
    std::cout << "how long the timer has run after the second partial ACK, 0.5 s after the first\n"
              << "expected 0 s, observed " << running.As(Time::S) << std::endl;
    return !running.IsZero();
}
