// SPDX-License-Identifier: GPL-2.0-only
//
// What a link that has helpers loses on its way, and the trace that such a link can follow.

#ifndef LONGFAT_SEGMENT_MEDIUM_H
#define LONGFAT_SEGMENT_MEDIUM_H

#include "queue.h"

#include <algorithm>
#include <vector>

namespace longfat::segment
{

/// Losses that are independent, of outages, and in bursts: the last by E. N. Gilbert ("Capacity of a
/// burst-noise channel", 1960) and E. O. Elliott (1963). From packet to packet the state changes
/// from bad to good with probability 1 / mean length, and from good to bad so that in the long run
/// the stated share is lost.
class Medium
{
  public:
    enum class Fate
    {
        ARRIVES,
        LOST,
        OUTAGE,
    };

    Medium(const LinkSpec& spec, uint64_t link)
        : m_spec(spec)
    {
        m_uniform.SetStream(static_cast<int64_t>(link)); // the same losses as without helpers
        if (spec.lossBursts)
        {
            const LossBursts& bursts = *spec.lossBursts;
            const double bad = bursts.lossPerPacket / bursts.lossWithin;
            m_ends = 1 / bursts.meanPackets;
            m_begins = bad * m_ends / (1 - bad);
            m_bursts.SetStream(StreamOf(HelperStream::BURSTS, link));
            m_isBad = m_bursts.GetValue(0, 1) < bad;
        }
    }

    /// What becomes of a packet that would arrive now; `survives`: the probability that it does, but
    /// for outages and bursts.
    Fate Meet(double survives, Ticks now)
    {
        const bool inBurst = m_spec.lossBursts && IsLostInBurst();
        const double nowS = ToSeconds(now);
        for (const Outage& outage : m_spec.outages)
        {
            if (outage.startS <= nowS && nowS < outage.endS)
            {
                return Fate::OUTAGE;
            }
        }
        const bool lost = survives < 1 && m_uniform.GetValue(0, 1) >= survives;
        return lost || inBurst ? Fate::LOST : Fate::ARRIVES;
    }

  private:
    bool IsLostInBurst()
    {
        const bool lost = m_isBad && (m_spec.lossBursts->lossWithin == 1 ||
                                      m_bursts.GetValue(0, 1) < m_spec.lossBursts->lossWithin);
        m_isBad = m_isBad != (m_bursts.GetValue(0, 1) < (m_isBad ? m_ends : m_begins));
        return lost;
    }

    const LinkSpec& m_spec;
    ns3::UniformRandomVariable m_uniform;
    ns3::UniformRandomVariable m_bursts;
    double m_begins{0}; //!< probability, from one packet to the next, that a burst begins
    double m_ends{0};   //!< that it ends
    bool m_isBad{false};
};

/// The times at which a link that follows a trace can deliver: R. Netravali et al., "Mahimahi:
/// accurate record-and-replay for HTTP" (2015), mm-link(1). A chance carries 1500 bytes, is lost if
/// nothing waits, and carries parts of packets; after the last the trace begins anew.
class Trace
{
  public:
    static constexpr uint32_t BYTES = 1500;

    explicit Trace(const std::vector<uint32_t>& milliseconds)
        : m_milliseconds(milliseconds)
    {
    }

    /// The time of the next chance that has not been taken, from now on; it is taken.
    Ticks Take(Ticks now)
    {
        const uint64_t period = m_milliseconds.back();
        const uint64_t nowMs = (now + MILLISECOND - 1) / MILLISECOND;
        // The end of a round is the beginning of the next: look from the round before on.
        uint64_t round = nowMs / period > 0 ? nowMs / period - 1 : 0;
        std::vector<uint32_t>::const_iterator found;
        for (;; ++round)
        {
            const uint64_t into = nowMs > round * period ? nowMs - round * period : 0;
            found = std::lower_bound(m_milliseconds.begin(), m_milliseconds.end(), into);
            if (found != m_milliseconds.end())
            {
                break;
            }
        }
        const uint64_t index =
            round * m_milliseconds.size() + static_cast<uint64_t>(found - m_milliseconds.begin());
        m_next = std::max(m_next, index);
        const Ticks time = At(m_next);
        ++m_next;
        return time;
    }

  private:
    static constexpr Ticks MILLISECOND = 1'000'000;

    Ticks At(uint64_t index) const
    {
        const uint64_t size = m_milliseconds.size();
        return static_cast<Ticks>(index / size * m_milliseconds.back() +
                                  m_milliseconds[index % size]) *
               MILLISECOND;
    }

    const std::vector<uint32_t>& m_milliseconds;
    uint64_t m_next{0}; //!< first that has not been taken
};

} // namespace longfat::segment

#endif
