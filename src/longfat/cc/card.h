// SPDX-License-Identifier: GPL-2.0-only
//
// CARD, Congestion Avoidance using Round-trip Delay (R. Jain, "A delay-based approach for congestion
// avoidance in interconnected heterogeneous computer networks", ACM CCR 19(5), 1989; paper: ucc,
// table 1).
//
// Once a round trip, with w the window and t the round trip of this decision, and w', t' those of the
// decision before, the normalised delay gradient is
//
//     NDG = ((t - t') / (t + t')) / ((w - w') / (w + w'))
//
//     w <- 7/8 w   if NDG > 0,   else   w <- w + 1
//
// The paper ucc prints the numerator alone; since the window changes at every decision, both have
// the same sign where the delay follows the window. With NDG the window swings around the one that
// is best by the gradient, and never learns how long a queue is.
//
// Assumed, for Jain says nothing of it: t is the smallest of a round, so that the sender does not take
// its own bursts for a queue; slow start is TCP's and ends at the first gradient above 0; a loss halves
// the window.

/* catalogue
title = "CARD"
type_id = "longfat::TcpCard"
source = "Jain 1989; paper ucc, table 1"
caps_window = true
[parameters]
decrease = {attribute = "Decrease"}
*/

#ifndef LONGFAT_CARD_H
#define LONGFAT_CARD_H

#include "attributes.h"
#include "round-trips.h"

namespace longfat
{

class TcpCard : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpCard, TcpRoundTrips>("longfat::TcpCard")
                .AddAttribute("Decrease",
                              "what is left of the window where the delay grows with it",
                              Number(&TcpCard::m_decrease, 0.875, 0.01, 1.0));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCard>(this);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsRoundOver(tcb) && m_samples > 0)
        {
            const double rtt = m_minRtt.GetSeconds();
            StartRound(tcb);
            if (Decide(tcb, rtt))
            {
                return;
            }
        }
        else if (!IsInSlowStart(tcb))
        {
            return; // one decision a round trip
        }
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, segmentsAcked);
        }
        else
        {
            Grow(tcb, 1);
        }
    }

  private:
    /// Judge the round that is over; return whether the window was lowered.
    bool Decide(Tcb tcb, double rtt)
    {
        const double w = GetWindow(tcb);
        const bool rising = m_lastRtt > 0 && (rtt - m_lastRtt) * (w - m_lastWindow) > 0;
        m_lastRtt = rtt;
        m_lastWindow = w;
        if (rising)
        {
            SetWindow(tcb, std::max(2.0, m_decrease * w));
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
        return rising;
    }

    double m_decrease{};    //!< 7/8
    double m_lastRtt{0};    //!< t', in s; 0: no decision yet
    double m_lastWindow{0}; //!< w', in segments
};

NS_OBJECT_ENSURE_REGISTERED(TcpCard);

} // namespace longfat

#endif
