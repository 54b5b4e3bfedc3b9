// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: an ECN echo in a recovery reduces the window again, and ends the recovery.
//
// RFC 3168, section 6.1.2: the window is reduced once for a window of data, for a loss or for a
// mark. ReceivedAck calls EnterCwr unless the state is CA_CWR: from CA_RECOVERY (and CA_LOSS) too.
// GetSsThresh is asked a second time, and what is still lost has to wait. The socket gets its ACK
// here without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// A partial ACK with ECE in a recovery; ten segments are outstanding.
    uint32_t GetThreshold()
    {
        m_state = ESTABLISHED;
        m_tcb->m_segmentSize = 1000;
        m_tcb->m_ecnState = TcpSocketState::ECN_IDLE;
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
        m_tcb->m_ssThresh = 10'000; // of 20 segments half
        m_tcb->m_cWnd = 10'000;
        m_tcb->m_congState = TcpSocketState::CA_RECOVERY;
        m_isFirstPartialAck = false;
        TcpHeader ack;
        ack.SetAckNumber(SequenceNumber32(2001));
        ack.SetFlags(TcpHeader::ACK | TcpHeader::ECE);
        ReceivedAck(Create<Packet>(), ack);
        return m_tcb->m_ssThresh;
    }

    uint32_t SendDataPacket(SequenceNumber32, uint32_t size, bool) override
    {
        return size; // there is no network
    }
};

int
main()
{
    const uint32_t threshold = CreateObject<Sender>()->GetThreshold();
    std::cout << "threshold after a partial ACK with ECE in a recovery, 10000 bytes before it\n"
              << "expected 10000 bytes, observed " << threshold << std::endl;
    return threshold != 10'000;
}
