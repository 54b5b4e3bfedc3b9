// SPDX-License-Identifier: GPL-2.0-only
//
// HyStart++ (RFC 9406): leave slow start when the round-trip time has risen.
//
// A round trip whose smallest RTT is larger than that of the one before by an eighth of it (4 to
// 16 ms) begins conservative slow start, which grows a quarter as fast. When that has lasted for five
// round trips, congestion avoidance begins; when the RTT falls again before, slow start goes on.

#ifndef LONGFAT_HYSTART_H
#define LONGFAT_HYSTART_H

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

/// For one sender, in its first slow start (section 4.3).
class HyStart
{
  public:
    /// Segments by which an ACK of so many opens the window, section 4.2; at the end of slow start
    /// the threshold becomes the window.
    double OnAck(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked)
    {
        if (tcb->m_lastAckedSeq >= m_roundEnd)
        {
            m_roundEnd = tcb->m_highTxMark.Get();
            m_lastMinRtt = m_minRtt;
            m_minRtt = ns3::Time::Max();
            m_samples = 0;
            if (m_conservative && ++m_conservativeRounds == CSS_ROUNDS)
            {
                tcb->m_ssThresh = tcb->m_cWnd.Get();
            }
        }
        m_minRtt = std::min(m_minRtt, tcb->m_lastRtt.Get());
        ++m_samples;
        if (m_samples >= N_RTT_SAMPLE && m_conservative && m_minRtt < m_baseline)
        {
            m_conservative = false; // the rise was none
        }
        else if (m_samples >= N_RTT_SAMPLE && !m_conservative && HasRisen())
        {
            m_conservative = true;
            m_conservativeRounds = 0;
            m_baseline = m_minRtt;
        }
        const double growth = std::min(segmentsAcked, L);
        return m_conservative ? growth / CSS_GROWTH_DIVISOR : growth;
    }

  private:
    bool HasRisen() const
    {
        if (m_lastMinRtt == ns3::Time::Max())
        {
            return false;
        }
        const ns3::Time threshold = std::clamp(ns3::NanoSeconds(m_lastMinRtt.GetNanoSeconds() / 8),
                                               ns3::MilliSeconds(4),
                                               ns3::MilliSeconds(16));
        return m_minRtt >= m_lastMinRtt + threshold;
    }

    static constexpr uint32_t N_RTT_SAMPLE = 8;
    static constexpr uint32_t CSS_GROWTH_DIVISOR = 4;
    static constexpr uint32_t CSS_ROUNDS = 5;
    static constexpr uint32_t L = 8; //!< segments an ACK, without pacing

    ns3::SequenceNumber32 m_roundEnd{0};      //!< windowEnd
    ns3::Time m_lastMinRtt{ns3::Time::Max()}; //!< lastRoundMinRTT; Max: none
    ns3::Time m_minRtt{ns3::Time::Max()};     //!< currentRoundMinRTT
    uint32_t m_samples{0};                    //!< rttSampleCount
    bool m_conservative{false};               //!< in conservative slow start
    uint32_t m_conservativeRounds{0};         //!< round trips that it has lasted
    ns3::Time m_baseline;                     //!< cssBaselineMinRtt
};

} // namespace longfat

#endif
