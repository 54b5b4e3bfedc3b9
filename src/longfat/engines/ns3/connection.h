// SPDX-License-Identifier: GPL-2.0-only
//
// One TCP connection of a flow: its two sockets, and what is counted at them.

#ifndef LONGFAT_CONNECTION_H
#define LONGFAT_CONNECTION_H

#include "buffers.h"
#include "network.h"
#include "recovery-ops.h"
#include "signals.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/inet-socket-address.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <functional>
#include <memory>
#include <optional>

namespace longfat
{

class Connection
{
  public:
    Connection(const FlowSpec& spec, Network& network, const Path& path, uint16_t port)
        : m_spec(spec)
    {
        Listen(network, path.back(), port);
        Prepare(network, path.front());
        if (path.size() > 2)
        {
            network.SetPath(port, path);
        }
        if (auto signal = dynamic_cast<OneWayDelaySignal*>(ns3::PeekPointer(algorithm)))
        {
            SignalOneWayDelays(sender, m_listener, signal);
        }
    }

    ns3::Ptr<ns3::TcpSocketBase> sender;
    ns3::Ptr<ns3::TcpCongestionOps> algorithm; //!< that of the sender
    ns3::Ptr<ns3::TcpSocketBase> receiver;     //!< null before the connection is there
    SenderCount count;

    std::function<void()> onConnected{[] {}}; //!< the sender may write
    std::function<void()> onSpace{[] {}};     //!< there is space in the send buffer
    std::function<void()> onAccepted{[] {}};  //!< there is a receiver
    std::function<void()> onData{[] {}};      //!< the receiver may read
    std::function<void()> onEnd{[] {}};       //!< the sender has closed: no more will come

    void Connect()
    {
        sender->Bind();
        sender->SetConnectCallback(ns3::MakeCallback(&Connection::OnConnected, this),
                                   ns3::MakeCallback(&Connection::OnGivenUp, this));
        sender->SetCloseCallbacks(ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>(),
                                  ns3::MakeCallback(&Connection::OnGivenUp, this));
        sender->SetSendCallback(ns3::MakeCallback(&Connection::OnSpace, this));
        sender->Connect(m_address);
    }

    /// Read what is in order, `most` bytes at most; return how many were read.
    uint32_t Read(uint32_t most)
    {
        auto packet = receiver->Recv(most, 0);
        const uint32_t bytes = packet ? packet->GetSize() : 0;
        if (m_growing && bytes > 0)
        {
            m_growing->OnRead(bytes);
        }
        return bytes;
    }

    /// The same, with what was read; null where there is nothing.
    ns3::Ptr<ns3::Packet> Take(uint32_t most)
    {
        auto packet = receiver->Recv(most, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return nullptr;
        }
        if (m_growing)
        {
            m_growing->OnRead(packet->GetSize());
        }
        return packet;
    }

  private:
    void Listen(Network& network, const std::string& target, uint16_t port)
    {
        m_listener = ns3::DynamicCast<ns3::TcpSocketBase>(
            network.GetNode(target)->GetObject<ns3::TcpL4Protocol>()->CreateSocket());
        SetCommon(m_listener);
        const auto any = ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port);
        m_listener->Bind(any);
        m_listener->Listen();
        m_listener->SetAcceptCallback(
            ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
            ns3::MakeCallback(&Connection::OnAccept, this));
        m_address = ns3::InetSocketAddress(network.GetAddress(target), port);
    }

    void Prepare(Network& network, const std::string& source)
    {
        sender = ns3::DynamicCast<ns3::TcpSocketBase>(
            network.GetNode(source)->GetObject<ns3::TcpL4Protocol>()->CreateSocket());
        SetCommon(sender);
        ns3::ObjectFactory factory(m_spec.congestionControl);
        for (const auto& [name, value] : m_spec.attributes)
        {
            factory.Set(name, ns3::StringValue(value));
        }
        algorithm = factory.Create<ns3::TcpCongestionOps>();
        sender->SetCongestionControlAlgorithm(algorithm);
        sender->SetRecoveryAlgorithm(
            ns3::ObjectFactory(m_spec.recovery).Create<ns3::TcpRecoveryOps>());
        sender->SetAttribute("InitialCwnd", ns3::UintegerValue(m_spec.initialWindowSegments));
        if (m_spec.initialSsthreshSegments > 0)
        {
            sender->SetAttribute(
                "InitialSlowStartThreshold",
                ns3::UintegerValue(m_spec.initialSsthreshSegments * m_spec.segmentBytes));
        }
        if (m_spec.sendBufferBytes == 0)
        {
            GrowSendBuffer(sender);
        }
        sender->TraceConnectWithoutContext("CongState",
                                           ns3::MakeCallback(&Connection::OnState, this));
        sender->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&Connection::OnSegment, this));
        sender->TraceConnectWithoutContext("Retransmission",
                                           ns3::MakeCallback(&Connection::OnRetransmission, this));
        sender->TraceConnectWithoutContext("RTO", ns3::MakeCallback(&Connection::OnRto, this));
    }

    void SetCommon(ns3::Ptr<ns3::TcpSocketBase> socket)
    {
        auto orLargest = [](uint32_t bytes) { return bytes > 0 ? bytes : LARGEST_AUTO_BUFFER; };
        socket->SetAttribute("SegmentSize", ns3::UintegerValue(m_spec.segmentBytes));
        socket->SetAttribute("SndBufSize", ns3::UintegerValue(orLargest(m_spec.sendBufferBytes)));
        socket->SetAttribute("RcvBufSize",
                             ns3::UintegerValue(orLargest(m_spec.receiveBufferBytes)));
        socket->SetAttribute("DelAckCount", ns3::UintegerValue(m_spec.segmentsPerAck));
        socket->SetAttribute("DelAckTimeout", ns3::TimeValue(ns3::Seconds(m_spec.ackTimeoutS)));
        socket->SetAttribute("Timestamp", ns3::BooleanValue(m_spec.timestamps));
        socket->SetAttribute("Sack", ns3::BooleanValue(m_spec.sack));
        socket->SetAttribute("LimitedTransmit", ns3::BooleanValue(m_spec.limitedTransmit));
        socket->SetAttribute("UseEcn", ns3::StringValue(m_spec.ecn ? "On" : "Off"));
        socket->SetAttribute("MinRto", ns3::TimeValue(ns3::Seconds(m_spec.minRtoS)));
    }

    void OnConnected(ns3::Ptr<ns3::Socket>)
    {
        onConnected();
    }

    void OnGivenUp(ns3::Ptr<ns3::Socket>)
    {
        count.givenUpS = NowS();
    }

    void OnSpace(ns3::Ptr<ns3::Socket>, uint32_t)
    {
        onSpace();
    }

    void OnAccept(ns3::Ptr<ns3::Socket> socket, const ns3::Address&)
    {
        receiver = ns3::DynamicCast<ns3::TcpSocketBase>(socket);
        if (m_spec.receiveBufferBytes == 0)
        {
            m_growing.emplace(receiver);
        }
        receiver->SetRecvCallback(ns3::MakeCallback(&Connection::OnData, this));
        receiver->SetCloseCallbacks(ns3::MakeCallback(&Connection::OnEnd, this),
                                    ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>());
        onAccepted();
    }

    void OnData(ns3::Ptr<ns3::Socket>)
    {
        onData();
    }

    void OnEnd(ns3::Ptr<ns3::Socket>)
    {
        onEnd();
    }

    void OnState(ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now)
    {
        count.recoveries += now == ns3::TcpSocketState::CA_RECOVERY;
    }

    void OnSegment(ns3::Ptr<const ns3::Packet> packet,
                   const ns3::TcpHeader&,
                   ns3::Ptr<const ns3::TcpSocketBase>)
    {
        count.segments += packet->GetSize() > 0;
    }

    void OnRetransmission(ns3::Ptr<const ns3::Packet>,
                          const ns3::TcpHeader&,
                          const ns3::Address&,
                          const ns3::Address&,
                          ns3::Ptr<const ns3::TcpSocketBase>)
    {
        ++count.retransmissions;
    }

    /// An expired timer doubles the timeout; nothing else changes it by exactly that factor.
    void OnRto(ns3::Time before, ns3::Time now)
    {
        count.timeouts += now == before + before;
    }

    const FlowSpec& m_spec;
    ns3::Ptr<ns3::TcpSocketBase> m_listener;
    ns3::Address m_address;
    std::optional<ReceiveBuffer> m_growing; //!< the receiver's buffer, if it grows
};

} // namespace longfat

#endif
