// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Veno (C. P. Fu and S. C. Liew, "TCP Veno: TCP enhancement for transmission over wireless
// access networks", IEEE JSAC 21(2), 2003; section II). Segments in queues, from the smoothed round
// trip and the smallest since the last loss:
//
//     N = w (1 - baseRTT / RTT)
//
//     N < beta   (not congested)  an ACK adds 1 / w;            a loss takes a fifth of the window
//     N >= beta  (congested)      every other ACK adds 1 / w;   a loss takes half of it

/* catalogue
title = "TCP Veno"
type_id = "longfat::TcpVeno"
source = "Fu and Liew 2003"
caps_window = true
linux = "veno"
[parameters]
beta_segments = {attribute = "Beta"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_VENO_H
#define LONGFAT_VENO_H

#include "round-trips.h"

namespace longfat
{

class TcpVeno : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpVeno")
                                     .SetParent<TcpRoundTrips>()
                                     .AddConstructor<TcpVeno>()
                                     .AddAttribute("Beta",
                                                   "in queues: from here on, congested",
                                                   ns3::UintegerValue(3),
                                                   ns3::MakeUintegerAccessor(&TcpVeno::m_beta),
                                                   ns3::MakeUintegerChecker<uint32_t>(0, 1000000));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpVeno>(this);
    }

    /// A loss also begins the search for baseRTT anew (section II); ns-3 keeps it.
    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        TcpRoundTrips::CongestionStateSet(tcb, state);
        if (m_asNs3)
        {
            m_minRtt = IsOpen(tcb) ? ns3::Time::Max() : m_minRtt;
        }
        else if (state >= State::CA_RECOVERY)
        {
            m_baseRtt = ns3::Time::Max();
        }
    }

    double GetDecrease(double /* w */) const override
    {
        return m_backlog < m_beta ? 0.2 : 0.5;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (m_asNs3 && m_backlog < m_beta)
        {
            return std::max(static_cast<uint32_t>(bytesInFlight * 0.8), 2 * tcb->m_segmentSize);
        }
        return TcpRoundTrips::GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        const double w = Segments(tcb);
        // ns-3 takes the smallest since the last ACK that advanced; without one, Time::Max().
        const ns3::Time rtt = m_asNs3 ? m_minRtt : tcb->m_srtt.Get();
        m_backlog = w - Whole(w * (m_baseRtt.GetSeconds() / rtt.GetSeconds())); // N
        if (!IsOpen(tcb))
        {
            TcpRoundTrips::IncreaseWindow(tcb, segmentsAcked); // slow start after a timeout
            return;
        }
        // ns-3 wants three samples since the last ACK that advanced, and so is mostly NewReno.
        if (IsInSlowStart(tcb) || (m_asNs3 && m_samples <= 2))
        {
            IncreaseAsReno(tcb, segmentsAcked);
        }
        else if (m_backlog < m_beta)
        {
            CongestionAvoidance(tcb, segmentsAcked);
        }
        else
        {
            if (m_grows)
            {
                CongestionAvoidance(tcb, segmentsAcked);
            }
            m_grows = !m_grows;
        }
        m_samples = 0;
        m_minRtt = ns3::Time::Max();
    }

  private:
    void IncreaseAsReno(Tcb tcb, uint32_t segmentsAcked)
    {
        if (m_asNs3 && m_samples > 2)
        {
            SlowStart(tcb, segmentsAcked); // alone, also where it passes the threshold
        }
        else
        {
            TcpRoundTrips::IncreaseWindow(tcb, segmentsAcked);
        }
    }

    uint32_t m_beta{};   //!< in segments
    double m_backlog{0}; //!< N, in segments
    bool m_grows{true};  //!< the next ACK adds to the window of a congested path
};

NS_OBJECT_ENSURE_REGISTERED(TcpVeno);

} // namespace longfat

#endif
