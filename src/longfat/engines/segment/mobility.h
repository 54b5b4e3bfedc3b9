// SPDX-License-Identifier: GPL-2.0-only
//
// Messages that tell the network where a host has moved to, over the links of the scenario and in
// their queues. What is lost is sent again, from the beginning of its way, after a second, two, four
// (RFC 6275, 11.8, for binding updates).

#ifndef LONGFAT_SEGMENT_MOBILITY_H
#define LONGFAT_SEGMENT_MOBILITY_H

#include "link.h"

#include <deque>
#include <functional>
#include <vector>

namespace longfat::segment
{

/// An endpoint that hears nothing: of a relay that has failed, or whose state is on its way.
class Nobody final : public Endpoint
{
  public:
    void Receive(const Packet&, Ticks) override
    {
    }
};

/// So many bytes that go from node to node, leg by leg: the next begins when all have come.
class Message final : public Endpoint
{
  public:
    /// `legs` begin with their first links. `sentBytes` is added to, link by link.
    Message(EventQueue& events, std::vector<Route> legs, uint64_t bytes, uint64_t& sentBytes)
        : m_events(events),
          m_legs(std::move(legs)),
          m_bytes(bytes),
          m_sentBytes(sentBytes),
          m_timer(events, this)
    {
        for (Route& leg : m_legs)
        {
            leg.end = this;
        }
    }

    Message(const Message&) = delete;

    std::function<void()> onArrival; //!< called when all has come to the last node

    void Send()
    {
        ++m_attempt;
        m_timer.Set(FIRST_TIMEOUT << std::min(m_attempt - 1, 5U));
        m_leg = 0;
        SendLeg(m_events.Now());
    }

    void Receive(const Packet& packet, Ticks now) override
    {
        if (packet.number != Number() || --m_missing > 0)
        {
            return;
        }
        if (++m_leg < m_legs.size())
        {
            SendLeg(now);
            return;
        }
        m_leg = NOWHERE;
        m_timer.Stop();
        onArrival();
    }

  private:
    static constexpr Ticks FIRST_TIMEOUT = 1'000'000'000;
    static constexpr uint64_t MOST_BYTES = 1500; //!< in a packet
    static constexpr uint64_t NOWHERE = 0xffff;

    /// Tells what belongs to this leg of this attempt.
    uint64_t Number() const
    {
        return (uint64_t(m_attempt) << 16) + m_leg;
    }

    void SendLeg(Ticks now)
    {
        const Route& leg = m_legs[m_leg];
        m_missing = (m_bytes + MOST_BYTES - 1) / MOST_BYTES;
        Packet packet{};
        packet.route = &leg;
        packet.number = Number();
        packet.sent = now;
        packet.flags = Packet::ACK;
        const uint64_t links = std::count_if(leg.next.begin(),
                                             leg.next.end(),
                                             [](const Link* link) { return link != nullptr; });
        m_sentBytes += links * m_bytes;
        for (uint64_t left = m_bytes; left > 0; left -= packet.wireBytes)
        {
            packet.wireBytes = static_cast<uint16_t>(std::min(left, MOST_BYTES));
            leg.first->Send(packet, now);
        }
    }

    EventQueue& m_events;
    std::vector<Route> m_legs;
    uint64_t m_bytes;
    uint64_t& m_sentBytes;
    uint32_t m_attempt{0};
    uint64_t m_leg{NOWHERE};
    uint64_t m_missing{0}; //!< packets of this leg
    Timer<Message, &Message::Send> m_timer;
};

} // namespace longfat::segment

#endif
