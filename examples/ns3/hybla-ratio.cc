// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHybla: rho stays 1 and Hybla is NewReno where a segment takes longer than the SYN.
//
// Hybla grows by rho^2 segments a round trip, where rho is the round trip by the reference
// (Caini and Firrincieli 2004). PktsAcked works rho out only when the round trip that it is told,
// the smoothed one, equals m_minRtt. The smallest is that of the SYN, after which PktsAcked is not
// called. At 10 Mb/s a segment of 1448 bytes takes 1.2 ms longer, and timestamps tell whole
// milliseconds: the two are never equal. Linux works rho out when the connection is made.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

int
main()
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->SetAttribute("SndBufSize", UintegerValue(3'000'000));
    sender->SetAttribute("SegmentSize", UintegerValue(1448));
    auto hybla = CreateObject<TcpHybla>();
    hybla->SetAttribute("RRTT", TimeValue(MilliSeconds(25)));
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(hybla);
    double rho = 1;
    hybla->TraceConnectWithoutContext(
        "Rho",
        Callback<void, double, double>([&](double, double now) { rho = now; }));
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(3'000'000));
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "rho over a round trip of 100 ms, with a reference of 25 ms\n"
              << "expected 4, observed " << rho << std::endl;
    return rho < 3.9;
}
