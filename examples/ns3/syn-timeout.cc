// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: a SYN that is lost is sent again after 3 s.
//
// ConnTimeout has RFC 1122's value. RFC 6298, section 2 (2.1), lowered it to 1 s; 3 s is what the
// timer falls back to for the first data after a SYN that was lost (section 5.7).

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

double connectedS = 0;

void
OnConnected(Ptr<Socket>)
{
    connectedS = Simulator::Now().GetSeconds();
}

int
main()
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    auto losses = CreateObject<ReceiveListErrorModel>();
    losses->SetList({0});
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->SetConnectCallback(MakeCallback(&OnConnected), MakeNullCallback<void, Ptr<Socket>>());
    Simulator::Schedule(Seconds(0), [&] { sender->Connect(receiver); });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "connected after so many s, the first SYN being lost, with a round trip of 0.1 s\n"
              << "expected 1.1, observed " << connectedS << std::endl;
    return connectedS > 1.2;
}
