// SPDX-License-Identifier: GPL-2.0-only
//
// A receiver that moves: the messages that tell the network so, and who then sends by the new way
// (longfat.mobility has the protocols). Messages go over the links of the scenario and wait in their
// queues; what is lost is sent again, from the beginning of its way, after a second, two, four (RFC
// 6275, 11.8, for binding updates).

#ifndef LONGFAT_CORE_MOBILITY_H
#define LONGFAT_CORE_MOBILITY_H

#include "flow.h"

#include <functional>

namespace longfat::core
{

/// So many bytes that go from node to node, leg by leg: the next begins when all have come.
class Message final : public Endpoint
{
  public:
    /// `on_sent` is called with the bytes that a leg's links carry, `on_arrival` when all has come to
    /// the last node.
    Message(EventQueue& events,
            Network& network,
            const MoveSpec::Legs& legs,
            uint64_t bytes,
            std::function<void(uint64_t)> on_sent,
            std::function<void()> on_arrival)
        : m_events(events),
          m_bytes(bytes),
          m_on_sent(std::move(on_sent)),
          m_on_arrival(std::move(on_arrival)),
          m_timer(events, this)
    {
        for (const Path& path : legs)
        {
            Leg& leg = m_legs.emplace_back();
            network.lead(leg.route, path);
            leg.route.end = this;
            leg.links = path.size() - 1;
        }
    }

    Message(const Message&) = delete;

    void send()
    {
        m_timer.set(FIRST_TIMEOUT << std::min<uint64_t>(m_attempt, 5));
        ++m_attempt;
        m_leg = 0;
        send_leg(m_events.now());
    }

    void receive(const Packet& packet, Time now) override
    {
        if (packet.number != number() || --m_missing > 0)
        {
            return;
        }
        if (++m_leg < m_legs.size())
        {
            send_leg(now);
            return;
        }
        m_timer.stop();
        m_on_arrival();
    }

  private:
    struct Leg
    {
        Route route;
        uint64_t links{0};
    };

    static constexpr Time FIRST_TIMEOUT = 1'000'000'000;
    static constexpr uint64_t MOST_BYTES = 1500; //!< in a packet

    /// Tells what belongs to this leg of this attempt.
    uint64_t number() const
    {
        return (m_attempt << 16) + m_leg;
    }

    void send_leg(Time now)
    {
        const Leg& leg = m_legs[m_leg];
        m_missing = (m_bytes + MOST_BYTES - 1) / MOST_BYTES;
        m_on_sent(leg.links * m_bytes);
        Packet packet{};
        packet.route = &leg.route;
        packet.number = number();
        packet.sent = now;
        packet.flags = Packet::ACK;
        for (uint64_t left = m_bytes; left > 0; left -= packet.wire_bytes)
        {
            packet.wire_bytes = static_cast<uint32_t>(std::min(left, MOST_BYTES));
            leg.route.first->send(packet, now);
        }
    }

    EventQueue& m_events;
    std::deque<Leg> m_legs;
    const uint64_t m_bytes;
    const std::function<void(uint64_t)> m_on_sent;
    const std::function<void()> m_on_arrival;
    uint64_t m_attempt{0};
    std::size_t m_leg{0};  //!< that it is on
    uint64_t m_missing{0}; //!< packets of this leg
    Timer<Message, &Message::send> m_timer;
};

/// A movement, from when the host has joined its new link: what it sends takes the new way, and it tells
/// where it is.
class Movement
{
  public:
    Movement(EventQueue& events, Network& network, Flow& flow, const MoveSpec& spec)
        : m_events(events),
          m_network(network),
          m_flow(flow),
          m_spec(spec)
    {
    }

    Movement(const Movement&) = delete;

    void begin()
    {
        if (!moves_relay())
        {
            m_network.lead(m_flow.last().back, Network::reversed(m_spec.path));
        }
        send_round();
    }

  private:
    bool moves_relay() const
    {
        return !m_spec.split.empty();
    }

    /// Send the messages of a round, then of the next; then packets take the new way.
    void send_round()
    {
        if (m_round == m_spec.rounds.size())
        {
            moves_relay() ? move_relay() : redirect();
            return;
        }
        const auto& messages = m_spec.rounds[m_round++];
        m_under_way = messages.size();
        for (const MoveSpec::Legs& legs : messages)
        {
            send(legs, m_spec.message_bytes, [this] {
                if (--m_under_way == 0)
                {
                    send_round();
                }
            });
        }
        if (messages.empty())
        {
            send_round();
        }
    }

    void send(const MoveSpec::Legs& legs, uint64_t bytes, std::function<void()> on_arrival)
    {
        const auto on_sent = [this](uint64_t more) {
            m_flow.signalling_bytes += more;
            if (m_flow.signalling_series)
            {
                m_flow.signalling_series->Add(seconds(m_events.now()),
                                              static_cast<double>(m_flow.signalling_bytes));
            }
        };
        m_messages.emplace_back(m_events, m_network, legs, bytes, on_sent, std::move(on_arrival))
            .send();
    }

    /// From that node on, packets take the new way. What the sender has sent before goes on as
    /// addressed, unless that node is on its way.
    void redirect()
    {
        Connection& connection = m_flow.first();
        const auto place = std::find(m_spec.path.begin(), m_spec.path.end(), m_spec.redirect);
        if (place == m_spec.path.begin())
        {
            connection.part_ways();
        }
        m_network.lead(connection.forth(),
                       m_spec.path,
                       static_cast<std::size_t>(place - m_spec.path.begin()));
        answer({place, m_spec.path.end()});
    }

    /// The state of a split connection goes to another relay; what comes meanwhile is lost. A relay
    /// that has failed has no state, and one that fails meanwhile takes it along.
    void move_relay()
    {
        if (m_flow.relays_failed)
        {
            return;
        }
        Connection& before = m_flow.first();
        Connection& after = m_flow.last();
        before.set_end(&m_flow.nobody);
        const uint64_t held = before.receiver->rcv_nxt() - after.sender->acknowledged();
        const uint64_t bytes = m_spec.state_bytes + held * m_flow.stream.mss;
        if (m_spec.between.empty() || bytes == 0) // nothing is to be sent
        {
            resume_relay();
            return;
        }
        send({m_spec.between}, bytes, [this] { resume_relay(); });
    }

    void resume_relay()
    {
        if (m_flow.relays_failed)
        {
            return;
        }
        Connection& before = m_flow.first();
        Connection& after = m_flow.last();
        before.set_end(before.receiver.get());
        before.lead(m_network, m_spec.split.front());
        after.lead(m_network, m_spec.split.back());
        answer(m_spec.split.back());
        after.sender->start_over();
    }

    /// Who redirects answers: when the host has the answer, the handoff is over.
    void answer(const Path& way)
    {
        if (way.size() < 2)
        {
            end_handoff();
            return;
        }
        send({way}, m_spec.message_bytes, [this] { end_handoff(); });
    }

    void end_handoff()
    {
        if (m_flow.handoff_series)
        {
            const Time now = m_events.now();
            m_flow.handoff_series->Add(seconds(now), seconds(now - m_spec.at));
        }
    }

    EventQueue& m_events;
    Network& m_network;
    Flow& m_flow;
    const MoveSpec& m_spec;
    std::size_t m_round{0};
    std::size_t m_under_way{0}; //!< messages of the round
    std::deque<Message> m_messages;
};

} // namespace longfat::core

#endif
