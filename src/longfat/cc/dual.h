// SPDX-License-Identifier: GPL-2.0-only
//
// DUAL (Z. Wang and J. Crowcroft, "Eliminating periodic packet losses in the 4.3-Tahoe BSD TCP
// congestion control algorithm", ACM CCR 22(2), 1992; paper: ucc, table 1).
//
// Standard TCP that asks every second round trip whether the queue is more than half as long as the
// longest that it has seen:
//
//     w <- 7/8 w   if RTT > (RTT_min + RTT_max) / 2
//
// Assumed: RTT is the mean of the round; what is left ends slow start; a loss halves the window.

/* catalogue
title = "DUAL"
type_id = "longfat::TcpDual"
source = "Wang and Crowcroft 1992; paper ucc, table 1"
caps_window = true
[parameters]
decrease = {attribute = "Decrease"}
*/

#ifndef LONGFAT_DUAL_H
#define LONGFAT_DUAL_H

#include "round-trips.h"

namespace longfat
{

class TcpDual : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpDual")
                .SetParent<TcpRoundTrips>()
                .AddConstructor<TcpDual>()
                .AddAttribute("Decrease",
                              "what is left of the window beyond the middle of the delays",
                              ns3::DoubleValue(0.875),
                              ns3::MakeDoubleAccessor(&TcpDual::m_decrease),
                              ns3::MakeDoubleChecker<double>(0.01, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpDual>(this);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsRoundOver(tcb) && m_samples > 0)
        {
            const ns3::Time rtt = m_sumOfRtts / m_samples;
            StartRound(tcb);
            m_asks = !m_asks;
            if (m_asks && rtt > (m_baseRtt + m_maxRtt) / 2)
            {
                SetWindow(tcb, std::max(2.0, m_decrease * GetWindow(tcb)));
                tcb->m_ssThresh = tcb->m_cWnd.Get();
                return;
            }
        }
        TcpRoundTrips::IncreaseWindow(tcb, segmentsAcked);
    }

  private:
    double m_decrease{}; //!< 7/8
    bool m_asks{true};   //!< in this round: every second one
};

NS_OBJECT_ENSURE_REGISTERED(TcpDual);

} // namespace longfat

#endif
