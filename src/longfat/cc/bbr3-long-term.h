// SPDX-License-Identifier: GPL-2.0-only
//
// What may be in flight for long: BBR's inflight_longterm (draft-ietf-ccwg-bbr-05, sections 5.3.3.6 and
// 5.5.10.2; bbr3.h). A probe that loses too much sets it to what was in flight then, or what Beta leaves
// of the path; a probe at the bound that does not raises it, by 1, 2, 4, ... segments a round trip.

#ifndef LONGFAT_BBR3_LONG_TERM_H
#define LONGFAT_BBR3_LONG_TERM_H

#include "bbr3-delivery.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace longfat
{

class Bbr3LongTerm
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    /// The path is refilled for a probe to come.
    void StartRefill()
    {
        m_roundsUp = 0;
        m_isEnding = false;
    }

    /// Losses of what is sent from now on are a probe's.
    void StartProbe()
    {
        m_hasProbe = true;
        m_isEnding = false;
        ++m_roundsUp;
    }

    /// No more is sent of the probe: what is in flight of it ends with the round trip.
    void EndProbe()
    {
        m_isEnding = true;
    }

    /// Whether the probe's last ACK has come.
    bool HasProbeEnded(const Bbr3Ack& ack)
    {
        const bool ends = m_isEnding && ack.startsRound;
        if (ends)
        {
            m_isEnding = m_hasProbe = false;
        }
        return ends;
    }

    /// Too much was lost: whether that is a probe's, which has failed then.
    bool HasProbeFailed(const Bbr3Ack& ack)
    {
        return ack.newlyLost > 0 && std::exchange(m_hasProbe, false);
    }

    /// To what was in flight when the losses became too many, or `least`.
    void Lower(const Bbr3Ack& ack, double threshold, double least)
    {
        const double before = ack.InFlight() - ack.newlyLost;
        const double allowed = threshold * before - (ack.lost - ack.newlyLost);
        m_inflight = std::max(before + std::max(0.0, allowed) / (1 - threshold), least);
    }

    /// As much as that has done no harm; in a probe (`goesUp`) that the bound limits, more.
    void Raise(const Bbr3Ack& ack, Tcb tcb, bool goesUp)
    {
        if (std::isinf(m_inflight))
        {
            return;
        }
        m_inflight = std::max(m_inflight, ack.InFlight());
        if (goesUp && Limits(ack, tcb))
        {
            m_roundsUp += ack.startsRound;
            const double growth = std::exp2(std::min(m_roundsUp - 1, 30u));
            const double slope = growth * tcb->m_segmentSize / tcb->m_cWnd.Get();
            m_inflight += ack.newlyAcked * std::min(1.0, slope);
        }
    }

    void Set(double inflight)
    {
        m_inflight = inflight;
    }

    /// The window was full, and as large as the bound.
    bool Limits(const Bbr3Ack& ack, Tcb tcb) const
    {
        return ack.isWindowLimited && tcb->m_cWnd.Get() >= std::floor(m_inflight);
    }

    /// inflight_longterm, in bytes; infinite where there is none.
    double Get() const
    {
        return m_inflight;
    }

    /// The same, but for what is left to others: that part of it, a segment at least.
    double WithHeadroom(double headroom, Tcb tcb, double least) const
    {
        const double left = std::max<double>(tcb->m_segmentSize, headroom * m_inflight);
        return std::isinf(m_inflight) ? m_inflight : std::max(m_inflight - left, least);
    }

  private:
    double m_inflight{std::numeric_limits<double>::infinity()};
    bool m_hasProbe{false}; //!< losses are those of a probe
    bool m_isEnding{false}; //!< of which nothing more is sent
    uint32_t m_roundsUp{0}; //!< round trips in which the bound has risen
};

} // namespace longfat

#endif
