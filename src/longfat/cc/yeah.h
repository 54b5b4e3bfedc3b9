// SPDX-License-Identifier: GPL-2.0-only
//
// YeAH-TCP (A. Baiocchi, A. P. Castellani and F. Vacirca, "YeAH-TCP: yet another highspeed TCP",
// PFLDnet 2007; section II). Once a round trip, from the segments Q that it has in queues and from how
// congested the path is (yeah-modes.h), it chooses between
//
//     fast mode     grows as Scalable TCP
//     slow mode     grows as Reno; too many segments in queues are taken from the window
//
// A loss takes Q segments, an eighth of the window at least and half at most; where Reno flows compete,
// half of it.

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

#include "attributes.h"
#include "yeah-modes.h"

namespace longfat
{

class TcpYeah : public TcpYeahModes
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpYeah, TcpYeahModes>("longfat::TcpYeah")
                                     .AddAttribute("Alpha",
                                                   "Q_max, own segments in queues",
                                                   Number(&TcpYeah::m_maxQueue, 80u, 0u, 1000000u))
                                     .AddAttribute("Phy",
                                                   "phi: base round trip by allowed queueing delay",
                                                   Number(&TcpYeah::m_phi, 8u, 1u, 1000000u))
                                     .AddAttribute("Rho",
                                                   "rho: then Reno flows compete",
                                                   Number(&TcpYeah::m_rho, 16u, 0u, 1000000u))
                                     .AddAttribute("Zeta",
                                                   "then none compete any more",
                                                   Number(&TcpYeah::m_zeta, 50u, 0u, 1000000u))
                                     .AddAttribute("StcpAiFactor",
                                                   "of fast mode",
                                                   Number(&TcpYeah::m_acks, 100u, 1u, 1000000u));
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
        return IsFast() ? std::max(1.0, w / m_acks) : 1;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const double w = m_asNs3 ? bytesInFlight / tcb->m_segmentSize : GetWindow(tcb);
        const double reduction = EndModeByLoss(w);
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
        else if (m_asNs3 && IsFast())
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
    uint32_t m_acks{};     //!< that add a segment in fast mode
    uint32_t m_counted{0}; //!< ns-3's count of ACKs
};

NS_OBJECT_ENSURE_REGISTERED(TcpYeah);

} // namespace longfat

#endif
