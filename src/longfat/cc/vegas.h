// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Vegas (L. S. Brakmo and L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a
// global Internet", IEEE JSAC 13(8), 1995).
//
// Once a round trip, the segments that wait in queues are estimated from the rate that the window
// would give without queues and the rate that there is (section 3.2):
//
//     diff = (w / baseRTT - w / RTT) baseRTT = w (1 - baseRTT / RTT)
//
// In congestion avoidance diff < alpha adds a segment to the window, diff > beta takes one away.
// Slow start doubles the window every other round trip only, and ends when diff > gamma (section
// 3.3).
//
// The paper does not say what a loss takes from the window; its authors' code, of which ns-2 has a
// port, takes a quarter of it where duplicate ACKs reveal the loss, and half at a timeout. What ns-3 does
// otherwise is in vegas-ns3.h.

/* catalogue
title = "TCP Vegas"
type_id = "longfat::TcpVegas"
source = "Brakmo and Peterson 1995"
caps_window = true
linux = "vegas"
[parameters]
alpha_segments = {attribute = "Alpha"}
beta_segments = {attribute = "Beta"}
gamma_segments = {attribute = "Gamma"}
decrease = {attribute = "Decrease"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_VEGAS_H
#define LONGFAT_VEGAS_H

#include "attributes.h"
#include "vegas-ns3.h"

namespace longfat
{

class TcpVegas : public TcpVegasNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpVegas, TcpVegasNs3>("longfat::TcpVegas")
                                     .AddAttribute("Alpha",
                                                   "in queues: fewer, and it grows",
                                                   Number(&TcpVegas::m_alpha, 2u, 0u, 1000000u))
                                     .AddAttribute("Beta",
                                                   "in queues: more, and it shrinks",
                                                   Number(&TcpVegas::m_beta, 4u, 0u, 1000000u))
                                     .AddAttribute("Gamma",
                                                   "in queues: more end slow start",
                                                   Number(&TcpVegas::m_gamma, 1u, 0u, 1000000u))
                                     .AddAttribute("Decrease",
                                                   "what a loss takes; Linux: 0.5",
                                                   Number(&TcpVegas::m_decrease, 0.25, 0.0, 1.0));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpVegas>(this);
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        TcpVegasNs3::CongestionStateSet(tcb, state);
        if (state == State::CA_OPEN)
        {
            StartRound(tcb);
        }
    }

    /// What duplicate ACKs reveal takes a quarter, a timeout half.
    double GetDecrease(double /* w */) const override
    {
        return m_state == State::CA_RECOVERY ? m_decrease : 0.5;
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!IsOpen(tcb))
        {
            TcpVegasNs3::IncreaseWindow(tcb, segmentsAcked); // slow start after a timeout
        }
        else if (IsRoundOver(tcb))
        {
            m_doubles = !m_doubles;
            if (m_samples <= 2) // perhaps all of delayed ACKs
            {
                TcpVegasNs3::IncreaseWindow(tcb, segmentsAcked);
            }
            else if (m_asNs3)
            {
                EndRoundAsNs3(tcb, segmentsAcked, m_alpha, m_beta, m_gamma);
            }
            else
            {
                EndRound(tcb, segmentsAcked);
            }
            StartRound(tcb);
        }
        else if (IsInSlowStart(tcb) && (m_doubles || m_asNs3))
        {
            SlowStart(tcb, segmentsAcked);
        }
    }

  private:
    /// Sections 3.2 and 3.3. Where slow start ends, the window becomes what the pipe holds, as in
    /// Linux and ns-3; the paper lets it be.
    void EndRound(Tcb tcb, uint32_t segmentsAcked)
    {
        const double w = GetWindow(tcb);
        const double target = w * (m_baseRtt.GetSeconds() / m_minRtt.GetSeconds());
        const double diff = w - target;
        if (IsInSlowStart(tcb) && diff <= m_gamma)
        {
            if (m_doubles)
            {
                SlowStart(tcb, segmentsAcked);
            }
        }
        else if (IsInSlowStart(tcb) || diff > m_beta)
        {
            const double lower = IsInSlowStart(tcb) ? std::min(w, target + 1) : w - 1;
            SetWindow(tcb, std::max(lower, 2.0));
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
        else if (diff < m_alpha)
        {
            Grow(tcb, 1);
        }
    }

    uint32_t m_alpha{};   //!< in segments
    uint32_t m_beta{};    //!< in segments
    uint32_t m_gamma{};   //!< in segments
    double m_decrease{};  //!< what a loss takes
    bool m_doubles{true}; //!< slow start grows in this round
};

NS_OBJECT_ENSURE_REGISTERED(TcpVegas);

} // namespace longfat

#endif
