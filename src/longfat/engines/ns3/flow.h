// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario's flow in ns-3: a sender that keeps its socket full, a receiver that counts, and the
// time series that were asked for.

#ifndef LONGFAT_FLOW_H
#define LONGFAT_FLOW_H

#include "network.h"

#include "ns3/application.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longfat
{

/// A time series of at most a fixed number of points: the last value in each of equal intervals.
class Series
{
  public:
    Series(double durationS, uint32_t points)
        : m_intervalS(durationS / points),
          m_points(points)
    {
    }

    void Add(double value)
    {
        const double now = ns3::Simulator::Now().GetSeconds();
        const int64_t interval = std::min<int64_t>(now / m_intervalS, m_points - 1);
        if (interval != m_last)
        {
            m_last = interval;
            timeS.push_back(now);
            values.push_back(value);
        }
        else
        {
            timeS.back() = now;
            values.back() = value;
        }
    }

    std::vector<double> timeS;
    std::vector<double> values;

  private:
    double m_intervalS;
    int64_t m_points;
    int64_t m_last{-1};
};

/// A flow, as the scenario states it.
struct FlowSpec
{
    std::string source;
    std::string target;
    std::string congestionControl;                                 //!< TypeId of its class
    std::vector<std::pair<std::string, std::string>> attributes;   //!< of the congestion control
    std::string recovery;                                          //!< TypeId of the recovery
    uint32_t segmentBytes{0};
    uint32_t initialWindowSegments{0};
    uint32_t initialSsthreshSegments{0}; //!< 0: none
    uint32_t sendBufferBytes{0};
    uint32_t receiveBufferBytes{0};
    uint32_t segmentsPerAck{0};
    double ackTimeoutS{0};
    bool sack{true};
    double minRtoS{0};
    double startS{0};
    double stopS{0};     //!< infinity: never
    uint64_t bytes{0};   //!< 0: without end
};

class Flow
{
  public:
    Flow(const FlowSpec& spec, Network& network, uint16_t port, double durationS, uint32_t points)
        : cwndSegments(durationS, points),
          rttS(durationS, points),
          deliveredSeries(durationS, points),
          m_spec(spec)
    {
        Listen(network, port);
        Prepare(network);
        ns3::Simulator::Schedule(ns3::Seconds(spec.startS), &Flow::Start, this);
        if (std::isfinite(spec.stopS))
        {
            ns3::Simulator::Schedule(ns3::Seconds(spec.stopS), &Flow::Stop, this);
        }
    }

    uint64_t deliveredBytes{0};  //!< payload, in order, read by the receiver
    double completionS{std::numeric_limits<double>::quiet_NaN()}; //!< when the last byte was read
    uint64_t segmentsSent{0};    //!< with data, retransmissions included
    uint64_t retransmissions{0};
    uint64_t recoveries{0};      //!< times that loss recovery was entered
    uint64_t timeouts{0};        //!< times that the retransmission timer expired
    Series cwndSegments;
    Series rttS;
    Series deliveredSeries;

    /// Keep the series of that name.
    void Record(const std::string& series)
    {
        if (series == "cwnd_segments")
        {
            m_sender->TraceConnectWithoutContext("CongestionWindow",
                                                 ns3::MakeCallback(&Flow::OnWindow, this));
        }
        else if (series == "rtt_s")
        {
            m_sender->TraceConnectWithoutContext("LastRTT",
                                                 ns3::MakeCallback(&Flow::OnRtt, this));
        }
        else if (series == "delivered_bytes")
        {
            m_recordDelivered = true;
        }
    }

  private:
    void Listen(Network& network, uint16_t port)
    {
        auto node = network.GetNode(m_spec.target);
        m_listener = ns3::DynamicCast<ns3::TcpSocketBase>(
            node->GetObject<ns3::TcpL4Protocol>()->CreateSocket());
        SetCommon(m_listener);
        const auto any = ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port);
        m_listener->Bind(any);
        m_listener->Listen();
        m_listener->SetAcceptCallback(
            ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
            ns3::MakeCallback(&Flow::OnAccept, this));
        m_address = ns3::InetSocketAddress(network.GetAddress(m_spec.target), port);
    }

    void Prepare(Network& network)
    {
        auto node = network.GetNode(m_spec.source);
        m_sender = ns3::DynamicCast<ns3::TcpSocketBase>(
            node->GetObject<ns3::TcpL4Protocol>()->CreateSocket());
        SetCommon(m_sender);
        ns3::ObjectFactory algorithm(m_spec.congestionControl);
        for (const auto& [name, value] : m_spec.attributes)
        {
            algorithm.Set(name, ns3::StringValue(value));
        }
        m_sender->SetCongestionControlAlgorithm(algorithm.Create<ns3::TcpCongestionOps>());
        m_sender->SetRecoveryAlgorithm(
            ns3::ObjectFactory(m_spec.recovery).Create<ns3::TcpRecoveryOps>());
        m_sender->SetAttribute("InitialCwnd", ns3::UintegerValue(m_spec.initialWindowSegments));
        if (m_spec.initialSsthreshSegments > 0)
        {
            m_sender->SetAttribute(
                "InitialSlowStartThreshold",
                ns3::UintegerValue(m_spec.initialSsthreshSegments * m_spec.segmentBytes));
        }
        m_sender->TraceConnectWithoutContext("CongState",
                                             ns3::MakeCallback(&Flow::OnState, this));
        m_sender->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&Flow::OnSegment, this));
        m_sender->TraceConnectWithoutContext("Retransmission",
                                             ns3::MakeCallback(&Flow::OnRetransmission, this));
        m_sender->TraceConnectWithoutContext("RTO", ns3::MakeCallback(&Flow::OnRto, this));
    }

    void SetCommon(ns3::Ptr<ns3::TcpSocketBase> socket)
    {
        socket->SetAttribute("SegmentSize", ns3::UintegerValue(m_spec.segmentBytes));
        socket->SetAttribute("SndBufSize", ns3::UintegerValue(m_spec.sendBufferBytes));
        socket->SetAttribute("RcvBufSize", ns3::UintegerValue(m_spec.receiveBufferBytes));
        socket->SetAttribute("DelAckCount", ns3::UintegerValue(m_spec.segmentsPerAck));
        socket->SetAttribute("DelAckTimeout", ns3::TimeValue(ns3::Seconds(m_spec.ackTimeoutS)));
        socket->SetAttribute("Sack", ns3::BooleanValue(m_spec.sack));
        socket->SetAttribute("MinRto", ns3::TimeValue(ns3::Seconds(m_spec.minRtoS)));
    }

    void Start()
    {
        m_sender->Bind();
        m_sender->SetConnectCallback(
            ns3::MakeCallback(&Flow::OnConnected, this),
            ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>());
        m_sender->SetSendCallback(ns3::MakeCallback(&Flow::OnSendSpace, this));
        m_sender->Connect(m_address);
    }

    void Stop()
    {
        m_open = false;
        m_sender->Close();
    }

    /// Write whole segments as long as the send buffer takes them.
    void Fill()
    {
        while (m_open)
        {
            uint64_t size = m_spec.segmentBytes;
            if (m_spec.bytes > 0)
            {
                size = std::min<uint64_t>(size, m_spec.bytes - m_written);
            }
            if (size == 0)
            {
                Stop();
                return;
            }
            if (m_sender->GetTxAvailable() < size ||
                m_sender->Send(ns3::Create<ns3::Packet>(size), 0) < 0)
            {
                return;
            }
            m_written += size;
        }
    }

    void OnConnected(ns3::Ptr<ns3::Socket>)
    {
        m_open = true;
        Fill();
    }

    void OnSendSpace(ns3::Ptr<ns3::Socket>, uint32_t)
    {
        Fill();
    }

    void OnAccept(ns3::Ptr<ns3::Socket> socket, const ns3::Address&)
    {
        socket->SetRecvCallback(ns3::MakeCallback(&Flow::Receive, this));
        m_accepted.push_back(socket);
    }

    void OnWindow(uint32_t, uint32_t bytes)
    {
        cwndSegments.Add(double(bytes) / m_spec.segmentBytes);
    }

    void OnRtt(ns3::Time, ns3::Time rtt)
    {
        rttS.Add(rtt.GetSeconds());
    }

    void OnState(ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now)
    {
        recoveries += now == ns3::TcpSocketState::CA_RECOVERY;
    }

    void OnSegment(ns3::Ptr<const ns3::Packet> packet,
                   const ns3::TcpHeader&,
                   ns3::Ptr<const ns3::TcpSocketBase>)
    {
        segmentsSent += packet->GetSize() > 0;
    }

    void OnRetransmission(ns3::Ptr<const ns3::Packet>,
                          const ns3::TcpHeader&,
                          const ns3::Address&,
                          const ns3::Address&,
                          ns3::Ptr<const ns3::TcpSocketBase>)
    {
        ++retransmissions;
    }

    /// An expired timer doubles the timeout; nothing else changes it by exactly that factor.
    void OnRto(ns3::Time before, ns3::Time now)
    {
        timeouts += now == before + before;
    }

    void Receive(ns3::Ptr<ns3::Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            if (packet->GetSize() == 0)
            {
                break; // the other end has closed
            }
            deliveredBytes += packet->GetSize();
        }
        if (m_recordDelivered)
        {
            deliveredSeries.Add(double(deliveredBytes));
        }
        if (m_spec.bytes > 0 && deliveredBytes == m_spec.bytes && std::isnan(completionS))
        {
            completionS = ns3::Simulator::Now().GetSeconds();
        }
    }

    FlowSpec m_spec;
    ns3::Ptr<ns3::TcpSocketBase> m_sender;
    ns3::Ptr<ns3::TcpSocketBase> m_listener;
    std::vector<ns3::Ptr<ns3::Socket>> m_accepted;
    ns3::Address m_address;
    uint64_t m_written{0};         //!< payload handed to the socket
    bool m_open{false};
    bool m_recordDelivered{false};
};

} // namespace longfat

#endif
