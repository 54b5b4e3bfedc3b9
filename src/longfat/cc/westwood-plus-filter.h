// SPDX-License-Identifier: GPL-2.0-only
//
// The samples and the filter of Westwood+ (Grieco and Mascolo 2004; see westwood-plus.h):
//
//     b_k = d_k / Delta_k                        d_k acknowledged in Delta_k, about a round trip
//     B_k = alpha B_{k-1} + (1 - alpha) (b_k + b_{k-1}) / 2
//
// The first sample fills the filter, as in Linux.

#ifndef LONGFAT_WESTWOOD_PLUS_FILTER_H
#define LONGFAT_WESTWOOD_PLUS_FILTER_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace longfat
{

class WestwoodPlusFilter
{
  public:
    /// An ACK reports so many segments. The first one starts the clock, and each one that comes a round
    /// trip later ends a sample.
    void OnAck(uint32_t segments, uint32_t segmentSize, ns3::Time rtt, double alpha)
    {
        m_segments += segments;
        const ns3::Time now = ns3::Simulator::Now();
        const ns3::Time interval = now - m_sampleStart;
        if (!m_started || (interval >= rtt && interval.IsStrictlyPositive()))
        {
            if (m_started)
            {
                Filter(8.0 * m_segments * segmentSize / interval.GetSeconds(), alpha);
            }
            m_started = true;
            m_sampleStart = now;
            m_segments = 0;
        }
    }

    /// B_k, in bit/s.
    double Get() const
    {
        return m_bandwidth;
    }

  private:
    void Filter(double sample, double alpha)
    {
        const double mean = (sample + m_lastSample) / 2;
        m_bandwidth = m_hasSample ? alpha * m_bandwidth + (1 - alpha) * mean : sample;
        m_hasSample = true;
        m_lastSample = sample;
    }

    double m_bandwidth{0};   //!< B_k, in bit/s
    double m_lastSample{0};  //!< b_{k-1}, in bit/s
    bool m_hasSample{false}; //!< there was one
    uint32_t m_segments{0};  //!< of the sample under way: d_k
    bool m_started{false};   //!< there was an ACK
    ns3::Time m_sampleStart; //!< when that sample began
};

} // namespace longfat

#endif
