// SPDX-License-Identifier: GPL-2.0-only
//
// Random early detection (Floyd and Jacobson, "Random early detection gateways for congestion
// avoidance", 1993, figure 2 and sections 4 to 7), which RFC 2309 recommends; `gentle` is Floyd's
// "Recommendation on using the 'gentle_' variant of RED" (2000).

#ifndef LONGFAT_SEGMENT_RED_H
#define LONGFAT_SEGMENT_RED_H

#include "queue.h"

#include <cmath>

namespace longfat::segment
{

class RedQueue final : public Queue
{
  public:
    RedQueue(const LinkSpec& link, const Red& spec, PacketCount& count, int64_t stream)
        : Queue(link, count),
          m_spec(spec),
          m_rateBps(link.rateBps)
    {
        m_uniform.SetStream(stream);
    }

    bool Dequeue(Packet* packet, Ticks now) override
    {
        const bool had = Queue::Dequeue(packet, now);
        if (had && Packets() == 0)
        {
            m_idleSince = now;
        }
        return had;
    }

  private:
    bool Admits(Packet& packet, Ticks now) override
    {
        UpdateMean(packet, now);
        const double end = m_spec.gentle ? 2 * m_spec.maxPackets : m_spec.maxPackets;
        if (m_mean < m_spec.minPackets)
        {
            m_sinceLast = -1;
            return true;
        }
        if (m_mean >= end) // RFC 3168, section 7: it drops then, whatever the packet says
        {
            m_sinceLast = 0;
            return false;
        }
        ++m_sinceLast;
        const double probability = Probability();
        // Counted from the last one, so that they are uniformly apart (section 7, method 2).
        const double spread = 1 - m_sinceLast * probability;
        if (spread > 0 && m_uniform.GetValue(0, 1) >= probability / spread)
        {
            return true;
        }
        m_sinceLast = 0;
        return m_spec.ecn && Mark(packet);
    }

    /// While the queue was empty, as many packets could have come as could have been sent.
    void UpdateMean(const Packet& packet, Ticks now)
    {
        if (Packets() > 0)
        {
            m_mean += m_spec.weight * (static_cast<double>(Packets()) - m_mean);
            return;
        }
        const double packets = ToSeconds(now - m_idleSince) * m_rateBps / (8.0 * packet.wireBytes);
        m_mean *= std::pow(1 - m_spec.weight, packets);
    }

    /// p_b of section 4, and its gentle continuation.
    double Probability() const
    {
        if (m_mean < m_spec.maxPackets)
        {
            return m_spec.maxProbability * (m_mean - m_spec.minPackets) /
                   (m_spec.maxPackets - m_spec.minPackets);
        }
        return m_spec.maxProbability +
               (1 - m_spec.maxProbability) * (m_mean - m_spec.maxPackets) / m_spec.maxPackets;
    }

    const Red m_spec;
    const double m_rateBps;
    double m_mean{0};
    Ticks m_idleSince{0};
    int64_t m_sinceLast{-1}; //!< packets since the last that was dropped or marked
    ns3::UniformRandomVariable m_uniform;
};

} // namespace longfat::segment

#endif
