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

class Flow
{
  public:
    Flow(const FlowSpec& spec, Network& network, uint16_t port, double durationS, uint32_t points)
        : m_spec(spec),
          m_network(network),
          m_port(port),
          m_durationS(durationS),
          m_points(points)
    {
        std::vector<std::string> ends{spec.source};
        ends.insert(ends.end(), spec.relays.begin(), spec.relays.end());
        ends.push_back(spec.target);
        for (std::size_t i = 1; i < ends.size(); ++i)
        {
            m_connections.push_back(
                std::make_unique<Connection>(m_spec, network, ends[i - 1], ends[i], port));
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
        if (std::isfinite(spec.stopS))
        {
            ns3::Simulator::Schedule(ns3::Seconds(spec.stopS), &Flow::Stop, this);
        }
    }

    uint64_t deliveredBytes{0}; //!< payload, in order, read by the receiver at the end
    double completionS{std::numeric_limits<double>::quiet_NaN()}; //!< when the last byte was read
    SeriesByName series;

    /// Sum over the flow's connections, of which there are several with relays.
    uint64_t Sum(uint64_t Connection::* count) const
    {
        uint64_t sum = 0;
        for (const auto& connection : m_connections)
        {
            sum += (*connection).*count;
        }
        return sum;
    }

    uint64_t GetSegmentsSent() const
    {
        return Sum(&Connection::segmentsSent);
    }

    uint64_t GetRetransmissions() const
    {
        return Sum(&Connection::retransmissions);
    }

    uint64_t GetRecoveries() const
    {
        return Sum(&Connection::recoveries);
    }

    uint64_t GetTimeouts() const
    {
        return Sum(&Connection::timeouts);
    }

    /// From that time on, the flow's packets take that path.
    void SetPath(double atS, const std::vector<std::string>& path)
    {
        if (atS == 0)
        {
            m_network.SetPath(m_port, path);
        }
        else
        {
            ns3::Simulator::Schedule(ns3::Seconds(atS),
                                     &Network::SetPath,
                                     &m_network,
                                     m_port,
                                     path);
        }
    }

    /// At that time, tell the sender's algorithm that the receiver has moved.
    void AddHandoff(double atS, bool local, double announcedRateBps)
    {
        ns3::Simulator::Schedule(ns3::Seconds(atS), &Flow::Handoff, this, local, announcedRateBps);
    }

    /// Keep the series of that name; with relays, of the first connection.
    void Record(const std::string& name)
    {
        Series& kept = series.try_emplace(name, m_durationS, m_points).first->second;
        auto& sender = *First().sender;
        const double segment = m_spec.segmentBytes;
        bool found = true;
        if (name == "cwnd_segments")
        {
            found = Keep<uint32_t>(sender, "CongestionWindow", kept, segment);
        }
        else if (name == "ssthresh_segments")
        {
            found = sender.TraceConnectWithoutContext(
                "SlowStartThreshold",
                ns3::Callback<void, uint32_t, uint32_t>([&kept, segment](uint32_t, uint32_t now) {
                    if (now != NO_THRESHOLD)
                    {
                        kept.Add(now / segment);
                    }
                }));
        }
        else if (name == "rtt_s")
        {
            found = sender.TraceConnectWithoutContext(
                "LastRTT",
                ns3::Callback<void, ns3::Time, ns3::Time>(
                    [&kept](ns3::Time, ns3::Time now) { kept.Add(now.GetSeconds()); }));
        }
        else if (name == "delivered_bytes")
        {
            m_delivered = &kept;
        }
        else if (name == "bandwidth_bps")
        {
            found = Keep<double>(*First().algorithm, "Bandwidth", kept, 1);
        }
        else if (name == "utilization")
        {
            found = Keep<double>(*First().algorithm, "Utilization", kept, 1);
        }
        else
        {
            found = false;
        }
        NS_ABORT_MSG_UNLESS(found, m_spec.congestionControl << " has no series " << name);
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
        while (const uint32_t bytes = Last().Read(std::numeric_limits<uint32_t>::max()))
        {
            deliveredBytes += bytes;
        }
        if (m_delivered)
        {
            m_delivered->Add(double(deliveredBytes));
        }
        if (m_spec.bytes > 0 && deliveredBytes == m_spec.bytes && std::isnan(completionS))
        {
            completionS = ns3::Simulator::Now().GetSeconds();
        }
    }

    void Handoff(bool local, double announcedRateBps)
    {
        auto signal = dynamic_cast<HandoffSignal*>(ns3::PeekPointer(First().algorithm));
        if (signal && m_connected && First().receiver && std::isnan(completionS))
        {
            signal->OnHandoff(local,
                              ns3::DataRate(static_cast<uint64_t>(std::llround(announcedRateBps))),
                              First().receiver->GetRxBuffer()->MaxBufferSize());
        }
    }

    const FlowSpec m_spec;
    Network& m_network;
    const uint16_t m_port;
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
