// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: a second timeout of the same segment lowers the slow-start threshold again.
//
// RFC 5681, section 3.1: the threshold is set where a segment has not yet been sent again by way
// of the timer, and held constant afterwards. ReTxTimeout asks IsHeadRetransmitted() for that, but
// after SetSentListLost, which clears the flag of every segment: then it sets two segments.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

uint32_t changes = 0;

void
OnThreshold(uint32_t before, uint32_t now)
{
    ++changes;
    std::cout << "timeout: slow-start threshold from " << before << " to " << now << " bytes\n";
}

int
main()
{
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    auto outage = CreateObject<RateErrorModel>();
    outage->SetRate(1);
    Simulator::Schedule(MilliSeconds(300), [&] {
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(outage));
    });
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    Simulator::Schedule(MilliSeconds(300), [&] {
        sender->TraceConnectWithoutContext("SlowStartThreshold", MakeCallback(&OnThreshold));
    });
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(130'000));
    });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "thresholds set by the timeouts of one segment\n"
              << "expected 1, observed " << changes << std::endl;
    return changes > 1;
}
