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
// A shadow window s, (3), remembers what a NewReno window would be beside loss-based flows
// (chd-shadow-window.h). At a loss,
//
//     w <- max(w, s) / 2   if h > q_th,  else  w                       (4)
//
// Without DelayBased there is no (2), so no back-off, so no shadow window: the paper's "CHD without
// DCC". The window then grows by a segment a round trip, and every loss is judged by (4). Slow start
// and timeouts are NewReno's.

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

#include "attributes.h"
#include "chd-shadow-window.h"
#include "delay-backoff.h"

#include "ns3/sequence-number.h"

#include <algorithm>
#include <utility>

namespace longfat
{

class TcpChd : public TcpDelayBackOff
{
    using Time = ns3::Time;
    using State = ns3::TcpSocketState;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpChd, TcpDelayBackOff>("longfat::TcpChd")
                .AddAttribute("DelayBased",
                              "(2) is in force; false: CHD without DCC",
                              Switch(&TcpChd::m_delayBased, true))
                .AddAttribute("ThresholdDelay",
                              "q_th, between regions A and B",
                              Number(&TcpChd::m_thresholdDelay,
                                     ns3::MilliSeconds(30),
                                     ns3::NanoSeconds(1),
                                     ns3::Seconds(10)))
                .AddAttribute("MaxProbability",
                              "p_max, for each round trip",
                              Number(&TcpChd::m_maxProbability, 0.5, 0.0, 1.0));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpChd>(this);
    }

    void PktsAcked(ns3::Ptr<State> tcb, uint32_t segmentsAcked, const Time& rtt) override
    {
        TcpDelayBackOff::PktsAcked(tcb, segmentsAcked, rtt);
        m_maxRttOfRound = std::max(m_maxRttOfRound, rtt);
    }

    /// Equation (2), once a round trip. ns-3 calls this for an ACK that advances, outside of
    /// recovery.
    void IncreaseWindow(ns3::Ptr<State> tcb, uint32_t segmentsAcked) override
    {
        const uint32_t before = tcb->m_cWnd;
        const bool roundIsOver = tcb->m_lastAckedSeq >= m_roundEnd;
        if (roundIsOver)
        {
            const Time h = std::exchange(m_maxRttOfRound, Time(0)) - m_minRtt;
            m_roundEnd = tcb->m_nextTxSequence;
            if (m_delayBased && HasRtt() && Draw(h))
            {
                m_shadow.OnBackOff(before, h, m_thresholdDelay);
                tcb->m_ssThresh = Half(tcb, before);
                tcb->m_cWnd = tcb->m_ssThresh.Get();
                return;
            }
        }
        if (before < tcb->m_ssThresh)
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (roundIsOver)
        {
            tcb->m_cWnd = before + tcb->m_segmentSize;
        }
        m_shadow.Grow(tcb->m_cWnd.Get() - before);
    }

    /// Equation (4), where duplicate ACKs revealed the loss.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const uint32_t window = tcb->m_cWnd;
        const uint32_t largest = std::max(window, m_shadow.Get());
        m_shadow.Halve(tcb->m_segmentSize);
        if (!FoundByDuplicateAcks())
        {
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        // The latest h: of the round under way, and of the last ACK if that has just begun.
        const Time h = std::max(m_maxRttOfRound, m_rtt) - m_minRtt;
        const bool congested = !HasRtt() || h > m_thresholdDelay;
        return congested ? Half(tcb, largest) : std::max(2 * tcb->m_segmentSize, window);
    }

    /// The shadow window s, in bytes.
    uint32_t GetShadowWindow() const
    {
        return m_shadow.Get();
    }

  private:
    bool m_delayBased{};                 //!< (2) is in force
    Time m_maxRttOfRound;                //!< RTT_min + h of the round under way
    ns3::SequenceNumber32 m_roundEnd{0}; //!< ends the round when acknowledged
    ChdShadowWindow m_shadow;
};

NS_OBJECT_ENSURE_REGISTERED(TcpChd);

} // namespace longfat

#endif
