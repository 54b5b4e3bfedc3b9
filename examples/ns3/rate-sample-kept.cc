// SPDX-License-Identifier: GPL-2.0-only
//
// TcpRateLinux: a rate sample is kept from one ACK to the next.
//
// draft-ietf-ccwg-bbr, section 4.1.2, and Linux (tcp_rate_skb_delivered): the sample of an ACK
// begins empty. Here only a segment that was sent when more had been delivered replaces the one of
// before: of those that leave together, the first alone gives send and ACK intervals, while what is
// delivered goes on growing. So a sample may tell more than the link can carry.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

double largest = 0; //!< sample, in Mb/s

/// A window of 20 segments, that looks at its samples.
struct Recorder : public TcpNewReno
{
    bool HasCongControl() const override
    {
        return true;
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection&,
                     const TcpRateOps::TcpRateSample& sample) override
    {
        tcb->m_cWnd = 20'000;
        const double seconds = sample.m_interval.GetSeconds();
        largest = seconds > 0 ? std::max(largest, 8e-6 * sample.m_delivered / seconds) : largest;
    }
};

int
main()
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    DynamicCast<TcpSocketBase>(sender)->SetCongestionControlAlgorithm(CreateObject<Recorder>());
    Simulator::Schedule(Seconds(0), &Socket::Connect, sender, receiver);
    Simulator::Schedule(Seconds(1), [&] { sender->Send(Create<Packet>(100'000)); });
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "largest delivery rate sampled on a link of 1 Mb/s\n"
              << "expected 1 Mb/s at most, observed " << largest << " Mb/s" << std::endl;
    return largest > 1;
}
