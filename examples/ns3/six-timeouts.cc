// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: after the sixth timeout, 63 s after the first loss, nothing is sent again.
//
// RFC 9293, section 3.8.3 (RFC 1122, 4.2.3.5): R2, until when a segment is sent again, should be
// 100 s at least. Linux tries 15 times (tcp_retries2), for 15 minutes or more. DataRetries is 6.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

double lastS = 0; //!< when a segment left

void
OnSent(Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>)
{
    lastS = Simulator::Now().GetSeconds();
}

int
main()
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    auto devices = link.Install(nodes);
    auto outage = CreateObject<RateErrorModel>();
    outage->SetRate(0);
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(outage));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->TraceConnectWithoutContext("Tx", MakeCallback(&OnSent));
    Simulator::Schedule(Seconds(0), &Socket::Connect, sender, receiver);
    Simulator::Schedule(Seconds(10), [&] {
        outage->SetRate(1);
        sender->Send(Create<Packet>(1000));
    });
    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "seconds until a lost segment is sent again for the last time\n"
              << "expected 100 or more, observed " << lastS - 10 << std::endl;
    return lastS - 10 < 100;
}
