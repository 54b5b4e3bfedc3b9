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
#include "mobility.h"
#endif
#include "link.h"
#ifdef LONGFAT_ROUTERS
#include "xcp-link.h"
#endif
#include "receiver.h"
#include "sender.h"
#ifdef LONGFAT_TRANSFERS
#include "rbudp.h"
#include "tsunami.h"
#endif
#ifdef LONGFAT_RESTARTS
#include "restarts.h"
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
#ifdef LONGFAT_HELPERS
        forth.other = &back;
        back.other = &forth;
#endif
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
#ifdef LONGFAT_HELPERS
    Route* newest{&forth}; //!< that segments leave by now
#endif
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
#ifdef LONGFAT_HELPERS
    Series* acknowledgedSeries{nullptr}; //!< the same
    Series* signallingSeries{nullptr};
    Series* handoffSeries{nullptr};
    uint64_t signallingBytes{0}; //!< of messages about movements, counted on each link
    bool relaysFailed{false};
#endif

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
#ifdef LONGFAT_ROUTERS
            flow.connections.front().sender->Routers().Write(head);
#endif
#ifdef LONGFAT_PTP
            flow.connections.front().sender->Asker().Write(head);
#endif
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
                head.Name("packets_repaired").Number(link.count.repaired);
                head.Name("packets_cached").Number(link.count.cached);
                head.Name("acks_held_back").Number(link.count.heldBack);
                head.Name("acks_told_of_loss").Number(link.count.told);
            }
#endif
#ifdef LONGFAT_ROUTERS
            if (link.approval)
            {
                head.Name("quick_starts_approved").Number(link.approval->approved);
                head.Name("quick_starts_reported").Number(link.approval->reported);
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
#endif
#ifdef LONGFAT_RESTARTS
        if (spec.Changes())
        {
            return AddChanging(spec, std::move(carriers));
        }
#endif
#ifdef LONGFAT_TRANSFERS
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

#endif
#ifdef LONGFAT_RESTARTS
    std::unique_ptr<Transfer> AddChanging(const TransferSpec& spec, std::vector<Carrier> carriers)
    {
        auto transfer = std::make_unique<ChangingStreams>(m_events, spec, std::move(carriers));
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

#endif
#ifdef LONGFAT_TRANSFERS
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
            auto helper = std::make_unique<HelpedLink>(m_events, link, m_links.size() - 1);
            if (m_links.size() % 2 == 0 && m_last) // both directions of a cable
            {
                helper->Pair(*m_last);
                m_last->Pair(*helper);
            }
            m_last = helper.get();
            link.Help(std::move(helper));
        }
        else
        {
            m_last = nullptr;
        }
#endif
#ifdef LONGFAT_ROUTERS
        if (spec.xcp)
        {
            link.UseRouter(std::make_unique<XcpLink>(m_events, link, m_links.size() - 1));
        }
#endif
#ifdef LONGFAT_PTP
        link.address = m_links.size();
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
#ifdef LONGFAT_HELPERS
            if (spec.relayBufferBytes > 0)
            {
                AddConnection(flow, WithRelayBuffers(spec, flow.connections.size()), path);
                continue;
            }
#endif
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
#ifdef LONGFAT_HELPERS
        AddHelpers(flow, spec);
#endif
    }
#ifdef LONGFAT_HELPERS
    /// The settings of one connection of a flow: the ends at relays have buffers of their own.
    const FlowSpec& WithRelayBuffers(const FlowSpec& spec, std::size_t number)
    {
        FlowSpec& own = m_relaySpecs.emplace_back(spec);
        if (number > 0)
        {
            own.sendBufferBytes = spec.relayBufferBytes;
        }
        if (number + 1 < spec.connections.size())
        {
            own.receiveBufferBytes = spec.relayBufferBytes;
        }
        return own;
    }

    void AddHelpers(Flow& flow, const FlowSpec& spec)
    {
        if (spec.relaysFailAtS)
        {
            m_events.At(FromSeconds(*spec.relaysFailAtS), [this, &flow] { FailRelays(flow); });
        }
        for (const Move& move : spec.moves)
        {
            m_events.At(FromSeconds(move.atS + move.linkS + move.setupS),
                        [this, &flow, &move] { OnAttached(flow, move); });
        }
        if (flow.acknowledgedSeries)
        {
            Connection& first = flow.connections.front();
            first.sender->onAdvance = [this, &flow, &first] {
                flow.acknowledgedSeries->Add(
                    NowS(),
                    static_cast<double>(first.stream.Offset(first.sender->Acknowledged())));
            };
        }
    }

    /// What the relays had is gone; the ends hear nothing more from them.
    void FailRelays(Flow& flow)
    {
        flow.relaysFailed = true;
        for (std::size_t i = 0; i < flow.connections.size(); ++i)
        {
            Connection& connection = flow.connections[i];
            if (i > 0)
            {
                connection.sender->Fail();
                connection.back.end = &m_nobody;
            }
            if (i + 1 < flow.connections.size())
            {
                SetEnd(connection, &m_nobody);
            }
        }
    }

    void SetEnd(Connection& connection, Endpoint* end)
    {
        connection.forth.end = end;
        connection.newest->end = end;
    }

    /// The host has joined its new link: what it sends takes the new way, and it tells where it is.
    void OnAttached(Flow& flow, const Move& move)
    {
        Connection& last = flow.connections.back();
        if (move.split.empty())
        {
            SetHops(last.back, Path(move.path.rbegin(), move.path.rend()), 0);
        }
        SendRound(flow, move, 0);
    }

    /// Send the messages of a round, then of the next; then packets take the new way.
    void SendRound(Flow& flow, const Move& move, std::size_t round)
    {
        if (round == move.rounds.size())
        {
            if (move.split.empty())
            {
                Redirect(flow, move);
            }
            else
            {
                MoveRelay(flow, move);
            }
            return;
        }
        auto left = std::make_shared<std::size_t>(move.rounds[round].size());
        for (const std::vector<Path>& legs : move.rounds[round])
        {
            Send(flow, legs, move.messageBytes, [this, &flow, &move, round, left] {
                if (--*left == 0)
                {
                    SendRound(flow, move, round + 1);
                }
            });
        }
    }

    void Send(Flow& flow,
              const std::vector<Path>& legs,
              uint64_t bytes,
              std::function<void()> onArrival)
    {
        std::vector<Route> routes;
        for (const Path& leg : legs)
        {
            SetHops(routes.emplace_back(), leg, 0);
        }
        Message& message =
            m_messages.emplace_back(m_events, std::move(routes), bytes, flow.signallingBytes);
        message.onArrival = std::move(onArrival);
        message.Send();
        if (flow.signallingSeries)
        {
            flow.signallingSeries->Add(NowS(), static_cast<double>(flow.signallingBytes));
        }
    }

    /// From that node on, packets take the new way. What the sender has sent before goes on as
    /// addressed, unless that node is on its way.
    void Redirect(Flow& flow, const Move& move)
    {
        Connection& connection = flow.connections.front();
        const std::size_t place =
            std::find(move.path.begin(), move.path.end(), move.redirect) - move.path.begin();
        if (place == 0)
        {
            connection.newest = &m_routes.emplace_back(*connection.newest);
            connection.newest->current = nullptr;
            connection.forth.current = connection.newest;
        }
        SetHops(*connection.newest, move.path, place);
        connection.forth.first = connection.newest->first;
        Answer(flow, move, Path(move.path.begin() + place, move.path.end()));
    }

    /// The state of a split connection goes to another relay; what comes meanwhile is lost. A relay
    /// that has failed has no state, and one that fails meanwhile takes it along.
    void MoveRelay(Flow& flow, const Move& move)
    {
        if (flow.relaysFailed)
        {
            return;
        }
        Connection& before = flow.connections.front();
        Connection& after = flow.connections.back();
        SetEnd(before, &m_nobody);
        const uint64_t held = before.receiver->DeliveredSegments() - after.sender->Acknowledged();
        const uint64_t bytes = move.stateBytes + held * before.spec.segmentBytes;
        Send(flow, {move.between}, bytes, [this, &flow, &move, &before, &after] {
            if (flow.relaysFailed)
            {
                return;
            }
            SetEnd(before, before.receiver.get());
            SetPath(before, move.split.front());
            SetPath(after, move.split.back());
            Answer(flow, move, move.split.back());
            after.sender->StartOver();
        });
    }

    /// Who redirects answers: when the host has the answer, the handoff is over.
    void Answer(Flow& flow, const Move& move, const Path& way)
    {
        Send(flow, {way}, move.messageBytes, [this, &flow, &move] {
            if (flow.handoffSeries)
            {
                flow.handoffSeries->Add(NowS(), NowS() - move.atS);
            }
        });
    }

    /// Lead a way along that path, from a place of it on.
    void SetHops(Route& route, const Path& path, std::size_t from)
    {
        route.next.resize(m_nodes.size());
        for (std::size_t i = from + 1; i < path.size(); ++i)
        {
            const uint32_t here = Node(path[i - 1]);
            route.next[here] = m_linkByEnds.at({here, Node(path[i])});
        }
        route.next[Node(path.back())] = nullptr;
        route.first = route.next[Node(path.front())];
    }
#endif

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
#ifdef LONGFAT_HELPERS
        else if (name == "acknowledged_bytes")
        {
            flow.acknowledgedSeries = &AddSeries(flow, name);
        }
        else if (name == "signalling_bytes")
        {
            flow.signallingSeries = &AddSeries(flow, name);
        }
        else if (name == "handoff_s")
        {
            flow.handoffSeries = &AddSeries(flow, name);
        }
#endif
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
    bool m_helped{false};        //!< a link has helpers: of all, what these do is told
    HelpedLink* m_last{nullptr}; //!< of the link that was added last, if it has helpers
    Nobody m_nobody;
    std::deque<FlowSpec> m_relaySpecs; //!< of connections with buffers of their own
    std::deque<Route> m_routes;        //!< that flows have changed to
    std::deque<Message> m_messages;
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
