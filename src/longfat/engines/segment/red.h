// SPDX-License-Identifier: GPL-2.0-only
//
// Random early detection (S. Floyd and V. Jacobson, "Random early detection gateways for congestion
// avoidance", 1993, figure 2 and sections 4 to 7), which RFC 2309 recommends; `gentle` is Floyd's
// "Recommendation on using the 'gentle_' variant of RED" (2000).

#ifndef LONGFAT_CORE_RED_H
#define LONGFAT_CORE_RED_H

#include "queue.h"

namespace longfat::core
{

class RedQueue final : public Queue
{
  public:
    RedQueue(Link& link, const Red& spec, Random random)
        : Queue(link),
          m_spec(spec),
          m_random(random)
    {
    }

    bool dequeue(Waiting* first, Time now) override
    {
        const bool had = pop(first);
        if (had && packets() == 0)
        {
            m_idle_since = now;
        }
        return had;
    }

  private:
    bool admits(Packet& packet, Time now) override
    {
        update_mean(packet, now);
        const double end = m_spec.gentle ? 2 * m_spec.max_packets : m_spec.max_packets;
        if (m_mean < m_spec.min_packets)
        {
            m_since_last = -1;
            return true;
        }
        if (m_mean >= end) // RFC 3168, section 7: it drops then, whatever the packet says
        {
            m_since_last = 0;
            return false;
        }
        ++m_since_last;
        const double p = probability();
        // Counted from the last one, so that they are uniformly apart (section 7, method 2).
        const double spread = 1 - static_cast<double>(m_since_last) * p;
        if (spread > 0 && m_random.uniform() >= p / spread)
        {
            return true;
        }
        m_since_last = 0;
        return m_spec.ecn && mark(packet);
    }

    /// While the queue was empty, as many packets could have come as could have been sent.
    void update_mean(const Packet& packet, Time now)
    {
        if (packets() > 0)
        {
            m_mean += m_spec.weight * (static_cast<double>(packets()) - m_mean);
            return;
        }
        const double sent = seconds(now - m_idle_since) * m_link.rate_bps() / 8;
        m_mean *= exact_pow(1 - m_spec.weight, sent / packet.wire_bytes);
        m_idle_since = now; // if this packet is dropped, the next one counts the rest
    }

    /// p_b of section 4, and its gentle continuation.
    double probability() const
    {
        if (m_mean < m_spec.max_packets)
        {
            return m_spec.max_probability * (m_mean - m_spec.min_packets) /
                   (m_spec.max_packets - m_spec.min_packets);
        }
        return m_spec.max_probability +
               (1 - m_spec.max_probability) * (m_mean - m_spec.max_packets) / m_spec.max_packets;
    }

    const Red m_spec;
    Random m_random;
    double m_mean{0}; //!< avg, packets
    Time m_idle_since{0};
    int64_t m_since_last{-1}; //!< packets since the last that was dropped or marked
};

} // namespace longfat::core

#endif
