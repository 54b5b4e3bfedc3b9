// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario as links, senders and receivers that hand each other segments, on ns-3's simulator.
// Once per process, as with the full stack.
//
// The functions that every packet passes are inlined by demand (always_inline): the calls would be
// a tenth of the time.

#ifndef LONGFAT_SEGMENT_SIMULATION_H
#define LONGFAT_SEGMENT_SIMULATION_H

#include "link.h"
#include "receiver.h"
#include "sender.h"

#include "ns3/abort.h"
#include "ns3/rng-seed-manager.h"

#include <deque>
#include <memory>

namespace longfat::segment
{

/// One TCP connection: of a flow, or of the part of it up to the next relay.
struct Connection
{
    explicit Connection(const FlowSpec& flow)
        : spec(flow)
    {
        stream.segmentBytes = spec.segmentBytes;
        if (spec.bytes > 0)
        {
            stream.bytes = spec.bytes;
            stream.segments = (spec.bytes + spec.segmentBytes - 1) / spec.segmentBytes;
        }
        sender = std::make_unique<Sender>(spec, stream, forth);
        receiver = std::make_unique<Receiver>(spec, stream, back);
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

    const FlowSpec spec;
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
    uint64_t bytes{0};                                            //!< 0: without end
    double completionS{std::numeric_limits<double>::quiet_NaN()}; //!< when the last byte was read
    SeriesByName series;
    Series* deliveredSeries{nullptr};                             //!< if it is kept

    uint64_t DeliveredBytes() const
    {
        return connections.back().receiver->DeliveredBytes();
    }

    /// The sums over all connections.
    SenderCount Count() const
    {
        SenderCount sum;
        for (const Connection& connection : connections)
        {
            const SenderCount& count = connection.sender->count;
            sum.segments += count.segments;
            sum.retransmissions += count.retransmissions;
            sum.recoveries += count.recoveries;
            sum.timeouts += count.timeouts;
        }
        return sum;
    }
};

class Simulation
{
  public:
    Simulation(uint64_t seed, double durationS, uint32_t points)
        : m_durationS(durationS),
          m_points(points)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(seed);
        ns3::RngSeedManager::ResetNextStreamIndex();
        ns3::Simulator::SetScheduler(ns3::ObjectFactory("ns3::PriorityQueueScheduler"));
    }

    Simulation(const Simulation&) = delete;

    /// Add one direction of a link. Both directions of a cable are added one after the other.
    void AddLink(const LinkSpec& spec)
    {
        const uint32_t source = Node(spec.source);
        const uint32_t target = Node(spec.target);
        m_links.emplace_back(spec, target, static_cast<int64_t>(m_links.size()));
        m_linkByEnds[{source, target}] = &m_links.back();
    }

    /// Add a flow without its connections, which are added one after the other.
    Flow& AddFlow(const FlowSpec& spec)
    {
        m_flows.emplace_back();
        Flow& flow = m_flows.back();
        flow.bytes = spec.bytes;
        ns3::Simulator::Schedule(ns3::Seconds(spec.startS),
                                 [&flow] { flow.connections.front().sender->Start(); });
        if (std::isfinite(spec.stopS))
        {
            ns3::Simulator::Schedule(ns3::Seconds(spec.stopS),
                                     [&flow] { flow.connections.front().sender->Stop(); });
        }
        return flow;
    }

    /// Add the last flow's next connection, on that path.
    void AddConnection(const FlowSpec& spec, const std::vector<std::string>& path)
    {
        Flow& flow = m_flows.back();
        flow.connections.emplace_back(spec);
        Connection& last = flow.connections.back();
        SetPath(last, path);
        if (flow.bytes > 0)
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

    /// From then on, every node of the path sends the last flow's segments along it and its ACKs
    /// back; other nodes go on as before with what reaches them.
    void AddReroute(double atS, const std::vector<std::string>& path)
    {
        Connection& connection = m_flows.back().connections.back();
        ns3::Simulator::Schedule(ns3::Seconds(atS),
                                 [this, &connection, path] { SetPath(connection, path); });
    }

    /// At that time, the last flow's sender is told that its receiver has moved.
    void AddHandoff(double atS, bool local, double announcedBps)
    {
        Flow& flow = m_flows.back();
        ns3::Simulator::Schedule(ns3::Seconds(atS), [&flow, local, announcedBps] {
            Connection& connection = flow.connections.front();
            if (std::isnan(flow.completionS))
            {
                connection.sender->TellHandoff(
                    local, announcedBps, connection.receiver->BufferBytes());
            }
        });
    }

    /// Keep that series of every link.
    void RecordLinks(const std::string& name)
    {
        for (Link& link : m_links)
        {
            link.Record(name, m_durationS, m_points);
        }
    }

    /// Keep that series of the last flow; with relays, of its first connection.
    void Record(const std::string& name)
    {
        Flow& flow = m_flows.back();
        Sender& sender = *flow.connections.front().sender;
        Series& series = flow.series.try_emplace(name, m_durationS, m_points).first->second;
        const double segment = sender.tcb->m_segmentSize;
        if (name == "delivered_bytes")
        {
            flow.deliveredSeries = &series;
            FollowDelivery(flow);
        }
        else if (name == "cwnd_segments")
        {
            Keep<uint32_t>(*sender.tcb, "CongestionWindow", series, segment);
        }
        else if (name == "ssthresh_segments")
        {
            sender.tcb->TraceConnectWithoutContext(
                "SlowStartThreshold",
                ns3::Callback<void, uint32_t, uint32_t>([&series, segment](uint32_t, uint32_t now) {
                    if (now != NO_THRESHOLD)
                    {
                        series.Add(now / segment);
                    }
                }));
        }
        else if (name == "rtt_s")
        {
            sender.tcb->TraceConnectWithoutContext(
                "LastRTT",
                ns3::Callback<void, ns3::Time, ns3::Time>(
                    [&series](ns3::Time, ns3::Time now) { series.Add(now.GetSeconds()); }));
        }
        else if (name == "bandwidth_bps" || name == "utilization")
        {
            const char* source = name == "utilization" ? "Utilization" : "Bandwidth";
            const bool found = Keep<double>(*sender.congestionControl, source, series, 1);
            NS_ABORT_MSG_UNLESS(found, "the congestion control has no series " << name);
        }
    }

    /// Run to the end, or until every flow is complete if all have an end. Then check that nothing
    /// was lost but by losses: a run in which something was is given up.
    void Run()
    {
        ns3::Simulator::Stop(ns3::Seconds(m_durationS));
        ns3::Simulator::Run();
        events = ns3::Simulator::GetEventCount();
        endS = ns3::Simulator::Now().GetSeconds();
        for (Link& link : m_links)
        {
            link.Finish(Now());
        }
        for (const Flow& flow : m_flows)
        {
            for (const Connection& connection : flow.connections)
            {
                connection.receiver->Check();
                connection.sender->Check(connection.receiver->DeliveredSegments());
            }
        }
    }

    const Link& GetLink(std::size_t i) const
    {
        return m_links[i];
    }

    const Flow& GetFlow(std::size_t i) const
    {
        return m_flows[i];
    }

    uint64_t events{0}; //!< executed
    double endS{0};     //!< simulated time at the end

  private:
    uint32_t Node(const std::string& name)
    {
        return m_nodes.try_emplace(name, m_nodes.size()).first->second;
    }

    void SetPath(Connection& connection, const std::vector<std::string>& path)
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
            flow.deliveredSeries->Add(double(delivered));
        }
        if (flow.bytes > 0 && delivered == flow.bytes)
        {
            flow.completionS = ns3::Simulator::Now().GetSeconds();
            if (++m_complete == m_flows.size())
            {
                ns3::Simulator::Stop();
            }
        }
    }

    double m_durationS;
    uint32_t m_points;
    std::deque<Link> m_links; // which stay where they are
    std::deque<Flow> m_flows;
    std::size_t m_complete{0};
    std::map<std::string, uint32_t> m_nodes;
    std::map<std::pair<uint32_t, uint32_t>, Link*> m_linkByEnds;
};

} // namespace longfat::segment

#endif
