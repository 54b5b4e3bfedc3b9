// SPDX-License-Identifier: GPL-2.0-only
//
// H-TCP as ns-3 3.44 has it: what htcp.h gives under AsNs3. Where it parts from the paper:
//
//   throughput   the mean since the last loss, in whole bytes/s; else that of the window before the loss,
//                in segments/s
//   increase     alpha is in segments; ns-3 adds as many bytes to Reno's increment of an ACK
//   a loss       leaves the part beta (htcp-backoff.h) of what is in flight, not of the window

#ifndef LONGFAT_HTCP_NS3_H
#define LONGFAT_HTCP_NS3_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace longfat
{

class HtcpNs3
{
    using State = ns3::TcpSocketState;

  public:
    void OnAck(ns3::Ptr<const State> tcb, uint32_t segmentsAcked, ns3::Time lastLoss)
    {
        m_delivered += tcb->m_congState == State::CA_OPEN ? segmentsAcked * tcb->m_segmentSize : 0;
        const double s = ns3::Simulator::Now().GetSeconds() - lastLoss.GetSeconds();
        // 0 / 0 where the loss was just now
        m_throughput = s > 0 ? static_cast<uint32_t>(static_cast<int64_t>(m_delivered / s)) : 0;
    }

    /// A loss: the throughput since the one before, in bytes/s.
    double TakeThroughput()
    {
        m_delivered = 0;
        return std::exchange(m_throughput, 0);
    }

    /// What a loss leaves of what is in flight, in bytes.
    static uint32_t Threshold(ns3::Ptr<const State> tcb, uint32_t bytesInFlight, double beta)
    {
        return std::max(2 * tcb->m_segmentSize, static_cast<uint32_t>(bytesInFlight * beta));
    }

    /// What an ACK adds in congestion avoidance, in bytes.
    static uint32_t Increment(ns3::Ptr<const State> tcb, double alpha)
    {
        const uint32_t square = tcb->m_segmentSize * tcb->m_segmentSize;
        const uint32_t w = tcb->m_cWnd.Get();
        return static_cast<uint32_t>(std::max(1.0, (square + w * alpha) / w));
    }

  private:
    uint32_t m_delivered{0};  //!< bytes since the last loss
    uint32_t m_throughput{0}; //!< bytes/s since the last loss
};

} // namespace longfat

#endif
