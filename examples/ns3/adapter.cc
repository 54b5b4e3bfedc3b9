// SPDX-License-Identifier: GPL-2.0-only
//
// Congestion controls of this book (src/longfat/cc) and of ns-3 over one lossy path, in plain ns-3:
// adapter.h makes an ns3::TcpCongestionOps of whatever is included after it, and recovery-ops.h brings
// the recovery of this book to ns-3's own.

#include "adapter.h"
// After it, since it makes them known to ns-3:
#include "hybla.h"
#include "newreno.h"
#include "recovery-ops.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

/// Goodput in bit/s of one flow over 10 Mb/s, 100 ms and a loss of 0.1 %, in 20 s.
double
GetGoodput(const std::string& congestionControl, const std::string& recovery)
{
    using namespace ns3;
    RngSeedManager::SetSeed(1);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(congestionControl)));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TypeId::LookupByName(recovery)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(10'000'000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(10'000'000));

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    link.SetChannelAttribute("Delay", StringValue("50ms"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p"));
    NetDeviceContainer devices = link.Install(nodes);
    auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(0.001);
    errors->AssignStreams(7);
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);

    const InetSocketAddress receiver("10.0.0.2", 9);
    BulkSendHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(0));
    auto sink = PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(nodes.Get(1)).Get(0);

    const double seconds = 20;
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const double received = DynamicCast<PacketSink>(sink)->GetTotalRx();
    Simulator::Destroy();
    return 8 * received / seconds;
}

int
main()
{
    ns3::Config::SetDefault("longfat::hybla::rtt0_s", ns3::DoubleValue(0.05));
    for (const std::string name : {"ns3::TcpNewReno", "longfat::newreno", "longfat::hybla"})
    {
        std::cout << name << " " << GetGoodput(name, "longfat::Prr") << std::endl;
    }
    std::cout << "ns3::TcpNewReno/halving " << GetGoodput("ns3::TcpNewReno", "longfat::Halving")
              << std::endl;
}
