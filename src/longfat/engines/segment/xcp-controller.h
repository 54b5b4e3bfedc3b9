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

#ifndef LONGFAT_SEGMENT_XCP_CONTROLLER_H
#define LONGFAT_SEGMENT_XCP_CONTROLLER_H

#include "../spec.h"
#include "router-header.h"

#include <algorithm>
#include <cmath>

namespace longfat::segment
{

class XcpController
{
  public:
    static constexpr double SHORTEST_INTERVAL_S = 0.005;
    static constexpr double LONGEST_INTERVAL_S = 1;
    static constexpr double FIRST_INTERVAL_S = 0.05;
    static constexpr double ALLOWED_QUEUE_S = 0.002;

    XcpController(const Xcp& spec, double rateBps)
        : m_spec(spec),
          m_capacity(rateBps / 8)
    {
    }

    void SetRate(double rateBps)
    {
        m_capacity = rateBps / 8;
    }

    void OnArrival(const CongestionHeader& header, uint32_t wireBytes)
    {
        m_input += wireBytes;
        if (header.isThere && header.rttS > 0)
        {
            m_sumSpacing += header.spacingS;
            m_sumRtt += std::min(header.rttS, LONGEST_INTERVAL_S) * header.spacingS;
        }
    }

    /// A packet leaves, and so many bytes stay behind in the queue.
    void OnDeparture(CongestionHeader& header, uint32_t wireBytes, uint64_t queueBytes)
    {
        m_leastQueue = std::min(m_leastQueue, static_cast<double>(queueBytes));
        if (!header.isThere)
        {
            return;
        }
        --header.ttl;
        if (header.rttS == 0)
        {
            header.feedback = 0;
            return;
        }
        double positive = std::min(m_positive, m_perSpacing * header.spacingS);
        double negative = std::min(m_negative, m_perByte * wireBytes);
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
        m_perSpacing = m_positive == 0 ? 0 : m_perSpacing;
        m_perByte = m_negative == 0 ? 0 : m_perByte;
    }

    /// The end of a control interval; returns the next one's length.
    double Control()
    {
        const double input = m_input / m_intervalS;
        if (m_sumSpacing > 0)
        {
            m_meanRttS = m_sumRtt / m_sumSpacing;
            const double aggregate =
                m_spec.alpha * (m_capacity - input) - m_spec.beta * m_queue / m_meanRttS;
            const double shuffled = std::max(0.0, m_spec.gamma * input - std::abs(aggregate));
            m_positive = shuffled + std::max(0.0, aggregate);
            m_negative = shuffled + std::max(0.0, -aggregate);
            m_perSpacing = m_positive / m_sumSpacing;
            m_perByte = m_negative / m_input;
        }
        else
        {
            m_positive = m_negative = m_perSpacing = m_perByte = 0;
        }
        m_input = m_sumSpacing = m_sumRtt = 0;
        return m_intervalS = std::max(m_meanRttS, SHORTEST_INTERVAL_S);
    }

    /// The queue has been looked at long enough; it is so long now. Returns until when again.
    double EstimateQueue(uint64_t queueBytes)
    {
        m_queue = m_leastQueue;
        m_leastQueue = static_cast<double>(queueBytes);
        return std::max(ALLOWED_QUEUE_S, (m_meanRttS - m_leastQueue / m_capacity) / 2);
    }

  private:
    const Xcp m_spec;
    double m_capacity;
    double m_intervalS{FIRST_INTERVAL_S};
    double m_meanRttS{FIRST_INTERVAL_S}; //!< d
    double m_input{0};                   //!< bytes that have come in this interval
    double m_sumSpacing{0};
    double m_sumRtt{0};     //!< round trips times spacings
    double m_queue{0};      //!< Q
    double m_leastQueue{0}; //!< since the last estimate
    double m_positive{0};   //!< what is left to give in this interval
    double m_negative{0};   //!< and to take
    double m_perSpacing{0}; //!< Cp
    double m_perByte{0};    //!< Cn
};

} // namespace longfat::segment

#endif
