// SPDX-License-Identifier: GPL-2.0-only
//
// The queue in front of a link whose steps have events of their own: drop-tail, or managed actively
// (red.h, codel.h, fq-codel.h, pie.h). What RFC 3168 (section 5) lets a queue do to a packet in place of dropping
// it, it does here: the packet says whether it can be marked.

#ifndef LONGFAT_CORE_QUEUE_H
#define LONGFAT_CORE_QUEUE_H

#include "link.h"

namespace longfat::core
{

/// A drop-tail queue. One that is managed decides in `admits`, when a packet comes, or in `dequeue`.
struct Waiting
{
    Packet packet;
    Time since;
};

/// Returns false for a packet that cannot be marked: then it has to be dropped.
inline bool
mark(Packet& packet)
{
    const bool can = packet.flags & Packet::ECT;
    packet.flags |= can ? Packet::CE : 0;
    return can;
}

class Queue
{
  public:
    explicit Queue(Link& link)
        : m_link(link),
          m_count(link.count)
    {
    }

    virtual ~Queue() = default;

    virtual void enqueue(Packet packet, Time now)
    {
        const auto flags = packet.flags;
        if (!admits(packet, now))
        {
            ++m_count.early;
            return;
        }
        while (!has_room(packet))
        {
            ++m_count.overflow;
            if ((packet.flags & Packet::LOW) || !push_out())
            {
                return;
            }
        }
        if (m_waiting.size() >= m_link.spec.mark_above_packets)
        {
            mark(packet);
        }
        m_count.marked += packet.flags != flags;
        m_bytes += packet.wire_bytes;
        m_low_came |= (packet.flags & Packet::LOW) != 0;
        m_waiting.push() = {std::move(packet), now};
    }

    /// Take the next packet out; returns false when there is none.
    virtual bool dequeue(Waiting* first, Time)
    {
        return pop(first);
    }

    virtual uint64_t packets() const
    {
        return m_waiting.size();
    }

    virtual uint64_t bytes() const
    {
        return m_bytes;
    }

  protected:
    /// Whether a packet that comes is let in; it may be marked.
    virtual bool admits(Packet&, Time)
    {
        return true;
    }

    bool has_room(const Packet& packet) const
    {
        return m_waiting.size() + 1 <= m_link.spec.queue_packets &&
               m_bytes + packet.wire_bytes <= m_link.spec.queue_bytes;
    }

    bool pop(Waiting* first)
    {
        if (m_waiting.empty())
        {
            return false;
        }
        *first = std::move(m_waiting.front());
        m_bytes -= first->packet.wire_bytes;
        m_waiting.pop();
        return true;
    }

    const Link& m_link;
    PacketCount& m_count;

  private:
    /// Drop the last packet of low priority. Returns false when there is none.
    bool push_out()
    {
        for (std::size_t i = m_low_came ? m_waiting.size() : 0; i-- > 0;)
        {
            if (m_waiting[i].packet.flags & Packet::LOW)
            {
                m_bytes -= m_waiting[i].packet.wire_bytes;
                m_waiting.remove(i);
                return true;
            }
        }
        return false;
    }

    Ring<Waiting> m_waiting;
    uint64_t m_bytes{0};
    bool m_low_came{false}; //!< a packet of low priority has ever come
};

} // namespace longfat::core

#endif
