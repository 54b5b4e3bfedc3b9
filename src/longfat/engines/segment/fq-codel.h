// SPDX-License-Identifier: GPL-2.0-only
//
// Flow queues with controlled delay (RFC 8290): each direction of each flow waits in a queue of its own,
// and they take turns, the new ones first, by deficit round robin (sections 4.1 and 4.2). The RFC finds a
// packet's queue by a hash of its addresses and ports, and two flows may meet in one; here they do not.

#ifndef LONGFAT_CORE_FQ_CODEL_H
#define LONGFAT_CORE_FQ_CODEL_H

#include "codel.h"

#include <deque>
#include <map>

namespace longfat::core
{

class FqCoDelQueue final : public Queue
{
  public:
    FqCoDelQueue(Link& link, const FqCoDel& spec)
        : Queue(link),
          m_spec(spec)
    {
    }

    void enqueue(Packet packet, Time now) override
    {
        FlowQueue& own = m_queues.try_emplace(packet.route, m_spec, m_count).first->second;
        m_bytes += packet.wire_bytes;
        ++m_packets;
        own.bytes += packet.wire_bytes;
        own.waiting.push_back({std::move(packet), now});
        if (!own.is_listed)
        {
            own.is_listed = true;
            own.deficit = static_cast<int64_t>(m_spec.quantum_bytes);
            m_new.push_back(&own);
        }
        while (m_packets > m_link.spec.queue_packets || m_bytes > m_link.spec.queue_bytes)
        {
            drop_from_longest();
        }
    }

    bool dequeue(Waiting* first, Time now) override
    {
        while (true)
        {
            std::deque<FlowQueue*>& list = m_new.empty() ? m_old : m_new;
            if (list.empty())
            {
                return false;
            }
            FlowQueue& own = *list.front();
            if (own.deficit <= 0)
            {
                own.deficit += static_cast<int64_t>(m_spec.quantum_bytes);
                list.pop_front();
                m_old.push_back(&own);
                continue;
            }
            const bool had = own.control.dequeue(
                first,
                now,
                [&](Waiting* next) { return take(own, next); },
                [&] { return own.bytes; });
            if (had)
            {
                own.deficit -= first->packet.wire_bytes;
                return true;
            }
            // A new queue that is empty goes behind the old ones, so that it cannot be new for ever.
            list.pop_front();
            if (&list == &m_new && !m_old.empty())
            {
                m_old.push_back(&own);
            }
            else
            {
                own.is_listed = false;
            }
        }
    }

    uint64_t packets() const override
    {
        return m_packets;
    }

    uint64_t bytes() const override
    {
        return m_bytes;
    }

  private:
    static constexpr uint64_t MOST_AT_ONCE = 64; //!< dropped where there is no room (section 4.1.3)

    struct FlowQueue
    {
        FlowQueue(const FqCoDel& spec, PacketCount& count)
            : control(spec.codel, count)
        {
        }

        CoDelControl control;
        std::deque<Waiting> waiting;
        uint64_t bytes{0};
        int64_t deficit{0}; //!< bytes that it may still send in its turn
        bool is_listed{false};
    };

    bool take(FlowQueue& own, Waiting* next)
    {
        if (own.waiting.empty())
        {
            return false;
        }
        *next = std::move(own.waiting.front());
        own.waiting.pop_front();
        own.bytes -= next->packet.wire_bytes;
        m_bytes -= next->packet.wire_bytes;
        --m_packets;
        return true;
    }

    /// Half of the packets of the queue with the most bytes, from its head.
    void drop_from_longest()
    {
        FlowQueue* longest = nullptr;
        for (const auto& lists : {&m_new, &m_old})
        {
            for (FlowQueue* own : *lists)
            {
                longest = !longest || own->bytes > longest->bytes ? own : longest;
            }
        }
        Waiting dropped;
        const uint64_t half = (longest->waiting.size() + 1) / 2;
        for (uint64_t i = std::min(half, MOST_AT_ONCE); i > 0; --i)
        {
            take(*longest, &dropped);
            ++m_count.overflow;
        }
    }

    const FqCoDel m_spec;
    std::map<const Route*, FlowQueue> m_queues;
    std::deque<FlowQueue*> m_new;
    std::deque<FlowQueue*> m_old;
    uint64_t m_packets{0};
    uint64_t m_bytes{0};
};

} // namespace longfat::core

#endif
