// SPDX-License-Identifier: GPL-2.0-only
//
// Routes of single flows, for those that do not take the shortest path.

#ifndef LONGFAT_PATHS_H
#define LONGFAT_PATHS_H

#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-l4-protocol.h"

#include <unordered_map>

namespace longfat
{

/// Routes by TCP port, ahead of a node's other routing: a flow's port is the destination of its
/// segments and the source of its ACKs. What it has no route for is left to the other routing.
class PathRouting : public ns3::Ipv4RoutingProtocol
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::PathRouting").SetParent<ns3::Ipv4RoutingProtocol>();
        return tid;
    }

    /// That of the node; it gets one when it has none.
    static ns3::Ptr<PathRouting> Of(ns3::Ptr<ns3::Node> node)
    {
        auto routing = node->GetObject<PathRouting>();
        if (!routing)
        {
            routing = ns3::CreateObject<PathRouting>();
            node->AggregateObject(routing);
            ns3::DynamicCast<ns3::Ipv4ListRouting>(
                node->GetObject<ns3::Ipv4>()->GetRoutingProtocol())
                ->AddRoutingProtocol(routing, 10); // ns-3's own have 0 and less
        }
        return routing;
    }

    /// From now on, the segments to that port leave by that device.
    void SendSegments(uint16_t port, ns3::Ptr<ns3::NetDevice> device)
    {
        m_segments[port] = RouteOver(device);
    }

    /// From now on, the ACKs from that port leave by that device.
    void SendAcks(uint16_t port, ns3::Ptr<ns3::NetDevice> device)
    {
        m_acks[port] = RouteOver(device);
    }

    /// Without a packet, a socket asks for its address: any of the node's will do.
    ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet> packet,
                                         const ns3::Ipv4Header& header,
                                         ns3::Ptr<ns3::NetDevice>,
                                         ns3::Socket::SocketErrno&) override
    {
        return packet ? Find(*packet, header) : nullptr;
    }

    /// What is for this node, on whichever interface it comes, does not get here.
    bool RouteInput(ns3::Ptr<const ns3::Packet> packet,
                    const ns3::Ipv4Header& header,
                    ns3::Ptr<const ns3::NetDevice>,
                    const UnicastForwardCallback& forward,
                    const MulticastForwardCallback&,
                    const LocalDeliverCallback&,
                    const ErrorCallback&) override
    {
        auto route = Find(*packet, header);
        if (!route)
        {
            return false;
        }
        forward(route, packet, header);
        return true;
    }

    void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override
    {
        m_ipv4 = ns3::PeekPointer(ipv4);
    }

    void NotifyInterfaceUp(uint32_t) override
    {
    }

    void NotifyInterfaceDown(uint32_t) override
    {
    }

    void NotifyAddAddress(uint32_t, ns3::Ipv4InterfaceAddress) override
    {
    }

    void NotifyRemoveAddress(uint32_t, ns3::Ipv4InterfaceAddress) override
    {
    }

    void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper>, ns3::Time::Unit) const override
    {
    }

  private:
    ns3::Ptr<ns3::Ipv4Route> RouteOver(ns3::Ptr<ns3::NetDevice> device) const
    {
        auto route = ns3::Create<ns3::Ipv4Route>();
        route->SetSource(m_ipv4->GetAddress(m_ipv4->GetInterfaceForDevice(device), 0).GetLocal());
        route->SetGateway(ns3::Ipv4Address::GetAny()); // a cable has one other end
        route->SetOutputDevice(device);
        return route;
    }

    ns3::Ptr<ns3::Ipv4Route> Find(const ns3::Packet& packet, const ns3::Ipv4Header& header) const
    {
        uint8_t ports[4]; // source and destination, the first fields of TCP's header
        if (header.GetProtocol() != ns3::TcpL4Protocol::PROT_NUMBER ||
            packet.CopyData(ports, sizeof ports) < sizeof ports)
        {
            return nullptr;
        }
        if (auto found = m_segments.find(ports[2] << 8 | ports[3]); found != m_segments.end())
        {
            return found->second;
        }
        if (auto found = m_acks.find(ports[0] << 8 | ports[1]); found != m_acks.end())
        {
            return found->second;
        }
        return nullptr;
    }

    ns3::Ipv4* m_ipv4{nullptr};
    std::unordered_map<uint16_t, ns3::Ptr<ns3::Ipv4Route>> m_segments; //!< by destination port
    std::unordered_map<uint16_t, ns3::Ptr<ns3::Ipv4Route>> m_acks;     //!< by source port
};

} // namespace longfat

#endif
