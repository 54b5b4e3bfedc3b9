// SPDX-License-Identifier: GPL-2.0-only
//
// Controlled delay (RFC 8289, sections 4 and 5): what has waited too long for too long is dropped, or
// marked, as it leaves the queue.

#ifndef LONGFAT_SEGMENT_CODEL_H
#define LONGFAT_SEGMENT_CODEL_H

#include "queue.h"

#include <algorithm>
#include <cmath>

namespace longfat::segment
{

class CoDelQueue final : public Queue
{
  public:
    CoDelQueue(const LinkSpec& link, const CoDel& spec, PacketCount& count)
        : Queue(link, count),
          m_target(FromSeconds(spec.targetS)),
          m_interval(FromSeconds(spec.intervalS)),
          m_ecn(spec.ecn)
    {
    }

    bool Dequeue(Packet* packet, Ticks now) override
    {
        bool late = false;
        bool had = PopAndJudge(packet, now, &late);
        if (m_isDropping)
        {
            m_isDropping = late;
            while (m_isDropping && now >= m_next)
            {
                ++m_drops;
                if (IsMarked(*packet))
                {
                    m_next = After(m_next);
                    return true;
                }
                ++m_count.early;
                had = PopAndJudge(packet, now, &late);
                m_isDropping = late;
                m_next = late ? After(m_next) : m_next;
            }
        }
        else if (late)
        {
            if (!IsMarked(*packet))
            {
                ++m_count.early;
                had = PopAndJudge(packet, now, &late);
            }
            m_isDropping = true;
            // Where it left off not long ago, the rate of then is nearer than that of the beginning.
            const uint64_t lately = m_drops - m_dropsBefore;
            m_drops = lately > 1 && now - m_next < 16 * m_interval ? lately : 1;
            m_next = After(now);
            m_dropsBefore = m_drops;
        }
        return had;
    }

  private:
    /// dodequeue: `late` if packets have waited for the target or longer, for an interval.
    bool PopAndJudge(Packet* packet, Ticks now, bool* late)
    {
        Ticks since;
        *late = false;
        if (!Pop(packet, &since))
        {
            m_firstAbove = 0;
            return false;
        }
        m_largest = std::max<uint64_t>(m_largest, packet->wireBytes);
        if (now - since < m_target || Bytes() <= m_largest)
        {
            m_firstAbove = 0;
        }
        else if (m_firstAbove == 0)
        {
            m_firstAbove = now + m_interval;
        }
        else
        {
            *late = now >= m_firstAbove;
        }
        return true;
    }

    /// The control law: the interval, shorter by the square root of the drops.
    Ticks After(Ticks time) const
    {
        const double drops = static_cast<double>(m_drops);
        return time + static_cast<Ticks>(static_cast<double>(m_interval) / std::sqrt(drops));
    }

    bool IsMarked(Packet& packet)
    {
        const uint8_t flags = packet.flags;
        const bool marked = m_ecn && Mark(packet);
        m_count.marked += packet.flags != flags;
        return marked;
    }

    const Ticks m_target;
    const Ticks m_interval;
    const bool m_ecn;
    uint64_t m_largest{0};     //!< packet so far: below that there is no standing queue
    Ticks m_firstAbove{0};     //!< an interval after the delay went above the target; 0: it is not
    Ticks m_next{0};           //!< when to drop next
    uint64_t m_drops{0};       //!< since it began to drop
    uint64_t m_dropsBefore{0}; //!< the same, when it last began
    bool m_isDropping{false};
};

} // namespace longfat::segment

#endif
