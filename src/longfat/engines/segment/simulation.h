// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario as links, senders and receivers that hand each other segments.

#ifndef LONGFAT_CORE_SIMULATION_H
#define LONGFAT_CORE_SIMULATION_H

#include "../json.h"
#include "flow.h"
#include "media-stream.h"
#include "mobility.h"
#include "rbudp.h"
#include "step-link.h"
#include "streams.h"
#include "tsunami.h"

namespace longfat::core
{

class Simulation
{
  public:
    explicit Simulation(ScenarioSpec scenario)
        : m_spec(std::move(scenario))
    {
        for (const LinkSpec& link : m_spec.links)
        {
            add_link(link);
        }
        for (const FlowSpec& flow : m_spec.flows)
        {
            add_flow(flow);
        }
        for (const TransferSpec& transfer : m_spec.transfers)
        {
            add_transfer(transfer);
        }
        for (const MediaStreamSpec& stream : m_spec.media_streams)
        {
            m_media_streams.emplace_back(m_events, m_network, stream);
        }
        m_events.at(m_spec.duration, [this] { m_events.end(); });
    }

    Simulation(const Simulation&) = delete;

    /// Run so many events at most, and none that is later than `until`; returns whether there is more
    /// to come. The end is that of the scenario, or when every flow is complete if all have an end.
    bool run(Time until, uint64_t most)
    {
        m_events.run(until, most);
        if (m_events.has_ended() && !m_is_finished)
        {
            m_is_finished = true;
            finish();
        }
        return !m_is_finished && !m_checks.wrong();
    }

    Time now() const
    {
        return m_events.now();
    }

    /// How many events there have been.
    uint64_t events() const
    {
        return m_events.count();
    }

    /// What the run's own checks have found: a sentence, or null.
    const char* wrong() const
    {
        return m_checks.wrong();
    }

    /// Write what was counted as JSON. Series follow as numbers: times, then values, from the place
    /// and as many as stated there.
    void write(JsonWriter& head, std::vector<double>& numbers) const
    {
        head.Name("flows").Begin('[');
        for (const Flow& flow : m_flows)
        {
            const SenderCount count = flow.count();
            head.Begin('{').Name("delivered_bytes").Number(flow.delivered_bytes());
            head.Name("completion_s").Number(flow.completion_s);
            head.Name("segments_sent").Number(count.segments);
            head.Name("retransmissions").Number(count.retransmissions);
            head.Name("recoveries").Number(count.recoveries);
            head.Name("timeouts").Number(count.timeouts);
            head.Name("undone").Number(count.undone);
            head.Name("given_up_s")
                .Number(count.given_up == NEVER ? std::nan("") : seconds(count.given_up));
            head.Name("max_rtt_s").Number(seconds(count.max_rtt));
            head.Name("max_delivery_rate_bps")
                .Number(flow.connections.front().sender->fastest().bps());
            flow.connections.front().sender->write(head);
            write_series(flow.series, head, numbers);
            head.End('}');
        }
        head.End(']').Name("links").Begin('[');
        for (const auto& link : m_links)
        {
            const PacketCount& count = link->count;
            head.Begin('{').Name("source").Text(link->spec.source);
            head.Name("target").Text(link->spec.target);
            head.Name("packets_sent").Number(count.sent);
            head.Name("packets_lost").Number(count.lost);
            head.Name("packets_lost_in_outage").Number(count.outage);
            head.Name("packets_dropped_by_queue").Number(count.overflow);
            head.Name("packets_marked").Number(count.marked);
            head.Name("packets_dropped_early").Number(count.early);
            head.Name("packets_sent_again").Number(count.again);
            head.Name("packets_repaired").Number(count.repaired);
            head.Name("packets_cached").Number(count.cached);
            head.Name("acks_held_back").Number(count.held_back);
            head.Name("acks_told_of_loss").Number(count.told);
            head.Name("quick_starts_approved").Number(count.quick_starts_approved);
            head.Name("quick_starts_reported").Number(count.quick_starts_reported);
            write_series(count.series, head, numbers);
            head.End('}');
        }
        head.End(']').Name("transfers").Begin('[');
        for (const auto& transfer : m_transfers)
        {
            const TransferCount count = transfer->count();
            const auto when = [](Time time) {
                return time == NEVER ? std::nan("") : seconds(time);
            };
            head.Begin('{').Name("received_s").Number(when(count.received));
            head.Name("acknowledged_s").Number(when(count.acknowledged));
            head.Name("delivered_bytes").Number(count.unique_bytes);
            head.Name("packets_sent").Number(count.packets);
            head.Name("packets_sent_again").Number(count.packets_again);
            head.Name("bytes_sent").Number(count.packet_bytes);
            head.Name("packets_overrun").Number(count.overrun);
            head.Name("control_bytes").Number(count.control_bytes);
            head.Name("rounds").Number(count.rounds);
            write_series(count.series, head, numbers);
            head.End('}');
        }
        head.End(']').Name("media_streams").Begin('[');
        for (const MediaStream& stream : m_media_streams)
        {
            const MediaStreamCount count = stream.count();
            const bool came = count.least_delay != NEVER;
            head.Begin('{').Name("packets_sent").Number(count.sent);
            head.Name("packets_due").Number(count.due);
            head.Name("packets_late").Number(count.late);
            head.Name("packets_lost").Number(count.lost);
            head.Name("least_delay_s").Number(came ? seconds(count.least_delay) : std::nan(""));
            head.End('}');
        }
        head.End(']').Name("events").Number(m_events.count());
        head.Name("end_s").Number(seconds(now()));
    }

  private:
    static void write_series(const SeriesByName& series,
                             JsonWriter& head,
                             std::vector<double>& numbers)
    {
        head.Name("series").Begin('{');
        for (const auto& [name, kept] : series)
        {
            head.Name(name).Begin('[');
            head.Number(numbers.size()).Number(kept.timeS.size()).End(']');
            numbers.insert(numbers.end(), kept.timeS.begin(), kept.timeS.end());
            numbers.insert(numbers.end(), kept.values.begin(), kept.values.end());
        }
        head.End('}');
    }

    /// One direction. Both directions of a cable are added one after the other.
    void add_link(const LinkSpec& spec)
    {
        m_network.node(spec.source);
        const uint32_t target = m_network.node(spec.target);
        const uint64_t number = m_links.size();
        if (spec.needs_steps())
        {
            auto link = std::make_unique<StepLink>(m_events, spec, target, number, m_spec.seed);
            if (number % 2 == 0)
            {
                m_forth = link.get();
            }
            else if (m_forth)
            {
                link->pair(*m_forth);
                m_forth->pair(*link);
            }
            m_links.push_back(std::move(link));
        }
        else
        {
            m_forth = nullptr;
            m_links.push_back(
                std::make_unique<DropTailLink>(m_events, spec, target, number, m_spec.seed));
        }
        m_network.join(spec.source, spec.target, m_links.back().get());
        for (const std::string& name : m_spec.series)
        {
            if (name == "queue_packets" || name == "sent_bytes")
            {
                m_links.back()->record(name, seconds(m_spec.duration), m_spec.points);
            }
        }
    }

    void add_flow(const FlowSpec& spec)
    {
        Flow& flow = m_flows.emplace_back(m_events, m_network, spec, m_checks);
        m_events.at(spec.start, [&flow] { flow.first().sender->start(); });
        if (spec.stop)
        {
            m_events.at(*spec.stop, [&flow] { flow.first().sender->stop(); });
        }
        for (const std::string& name : m_spec.series)
        {
            record(flow, name);
        }
        if (spec.bytes > 0 || flow.delivered_series)
        {
            flow.last().receiver->on_delivery = [this, &flow] { on_delivery(flow); };
        }
        // From then on, every node of the path sends segments along it and ACKs back.
        for (const Reroute& reroute : spec.reroutes)
        {
            if (reroute.at == 0) // before the first packet
            {
                flow.last().lead(m_network, reroute.path);
                continue;
            }
            m_events.at(reroute.at,
                        [this, &flow, &reroute] { flow.last().lead(m_network, reroute.path); });
        }
        for (const HandoffSpec& handoff : spec.handoffs)
        {
            m_events.at(handoff.at, [&flow, &handoff] {
                flow.first().sender->on_handoff(handoff.local, handoff.announced_bps);
            });
        }
        if (spec.relays_fail_at)
        {
            m_events.at(*spec.relays_fail_at, [&flow] { flow.fail_relays(); });
        }
        for (const MoveSpec& move : spec.moves)
        {
            m_events.at(move.attached, [this, &flow, &move] {
                m_moves.emplace_back(m_events, m_network, flow, move).begin();
            });
        }
    }

    /// Keep that series of a flow, if it has it.
    void record(Flow& flow, const std::string& name)
    {
        SenderSeries& kept = flow.first().sender->series;
        const uint32_t events = flow.spec.algorithm->entry().events;
        const std::map<std::string, Series**> known{{"delivered_bytes", &flow.delivered_series},
                                                    {"cwnd_segments", &kept.cwnd},
                                                    {"ssthresh_segments", &kept.ssthresh},
                                                    {"rtt_s", &kept.rtt},
                                                    {"bandwidth_bps", &kept.bandwidth},
                                                    {"utilization", &kept.utilization},
                                                    {"acknowledged_bytes", &kept.acknowledged},
                                                    {"signalling_bytes", &flow.signalling_series},
                                                    {"handoff_s", &flow.handoff_series}};
        const auto found = known.find(name);
        const bool missing = (name == "bandwidth_bps" && !(events & event::BANDWIDTH)) ||
                             (name == "utilization" && !(events & event::UTILIZATION));
        if (found != known.end() && !missing)
        {
            *found->second = &flow.series.try_emplace(name, seconds(m_spec.duration), m_spec.points)
                                  .first->second;
        }
    }

    void add_transfer(const TransferSpec& spec)
    {
        if (const auto* streams = std::get_if<StreamsSpec>(&spec.method))
        {
            std::vector<Flow*> flows;
            for (const uint64_t place : streams->flows)
            {
                flows.push_back(&m_flows[place]);
            }
            auto transfer = std::make_unique<StreamsTransfer>(m_events, spec, flows, m_checks);
            for (std::size_t i = 0; i < flows.size(); ++i)
            {
                flows[i]->last().receiver->on_delivery =
                    [this, flow = flows[i], i, transfer = transfer.get()] {
                        on_delivery(*flow);
                        transfer->on_delivery(i);
                    };
            }
            m_transfers.push_back(std::move(transfer));
        }
        else if (std::holds_alternative<RbudpSpec>(spec.method))
        {
            m_transfers.push_back(
                std::make_unique<Rbudp>(m_events, m_network, spec, m_spec.control, m_checks));
        }
        else
        {
            m_transfers.push_back(
                std::make_unique<Tsunami>(m_events, m_network, spec, m_spec.control, m_checks));
        }
        m_transfers.back()->on_end = [this] { on_end(); };
        for (const std::string& name : m_spec.series)
        {
            if (name == "received_bytes" || name == "rate_bps" || name == "error_rate")
            {
                m_transfers.back()->record(name, seconds(m_spec.duration), m_spec.points);
            }
        }
    }

    /// A flow or a transfer is over. A run ends with the last of those that have an end, unless there is
    /// no transfer and a flow has none.
    void on_end()
    {
        std::size_t all = m_transfers.size();
        for (const Flow& flow : m_flows)
        {
            all += flow.spec.bytes > 0 || m_transfers.empty();
        }
        if (++m_complete == all)
        {
            m_events.end();
        }
    }

    void on_delivery(Flow& flow)
    {
        const Bytes delivered = flow.delivered_bytes();
        const double now_s = seconds(now());
        if (flow.delivered_series)
        {
            flow.delivered_series->Add(now_s, static_cast<double>(delivered));
        }
        if (flow.spec.bytes > 0 && delivered == static_cast<Bytes>(flow.spec.bytes))
        {
            flow.completion_s = now_s;
            on_end();
        }
    }

    /// Check that nothing was lost but by losses: a run in which something was is given up.
    void finish()
    {
        for (const auto& link : m_links)
        {
            m_checks.expect(link->finish(now()), "a link has not conserved its packets");
        }
        for (const Flow& flow : m_flows)
        {
            for (const Connection& connection : flow.connections)
            {
                m_checks.expect(connection.receiver->is_consistent(),
                                "a receiver has lost or doubled segments");
                connection.sender->finish(connection.receiver->rcv_nxt());
            }
        }
        for (const auto& transfer : m_transfers)
        {
            transfer->finish();
        }
    }

    const ScenarioSpec m_spec;
    Checks m_checks;
    EventQueue m_events;
    std::vector<std::unique_ptr<Link>> m_links;
    StepLink* m_forth{nullptr}; //!< the link there, of the cable that is being added
    Network m_network;
    std::deque<Flow> m_flows; // which stay where they are
    std::deque<Movement> m_moves;
    std::vector<std::unique_ptr<Transfer>> m_transfers;
    std::deque<MediaStream> m_media_streams;
    std::size_t m_complete{0};
    bool m_is_finished{false};
};

} // namespace longfat::core

#endif
