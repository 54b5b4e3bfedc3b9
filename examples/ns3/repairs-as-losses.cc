// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: a segment that is repaired counts as lost again in the rate sample.
//
// TcpRateSample::m_bytesLoss is what has been lost since the last ACK. ReceivedAck takes the
// difference of the bytes marked as lost without its sign: what arrives at last is lost once more.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

struct Recorder : public TcpBbr
{
    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& connection,
                     const TcpRateOps::TcpRateSample& sample) override
    {
        lost += sample.m_bytesLoss;
        TcpBbr::CongControl(tcb, connection, sample);
    }

    uint32_t lost{0}; //!< bytes
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

    std::cout << "bytes lost by the samples of the delivery rate, with one segment of 536 lost\n"
              << "expected 536, observed " << recorder->lost << std::endl;
    return recorder->lost != 536;
}
