// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario as links, senders and receivers that hand each other segments.
//
// The functions that every packet passes are inlined by demand (always_inline): the calls would be
// a tenth of the time.

#ifndef LONGFAT_SEGMENT_SIMULATION_H
#define LONGFAT_SEGMENT_SIMULATION_H

#include "../json.h"
#ifdef LONGFAT_HELPERS
#include "helped-link.h"
#endif
#include "link.h"
#include "receiver.h"
#include "sender.h"
#ifdef LONGFAT_TRANSFERS
#include "rbudp.h"
#include "tsunami.h"
#endif

#include "ns3/traced-value.h"

#include <deque>
#include <map>
#include <memory>

namespace longfat::segment
{

/// One TCP connection: of a flow, or of the part of it up to the next relay.
struct Connection
{
    Connection(EventQueue& events, const FlowSpec& spec)
        : spec(spec)
    {
        stream.segmentBytes = spec.segmentBytes;
        if (spec.bytes > 0)
        {
            stream.bytes = spec.bytes;
            stream.segments = (spec.bytes + spec.segmentBytes - 1) / spec.segmentBytes;
        }
        sender = std::make_unique<Sender>(events, spec, stream, forth);
        receiver = std::make_unique<Receiver>(events, spec, stream, back);
        forth.end = receiver.get();
        back.end = sender.get();
    }

    Connection(const Connection&) = delete;

    /// A relay passes on what has come in, as far as the next connection's send buffer takes it.
    void PassOn(Connection& next)
    {
        const uint64_t arrived = receiver->DeliveredSegments();
        next.sender->Offer(arrived);
        const uint64_t taken = std::min(arrived, next.sender->Room());
        receiver->Hold((arrived - taken) * spec.segmentBytes);
    }

    const FlowSpec& spec;
    Stream stream;
    Route forth;
    Route back;
    std::unique_ptr<Sender> sender;
    std::unique_ptr<Receiver> receiver;
};

/// A flow: one connection, or one after the other where relays split it.
class Flow
{
  public:
    std::deque<Connection> connections;
    FlowCount count; //!< what is counted at its senders and receivers is not yet in it
    Series* deliveredSeries{nullptr}; //!< if it is kept

    uint64_t DeliveredBytes() const
    {
        return connections.back().receiver->DeliveredBytes();
    }

    /// The whole count.
    FlowCount Total() const
    {
        FlowCount sum = count;
        sum.deliveredBytes = DeliveredBytes();
        for (const Connection& connection : connections)
        {
            sum.Add(connection.sender->count);
        }
        return sum;
    }
};

/// Keeps every new value, as `number` gives it.
template <class T, class Number>
class Keeper final : public ns3::TracedListener<T>
{
  public:
    Keeper(Series& series, const EventQueue& events, Number number)
        : m_series(series),
          m_events(events),
          m_number(number)
    {
    }

    void OnChange(const T& now) override
    {
        m_series.Add(ToSeconds(m_events.Now()), m_number(now));
    }

  private:
    Series& m_series;
    const EventQueue& m_events;
    Number m_number;
};

class Simulation
{
  public:
    explicit Simulation(ScenarioSpec scenario)
        : m_spec(std::move(scenario)),
          m_events(m_spec.seed)
    {
        const ns3::Simulator::Running running(&m_events.state);
        for (const LinkSpec& link : m_spec.links)
        {
            AddLink(link);
        }
        for (const FlowSpec& flow : m_spec.flows)
        {
            AddFlow(flow);
        }
#ifdef LONGFAT_TRANSFERS
        AddTransfers();
#endif
        m_events.At(FromSeconds(m_spec.durationS), [this] { m_events.End(); });
    }

    Simulation(const Simulation&) = delete;

    /// Run so many events at most, and none that is later than `untilS`; returns whether there is
    /// more to come. The end is that of the scenario, or when every flow is complete if all have an
    /// end.
    bool Run(double untilS, uint64_t most)
    {
        const ns3::Simulator::Running running(&m_events.state);
        const bool all = untilS >= m_spec.durationS;
        m_events.Run(all ? NEVER : FromSeconds(untilS), most);
        if (m_events.HasEnded() && !m_isFinished)
        {
            m_isFinished = true;
            Finish();
        }
        return !m_isFinished;
    }

    /// Simulated time, in seconds.
    double NowS() const
    {
        return ToSeconds(m_events.Now());
    }

    /// What the run's own checks have found at its end: a sentence, or nothing.
    const std::string& WhatIsWrong() const
    {
        return m_wrong;
    }

    /// Write what was counted as JSON. Series follow as numbers: times, then values, from the place
    /// and as many as stated there.
    void Write(JsonWriter& head, std::vector<double>& numbers) const
    {
        head.Name("flows").Begin('[');
        for (const Flow& flow : m_flows)
        {
            longfat::Write(head.Begin('{'), flow.Total());
            WriteSeries(flow.count.series, head, numbers);
            head.End('}');
        }
        head.End(']').Name("links").Begin('[');
        for (const Link& link : m_links)
        {
            longfat::Write(head.Begin('{'), link.spec, link.count);
#ifdef LONGFAT_HELPERS
            if (m_helped)
            {
                head.Name("packets_dropped_early").Number(link.count.early);
                head.Name("packets_marked").Number(link.count.marked);
                head.Name("packets_sent_again").Number(link.count.again);
            }
#endif
            WriteSeries(link.count.series, head, numbers);
            head.End('}');
        }
#ifdef LONGFAT_TRANSFERS
        WriteTransfers(head, numbers);
#endif
        head.End(']').Name("events").Number(m_events.Count()).Name("end_s").Number(NowS());
    }

  private:
    static void WriteSeries(const SeriesByName& series,
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

#ifdef LONGFAT_TRANSFERS
    void WriteTransfers(JsonWriter& head, std::vector<double>& numbers) const
    {
        head.End(']').Name("transfers").Begin('[');
        for (const auto& transfer : m_transfers)
        {
            const TransferCount count = transfer->Total();
            head.Begin('{').Name("there_s").Number(count.thereS);
            head.Name("known_s").Number(count.knownS);
            head.Name("delivered_bytes").Number(count.uniqueBytes);
            head.Name("packets_sent").Number(count.packets);
            head.Name("packets_sent_again").Number(count.packetsAgain);
            head.Name("bytes_sent").Number(count.packetBytes);
            head.Name("packets_overrun").Number(count.overrun);
            head.Name("control_bytes").Number(count.controlBytes);
            head.Name("rounds").Number(count.rounds);
            WriteSeries(count.kept, head, numbers);
            head.End('}');
        }
    }

    /// A run with transfers ends with the last of them and of the flows that have an end.
    void AddTransfers()
    {
        for (const FlowSpec& flow : m_spec.flows)
        {
            m_complete += flow.bytes == 0;
        }
        m_complete -= m_spec.transfers.size(); // each adds one at its end
        for (const TransferSpec& spec : m_spec.transfers)
        {
            m_transfers.push_back(spec.way.empty() ? AddStreams(spec) : AddDatagrams(spec));
            m_transfers.back()->onEnd = [this] {
                if (++m_complete == m_flows.size())
                {
                    m_events.End();
                }
            };
            for (const std::string& name : m_spec.series)
            {
                if (name == "there_bytes" || name == "rate_bps" || name == "error_rate")
                {
                    m_transfers.back()->Record(name, m_spec.durationS, m_spec.points);
                }
            }
        }
    }

    std::unique_ptr<Transfer> AddStreams(const TransferSpec& spec)
    {
        std::vector<Carrier> carriers;
        for (const uint64_t number : spec.carriers)
        {
            Flow& flow = m_flows[number];
            carriers.push_back({m_spec.flows[number],
                                *flow.connections.front().sender,
                                *flow.connections.back().receiver,
                                {},
                                [&flow] { return flow.Total(); },
                                0,
                                {}});
            for (Connection& connection : flow.connections)
            {
                carriers.back().streams.push_back(&connection.stream);
            }
        }
        auto transfer = std::make_unique<StreamsTransfer>(m_events, spec, std::move(carriers));
        for (std::size_t i = 0; i < spec.carriers.size(); ++i)
        {
            Flow& flow = m_flows[spec.carriers[i]];
            flow.connections.back().receiver->onDelivery =
                [this, &flow, i, transfer = transfer.get()] {
                    OnDelivery(flow);
                    transfer->OnDelivery(i);
                };
        }
        return transfer;
    }

    std::unique_ptr<Transfer> AddDatagrams(const TransferSpec& spec)
    {
        std::unique_ptr<DatagramTransfer> transfer;
        if (spec.method == TransferSpec::RBUDP)
        {
            transfer = std::make_unique<Rbudp>(m_events, spec, m_spec.control);
        }
        else
        {
            transfer = std::make_unique<Tsunami>(m_events, spec, m_spec.control);
        }
        const Path back(spec.way.rbegin(), spec.way.rend());
        SetWay(transfer->data, spec.way);
        SetWay(transfer->orders.Forth(), spec.way);
        SetWay(transfer->orders.Back(), back);
        SetWay(transfer->reports.Forth(), back);
        SetWay(transfer->reports.Back(), spec.way);
        m_events.At(FromSeconds(spec.beginS), [own = transfer.get()] { own->Start(); });
        return transfer;
    }

    void SetWay(Route& route, const Path& path)
    {
        route.next.resize(m_nodes.size());
        for (std::size_t i = 1; i < path.size(); ++i)
        {
            const uint32_t here = Node(path[i - 1]);
            route.next[here] = m_linkByEnds.at({here, Node(path[i])});
        }
        route.first = route.next[Node(path.front())];
    }

#endif
    /// One direction. Both directions of a cable are added one after the other.
    void AddLink(const LinkSpec& spec)
    {
        const uint32_t source = Node(spec.source);
        const uint32_t target = Node(spec.target);
        Link& link =
            m_links.emplace_back(m_events, spec, target, static_cast<int64_t>(m_links.size()));
#ifdef LONGFAT_HELPERS
        if (spec.HasHelpers())
        {
            m_helped = true;
            link.Help(std::make_unique<HelpedLink>(m_events, link, m_links.size() - 1));
        }
#endif
        m_linkByEnds[{source, target}] = &link;
        for (const std::string& name : m_spec.series)
        {
            if (name == "queue_packets" || name == "sent_bytes")
            {
                link.Record(name, m_spec.durationS, m_spec.points);
            }
        }
    }

    void AddFlow(const FlowSpec& spec)
    {
        Flow& flow = m_flows.emplace_back();
        m_events.At(FromSeconds(spec.startS),
                    [&flow] { flow.connections.front().sender->Start(); });
        if (spec.stopS)
        {
            m_events.At(FromSeconds(*spec.stopS),
                        [&flow] { flow.connections.front().sender->Stop(); });
        }
        for (const Path& path : spec.connections)
        {
            AddConnection(flow, spec, path);
        }
        // From then on, every node of the path sends segments along it and ACKs back; other nodes go
        // on as before with what reaches them.
        for (const Reroute& reroute : spec.reroutes)
        {
            if (reroute.atS == 0) // before the first packet
            {
                SetPath(flow.connections.back(), reroute.path);
                continue;
            }
            m_events.At(FromSeconds(reroute.atS), [this, &flow, &reroute] {
                SetPath(flow.connections.back(), reroute.path);
            });
        }
        for (const Handoff& handoff : spec.handoffs)
        {
            m_events.At(FromSeconds(handoff.atS), [&flow, &handoff] {
                const Connection& connection = flow.connections.front();
                if (std::isnan(flow.count.completionS))
                {
                    connection.sender->TellHandoff(handoff.local,
                                                   handoff.announcedBps,
                                                   connection.receiver->BufferBytes());
                }
            });
        }
        for (const std::string& name : m_spec.series)
        {
            Record(flow, name);
        }
    }

    void AddConnection(Flow& flow, const FlowSpec& spec, const Path& path)
    {
        Connection& last = flow.connections.emplace_back(m_events, spec);
        SetPath(last, path);
        if (spec.bytes > 0)
        {
            FollowDelivery(flow);
        }
        if (flow.connections.size() > 1)
        {
            Connection& before = flow.connections[flow.connections.size() - 2];
            last.sender->Offer(0);
            before.receiver->onAccepted = [&last] { last.sender->Start(); };
            before.receiver->onDelivery = [&before, &last] { before.PassOn(last); };
            last.sender->onRoom = [&before, &last] { before.PassOn(last); };
        }
    }

    /// Keep that series of a flow, if it has it; with relays, of its first connection.
    void Record(Flow& flow, const std::string& name)
    {
        Sender& sender = *flow.connections.front().sender;
        const double segment = sender.tcb->m_segmentSize;
        if (name == "delivered_bytes")
        {
            flow.deliveredSeries = &AddSeries(flow, name);
            FollowDelivery(flow);
        }
        else if (name == "cwnd_segments")
        {
            Keep(flow, name, sender.tcb->m_cWnd, [segment](uint32_t now) { return now / segment; });
        }
        else if (name == "ssthresh_segments")
        {
            Keep(flow, name, sender.tcb->m_ssThresh, [segment](uint32_t now) {
                return now == NO_THRESHOLD ? std::nan("") : now / segment;
            });
        }
        else if (name == "rtt_s")
        {
            Keep(flow, name, sender.tcb->m_lastRtt, [](const ns3::Time& now) {
                return now.GetSeconds();
            });
        }
        else if (name == "bandwidth_bps" || name == "utilization")
        {
            const char* source = name == "utilization" ? "Utilization" : "Bandwidth";
            ns3::TcpCongestionOps* own = ns3::PeekPointer(sender.congestionControl);
            const auto* accessor = own->GetInstanceTypeId().LookupTraceSourceByName(source);
            ns3::TracedValue<double>* value = accessor ? accessor->Find(own) : nullptr;
            if (value)
            {
                Keep(flow, name, *value, [](double now) { return now; });
            }
        }
    }

    Series& AddSeries(Flow& flow, const std::string& name)
    {
        return flow.count.series.try_emplace(name, m_spec.durationS, m_spec.points).first->second;
    }

    template <class T, class Number>
    void Keep(Flow& flow, const std::string& name, ns3::TracedValue<T>& value, Number number)
    {
        auto keeper = std::make_shared<Keeper<T, Number>>(AddSeries(flow, name), m_events, number);
        value.Listen(keeper.get());
        m_keepers.push_back(keeper);
    }

    /// Check that nothing was lost but by losses: a run in which something was is given up.
    void Finish()
    {
        for (Link& link : m_links)
        {
            Check(link.Finish(m_events.Now()), "a link has not conserved its packets");
        }
        for (const Flow& flow : m_flows)
        {
            for (const Connection& connection : flow.connections)
            {
                Check(connection.receiver->IsConsistent(),
                      "a receiver has lost or doubled segments");
                const char* wrong =
                    connection.sender->WhatIsWrong(connection.receiver->DeliveredSegments());
                Check(!wrong, wrong);
            }
        }
#ifdef LONGFAT_TRANSFERS
        for (const auto& transfer : m_transfers)
        {
            const char* wrong = transfer->WhatIsWrong();
            Check(!wrong, wrong);
        }
#endif
    }

    void Check(bool good, const char* words)
    {
        if (!good && m_wrong.empty())
        {
            m_wrong = words;
        }
    }

    uint32_t Node(const std::string& name)
    {
        return m_nodes.try_emplace(name, m_nodes.size()).first->second;
    }

    void SetPath(Connection& connection, const Path& path)
    {
        connection.forth.next.resize(m_nodes.size());
        connection.back.next.resize(m_nodes.size());
        for (std::size_t i = 1; i < path.size(); ++i)
        {
            const uint32_t here = Node(path[i - 1]);
            const uint32_t next = Node(path[i]);
            connection.forth.next[here] = m_linkByEnds.at({here, next});
            connection.back.next[next] = m_linkByEnds.at({next, here});
        }
        connection.forth.first = connection.forth.next[Node(path.front())];
        connection.back.first = connection.back.next[Node(path.back())];
    }

    void FollowDelivery(Flow& flow)
    {
        flow.connections.back().receiver->onDelivery = [this, &flow] { OnDelivery(flow); };
    }

    void OnDelivery(Flow& flow)
    {
        const uint64_t delivered = flow.DeliveredBytes();
        if (flow.deliveredSeries)
        {
            flow.deliveredSeries->Add(NowS(), static_cast<double>(delivered));
        }
        if (delivered == flow.connections.back().spec.bytes)
        {
            flow.count.completionS = NowS();
            if (++m_complete == m_flows.size())
            {
                m_events.End();
            }
        }
    }

    const ScenarioSpec m_spec;
    EventQueue m_events;
    std::deque<Link> m_links; // which stay where they are
    std::deque<Flow> m_flows;
    std::vector<std::shared_ptr<void>> m_keepers;
    std::size_t m_complete{0};
    bool m_isFinished{false};
#ifdef LONGFAT_HELPERS
    bool m_helped{false}; //!< a link has helpers: of all, what these do is told
#endif
#ifdef LONGFAT_TRANSFERS
    std::vector<std::unique_ptr<Transfer>> m_transfers;
#endif
    std::string m_wrong;
    std::map<std::string, uint32_t> m_nodes;
    std::map<std::pair<uint32_t, uint32_t>, Link*> m_linkByEnds;
};

} // namespace longfat::segment

#endif
