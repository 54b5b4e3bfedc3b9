// SPDX-License-Identifier: GPL-2.0-only
//
// CHD, the CAIA-Hamilton delay-based congestion control (paper: ucc, equations 2 to 4; Hayes and
// Armitage, "Improved coexistence and loss tolerance for delay based TCP congestion control",
// 2010).
//
// Once a round trip, with h the largest queueing delay in it, the probability g(h) of figure 1 and
// a random number X from [0, 1],
//
//     w <- w / 2   if X < g(h),  else  w <- w + 1                      (2)
//
// A shadow window s remembers what a NewReno window would be beside loss-based flows. At a
// back-off (2), with h_b the delay of the back-off before,
//
//     s <- max(w, s)   if h_b < h < q_th, or if h > q_th,  else  0     (3)
//
// and while it is not 0, it grows and is halved at a loss as NewReno's would. At a loss,
//
//     w <- max(w, s) / 2   if h > q_th,  else  w                       (4)
//
// The "otherwise" of (3) is taken for a back-off outside of those conditions, as the authors'
// FreeBSD module has it: a round without a back-off leaves s alone. Without DelayBased there is no
// (2), so no back-off, so no shadow window: the paper's "CHD without DCC". The window then grows by
// a segment a round trip, and every loss is judged by (4). Slow start and timeouts are NewReno's.

/* catalogue
title = "CAIA-Hamilton Delay (CHD)"
type_id = "longfat::TcpChd"
source = "paper ucc, equations (2) to (4); Hayes and Armitage 2010"
[parameters]
delay_based = {attribute = "DelayBased"}
min_delay_s = {attribute = "MinDelay", below = "threshold_delay_s"}
threshold_delay_s = {attribute = "ThresholdDelay"}
max_probability = {attribute = "MaxProbability"}
*/

#ifndef LONGFAT_CHD_H
#define LONGFAT_CHD_H

#include "delay-backoff.h"

#include "ns3/boolean.h"
#include "ns3/sequence-number.h"

#include <algorithm>

namespace longfat
{

class TcpChd : public TcpDelayBackOff
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpChd")
                .SetParent<TcpDelayBackOff>()
                .AddConstructor<TcpChd>()
                .AddAttribute("DelayBased",
                              "(2) is in force; false: CHD without DCC",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpChd::m_delayBased),
                              ns3::MakeBooleanChecker())
                .AddAttribute("ThresholdDelay",
                              "q_th, between regions A and B",
                              ns3::TimeValue(ns3::MilliSeconds(30)),
                              ns3::MakeTimeAccessor(&TcpChd::m_thresholdDelay),
                              ns3::MakeTimeChecker(ns3::NanoSeconds(1), ns3::Seconds(10)))
                .AddAttribute("MaxProbability",
                              "p_max, for each round trip",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpChd::m_maxProbability),
                              ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpChd>(this);
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override
    {
        TcpDelayBackOff::PktsAcked(tcb, segmentsAcked, rtt);
        m_maxRttOfRound = std::max(m_maxRttOfRound, rtt);
    }

    /// Equation (2), once a round trip. ns-3 calls this for an ACK that advances, outside of
    /// recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const bool roundIsOver = tcb->m_lastAckedSeq >= m_roundEnd;
        if (roundIsOver)
        {
            const ns3::Time h = m_maxRttOfRound - m_minRtt;
            m_roundEnd = tcb->m_nextTxSequence;
            m_maxRttOfRound = ns3::Time(0);
            if (m_delayBased && HasRtt() && Draw(h))
            {
                BackOff(tcb, h);
                return;
            }
        }
        const uint32_t before = tcb->m_cWnd;
        if (before < tcb->m_ssThresh)
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (roundIsOver)
        {
            tcb->m_cWnd = before + tcb->m_segmentSize;
        }
        if (m_shadow > 0)
        {
            m_shadow += tcb->m_cWnd.Get() - before;
        }
    }

    /// Equation (4), where duplicate ACKs revealed the loss.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        const uint32_t window = tcb->m_cWnd;
        const uint32_t largest = std::max(window, m_shadow);
        m_shadow = m_shadow > 0 ? Half(tcb, m_shadow) : 0;
        if (!FoundByDuplicateAcks())
        {
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        // The latest h: of the round under way, and of the last ACK if that has just begun.
        const ns3::Time h = std::max(m_maxRttOfRound, m_rtt) - m_minRtt;
        const bool congested = !HasRtt() || h > m_thresholdDelay;
        return congested ? Half(tcb, largest) : std::max(2 * tcb->m_segmentSize, window);
    }

    /// The shadow window s, in bytes.
    uint32_t GetShadowWindow() const
    {
        return m_shadow;
    }

  private:
    /// The first line of (2), with (3) before it.
    void BackOff(ns3::Ptr<ns3::TcpSocketState> tcb, ns3::Time h)
    {
        const uint32_t window = tcb->m_cWnd;
        const bool rising = h < m_thresholdDelay && h > m_lastBackOffDelay; // A of (3)
        m_shadow = rising || h > m_thresholdDelay ? std::max(window, m_shadow) : 0;
        m_lastBackOffDelay = h;
        tcb->m_ssThresh = Half(tcb, window);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
    }

    bool m_delayBased{};                 //!< (2) is in force
    ns3::Time m_maxRttOfRound;           //!< RTT_min + h of the round under way
    ns3::SequenceNumber32 m_roundEnd{0}; //!< ends the round when acknowledged
    ns3::Time m_lastBackOffDelay;        //!< h_b
    uint32_t m_shadow{0};                //!< s, in bytes
};

NS_OBJECT_ENSURE_REGISTERED(TcpChd);

} // namespace longfat

#endif
