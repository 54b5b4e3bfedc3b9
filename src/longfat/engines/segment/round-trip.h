// SPDX-License-Identifier: GPL-2.0-only
//
// Round-trip times, and the retransmission timeout that follows from them (RFC 6298).
//
// A sample is the time since a segment was sent that this ACK delivers, and none before it. Which one
// is never guessed (Karn): an ACK that delivers something that was sent twice gives no sample, unless
// its timestamp is that of the last transmission and of no other (RFC 7323); nor does one whose timestamp
// is newer than all that it delivers. Timestamps serve for nothing else here, so that they cost 12
// bytes and leave the clock as it is.
//
// Of the segments that an ACK delivers, the congestion control gets the time of the newest, which
// holds no delay of the ACK; the timeout gets that of the oldest, which the sender has waited for.

#ifndef LONGFAT_CORE_ROUND_TRIP_H
#define LONGFAT_CORE_ROUND_TRIP_H

#include "scoreboard.h"

namespace longfat::core
{

/// What an ACK tells of round trips.
class RoundTripSample
{
  public:
    RoundTripSample(bool timestamps, Time tick, Time echo)
        : m_timestamps(timestamps),
          m_tick(tick),
          m_echo(echo)
    {
    }

    /// A segment is delivered; `acknowledged`: by the cumulative acknowledgment.
    void add(const SentSegment& segment, bool acknowledged)
    {
        if (segment.ambiguous)
        {
            m_ambiguous = true;
            const bool told = m_timestamps && ticks(segment.sent) == ticks(m_echo) &&
                              ticks(segment.sent) != ticks(segment.first_sent);
            m_proven = told ? segment.sent : m_proven;
            return;
        }
        m_newest = std::max(m_newest, segment.sent);
        if (acknowledged)
        {
            m_oldest = std::min(m_oldest, segment.sent);
        }
    }

    /// For the congestion control, or NO_RTT.
    Time newest(Time now) const
    {
        if (m_ambiguous)
        {
            return m_proven > m_newest ? now - m_proven : NO_RTT;
        }
        return m_newest >= 0 && !is_of_another() ? now - m_newest : NO_RTT;
    }

    /// For the timeout, or NO_RTT.
    Time oldest(Time now) const
    {
        if (m_ambiguous || is_of_another() || m_oldest == NEVER)
        {
            return newest(now);
        }
        return now - m_oldest;
    }

    /// The sample is of a retransmission, by its timestamp.
    bool is_proven() const
    {
        return m_ambiguous;
    }

  private:
    /// The ACK answers something that was sent later, and had arrived before: what it delivers had waited
    /// at the receiver, or its own ACK was lost.
    bool is_of_another() const
    {
        return m_timestamps && ticks(m_echo) > ticks(m_newest);
    }

    Time ticks(Time time) const
    {
        return m_tick > 0 ? time / m_tick : time;
    }

    const bool m_timestamps;
    const Time m_tick;
    const Time m_echo;
    bool m_ambiguous{false}; //!< something is delivered that was sent twice
    Time m_proven{-1};       //!< when that was sent that has caused the ACK
    Time m_newest{-1};
    Time m_oldest{NEVER};
};

class RetransmissionTimeout
{
  public:
    explicit RetransmissionTimeout(Time min_rto)
        : m_min_rto(min_rto)
    {
        update();
    }

    Time srtt() const
    {
        return m_samples > 0 ? m_srtt : NO_RTT;
    }

    Time rto() const
    {
        return m_backed_off;
    }

    /// SRTT and RTTVAR (2.2 and 2.3), in whole nanoseconds (V. Jacobson, "Congestion avoidance and
    /// control", 1988, appendix A). A sample undoes a back-off; nothing else does (5).
    void on_sample(Time rtt)
    {
        if (m_samples++ == 0)
        {
            m_srtt = rtt;
            m_rttvar = rtt / 2;
        }
        else
        {
            const Time error = rtt - m_srtt;
            m_srtt = (8 * m_srtt + error) >> 3;
            m_rttvar = (4 * m_rttvar + (error < 0 ? -error : error) - m_rttvar) >> 2;
        }
        update();
    }

    /// The SYN was lost, and there is no sample (5.7).
    void on_syn_lost()
    {
        constexpr Time AFTER_SYN = 3'000'000'000;
        m_rto = m_backed_off = std::max(AFTER_SYN, m_min_rto);
    }

    /// The timer has expired (5.5).
    void back_off()
    {
        m_backed_off = backed_off(m_backed_off, 1);
    }

    /// A timeout, doubled so often. The bound is the back-off's, so that none makes a timeout shorter.
    static Time backed_off(Time timeout, uint64_t times)
    {
        constexpr Time LONGEST = 60'000'000'000;
        Time doubled = timeout;
        for (; times > 0 && doubled < LONGEST; --times)
        {
            doubled *= 2;
        }
        return std::max(timeout, std::min(doubled, LONGEST));
    }

    /// The timer had expired too early.
    void undo_back_off()
    {
        m_backed_off = m_rto;
    }

  private:
    void update()
    {
        constexpr Time GRANULARITY = 1'000'000;
        m_rto = std::max(m_srtt + std::max(GRANULARITY, 4 * m_rttvar), m_min_rto);
        m_backed_off = m_rto;
    }

    const Time m_min_rto;
    uint64_t m_samples{0};
    Time m_srtt{1'000'000'000}; //!< before the first sample as (2.1)
    Time m_rttvar{0};
    Time m_rto{0};        //!< that follows from the samples
    Time m_backed_off{0}; //!< that is in force
};

/// The round trips of a connection.
class RoundTrips
{
  public:
    explicit RoundTrips(Time min_rto)
        : timeout(min_rto)
    {
    }

    RetransmissionTimeout timeout;

    /// A sample, and what the timeout gets in its place.
    void on_sample(Time rtt, Time of_timeout)
    {
        m_latest = rtt;
        m_min = std::min(m_min, rtt);
        timeout.on_sample(of_timeout);
    }

    Time latest() const
    {
        return m_latest;
    }

    /// NEVER: none yet.
    Time min() const
    {
        return m_min;
    }

    Time srtt() const
    {
        return timeout.srtt();
    }

  private:
    Time m_latest{0};
    Time m_min{NEVER};
};

} // namespace longfat::core

#endif
