// SPDX-License-Identifier: GPL-2.0-only
//
// The queue in front of a link that has helpers: drop-tail, or managed actively (red.h, codel.h,
// pie.h). What RFC 3168 (section 5) lets a queue do to a packet in place of dropping it, it does
// here: the packet says whether it can be marked.

#ifndef LONGFAT_SEGMENT_QUEUE_H
#define LONGFAT_SEGMENT_QUEUE_H

#include "link.h"

namespace longfat::segment
{

/// Random numbers of helpers have streams of their own, from there on, so that no other moves:
/// a few for each link. Senders' begin at 1,000,000.
constexpr int64_t FIRST_HELPER_STREAM = 500'000;

enum class HelperStream
{
    QUEUE,
    BURSTS,
    ARQ,
    COUNT,
};

inline int64_t
StreamOf(HelperStream use, uint64_t link)
{
    return FIRST_HELPER_STREAM + static_cast<int64_t>(link) * int64_t(HelperStream::COUNT) +
           int64_t(use);
}

/// A drop-tail queue. One that is managed decides in Admits, when a packet comes, or in Dequeue.
class Queue
{
  public:
    Queue(const LinkSpec& spec, PacketCount& count)
        : m_count(count),
          m_spec(spec)
    {
    }

    virtual ~Queue() = default;

    void Enqueue(Packet packet, Ticks now)
    {
        const uint8_t flags = packet.flags;
        if (!Admits(packet, now))
        {
            ++m_count.early;
            return;
        }
        if (Packets() + 1 > m_spec.queuePackets || m_bytes + packet.wireBytes > m_spec.queueBytes)
        {
            ++m_count.overflow;
            return;
        }
        if (m_waiting.Size() >= m_spec.markAbovePackets)
        {
            Mark(packet);
        }
        m_count.marked += packet.flags != flags;
        m_bytes += packet.wireBytes;
        m_waiting.Push() = {packet, now};
    }

    /// Take the next packet out; returns false when there is none.
    virtual bool Dequeue(Packet* packet, Ticks now)
    {
        Ticks since;
        return Pop(packet, &since);
    }

    uint64_t Packets() const
    {
        return m_waiting.Size();
    }

    uint64_t Bytes() const
    {
        return m_bytes;
    }

  protected:
    /// Whether a packet that comes is let in; it may be marked.
    virtual bool Admits(Packet& packet, Ticks now)
    {
        return true;
    }

    /// Returns false for a packet that cannot be marked: then it has to be dropped.
    static bool Mark(Packet& packet)
    {
        const bool can = packet.flags & Packet::ECT;
        packet.flags |= can ? Packet::CE : 0;
        return can;
    }

    bool Pop(Packet* packet, Ticks* since)
    {
        if (m_waiting.Empty())
        {
            return false;
        }
        *packet = m_waiting.Front().packet;
        *since = m_waiting.Front().since;
        m_bytes -= packet->wireBytes;
        m_waiting.Pop();
        return true;
    }

    PacketCount& m_count;

  private:
    struct Waiting
    {
        Packet packet;
        Ticks since;
    };

    const LinkSpec& m_spec;
    Ring<Waiting> m_waiting;
    uint64_t m_bytes{0};
};

} // namespace longfat::segment

#endif
