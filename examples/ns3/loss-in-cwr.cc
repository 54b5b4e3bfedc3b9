// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: after an ECN echo a lost segment is not sent again before the timer expires.
//
// RFC 5681, section 3.2: three duplicate ACKs begin a fast retransmit, also while the window is
// being reduced for a mark. DupAck goes from CA_OPEN to CA_DISORDER and from there to the recovery;
// in CA_CWR it counts the ACKs and does nothing. Here they come without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// Three duplicate ACKs in CA_CWR; ten segments are outstanding, the first is lost.
    void Play()
    {
        m_state = ESTABLISHED;
        m_sackEnabled = false;
        m_tcb->m_segmentSize = 1000;
        m_tcb->m_ssThresh = m_tcb->m_cWnd = 5000;
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_rWnd = 100'000;
        m_txBuffer->Add(Create<Packet>(10'000));
        m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1));
        m_txBuffer->CopyFromSequence(9000, SequenceNumber32(1001));
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = m_recover = SequenceNumber32(10'001);
        m_highRxAckMark = SequenceNumber32(1);
        m_tcb->m_congState = TcpSocketState::CA_CWR;
        TcpHeader ack;
        ack.SetFlags(TcpHeader::ACK);
        ack.SetAckNumber(m_highRxAckMark);
        ReceivedAck(Create<Packet>(), ack);
        ReceivedAck(Create<Packet>(), ack);
        ReceivedAck(Create<Packet>(), ack);
    }

    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t size, bool) override
    {
        isSentAgain |= seq == SequenceNumber32(1);
        return size;
    }

    bool isSentAgain{false};
};

int
main()
{
    auto sender = CreateObject<Sender>();
    sender->Play();
    std::cout << "three duplicate ACKs while the window is reduced for an ECN echo, no SACK\n"
              << "expected the first segment again, observed "
              << (sender->isSentAgain ? "that" : "nothing") << std::endl;
    return !sender->isSentAgain;
}
