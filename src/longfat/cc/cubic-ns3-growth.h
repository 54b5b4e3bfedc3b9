// SPDX-License-Identifier: GPL-2.0-only
//
// After how many segments the window grows by one, in congestion avoidance of ns-3 3.44's CUBIC
// (cubic-ns3.h; Linux, bictcp_update): so many that it follows the cubic function, in whole segments.

#ifndef LONGFAT_CUBIC_NS3_GROWTH_H
#define LONGFAT_CUBIC_NS3_GROWTH_H

#include "cubic-ns3-reno-friendly.h"
#include "cubic-settings.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class CubicNs3Growth
{
    using Time = ns3::Time;

  public:
    /// At that window, in segments.
    void OnLoss(uint32_t w, const CubicSettings& settings)
    {
        const bool converge = w < m_maxWindow && settings.fastConvergence;
        m_maxWindow = converge ? static_cast<uint32_t>(w * (1 + settings.beta) / 2) : w;
        m_hasEpoch = false;
    }

    /// Congestion avoidance has begun in the last 10 ms.
    bool HasJustBegun() const
    {
        return m_hasEpoch && ns3::Simulator::Now() - m_epoch < ns3::MilliSeconds(10);
    }

    /// An ACK of so many segments; returns how many are to be delivered until the window grows by one.
    uint32_t OnAck(uint32_t w,
                   uint32_t segmentsAcked,
                   const Time& minRtt,
                   const CubicSettings& settings)
    {
        m_reno.OnAck(segmentsAcked);
        if (!m_hasEpoch)
        {
            m_hasEpoch = true;
            m_epoch = ns3::Simulator::Now();
            m_reno.Start(w, segmentsAcked);
            m_k = m_maxWindow > w ? std::pow((m_maxWindow - w) / settings.c, 1 / 3.) : 0;
            m_origin = std::max(m_maxWindow, w);
        }
        const double t = (ns3::Simulator::Now() + minRtt - m_epoch).GetSeconds();
        const auto away = static_cast<uint32_t>(settings.c * std::pow(std::abs(t - m_k), 3));
        const uint32_t target = t < m_k ? m_origin - away : m_origin + away;
        uint32_t needed = target > w ? w / (target - w) : 100 * w;
        if (m_maxWindow == 0)
        {
            needed = std::min(needed, 20u);
        }
        if (settings.renoFriendly)
        {
            m_reno.Grow(w, settings.beta);
            if (m_reno.Window() > w)
            {
                needed = std::min(needed, w / (m_reno.Window() - w));
            }
        }
        return std::max(needed, 2u);
    }

  private:
    uint32_t m_maxWindow{0}; //!< W_max, in segments
    uint32_t m_origin{0};    //!< the same, or the window where that was larger
    double m_k{0};           //!< K, in s
    bool m_hasEpoch{false};  //!< congestion avoidance has begun
    Time m_epoch;            //!< when
    CubicNs3RenoFriendly m_reno;
};

} // namespace longfat

#endif
