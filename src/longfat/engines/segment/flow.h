// SPDX-License-Identifier: GPL-2.0-only
//
// A flow: one TCP connection, or one after the other where relays split it (performance-enhancing
// proxies, RFC 3135). A relay acknowledges what it has in order, passes it on as the next connection's
// send buffer takes it, and closes its window by what it could not pass on.

#ifndef LONGFAT_CORE_FLOW_H
#define LONGFAT_CORE_FLOW_H

#include "network.h"
#include "receiver.h"
#include "sender.h"

#include <deque>
#include <memory>

namespace longfat::core
{

/// An endpoint that hears nothing: of a relay that has failed, or whose state is on its way.
class Nobody final : public Endpoint
{
  public:
    void receive(const Packet&, Time) override
    {
    }
};

/// One TCP connection: of a flow, or of the part of it up to the next relay.
struct Connection
{
    Connection(EventQueue& events, const FlowSpec& spec, const Stream& stream, Checks& checks)
        : sender(std::make_unique<Sender>(
              events, spec, stream, ways.emplace_back(), control_of(spec), checks)),
          receiver(std::make_unique<Receiver>(events, spec, stream, back))
    {
        set_end(receiver.get());
        back.end = sender.get();
        ways.front().other = &back;
        back.other = &ways.front();
    }

    Connection(const Connection&) = delete;

    void lead(Network& network, const Path& path)
    {
        network.lead(forth(), path);
        network.lead(back, Network::reversed(path));
    }

    /// The way that segments leave by now.
    Route& forth()
    {
        return ways.back();
    }

    /// From now on they leave by a way of its own, at first the same; those under way go on as before.
    void part_ways()
    {
        ways.push_back(ways.back());
        sender->set_route(ways.back());
    }

    /// What comes to its far end goes there.
    void set_end(Endpoint* end)
    {
        for (Route& route : ways)
        {
            route.end = end;
        }
    }

    std::deque<Route> ways; //!< by which segments have left, the newest last
    Route back;
    const std::unique_ptr<Sender> sender;
    const std::unique_ptr<Receiver> receiver;
};

class Flow
{
  public:
    Flow(EventQueue& events, Network& network, const FlowSpec& spec, Checks& checks)
        : spec(spec)
    {
        stream.mss = spec.segment_bytes;
        if (spec.bytes > 0)
        {
            stream.bytes = spec.bytes;
            stream.segments = (spec.bytes + spec.segment_bytes - 1) / spec.segment_bytes;
        }
        for (std::size_t i = 0; i < spec.paths.size(); ++i)
        {
            connections.emplace_back(events, spec_of(i), stream, checks);
            connections.back().lead(network, spec.paths[i]);
            if (i > 0)
            {
                relay(connections[i - 1], connections[i]);
            }
        }
    }

    Flow(const Flow&) = delete;

    const FlowSpec& spec;
    Stream stream;
    std::deque<Connection> connections;
    SeriesByName series;
    Series* delivered_series{nullptr}; //!< those that are kept
    Series* signalling_series{nullptr};
    Series* handoff_series{nullptr};
    double completion_s{std::numeric_limits<double>::quiet_NaN()}; //!< when the last byte was read

    Connection& first()
    {
        return connections.front();
    }

    Connection& last()
    {
        return connections.back();
    }

    Bytes delivered_bytes() const
    {
        return connections.back().receiver->delivered_bytes();
    }

    /// What all its senders have done.
    SenderCount count() const
    {
        SenderCount sum = connections.front().sender->count;
        for (std::size_t i = 1; i < connections.size(); ++i)
        {
            sum.add(connections[i].sender->count);
        }
        return sum;
    }

    /// What the relays had is gone; the ends hear nothing more from them.
    void fail_relays()
    {
        relays_failed = true;
        for (std::size_t i = 1; i < connections.size(); ++i)
        {
            connections[i].sender->end();
            connections[i].back.end = &nobody;
            connections[i - 1].set_end(&nobody);
        }
    }

    bool relays_failed{false};
    Nobody nobody;
    uint64_t signalling_bytes{0}; //!< of messages about movements, counted on each link

  private:
    /// The settings of one connection: its ends at relays may have buffers of their own.
    const FlowSpec& spec_of(std::size_t place)
    {
        if (!spec.relay_buffer)
        {
            return spec;
        }
        FlowSpec& own = m_specs.emplace_back(spec);
        if (place > 0)
        {
            own.send_buffer = spec.relay_buffer;
        }
        if (place + 1 < spec.paths.size())
        {
            own.receive_buffer = spec.relay_buffer;
        }
        return own;
    }

    static void relay(Connection& before, Connection& after)
    {
        const auto pass_on = [&before, &after] {
            const uint64_t arrived = before.receiver->rcv_nxt();
            after.sender->offer(arrived);
            before.receiver->hold(arrived - std::min(arrived, after.sender->room()));
        };
        after.sender->offer(0);
        before.receiver->on_accepted = [&after] { after.sender->start(); };
        before.receiver->on_delivery = pass_on;
        after.sender->on_room = [&before, pass_on] {
            pass_on();
            before.receiver->update_window();
        };
    }

    std::deque<FlowSpec> m_specs; //!< of connections with buffers of their own
};

} // namespace longfat::core

#endif
