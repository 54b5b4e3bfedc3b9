// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: an ECN echo on an ACK that does not advance is ignored.
//
// RFC 3168, section 6.1.2: the sender reduces its window when it gets an ACK packet with ECE set,
// whatever it acknowledges. ReceivedAck asks for ackNumber > oldHeadSequence. The receiver goes on
// echoing until CWR comes; but while a segment is missing, all ACKs are duplicates. The socket gets
// such ACKs here without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// Ten segments are outstanding, and one is acknowledged again, with ECE.
    bool DoesReduce()
    {
        m_state = ESTABLISHED;
        m_sackEnabled = false;
        m_limitedTx = false;
        m_tcb->m_segmentSize = 1000;
        m_tcb->m_ssThresh = 10'000;
        m_tcb->m_cWnd = 10'000;
        m_tcb->m_ecnState = TcpSocketState::ECN_IDLE;
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_rWnd = 100'000;
        m_txBuffer->Add(Create<Packet>(10'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = SequenceNumber32(10'001);
        TcpHeader ack;
        ack.SetAckNumber(SequenceNumber32(1));
        ack.SetFlags(TcpHeader::ACK | TcpHeader::ECE);
        ReceivedAck(Create<Packet>(), ack);
        return m_tcb->m_ssThresh < 10'000;
    }
};

int
main()
{
    const bool reduces = CreateObject<Sender>()->DoesReduce();

    std::cout << "a duplicate ACK with ECE, ten segments outstanding\n"
              << "expected a smaller threshold, observed " << (reduces ? "one" : "none")
              << std::endl;
    return !reduces;
}
