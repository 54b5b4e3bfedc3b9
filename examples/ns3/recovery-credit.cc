// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: the ACK that ends a recovery counts once more all that SACK had reported.
//
// With SACK a segment counts when it is reported, once (currentDelivered). But the ACK that ends a
// recovery hands IncreaseWindow all that it acknowledges. RFC 5681 adds SMSS for an ACK, byte
// counting (RFC 3465; Linux) what it newly delivers: the hole.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

struct Recorder : public TcpNewReno
{
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const int delivered = tcb->m_lastAckedSackedBytes / tcb->m_segmentSize;
        excess = std::max<int>(excess, segmentsAcked - delivered);
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
    }

    int excess{0}; //!< segments credited beyond those that the ACK delivers
};

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
    auto recorder = CreateObject<Recorder>();
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(recorder);
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(100'000));
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "segments that an ACK is credited with beyond those that it delivers, one loss\n"
              << "expected at most 1, observed " << recorder->excess << std::endl;
    return recorder->excess > 1;
}
