// SPDX-License-Identifier: GPL-2.0-only
//
// YeAH-TCP (A. Baiocchi, A. P. Castellani and F. Vacirca, "YeAH-TCP: yet another highspeed TCP",
// PFLDnet 2007; section II). Once a round trip, from the smallest of its round-trip times,
//
//     Q = w (RTT_min - RTT_base) / RTT_min     segments in queues
//     L = (RTT_min - RTT_base) / RTT_base      how congested the path is
//
//     fast mode, Q < Q_max and L < 1 / phi     grows as Scalable TCP
//     slow mode, else                          grows as Reno; Q > Q_max takes Q from the window,
//                                              half of it at most and not below count_reno, the
//                                              window that a competing Reno flow would have
//
// A loss takes Q segments, an eighth of the window at least and half at most; where Reno flows
// compete (slow mode for rho round trips), half of it.

/* catalogue
title = "YeAH TCP"
type_id = "longfat::TcpYeah"
source = "Baiocchi et al. 2007, section II"
caps_window = true
linux = "yeah"
[parameters]
max_queue_segments = {attribute = "Alpha"}
delay_divisor = {attribute = "Phy"}
slow_round_trips = {attribute = "Rho"}
fast_round_trips = {attribute = "Zeta"}
acks_per_segment = {attribute = "StcpAiFactor"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_YEAH_H
#define LONGFAT_YEAH_H

#include "round-trips.h"

namespace longfat
{

class TcpYeah : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpYeah")
                                     .SetParent<TcpRoundTrips>()
                                     .AddConstructor<TcpYeah>()
                                     .AddAttribute("Alpha",
                                                   "Q_max, own segments in queues",
                                                   ns3::UintegerValue(80),
                                                   ns3::MakeUintegerAccessor(&TcpYeah::m_maxQueue),
                                                   ns3::MakeUintegerChecker<uint32_t>(0, 1000000))
                                     .AddAttribute("Phy",
                                                   "phi: base round trip by allowed queueing delay",
                                                   ns3::UintegerValue(8),
                                                   ns3::MakeUintegerAccessor(&TcpYeah::m_phi),
                                                   ns3::MakeUintegerChecker<uint32_t>(1, 1000000))
                                     .AddAttribute("Rho",
                                                   "rho: then Reno flows compete",
                                                   ns3::UintegerValue(16),
                                                   ns3::MakeUintegerAccessor(&TcpYeah::m_rho),
                                                   ns3::MakeUintegerChecker<uint32_t>(0, 1000000))
                                     .AddAttribute("Zeta",
                                                   "then none compete any more",
                                                   ns3::UintegerValue(50),
                                                   ns3::MakeUintegerAccessor(&TcpYeah::m_zeta),
                                                   ns3::MakeUintegerChecker<uint32_t>(0, 1000000))
                                     .AddAttribute("StcpAiFactor",
                                                   "of fast mode",
                                                   ns3::UintegerValue(100),
                                                   ns3::MakeUintegerAccessor(&TcpYeah::m_acks),
                                                   ns3::MakeUintegerChecker<uint32_t>(1, 1000000));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpYeah>(this);
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_OPEN)
        {
            StartRound(tcb);
        }
    }

    /// Scalable TCP in fast mode, at least Reno's segment a round trip.
    double GetIncrease(double w) const override
    {
        return m_slowRounds > 0 ? 1 : std::max(1.0, w / m_acks);
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const double w = m_asNs3 ? bytesInFlight / tcb->m_segmentSize : GetWindow(tcb);
        const double half = std::max(Whole(w / 2), 2.0);
        const double kept = std::max(m_queue, Whole(w / 8));
        const double reduction = m_slowRounds < m_rho ? std::min(kept, half) : half;
        m_fastRounds = 0;
        m_renoWindow = std::max(Whole(m_renoWindow / 2), 2.0);
        // Two segments from less than two in flight is nearly 2^32 in ns-3.
        return m_asNs3 ? std::max(bytesInFlight - uint32_t(reduction) * tcb->m_segmentSize,
                                  2 * tcb->m_segmentSize)
                       : std::max(w - reduction, 2.0) * tcb->m_segmentSize;
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (m_asNs3 && m_slowRounds == 0)
        {
            const auto w = std::min(uint32_t(Segments(tcb)), 100U); // it never reads StcpAiFactor
            AddWholeSegments(tcb, CountAcks(m_counted, segmentsAcked, w));
        }
        else
        {
            CongestionAvoidance(tcb, segmentsAcked);
        }
        if (IsRoundOver(tcb))
        {
            if (m_samples > 2) // one of them is not of a delayed ACK
            {
                EndRound(tcb);
            }
            StartRound(tcb);
        }
    }

  private:
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

    uint32_t m_maxQueue{};    //!< Q_max, in segments
    uint32_t m_phi{};         //!< phi
    uint32_t m_rho{};         //!< rho, in round trips
    uint32_t m_zeta{};        //!< in round trips
    uint32_t m_acks{};        //!< that add a segment in fast mode
    double m_queue{0};        //!< Q of the last round trip, in segments
    double m_renoWindow{2};   //!< count_reno, in segments
    uint32_t m_slowRounds{0}; //!< round trips in slow mode
    uint32_t m_fastRounds{0}; //!< round trips in fast mode, since a loss
    uint32_t m_counted{0};    //!< ns-3's count of ACKs
};

NS_OBJECT_ENSURE_REGISTERED(TcpYeah);

} // namespace longfat

#endif
