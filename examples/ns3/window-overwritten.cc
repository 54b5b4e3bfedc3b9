// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: after a recovery the window of BBR is its slow-start threshold, 2^32 - 1 bytes.
//
// A congestion control with CongControl sets its window itself: TcpBbr restores it at the end of a
// recovery (CwndEvent, CA_EVENT_COMPLETE_CWR). ProcessAck then sets `m_tcb->m_cWnd =
// m_tcb->m_ssThresh` all the same; the end of CWR asks HasCongControl() first. In Startup BBR's
// threshold is infinite.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

uint32_t largest = 0; //!< window, in bytes

void
OnWindow(uint32_t /* before */, uint32_t now)
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
    losses->SetList({100});
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->SetAttribute("SndBufSize", UintegerValue(3'000'000));
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(CreateObject<TcpBbr>());
    sender->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&OnWindow));
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(3'000'000));
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "largest window of BBR with one loss, where the path holds 125000 bytes\n"
              << "expected less than 1000000 bytes, observed " << largest << std::endl;
    return largest > 1'000'000;
}
