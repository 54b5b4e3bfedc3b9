// SPDX-License-Identifier: GPL-2.0-only
//
// CHD as FreeBSD's cc_chd.c has it, by the authors of its paper, beside chd.h, which is the paper's as UCC
// tells it (equations 2 to 4). The draw once a round trip and its probability are the same. What differs:
//
//     a flag says whether loss-based flows compete: set by a back-off above q_th, cleared by any round
//     at or below it; only while it is set does a loss restore the shadow window before it halves
//     a loss before what was outstanding at a back-off is acknowledged takes nothing more
//     the shadow window begins as the first window; a timeout leaves it alone
//     q_th is 20 ms, not 30
//
// Left out: whole ticks of the clock, whole segments at a halving, and appropriate byte counting.

/* catalogue
title = "CAIA-Hamilton Delay (CHD) as in FreeBSD"
type_id = "longfat::TcpChdFreeBsd"
source = "FreeBSD 14, sys/netinet/cc/cc_chd.c; Hayes and Armitage 2010"
[parameters]
min_delay_s = {attribute = "MinDelay", below = "threshold_delay_s"}
threshold_delay_s = {attribute = "ThresholdDelay"}
max_probability = {attribute = "MaxProbability"}
loss_fair = {attribute = "LossFair"}
*/

#ifndef LONGFAT_CHD_FREEBSD_H
#define LONGFAT_CHD_FREEBSD_H

#include "delay-backoff.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/tcp-congestion-ops.h"

#include <utility>

namespace longfat
{

class TcpChdFreeBsd : public TcpDelayBackOff
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpChdFreeBsd")
                .SetParent<TcpDelayBackOff>()
                .AddConstructor<TcpChdFreeBsd>()
                .AddAttribute("ThresholdDelay",
                              "q_th, between regions A and B (queue_threshold)",
                              ns3::TimeValue(ns3::MilliSeconds(20)),
                              ns3::MakeTimeAccessor(&TcpChdFreeBsd::m_thresholdDelay),
                              ns3::MakeTimeChecker(ns3::NanoSeconds(1), ns3::Seconds(10)))
                .AddAttribute("MaxProbability",
                              "p_max, for each round trip (pmax)",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpChdFreeBsd::m_maxProbability),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("LossFair",
                              "the flag may be set (loss_fair)",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpChdFreeBsd::m_lossFair),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpChdFreeBsd>(this);
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override
    {
        TcpDelayBackOff::PktsAcked(tcb, segmentsAcked, rtt);
        m_maxRttOfRound = std::max(m_maxRttOfRound, rtt);
        if (std::exchange(m_isNew, false))
        {
            m_shadow = tcb->m_cWnd;
        }
    }

    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const bool roundIsOver = tcb->m_lastAckedSeq >= m_roundEnd;
        if (roundIsOver)
        {
            const ns3::Time h = std::exchange(m_maxRttOfRound, ns3::Time(0)) - m_minRtt;
            m_roundEnd = tcb->m_nextTxSequence;
            const bool backsOff = HasRtt() && Draw(h);
            m_competes = h > m_thresholdDelay && (m_competes || (backsOff && m_lossFair));
            if (backsOff)
            {
                const bool keeps = m_competes || h > m_lastBackOffDelay;
                m_shadow = keeps ? std::max(tcb->m_cWnd.Get(), m_shadow) : 0;
                m_lastBackOffDelay = h;
                m_answered = tcb->m_nextTxSequence;
                tcb->m_ssThresh = Half(tcb, tcb->m_cWnd);
                tcb->m_cWnd = tcb->m_ssThresh.Get();
                return;
            }
        }
        const uint32_t before = tcb->m_cWnd;
        if (before <= tcb->m_ssThresh)
        {
            SlowStart(tcb, segmentsAcked);
        }
        else if (roundIsOver)
        {
            tcb->m_cWnd = before + tcb->m_segmentSize;
        }
        m_shadow += m_shadow > 0 ? tcb->m_cWnd.Get() - before : 0;
    }

    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        if (!FoundByDuplicateAcks())
        {
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        const uint32_t window = tcb->m_cWnd;
        const uint32_t restored = m_competes ? std::max(window, m_shadow) : window;
        m_shadow = m_shadow > 0 ? Half(tcb, m_shadow) : 0;
        const ns3::Time h = std::max(m_maxRttOfRound, m_rtt) - m_minRtt;
        const bool isAnswered = tcb->m_lastAckedSeq < m_answered;
        const bool reduces = !isAnswered && HasRtt() && h > m_thresholdDelay;
        return reduces ? Half(tcb, restored) : window;
    }

  private:
    bool m_lossFair{};                   //!< the flag may be set
    bool m_isNew{true};                  //!< no ACK has come
    bool m_competes{false};              //!< the flag: with flows that only losses stop
    ns3::Time m_maxRttOfRound;           //!< of the round under way
    ns3::SequenceNumber32 m_roundEnd{0}; //!< ends the round when acknowledged
    ns3::SequenceNumber32 m_answered{0}; //!< what had been sent at the last back-off ends here
    ns3::Time m_lastBackOffDelay;        //!< of the back-off before
    uint32_t m_shadow{0};                //!< shadow window, in bytes
};

NS_OBJECT_ENSURE_REGISTERED(TcpChdFreeBsd);

} // namespace longfat

#endif
