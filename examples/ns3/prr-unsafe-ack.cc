// SPDX-License-Identifier: GPL-2.0-only
//
// TcpPrrRecovery: below ssthresh the window gains a segment for ACKs that tell of further losses.
//
// Only an ACK that advances and shows no further loss may (RFC 9937, section 6, SafeACK), and
// DoRecovery takes each that acknowledges a retransmission for one. Without SACK a partial ACK
// does, and says that the next segment is lost as well: what it should allow is what a copy does.

#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

struct Recorder : public TcpPrrRecovery
{
    void DoRecovery(Ptr<TcpSocketState> tcb, uint32_t delivered, bool isDupAck) override
    {
        auto copy = CopyObject<TcpPrrRecovery>(this);
        const bool partial = std::exchange(tcb->m_isRetransDataAcked, false);
        copy->DoRecovery(tcb, delivered, isDupAck);
        const int allowed = tcb->m_cWnd;
        tcb->m_isRetransDataAcked = partial;
        TcpPrrRecovery::DoRecovery(tcb, delivered, isDupAck);
        excess = std::max<int>(excess, tcb->m_cWnd - allowed);
    }

    int excess{0}; //!< bytes
};

int
main()
{
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    auto devices = link.Install(nodes);
    auto losses = CreateObjectWithAttributes<RateErrorModel>("ErrorRate", DoubleValue(0.1));
    losses->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    auto recorder = CreateObject<Recorder>();
    DynamicCast<TcpSocketBase>(sender)->SetRecoveryAlgorithm(recorder);
    Simulator::Schedule(Seconds(0), [&] { sender->Connect(receiver); });
    Simulator::Schedule(Seconds(0), [&] { sender->Send(Create<Packet>(100'000)); });
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    Simulator::Destroy();
    std::cout << "bytes by which a partial ACK, a sign of a loss, allows more than it delivers\n"
              << "expected 0, observed " << recorder->excess << std::endl;
    return recorder->excess > 0;
}
