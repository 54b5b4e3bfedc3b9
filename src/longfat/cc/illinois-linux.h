// SPDX-License-Identifier: GPL-2.0-only
//
// What Linux 6.12 (tcp_illinois.c) counts otherwise than the paper: what illinois.h gives under AsLinux.
//
//   an ACK     counts for what it acknowledges cumulatively, so that the one which ends a recovery counts
//              all segments that SACK had reported before
//   growth     alpha for each of the segments counted since the window grew last
//   a loss     takes whole segments, rounded down

#ifndef LONGFAT_ILLINOIS_LINUX_H
#define LONGFAT_ILLINOIS_LINUX_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

/// Windows in whole segments.
class IllinoisLinux
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    void OnAck(Tcb tcb)
    {
        m_acked = (tcb->m_lastAckedSeq - m_lastAcked) / tcb->m_segmentSize;
        m_lastAcked = tcb->m_lastAckedSeq;
    }

    /// What the last ACK adds to the window in congestion avoidance.
    uint32_t Increase(uint32_t window, double alpha)
    {
        m_count += m_acked;
        m_acked = 1;
        const uint32_t delta = m_count * alpha;
        if (delta < window)
        {
            return 0;
        }
        m_count = 0;
        return delta / window;
    }

    /// What a loss leaves.
    static uint32_t Decrease(uint32_t window, double beta)
    {
        const uint32_t lost = window * beta;
        return std::max(window - lost, 2U);
    }

  private:
    uint32_t m_count{0}; //!< segments since the window grew last
    uint32_t m_acked{0}; //!< that the last ACK acknowledges, reported before or not
    ns3::SequenceNumber32 m_lastAcked{0}; //!< highest byte acknowledged by the last ACK
};

} // namespace longfat

#endif
