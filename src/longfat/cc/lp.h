// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-LP (A. Kuzmanovic and E. W. Knightly, "TCP-LP: a distributed algorithm for low priority data
// transfer", INFOCOM 2003; section III).
//
// Standard TCP that gives way as soon as its own segments begin to wait. The one-way delay d is the
// difference of the timestamps of an ACK (RFC 7323); without timestamps it is standard TCP.
//
//     early congestion:  sd > d_min + 0.15 (d_max - d_min),  sd smoothed        (lp-delays.h)
//
// Its first indication halves the window and begins a time of inference, 3 round trips in which the
// window does not grow; another one within that time leaves one segment. Then it grows as before.
//
// The delays of before an indication would give the next one at once: as in Linux and ns-3, d_min
// begins anew at sd then, and d_max at 2 sd. The paper does not say.

/* catalogue
title = "TCP-LP"
type_id = "longfat::TcpLp"
source = "Kuzmanovic and Knightly 2003, section III"
caps_window = true
linux = "lp"
[parameters]
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_LP_H
#define LONGFAT_LP_H

#include "lp-delays.h"
#include "standard-or-ns3.h"

#include "ns3/simulator.h"

namespace longfat
{

class TcpLp : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpLp").SetParent<TcpStandardOrNs3>().AddConstructor<TcpLp>();
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpLp>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& rtt) override
    {
        const uint32_t delayMs = tcb->m_rcvTimestampValue - tcb->m_rcvTimestampEchoReply;
        if (delayMs > 0 && !rtt.IsZero())
        {
            m_delays.Measure(delayMs, m_asNs3);
        }
        const ns3::Time now = ns3::Simulator::Now();
        const ns3::Time sent = ns3::MilliSeconds(tcb->m_rcvTimestampEchoReply);
        if (now.GetMilliSeconds() > sent.GetMilliSeconds())
        {
            m_inference = 3 * (now - sent);
        }
        m_inferring = !m_lastCut.IsZero() && now - m_lastCut < m_inference;
        // Recovery has the window to itself; ns-3 cuts it there too.
        const bool mayCut = m_asNs3 || tcb->m_congState == State::CA_OPEN;
        if (mayCut && m_delays.IsEarlyCongestion(m_asNs3))
        {
            Cut(tcb);
        }
    }

    /// ns-3 goes on with slow start in the time of inference.
    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_asNs3 || !m_inferring)
        {
            TcpStandardOrNs3::IncreaseWindow(tcb, segmentsAcked);
        }
    }

  protected:
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_inferring)
        {
            TcpStandardOrNs3::CongestionAvoidance(tcb, segmentsAcked);
        }
    }

  private:
    void Cut(Tcb tcb)
    {
        m_delays.BeginAnew(m_asNs3);
        const uint32_t half = tcb->m_cWnd.Get() / 2;
        tcb->m_cWnd = m_inferring ? tcb->m_segmentSize : std::max(half, tcb->m_segmentSize);
        m_lastCut = ns3::Simulator::Now();
        if (!m_asNs3) // it "enters the additive-increase phase"; ns-3 may return to slow start
        {
            m_inferring = true;
            tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get(), tcb->m_cWnd.Get());
        }
    }

    LpDelays m_delays;       //!< sd, d_min and d_max
    ns3::Time m_lastCut;     //!< 0: never
    ns3::Time m_inference;   //!< how long the time of inference is
    bool m_inferring{false}; //!< it is not over
};

NS_OBJECT_ENSURE_REGISTERED(TcpLp);

} // namespace longfat

#endif
