// SPDX-License-Identifier: GPL-2.0-only
//
// Losses of a link in bursts (longfat.LossBursts).

#ifndef LONGFAT_NS3_BURST_LOSSES_H
#define LONGFAT_NS3_BURST_LOSSES_H

#include "spec.h"

#include "ns3/random-variable-stream.h"

namespace longfat
{

/// Random numbers of links besides their losses, a few streams for each link, as the segment engine
/// numbers them.
constexpr int64_t FIRST_LINK_STREAM = 500'000;
constexpr int64_t LINK_STREAMS = 3;
constexpr int64_t QUEUE_STREAM = 0;
constexpr int64_t BURST_STREAM = 1;

/// A chain of two states, good and bad, that moves with every packet (Gilbert 1960, Elliott 1963).
class BurstLosses
{
  public:
    BurstLosses(const LossBursts& spec, int64_t stream)
        : m_within(spec.lossWithin),
          m_end(1 / spec.meanPackets),
          m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        const double bad = spec.lossPerPacket / spec.lossWithin; // share of packets
        m_begin = bad * m_end / (1 - bad);
        m_uniform->SetStream(stream);
        m_bad = m_uniform->GetValue() < bad;
    }

    /// Whether the packet that now arrives is lost.
    bool TakeNext()
    {
        const bool lost = m_bad && (m_within == 1 || m_uniform->GetValue() < m_within);
        if (m_uniform->GetValue() < (m_bad ? m_end : m_begin))
        {
            m_bad = !m_bad;
        }
        return lost;
    }

  private:
    double m_within;
    double m_end;      //!< probability that a burst ends with a packet
    double m_begin{0}; //!< that one begins
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    bool m_bad{false};
};

} // namespace longfat

#endif
