// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario's nodes and links in ns-3: point-to-point devices with drop-tail queues.

#ifndef LONGFAT_NETWORK_H
#define LONGFAT_NETWORK_H

#include "counts.h"
#include "paths.h"
#include "burst-losses.h"
#include "managed-queue.h"

#include "ns3/abort.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/ppp-header.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace longfat
{

/// Losses of a link that are independent of each other.
struct Loss
{
    double perPacket{0};
    double perBit{0};
};

/// Simulated time.
inline double
NowS()
{
    return ns3::Simulator::Now().GetSeconds();
}

/// Keep every new value of a trace source, as `number` gives it. Returns whether there is such a one.
template <class T, class Number>
bool
Keep(ns3::ObjectBase& object, const std::string& source, Series& series, Number number)
{
    return object.TraceConnectWithoutContext(source,
                                             ns3::Callback<void, T, T>([&series, number](T, T now) {
                                                 series.Add(NowS(), number(now));
                                             }));
}

/// What is counted at a link, and how.
struct LinkTrace : LinkCount
{
    void OnSent(ns3::Ptr<const ns3::Packet> packet)
    {
        ++sent;
        sentBytes += packet->GetSize();
        if (auto kept = series.find("sent_bytes"); kept != series.end())
        {
            kept->second.Add(NowS(), sentBytes);
        }
    }

    void OnOverflow(ns3::Ptr<const ns3::Packet>)
    {
        ++overflow;
    }

    uint64_t early{0};  //!< dropped by active queue management
    uint64_t marked{0}; //!< by the queue
};

/// Losses at the receiving end of a link: independent per packet and per bit, and outages.
class LinkErrors : public ns3::ErrorModel
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::LinkErrors").SetParent<ns3::ErrorModel>();
        return tid;
    }

    /// `stream` numbers the random numbers, so that no other part of ns-3 can shift them.
    LinkErrors(const LinkSpec& link, LinkCount* count, int64_t stream)
        : m_outages(link.outages),
          m_loss{link.lossPerPacket, link.lossPerBit},
          m_count(count),
          m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        m_uniform->SetStream(stream);
    }

    /// The losses of the packets that arrive from now on.
    void SetLoss(Loss loss)
    {
        m_loss = loss;
    }

    std::optional<BurstLosses> bursts; //!< beside the other losses
  private:
    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override
    {
        const bool inBurst = bursts && bursts->TakeNext(); // also of packets that an outage loses
        const double nowS = NowS();
        for (const Outage& outage : m_outages)
        {
            if (outage.startS <= nowS && nowS < outage.endS)
            {
                ++m_count->outage;
                return true;
            }
        }
        double survives = 1 - m_loss.perPacket;
        if (m_loss.perBit > 0)
        {
            survives *= std::pow(1 - m_loss.perBit, 8.0 * packet->GetSize());
        }
        const bool lost = survives < 1 && m_uniform->GetValue() >= survives;
        m_count->lost += lost;
        m_count->lost += inBurst && !lost;
        if (inBurst)
        {
            return true;
        }
        return lost;
    }

    void DoReset() override
    {
    }

    std::vector<Outage> m_outages;
    Loss m_loss;
    LinkCount* m_count;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
};

/// A drop-tail queue that marks packets with ECN (RFC 3168) when there are many before them.
class MarkingQueue : public ns3::DropTailQueue<ns3::Packet>
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::MarkingQueue").SetParent<ns3::DropTailQueue<ns3::Packet>>();
        return tid;
    }

    explicit MarkingQueue(uint64_t above)
        : m_above(above)
    {
    }

    bool Enqueue(ns3::Ptr<ns3::Packet> packet) override
    {
        const bool wasMarked = marked && IsMarked(*packet);
        if (GetNPackets() >= m_above)
        {
            Mark(*packet);
        }
        if (marked)
        {
            *marked += IsMarked(*packet) && !wasMarked;
        }
        return ns3::DropTailQueue<ns3::Packet>::Enqueue(packet);
    }

    uint64_t* marked{nullptr}; //!< to be counted here

  private:
    static bool IsMarked(const ns3::Packet& packet)
    {
        ns3::PppHeader ppp;
        ns3::Ipv4Header ip;
        const auto copy = packet.Copy();
        copy->RemoveHeader(ppp);
        copy->PeekHeader(ip);
        return ip.GetEcn() == ns3::Ipv4Header::ECN_CE;
    }

    static void Mark(ns3::Packet& packet)
    {
        ns3::PppHeader ppp;
        ns3::Ipv4Header ip;
        packet.RemoveHeader(ppp);
        packet.RemoveHeader(ip);
        if (ip.GetEcn() != ns3::Ipv4Header::ECN_NotECT)
        {
            ip.SetEcn(ns3::Ipv4Header::ECN_CE);
        }
        packet.AddHeader(ip);
        packet.AddHeader(ppp);
    }

    uint64_t m_above;
};

/// A cable whose two directions may differ, and change.
class Cable : public ns3::PointToPointChannel
{
  public:
    /// One direction.
    struct Way
    {
        ns3::PointToPointNetDevice* source{nullptr};
        ns3::PointToPointNetDevice* target{nullptr};
        ns3::Time delay;
        Loss loss;
        ns3::Ptr<LinkErrors> errors; //!< where the losses change: as they were when it was sent
    };

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::Cable").SetParent<ns3::PointToPointChannel>();
        return tid;
    }

    void Join(const Way& there, const Way& back)
    {
        m_there = there;
        m_back = back;
        there.source->Attach(this);
        back.source->Attach(this);
    }

    /// From now on, the way from that device is another.
    void Change(ns3::PointToPointNetDevice* source, const LinkChange& change)
    {
        Way& way = source == m_there.source ? m_there : m_back;
        if (change.rateBps)
        {
            source->SetDataRate(
                ns3::DataRate(static_cast<uint64_t>(std::llround(*change.rateBps))));
        }
        if (change.delayS)
        {
            way.delay = ns3::Seconds(*change.delayS);
        }
        way.loss.perPacket = change.lossPerPacket.value_or(way.loss.perPacket);
        way.loss.perBit = change.lossPerBit.value_or(way.loss.perBit);
    }

    bool TransmitStart(ns3::Ptr<const ns3::Packet> packet,
                       ns3::Ptr<ns3::PointToPointNetDevice> source,
                       ns3::Time transmission) override
    {
        const Way& way = ns3::PeekPointer(source) == m_there.source ? m_there : m_back;
        const uint32_t context = way.target->GetNode()->GetId();
        const ns3::Time delay = transmission + way.delay;
        if (!way.errors)
        {
            ns3::Simulator::ScheduleWithContext(context,
                                                delay,
                                                &ns3::PointToPointNetDevice::Receive,
                                                way.target,
                                                packet->Copy());
        }
        else
        {
            ns3::Simulator::ScheduleWithContext(context,
                                                delay,
                                                &Cable::Arrive,
                                                this,
                                                &way,
                                                way.loss,
                                                packet->Copy());
        }
        return true;
    }

  private:
    void Arrive(const Way* way, Loss loss, ns3::Ptr<ns3::Packet> packet)
    {
        way->errors->SetLoss(loss);
        way->target->Receive(packet);
    }

    Way m_there;
    Way m_back;
};

/// The nodes and links of a scenario.
class Network
{
  public:
    /// Add both directions of a link between the same two nodes.
    void AddLinks(const LinkSpec& forward, const LinkSpec& backward)
    {
        auto a = AddDevice(forward);
        auto b = AddDevice(backward);
        Manage(forward, a, 2 * m_subnet);
        Manage(backward, b, 2 * m_subnet + 1);
        const Cable::Way there = AddWay(forward, a, b, 2 * m_subnet);
        const Cable::Way back = AddWay(backward, b, a, 2 * m_subnet + 1);
        auto cable = ns3::CreateObject<Cable>();
        cable->Join(there, back);
        ScheduleChanges(forward, there, cable);
        ScheduleChanges(backward, back, cable);
        ++m_subnet;
        AddAddress(a, 1);
        AddAddress(b, 2);
    }

    /// To be called when all links are there.
    void FindRoutes()
    {
        ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    /// From now on every node of the path sends the segments to that port along it, and the ACKs
    /// from that port back. Nodes of earlier paths only go on as before with what reaches them:
    /// it moves on towards its end until it meets the path.
    void SetPath(uint16_t port, const Path& path)
    {
        for (std::size_t i = 1; i < path.size(); ++i)
        {
            const std::string& here = path[i - 1];
            const std::string& next = path[i];
            PathRouting::Of(GetNode(here))->SendSegments(port, m_devices.at({here, next}));
            PathRouting::Of(GetNode(next))->SendAcks(port, m_devices.at({next, here}));
        }
    }

    /// The node with that name; made when it is new.
    ns3::Ptr<ns3::Node> GetNode(const std::string& name)
    {
        auto& node = m_nodes[name];
        if (!node)
        {
            node = ns3::CreateObject<ns3::Node>();
            ns3::InternetStackHelper internet;
            internet.SetIpv6StackInstall(false);
            internet.Install(node);
        }
        return node;
    }

    ns3::Ipv4Address GetAddress(const std::string& name)
    {
        return GetNode(name)->GetObject<ns3::Ipv4>()->GetAddress(1, 0).GetLocal();
    }

    const LinkTrace& GetTrace(const LinkSpec& link) const
    {
        return m_traces.at({link.source, link.target});
    }

    uint32_t packetBytes{0}; //!< that managed queues reckon with

    /// Keep that series of every link.
    void Record(const std::string& name, double durationS, uint32_t points)
    {
        for (auto& [ends, trace] : m_traces)
        {
            Series& series = trace.series.try_emplace(name, durationS, points).first->second;
            if (const auto queue = m_managed.find(ends);
                queue != m_managed.end() && name == "queue_packets")
            {
                Keep<uint32_t>(queue->second->Disc(), "PacketsInQueue", series, [](uint32_t now) {
                    return now;
                });
                continue;
            }
            const bool found =
                name == "sent_bytes" ||
                (name == "queue_packets" && Keep<uint32_t>(*m_devices.at(ends)->GetQueue(),
                                                           "PacketsInQueue",
                                                           series,
                                                           [](uint32_t now) { return now; }));
            NS_ABORT_MSG_UNLESS(found, "links have no series " << name);
        }
    }

  private:
    ns3::Ptr<ns3::PointToPointNetDevice> AddDevice(const LinkSpec& link)
    {
        auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
        device->SetAddress(ns3::Mac48Address::Allocate());
        device->SetDataRate(ns3::DataRate(static_cast<uint64_t>(std::llround(link.rateBps))));
        device->SetMtu(65535); // a segment is one packet
        GetNode(link.source)->AddDevice(device);
        ns3::Ptr<ns3::DropTailQueue<ns3::Packet>> queue;
        if (link.markAbovePackets != NO_LIMIT)
        {
            queue = ns3::CreateObject<MarkingQueue>(link.markAbovePackets);
        }
        else
        {
            queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
        }
        queue->SetMaxSize(ns3::QueueSize(link.queuePackets != NO_LIMIT
                                             ? std::to_string(link.queuePackets) + "p"
                                             : std::to_string(link.queueBytes) + "B"));
        device->SetQueue(queue);
        LinkTrace* trace = &m_traces[{link.source, link.target}];
        device->TraceConnectWithoutContext("PhyTxEnd",
                                           ns3::MakeCallback(&LinkTrace::OnSent, trace));
        queue->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&LinkTrace::OnOverflow, trace));
        m_devices[{link.source, link.target}] = device;
        return device;
    }

    /// Put a managed queue in the place of the device's, if the link has one; `number` of the link.
    void Manage(const LinkSpec& link, ns3::Ptr<ns3::PointToPointNetDevice> device, int64_t number)
    {
        LinkTrace& trace = m_traces[{link.source, link.target}];
        if (link.aqm.index() > 0)
        {
            const int64_t stream = FIRST_LINK_STREAM + LINK_STREAMS * number + QUEUE_STREAM;
            auto queue = ns3::CreateObject<ManagedQueue>(link, packetBytes, stream);
            queue->SetCounts(&trace.overflow, &trace.early, &trace.marked);
            device->SetQueue(queue);
            m_managed[{link.source, link.target}] = queue;
        }
        else if (auto queue = ns3::DynamicCast<MarkingQueue>(device->GetQueue()))
        {
            queue->marked = &trace.marked;
        }
    }

    /// The way of a link between two devices, with what it loses.
    Cable::Way AddWay(const LinkSpec& link,
                      ns3::Ptr<ns3::PointToPointNetDevice> source,
                      ns3::Ptr<ns3::PointToPointNetDevice> target,
                      int64_t stream)
    {
        Cable::Way way{ns3::PeekPointer(source),
                       ns3::PeekPointer(target),
                       ns3::Seconds(link.delayS),
                       Loss{link.lossPerPacket, link.lossPerBit},
                       nullptr};
        const bool changes =
            std::any_of(link.changes.begin(), link.changes.end(), [](const LinkChange& change) {
                return change.lossPerPacket || change.lossPerBit;
            });
        if (link.lossPerPacket > 0 || link.lossPerBit > 0 || !link.outages.empty() || changes)
        {
            auto errors =
                ns3::CreateObject<LinkErrors>(link, &m_traces[{link.source, link.target}], stream);
            target->SetReceiveErrorModel(errors);
            if (changes)
            {
                way.errors = errors;
            }
        }
        if (link.lossBursts)
        {
            auto errors = way.errors;
            if (!errors) // in the place of one without bursts, if there is one: it has not begun
            {
                errors = ns3::CreateObject<LinkErrors>(link,
                                                       &m_traces[{link.source, link.target}],
                                                       stream);
                target->SetReceiveErrorModel(errors);
            }
            errors->bursts.emplace(*link.lossBursts,
                                   FIRST_LINK_STREAM + LINK_STREAMS * stream + BURST_STREAM);
        }
        return way;
    }

    void ScheduleChanges(const LinkSpec& link, const Cable::Way& way, ns3::Ptr<Cable> cable)
    {
        for (const LinkChange& change : link.changes)
        {
            ns3::Simulator::Schedule(ns3::Seconds(change.atS),
                                     &Cable::Change,
                                     cable,
                                     way.source,
                                     change);
        }
    }

    /// Give the device the address 10.x.y.host; without a queue discipline in front of its queue.
    void AddAddress(ns3::Ptr<ns3::PointToPointNetDevice> device, uint32_t host)
    {
        auto ipv4 = device->GetNode()->GetObject<ns3::Ipv4>();
        const uint32_t interface = ipv4->AddInterface(device);
        ipv4->AddAddress(
            interface,
            ns3::Ipv4InterfaceAddress(ns3::Ipv4Address((10u << 24) | (m_subnet << 8) | host),
                                      ns3::Ipv4Mask("255.255.255.0")));
        ipv4->SetMetric(interface, 1);
        ipv4->SetUp(interface);
    }

    using Ends = std::pair<std::string, std::string>; //!< source and target of a link

    uint32_t m_subnet{0};                               //!< number of the last cable
    std::map<std::string, ns3::Ptr<ns3::Node>> m_nodes; //!< by name
    std::map<Ends, ns3::Ptr<ns3::PointToPointNetDevice>> m_devices;
    std::map<Ends, LinkTrace> m_traces;
    std::map<Ends, ns3::Ptr<ManagedQueue>> m_managed;
};

} // namespace longfat

#endif
