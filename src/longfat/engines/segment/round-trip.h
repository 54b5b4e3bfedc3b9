// SPDX-License-Identifier: GPL-2.0-only
//
// The round-trip times that a sender measures, and its retransmission timeout (RFC 6298, RFC 7323),
// as TcpSocketBase::EstimateRtt has them.

#ifndef LONGFAT_SEGMENT_ROUND_TRIP_H
#define LONGFAT_SEGMENT_ROUND_TRIP_H

#include "connection.h"

#include "ns3/tcp-socket-state.h"

namespace longfat::segment
{

class RoundTrip
{
  public:
    RoundTrip(ns3::Ptr<ns3::TcpSocketState> tcb, const FlowSpec& spec)
        : m_tcb(tcb),
          m_timestamps(spec.timestamps),
          m_faults(spec.faults),
          m_minTimeout(FromSeconds(spec.minRtoS))
    {
        UpdateUsualTimeout();
    }

    /// The SYN left then, or was sent twice: -1.
    void OnSynAck(const Packet& ack, Ticks sent, Ticks now)
    {
        if (m_timestamps)
        {
            Add(SinceTimestamp(ack.echo, now));
        }
        else if (sent >= 0)
        {
            Add(now - sent);
        }
        else if (!m_faults.Has(Fault::SYN_TIMEOUT))
        {
            m_usualTimeout = std::max(TIMEOUT_AFTER_SYN, m_minTimeout);
        }
        ResetTimeout();
    }

    /// Measure, from the first segment not yet timed, if the ACK covers it.
    [[gnu::always_inline]]
    void OnAck(const Packet& ack, Scoreboard& board, Ticks now)
    {
        TakeTimestamps(ack);
        if (m_untimed >= ack.number)
        {
            return;
        }
        if (m_timestamps)
        {
            Add(SinceTimestamp(ack.echo, now));
        }
        else
        {
            const SentSegment& first = board[m_untimed];
            const SentSegment& last = board[ack.number - 1];
            if (!last.ambiguous)
            {
                m_tcb->m_lastRtt = ns3::TimeStep(now - last.firstSent);
                UpdateLeast(now - last.firstSent);
            }
            if (!first.ambiguous)
            {
                AddToEstimate(now - first.firstSent);
            }
        }
        m_untimed = ack.number;
    }

    void TakeTimestamps(const Packet& ack)
    {
        const auto value = static_cast<uint32_t>(Milliseconds(ack.sent));
        if (m_timestamps && value >= m_tcb->m_rcvTimestampValue)
        {
            latest = ack.sent;
            m_tcb->m_rcvTimestampValue = value;
            m_tcb->m_rcvTimestampEchoReply = static_cast<uint32_t>(Milliseconds(ack.echo));
        }
    }

    /// The timer has expired. What has been sent, all before `next`, is not timed (Karn), unless
    /// timestamps tell which transmission has arrived (RFC 7323, 4.1).
    void BackOff(uint64_t next)
    {
        timeout = std::min(2 * timeout, LONGEST_TIMEOUT);
        if (!m_timestamps || m_faults.Has(Fault::BACKOFF_FORGOTTEN))
        {
            m_untimed = next;
        }
    }

    /// The timeout that follows from the round trips; undoes a back-off.
    void ResetTimeout()
    {
        timeout = m_usualTimeout;
    }

    /// New data have been acknowledged. Only a round trip undoes a back-off (RFC 6298, 5).
    void OnProgress()
    {
        if (m_faults.Has(Fault::BACKOFF_FORGOTTEN))
        {
            ResetTimeout();
        }
    }

    Ticks timeout{0}; //!< retransmission timeout
    Ticks latest{0};  //!< latest timestamp that has come

  private:
    static Ticks SinceTimestamp(Ticks echo, Ticks now)
    {
        const Ticks elapsed = Milliseconds(now) - Milliseconds(echo);
        return elapsed > 0 ? 1'000'000 * elapsed : 1000; // ns-3 takes 0 for a microsecond
    }

    [[gnu::always_inline]]
    void Add(Ticks rtt)
    {
        m_tcb->m_lastRtt = ns3::TimeStep(rtt);
        UpdateLeast(rtt);
        AddToEstimate(rtt);
    }

    /// SRTT and RTTVAR of RFC 6298, in whole nanoseconds (V. Jacobson, "Congestion avoidance and
    /// control", 1988, appendix A), as ns-3's RttMeanDeviation.
    [[gnu::always_inline]]
    void AddToEstimate(Ticks rtt)
    {
        if (m_samples++ == 0)
        {
            m_smoothed = rtt;
            m_variation = rtt / 2;
        }
        else
        {
            const Ticks error = rtt - m_smoothed;
            m_smoothed = (8 * m_smoothed + error) >> 3;
            m_variation = (4 * m_variation + (error < 0 ? -error : error) - m_variation) >> 2;
        }
        UpdateUsualTimeout();
        ResetTimeout();
        m_tcb->m_srtt = ns3::Time(m_smoothed);
        if (m_faults.Has(Fault::SMOOTHED_RTT) && ns3::Time(m_smoothed) < m_tcb->m_minRtt)
        {
            m_tcb->m_minRtt = ns3::Time(m_smoothed);
        }
    }

    void UpdateLeast(Ticks rtt)
    {
        if (!m_faults.Has(Fault::SMOOTHED_RTT) && ns3::Time(rtt) < m_tcb->m_minRtt)
        {
            m_tcb->m_minRtt = ns3::Time(rtt);
        }
    }

    /// The estimate has changed.
    void UpdateUsualTimeout()
    {
        constexpr Ticks GRANULARITY = 1'000'000;
        m_usualTimeout =
            std::max(m_smoothed + std::max(GRANULARITY, 4 * m_variation), m_minTimeout);
    }

    const ns3::Ptr<ns3::TcpSocketState> m_tcb;
    static constexpr Ticks TIMEOUT_AFTER_SYN = 3'000'000'000; //!< that was lost (RFC 6298, 5.7)

    const bool m_timestamps;
    const Faults m_faults;
    const Ticks m_minTimeout;
    uint64_t m_samples{0};
    Ticks m_smoothed{1'000'000'000}; //!< SRTT; before the first sample, ns-3's guess
    Ticks m_variation{0};            //!< RTTVAR
    Ticks m_usualTimeout{0};         //!< that follows from the round trips, without a back-off
    uint64_t m_untimed{0};           //!< first segment that no round trip has been taken from
};

} // namespace longfat::segment

#endif
