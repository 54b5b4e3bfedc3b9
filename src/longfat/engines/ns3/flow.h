// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario's flow in ns-3: a sender that keeps its socket full, relays if there are any, a
// receiver that counts, and the time series that were asked for.

#ifndef LONGFAT_FLOW_H
#define LONGFAT_FLOW_H

#include "connection.h"
#include "relay.h"

#include <cmath>
#include <limits>
#include <memory>

namespace longfat
{

/// What a flow carries, where that is a part of a transfer.
struct FlowSource
{
    virtual ~FlowSource() = default;
    virtual uint32_t Size() = 0;                           //!< of the next packet; 0: no more
    virtual ns3::Ptr<ns3::Packet> Give(uint32_t size) = 0; //!< that packet
    virtual void Take(ns3::Ptr<ns3::Packet> packet) = 0;   //!< it has come, perhaps in parts
};

class Flow
{
  public:
    Flow(const FlowSpec& spec, Network& network, uint16_t port, double durationS, uint32_t points)
        : m_spec(spec),
          m_durationS(durationS),
          m_points(points)
    {
        for (const Path& path : m_spec.connections)
        {
            m_connections.push_back(std::make_unique<Connection>(m_spec, network, path, port));
        }
        for (std::size_t i = 1; i < m_connections.size(); ++i)
        {
            m_relays.push_back(
                std::make_unique<Relay>(m_spec, *m_connections[i - 1], *m_connections[i]));
        }
        First().onConnected = [this] {
            m_connected = m_open = true;
            Fill();
        };
        First().onSpace = [this] { Fill(); };
        Last().onData = [this] { Receive(); };
        ns3::Simulator::Schedule(ns3::Seconds(spec.startS), &Connection::Connect, &First());
        if (spec.stopS)
        {
            ns3::Simulator::Schedule(ns3::Seconds(*spec.stopS), &Flow::Stop, this);
        }
        for (const Reroute& reroute : m_spec.reroutes)
        {
            if (reroute.atS == 0) // before the first packet
            {
                network.SetPath(port, reroute.path);
                continue;
            }
            ns3::Simulator::Schedule(ns3::Seconds(reroute.atS),
                                     &Network::SetPath,
                                     &network,
                                     port,
                                     reroute.path);
        }
        for (const Handoff& handoff : m_spec.handoffs)
        {
            ns3::Simulator::Schedule(ns3::Seconds(handoff.atS), &Flow::TellHandoff, this, handoff);
        }
    }

    FlowCount count; //!< what its senders have done is not yet in it

    /// The whole count.
    FlowCount Total() const
    {
        FlowCount sum = count;
        for (const auto& connection : m_connections)
        {
            sum.Add(connection->count);
        }
        return sum;
    }

    /// Keep the series of that name; with relays, of the first connection.
    void Record(const std::string& name)
    {
        Series& kept = count.series.try_emplace(name, m_durationS, m_points).first->second;
        auto& sender = *First().sender;
        const double segment = m_spec.segmentBytes;
        bool found = false;
        if (name == "cwnd_segments")
        {
            found = Keep<uint32_t>(sender, "CongestionWindow", kept, [segment](uint32_t now) {
                return now / segment;
            });
        }
        else if (name == "ssthresh_segments")
        {
            found = Keep<uint32_t>(sender, "SlowStartThreshold", kept, [segment](uint32_t now) {
                return now == NO_THRESHOLD ? std::nan("") : now / segment;
            });
        }
        else if (name == "rtt_s")
        {
            found = Keep<ns3::Time>(sender, "LastRTT", kept, [](ns3::Time now) {
                return now.GetSeconds();
            });
        }
        else if (name == "delivered_bytes")
        {
            m_delivered = &kept;
            found = true;
        }
        else if (name == "bandwidth_bps" || name == "utilization")
        {
            const char* source = name == "utilization" ? "Utilization" : "Bandwidth";
            found = Keep<double>(*First().algorithm, source, kept, [](double now) { return now; });
        }
        NS_ABORT_MSG_UNLESS(found, m_spec.congestionControl << " has no series " << name);
    }

    FlowSource* source{nullptr};             //!< what it carries, or its own bytes
    std::function<void()> onDelivery{[] {}}; //!< called when more has come

    uint32_t SegmentBytes() const
    {
        return m_spec.segmentBytes;
    }

    /// Of a whole segment, with the headers of PPP, IP and TCP.
    uint32_t WireBytes() const
    {
        return m_spec.segmentBytes + 2 + 20 + 20 + (m_spec.timestamps ? 12 : 0);
    }

    bool IsComplete() const
    {
        return m_spec.bytes == 0 || !std::isnan(count.completionS);
    }

  private:
    static constexpr uint32_t NO_THRESHOLD = 0xffffffff;

    Connection& First()
    {
        return *m_connections.front();
    }

    Connection& Last()
    {
        return *m_connections.back();
    }

    void Stop()
    {
        m_open = false;
        First().sender->Close();
    }

    /// Write whole segments as long as the send buffer takes them.
    void Fill()
    {
        auto& sender = *First().sender;
        while (source && m_open)
        {
            const uint32_t next = source->Size();
            if (next == 0)
            {
                Stop();
            }
            else if (sender.GetTxAvailable() < next)
            {
                return;
            }
            else
            {
                sender.Send(source->Give(next), 0);
            }
        }
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
            if (sender.GetTxAvailable() < size ||
                sender.Send(ns3::Create<ns3::Packet>(size), 0) < 0)
            {
                return;
            }
            m_written += size;
        }
    }

    void Receive()
    {
        while (auto packet = source ? Last().Take(std::numeric_limits<uint32_t>::max()) : nullptr)
        {
            count.deliveredBytes += packet->GetSize();
            source->Take(packet);
        }
        while (const uint32_t bytes = Last().Read(std::numeric_limits<uint32_t>::max()))
        {
            count.deliveredBytes += bytes;
        }
        if (m_delivered)
        {
            m_delivered->Add(NowS(), double(count.deliveredBytes));
        }
        if (m_spec.bytes > 0 && count.deliveredBytes == m_spec.bytes &&
            std::isnan(count.completionS))
        {
            count.completionS = NowS();
        }
        onDelivery();
    }

    void TellHandoff(const Handoff& handoff)
    {
        auto signal = dynamic_cast<HandoffSignal*>(ns3::PeekPointer(First().algorithm));
        if (signal && m_connected && First().receiver && std::isnan(count.completionS))
        {
            signal->OnHandoff(
                handoff.local,
                ns3::DataRate(static_cast<uint64_t>(std::llround(handoff.announcedBps))),
                First().receiver->GetRxBuffer()->MaxBufferSize());
        }
    }

    const FlowSpec m_spec;
    const double m_durationS;
    const uint32_t m_points;
    std::vector<std::unique_ptr<Connection>> m_connections; //!< from the source to the target
    std::vector<std::unique_ptr<Relay>> m_relays;
    uint64_t m_written{0}; //!< payload handed to the socket
    bool m_connected{false};
    bool m_open{false}; //!< there is more to write
    Series* m_delivered{nullptr};
};

} // namespace longfat

#endif
