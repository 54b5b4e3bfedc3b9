// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: without SACK, a recovery can follow from a recovery.
//
// RFC 6582, section 3.2: three duplicate ACKs begin a recovery only if the ACK covers more than
// recover, since segments sent again needlessly cause such ACKs as well. DupAck is content with
// m_highRxAckMark >= m_recover, all that had been sent. Here they come without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// The ACK that ends a recovery, and three duplicates; more has been sent meanwhile.
    bool BeginsRecovery()
    {
        m_state = ESTABLISHED;
        m_sackEnabled = false;
        m_tcb->m_segmentSize = 1000;
        m_tcb->m_ssThresh = m_tcb->m_cWnd = 10'000;
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        SetRecoveryAlgorithm(CreateObject<TcpPrrRecovery>());
        SetRtt(CreateObject<RttMeanDeviation>());
        m_txBuffer->SetSegmentSize(1000);
        m_txBuffer->SetHeadSequence(SequenceNumber32(1));
        m_rWnd = 100'000;
        m_txBuffer->Add(Create<Packet>(20'000));
        for (uint32_t begin = 1; begin < 20'000; begin += 1000)
        {
            m_txBuffer->CopyFromSequence(1000, SequenceNumber32(begin));
        }
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark = SequenceNumber32(20'001);
        m_recover = m_highRxAckMark = SequenceNumber32(10'001); // ten when the loss was found
        m_tcb->m_congState = TcpSocketState::CA_RECOVERY;
        TcpHeader ack;
        ack.SetAckNumber(m_recover);
        ack.SetFlags(TcpHeader::ACK);
        for (uint32_t i = 0; i < 4; ++i) // the first ends the recovery
        {
            ReceivedAck(Create<Packet>(), ack);
        }
        return m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
    }

    uint32_t SendDataPacket(SequenceNumber32, uint32_t size, bool) override
    {
        return size; // there is no network
    }
};

int
main()
{
    const bool begins = CreateObject<Sender>()->BeginsRecovery();
    std::cout << "the ACK of recover, and three duplicates of it, without SACK\n"
              << "expected no recovery, observed " << (begins ? "one" : "none") << std::endl;
    return begins;
}
