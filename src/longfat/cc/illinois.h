// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Illinois (S. Liu, T. Basar and R. Srikant, "TCP-Illinois: a loss- and delay-based congestion
// control algorithm for high-speed networks", Performance Evaluation 65, 2008; section 3).
//
// AIMD whose alpha (segments a round trip) falls and whose beta (the part that a loss takes) rises with
// the mean queueing delay of a round trip, along the curves of illinois-curves.h; below a window of
// W_thresh it is standard TCP (illinois-rounds.h). What Linux counts otherwise is in illinois-linux.h.

/* catalogue
title = "TCP-Illinois"
type_id = "longfat::TcpIllinois"
source = "Liu, Basar and Srikant 2008, section 3"
caps_window = true
linux = "illinois"
[parameters]
alpha_min = {attribute = "AlphaMin", below = "alpha_max"}
alpha_max = {attribute = "AlphaMax"}
beta_min = {attribute = "BetaMin", below = "beta_max"}
beta_max = {attribute = "BetaMax"}
threshold_window_segments = {attribute = "WinThresh"}
theta = {attribute = "Theta"}
as_ns3_3_44 = {attribute = "AsNs3"}
as_linux_6_12 = {attribute = "AsLinux"}
*/

#ifndef LONGFAT_ILLINOIS_H
#define LONGFAT_ILLINOIS_H

#include "attributes.h"
#include "illinois-linux.h"
#include "illinois-rounds.h"

namespace longfat
{

class TcpIllinois : public TcpIllinoisRounds
{
    using Own = TcpIllinois;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<Own, TcpIllinoisRounds>("longfat::TcpIllinois")
                .AddAttribute("AlphaMin",
                              "least increase, segments a round trip",
                              Number(&Own::m_alphaMin, 0.3, 1e-3, 1e6))
                .AddAttribute("AlphaMax",
                              "most, segments a round trip",
                              Number(&Own::m_alphaMax, 10.0, 1e-3, 1e6))
                .AddAttribute("BetaMin",
                              "smallest part that a loss takes",
                              Number(&Own::m_betaMin, 0.125, 0.0, 1.0))
                .AddAttribute("BetaMax",
                              "largest part that a loss takes",
                              Number(&Own::m_betaMax, 0.5, 0.0, 1.0))
                .AddAttribute("WinThresh",
                              "standard TCP below",
                              Number(&Own::m_threshold, 15u, 0u, 1000000u))
                .AddAttribute("Theta",
                              "round trips of small delay before alpha_max",
                              Number(&Own::m_theta, 5u, 1u, 255u))
                .AddAttribute("AsLinux",
                              "count as Linux 6.12 does what an ACK acknowledges",
                              Switch(&Own::m_asLinux, false));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpIllinois>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpIllinoisRounds::PktsAcked(tcb, segmentsAcked, rtt);
        m_linux.OnAck(tcb);
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (m_asLinux)
        {
            return IllinoisLinux::Decrease(GetWindow(tcb), m_curves.beta) * tcb->m_segmentSize;
        }
        return m_asNs3 ? Part(tcb, bytesInFlight, 1 - m_curves.beta)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsRoundOver(tcb))
        {
            EndRound(tcb);
        }
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (m_asNs3) // the count is whole: alpha below 1 adds nothing, of 1.9 it adds 1
        {
            m_count = static_cast<uint32_t>(m_count + segmentsAcked * m_curves.alpha);
            AddCounted(tcb, m_count);
        }
        else if (!m_asLinux)
        {
            CongestionAvoidance(tcb, segmentsAcked); // alpha / w
        }
        else if (tcb->m_isCwndLimited)
        {
            const uint32_t window = GetWindow(tcb);
            if (const uint32_t more = m_linux.Increase(window, m_curves.alpha))
            {
                SetWindow(tcb, window + more);
            }
        }
    }

  private:
    bool m_asLinux{}; //!< count as Linux does
    IllinoisLinux m_linux;
    uint32_t m_count{0}; //!< ns-3's count of ACKs times alpha
};

NS_OBJECT_ENSURE_REGISTERED(TcpIllinois);

} // namespace longfat

#endif
