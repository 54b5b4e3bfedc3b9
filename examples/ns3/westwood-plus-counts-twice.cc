// SPDX-License-Identifier: GPL-2.0-only
//
// TcpWestwoodPlus: it counts twice what SACK reports, and estimates more bandwidth than there is.
//
// Westwood counts a segment for a duplicate ACK, and not again with the ACK that acknowledges it
// later (AckedCount; Mascolo et al. 2001, section 3). TcpWestwoodPlus adds up what PktsAcked says:
// a segment for each duplicate ACK, and all that the ACK at the end of a recovery acknowledges,
// the same segments. m_lastAckedSackedBytes would have what an ACK newly delivers.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

DataRate largest; //!< estimate

void
OnEstimate(DataRate /* before */, DataRate now)
{
    largest = std::max(largest, now);
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
    losses->SetList({1000, 2000, 3000, 4000});
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->SetAttribute("SndBufSize", UintegerValue(5'000'000));
    auto westwood = CreateObject<TcpWestwoodPlus>();
    westwood->TraceConnectWithoutContext("EstimatedBW", MakeCallback(&OnEstimate));
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(westwood);
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(5'000'000));
    });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "largest estimate of bandwidth on a link of 10 Mb/s, with four losses\n"
              << "expected at most 10 Mb/s, observed " << largest << std::endl;
    return largest > DataRate("10Mbps");
}
