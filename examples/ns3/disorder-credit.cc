// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: after a reordering, PktsAcked is not told of the segment that has arrived.
//
// PktsAcked is told how many segments an ACK newly delivers. In CA_DISORDER ProcessAck takes the
// duplicate ACKs from that number, which already leaves out what SACK has reported. Here segment 0
// arrives after segment 1; no network is needed.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Recorder : public TcpNewReno
{
    void PktsAcked(Ptr<TcpSocketState>, uint32_t segmentsAcked, const Time&) override
    {
        last = segmentsAcked;
    }

    uint32_t last{0};
};

struct Sender : public TcpSocketBase
{
    void Play(Ptr<Recorder> recorder)
    {
        m_tcb->m_segmentSize = 1000;
        SetCongestionControlAlgorithm(recorder);
        SetRtt(CreateObject<RttMeanDeviation>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_txBuffer->Add(Create<Packet>(3000));
        for (const uint32_t begin : {1, 1001, 2001})
        {
            m_rateOps->SkbSent(m_txBuffer->CopyFromSequence(1000, SequenceNumber32(begin)), false);
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = SequenceNumber32(3001);
        TcpHeader ack;
        ack.SetFlags(TcpHeader::ACK);
        TcpHeader duplicate = ack;
        duplicate.SetAckNumber(SequenceNumber32(1));
        auto sack = CreateObject<TcpOptionSack>();
        sack->AddSackBlock({SequenceNumber32(1001), SequenceNumber32(2001)});
        duplicate.AppendOption(sack);
        ReceivedAck(Create<Packet>(), duplicate);
        ack.SetAckNumber(SequenceNumber32(2001));
        ReceivedAck(Create<Packet>(), ack);
    }
};

int
main()
{
    const auto recorder = CreateObject<Recorder>();
    CreateObject<Sender>()->Play(recorder);
    std::cout << "what PktsAcked is told of the ACK of segments 0 and 1, 1 reported before\n"
              << "expected 1, observed " << recorder->last << std::endl;
    return recorder->last != 1;
}
