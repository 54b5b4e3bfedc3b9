// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: without SACK, limited transmit makes a sender repeat what is not lost, on and on.
//
// DupAck marks a segment as arrived for each duplicate ACK (AddRenoSack). When an ACK advances,
// DiscardUpTo moves a mark off the new head and holds that for lost, outside of recovery too: it
// is sent again, and IsLost(head) begins a recovery on the next duplicate ACK, which the
// repetition causes. RFC 3042: two send a new segment each. Without it there are 162.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

uint32_t repeated = 0;    //!< segments that are sent again
SequenceNumber32 next(0); //!< beyond all that has been sent

void
OnSent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    repeated += header.GetSequenceNumber() < next;
    next = std::max(next, header.GetSequenceNumber() + packet->GetSize());
}

int
main()
{
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    std::list<uint32_t> lost(40);
    std::iota(lost.begin(), lost.end(), 100);
    auto losses = CreateObject<ReceiveListErrorModel>();
    losses->SetList(lost);
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->SetAttribute("SndBufSize", UintegerValue(5'360'000));
    sender->TraceConnectWithoutContext("Tx", MakeCallback(&OnSent));
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(5'360'000));
    });
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "segments sent again in 60 s, of a window of 244, after 40 losses in a row\n"
              << "expected fewer than 500, observed " << repeated << std::endl;
    return repeated >= 500;
}
