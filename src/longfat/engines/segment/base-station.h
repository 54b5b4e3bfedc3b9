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
// SACK: blocks would show the sender what is being repaired, so they can be taken out (hides_sack).
//
// WTCP: K. Ratnam, I. Matta, "WTCP: an efficient mechanism for improving TCP performance over wireless
// links" (1998). When the local timer expires, one segment alone is outstanding until it is
// acknowledged; then all others are sent again. What a segment has waited here is added to its
// timestamp, so that the sender's round trip is that of the rest of the path.

#ifndef LONGFAT_CORE_BASE_STATION_H
#define LONGFAT_CORE_BASE_STATION_H

#include "connection.h"

#include <deque>
#include <functional>
#include <map>

namespace longfat::core
{

class BaseStationAgent
{
  public:
    BaseStationAgent(EventQueue& events, const BaseStation& spec, PacketCount& count)
        : m_events(events),
          m_spec(spec),
          m_count(count)
    {
        if (spec.fails_at)
        {
            events.at(*spec.fails_at, [this] { fail(); });
        }
    }

    BaseStationAgent(const BaseStationAgent&) = delete;

    /// Over the radio, before all that waits; with it goes since when it has been here.
    std::function<void(const Packet&, Time since)> send_first;
    std::function<void(const Packet&)> send_back; //!< towards the sender
    std::function<void()> on_free;                //!< called when may_start may have become true

    /// Whether what a segment waits here is hidden from its sender's round trip.
    bool hides_time() const
    {
        return m_works && m_spec.wtcp && m_spec.hides_time;
    }

    /// Whether something new may leave the queue.
    bool may_start() const
    {
        return m_waiting == 0;
    }

    /// A packet leaves the queue; returns false for one that the host has.
    bool on_leave(const Packet& packet, Time since, Time now)
    {
        if (!m_works || !packet.is_segment())
        {
            return true;
        }
        Watched& watched = find(packet.route->end);
        if (packet.number < watched.acknowledged)
        {
            // The acknowledgment was lost on its way to the sender: it gets it once more.
            m_events.at(now, [this, ack = watched.ack] { send_back(ack); });
            return false;
        }
        const bool is_new = packet.number >= watched.next;
        watched.next = std::max(watched.next, packet.number + 1);
        const auto found = watched.cache.find(packet.number);
        if (found != watched.cache.end())
        {
            found->second.packet = packet;
            found->second.since = since;
            found->second.again = true;
            found->second.order = m_order++;
        }
        else if (m_cached < m_spec.cache_packets)
        {
            watched.cache[packet.number] = {packet, since, now, m_order++, false, !is_new, false};
            m_count.cached = std::max(m_count.cached, ++m_cached);
        }
        if (!watched.timer.is_running() && !watched.cache.empty())
        {
            watched.timer.set(watched.timeout());
        }
        return true;
    }

    /// A packet has come by the link back; returns whether it goes on to the sender.
    bool on_back(Packet& ack, Time now)
    {
        if (!m_works || !ack.is_acknowledgment() || ack.part > 0)
        {
            return true; // after a part of a segment comes its end
        }
        const auto found = m_by_end.find(ack.route->other->end);
        if (found == m_by_end.end())
        {
            return true;
        }
        Watched& watched = *found->second;
        const bool passes = ack.number > watched.acknowledged || !watched.heard
                                ? on_advance(watched, ack, now)
                                : on_duplicate(watched, ack);
        m_count.held_back += !passes;
        if (passes && m_spec.hides_sack && watched.repairs(ack.number))
        {
            hide_sack(ack);
        }
        return passes;
    }

    /// At the end of a run: whether the cache has what has not been acknowledged, and no
    /// acknowledgment went on that was higher than what had come.
    bool is_consistent() const
    {
        uint64_t cached = 0;
        uint64_t waiting = 0;
        for (const Watched& watched : m_watched)
        {
            cached += watched.cache.size();
            waiting += watched.waits;
            if (!watched.cache.empty() &&
                (watched.cache.begin()->first < watched.acknowledged ||
                 watched.cache.rbegin()->first >= watched.next || !watched.timer.is_running()))
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
        Time since;     //!< when it came
        Time sent;      //!< first, over the radio
        uint64_t order; //!< of its last transmission
        bool again;     //!< has been sent twice
        bool by_sender; //!< was lost before it came here, so that the sender repairs it
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

        void on_timeout()
        {
            agent->on_timeout(*this);
        }

        Time timeout() const
        {
            const Time usual = std::max(agent->m_spec.min_timeout, srtt + 4 * rttvar);
            return std::min(usual << std::min(expired, 6U), LONGEST);
        }

        /// Whether the segment is one that is sent again from here if it is lost.
        bool repairs(uint64_t number) const
        {
            const auto found = cache.find(number);
            return found != cache.end() && !found->second.by_sender;
        }

        static constexpr Time LONGEST = 60'000'000'000;

        BaseStationAgent* agent;
        std::map<uint64_t, Cached> cache; //!< by segment
        uint64_t next{0};                 //!< no segment from that one on has come
        uint64_t acknowledged{0};         //!< the host has all before
        bool heard{false};                //!< an acknowledgment
        Packet ack{};                     //!< the last that advanced, as it came
        uint64_t expected{0};             //!< duplicates that follow from what is known to be lost
        Time srtt{1'000'000'000};         //!< over the radio (RFC 6298)
        Time rttvar{0};
        bool measured{false};
        uint32_t expired{0}; //!< timeouts in a row
        bool waits{false};   //!< for the one segment after a timeout (WTCP)
        Timer<Watched, &Watched::on_timeout> timer;
    };

    Watched& find(const Endpoint* end)
    {
        Watched*& watched = m_by_end[end];
        if (!watched)
        {
            watched = &m_watched.emplace_back(this, m_events);
        }
        return *watched;
    }

    bool on_advance(Watched& watched, const Packet& ack, Time now)
    {
        const auto end = watched.cache.lower_bound(ack.number);
        const auto last = watched.cache.find(ack.number - 1);
        const bool waited = std::any_of(watched.cache.begin(), end, [](const auto& cached) {
            return cached.second.again; // so that those after it were acknowledged late
        });
        if (last != watched.cache.end() && !waited)
        {
            measure(watched, now - last->second.sent);
        }
        m_cached -= static_cast<uint64_t>(std::distance(watched.cache.begin(), end));
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
            if (cached.due && !is_reported(ack, number))
            {
                repeat(cached);
            }
            cached.due = false;
        }
        watched.timer.stop();
        if (!watched.cache.empty())
        {
            watched.timer.set(watched.timeout());
        }
        if (m_spec.wtcp)
        {
            on_free();
        }
        return true;
    }

    /// An acknowledgment that does not advance.
    bool on_duplicate(Watched& watched, const Packet& ack)
    {
        if (ack.number < watched.acknowledged)
        {
            return false; // overtaken by one that said more
        }
        if (ack.window != watched.ack.window || !watched.repairs(ack.number))
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
        repeat(lost);
        watched.timer.set(watched.timeout());
        return false;
    }

    static bool is_reported(const Packet& ack, uint64_t number)
    {
        for (uint32_t i = 0; i < ack.sack_blocks; ++i)
        {
            if (ack.number + ack.sack[i].begin <= number && number < ack.number + ack.sack[i].end)
            {
                return true;
            }
        }
        return false;
    }

    static void hide_sack(Packet& ack)
    {
        const uint32_t twice = ack.duplicate != NO_LIMIT; // which the first block tells (DSACK)
        const bool timestamps = ack.wire_bytes == ack_wire_bytes(true, ack.sack_blocks + twice);
        ack.wire_bytes = ack_wire_bytes(timestamps, twice);
        ack.flags |= ack.sack_blocks > 0 ? Packet::SACK_HIDDEN : 0;
        ack.sack_blocks = 0;
    }

    void on_timeout(Watched& watched)
    {
        if (watched.cache.empty())
        {
            return;
        }
        if (watched.cache.begin()->first != watched.acknowledged)
        {
            watched.timer.set(watched.timeout()); // what the host waits for has not come here
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
        repeat(first);
        watched.timer.set(watched.timeout());
    }

    void repeat(Cached& cached)
    {
        cached.again = true;
        cached.order = m_order++;
        ++m_count.repaired;
        send_first(cached.packet, cached.since);
    }

    static void measure(Watched& watched, Time rtt)
    {
        if (!watched.measured)
        {
            watched.measured = true;
            watched.srtt = rtt;
            watched.rttvar = rtt / 2;
            return;
        }
        const Time error = rtt - watched.srtt;
        watched.srtt += error / 8;
        watched.rttvar += ((error < 0 ? -error : error) - watched.rttvar) / 4;
    }

    /// From now on it is a router like any other; what it kept is gone.
    void fail()
    {
        m_works = false;
        for (Watched& watched : m_watched)
        {
            watched.cache.clear();
            watched.waits = false;
            watched.timer.stop();
        }
        m_cached = m_waiting = 0;
        on_free();
    }

    EventQueue& m_events;
    const BaseStation& m_spec;
    PacketCount& m_count;
    std::deque<Watched> m_watched;
    std::map<const Endpoint*, Watched*> m_by_end; //!< by the receiver
    uint64_t m_cached{0};                         //!< packets
    uint64_t m_waiting{0};                        //!< connections that wait after a timeout
    uint64_t m_order{0};                          //!< transmissions so far
    bool m_works{true};
};

} // namespace longfat::core

#endif
