// SPDX-License-Identifier: GPL-2.0-only
//
// A TCP sender by the RFCs, which drives a congestion control as ns-3's TcpSocketBase does. Where ns-3
// 3.44 does otherwise than the RFCs, it does so too if its scenario names that fault (faults.h).
//
// The contract, which every TcpCongestionOps and TcpRecoveryOps of ns-3 relies on. Calls are made
// in this order; "state" is m_congState of TcpSocketState. [fault]: what 3.44 does otherwise.
//
//   at the start      Init, when the connection is made and segment size and buffers are set.
//   SYN-ACK           m_cWnd, m_cWndInfl, m_ssThresh get their initial values; m_srtt, m_minRtt,
//                     m_lastRtt the first round trip; CongestionStateSet(OPEN).
//   every ACK         round trip: m_lastRtt, m_srtt, m_minRtt [the least m_srtt], when the ACK
//                     covers the first segment not yet timed. m_rcvTimestampValue and
//                     m_rcvTimestampEchoReply. Window advertised.
//                     OneWayDelaySignal, if it wants it (signals.h).
//                     Scoreboard: SACK blocks, then the cumulative acknowledgment, then the
//                     retransmissions that are lost [not].
//                     m_lastAckedSackedBytes; m_bytesInFlight; ECN (below).
//     duplicate       (with SACK: an ACK that reports news; else one that repeats its number)
//                     OPEN -> CongestionStateSet(DISORDER). In DISORDER, and CWR [not], the third
//                     or a head that is lost -> enter recovery. In RECOVERY DoRecovery(delivered,
//                     true), unless HasCongControl.
//     enter recovery  CongestionStateSet(RECOVERY), then the state; m_ssThresh =
//                     GetSsThresh(FlightSize [bytes in flight]), unless a mark has reduced this
//                     window; EnterRecovery of the recovery, unless HasCongControl; the head is
//                     sent again.
//     not advancing   PktsAcked(1, m_lastRtt [m_srtt], as in every call).
//     advancing       in OPEN       PktsAcked(segments delivered).
//                     in DISORDER   PktsAcked(segments delivered [- duplicates before]; without SACK
//                                   so too); unless it is a duplicate, CongestionStateSet(OPEN).
//                     in RECOVERY   up to m_recover: DoRecovery(delivered, false), unless
//                                   HasCongControl; without SACK [and with it] one segment is sent
//                                   at once; PktsAcked(1).
//                                   Beyond: PktsAcked(segments delivered [all that it
//                                   acknowledges]), CwndEvent(COMPLETE_CWR),
//                                   CongestionStateSet(OPEN); unless HasCongControl [even so]
//                                   m_cWnd = m_ssThresh, ExitRecovery.
//                     in LOSS       up to m_recover: PktsAcked, IncreaseWindow(segments delivered).
//                                   Beyond: PktsAcked(segments delivered [beyond]),
//                                   CongestionStateSet(OPEN).
//                     in CWR        PktsAcked, DoRecovery(delivered, false), unless HasCongControl.
//                     then in OPEN  IncreaseWindow(segments delivered), where the ACK that ends a
//                                   recovery counts [all the segments that it acknowledges].
//     HasCongControl  CongControl(connection rate, sample of this ACK), after all that.
//     then            segments are sent, as window and pacing allow.
//   segment sent      CwndEvent(TX_START) before it when nothing is in flight; m_nextTxSequence,
//                     m_highTxMark, m_isCwndLimited; UpdateBytesSent in RECOVERY and CWR.
//   timeout           m_ssThresh = GetSsThresh(outstanding [bytes in flight] before), the first time
//                     [every time]; CwndEvent(LOSS), CongestionStateSet(LOSS); m_cWnd one segment.
//   ECN               the first ACK with ECE in a window: CongestionStateSet(CWR) [not]; m_ssThresh
//                     = GetSsThresh; state CWR; EnterRecovery. When an ACK passes m_recover:
//                     CongestionStateSet(OPEN) [not], m_cWnd = m_ssThresh, ExitRecovery,
//                     CwndEvent(COMPLETE_CWR).
//   m_pacing          segments are m_pacingRate apart (payload); unless HasCongControl, the rate is
//                     set after every ACK from m_cWnd and m_srtt (UpdatePacingRate).
//
// What differs from TcpSocketBase in any case: segments are whole, where ns-3 would cut one to fit the
// end of the receiver's window; a connection ends without FIN.

#ifndef LONGFAT_SEGMENT_SENDER_H
#define LONGFAT_SEGMENT_SENDER_H

#include "../../cc/signals.h"
#include "../../recovery/halving.h"
#include "../../recovery/prr.h"
#include "connection.h"
#include "delivery-rate.h"
#ifdef LONGFAT_PROBES
#include "own-packets.h"
#endif
#ifdef LONGFAT_PTP
#include "path-asker.h"
#endif
#include "round-trip.h"
#ifdef LONGFAT_ROUTERS
#include "router-ends.h"
#endif

#include "ns3/boolean.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"

namespace longfat::segment
{

constexpr uint32_t NO_THRESHOLD = 0xffffffff; //!< of slow start

class Sender : public Endpoint
{
    using State = ns3::TcpSocketState;
#ifdef LONGFAT_PROBES
    friend class OwnPacketsOf<Sender>;
#endif
#ifdef LONGFAT_PTP
    friend class PathAskerOf<Sender>;
#endif

  public:
    Sender(EventQueue& events, const FlowSpec& spec, const Stream& stream, const Route& forth)
        : tcb(ns3::CreateObject<State>()),
          m_events(events),
          m_spec(spec),
          m_stream(stream),
          m_forth(forth),
          m_board(stream, spec.sack, spec.faults),
          m_roundTrip(tcb, spec),
          m_segmentBytes(spec.segmentBytes),
          m_retransmitTimer(events, this),
          m_pacingTimer(events, this),
          m_synTimer(events, this),
          m_persistTimer(events, this),
          m_sendSoon(&CallMethod<Sender, &Sender::OnSendSoon>, this)
    {
        tcb->m_segmentSize = m_segmentBytes;
        tcb->m_initialCWnd = spec.initialWindowSegments;
        tcb->m_initialSsThresh = spec.initialSsthreshSegments > 0
                                     ? spec.initialSsthreshSegments * m_segmentBytes
                                     : NO_THRESHOLD;
        tcb->m_pacingRate = tcb->m_maxPacingRate;
        tcb->m_useEcn = spec.ecn ? State::On : State::Off;
        congestionControl = Make<ns3::TcpCongestionOps>(spec.congestionControl);
        for (const auto& [name, text] : spec.attributes)
        {
            congestionControl->SetAttribute(name, text);
        }
#ifdef LONGFAT_ROUTERS
        m_routers.Use(congestionControl);
#endif
        m_oneWayDelay = dynamic_cast<OneWayDelaySignal*>(ns3::PeekPointer(congestionControl));
        m_handoff = dynamic_cast<HandoffSignal*>(ns3::PeekPointer(congestionControl));
        m_recovery = MakeRecovery(spec);
        m_setsWindow = congestionControl->HasCongControl();
        m_available = stream.segments;
        SetSendBuffer(spec.sendBufferBytes > 0 ? spec.sendBufferBytes : SMALLEST_AUTO_BUFFER);
        congestionControl->Init(tcb);
    }

    Sender(const Sender&) = delete;

    const ns3::Ptr<State> tcb;
    ns3::Ptr<ns3::TcpCongestionOps> congestionControl;
    SenderCount count;
    std::function<void()> onRoom; //!< called when there is new room in the send buffer
#ifdef LONGFAT_ROUTERS
    const RouterSender& Routers() const
    {
        return m_routers;
    }

#endif
#ifdef LONGFAT_PTP
    const PathAskerOf<Sender>& Asker() const
    {
        return m_asker;
    }

#endif
#ifdef LONGFAT_HELPERS
    std::function<void()> onAdvance; //!< called when more has been acknowledged

    /// So many segments have been.
    uint64_t Acknowledged() const
    {
        return m_board.Head();
    }

    /// It sends nothing more.
    void Fail()
    {
        m_retries = DATA_RETRIES;
        m_retransmitTimer.Stop();
        m_pacingTimer.Stop();
        m_synTimer.Stop();
        m_persistTimer.Stop();
        m_events.Cancel(m_sendSoon);
        m_available = 0;
        onRoom = nullptr;
    }

    /// All that is outstanding is lost, and is sent again as after a timeout.
    void StartOver()
    {
        m_retries = 0;
        OnRetransmitTimeout();
    }
#endif

    /// Begin the handshake.
    void Start()
    {
        SendSyn();
    }

    /// The application writes no more. What is in the send buffer will still be sent.
    void Stop()
    {
        m_available = std::max(Written(), m_board.Next());
    }

    /// Segments before that one can be sent (a relay gets them one by one).
    void Offer(uint64_t segments)
    {
        m_available = segments;
        BytesInFlight();
        if (m_established && !m_sendIsDue && AvailableWindow() > 0)
        {
            m_sendIsDue = true; // ns-3 waits a step, so that the application can write more
            m_events.Schedule(m_sendSoon, m_events.KeyAt(m_events.Now() + 1));
        }
    }

    /// The first segment that the send buffer has no room for.
    uint64_t Room() const
    {
        return RoomFrom(m_board.Head());
    }

    /// At the end of a run: whether the marks add up, nothing is acknowledged that has not arrived,
    /// and what is outstanding will be sent again if it has to be.
    const char* WhatIsWrong(uint64_t arrived) const
    {
        return !m_board.IsConsistent() ? "a scoreboard's counts are not its marks'"
               : m_board.Head() > arrived || arrived > m_board.Next()
                   ? "segments were acknowledged that had not arrived, or came unsent"
               : m_board.Next() != m_board.Head() && !m_retransmitTimer.IsRunning() &&
                       m_retries != DATA_RETRIES
                   ? "a sender is stuck with data outstanding"
                   : nullptr;
    }

    void TellHandoff(bool local, double announcedBps, uint32_t advertisedWindow)
    {
        if (m_handoff && m_established)
        {
            m_handoff->OnHandoff(local,
                                 ns3::DataRate(static_cast<uint64_t>(std::llround(announcedBps))),
                                 advertisedWindow);
        }
    }

    void Receive(const Packet& ack, Ticks now) override
    {
        if (ack.flags & Packet::SYN)
        {
            OnSynAck(ack, now);
            return;
        }
#ifdef LONGFAT_PROBES
        if (ack.own.kind == OwnPart::ANSWER)
        {
            m_own.OnAnswer(ack, now);
            return;
        }
#endif
#ifdef LONGFAT_PTP
        if (ack.query.kind == PathQuery::ANSWER)
        {
            m_asker.OnAnswer(ack.query, now);
            return;
        }
#endif
        if (m_oneWayDelay && ack.causeSent != NEVER)
        {
            m_oneWayDelay->OnOneWayDelay(ns3::Time(ack.causeSent), ns3::Time(ack.causeReceived));
        }
        m_roundTrip.OnAck(ack, m_board, now);
#ifdef LONGFAT_ROUTERS
        m_routers.OnAck(ack.router);
#endif
        const uint64_t head = m_board.Head();
        if (ack.number >= head)
        {
            m_window = ack.window;
#ifdef LONGFAT_HELPERS
            m_lostByLink = ack.helpers.lostByLink;
#endif
            OnAck(ack, now);
            KeepAsking();
#ifdef LONGFAT_HELPERS
            if (onAdvance && ack.number > head)
            {
                onAdvance();
            }
#endif
            if (onRoom && ack.number > head)
            {
                onRoom();
            }
        }
    }

  private:
    // The handshake

    void SendSyn()
    {
        if (m_syns == SYN_RETRIES)
        {
            return;
        }
        const Ticks now = m_events.Now();
        m_synTimer.Set(SynTimeout(m_spec.faults) << m_syns);
        m_synSent = m_syns++ == 0 ? now : -1;
        Packet& syn = Prepare(now);
        syn.number = 0;
        syn.flags = Packet::SYN | (m_spec.ecn ? Packet::ECE | Packet::CWR : 0);
        syn.wireBytes = SynWireBytes(m_spec.timestamps, m_spec.sack);
#ifdef LONGFAT_ROUTERS
        m_routers.OnSyn(syn.router, m_syns == 1, m_events.state.run + m_events.NextNumber());
#endif
        m_forth.first->Send(syn, now);
    }

    void OnSynAck(const Packet& ack, Ticks now)
    {
        if (m_established)
        {
            return;
        }
        m_established = true;
        m_synTimer.Stop();
        m_window = ack.window;
        m_roundTrip.TakeTimestamps(ack);
        if (m_syns > 1 && !Has(Fault::SYN_TIMEOUT))
        {
            tcb->m_initialCWnd = 1; // RFC 5681, 3.1
        }
        tcb->m_cWnd = tcb->m_initialCWnd * m_segmentBytes;
        tcb->m_cWndInfl = tcb->m_cWnd;
        tcb->m_ssThresh = tcb->m_initialSsThresh;
        m_roundTrip.OnSynAck(ack, m_synSent, now);
        if (m_synSent >= 0)
        {
            m_board.NoteRoundTrip(now - m_synSent);
        }
        congestionControl->CongestionStateSet(tcb, State::CA_OPEN);
        tcb->m_congState = State::CA_OPEN;
        tcb->m_highTxMark = tcb->m_nextTxSequence = Sequence(0);
#ifdef LONGFAT_ROUTERS
        const uint32_t headers = HEADER_BYTES + (m_spec.timestamps ? TIMESTAMP_BYTES : 0);
        m_routers.OnSynAck(ack.router, m_synSent >= 0 ? now - m_synSent : 0, headers);
#endif
        UpdatePacingRate();
        Packet& answer = Prepare(now);
        answer.flags = Packet::ACK;
        answer.wireBytes = AckWireBytes(m_spec.timestamps, 0);
#ifdef LONGFAT_ROUTERS
        m_routers.Report(answer.router);
#endif
        m_forth.first->Send(answer, now);
        tcb->m_ecnState =
            m_spec.ecn && (ack.flags & Packet::ECE) ? State::ECN_IDLE : State::ECN_DISABLED;
#ifdef LONGFAT_PROBES
        m_own.Begin(ns3::PeekPointer(congestionControl));
#endif
#ifdef LONGFAT_PTP
        m_asker.Begin(ns3::PeekPointer(congestionControl));
#endif
        Offer(m_available);
        if (onRoom)
        {
            onRoom();
        }
    }

    // An ACK arrives

    /// TcpSocketBase::ReceivedAck.
    [[gnu::always_inline]]
    void OnAck(const Packet& ack, Ticks now)
    {
        const uint64_t lostBefore = m_board.LostBytes();
        const uint64_t foundLostBefore = m_board.FoundLostBytes();
        const uint32_t priorInFlight = tcb->m_bytesInFlight.Get();
        m_delivered = 0;
        auto delivered = [this, now](SentSegment& segment, uint32_t bytes) {
            segment.delivered = true;
#ifdef LONGFAT_PROBES
            if (segment.supplement)
            {
                m_own.OnArrival();
                return;
            }
#endif
            m_delivered += bytes;
            if (m_setsWindow)
            {
                m_rate.OnDelivered(segment, bytes, now);
            }
        };
        uint32_t sacked = 0;
        for (uint32_t i = 0; i < ack.sackBlocks; ++i)
        {
            sacked += m_board.Sack(ack.number + ack.sack[i].begin,
                                   ack.number + ack.sack[i].end,
                                   now,
                                   delivered);
        }
        if (sacked > 0)
        {
            m_board.FindLost();
        }
#ifdef LONGFAT_PROBES
        if (m_board.HasSupplements()) // news is of the others, or that one of them is lost
        {
            const State::TcpCongState_t state = tcb->m_congState;
            const bool waits = state == State::CA_OPEN || state == State::CA_DISORDER;
            sacked = std::max<uint32_t>(m_delivered, waits && m_board.IsLostFrom(m_recover));
        }
#endif
        const uint64_t oldHead = m_board.Head();
        const bool partial = tcb->m_congState == State::CA_RECOVERY && ack.number < m_recover;
        if (partial)
        {
            for (uint64_t i = oldHead; i < ack.number && !tcb->m_isRetransDataAcked; ++i)
            {
                tcb->m_isRetransDataAcked = !m_board[i].sacked && m_board[i].retransmitted;
            }
        }
        if (!m_spec.sack && ack.number > oldHead && !partial && !Has(Fault::LIMITED_TRANSMIT))
        {
            m_board.ForgetRenoSacks();
        }
        m_board.Acknowledge(ack.number, now, delivered);
        const bool lostAgain = m_spec.sack && m_board.FindLostRetransmissions(m_reducedAfter);
        tcb->m_lastAckedSackedBytes = m_delivered;

        if (tcb->m_congState == State::CA_CWR && ack.number > m_recover)
        {
            if (!Has(Fault::CWR_UNTOLD))
            {
                congestionControl->CongestionStateSet(tcb, State::CA_OPEN);
            }
            tcb->m_congState = State::CA_OPEN;
            if (!m_setsWindow)
            {
                tcb->m_cWnd = tcb->m_ssThresh.Get();
                m_recovery->ExitRecovery(tcb);
                congestionControl->CwndEvent(tcb, State::CA_EVENT_COMPLETE_CWR);
            }
        }
        if (tcb->m_ecnState != State::ECN_DISABLED)
        {
            OnEcnEcho(ack, oldHead);
        }
#ifdef LONGFAT_ROUTERS
        if (ack.number > oldHead)
        {
            m_routers.OnProgress(m_board.Next(), m_board.SentBytes() + m_delivered);
        }
#endif
        BytesInFlight();
        tcb->m_lastAckedSeq = Sequence(ack.number);
#ifdef LONGFAT_PROBES
        if (m_own.IsSuspended())
        {
            congestionControl->PktsAcked(tcb, 1, LastRtt());
            return;
        }
#endif
        m_counted = lostAgain && ack.number < m_recover && OnRetransmissionLost();
        ProcessAck(ack.number, oldHead, sacked > 0, now);
        tcb->m_isRetransDataAcked = false;
        if (m_setsWindow)
        {
            const uint64_t change = m_board.LostBytes() - lostBefore;
            const uint64_t lost = Has(Fault::REPAIRS_AS_LOSSES)
                                      ? std::min(change, -change)
                                      : m_board.FoundLostBytes() - foundLostBefore;
            const auto& sample = m_rate.Sample(m_delivered, lost, priorInFlight, tcb->m_minRtt);
            congestionControl->CongControl(tcb, m_rate.connection, sample);
        }
        SendPending(now);
    }

    /// An ACK may echo a mark. A window is reduced once for all the marks and losses in it, and the
    /// receiver is told by CWR on the next new segment (RFC 3168, 6.1.2).
    void OnEcnEcho(const Packet& ack, uint64_t oldHead)
    {
        const bool echo = ack.flags & Packet::ECE;
        const bool advances = ack.number > oldHead;
        if (echo && (advances || !Has(Fault::ECHO_ON_DUPLICATE)))
        {
            const bool inRecovery =
                tcb->m_congState == State::CA_RECOVERY || tcb->m_congState == State::CA_LOSS;
            if (Has(Fault::ECHO_IN_RECOVERY) ? m_echoed < ack.number : IsNewEcho(ack.number))
            {
                m_echoed = ack.number;
                tcb->m_ecnState = State::ECN_ECE_RCVD;
                if (tcb->m_congState != State::CA_CWR &&
                    (!inRecovery || Has(Fault::ECHO_IN_RECOVERY)))
                {
                    EnterCwr();
                }
            }
        }
        else if (!echo && tcb->m_ecnState == State::ECN_ECE_RCVD && Has(Fault::ECHO_IN_RECOVERY))
        {
            tcb->m_ecnState = State::ECN_IDLE;
        }
    }

    /// Whether a mark has not been answered: no CWR waits to be sent or acknowledged.
    bool IsNewEcho(uint64_t ack) const
    {
        return tcb->m_ecnState != State::ECN_ECE_RCVD &&
               (tcb->m_ecnState != State::ECN_CWR_SENT || ack > m_reduced);
    }

    /// TcpSocketBase::EnterCwr.
    void EnterCwr()
    {
        if (!Has(Fault::CWR_UNTOLD))
        {
            congestionControl->CongestionStateSet(tcb, State::CA_CWR);
        }
        tcb->m_ssThresh = congestionControl->GetSsThresh(tcb, FlightSize(BytesInFlight()));
        tcb->m_cWndInfl = tcb->m_ssThresh;
        tcb->m_congState = State::CA_CWR;
        m_recover = m_board.Next();
        if (!m_setsWindow)
        {
            m_recovery->EnterRecovery(tcb, m_dupAcks, m_board.SentBytes(), m_delivered);
        }
    }

    /// What a threshold is computed from (RFC 5681, 2 and 3.2): all that is outstanding, but not the
    /// segments of limited transmit, which alone go beyond the window.
    uint32_t FlightSize(uint32_t pipe) const
    {
        return Has(Fault::PIPE_AS_FLIGHT)
                   ? pipe
                   : std::min<uint64_t>(m_board.SentBytes(), tcb->m_cWnd.Get());
    }

    /// TcpSocketBase::ProcessAck.
    [[gnu::always_inline]]
    void ProcessAck(uint64_t ack, uint64_t oldHead, bool news, Ticks now)
    {
        const uint32_t dupAcksBefore = m_dupAcks;
        const bool duplicate = m_spec.sack ? news : ack == oldHead && ack < m_board.Next();
        if (duplicate)
        {
            OnDuplicate(now);
        }
        if (ack == oldHead)
        {
            if (ack == m_board.Next())
            {
                return;
            }
            congestionControl->PktsAcked(tcb, 1, LastRtt());
            UpdatePacingRate();
            return;
        }
        uint32_t segments = m_delivered / m_segmentBytes;
        uint32_t bytes = m_delivered - m_delivered % m_segmentBytes;
        m_notCounted += m_delivered % m_segmentBytes;
        if (m_notCounted >= m_segmentBytes)
        {
            segments += 1;
            bytes += m_segmentBytes;
            m_notCounted -= m_segmentBytes;
        }
        if (!duplicate)
        {
            m_dupAcks = 0;
        }
        const State::TcpCongState_t state = tcb->m_congState;
        if (ack < m_recover && state == State::CA_RECOVERY)
        {
            OnPartialAck(ack, oldHead, segments, bytes, now);
        }
        else if (ack < m_recover && state == State::CA_LOSS)
        {
            congestionControl->PktsAcked(tcb, segments, LastRtt());
            congestionControl->IncreaseWindow(tcb, segments);
            OnNewAck(ack, true);
        }
        else if (state == State::CA_CWR)
        {
            congestionControl->PktsAcked(tcb, segments, LastRtt());
            if (!m_setsWindow && segments >= 1)
            {
                m_recovery->DoRecovery(tcb, m_delivered, false);
            }
            OnNewAck(ack, true);
        }
        else
        {
            OnFullAck(ack, oldHead, segments, duplicate, dupAcksBefore);
        }
        UpdatePacingRate();
    }

    /// TcpSocketBase::DupAck.
    void OnDuplicate(Ticks now)
    {
        if (tcb->m_congState == State::CA_LOSS)
        {
            return;
        }
        if (tcb->m_congState != State::CA_RECOVERY)
        {
            ++m_dupAcks;
        }
        if (tcb->m_congState == State::CA_OPEN)
        {
            congestionControl->CongestionStateSet(tcb, State::CA_DISORDER);
            tcb->m_congState = State::CA_DISORDER;
        }
        if (tcb->m_congState == State::CA_RECOVERY)
        {
            if (!m_spec.sack)
            {
                m_board.AddRenoSack();
                UpdatePipeWithoutSack();
            }
            if (!m_setsWindow && !m_counted)
            {
                m_recovery->DoRecovery(tcb, m_delivered, true);
            }
        }
        else if (tcb->m_congState == State::CA_CWR && !Has(Fault::LOSS_IN_CWR))
        {
            if (m_dupAcks == DUP_ACK_THRESHOLD || m_board.IsHeadLost())
            {
                EnterRecovery(now, m_board.Head() >= m_recover);
            }
        }
        else if (tcb->m_congState == State::CA_DISORDER)
        {
#ifdef LONGFAT_PROBES
            if (m_board.HasSupplements() && !m_board.IsLostFrom(m_recover))
            {
                return;
            }
#endif
            if ((m_dupAcks == DUP_ACK_THRESHOLD && MayRecover()) || m_board.IsHeadLost())
            {
                EnterRecovery(now, true);
            }
            else if (!m_spec.sack && m_spec.limitedTransmit &&
                     (m_dupAcks < DUP_ACK_THRESHOLD || Has(Fault::LIMITED_TRANSMIT)))
            {
                m_board.AddRenoSack(); // RFC 3042: it has left the network, so another may enter
            }
        }
    }

    /// Whether the third duplicate ACK may begin a recovery. Without SACK, segments that are sent again
    /// although they have arrived cause duplicate ACKs too: for what was outstanding at the last
    /// loss, and right after it, none counts (RFC 6582, 3.2, step 2).
    bool MayRecover() const
    {
        return m_spec.sack || Has(Fault::RECOVER_REACHED)
                   ? m_board.Head() >= m_recover || !m_recoverActive
                   : m_board.Head() > m_recover || m_recover == 0;
    }

    /// TcpSocketBase::EnterRecovery; `reduces`: the window has not been reduced for a mark before.
    void EnterRecovery(Ticks now, bool reduces)
    {
#ifdef LONGFAT_PROBES
        if (m_own.Suspends(false))
        {
            return;
        }
#endif
        if (!m_spec.sack)
        {
            m_board.AddRenoSack();
            m_board.MarkHeadAsLost();
        }
        else if (!m_board.IsHeadLost())
        {
            m_board.MarkHeadAsLost();
        }
        BeginRecovery(reduces, m_dupAcks, m_board.SentBytes());
        SendSegment(m_board.Head(), now);
    }

    void BeginRecovery(bool reduces, uint32_t dupAcks, uint32_t outstanding)
    {
#ifdef LONGFAT_HELPERS
        reduces = reduces && !KeepsWindow();
#endif
        m_recover = m_board.Next();
        m_recoverActive = true;
        m_reducedAfter = m_board.Transmissions();
        ++count.recoveries;
        congestionControl->CongestionStateSet(tcb, State::CA_RECOVERY);
        tcb->m_congState = State::CA_RECOVERY;
        const uint32_t pipe = BytesInFlight() + (m_spec.sack ? 0 : m_segmentBytes);
        if (reduces)
        {
            tcb->m_ssThresh = congestionControl->GetSsThresh(tcb, FlightSize(pipe));
        }
#ifdef LONGFAT_ROUTERS
        m_routers.OnLoss(m_board.Head());
#endif
        if (!m_setsWindow)
        {
            m_recovery->EnterRecovery(tcb, dupAcks, outstanding, m_delivered);
        }
    }

#ifdef LONGFAT_HELPERS
    /// A loss that the link has told to be its own (ELN) is repaired at the window that there is; one
    /// that it has not, at a lower one, be it found later in the same recovery.
    bool KeepsWindow()
    {
        if (m_keptWindow == 0 && m_lostByLink)
        {
            m_keptWindow = tcb->m_cWnd;
            m_keptThreshold = tcb->m_ssThresh;
        }
        if (m_keptWindow > 0 && m_lostByLink)
        {
            tcb->m_ssThresh = m_keptWindow;
            return true;
        }
        m_keptWindow = 0;
        return false;
    }

    void ReduceAfterAll()
    {
        m_keptWindow = 0;
        tcb->m_ssThresh = congestionControl->GetSsThresh(tcb, FlightSize(BytesInFlight()));
        if (!m_setsWindow)
        {
            const uint64_t outstanding = m_board.SentBytes() - m_board.SackedBytes();
            m_recovery->EnterRecovery(tcb, 1, outstanding + m_delivered, m_delivered);
        }
    }
#endif
    /// A retransmission since the last reduction is lost: the window is lowered again, and another
    /// recovery begins (RFC 5681, 4.3), from what was not reported before this ACK. Returns false
    /// where there is none to follow.
    bool OnRetransmissionLost()
    {
        if (tcb->m_congState != State::CA_RECOVERY && tcb->m_congState != State::CA_LOSS)
        {
            return false;
        }
        BeginRecovery(true, 1, m_board.SentBytes() - m_board.SackedBytes() + m_delivered);
        return true;
    }

    /// An ACK that advances during recovery, but not to its end.
    void OnPartialAck(uint64_t ack, uint64_t oldHead, uint32_t segments, uint32_t bytes, Ticks now)
    {
#ifdef LONGFAT_HELPERS
        if (m_keptWindow > 0 && !m_lostByLink && (!m_spec.sack || m_board[ack].lost))
        {
            ReduceAfterAll();
        }
#endif
        if (!m_spec.sack)
        {
            m_board.MarkHeadAsLost();
            UpdatePipeWithoutSack();
        }
        if (!m_setsWindow && !m_counted && segments >= 1)
        {
            m_recovery->DoRecovery(tcb, m_delivered, false);
        }
        const SentSegment& head = m_board[ack];
        const bool sendsAtOnce = !m_spec.sack || Has(Fault::PARTIAL_ACK_BURST);
        if (sendsAtOnce && (head.sacked || !head.retransmitted))
        {
            // The application has not yet heard that there is room in the send buffer.
            const uint64_t written = std::min(m_available, RoomFrom(oldHead));
            uint64_t next;
            if (!m_board.NextSegment(written, m_window, false, &next))
            {
                next = ack;
            }
            tcb->m_nextTxSequence = Sequence(next);
            SendSegment(next, now);
            tcb->m_cWndInfl -= std::min(tcb->m_cWndInfl.Get(), bytes);
        }
        congestionControl->PktsAcked(tcb, 1, LastRtt());
        // The impatient variant of RFC 6582, 4, is for those without SACK.
        OnNewAck(ack, m_firstPartialAck || (m_spec.sack && !Has(Fault::IMPATIENT_TIMER)));
        m_firstPartialAck = false;
    }

    /// An ACK that advances, outside of a recovery or to its end.
    [[gnu::always_inline]]
    void OnFullAck(
        uint64_t ack, uint64_t oldHead, uint32_t segments, bool duplicate, uint32_t dupAcksBefore)
    {
        bool recovered = false;
        if (tcb->m_congState == State::CA_OPEN)
        {
            congestionControl->PktsAcked(tcb, segments, LastRtt());
        }
        else if (tcb->m_congState == State::CA_DISORDER)
        {
            // What SACK reported was counted then; what duplicate ACKs told of was not.
            const bool counted = m_spec.sack && !Has(Fault::DISORDER_CREDIT);
            const uint32_t before = counted ? 0 : dupAcksBefore;
            if (segments >= before)
            {
                congestionControl->PktsAcked(tcb, segments - before, LastRtt());
            }
            if (!duplicate)
            {
                congestionControl->CongestionStateSet(tcb, State::CA_OPEN);
                tcb->m_congState = State::CA_OPEN;
            }
        }
        else if (tcb->m_congState == State::CA_RECOVERY)
        {
            m_firstPartialAck = true;
            if (Has(Fault::RECOVERY_CREDIT))
            {
                segments = (m_stream.Offset(ack) - m_stream.Offset(oldHead)) / m_segmentBytes;
            }
            congestionControl->PktsAcked(tcb, segments, LastRtt());
            congestionControl->CwndEvent(tcb, State::CA_EVENT_COMPLETE_CWR);
            congestionControl->CongestionStateSet(tcb, State::CA_OPEN);
            tcb->m_congState = State::CA_OPEN;
            recovered = true;
            m_dupAcks = 0;
        }
        else if (tcb->m_congState == State::CA_LOSS)
        {
            m_firstPartialAck = true;
            if (Has(Fault::RECOVERY_CREDIT))
            {
                segments = (m_stream.Offset(ack) - m_stream.Offset(m_recover)) / m_segmentBytes;
            }
            congestionControl->PktsAcked(tcb, segments, LastRtt());
            congestionControl->CongestionStateSet(tcb, State::CA_OPEN);
            tcb->m_congState = State::CA_OPEN;
        }
        if (ack >= m_recover)
        {
            m_recoverActive = false;
        }
        if (recovered)
        {
            OnNewAck(ack, true);
            if (!m_setsWindow || Has(Fault::WINDOW_OVERWRITTEN))
            {
                tcb->m_cWnd = tcb->m_ssThresh.Get();
                m_recovery->ExitRecovery(tcb);
            }
#ifdef LONGFAT_HELPERS
            if (m_keptWindow > 0)
            {
                tcb->m_ssThresh = m_keptThreshold;
                m_keptWindow = 0;
            }
#endif
        }
#ifdef LONGFAT_ROUTERS
        if (recovered)
        {
            m_routers.OnRecovered();
        }
#endif
        if (tcb->m_congState == State::CA_OPEN)
        {
            congestionControl->IncreaseWindow(tcb, segments);
            tcb->m_cWndInfl = tcb->m_cWnd;
            OnNewAck(ack, true);
        }
    }

    /// TcpSocketBase::NewAck.
    [[gnu::always_inline]]
    void OnNewAck(uint64_t ack, bool restartTimer)
    {
        m_retries = 0;
        if (restartTimer)
        {
            m_roundTrip.OnProgress();
            m_retransmitTimer.Set(m_roundTrip.timeout);
        }
        const ns3::SequenceNumber32 sequence = Sequence(ack);
        if (sequence > tcb->m_nextTxSequence)
        {
            tcb->m_nextTxSequence = sequence;
        }
        if (ack == Written())
        {
            m_retransmitTimer.Stop();
        }
    }

    // Segments leave

    /// The first segment that the application has not written.
    uint64_t Written() const
    {
        return std::min(m_available, Room());
    }

    /// The first that the send buffer has no room for when that segment is its first.
    uint64_t RoomFrom(uint64_t head) const
    {
        return m_established ? head + m_sendBufferSegments : 0;
    }

    void SetSendBuffer(uint32_t bytes)
    {
        m_sendBuffer = bytes;
        m_sendBufferSegments = bytes / m_segmentBytes;
    }

    /// Twice the congestion window, so that there is data to send while the window doubles.
    void GrowSendBuffer()
    {
        const uint32_t wanted = 2 * std::min(tcb->m_cWnd.Get(), LARGEST_AUTO_BUFFER / 2);
        if (wanted > m_sendBuffer)
        {
            SetSendBuffer(wanted);
        }
    }

    uint32_t BytesInFlight()
    {
        const uint32_t bytes = m_board.BytesInFlight();
        tcb->m_bytesInFlight = bytes;
        return bytes;
    }

    /// What the ACK at hand has changed counts in the recovery's answer to it (RFC 9937, 6).
    void UpdatePipeWithoutSack()
    {
        if (!Has(Fault::STALE_PIPE))
        {
            BytesInFlight();
        }
    }

    /// What may be sent, by the m_bytesInFlight that was worked out last.
    uint32_t AvailableWindow() const
    {
        const uint32_t window = std::min(m_window, tcb->m_cWnd.Get());
        const uint32_t inFlight = tcb->m_bytesInFlight.Get();
        return inFlight > window ? 0 : window - inFlight;
    }

    void OnSendSoon()
    {
        m_sendIsDue = false;
        SendPending(m_events.Now());
    }

    /// TcpSocketBase::SendPendingData (RFC 6675, section 5, C).
    void SendPending(Ticks now)
    {
        if (m_spec.sendBufferBytes == 0)
        {
            GrowSendBuffer();
        }
#ifdef LONGFAT_PROBES
        if (m_own.IsSuspended())
        {
            return;
        }
#endif
        const uint64_t written = Written();
        if (m_board.Head() == written)
        {
            return;
        }
        BytesInFlight();
        for (uint32_t room = AvailableWindow(); room > 0; room = AvailableWindow())
        {
            if (IsPacing() && m_pacingTimer.IsRunning())
            {
                return;
            }
            const bool inRecovery = m_spec.sack && tcb->m_congState == State::CA_RECOVERY;
            uint64_t next;
            if (!m_board.NextSegment(written, m_window, inRecovery, &next) ||
                room < m_stream.Size(next))
            {
                return;
            }
            const ns3::SequenceNumber32 sequence = Sequence(next);
            if (tcb->m_nextTxSequence != sequence)
            {
                tcb->m_nextTxSequence = sequence;
            }
            if (tcb->m_bytesInFlight.Get() == 0)
            {
                congestionControl->CwndEvent(tcb, State::CA_EVENT_TX_START);
            }
            tcb->m_nextTxSequence += SendSegment(next, now);
        }
    }

    /// TcpSocketBase::SendDataPacket; returns the bytes sent.
    uint32_t SendSegment(uint64_t segment, Ticks now)
    {
        const bool idle = m_board.BytesInFlight() == 0;
        const bool again = m_board.Send(segment, now);
#ifdef LONGFAT_PROBES
        if (m_own.IsSupplement())
        {
            m_board.SetAside(segment);
        }
#endif
        if (m_setsWindow)
        {
            m_rate.OnSent(m_board[segment], idle, now);
        }
        const uint32_t bytes = m_stream.Size(segment);
        if (IsPacing() && !m_pacingTimer.IsRunning())
        {
            const ns3::DataRate rate = tcb->m_pacingRate;
            m_pacingTimer.Set(rate.CalculateBytesTxTime(bytes).GetTimeStep());
        }
        Packet& packet = Prepare(now);
        packet.number = segment;
        packet.wireBytes = HEADER_BYTES + (m_spec.timestamps ? TIMESTAMP_BYTES : 0) + bytes;
        packet.flags = 0;
        if (tcb->m_ecnState != State::ECN_DISABLED && !again)
        {
            packet.flags = Packet::ECT;
            if (tcb->m_ecnState == State::ECN_ECE_RCVD &&
                (m_echoed > m_reduced || !Has(Fault::ECHO_IN_RECOVERY)))
            {
                tcb->m_ecnState = State::ECN_CWR_SENT;
                m_reduced = segment;
                packet.flags |= Packet::CWR;
            }
        }
#ifdef LONGFAT_ROUTERS
        m_routers.OnSegment(packet.router);
#endif
        // With SACK the timer waits for the last transmission of the head (RFC 6675, 6; as in Linux).
        const bool waitsAnew = again && m_spec.sack && segment == m_board.Head();
        if (!m_retransmitTimer.IsRunning() || (waitsAnew && !Has(Fault::IMPATIENT_TIMER)))
        {
            m_retransmitTimer.Set(m_roundTrip.timeout);
        }
        ++count.segments;
        count.retransmissions += again;
#ifdef LONGFAT_PROBES
        packet.own.low = m_own.IsLowPriority();
#endif
        m_forth.first->Send(packet, now);
#ifdef LONGFAT_PROBES
        if (m_own.IsSupplement()) // it counts in no window and no recovery
        {
            tcb->m_highTxMark = Sequence(segment + 1);
            return bytes;
        }
#endif
        tcb->m_isCwndLimited = tcb->m_cWnd < BytesInFlight() + m_segmentBytes;
        if (tcb->m_congState == State::CA_RECOVERY || tcb->m_congState == State::CA_CWR)
        {
            m_recovery->UpdateBytesSent(bytes);
        }
        if (!again)
        {
            tcb->m_highTxMark = Sequence(segment + 1);
        }
        return bytes;
    }

    Packet& Prepare(Ticks now)
    {
        m_packet.route = &m_forth;
#ifdef LONGFAT_ROUTERS
        m_packet.router = {};
#endif
#ifdef LONGFAT_HELPERS
        m_packet.route = m_forth.current ? m_forth.current : &m_forth;
#endif
        m_packet.sent = now;
        m_packet.echo = m_roundTrip.latest;
        m_packet.sackBlocks = 0;
#ifdef LONGFAT_PROBES
        m_packet.own = {};
#endif
#ifdef LONGFAT_PTP
        m_packet.query.Clear();
#endif
        return m_packet;
    }

    /// While the receiver has no room and nothing is in flight that could tell when it has, ask, at
    /// growing intervals (RFC 9293, 3.8.6.1).
    void KeepAsking()
    {
        if (m_window >= m_segmentBytes || m_board.Next() > m_board.Head())
        {
            m_persistTimer.Stop();
            m_persistTimeout = PERSIST_TIMEOUT;
        }
        else if (!m_persistTimer.IsRunning())
        {
            m_retransmitTimer.Stop();
            m_persistTimer.Set(m_persistTimeout);
        }
    }

    void OnPersist()
    {
        const Ticks now = m_events.Now();
        m_persistTimeout = std::min(2 * m_persistTimeout, LONGEST_TIMEOUT);
        m_persistTimer.Set(m_persistTimeout);
        Packet& probe = Prepare(now);
        probe.flags = Packet::ACK | Packet::PROBE;
        probe.wireBytes = AckWireBytes(m_spec.timestamps, 0) + 1;
        m_forth.first->Send(probe, now);
    }

    /// TcpSocketBase::ReTxTimeout.
    void OnRetransmitTimeout()
    {
        if (m_board.Head() == Written() || m_retries == DATA_RETRIES)
        {
            return;
        }
#ifdef LONGFAT_PROBES
        if (m_own.Suspends(true))
        {
            return;
        }
#endif
        const Ticks now = m_events.Now();
        ++m_retries;
        ++count.timeouts;
#ifdef LONGFAT_HELPERS
        m_keptWindow = 0;
#endif
        const uint32_t pipe = BytesInFlight();
        m_dupAcks = 0;
        m_board.MarkAllAsLost();
        m_recover = m_board.Next();
        m_recoverActive = true;
        m_reducedAfter = m_board.Transmissions();
        m_roundTrip.BackOff(m_board.Next());
        if (m_retries == 1 || Has(Fault::TIMEOUT_CUTS_AGAIN)) // else held constant (RFC 5681, 3.1)
        {
            const uint32_t outstanding = m_board.SentBytes();
            tcb->m_ssThresh =
                congestionControl->GetSsThresh(tcb,
                                               Has(Fault::PIPE_AS_FLIGHT) ? pipe : outstanding);
        }
        congestionControl->CwndEvent(tcb, State::CA_EVENT_LOSS);
#ifdef LONGFAT_ROUTERS
        m_routers.OnTimeout();
#endif
        congestionControl->CongestionStateSet(tcb, State::CA_LOSS);
        tcb->m_congState = State::CA_LOSS;
        tcb->m_cWnd = m_segmentBytes;
        tcb->m_cWndInfl = tcb->m_cWnd;
        m_pacingTimer.Stop();
        SendPending(now);
    }

    // Pacing

    bool IsPacing() const
    {
        return tcb->m_pacing && (tcb->m_paceInitialWindow || m_board.Next() >= tcb->m_initialCWnd);
    }

    void OnPacing()
    {
        SendPending(m_events.Now());
    }

    /// TcpSocketBase::UpdatePacingRate.
    [[gnu::always_inline]]
    void UpdatePacingRate()
    {
#ifdef LONGFAT_ROUTERS
        if (m_routers.KeepsPace())
        {
            return;
        }
#endif
#ifdef LONGFAT_PTP
        if (m_asker.SetsPace())
        {
            return;
        }
#endif
        if (m_setsWindow || !tcb->m_pacing)
        {
            return;
        }
        const bool early = tcb->m_cWnd < tcb->m_ssThresh / 2;
        const double factor = (early ? tcb->m_pacingSsRatio : tcb->m_pacingCaRatio) / 100.0;
        const uint32_t bytes = std::max(tcb->m_cWnd.Get(), tcb->m_bytesInFlight.Get());
        const ns3::DataRate rate(
            static_cast<uint64_t>(bytes * 8 * factor / tcb->m_srtt.Get().GetSeconds()));
        tcb->m_pacingRate = std::min(rate, tcb->m_maxPacingRate);
    }

    /// Where a segment begins, as a TCP header numbers it: after the SYN, in 32 bits.
    ns3::SequenceNumber32 Sequence(uint64_t segment) const
    {
        return ns3::SequenceNumber32(static_cast<uint32_t>(1 + m_stream.Offset(segment)));
    }

    bool Has(Fault fault) const
    {
        return Faults(m_spec.faults).Has(fault);
    }

    /// The round trip that PktsAcked is told.
    ns3::Time LastRtt() const
    {
        return Has(Fault::SMOOTHED_RTT) ? tcb->m_srtt.Get() : tcb->m_lastRtt.Get();
    }

    static ns3::Ptr<ns3::TcpRecoveryOps> MakeRecovery(const FlowSpec& spec)
    {
        if (spec.recovery == "longfat::TcpHalving")
        {
            return ns3::CreateObject<TcpHalving>();
        }
        auto prr = ns3::CreateObject<TcpPrr>();
        const auto set = [&](const char* attribute, Fault fault) {
            prr->SetAttribute(attribute, ns3::BooleanValue(Faults(spec.faults).Has(fault)));
        };
        set("Overflow", Fault::PRR_OVERFLOW);
        set("CountsTwice", Fault::PRR_COUNTS_TWICE);
        set("FromPipe", Fault::PRR_FROM_PIPE);
        set("UnsafeAck", Fault::PRR_UNSAFE_ACK);
        return prr;
    }

    /// A new object of that class, which is derived from T.
    template <class T>
    static ns3::Ptr<T> Make(const std::string& type)
    {
        ns3::TypeId found;
        ns3::TypeId::LookupByNameFailSafe(type, &found);
        return ns3::Ptr<T>(static_cast<T*>(found.Make()));
    }

    EventQueue& m_events;
    const FlowSpec& m_spec;
    const Stream& m_stream;
    const Route& m_forth;
    Scoreboard m_board;
    DeliveryRate m_rate;
    RoundTrip m_roundTrip;
    ns3::Ptr<ns3::TcpRecoveryOps> m_recovery;
    OneWayDelaySignal* m_oneWayDelay{nullptr}; //!< if the congestion control wants it
    HandoffSignal* m_handoff{nullptr};         //!< the same
    bool m_setsWindow{false};                  //!< it does, itself (HasCongControl)
    const uint32_t m_segmentBytes;
    bool m_established{false};
    uint32_t m_syns{0};  //!< sent
    Ticks m_synSent{-1}; //!< -1: it was sent twice
    Ticks m_persistTimeout{PERSIST_TIMEOUT};
    uint32_t m_sendBuffer{0};         //!< in bytes
    uint32_t m_sendBufferSegments{0}; //!< the same, in whole segments
    uint64_t m_available{0};          //!< the application has no segment from that one on
    uint32_t m_window{0};             //!< advertised by the receiver, in bytes
    uint32_t m_delivered{0};          //!< bytes newly delivered, by the ACK at hand
    bool m_counted{false};            //!< that ACK has begun a recovery, which has counted it
    uint32_t m_notCounted{0};         //!< bytes delivered, not yet counted as a segment
    uint32_t m_dupAcks{0};
    uint64_t m_recover{0};      //!< RecoveryPoint: first segment not sent before the loss
    uint64_t m_reducedAfter{0}; //!< so many transmissions the window was last reduced
    bool m_recoverActive{false};
    bool m_firstPartialAck{true};
    uint32_t m_retries{0}; //!< timeouts since the last ACK that advanced
    uint64_t m_echoed{0};  //!< highest ACK number with an ECN echo that counted
    uint64_t m_reduced{0}; //!< segment that told the receiver of the last reduction
    Packet m_packet{};
#ifdef LONGFAT_ROUTERS
    RouterSender m_routers{tcb, m_spec};
#endif
    Timer<Sender, &Sender::OnRetransmitTimeout> m_retransmitTimer;
    Timer<Sender, &Sender::OnPacing> m_pacingTimer;
    Timer<Sender, &Sender::SendSyn> m_synTimer;
    Timer<Sender, &Sender::OnPersist> m_persistTimer;
    Event m_sendSoon;
    bool m_sendIsDue{false};
#ifdef LONGFAT_PROBES
    OwnPacketsOf<Sender> m_own{m_events, *this};
#endif
#ifdef LONGFAT_PTP
    PathAskerOf<Sender> m_asker{m_events, *this};
#endif
#ifdef LONGFAT_HELPERS
    bool m_lostByLink{false};    //!< what the ACK at hand asks for, as the link has told
    uint32_t m_keptWindow{0};    //!< during a recovery that does not reduce it; 0: it does
    uint32_t m_keptThreshold{0}; //!< from before it
#endif
};

} // namespace longfat::segment

#endif
