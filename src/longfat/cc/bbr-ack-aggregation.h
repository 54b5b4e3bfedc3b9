// SPDX-License-Identifier: GPL-2.0-only
//
// How far ACKs run ahead of BtlBw, for which BBR version 1 makes room in its window (Linux,
// bbr_update_ack_aggregation and bbr_ack_aggregation_cwnd; bbr.h): the largest excess of the last five to
// ten round trips, but no more than 100 ms deliver.
//
// As ns-3 3.44: an epoch is counted in whole seconds, and ends after 4096 bytes instead of 2^20 segments.

#ifndef LONGFAT_BBR_ACK_AGGREGATION_H
#define LONGFAT_BBR_ACK_AGGREGATION_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class BbrAckAggregation
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;
    using Sample = ns3::TcpRateOps::TcpRateSample;

  public:
    /// An epoch begins: ACKs are not ahead.
    void StartEpoch()
    {
        m_epochStart = ns3::Simulator::Now();
        m_epochBytes = 0;
    }

    void StartRound()
    {
        if (++m_rounds >= 5)
        {
            m_rounds = 0;
            m_extra[1] = m_extra[0];
            m_extra[0] = 0;
        }
    }

    /// An ACK that acknowledges something.
    void Update(Tcb tcb, const Sample& sample, uint64_t bandwidthBps, bool asNs3)
    {
        const double epochS = (ns3::Simulator::Now() - m_epochStart).GetSeconds();
        const double seconds = asNs3 ? std::floor(epochS) : epochS;
        auto expected = static_cast<uint64_t>(bandwidthBps * seconds / 8);
        const uint64_t longest = asNs3 ? 4096 : uint64_t(tcb->m_segmentSize) << 20;
        if (m_epochBytes <= expected || m_epochBytes + sample.m_ackedSacked >= longest)
        {
            StartEpoch();
            expected = 0;
        }
        m_epochBytes += sample.m_ackedSacked;
        const uint64_t extra = std::min<uint64_t>(m_epochBytes - expected, tcb->m_cWnd.Get());
        m_extra[0] = std::max(m_extra[0], static_cast<uint32_t>(extra));
    }

    /// In bytes.
    uint32_t Get(uint64_t bandwidthBps) const
    {
        const auto most = static_cast<uint32_t>(bandwidthBps / 80);
        return std::min(std::max(m_extra[0], m_extra[1]), most);
    }

  private:
    ns3::Time m_epochStart;
    uint32_t m_epochBytes{0}; //!< delivered in it
    uint32_t m_extra[2]{
        0, 0}; //!< largest excess of these five round trips and the five before, in bytes
    uint32_t m_rounds{0}; //!< of these five
};

} // namespace longfat

#endif
