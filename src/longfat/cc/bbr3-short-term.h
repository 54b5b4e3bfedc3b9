// SPDX-License-Identifier: GPL-2.0-only
//
// What a round trip with losses leaves of BBR's rate and flight until the next probe: bw_shortterm and
// inflight_shortterm (draft-ietf-ccwg-bbr-05, section 5.5.10.3; bbr3.h). It is `beta` of what was, or what
// was just delivered, bw_latest and inflight_latest, if that is more.
//
// Assumed: an ACK that shows losses shows one range of them.

#ifndef LONGFAT_BBR3_SHORT_TERM_H
#define LONGFAT_BBR3_SHORT_TERM_H

#include "bbr3-delivery.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace longfat
{

class Bbr3ShortTerm
{
  public:
    /// An ACK. While the sender probes for bandwidth, losses are left to the long-term bound.
    void Update(const Bbr3Ack& ack, bool probes, double maxBandwidth, uint32_t window, double beta)
    {
        if (ack.newlyLost > 0)
        {
            m_hasLosses = true;
            ++m_ranges;
        }
        m_startsRound = ack.hasRate && ack.prior >= m_roundEnd;
        if (ack.hasRate)
        {
            m_bandwidthLatest = std::max(m_bandwidthLatest, ack.rateBps);
            m_inflightLatest = std::max(m_inflightLatest, ack.delivered);
        }
        if (m_startsRound)
        {
            m_roundEnd = ack.deliveredSoFar;
            m_rangesOfRound = std::exchange(m_ranges, 0);
            if (std::exchange(m_hasLosses, false) && !probes)
            {
                Lower(maxBandwidth, window, beta);
            }
        }
    }

    /// The ACK has had its effect: a round trip that it began goes on from its own numbers.
    void EndUpdate(const Bbr3Ack& ack)
    {
        if (m_startsRound)
        {
            m_bandwidthLatest = ack.rateBps;
            m_inflightLatest = ack.delivered;
        }
    }

    /// A probe is over: its losses and its flight say nothing of what comes.
    void EndProbe()
    {
        m_hasLosses = false;
        m_bandwidthLatest = m_inflightLatest = 0;
    }

    void Forget()
    {
        m_bandwidth = m_inflight = NO_BOUND;
    }

    /// bw_shortterm, in bit/s; infinite where there is none.
    double Bandwidth() const
    {
        return m_bandwidth;
    }

    /// inflight_shortterm, in bytes; infinite where there is none.
    double Inflight() const
    {
        return m_inflight;
    }

    /// inflight_latest, in bytes.
    double InflightLatest() const
    {
        return m_inflightLatest;
    }

    /// A round trip of this count is over that had so many ranges of losses, or more.
    bool HadLossRanges(uint32_t ranges) const
    {
        return m_startsRound && m_rangesOfRound >= ranges;
    }

  private:
    void Lower(double maxBandwidth, uint32_t window, double beta)
    {
        m_bandwidth = std::isinf(m_bandwidth) ? maxBandwidth : m_bandwidth;
        m_inflight = std::isinf(m_inflight) ? double(window) : m_inflight;
        m_bandwidth = std::max(m_bandwidthLatest, beta * m_bandwidth);
        m_inflight = std::max(m_inflightLatest, beta * m_inflight);
    }

    static constexpr double NO_BOUND = std::numeric_limits<double>::infinity();

    double m_bandwidth{NO_BOUND};
    double m_inflight{NO_BOUND};
    double m_bandwidthLatest{0}; //!< of this round trip, in bit/s
    double m_inflightLatest{0};  //!< of this round trip, in bytes
    bool m_startsRound{false};   //!< the last ACK, of those in which losses are counted
    uint64_t m_roundEnd{0};
    bool m_hasLosses{false};     //!< this round trip
    uint32_t m_ranges{0};        //!< of losses in it
    uint32_t m_rangesOfRound{0}; //!< of the round trip before
};

} // namespace longfat

#endif
