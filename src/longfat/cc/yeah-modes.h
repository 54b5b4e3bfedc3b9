// SPDX-License-Identifier: GPL-2.0-only
//
// The two modes of YeAH-TCP (Baiocchi et al. 2007, section II; see yeah.h). Once a round trip, from the
// smallest of its round-trip times,
//
//     Q = w (RTT_min - RTT_base) / RTT_min     segments in queues
//     L = (RTT_min - RTT_base) / RTT_base      how congested the path is
//
//     fast mode     Q < Q_max and L < 1 / phi
//     slow mode     else; Q > Q_max takes Q from the window (precautionary decongestion), half of it at
//                   most and not below count_reno, the window that a competing Reno flow would have
//
// Reno flows compete after slow mode for rho round trips, and none any more after fast mode for zeta.

#ifndef LONGFAT_YEAH_MODES_H
#define LONGFAT_YEAH_MODES_H

#include "round-trips.h"

namespace longfat
{

class TcpYeahModes : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpYeahModes").SetParent<TcpRoundTrips>();
        return tid;
    }

  protected:
    bool IsFast() const
    {
        return m_slowRounds == 0;
    }

    void EndRound(Tcb tcb)
    {
        const double delayS = (m_minRtt - m_baseRtt).GetSeconds();
        const double w = Segments(tcb);
        m_queue = Whole(w / m_minRtt.GetSeconds() * delayS);
        // ns-3 divides whole numbers, and so takes any delay at all for congestion.
        const double limit = m_asNs3 ? 1 / m_phi : 1.0 / m_phi;
        if (m_queue <= m_maxQueue && delayS / m_baseRtt.GetSeconds() <= limit)
        {
            m_slowRounds = 0;
            if (++m_fastRounds > m_zeta)
            {
                m_renoWindow = 2;
                m_fastRounds = 0;
            }
            return;
        }
        double left = w;
        if (m_queue > m_maxQueue && w > m_renoWindow) // precautionary decongestion
        {
            left = std::max(w - std::min(m_queue, Whole(w / 2)), m_renoWindow);
            SetWindow(tcb, left);
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
        m_renoWindow = m_renoWindow <= 2 ? std::max(Whole(left / 2), 2.0) : m_renoWindow + 1;
        ++m_slowRounds;
    }

    /// What a loss takes from a window of w segments: Q, an eighth of it at least and half at most; half
    /// where Reno flows compete.
    double EndModeByLoss(double w)
    {
        const double half = std::max(Whole(w / 2), 2.0);
        const double kept = std::max(m_queue, Whole(w / 8));
        m_fastRounds = 0;
        m_renoWindow = std::max(Whole(m_renoWindow / 2), 2.0);
        return m_slowRounds < m_rho ? std::min(kept, half) : half;
    }

    // Attributes of the subclass
    uint32_t m_maxQueue{}; //!< Q_max, in segments
    uint32_t m_phi{};      //!< phi
    uint32_t m_rho{};      //!< rho, in round trips
    uint32_t m_zeta{};     //!< in round trips

  private:
    double m_queue{0};        //!< Q of the last round trip, in segments
    double m_renoWindow{2};   //!< count_reno, in segments
    uint32_t m_slowRounds{0}; //!< round trips in slow mode
    uint32_t m_fastRounds{0}; //!< round trips in fast mode, since a loss
};

} // namespace longfat

#endif
