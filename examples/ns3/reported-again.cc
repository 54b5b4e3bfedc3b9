// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: without timestamps, takes round trips of segments that SACK reported long before.
//
// What has been reported gave its round trip then. When a hole is filled, a cumulative ACK passes
// what lay above it, which was sent two round trips before where nothing left since. Linux leaves
// out what SACK has reported (tcp_clean_rtx_queue); EstimateRtt makes it the last round trip.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

double largestS = 0; //!< round trip

void
OnRoundTrip(Time, Time now)
{
    largestS = std::max(largestS, now.GetSeconds());
}

int
main()
{
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    auto losses = CreateObject<ReceiveListErrorModel>();
    losses->SetList({2}); // the first of ten segments;
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->TraceConnectWithoutContext("LastRTT", MakeCallback(&OnRoundTrip));
    Simulator::Schedule(Seconds(0), &Socket::Connect, sender, receiver);
    Simulator::Schedule(Seconds(1), [&] { sender->Send(Create<Packet>(5360)); });
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "largest round trip where nothing waits, and one segment of many is lost\n"
              << "expected 0.11 s at most, observed " << largestS << " s" << std::endl;
    return largestS > 0.11;
}
