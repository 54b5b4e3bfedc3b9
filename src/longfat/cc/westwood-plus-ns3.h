// SPDX-License-Identifier: GPL-2.0-only
//
// The estimate of Westwood+ as ns-3 3.44 has it: what westwood-plus.h gives under AsNs3. Where it parts
// from the paper:
//
//   samples       a timer ends one, a smoothed round trip after its first ACK
//   duplicates    a duplicate ACK's segment counts again when it is acknowledged
//   filter        works in whole bit/s, and begins with an estimate of zero, of which a tenth is corrected
//                 a round trip

#ifndef LONGFAT_WESTWOOD_PLUS_NS3_H
#define LONGFAT_WESTWOOD_PLUS_NS3_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cmath>
#include <cstdint>

namespace longfat
{

class WestwoodPlusNs3
{
    using Time = ns3::Time;

  public:
    /// With the smoothed round trip; none where it is zero.
    void OnAck(uint32_t segments, Time rtt)
    {
        m_segments += rtt.IsZero() ? 0 : segments;
        if (m_interval.IsZero())
        {
            m_sampleStart = ns3::Simulator::Now();
            m_interval = rtt;
        }
    }

    /// If the timer has gone off. Returns B_k, in bit/s.
    double EndSample(uint32_t segmentSize, double alpha)
    {
        if (!m_interval.IsZero() && ns3::Simulator::Now() >= m_sampleStart + m_interval)
        {
            const uint32_t bytes = m_segments * segmentSize;
            const double sample = std::floor(bytes * 8.0 / m_interval.GetSeconds());
            const double mean = std::floor((sample + m_lastSample) * 0.5);
            m_bandwidth = std::floor(m_bandwidth * alpha) + std::floor(mean * (1 - alpha));
            m_lastSample = sample;
            m_segments = 0;
            m_interval = Time(0);
        }
        return m_bandwidth;
    }

  private:
    double m_bandwidth{0};  //!< B_k, in bit/s
    double m_lastSample{0}; //!< b_{k-1}, in bit/s
    uint32_t m_segments{0}; //!< of the sample under way: d_k
    Time m_sampleStart;     //!< when that sample began
    Time m_interval{0};     //!< when it ends, after that; 0: none is under way
};

} // namespace longfat

#endif
