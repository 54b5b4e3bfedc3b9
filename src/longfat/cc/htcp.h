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
// and whose window after a loss is what just empties the queue, beta w with beta = RTT_min / RTT_max
// between 0.5 and 0.8 (RTT_max since the last loss). It is 0.5 where the throughput before this loss
// differs from that before the last one by more than a fifth: the flows' shares are still changing.

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

#include "round-trips.h"

#include "ns3/simulator.h"

namespace longfat
{

class TcpHtcp : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHtcp")
                .SetParent<TcpRoundTrips>()
                .AddConstructor<TcpHtcp>()
                .AddAttribute("DefaultBackoff",
                              "beta while shares change",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpHtcp::m_defaultBackoff),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("ThroughputRatio",
                              "change above which they do",
                              ns3::DoubleValue(0.2),
                              ns3::MakeDoubleAccessor(&TcpHtcp::m_ratio),
                              ns3::MakeDoubleChecker<double>(0, 1000))
                .AddAttribute("DeltaL",
                              "Delta_L: standard TCP up to here",
                              ns3::TimeValue(ns3::Seconds(1)),
                              ns3::MakeTimeAccessor(&TcpHtcp::m_deltaL),
                              ns3::MakeTimeChecker(ns3::Seconds(0), ns3::Seconds(1000)));
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

    double GetDecrease(double /* w */) const override
    {
        return 1 - m_beta;
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpRoundTrips::PktsAcked(tcb, segmentsAcked, rtt);
        if (m_asNs3)
        {
            m_delivered +=
                tcb->m_congState == State::CA_OPEN ? segmentsAcked * tcb->m_segmentSize : 0;
            const double s = ns3::Simulator::Now().GetSeconds() - m_lastLoss.GetSeconds();
            // 0 / 0 where the loss was just now
            m_throughput = s > 0 ? static_cast<uint32_t>(static_cast<int64_t>(m_delivered / s)) : 0;
        }
        UpdateAlpha();
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (!m_asNs3)
        {
            m_throughput = GetWindow(tcb) / tcb->m_srtt.Get().GetSeconds();
        }
        m_lastLoss = ns3::Simulator::Now();
        m_beta = m_defaultBackoff;
        if (m_lastThroughput > 0 && IsSteady())
        {
            const ns3::Time smallest = m_asNs3 ? m_minRtt : m_baseRtt;
            m_beta = double(smallest.GetTimeStep()) / double(m_maxRtt.GetTimeStep());
            m_beta = m_asNs3 ? m_beta : std::clamp(m_beta, 0.5, 0.8); // the draft's bounds
        }
        UpdateAlpha();
        m_minRtt = ns3::Time::Max();
        m_maxRtt = ns3::Time(0);
        m_lastThroughput = m_throughput;
        m_throughput = 0;
        m_delivered = 0;
        return m_asNs3
                   ? std::max(2 * tcb->m_segmentSize, static_cast<uint32_t>(bytesInFlight * m_beta))
                   : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    /// alpha is in segments; ns-3 adds as many bytes to Reno's increment of an ACK.
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpRoundTrips::CongestionAvoidance(tcb, segmentsAcked);
        }
        else if (segmentsAcked > 0)
        {
            const uint32_t square = tcb->m_segmentSize * tcb->m_segmentSize;
            const uint32_t w = tcb->m_cWnd.Get();
            AddBytes(tcb, static_cast<uint32_t>(std::max(1.0, (square + w * m_alpha) / w)));
        }
    }

  private:
    /// Has the throughput changed by a fifth at most? ns-3 divides whole numbers, which lets it
    /// nearly double, and does not take a fall for steady.
    bool IsSteady() const
    {
        const double change = m_throughput - m_lastThroughput;
        return m_asNs3 ? change > 0 && std::floor(change / m_lastThroughput) <= m_ratio
                       : std::abs(change) <= m_ratio * m_lastThroughput;
    }

    void UpdateAlpha()
    {
        const double late = (ns3::Simulator::Now() - m_lastLoss - m_deltaL).GetSeconds();
        m_alpha = late <= 0 ? 1 : 1 + 10 * late + 0.25 * (late * late);
        m_alpha = std::max(1.0, 2 * (1 - m_beta) * m_alpha);
    }

    double m_defaultBackoff{};  //!< beta while shares change
    double m_ratio{};           //!< change of throughput above which they do
    ns3::Time m_deltaL{};       //!< Delta_L
    ns3::Time m_lastLoss;       //!< when it was
    bool m_started{false};      //!< the connection is made
    double m_alpha{1};          //!< segments a round trip
    double m_beta{0.5};         //!< what a loss leaves
    double m_throughput{0};     //!< before this loss, segments/s; in ns-3 bytes/s since the last
    double m_lastThroughput{0}; //!< before the last loss
    uint32_t m_delivered{0};    //!< ns-3's bytes since the last loss
};

NS_OBJECT_ENSURE_REGISTERED(TcpHtcp);

} // namespace longfat

#endif
