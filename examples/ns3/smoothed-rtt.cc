// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: PktsAcked is told the smoothed round trip, and m_minRtt is the smallest smoothed
// one.
//
// TcpCongestionOps documents PktsAcked's argument as the last round trip, and Linux hands on the
// sample of this ACK. TcpSocketBase hands on m_srtt, and EstimateRtt takes the minimum of m_srtt
// for m_minRtt. What goes by delay (Vegas, Veno, YeAH, Illinois, HyStart, H-TCP, Westwood+) so
// sees a queue an eighth at a time, and after a queue a minimum that is too large. The sample is
// in m_lastRtt.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

struct Recorder : public TcpNewReno
{
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t /* segments */, const Time& rtt) override
    {
        error = std::max(error, Abs(rtt - tcb->m_lastRtt.Get()));
    }

    Time error; //!< largest difference to the last round trip
};

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
    auto recorder = CreateObject<Recorder>();
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(recorder);
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(3'000'000));
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "largest difference of the round trip that PktsAcked is told to the last one\n"
              << "expected 0 ms, observed " << recorder->error.As(Time::MS) << std::endl;
    return recorder->error > MilliSeconds(1);
}
