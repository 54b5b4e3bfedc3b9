// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender of this engine does for an algorithm that sends packets of its own
// (../../cc/own-packets.h). A part of Sender, for the feature "probes".

#ifndef LONGFAT_SEGMENT_OWN_PACKETS_H
#define LONGFAT_SEGMENT_OWN_PACKETS_H

#include "../../cc/own-packets.h"
#include "connection.h"

#include "ns3/tcp-congestion-ops.h"

namespace longfat::segment
{

template <class Sender>
class OwnPacketsOf final : public OwnPackets
{
    using State = ns3::TcpSocketState;

  public:
    OwnPacketsOf(EventQueue& events, Sender& sender)
        : m_events(events),
          m_sender(sender),
          m_timer(events, this)
    {
    }

    /// The connection is there: for an algorithm that wants its own packets, from now on.
    void Begin(ns3::TcpCongestionOps* algorithm)
    {
        m_signal = dynamic_cast<OwnPacketsSignal*>(algorithm);
        if (m_signal)
        {
            m_signal->SetOwnPackets(m_sender.tcb, this);
        }
    }

    /// A timeout, or the beginning of a recovery: whether data wait instead.
    bool Suspends(bool timeout)
    {
        if (m_signal && !m_isSuspended && !m_isResuming)
        {
            m_isSuspended = m_signal->Suspends(m_sender.tcb, timeout);
        }
        if (m_isSuspended)
        {
            m_sender.m_retransmitTimer.Set(m_sender.m_roundTrip.timeout);
        }
        return m_isSuspended;
    }

    bool IsSuspended() const
    {
        return m_isSuspended;
    }

    /// The segment that is about to be sent is a supplement.
    bool IsSupplement() const
    {
        return m_isSupplement;
    }

    bool IsLowPriority() const
    {
        return m_isLow;
    }

    void OnArrival()
    {
        m_signal->OnSupplementArrived(m_sender.tcb);
    }

    void OnAnswer(const Packet& answer, Ticks now)
    {
        m_signal->OnProbeAnswer(m_sender.tcb, answer.own.number, ns3::Time(answer.own.sent));
        m_sender.SendPending(now);
    }

    void SendProbe(uint32_t number, uint32_t bytes, bool lowPriority) override
    {
        const Ticks now = m_events.Now();
        Packet& probe = m_sender.Prepare(now);
        probe.flags = 0;
        probe.own = {OwnPart::PROBE, lowPriority, number, now};
        probe.wireBytes = AckWireBytes(m_sender.m_spec.timestamps, 0) + bytes;
        m_sender.m_forth.first->Send(probe, now);
    }

    bool SendSupplement(bool lowPriority) override
    {
        Sender& s = m_sender;
        const uint64_t next = s.m_board.Next();
        if (m_isSuspended || next >= s.Written() ||
            s.m_board.SentBytes() + s.m_stream.Size(next) > s.m_window)
        {
            return false;
        }
        m_isSupplement = true;
        m_isLow = lowPriority;
        s.tcb->m_nextTxSequence = s.Sequence(next);
        s.tcb->m_nextTxSequence += s.SendSegment(next, m_events.Now());
        m_isSupplement = m_isLow = false;
        return true;
    }

    void SetOwnTimer(ns3::Time after) override
    {
        m_timer.Stop();
        if (after.IsStrictlyPositive())
        {
            m_timer.Set(after.GetTimeStep());
        }
    }

    /// What was outstanding has arrived or is lost: it is sent again within the window.
    void Resume(Resumption how) override
    {
        Sender& s = m_sender;
        m_isSuspended = false;
        if (how == Resumption::SLOW_START)
        {
            m_isResuming = true;
            s.OnRetransmitTimeout();
            m_isResuming = false;
            return;
        }
        if (how == Resumption::HALVED)
        {
            ++s.count.recoveries;
            s.tcb->m_ssThresh =
                s.congestionControl->GetSsThresh(s.tcb, s.FlightSize(s.BytesInFlight()));
            s.tcb->m_cWnd = s.tcb->m_ssThresh.Get();
        }
        s.m_retries = 0;
        s.m_dupAcks = 0;
        s.m_board.MarkAllAsLost();
        s.m_recover = s.m_board.Next();
        s.m_recoverActive = true;
        s.m_reducedAfter = s.m_board.Transmissions();
        s.congestionControl->CongestionStateSet(s.tcb, State::CA_LOSS);
        s.tcb->m_congState = State::CA_LOSS;
        s.tcb->m_cWndInfl = s.tcb->m_cWnd;
        s.SendPending(m_events.Now());
    }

    uint32_t GetReceiverWindow() const override
    {
        return m_sender.m_window / m_sender.m_segmentBytes;
    }

  private:
    void OnTimer()
    {
        m_signal->OnOwnTimer(m_sender.tcb);
    }

    EventQueue& m_events;
    Sender& m_sender;
    OwnPacketsSignal* m_signal{nullptr}; //!< if the algorithm wants packets of its own
    bool m_isSuspended{false};           //!< no data are sent
    bool m_isResuming{false};
    bool m_isSupplement{false};
    bool m_isLow{false};
    Timer<OwnPacketsOf, &OwnPacketsOf::OnTimer> m_timer;
};

} // namespace longfat::segment

#endif
