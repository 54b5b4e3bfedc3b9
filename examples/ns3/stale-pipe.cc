// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketBase: without SACK, a recovery works with the pipe of before the duplicate ACK.
//
// DupAck takes the segment that has arrived off the pipe (AddRenoSack), but m_tcb->m_bytesInFlight,
// which DoRecovery reads, is not brought up to date until BytesInFlight() is called, later. So the
// window, m_bytesInFlight plus what may be sent, is a segment too large (RFC 9937, section 6).

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
        const uint32_t pipe = socket->GetTxBuffer()->BytesInFlight();
        excess = std::max<int>(excess, tcb->m_bytesInFlight - pipe);
        TcpPrrRecovery::DoRecovery(tcb, delivered, isDupAck);
    }

    Ptr<TcpSocketBase> socket;
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
    auto losses = CreateObject<ReceiveListErrorModel>();
    losses->SetList({100});
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    const InetSocketAddress receiver("10.0.0.2", 9);
    PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    auto recorder = CreateObject<Recorder>();
    recorder->socket = DynamicCast<TcpSocketBase>(sender);
    recorder->socket->SetRecoveryAlgorithm(recorder);
    Simulator::Schedule(Seconds(0), [&] {
        sender->Connect(receiver);
        sender->Send(Create<Packet>(100'000));
    });
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();
    std::cout << "bytes in flight for DoRecovery beyond those of the buffer, segments of 536\n"
              << "expected 0, observed " << recorder->excess << std::endl;
    return recorder->excess > 0;
}
