// SPDX-License-Identifier: GPL-2.0-only
//
// A socket of ns-3's whose algorithm may send packets of its own (../../cc/own-packets.h): probes, which
// the socket at the other end answers, and supplement segments; and a queue that drops those of low
// priority first. What ns-3 does with all other packets stays as it is.
//
// TcpSocketBase calls back at ProcessAck, ReTxTimeout, SendDataPacket and BytesInFlight, and that is
// enough: what its DupAck would do is worked out before it is called, since that cannot be replaced.

#ifndef LONGFAT_NS3_OWN_PACKETS_H
#define LONGFAT_NS3_OWN_PACKETS_H

#include "../../cc/own-packets.h"
#include "own-marks.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"

#include <functional>

namespace longfat
{

/// What a packet is that TCP alone would not send.
class OwnTag : public ns3::Tag
{
  public:
    enum Kind : uint8_t
    {
        NONE,
        PROBE,  //!< is answered at once
        ANSWER, //!< to a probe
    };

    OwnTag() = default;

    OwnTag(Kind kind, bool low, uint32_t number, ns3::Time sent)
        : m_kind(kind),
          m_low(low),
          m_number(number),
          m_sent(sent)
    {
    }

    Kind GetKind() const
    {
        return static_cast<Kind>(m_kind);
    }

    /// Whether a queue that is full drops it before others.
    bool IsLow() const
    {
        return m_low;
    }

    /// Of a probe.
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// When the probe was sent, or that which is answered.
    ns3::Time GetSent() const
    {
        return m_sent;
    }

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::OwnTag").SetParent<ns3::Tag>().AddConstructor<OwnTag>();
        return tid;
    }

    ns3::TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 14;
    }

    void Serialize(ns3::TagBuffer buffer) const override
    {
        buffer.WriteU8(m_kind);
        buffer.WriteU8(m_low);
        buffer.WriteU32(m_number);
        buffer.WriteU64(m_sent.GetTimeStep());
    }

    void Deserialize(ns3::TagBuffer buffer) override
    {
        m_kind = buffer.ReadU8();
        m_low = buffer.ReadU8();
        m_number = buffer.ReadU32();
        m_sent = ns3::TimeStep(buffer.ReadU64());
    }

    void Print(std::ostream& out) const override
    {
        out << int(m_kind) << " " << m_number;
    }

  private:
    uint8_t m_kind{NONE};
    uint8_t m_low{false};
    uint32_t m_number{0};
    ns3::Time m_sent;
};

/// A socket whose algorithm may send packets of its own, or that answers them.
class OwnSocket : public ns3::TcpSocketBase, public OwnPackets
{
    using Base = ns3::TcpSocketBase;
    using State = ns3::TcpSocketState;

  public:
    /// As ns-3 makes one, but for the class.
    static ns3::Ptr<OwnSocket> Make(ns3::Ptr<ns3::Node> node)
    {
        auto tcp = node->GetObject<ns3::TcpL4Protocol>();
        auto socket = ns3::CreateObject<OwnSocket>();
        socket->SetNode(node);
        socket->SetTcp(tcp);
        socket->SetRtt(ns3::CreateObject<ns3::RttMeanDeviation>());
        socket->SetCongestionControlAlgorithm(ns3::CreateObject<ns3::TcpNewReno>());
        socket->SetRecoveryAlgorithm(ns3::CreateObject<ns3::TcpClassicRecovery>());
        tcp->AddSocket(socket);
        return socket;
    }

    std::function<void()> onHalved{[] {}}; //!< a recovery that only halves the window

    /// Serve the algorithm, if it wants packets of its own.
    void Serve(ns3::Ptr<ns3::TcpCongestionOps> algorithm)
    {
        m_signal = dynamic_cast<OwnPacketsSignal*>(ns3::PeekPointer(algorithm));
        if (!m_signal)
        {
            return;
        }
        m_signal->SetOwnPackets(m_tcb, this);
        using OnPacket = ns3::Callback<void,
                                       ns3::Ptr<const ns3::Packet>,
                                       const ns3::TcpHeader&,
                                       ns3::Ptr<const ns3::TcpSocketBase>>;
        TraceConnectWithoutContext("Tx",
                                   OnPacket([this](ns3::Ptr<const ns3::Packet> packet,
                                                   const ns3::TcpHeader&,
                                                   ns3::Ptr<const ns3::TcpSocketBase>) {
                                       if (m_isLow)
                                       {
                                           packet->AddPacketTag(OwnTag(OwnTag::NONE, true, 0, {}));
                                       }
                                   }));
    }

    void SendProbe(uint32_t number, uint32_t bytes, bool lowPriority) override
    {
        SendTagged(OwnTag(OwnTag::PROBE, lowPriority, number, ns3::Simulator::Now()), bytes);
    }

    bool SendSupplement(bool lowPriority) override
    {
        const ns3::SequenceNumber32 next = m_tcb->m_highTxMark;
        if (GetTxAvailable() > 0)
        {
            NotifySend(GetTxAvailable());
        }
        const uint32_t bytes = std::min(m_txBuffer->SizeFromSequence(next), m_tcb->m_segmentSize);
        if (m_isSuspended || bytes == 0 || UnAckDataCount() + bytes > m_rWnd)
        {
            return false;
        }
        m_isSupplement = true;
        m_isLow = lowPriority;
        m_tcb->m_nextTxSequence = next;
        m_tcb->m_nextTxSequence += SendDataPacket(next, bytes, m_connected);
        m_isSupplement = m_isLow = false;
        return true;
    }

    void SetOwnTimer(ns3::Time after) override
    {
        m_ownTimer.Cancel();
        if (after.IsStrictlyPositive())
        {
            m_ownTimer = ns3::Simulator::Schedule(after, &OwnSocket::OnTimer, this);
        }
    }

    void Resume(Resumption how) override
    {
        m_isSuspended = false;
        if (how == Resumption::SLOW_START)
        {
            m_isResuming = true;
            ReTxTimeout();
            m_isResuming = false;
            return;
        }
        if (how == Resumption::HALVED)
        {
            onHalved();
            m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, BytesInFlight());
            m_tcb->m_cWnd = m_tcb->m_ssThresh.Get();
        }
        m_dataRetrCount = m_dataRetries;
        m_dupAckCount = 0;
        m_txBuffer->SetSentListLost(false);
        m_marks.LoseAll();
        m_recover = m_tcb->m_highTxMark;
        m_recoverActive = true;
        m_congestionControl->CongestionStateSet(m_tcb, State::CA_LOSS);
        m_tcb->m_congState = State::CA_LOSS;
        m_tcb->m_cWndInfl = m_tcb->m_cWnd;
        SendPendingData(m_connected);
    }

    uint32_t GetReceiverWindow() const override
    {
        return m_rWnd / m_tcb->m_segmentSize;
    }

  protected:
    ns3::Ptr<Base> Fork() override
    {
        return ns3::CopyObject<OwnSocket>(this);
    }

    void DoForwardUp(ns3::Ptr<ns3::Packet> packet,
                     const ns3::Address& from,
                     const ns3::Address& to) override
    {
        OwnTag tag;
        if (!packet->RemovePacketTag(tag) || tag.GetKind() == OwnTag::NONE)
        {
            Base::DoForwardUp(packet, from, to);
        }
        else if (tag.GetKind() == OwnTag::PROBE)
        {
            SendTagged(OwnTag(OwnTag::ANSWER, false, tag.GetNumber(), tag.GetSent()), 0);
        }
        else if (m_signal)
        {
            m_signal->OnProbeAnswer(m_tcb, tag.GetNumber(), tag.GetSent());
            SendPendingData(m_connected);
        }
    }

    void ReceivedAck(ns3::Ptr<ns3::Packet> packet, const ns3::TcpHeader& header) override
    {
        if (!m_signal)
        {
            Base::ReceivedAck(packet, header);
            return;
        }
        auto option =
            ns3::DynamicCast<const ns3::TcpOptionSack>(header.GetOption(ns3::TcpOption::SACK));
        const auto blocks = option ? option->GetSackList() : ns3::TcpOptionSack::SackList{};
        m_news = m_marks.OnAck(header.GetAckNumber(), option ? &blocks : nullptr);
        for (uint32_t i = 0; i < m_news.arrivals; ++i)
        {
            m_signal->OnSupplementArrived(m_tcb);
        }
        Base::ReceivedAck(packet, header);
    }

    void ProcessAck(const ns3::SequenceNumber32& ack,
                    bool news,
                    uint32_t delivered,
                    const ns3::SequenceNumber32& oldHead,
                    bool receivedData) override
    {
        if (!m_signal)
        {
            Base::ProcessAck(ack, news, delivered, oldHead, receivedData);
            return;
        }
        delivered -= m_news.supplements;
        m_tcb->m_lastAckedSackedBytes = delivered;
        if (m_isSuspended)
        {
            m_tcb->m_lastAckedSeq = ack;
            m_congestionControl->PktsAcked(m_tcb, 1, m_tcb->m_srtt);
            if (GetTxAvailable() > 0)
            {
                NotifySend(GetTxAvailable());
            }
            return;
        }
        const bool waits =
            m_tcb->m_congState == State::CA_OPEN || m_tcb->m_congState == State::CA_DISORDER;
        const bool isLost = m_marks.IsLostFrom(m_recover);
        if (m_marks.HasSupplements()) // news is of the others, or that one of them is lost
        {
            news = m_news.reported > 0 || (waits && isLost);
        }
        if (news && waits)
        {
            const bool enters = (m_dupAckCount + 1 == m_retxThresh &&
                                 (m_highRxAckMark >= m_recover || !m_recoverActive)) ||
                                m_txBuffer->IsLost(m_highRxAckMark);
            if ((m_marks.HasSupplements() && !isLost) || (enters && Suspends(false)))
            {
                CountDuplicate(ack, delivered, oldHead);
                return;
            }
        }
        const bool wasActive = m_recoverActive;
        if (news && m_dupAckCount >= m_retxThresh) // else ns-3 takes so many for its own mistake
        {
            m_recoverActive = true;
        }
        Base::ProcessAck(ack, news, delivered, oldHead, receivedData);
        if (waits && m_tcb->m_congState != State::CA_RECOVERY)
        {
            m_recoverActive = m_recoverActive && wasActive;
        }
    }

    void ReTxTimeout() override
    {
        const bool isData = m_state != SYN_SENT && m_state != CLOSED && m_state != TIME_WAIT &&
                            m_txBuffer->Size() > 0 && m_dataRetrCount > 0;
        if (m_signal && isData && Suspends(true))
        {
            return;
        }
        m_losesAll = isData;
        Base::ReTxTimeout();
        m_losesAll = false;
    }

    uint32_t SendDataPacket(ns3::SequenceNumber32 first, uint32_t most, bool withAck) override
    {
        if (!m_signal)
        {
            return Base::SendDataPacket(first, most, withAck);
        }
        const auto recovery = m_recoveryOps;
        const bool limited = m_tcb->m_isCwndLimited;
        if (m_isSupplement) // it counts in no window and no recovery
        {
            m_recoveryOps = m_noRecovery;
        }
        else
        {
            m_marks.OnSent(first, most, false);
        }
        const uint32_t bytes = Base::SendDataPacket(first, most, withAck);
        if (m_isSupplement)
        {
            m_marks.OnSent(first, bytes, true);
            m_recoveryOps = recovery;
            m_tcb->m_isCwndLimited = limited;
            BytesInFlight();
        }
        return bytes;
    }

    uint32_t BytesInFlight() const override
    {
        const uint32_t bytes = m_txBuffer->BytesInFlight() - m_marks.AsideBytes();
        m_tcb->m_bytesInFlight = bytes;
        if (m_losesAll) // a timeout has asked for what was in flight before it
        {
            m_losesAll = false;
            m_marks.LoseAll();
        }
        return bytes;
    }

    uint32_t AvailableWindow() const override
    {
        return m_isSuspended ? 0 : Base::AvailableWindow();
    }

  private:
    /// A packet that TCP does not know of, with so much that is no data.
    void SendTagged(const OwnTag& tag, uint32_t bytes)
    {
        auto packet = ns3::Create<ns3::Packet>(bytes);
        packet->AddPacketTag(tag);
        AddSocketTags(packet, false);
        ns3::TcpHeader header;
        header.SetFlags(ns3::TcpHeader::ACK);
        // Where the receiver's window is open in any case, so that it does not take it for old or early.
        header.SetSequenceNumber(m_tcb->m_highTxMark - 1);
        header.SetAckNumber(m_tcb->m_rxBuffer->NextRxSequence());
        header.SetSourcePort(m_endPoint->GetLocalPort());
        header.SetDestinationPort(m_endPoint->GetPeerPort());
        header.SetWindowSize(AdvertisedWindowSize());
        AddOptions(header);
        m_tcp->SendPacket(packet,
                          header,
                          m_endPoint->GetLocalAddress(),
                          m_endPoint->GetPeerAddress(),
                          m_boundnetdevice);
    }

    /// A timeout, or the beginning of a recovery: whether data wait instead.
    bool Suspends(bool timeout)
    {
        if (!m_isResuming && !m_isSuspended)
        {
            m_isSuspended = m_signal->Suspends(m_tcb, timeout);
        }
        if (m_isSuspended)
        {
            m_retxEvent.Cancel();
            m_retxEvent = ns3::Simulator::Schedule(m_rto, &OwnSocket::ReTxTimeout, this);
        }
        return m_isSuspended;
    }

    /// What ns-3 does with an ACK that brings news and begins no recovery.
    void CountDuplicate(ns3::SequenceNumber32 ack,
                        uint32_t delivered,
                        ns3::SequenceNumber32 oldHead)
    {
        const uint32_t before = m_dupAckCount++;
        m_tcb->m_lastAckedSeq = ack;
        if (m_tcb->m_congState == State::CA_OPEN)
        {
            m_congestionControl->CongestionStateSet(m_tcb, State::CA_DISORDER);
            m_tcb->m_congState = State::CA_DISORDER;
        }
        if (ack == oldHead)
        {
            if (ack == m_tcb->m_highTxMark)
            {
                return;
            }
            m_congestionControl->PktsAcked(m_tcb, 1, m_tcb->m_srtt);
            UpdatePacingRate();
            return;
        }
        uint32_t segments = delivered / m_tcb->m_segmentSize;
        m_bytesAckedNotProcessed += delivered % m_tcb->m_segmentSize;
        if (m_bytesAckedNotProcessed >= m_tcb->m_segmentSize)
        {
            segments += 1;
            m_bytesAckedNotProcessed -= m_tcb->m_segmentSize;
        }
        if (segments >= before)
        {
            m_congestionControl->PktsAcked(m_tcb, segments - before, m_tcb->m_srtt);
        }
        if (ack >= m_recover)
        {
            m_recoverActive = false;
        }
        UpdatePacingRate();
    }

    void OnTimer()
    {
        m_signal->OnOwnTimer(m_tcb);
    }

    OwnPacketsSignal* m_signal{nullptr}; //!< if the algorithm wants packets of its own
    bool m_isSuspended{false};           //!< no data are sent
    bool m_isResuming{false};
    bool m_isSupplement{false}; //!< what is being sent
    bool m_isLow{false};        //!< of low priority
    OwnMarks::News m_news;      //!< of the ACK at hand
    mutable bool m_losesAll{false};
    mutable OwnMarks m_marks;
    ns3::Ptr<ns3::TcpRecoveryOps> m_noRecovery{ns3::CreateObject<ns3::TcpClassicRecovery>()};
    ns3::EventId m_ownTimer;
};

} // namespace longfat

#endif
