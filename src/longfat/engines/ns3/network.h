// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario's nodes and links in ns-3: point-to-point devices with drop-tail queues.

#ifndef LONGFAT_NETWORK_H
#define LONGFAT_NETWORK_H

#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace longfat
{

/// One direction of a link, as the scenario states it.
struct Link
{
    std::string source;
    std::string target;
    double rateBps{0};
    double delayS{0};
    std::string queueSize;              //!< as ns3::QueueSize reads it: "1000p" or "64000B"
    double lossPerPacket{0};
    double lossPerBit{0};
    std::vector<double> outageStartS;
    std::vector<double> outageEndS;
};

/// What happened to the packets of one direction of a link.
struct LinkCount
{
    uint64_t sent{0};     //!< transmissions finished
    uint64_t lost{0};     //!< by loss per packet or per bit
    uint64_t outage{0};   //!< by an outage
    uint64_t overflow{0}; //!< by a full queue

    void OnSent(ns3::Ptr<const ns3::Packet>)
    {
        ++sent;
    }

    void OnOverflow(ns3::Ptr<const ns3::Packet>)
    {
        ++overflow;
    }
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
    LinkErrors(const Link& link, LinkCount* count, int64_t stream)
        : m_link(link),
          m_count(count),
          m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        m_uniform->SetStream(stream);
    }

  private:
    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override
    {
        const double now = ns3::Simulator::Now().GetSeconds();
        for (std::size_t i = 0; i < m_link.outageStartS.size(); ++i)
        {
            if (m_link.outageStartS[i] <= now && now < m_link.outageEndS[i])
            {
                ++m_count->outage;
                return true;
            }
        }
        double survives = 1 - m_link.lossPerPacket;
        if (m_link.lossPerBit > 0)
        {
            survives *= std::pow(1 - m_link.lossPerBit, 8.0 * packet->GetSize());
        }
        const bool lost = survives < 1 && m_uniform->GetValue() >= survives;
        m_count->lost += lost;
        return lost;
    }

    void DoReset() override
    {
    }

    Link m_link;
    LinkCount* m_count;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
};

/// A cable whose two directions may differ in delay.
class Cable : public ns3::PointToPointChannel
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::Cable").SetParent<ns3::PointToPointChannel>();
        return tid;
    }

    void Join(ns3::Ptr<ns3::PointToPointNetDevice> a,
              ns3::Time fromA,
              ns3::Ptr<ns3::PointToPointNetDevice> b,
              ns3::Time fromB)
    {
        m_a = ns3::PeekPointer(a);
        m_b = ns3::PeekPointer(b);
        m_fromA = fromA;
        m_fromB = fromB;
        a->Attach(this);
        b->Attach(this);
    }

    bool TransmitStart(ns3::Ptr<const ns3::Packet> packet,
                       ns3::Ptr<ns3::PointToPointNetDevice> source,
                       ns3::Time transmission) override
    {
        const bool forward = ns3::PeekPointer(source) == m_a;
        ns3::PointToPointNetDevice* target = forward ? m_b : m_a;
        ns3::Simulator::ScheduleWithContext(target->GetNode()->GetId(),
                                            transmission + (forward ? m_fromA : m_fromB),
                                            &ns3::PointToPointNetDevice::Receive,
                                            target,
                                            packet->Copy());
        return true;
    }

  private:
    ns3::PointToPointNetDevice* m_a{nullptr};
    ns3::PointToPointNetDevice* m_b{nullptr};
    ns3::Time m_fromA;
    ns3::Time m_fromB;
};

/// The nodes and links of a scenario.
class Network
{
  public:
    /// Add both directions of a link between the same two nodes.
    void AddLinks(const Link& forward, const Link& backward)
    {
        auto a = AddDevice(forward);
        auto b = AddDevice(backward);
        AddLosses(forward, b, 2 * m_subnet);
        AddLosses(backward, a, 2 * m_subnet + 1);
        auto cable = ns3::CreateObject<Cable>();
        cable->Join(a, ns3::Seconds(forward.delayS), b, ns3::Seconds(backward.delayS));
        ++m_subnet;
        AddAddress(a, 1);
        AddAddress(b, 2);
    }

    /// To be called when all links are there.
    void FindRoutes()
    {
        ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
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

    const LinkCount& GetCount(const std::string& source, const std::string& target) const
    {
        return m_counts.at({source, target});
    }

  private:
    ns3::Ptr<ns3::PointToPointNetDevice> AddDevice(const Link& link)
    {
        auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
        device->SetAddress(ns3::Mac48Address::Allocate());
        device->SetDataRate(ns3::DataRate(static_cast<uint64_t>(std::llround(link.rateBps))));
        GetNode(link.source)->AddDevice(device);
        auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
        queue->SetMaxSize(ns3::QueueSize(link.queueSize));
        device->SetQueue(queue);
        LinkCount* count = &m_counts[{link.source, link.target}];
        device->TraceConnectWithoutContext("PhyTxEnd",
                                           ns3::MakeCallback(&LinkCount::OnSent, count));
        queue->TraceConnectWithoutContext("Drop",
                                          ns3::MakeCallback(&LinkCount::OnOverflow, count));
        return device;
    }

    void AddLosses(const Link& link,
                   ns3::Ptr<ns3::PointToPointNetDevice> receiver,
                   int64_t stream)
    {
        if (link.lossPerPacket > 0 || link.lossPerBit > 0 || !link.outageStartS.empty())
        {
            receiver->SetReceiveErrorModel(
                ns3::CreateObject<LinkErrors>(link,
                                              &m_counts[{link.source, link.target}],
                                              stream));
        }
    }

    /// Give the device the address 10.x.y.host; without a queue discipline in front of its queue.
    void AddAddress(ns3::Ptr<ns3::PointToPointNetDevice> device, uint32_t host)
    {
        auto ipv4 = device->GetNode()->GetObject<ns3::Ipv4>();
        const uint32_t interface = ipv4->AddInterface(device);
        ipv4->AddAddress(interface,
                         ns3::Ipv4InterfaceAddress(
                             ns3::Ipv4Address((10u << 24) | (m_subnet << 8) | host),
                             ns3::Ipv4Mask("255.255.255.0")));
        ipv4->SetMetric(interface, 1);
        ipv4->SetUp(interface);
    }

    uint32_t m_subnet{0};                                //!< number of the last cable
    std::map<std::string, ns3::Ptr<ns3::Node>> m_nodes;  //!< by name
    std::map<std::pair<std::string, std::string>, LinkCount> m_counts; //!< by direction
};

} // namespace longfat

#endif
