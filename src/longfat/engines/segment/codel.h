// SPDX-License-Identifier: GPL-2.0-only
//
// Controlled delay (RFC 8289, sections 4 and 5): what has waited too long for too long is dropped, or
// marked, as it leaves the queue.

#ifndef LONGFAT_CORE_CODEL_H
#define LONGFAT_CORE_CODEL_H

#include "queue.h"

namespace longfat::core
{

/// What controls one queue, of which it is told how to take a packet and how many bytes wait.
class CoDelControl
{
  public:
    CoDelControl(const CoDel& spec, PacketCount& count)
        : m_spec(spec),
          m_count(count)
    {
    }

    /// Take the next packet out that is let through; returns false when there is none. `pop` takes one
    /// out of the queue, or returns false, and `bytes` returns how many are in it.
    template <class Pop, class Bytes>
    bool dequeue(Waiting* first, Time now, Pop pop, Bytes bytes)
    {
        bool late = false;
        const auto next = [&] { return pop_and_judge(first, now, &late, pop, bytes); };
        bool had = next();
        if (m_dropping)
        {
            m_dropping = late;
            while (m_dropping && now >= m_drop_next)
            {
                ++m_drops;
                if (is_marked(first->packet))
                {
                    m_drop_next = control_law(m_drop_next);
                    return true;
                }
                ++m_count.early;
                had = next();
                m_dropping = late;
                m_drop_next = late ? control_law(m_drop_next) : m_drop_next;
            }
        }
        else if (late)
        {
            if (!is_marked(first->packet))
            {
                ++m_count.early;
                had = next();
            }
            m_dropping = true;
            // Where it left off not long ago, the rate of then is nearer than that of the beginning.
            const uint64_t lately = m_drops - m_drops_before;
            m_drops = lately > 1 && now - m_drop_next < 16 * m_spec.interval ? lately : 1;
            m_drop_next = control_law(now);
            m_drops_before = m_drops;
        }
        return had;
    }

  private:
    /// dodequeue: `late` if packets have waited for the target or longer, for an interval.
    template <class Pop, class Bytes>
    bool pop_and_judge(Waiting* first, Time now, bool* late, Pop pop, Bytes bytes)
    {
        *late = false;
        if (!pop(first))
        {
            m_first_above = 0;
            return false;
        }
        m_largest = std::max<uint64_t>(m_largest, first->packet.wire_bytes);
        if (now - first->since < m_spec.target || bytes() <= m_largest)
        {
            m_first_above = 0;
        }
        else if (m_first_above == 0)
        {
            m_first_above = now + m_spec.interval;
        }
        else
        {
            *late = now >= m_first_above;
        }
        return true;
    }

    /// The interval, shorter by the square root of the drops.
    Time control_law(Time time) const
    {
        const double interval = static_cast<double>(m_spec.interval);
        return time + static_cast<Time>(interval / std::sqrt(static_cast<double>(m_drops)));
    }

    bool is_marked(Packet& packet)
    {
        const auto flags = packet.flags;
        const bool marked = m_spec.ecn && mark(packet);
        m_count.marked += packet.flags != flags;
        return marked;
    }

    const CoDel m_spec;
    PacketCount& m_count;
    uint64_t m_largest{0};      //!< packet so far: below that there is no standing queue
    Time m_first_above{0};      //!< an interval after the delay went above the target; 0: it is not
    Time m_drop_next{0};        //!< when to drop next
    uint64_t m_drops{0};        //!< since it began to drop
    uint64_t m_drops_before{0}; //!< the same, when it last began
    bool m_dropping{false};
};

class CoDelQueue final : public Queue
{
  public:
    CoDelQueue(Link& link, const CoDel& spec)
        : Queue(link),
          m_control(spec, link.count)
    {
    }

    bool dequeue(Waiting* first, Time now) override
    {
        return m_control.dequeue(
            first,
            now,
            [this](Waiting* next) { return pop(next); },
            [this] { return bytes(); });
    }

  private:
    CoDelControl m_control;
};

} // namespace longfat::core

#endif
