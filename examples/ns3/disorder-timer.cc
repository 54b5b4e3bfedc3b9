// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: in DISORDER an ACK that advances and reports does not restart the timer.
//
// RFC 6298, section 5 (5.3): an ACK of new data restarts the timer, so that it expires RTO later.
// ProcessAck comes to NewAck only if the state is CA_OPEN by then. Nor is the count of timeouts set
// to zero, or the application told that there is space. No network is needed.

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

    using TcpSocketBase::m_retxEvent;
};

int
main()
{
    auto sender = CreateObject<Sender>();
    double leftS = 0;
    sender->Open();
    sender->m_retxEvent = Simulator::Schedule(Seconds(1), &Simulator::Stop);
    Simulator::Schedule(MilliSeconds(700), &Sender::Receive, sender, 1, 1001);
    Simulator::Schedule(MilliSeconds(800), &Sender::Receive, sender, 2001, 3001);
    Simulator::Schedule(MilliSeconds(900),
                        [&] { leftS = Simulator::GetDelayLeft(sender->m_retxEvent).GetSeconds(); });
    Simulator::Run();
    std::cout << "seconds until the timer expires, 0.1 s after an ACK that advances; RTO is 1 s\n"
              << "expected 0.9, observed " << leftS << std::endl;
    return leftS < 0.8;
}
