// SPDX-License-Identifier: GPL-2.0-only
//
// The round trips of BBR version 1, counted by packets: one is over when something is acknowledged that was
// sent after its beginning (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.1.1.3; bbr.h).
//
// As ns-3 3.44: an ACK without a valid sample keeps the beginning of a round trip.

#ifndef LONGFAT_BBR_ROUNDS_H
#define LONGFAT_BBR_ROUNDS_H

#include "ns3/tcp-rate-ops.h"

#include <cstdint>

namespace longfat
{

class BbrRounds
{
    using Sample = ns3::TcpRateOps::TcpRateSample;

  public:
    /// An ACK; so many bytes are delivered so far.
    void Update(uint64_t delivered, const Sample& sample, bool asNs3)
    {
        m_delivered = delivered;
        m_hasRate = sample.m_delivered >= 0 && !sample.m_interval.IsZero();
        m_isOver = m_hasRate && sample.m_priorDelivered >= m_end;
        m_isStart = m_isOver || (!m_hasRate && m_isStart && asNs3);
        if (m_isOver)
        {
            Start();
            ++m_count;
        }
    }

    /// A round trip begins, which is over when something sent from now on is acknowledged.
    void Start()
    {
        m_end = m_delivered;
    }

    /// A timeout counts as the beginning of one, as in Linux.
    void OnTimeout()
    {
        m_isStart = true;
    }

    /// The last ACK brought a delivery rate.
    bool HasRate() const
    {
        return m_hasRate;
    }

    /// A round trip ended with the last ACK.
    bool IsOver() const
    {
        return m_isOver;
    }

    /// round_start: one begins.
    bool IsStart() const
    {
        return m_isStart;
    }

    /// So far.
    uint32_t Count() const
    {
        return m_count;
    }

    /// Bytes so far.
    uint64_t Delivered() const
    {
        return m_delivered;
    }

  private:
    uint64_t m_delivered{0}; //!< bytes so far
    uint32_t m_end{0};       //!< next_round_delivered
    uint32_t m_count{0};
    bool m_hasRate{false};
    bool m_isOver{false};
    bool m_isStart{false};
};

} // namespace longfat

#endif
