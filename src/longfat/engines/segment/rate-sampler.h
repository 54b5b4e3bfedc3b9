// SPDX-License-Identifier: GPL-2.0-only
//
// The delivery rate, sampled with every ACK (draft-ietf-ccwg-bbr, section 4.1): what was delivered since
// the newest segment was sent that the ACK delivers, over the time which that took. A sample begins and
// ends with its ACK; nothing of one is left in the next.

#ifndef LONGFAT_CORE_RATE_SAMPLER_H
#define LONGFAT_CORE_RATE_SAMPLER_H

#include "scoreboard.h"

namespace longfat::core
{

class RateSampler
{
  public:
    /// A segment is sent; `pipe` is with it.
    void on_sent(SentSegment& segment, Bytes pipe, uint32_t bytes, Bytes lost, Time now)
    {
        if (pipe == bytes) // nothing else is in flight
        {
            m_first_sent_time = m_delivered_time = now;
        }
        segment.first_sent_time = m_first_sent_time;
        segment.delivered_time = m_delivered_time;
        segment.delivered = m_delivered;
        segment.tx_in_flight = pipe;
        segment.lost_before = lost;
        segment.is_app_limited = m_app_limited_until > 0;
    }

    /// The application has nothing more to send although cwnd would let it: samples of what is sent
    /// until all in flight is delivered tell of the application.
    void on_app_limited(Bytes pipe)
    {
        m_app_limited_until = std::max<Bytes>(m_delivered + pipe, 1);
    }

    bool is_app_limited() const
    {
        return m_app_limited_until > 0;
    }

    /// Of the connection, so far.
    Bytes delivered() const
    {
        return m_delivered;
    }

    void begin_ack()
    {
        m_newest = nullptr;
    }

    void on_delivered(const SentSegment& segment, uint32_t bytes, Time now)
    {
        m_delivered += bytes;
        m_delivered_time = now;
        if (!m_newest || segment.order > m_newest->order)
        {
            m_newest = &segment;
            m_first_sent_time = segment.sent;
        }
    }

    /// Set what is fresh, a sample without anything, to that of this ACK.
    void take_sample(RateSample& sample, Bytes lost, Time min_rtt, Time now)
    {
        if (m_app_limited_until > 0 && m_delivered > m_app_limited_until)
        {
            m_app_limited_until = 0;
        }
        if (!m_newest)
        {
            return;
        }
        const Time send_elapsed = m_newest->sent - m_newest->first_sent_time;
        const Time ack_elapsed = now - m_newest->delivered_time;
        const Time interval = std::max(send_elapsed, ack_elapsed);
        sample.delivered = m_delivered - m_newest->delivered;
        // Shorter than any round trip: the segment was sent twice, and the first has arrived.
        sample.interval = interval < min_rtt ? 0 : interval;
        sample.prior_delivered = m_newest->delivered;
        sample.tx_in_flight = m_newest->tx_in_flight;
        sample.lost = lost - m_newest->lost_before;
        sample.is_app_limited = m_newest->is_app_limited;
        sample.is_retransmission = m_newest->ambiguous;
    }

  private:
    Bytes m_delivered{0};
    Time m_delivered_time{0};
    Time m_first_sent_time{0};
    Bytes m_app_limited_until{0}; //!< that delivered; 0: it is not limited
    /// That this ACK delivers, or null; it stays where it is until the next segment is sent.
    const SentSegment* m_newest{nullptr};
};

} // namespace longfat::core

#endif
