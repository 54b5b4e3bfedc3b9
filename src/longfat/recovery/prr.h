// SPDX-License-Identifier: GPL-2.0-only
//
// Proportional rate reduction (RFC 9937): what a sender may send while it recovers, so that what is
// in flight comes down to ssthresh in step with what arrives. For every ACK in a recovery, in bytes,
//
//     prr_delivered += DeliveredData
//     pipe > ssthresh    sndcnt = ceil(prr_delivered * ssthresh / RecoverFS) - prr_out
//     else               sndcnt = max(prr_delivered - prr_out, DeliveredData)
//                        one segment more when the ACK advances and shows no further loss (SafeACK)
//                        at most ssthresh - pipe
//     cwnd = pipe + sndcnt                      the first time at least one segment more
//
// A plain ns-3 program uses it by TcpSocketBase::SetRecoveryAlgorithm, or as the default
// "ns3::TcpL4Protocol::RecoveryType".
//
// Where ns-3's own TcpPrrRecovery of 3.44 does otherwise, a switch does as it does; with all four on
// the two classes are equal in every window.

#ifndef LONGFAT_PRR_H
#define LONGFAT_PRR_H

#include "ns3/boolean.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace longfat
{

class TcpPrr : public ns3::TcpRecoveryOps
{
    using State = ns3::TcpSocketState;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpPrr")
                .SetParent<ns3::TcpRecoveryOps>()
                .AddConstructor<TcpPrr>()
                .AddAttribute("Overflow",
                              "as ns-3 3.44: the product of two numbers of bytes has 32 bits",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpPrr::m_overflow),
                              ns3::MakeBooleanChecker())
                .AddAttribute("CountsTwice",
                              "as ns-3 3.44: a duplicate ACK is a segment beside what SACK reports",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpPrr::m_countsTwice),
                              ns3::MakeBooleanChecker())
                .AddAttribute("FromPipe",
                              "as ns-3 3.44: RecoverFS is what is in flight, not all outstanding",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpPrr::m_fromPipe),
                              ns3::MakeBooleanChecker())
                .AddAttribute("UnsafeAck",
                              "as ns-3 3.44: one segment more although the ACK shows a loss",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpPrr::m_unsafeAck),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpPrr";
    }

    ns3::Ptr<ns3::TcpRecoveryOps> Fork() override
    {
        return ns3::CopyObject<TcpPrr>(this);
    }

    /// RecoverFS is FlightSize, with SACK without what had been reported before this ACK: one segment
    /// by each duplicate ACK but this.
    void EnterRecovery(ns3::Ptr<State> tcb,
                       uint32_t dupAckCount,
                       uint32_t unAckDataCount,
                       uint32_t deliveredBytes) override
    {
        const uint32_t before = dupAckCount > 1 ? (dupAckCount - 1) * tcb->m_segmentSize : 0;
        m_out = m_delivered = 0;
        const uint32_t reported = deliveredBytes > 0 ? before : 0;
        m_recoverFs = m_fromPipe
                          ? tcb->m_bytesInFlight.Get()
                          : std::max(unAckDataCount, reported + tcb->m_segmentSize) - reported;
        m_guessed = before - reported;
        m_expectedPipe = 0;
        m_lastAck = tcb->m_lastAckedSeq;
        OnAck(tcb, deliveredBytes, true);
    }

    /// ns-3 calls this twice for an ACK that reports by SACK and advances: first as a duplicate.
    void DoRecovery(ns3::Ptr<State> tcb, uint32_t deliveredBytes, bool isDupAck) override
    {
        if (!m_countsTwice && !isDupAck && m_wasDuplicate && m_lastAck == tcb->m_lastAckedSeq)
        {
            return;
        }
        OnAck(tcb, deliveredBytes, isDupAck);
    }

    void ExitRecovery(ns3::Ptr<State> tcb) override
    {
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    void UpdateBytesSent(uint32_t bytesSent) override
    {
        m_out += bytesSent;
        m_expectedPipe += bytesSent;
    }

  private:
    void OnAck(ns3::Ptr<State> tcb, uint32_t deliveredBytes, bool isDupAck)
    {
        const bool advances = tcb->m_lastAckedSeq != m_lastAck;
        m_lastAck = tcb->m_lastAckedSeq;
        m_wasDuplicate = isDupAck;
        const uint32_t delivered = Delivered(tcb, deliveredBytes, isDupAck);
        if (delivered == 0)
        {
            return;
        }
        m_delivered += delivered;
        const uint32_t segment = tcb->m_segmentSize;
        const int64_t pipe = tcb->m_bytesInFlight.Get();
        const int64_t threshold = tcb->m_ssThresh.Get();
        const bool loses = pipe + delivered < m_expectedPipe;
        const bool safe = m_unsafeAck ? tcb->m_isRetransDataAcked : advances && !loses;
        int64_t allowed;
        if (pipe > threshold)
        {
            allowed = Proportional(threshold);
        }
        else
        {
            const int64_t room = threshold - pipe;
            // In 32 bits without a sign, a negative difference is the larger number.
            allowed = m_overflow && m_delivered < m_out
                          ? m_delivered - m_out
                          : std::max<int64_t>(m_delivered - m_out, delivered);
            allowed = std::min(allowed + (safe ? segment : 0),
                               m_overflow ? static_cast<int32_t>(room) : room);
        }
        allowed = std::max<int64_t>(allowed, m_out > 0 ? 0 : segment);
        m_expectedPipe = pipe;
        tcb->m_cWnd = static_cast<uint32_t>(pipe + allowed);
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    /// DeliveredData. Without SACK an ACK delivers as RFC 9937, section 6, guesses: a duplicate one
    /// segment, and one that advances what it acknowledges without what was guessed before.
    uint32_t Delivered(ns3::Ptr<const State> tcb, uint32_t deliveredBytes, bool isDupAck)
    {
        const uint32_t segment = tcb->m_segmentSize;
        if (m_countsTwice)
        {
            return deliveredBytes + (isDupAck && m_delivered < m_recoverFs ? segment : 0);
        }
        if (isDupAck && deliveredBytes == 0)
        {
            m_guessed += segment;
            return segment;
        }
        const uint32_t known =
            std::min(m_guessed, deliveredBytes - std::min(deliveredBytes, segment));
        m_guessed -= known;
        return deliveredBytes - known;
    }

    int64_t Proportional(int64_t threshold) const
    {
        if (!m_overflow)
        {
            return (m_delivered * threshold + m_recoverFs - 1) / m_recoverFs - m_out;
        }
        const uint32_t product = static_cast<uint32_t>(m_delivered * threshold);
        const double count = std::ceil(product * 1.0 / m_recoverFs) - static_cast<uint32_t>(m_out);
        // As x86 converts: what does not fit becomes the least number.
        return count > -2147483649.0 && count < 2147483648.0 ? static_cast<int32_t>(count)
                                                             : std::numeric_limits<int32_t>::min();
    }

    bool m_overflow{};
    bool m_countsTwice{};
    bool m_fromPipe{};
    bool m_unsafeAck{};
    int64_t m_delivered{0};    //!< prr_delivered
    int64_t m_out{0};          //!< prr_out
    int64_t m_recoverFs{0};    //!< RecoverFS
    uint32_t m_guessed{0};     //!< by duplicate ACKs without SACK, not yet acknowledged
    int64_t m_expectedPipe{0}; //!< if nothing more is delivered or lost: a smaller one tells a loss
    ns3::SequenceNumber32 m_lastAck{0};
    bool m_wasDuplicate{false}; //!< the last ACK was
};

NS_OBJECT_ENSURE_REGISTERED(TcpPrr);

} // namespace longfat

#endif
