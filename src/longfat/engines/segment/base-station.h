// SPDX-License-Identifier: GPL-2.0-only
//
// What a base station does that knows TCP: it keeps the segments which it has sent over the radio
// until they are acknowledged, sends again those that the radio has lost, and holds back the duplicate
// acknowledgments that would have made the sender do so. Its state is soft: if it fails, the sender
// repairs as without it.
//
// Snoop: H. Balakrishnan, S. Seshan, E. Amir, R. H. Katz, "Improving TCP/IP performance over
// wireless networks" (1995), sections 3.1 and 3.2. A segment is cached when it leaves the queue, so
// that a loss in this queue, which is congestion, is left to the sender. The paper is older than
// SACK: blocks would show the sender what is being repaired, so they can be taken out (hidesSack).
//
// WTCP: K. Ratnam, I. Matta, "WTCP: an efficient mechanism for improving TCP performance over wireless
// links" (1998). When the local timer expires, one segment alone is outstanding until it is
// acknowledged; then all others are sent again. What a segment has waited here is added to its
// timestamp, so that the sender's round trip is that of the rest of the path.

#ifndef LONGFAT_SEGMENT_BASE_STATION_H
#define LONGFAT_SEGMENT_BASE_STATION_H

#include "link.h"

#include <deque>
#include <functional>
#include <map>

namespace longfat::segment
{

class BaseStationAgent
{
  public:
    BaseStationAgent(EventQueue& events, const BaseStation& spec, PacketCount& count)
        : m_events(events),
          m_spec(spec),
          m_count(count)
    {
        if (spec.failsAtS)
        {
            events.At(FromSeconds(*spec.failsAtS), [this] { Fail(); });
        }
    }

    BaseStationAgent(const BaseStationAgent&) = delete;

    std::function<void(const Packet&)> sendFirst; //!< over the radio, before all that waits
    std::function<void(const Packet&)> sendBack;  //!< towards the sender
    std::function<void()> onFree;                 //!< called when MayStart may have become true

    /// A packet comes to the queue of the radio.
    void OnCome(Packet& packet, Ticks now) const
    {
        if (m_spec.wtcp && m_spec.hidesTime && m_works && packet.IsSegment())
        {
            packet.helpers.came = now;
        }
    }

    /// Whether something new may leave the queue.
    bool MayStart() const
    {
        return m_waiting == 0;
    }

    /// A packet leaves the queue; returns false for one that the host has.
    bool OnLeave(const Packet& packet, Ticks now)
    {
        if (!m_works || !packet.IsSegment())
        {
            return true;
        }
        Watched& watched = Find(packet.route->end);
        if (packet.number < watched.acknowledged)
        {
            // The acknowledgment was lost on its way to the sender: it gets it once more.
            m_events.At(now, [this, ack = watched.ack] { sendBack(ack); });
            return false;
        }
        const bool isNew = packet.number >= watched.next;
        watched.next = std::max(watched.next, packet.number + 1);
        const auto found = watched.cache.find(packet.number);
        if (found != watched.cache.end())
        {
            found->second.packet = packet;
            found->second.again = true;
            found->second.order = m_order++;
        }
        else if (m_cached < m_spec.cachePackets)
        {
            watched.cache[packet.number] = {packet, now, m_order++, false, !isNew, false};
            m_count.cached = std::max(m_count.cached, ++m_cached);
        }
        if (!watched.timer.IsRunning() && !watched.cache.empty())
        {
            watched.timer.Set(watched.Timeout());
        }
        return true;
    }

    /// A packet has come by the link back; returns whether it goes on to the sender.
    bool OnBack(Packet& ack, Ticks now)
    {
        if (!m_works || !ack.IsAcknowledgment())
        {
            return true;
        }
        const auto found = m_byEnd.find(ack.route->other->end);
        if (found == m_byEnd.end())
        {
            return true;
        }
        Watched& watched = *found->second;
        const bool passes = ack.number > watched.acknowledged || !watched.heard
                                ? OnNew(watched, ack, now)
                                : OnOld(watched, ack);
        m_count.heldBack += !passes;
        if (passes && m_spec.hidesSack && watched.Repairs(ack.number))
        {
            ack.wireBytes -= ack.sackBlocks > 0 ? (2 + 8 * ack.sackBlocks + 3) / 4 * 4 : 0;
            ack.sackBlocks = 0;
        }
        return passes;
    }

    /// At the end of a run: whether the cache has what has not been acknowledged, and no
    /// acknowledgment went on that was higher than what had come.
    bool IsConsistent() const
    {
        uint64_t cached = 0;
        uint64_t waiting = 0;
        for (const Watched& watched : m_watched)
        {
            cached += watched.cache.size();
            waiting += watched.waits;
            if (!watched.cache.empty() &&
                (watched.cache.begin()->first < watched.acknowledged ||
                 watched.cache.rbegin()->first >= watched.next || !watched.timer.IsRunning()))
            {
                return false;
            }
        }
        return cached == m_cached && waiting == m_waiting;
    }

  private:
    struct Cached
    {
        Packet packet;  //!< as it came
        Ticks sent;     //!< first, over the radio
        uint64_t order; //!< of its last transmission
        bool again;     //!< has been sent twice
        bool bySender;  //!< was lost before it came here, so that the sender repairs it
        bool due;       //!< to be sent again when the host is heard (WTCP)
    };

    /// A connection.
    struct Watched
    {
        Watched(BaseStationAgent* agent, EventQueue& events)
            : agent(agent),
              timer(events, this)
        {
        }

        void OnTimeout()
        {
            agent->OnTimeout(*this);
        }

        Ticks Timeout() const
        {
            const Ticks least = FromSeconds(agent->m_spec.minTimeoutS);
            const Ticks usual = std::max(least, smoothed + 4 * variation);
            return std::min(usual << std::min(expired, 6U), LONGEST);
        }

        /// Whether the segment is one that is sent again from here if it is lost.
        bool Repairs(uint64_t number) const
        {
            const auto found = cache.find(number);
            return found != cache.end() && !found->second.bySender;
        }

        static constexpr Ticks LONGEST = 60'000'000'000;

        BaseStationAgent* agent;
        std::map<uint64_t, Cached> cache; //!< by segment
        uint64_t next{0};                 //!< no segment from that one on has come
        uint64_t acknowledged{0};         //!< the host has all before
        bool heard{false};                //!< an acknowledgment
        Packet ack{};                     //!< the last that advanced, as it came
        uint64_t expected{0};             //!< duplicates that follow from what is known to be lost
        Ticks smoothed{1'000'000'000};    //!< round trip over the radio (RFC 6298's estimate)
        Ticks variation{0};
        bool measured{false};
        uint32_t expired{0}; //!< timeouts in a row
        bool waits{false};   //!< for the one segment after a timeout (WTCP)
        Timer<Watched, &Watched::OnTimeout> timer;
    };

    Watched& Find(const Endpoint* end)
    {
        Watched*& watched = m_byEnd[end];
        if (!watched)
        {
            watched = &m_watched.emplace_back(this, m_events);
        }
        return *watched;
    }

    bool OnNew(Watched& watched, const Packet& ack, Ticks now)
    {
        const auto end = watched.cache.lower_bound(ack.number);
        const auto last = watched.cache.find(ack.number - 1);
        const bool waited = std::any_of(watched.cache.begin(), end, [](const auto& cached) {
            return cached.second.again; // so that those after it were acknowledged late
        });
        if (last != watched.cache.end() && !waited)
        {
            Measure(watched, now - last->second.sent);
        }
        m_cached -= std::distance(watched.cache.begin(), end);
        watched.cache.erase(watched.cache.begin(), end);
        watched.heard = true;
        watched.acknowledged = ack.number;
        watched.next = std::max(watched.next, ack.number);
        watched.ack = ack;
        watched.expected = 0;
        watched.expired = 0;
        m_waiting -= watched.waits;
        watched.waits = false;
        for (auto& [number, cached] : watched.cache)
        {
            if (cached.due && !IsReported(ack, number))
            {
                Repeat(cached);
            }
            cached.due = false;
        }
        watched.timer.Stop();
        if (!watched.cache.empty())
        {
            watched.timer.Set(watched.Timeout());
        }
        if (m_spec.wtcp)
        {
            onFree();
        }
        return true;
    }

    /// An acknowledgment that does not advance.
    bool OnOld(Watched& watched, const Packet& ack)
    {
        if (ack.number < watched.acknowledged)
        {
            return false; // overtaken by one that said more
        }
        if (ack.window != watched.ack.window || !watched.Repairs(ack.number))
        {
            return true; // of the sender's concern
        }
        if (watched.expected > 0)
        {
            --watched.expected;
            return false;
        }
        Cached& lost = watched.cache.at(ack.number);
        uint64_t since = 0; // sent after it, so that each arrival tells again that it is missing
        for (const auto& [number, cached] : watched.cache)
        {
            since += cached.order > lost.order;
        }
        watched.expected = since > 0 ? since - 1 : 0;
        Repeat(lost);
        watched.timer.Set(watched.Timeout());
        return false;
    }

    static bool IsReported(const Packet& ack, uint64_t number)
    {
        for (uint32_t i = 0; i < ack.sackBlocks; ++i)
        {
            if (ack.number + ack.sack[i].begin <= number && number < ack.number + ack.sack[i].end)
            {
                return true;
            }
        }
        return false;
    }

    void OnTimeout(Watched& watched)
    {
        if (watched.cache.empty())
        {
            return;
        }
        if (watched.cache.begin()->first != watched.acknowledged)
        {
            watched.timer.Set(watched.Timeout()); // what the host waits for has not come here
            return;
        }
        ++watched.expired;
        watched.expected = 0;
        if (m_spec.wtcp)
        {
            for (auto& [number, cached] : watched.cache)
            {
                cached.due = true;
            }
            m_waiting += !watched.waits;
            watched.waits = true;
        }
        Cached& first = watched.cache.begin()->second;
        first.due = false;
        Repeat(first);
        watched.timer.Set(watched.Timeout());
    }

    void Repeat(Cached& cached)
    {
        cached.again = true;
        cached.order = m_order++;
        ++m_count.repaired;
        sendFirst(cached.packet);
    }

    static void Measure(Watched& watched, Ticks rtt)
    {
        if (!watched.measured)
        {
            watched.measured = true;
            watched.smoothed = rtt;
            watched.variation = rtt / 2;
            return;
        }
        const Ticks error = rtt - watched.smoothed;
        watched.smoothed += error / 8;
        watched.variation += ((error < 0 ? -error : error) - watched.variation) / 4;
    }

    /// From now on it is a router like any other; what it kept is gone.
    void Fail()
    {
        m_works = false;
        for (Watched& watched : m_watched)
        {
            watched.cache.clear();
            watched.waits = false;
            watched.timer.Stop();
        }
        m_cached = m_waiting = 0;
        onFree();
    }

    EventQueue& m_events;
    const BaseStation& m_spec;
    PacketCount& m_count;
    std::deque<Watched> m_watched;
    std::map<const Endpoint*, Watched*> m_byEnd; //!< by the receiver
    uint64_t m_cached{0};                        //!< packets
    uint64_t m_waiting{0};                       //!< connections that wait after a timeout
    uint64_t m_order{0};                         //!< transmissions so far
    bool m_works{true};
};

} // namespace longfat::segment

#endif
