// SPDX-License-Identifier: GPL-2.0-only
//
// BIC TCP (L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast
// long-distance networks", INFOCOM 2004; section III). The window grows by a search for W_max, the
// window at which the last loss was (bic-search.h).
//
// Below the low window it is standard TCP. A loss leaves beta w, and W_max is w; where w had not
// come up to W_max again (fast convergence) W_max is w (1 + beta) / 2, midway to what is left. What
// ns-3 does otherwise is in bic-ns3.h.

/* catalogue
title = "BIC"
type_id = "longfat::TcpBic"
source = "Xu, Harfoush and Rhee 2004, section III"
caps_window = true
linux = "bic"
[parameters]
fast_convergence = {attribute = "FastConvergence"}
beta = {attribute = "Beta"}
max_increase_segments = {attribute = "MaxIncr"}
low_window_segments = {attribute = "LowWnd"}
smooth_part = {attribute = "SmoothPart"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_BIC_H
#define LONGFAT_BIC_H

#include "attributes.h"
#include "bic-ns3.h"
#include "bic-search.h"

namespace longfat
{

class TcpBic : public TcpBicNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpBic, TcpBicNs3>("longfat::TcpBic")
                .AddAttribute("FastConvergence",
                              "give way to new flows",
                              Switch(&TcpBic::m_fastConvergence, true))
                .AddAttribute("Beta",
                              "what a loss leaves of the window",
                              Number(&TcpBic::m_beta, 0.8, 0.0, 1.0))
                .AddAttribute("MaxIncr",
                              "S_max, a round trip",
                              Number(&TcpBic::m_maxIncrease, 16u, 1u, 1000000u))
                .AddAttribute("LowWnd",
                              "standard TCP below",
                              Number(&TcpBic::m_lowWindow, 14u, 0u, 1000000u))
                .AddAttribute("SmoothPart",
                              "round trips of the slow part; Linux: 20",
                              Number(&TcpBic::m_smoothPart, 5u, 1u, 1000000u));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpBic>(this);
    }

    double GetIncrease(double w) const override
    {
        return w / GetAcks(w);
    }

    double GetDecrease(double w) const override
    {
        return w < m_lowWindow ? 0.5 : 1 - m_beta;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const double w = Segments(tcb);
        // ns-3 forgets to halve: it takes beta w.
        const double lower = m_asNs3 ? std::floor(m_beta * w) : w * (1 + m_beta) / 2;
        m_search.OnLoss(w, m_fastConvergence ? lower : w);
        if (m_asNs3 && w >= m_lowWindow)
        {
            return static_cast<uint32_t>(std::max(w * m_beta, 2.0) * tcb->m_segmentSize);
        }
        return TcpStandardOrNs3::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    double GetAcks(double w) const override
    {
        return m_search.GetAcks(w, {m_maxIncrease, m_lowWindow, m_smoothPart, m_asNs3});
    }

  private:
    bool m_fastConvergence{};
    double m_beta{};          //!< what a loss leaves
    uint32_t m_maxIncrease{}; //!< S_max, in segments
    uint32_t m_lowWindow{};   //!< in segments
    uint32_t m_smoothPart{};  //!< round trips
    BicSearch m_search;       //!< for W_max
};

NS_OBJECT_ENSURE_REGISTERED(TcpBic);

} // namespace longfat

#endif
