// SPDX-License-Identifier: GPL-2.0-only
//
// A queue that makes room, when it is full, by dropping what has a low priority (own-packets.h).

#ifndef LONGFAT_NS3_PRIORITY_QUEUE_H
#define LONGFAT_NS3_PRIORITY_QUEUE_H

#include "own-packets.h"

#include "ns3/packet.h"
#include "ns3/queue.h"

#include <iterator>

namespace longfat
{

/// `DropTail` is a drop-tail queue.
template <class DropTail>
class PriorityQueue : public DropTail
{
  public:
    using DropTail::DropTail;

    bool Enqueue(ns3::Ptr<ns3::Packet> packet) override
    {
        while (!IsLow(*packet) && this->GetCurrentSize() + packet > this->GetMaxSize() && PushOut())
        {
        }
        return DropTail::Enqueue(packet);
    }

  private:
    using Items = ns3::Queue<ns3::Packet>;

    static bool IsLow(const ns3::Packet& packet)
    {
        OwnTag tag;
        return packet.PeekPacketTag(tag) && tag.IsLow();
    }

    /// Drop the last packet of low priority. Returns false when there is none.
    bool PushOut()
    {
        const auto& waiting = Items::GetContainer();
        for (auto at = waiting.end(); at != waiting.begin();)
        {
            if (IsLow(**--at))
            {
                Items::DoRemove(at);
                return true;
            }
        }
        return false;
    }
};

} // namespace longfat

#endif
