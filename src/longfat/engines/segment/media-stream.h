// SPDX-License-Identifier: GPL-2.0-only
//
// A media stream: packets of one size at a constant rate, as of a conversation, over UDP. Nothing is
// asked for again. A packet that takes longer than the fastest by more than a deadline is late, as for a
// receiver that plays what it gets with that delay (packet delay variation, RFC 5481, section 4.2).
//
// The packets that count are those that are due: sent so early that they are late or lost if they have
// not come when the run ends.

#ifndef LONGFAT_CORE_MEDIA_STREAM_H
#define LONGFAT_CORE_MEDIA_STREAM_H

#include "connection.h"
#include "network.h"

#include <algorithm>
#include <vector>

namespace longfat::core
{

struct MediaStreamCount
{
    uint64_t sent{0};
    uint64_t due{0};
    uint64_t late{0};        //!< of those that are due: came, and too late
    uint64_t lost{0};        //!< of those that are due: did not come
    Time least_delay{NEVER}; //!< from one end to the other
};

class MediaStream final : public Endpoint
{
  public:
    MediaStream(EventQueue& events, Network& network, const MediaStreamSpec& spec)
        : m_events(events),
          m_spec(spec),
          m_timer(events, this)
    {
        network.lead(m_route, spec.path);
        m_route.end = this;
        m_timer.set(spec.start);
    }

    MediaStream(const MediaStream&) = delete;

    void receive(const Packet& packet, Time now) override
    {
        m_delays[packet.number] = now - packet.sent;
    }

    /// At the end of a run.
    MediaStreamCount count() const
    {
        MediaStreamCount count;
        count.sent = m_delays.size();
        if (!m_delays.empty())
        {
            count.least_delay = *std::min_element(m_delays.begin(), m_delays.end());
        }
        const Time latest = later(count.least_delay, m_spec.deadline);
        for (uint64_t i = 0; i < m_delays.size(); ++i)
        {
            const bool came = count.least_delay != NEVER;
            if (came && later(sent_at(i), latest) > m_events.now())
            {
                break;
            }
            ++count.due;
            count.lost += m_delays[i] == NEVER;
            count.late += m_delays[i] != NEVER && m_delays[i] > latest;
        }
        return count;
    }

  private:
    Time sent_at(uint64_t number) const
    {
        const double interval_s = 8 * static_cast<double>(m_spec.payload_bytes) / m_spec.rate_bps;
        return later(m_spec.start, from_seconds(static_cast<double>(number) * interval_s));
    }

    void on_time()
    {
        const Time now = m_events.now();
        if (m_spec.stop && now >= *m_spec.stop)
        {
            return;
        }
        Packet packet{};
        packet.route = &m_route;
        packet.number = m_delays.size();
        packet.sent = now;
        packet.wire_bytes = UDP_HEADER_BYTES + static_cast<uint32_t>(m_spec.payload_bytes);
        m_delays.push_back(NEVER);
        m_route.first->send(packet, now);
        m_timer.set(std::max<Time>(1, sent_at(m_delays.size()) - now));
    }

    EventQueue& m_events;
    const MediaStreamSpec& m_spec;
    Route m_route;
    std::vector<Time> m_delays; //!< of each packet; NEVER: it has not come
    Timer<MediaStream, &MediaStream::on_time> m_timer;
};

} // namespace longfat::core

#endif
