// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: a cumulative ACK that reports something does not end the count of duplicate ACKs.
//
// RFC 6675, section 5: an ACK that advances MUST set DupAcks to zero; if it reports by SACK as well
// it then counts as the first. Where segments overtake each other, here by one or two places, the
// third such ACK begins a recovery although nothing is lost. No network is needed.

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
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_txBuffer->Add(Create<Packet>(10'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = SequenceNumber32(10'001);
    }

    /// That ACK arrives, and reports the segment that begins there.
    void Receive(uint32_t number, uint32_t reported)
    {
        auto sack = CreateObject<TcpOptionSack>();
        sack->AddSackBlock({SequenceNumber32(reported), SequenceNumber32(reported + 1000)});
        TcpHeader ack;
        ack.SetAckNumber(SequenceNumber32(number));
        ack.SetFlags(TcpHeader::ACK);
        ack.AppendOption(sack);
        ReceivedAck(Create<Packet>(), ack);
    }

    using TcpSocketBase::m_dupAckCount;
};

int
main()
{
    auto sender = CreateObject<Sender>();
    sender->Open();
    sender->Receive(1, 1001);    // the first segment is late
    sender->Receive(2001, 3001); // it has come; now the third is late
    const uint32_t count = sender->m_dupAckCount;
    std::cout << "duplicate ACKs after one that advances and reports\n"
              << "expected 1, observed " << count << std::endl;
    Simulator::Destroy();
    return count != 1;
}
