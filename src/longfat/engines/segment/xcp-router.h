// SPDX-License-Identifier: GPL-2.0-only
//
// What a router that speaks XCP does for an outgoing link (D. Katabi, M. Handley and C. Rohrs,
// "Congestion control for high bandwidth-delay product networks", SIGCOMM 2002, sections 3.5 and 4;
// draft-falk-xcp-spec-03, section 4). Once a control interval, the mean round trip,
//
//     efficiency   F = alpha (C - y) - beta Q / d
//     shuffling    S = max(0, gamma y - |F|)
//     fairness     positive feedback of a packet   Cp X     Cp = (S + max(F, 0)) / sum of X
//                  negative                        Cn size  Cn = (S + max(-F, 0)) / sum of sizes
//
// with C the link's capacity, y what came in, Q the queue that stood through half a round trip, d the
// mean round trip weighted by X, and X a packet's spacing: round trip over segments of the window.
// So that every flow gets as much of what there is to give, and gives as much of its own rate as the
// others do. All in bytes and seconds.

#ifndef LONGFAT_CORE_XCP_ROUTER_H
#define LONGFAT_CORE_XCP_ROUTER_H

#include "link.h"

#include <functional>

namespace longfat::core
{

class XcpRouter
{
  public:
    static constexpr double SHORTEST_INTERVAL_S = 0.005;
    static constexpr double LONGEST_INTERVAL_S = 1;
    static constexpr double FIRST_INTERVAL_S = 0.05;
    static constexpr double ALLOWED_QUEUE_S = 0.002;

    /// `queue_bytes` is asked for how long the queue is.
    XcpRouter(EventQueue& events,
              const Link& link,
              const XcpSpec& spec,
              std::function<uint64_t()> queue_bytes)
        : m_events(events),
          m_link(link),
          m_spec(spec),
          m_queue_bytes(std::move(queue_bytes)),
          m_control(&call<XcpRouter, &XcpRouter::on_control>, this),
          m_estimate(&call<XcpRouter, &XcpRouter::on_estimate>, this)
    {
        m_events.schedule(m_control, m_events.key_at(from_seconds(FIRST_INTERVAL_S)));
        m_events.schedule(m_estimate, m_events.key_at(from_seconds(FIRST_INTERVAL_S)));
    }

    void on_arrival(const Packet& packet)
    {
        m_input += packet.wire_bytes;
        if (packet.options && packet.options->xcp.rtt_s > 0)
        {
            const CongestionHeader& header = packet.options->xcp;
            m_sum_spacing += header.spacing_s;
            m_sum_rtt += std::min(header.rtt_s, LONGEST_INTERVAL_S) * header.spacing_s;
        }
    }

    /// A packet leaves, and so many bytes stay behind in the queue.
    void on_departure(const Packet& packet, uint64_t queue_bytes)
    {
        m_least_queue = std::min(m_least_queue, static_cast<double>(queue_bytes));
        if (packet.options && packet.options->xcp.present)
        {
            write(packet.options->xcp, packet.wire_bytes);
        }
    }

  private:
    double capacity() const
    {
        return m_link.rate_bps() / 8;
    }

    void write(CongestionHeader& header, uint32_t wire_bytes)
    {
        --header.ttl;
        if (header.rtt_s == 0)
        {
            header.feedback = 0;
            return;
        }
        double positive = std::min(m_positive, m_per_spacing * header.spacing_s);
        double negative = std::min(m_negative, m_per_byte * wire_bytes);
        const double feedback = positive - negative;
        if (header.feedback >= feedback)
        {
            header.feedback = feedback;
        }
        else // another router gives less: what this one would have given is for others
        {
            negative = std::min(m_negative, negative + (feedback - header.feedback));
            positive = header.feedback + negative;
        }
        m_positive = std::max(0.0, m_positive - positive);
        m_negative = std::max(0.0, m_negative - negative);
        m_per_spacing = m_positive == 0 ? 0 : m_per_spacing;
        m_per_byte = m_negative == 0 ? 0 : m_per_byte;
    }

    /// The end of a control interval.
    void on_control()
    {
        const double input = m_input / m_interval_s;
        if (m_sum_spacing > 0)
        {
            m_mean_rtt_s = m_sum_rtt / m_sum_spacing;
            const double aggregate =
                m_spec.alpha * (capacity() - input) - m_spec.beta * m_queue / m_mean_rtt_s;
            const double shuffled = std::max(0.0, m_spec.gamma * input - std::abs(aggregate));
            m_positive = shuffled + std::max(0.0, aggregate);
            m_negative = shuffled + std::max(0.0, -aggregate);
            m_per_spacing = m_positive / m_sum_spacing;
            m_per_byte = m_negative / m_input;
        }
        else
        {
            m_positive = m_negative = m_per_spacing = m_per_byte = 0;
        }
        m_input = m_sum_spacing = m_sum_rtt = 0;
        m_interval_s = std::max(m_mean_rtt_s, SHORTEST_INTERVAL_S);
        m_events.schedule(m_control, m_events.key_at(m_events.now() + from_seconds(m_interval_s)));
    }

    /// The queue has been looked at long enough.
    void on_estimate()
    {
        m_queue = m_least_queue;
        m_least_queue = static_cast<double>(m_queue_bytes());
        const double wait_s =
            std::max(ALLOWED_QUEUE_S, (m_mean_rtt_s - m_least_queue / capacity()) / 2);
        m_events.schedule(m_estimate, m_events.key_at(m_events.now() + from_seconds(wait_s)));
    }

    EventQueue& m_events;
    const Link& m_link;
    const XcpSpec m_spec;
    const std::function<uint64_t()> m_queue_bytes;
    double m_interval_s{FIRST_INTERVAL_S};
    double m_mean_rtt_s{FIRST_INTERVAL_S}; //!< d
    double m_input{0};                     //!< bytes that have come in this interval
    double m_sum_spacing{0};
    double m_sum_rtt{0};     //!< round trips times spacings
    double m_queue{0};       //!< Q
    double m_least_queue{0}; //!< since the last estimate
    double m_positive{0};    //!< what is left to give in this interval
    double m_negative{0};    //!< and to take
    double m_per_spacing{0}; //!< Cp
    double m_per_byte{0};    //!< Cn
    Event m_control;
    Event m_estimate;
};

} // namespace longfat::core

#endif
