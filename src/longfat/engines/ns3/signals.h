// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control may be told of a connection of ns-3's beside what the socket knows: one-way
// delays and handoffs. One that wants a signal inherits its class; the engine, or any ns-3 program, calls
// it. The times for one-way delays travel as tags on the packets, which cost no bytes.

#ifndef LONGFAT_NS3_SIGNALS_H
#define LONGFAT_NS3_SIGNALS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <memory>

namespace longfat
{

/// Wants to know when each acknowledged segment was sent and when it arrived.
class OneWayDelaySignal
{
  public:
    virtual ~OneWayDelaySignal() = default;

    /// The ACK that is about to be processed was caused by a segment sent and received then, both
    /// by the same exact clock.
    virtual void OnOneWayDelay(ns3::Time sent, ns3::Time received) = 0;
};

/// Wants to know when the receiver has moved to another network.
class HandoffSignal
{
  public:
    virtual ~HandoffSignal() = default;

    /// `local`: the path up to the last router is the same. `announced`: rate of the new radio
    /// link, 0 if it was not announced. `advertisedWindow`: in bytes.
    virtual void OnHandoff(bool local, ns3::DataRate announced, uint32_t advertisedWindow) = 0;
};

/// When a segment was sent and, on the ACK, when it was received.
class SegmentTimes : public ns3::Tag
{
  public:
    ns3::Time sent;
    ns3::Time received;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::SegmentTimes").SetParent<ns3::Tag>();
        return tid;
    }

    ns3::TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 16;
    }

    void Serialize(ns3::TagBuffer buffer) const override
    {
        buffer.WriteU64(sent.GetTimeStep());
        buffer.WriteU64(received.GetTimeStep());
    }

    void Deserialize(ns3::TagBuffer buffer) override
    {
        sent = ns3::TimeStep(buffer.ReadU64());
        received = ns3::TimeStep(buffer.ReadU64());
    }

    void Print(std::ostream& out) const override
    {
        out << sent << " " << received;
    }
};

/// Tell the algorithm, before each ACK that data caused, about the segment that arrived last before
/// the ACK left: with delayed ACKs that is the latest news of the path, where a timestamp's echo
/// (RFC 7323) would be of the earliest segment, to include the delay of the ACK. An ACK that
/// nothing arrived for (a window update) tells nothing. To be called before the connection is made,
/// with the socket that will connect and the one that listens.
inline void
SignalOneWayDelays(ns3::Ptr<ns3::TcpSocketBase> sender,
                   ns3::Ptr<ns3::TcpSocketBase> listener,
                   OneWayDelaySignal* algorithm)
{
    using OnPacket = ns3::Callback<void,
                                   ns3::Ptr<const ns3::Packet>,
                                   const ns3::TcpHeader&,
                                   ns3::Ptr<const ns3::TcpSocketBase>>;
    using Packet = ns3::Ptr<const ns3::Packet>;
    using Header = ns3::TcpHeader;
    using Socket = ns3::Ptr<const ns3::TcpSocketBase>;
    struct Last
    {
        SegmentTimes times;
        bool isNew{false};
    };
    auto last = std::make_shared<Last>();

    sender->TraceConnectWithoutContext("Tx", OnPacket([](Packet packet, const Header&, Socket) {
                                           if (packet->GetSize() > 0)
                                           {
                                               SegmentTimes times;
                                               times.sent = ns3::Simulator::Now();
                                               packet->AddPacketTag(times);
                                           }
                                       }));
    // The socket that accepts has the trace sinks of the one that listens.
    listener->TraceConnectWithoutContext("Rx",
                                         OnPacket([last](Packet packet, const Header&, Socket) {
                                             if (packet->PeekPacketTag(last->times))
                                             {
                                                 last->times.received = ns3::Simulator::Now();
                                                 last->isNew = true;
                                             }
                                         }));
    listener->TraceConnectWithoutContext("Tx",
                                         OnPacket([last](Packet packet, const Header&, Socket) {
                                             if (last->isNew)
                                             {
                                                 packet->AddPacketTag(last->times);
                                                 last->isNew = false;
                                             }
                                         }));
    sender->TraceConnectWithoutContext("Rx",
                                       OnPacket([algorithm](Packet packet, const Header&, Socket) {
                                           SegmentTimes times;
                                           if (packet->PeekPacketTag(times))
                                           {
                                               algorithm->OnOneWayDelay(times.sent, times.received);
                                           }
                                       }));
}

} // namespace longfat

#endif
