// SPDX-License-Identifier: GPL-2.0-only
//
// CDG, CAIA Delay-Gradient (D. A. Hayes and G. Armitage, "Revisiting TCP congestion control using
// delay gradients", IFIP Networking 2011; paper: ucc, table 1).
//
// Once a round trip the smallest and the largest RTT of the round are compared with those of the
// round before. Each gradient g, smoothed over a rounds, is a sign of a growing queue, whatever the
// queue's length: with the greater chance of both and a random number X from [0, 1],
//
//     g <- g + (g_n - g_(n-a)) / a
//     w <- beta w   if X < 1 - exp(-g / G),   else   w <- w + 1
//
// The round after a back-off decides nothing: its gradient is the back-off's own doing. After b in vain,
// without a falling delay, others hold the queue: the next b are left out, unless it falls.
//
// A shadow window s remembers what a loss-based sender would have (as in chd.h). The queue is full where
// the smallest RTT still rises and the largest does not. A loss that duplicate ACKs reveal takes half of
// max(w, s) then; else it is taken for the link's (loss tolerance) and takes nothing. Slow start is TCP's.

/* catalogue
name = "cdg-hayes"
title = "CAIA Delay-Gradient (CDG) by its paper"
type_id = "longfat::TcpCdg"
source = "Hayes and Armitage 2011; paper ucc, table 1"
caps_window = true
[parameters]
smoothing_rounds = {attribute = "Smoothing"}
scale_s = {attribute = "Scale"}
decrease = {attribute = "Decrease"}
ineffectual = {attribute = "Ineffectual"}
tolerates_loss = {attribute = "TolerateLoss"}
*/

#ifndef LONGFAT_CDG_H
#define LONGFAT_CDG_H

#include "delay-gradients.h"
#include "round-trips.h"

namespace longfat
{

class TcpCdg : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCdg")
                .SetParent<TcpRoundTrips>()
                .AddConstructor<TcpCdg>()
                .AddAttribute("Smoothing",
                              "a, over which gradients are averaged",
                              ns3::UintegerValue(8),
                              ns3::MakeUintegerAccessor(&TcpCdg::m_smoothing),
                              ns3::MakeUintegerChecker<uint32_t>(1, 256))
                .AddAttribute("Scale",
                              "G, the gradient of a round trip at which 63 % back off",
                              ns3::TimeValue(ns3::MilliSeconds(3)),
                              ns3::MakeTimeAccessor(&TcpCdg::m_scale),
                              ns3::MakeTimeChecker(ns3::NanoSeconds(1), ns3::Seconds(10)))
                .AddAttribute("Decrease",
                              "beta, what a back-off leaves of the window",
                              ns3::DoubleValue(0.7),
                              ns3::MakeDoubleAccessor(&TcpCdg::m_decrease),
                              ns3::MakeDoubleChecker<double>(0.01, 1))
                .AddAttribute("Ineffectual",
                              "b, back-offs without effect before it holds still; 0: never",
                              ns3::UintegerValue(5),
                              ns3::MakeUintegerAccessor(&TcpCdg::m_ineffectual),
                              ns3::MakeUintegerChecker<uint32_t>(0, 1000))
                .AddAttribute("TolerateLoss",
                              "a loss without a full queue takes nothing",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCdg::m_tolerateLoss),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCdg>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpRoundTrips::PktsAcked(tcb, segmentsAcked, rtt);
        m_largestRtt = std::max(m_largestRtt, tcb->m_lastRtt.Get());
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (IsRoundOver(tcb) && m_samples > 0)
        {
            const bool backsOff = EndRound();
            StartRound(tcb);
            m_largestRtt = ns3::Time(0);
            if (backsOff)
            {
                m_shadow = std::max(m_shadow, GetWindow(tcb));
                SetWindow(tcb, std::max(2.0, m_decrease * GetWindow(tcb)));
                tcb->m_ssThresh = tcb->m_cWnd.Get();
                return;
            }
        }
        const double before = GetWindow(tcb);
        TcpRoundTrips::IncreaseWindow(tcb, segmentsAcked);
        m_shadow += m_shadow > 0 ? GetWindow(tcb) - before : 0;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (m_tolerateLoss && !m_gradients.IsQueueFull() && m_state == State::CA_RECOVERY)
        {
            return std::max(tcb->m_cWnd.Get(), 2 * tcb->m_segmentSize);
        }
        const double larger = std::max(m_shadow, GetWindow(tcb));
        m_shadow /= 2;
        return m_state == State::CA_RECOVERY
                   ? static_cast<uint32_t>(std::max(2.0, larger / 2) * tcb->m_segmentSize)
                   : TcpRoundTrips::GetSsThresh(tcb, bytesInFlight);
    }

  private:
    /// A round is over: whether to back off.
    bool EndRound()
    {
        const double g = m_gradients.Add(m_minRtt, m_largestRtt, m_smoothing);
        if (m_gradients.IsQueueEmpty())
        {
            m_shadow = 0;
        }
        return m_gradients.BacksOff(g, m_scale.GetSeconds(), m_ineffectual);
    }

    uint32_t m_smoothing{};     //!< a
    ns3::Time m_scale;          //!< G
    double m_decrease{};        //!< beta
    uint32_t m_ineffectual{};   //!< b
    bool m_tolerateLoss{};      //!< a loss without a full queue takes nothing
    DelayGradients m_gradients; //!< of the rounds
    ns3::Time m_largestRtt;     //!< of this round
    double m_shadow{0};         //!< s, in segments
};

NS_OBJECT_ENSURE_REGISTERED(TcpCdg);

} // namespace longfat

#endif
