// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: the ACK of a retransmission undoes the back-off of the timer.
//
// RFC 6298, section 5, and Karn's algorithm: the back-off holds until a round trip is measured,
// which without timestamps the ACK of a retransmission is not. NewAck ends it at any new ACK.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

Time measured; //!< when there was the last round trip
Time age;      //!< how old it was when the timeout fell from 8 s

void
OnRoundTrip(Time /* before */, Time /* now */)
{
    measured = Simulator::Now();
}

void
OnTimeout(Time before, Time now)
{
    age = before > Seconds(4) && now < Seconds(4) ? Simulator::Now() - measured : age;
}

int
main()
{
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    auto devices = link.Install(nodes);
    auto outage = CreateObject<RateErrorModel>();
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(outage));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->TraceConnectWithoutContext("LastRTT", MakeCallback(&OnRoundTrip));
    sender->TraceConnectWithoutContext("RTO", MakeCallback(&OnTimeout));
    Simulator::Schedule(Seconds(0), &Socket::Connect, sender, receiver);
    Simulator::Schedule(Seconds(1), [&] {
        outage->SetRate(1);
        sender->Send(Create<Packet>(100'000));
    });
    Simulator::Schedule(Seconds(6), [&] { outage->SetRate(0); });
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "age of the last round trip when the timeout falls after an outage\n"
              << "expected 0 s, observed " << age.As(Time::S) << std::endl;
    return age.IsStrictlyPositive();
}
