// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: GetSsThresh is given the pipe for what is in flight.
//
// RFC 5681, equation (4), halves FlightSize: all that is sent and not cumulatively acknowledged.
// The socket passes BytesInFlight(), RFC 6675's pipe, without what SACK reports and what is lost.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

struct Recorder : public TcpNewReno
{
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        told = bytesInFlight;
        flightSize = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
        return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
    }

    uint32_t told{0}, flightSize{0};
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

    std::cout << "bytes in flight when one segment of 536 is found to be lost\nexpected "
              << recorder->flightSize << ", observed " << recorder->told << std::endl;
    return recorder->told != recorder->flightSize;
}
