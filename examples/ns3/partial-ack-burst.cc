// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: with SACK, a partial ACK sends a segment though the window is full.
//
// RFC 6675, section 5, (B) and (C): after a partial ACK segments are sent while the window has room
// beside the pipe. ProcessAck calls DoRetransmit where the new head has not been sent again, in
// whatever state the pipe is; if nothing is lost that sends new data, or the head. Here nine
// segments are in flight, the window is one, and the socket gets its ACK without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// A partial ACK of the first of ten segments, which alone was lost.
    void Play()
    {
        m_state = ESTABLISHED;
        m_tcb->m_segmentSize = m_tcb->m_cWnd = m_tcb->m_ssThresh = 1000;
        SetCongestionControlAlgorithm(CreateObject<TcpBbr>()); // no recovery changes its window
        SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        SetRtt(CreateObject<RttMeanDeviation>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_rWnd = 100'000;
        m_txBuffer->Add(Create<Packet>(20'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = m_recover = SequenceNumber32(10'001);
        m_tcb->m_congState = TcpSocketState::CA_RECOVERY;
        TcpHeader ack;
        ack.SetAckNumber(SequenceNumber32(1001));
        ack.SetFlags(TcpHeader::ACK);
        ReceivedAck(Create<Packet>(), ack);
    }

    uint32_t SendDataPacket(SequenceNumber32, uint32_t size, bool) override
    {
        ++sent;
        return size; // there is no network
    }

    uint32_t sent{0};
};

int
main()
{
    auto sender = CreateObject<Sender>();
    sender->Play();
    std::cout << "segments sent after a partial ACK, nine in flight, the window one segment\n"
              << "expected 0, observed " << sender->sent << std::endl;
    return sender->sent > 0;
}
