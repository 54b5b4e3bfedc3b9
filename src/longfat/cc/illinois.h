// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Illinois (S. Liu, T. Basar and R. Srikant, "TCP-Illinois: a loss- and delay-based congestion
// control algorithm for high-speed networks", Performance Evaluation 65, 2008; section 3).
//
// AIMD whose alpha (segments a round trip) and beta (the part that a loss takes) follow from the
// mean queueing delay d_a of a round trip, with d_m the largest, d_1 = d_m / 100, d_2 = d_m / 10
// and d_3 = 8 d_m / 10:
//
//     alpha = alpha_max up to d_1; then falls as k_1 / (k_2 + d_a), to alpha_min at d_m
//     beta  = beta_min up to d_2; then rises linearly, to beta_max at d_3
//
// Once d_a was above d_1, alpha is alpha_max again only after d_a has stayed below it for theta
// round trips. Below a window of W_thresh it is standard TCP.
//
// Linux 6.12 (tcp_illinois.c) grows by what an ACK acknowledges cumulatively, so that the one which
// ends a recovery counts all segments that SACK had reported before, adds alpha for each of the
// segments counted since the window grew last, and takes whole segments, rounded down, at a loss.
// AsLinux does these three.

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

#include "round-trips.h"

namespace longfat
{

class TcpIllinois : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpIllinois")
                .SetParent<TcpRoundTrips>()
                .AddConstructor<TcpIllinois>()
                .AddAttribute("AlphaMin",
                              "least increase, segments a round trip",
                              ns3::DoubleValue(0.3),
                              ns3::MakeDoubleAccessor(&TcpIllinois::m_alphaMin),
                              ns3::MakeDoubleChecker<double>(1e-3, 1e6))
                .AddAttribute("AlphaMax",
                              "most, segments a round trip",
                              ns3::DoubleValue(10),
                              ns3::MakeDoubleAccessor(&TcpIllinois::m_alphaMax),
                              ns3::MakeDoubleChecker<double>(1e-3, 1e6))
                .AddAttribute("BetaMin",
                              "smallest part that a loss takes",
                              ns3::DoubleValue(0.125),
                              ns3::MakeDoubleAccessor(&TcpIllinois::m_betaMin),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("BetaMax",
                              "largest part that a loss takes",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpIllinois::m_betaMax),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("WinThresh",
                              "standard TCP below",
                              ns3::UintegerValue(15),
                              ns3::MakeUintegerAccessor(&TcpIllinois::m_threshold),
                              ns3::MakeUintegerChecker<uint32_t>(0, 1000000))
                .AddAttribute("Theta",
                              "round trips of small delay before alpha_max",
                              ns3::UintegerValue(5),
                              ns3::MakeUintegerAccessor(&TcpIllinois::m_theta),
                              ns3::MakeUintegerChecker<uint32_t>(1, 255))
                .AddAttribute("AsLinux",
                              "count as Linux 6.12 does what an ACK acknowledges",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpIllinois::m_asLinux),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpIllinois>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpRoundTrips::PktsAcked(tcb, segmentsAcked, rtt);
        m_acked = (tcb->m_lastAckedSeq - m_lastAcked) / tcb->m_segmentSize;
        m_lastAcked = tcb->m_lastAckedSeq;
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_LOSS)
        {
            m_alpha = 1;
            m_beta = 0.5;
            m_low = 0;
            m_above = false;
            StartRound(tcb);
        }
    }

    double GetIncrease(double /* w */) const override
    {
        return m_alpha;
    }

    double GetDecrease(double /* w */) const override
    {
        return m_beta;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (m_asLinux)
        {
            const uint32_t window = GetWindow(tcb);
            const uint32_t lost = window * m_beta;
            return std::max(window - lost, 2U) * tcb->m_segmentSize;
        }
        return m_asNs3 ? Part(tcb, bytesInFlight, 1 - m_beta)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsRoundOver(tcb))
        {
            // ns-3 compares bytes with segments, so that it is never standard TCP.
            UpdateParameters(m_asNs3 ? tcb->m_cWnd.Get() : GetWindow(tcb));
            StartRound(tcb);
        }
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (m_asNs3) // the count is whole: alpha below 1 adds nothing, of 1.9 it adds 1
        {
            m_count = static_cast<uint32_t>(m_count + segmentsAcked * m_alpha);
            AddCounted(tcb, m_count);
        }
        else if (m_asLinux)
        {
            AsLinux(tcb);
        }
        else
        {
            CongestionAvoidance(tcb, segmentsAcked); // alpha / w
        }
    }

  private:
    /// Linux 6.12 (tcp_illinois.c): whole segments, counted since the window grew last.
    void AsLinux(Tcb tcb)
    {
        if (!tcb->m_isCwndLimited)
        {
            return;
        }
        m_count += m_acked;
        m_acked = 1;
        const uint32_t window = GetWindow(tcb);
        const uint32_t delta = m_count * m_alpha;
        if (delta >= window)
        {
            SetWindow(tcb, window + delta / window);
            m_count = 0;
        }
    }

    void UpdateParameters(double w)
    {
        if (w < m_threshold)
        {
            m_alpha = 1;
            m_beta = 0.5;
        }
        else if (m_samples > 0)
        {
            const ns3::Time mean = ns3::TimeStep(m_sumOfRtts.GetTimeStep() / m_samples);
            const double largest = Delay(m_maxRtt - m_baseRtt);
            const double delay = Delay(mean - m_baseRtt);
            UpdateAlpha(delay, largest);
            const double d2 = largest / 10;
            const double d3 = 8 * largest / 10;
            const double slope = m_betaMax - m_betaMin;
            m_beta = delay <= d2  ? m_betaMin
                     : delay < d3 ? (m_betaMin * d3 - m_betaMax * d2 + slope * delay) / (d3 - d2)
                                  : m_betaMax;
        }
    }

    /// ns-3 takes whole milliseconds.
    double Delay(ns3::Time time) const
    {
        return m_asNs3 ? time.GetMilliSeconds() : time.GetSeconds();
    }

    void UpdateAlpha(double delay, double largest)
    {
        const double d1 = largest / 100;
        if (delay > d1)
        {
            m_above = true;
            m_low = m_asNs3 ? m_low : 0; // "stays below": ns-3 and Linux go on counting
            m_alpha = (largest - d1) * m_alphaMax /
                      (largest - d1 + (delay - d1) * (m_alphaMax - m_alphaMin) / m_alphaMin);
            return;
        }
        m_alpha = m_above ? m_alpha : m_alphaMax;
        if (++m_low >= m_theta)
        {
            m_low = 0;
            m_above = false;
            m_alpha = m_alphaMax;
        }
    }

    double m_alphaMin{};
    double m_alphaMax{};
    double m_betaMin{};
    double m_betaMax{};
    uint32_t m_threshold{}; //!< W_thresh, in segments
    uint32_t m_theta{};     //!< round trips
    double m_alpha{10};     //!< segments a round trip
    double m_beta{0.5};     //!< the part that a loss takes
    bool m_above{false};    //!< d_a has been above d_1
    uint8_t m_low{0};       //!< round trips that d_a has been below d_1
    uint32_t m_count{0};    //!< ns-3's count of ACKs times alpha; Linux's of segments
    bool m_asLinux{};       //!< count as Linux does
    uint32_t m_acked{0};    //!< segments that the last ACK acknowledges, reported before or not
    ns3::SequenceNumber32 m_lastAcked{0}; //!< highest byte acknowledged by the last ACK
};

NS_OBJECT_ENSURE_REGISTERED(TcpIllinois);

} // namespace longfat

#endif
