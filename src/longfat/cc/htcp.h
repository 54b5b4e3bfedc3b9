// SPDX-License-Identifier: GPL-2.0-only
//
// H-TCP (D. Leith and R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet
// 2004; draft-leith-tcp-htcp-06).
//
// AIMD whose increase, in segments a round trip, grows with the time Delta since the last loss,
//
//     alpha = 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2,   1 up to Delta_L
//     alpha <- 2 (1 - beta) alpha, at least 1
//
// and whose window after a loss is what just empties the queue, beta w (htcp-backoff.h). What ns-3 does
// otherwise is in htcp-ns3.h.

/* catalogue
title = "H-TCP"
type_id = "longfat::TcpHtcp"
source = "Leith and Shorten 2004"
caps_window = true
linux = "htcp"
[parameters]
default_backoff = {attribute = "DefaultBackoff"}
throughput_ratio = {attribute = "ThroughputRatio"}
low_speed_s = {attribute = "DeltaL"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_HTCP_H
#define LONGFAT_HTCP_H

#include "attributes.h"
#include "htcp-backoff.h"
#include "htcp-ns3.h"

#include "ns3/simulator.h"

namespace longfat
{

class TcpHtcp : public TcpHtcpBackoff
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpHtcp, TcpHtcpBackoff>("longfat::TcpHtcp")
                .AddAttribute("DefaultBackoff",
                              "beta while shares change",
                              Number(&TcpHtcp::m_defaultBackoff, 0.5, 0.0, 1.0))
                .AddAttribute("ThroughputRatio",
                              "change above which they do",
                              Number(&TcpHtcp::m_ratio, 0.2, 0.0, 1000.0))
                .AddAttribute("DeltaL",
                              "Delta_L: standard TCP up to here",
                              Number(&TcpHtcp::m_deltaL,
                                     ns3::Seconds(1),
                                     ns3::Seconds(0),
                                     ns3::Seconds(1000)));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHtcp>(this);
    }

    /// The time without a loss begins with the connection; in ns-3 with the simulation.
    void CongestionStateSet(Tcb /* tcb */, const State::TcpCongState_t /* state */) override
    {
        if (!m_started)
        {
            m_started = true;
            m_beta = m_asNs3 ? 0 : m_defaultBackoff;
            m_lastLoss = m_asNs3 ? m_lastLoss : ns3::Simulator::Now();
        }
    }

    double GetIncrease(double /* w */) const override
    {
        return m_alpha;
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpHtcpBackoff::PktsAcked(tcb, segmentsAcked, rtt);
        if (m_asNs3)
        {
            m_ns3.OnAck(tcb, segmentsAcked, m_lastLoss);
        }
        UpdateAlpha();
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const double throughput =
            m_asNs3 ? m_ns3.TakeThroughput() : GetWindow(tcb) / tcb->m_srtt.Get().GetSeconds();
        AdaptBackoff(throughput);
        m_lastLoss = ns3::Simulator::Now();
        UpdateAlpha();
        return m_asNs3 ? HtcpNs3::Threshold(tcb, bytesInFlight, m_beta)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpHtcpBackoff::CongestionAvoidance(tcb, segmentsAcked);
        }
        else if (segmentsAcked > 0)
        {
            AddBytes(tcb, HtcpNs3::Increment(tcb, m_alpha));
        }
    }

  private:
    void UpdateAlpha()
    {
        const double late = (ns3::Simulator::Now() - m_lastLoss - m_deltaL).GetSeconds();
        m_alpha = late <= 0 ? 1 : 1 + 10 * late + 0.25 * (late * late);
        m_alpha = std::max(1.0, 2 * (1 - m_beta) * m_alpha);
    }

    ns3::Time m_deltaL{};  //!< Delta_L
    ns3::Time m_lastLoss;  //!< when it was
    bool m_started{false}; //!< the connection is made
    double m_alpha{1};     //!< segments a round trip
    HtcpNs3 m_ns3;
};

NS_OBJECT_ENSURE_REGISTERED(TcpHtcp);

} // namespace longfat

#endif
