// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC as ns-3 3.44 has it, after Linux of 2010: what cubic.h gives under AsNs3, and the proof that
// the engine drives it as ns-3 would. Where it parts from RFC 9438:
//
//   whole segments    the target and W_cubic are cut to whole segments, and the window grows by one
//                     after so many ACKs; its growth is limited to one segment for two
//   section 4.2       t + the smallest round trip, not t + RTT
//   section 4.3       the slope of W_est stays alpha (RFC 8312), and W_est is cut to segments too
//   section 4.6       the part beta of the window, not of FlightSize
//   section 4.8       a timeout keeps W_max, so that K is not zero after it
//   section 4.10      HyStart with a round trip for an ACK train where its authors have half of one,
//                     and a rise by the whole round trip where they have an eighth of it, on smoothed
//                     round trips; RFC 9406 replaces it
//   end of recovery   the ACK that ends it counts all the segments that SACK had reported

#ifndef LONGFAT_CUBIC_NS3_H
#define LONGFAT_CUBIC_NS3_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class CubicNs3
{
    using State = ns3::TcpSocketState;
    using Time = ns3::Time;

  public:
    struct Settings
    {
        double c;
        double beta;
        bool fastConvergence;
        bool renoFriendly;
        bool hystart;
    };

    Settings settings{};

    void ResetHystart(ns3::Ptr<const State> tcb)
    {
        m_roundStart = m_lastAck = ns3::Simulator::Now();
        m_roundEnd = tcb->m_highTxMark.Get();
        m_roundMinRtt = Time::Max();
        m_samples = 0;
    }

    void OnTimeout(ns3::Ptr<const State> tcb)
    {
        m_minRtt = Time::Max();
        m_found = false;
        ResetHystart(tcb);
    }

    void PktsAcked(ns3::Ptr<State> tcb, const Time& rtt)
    {
        if (m_hasEpoch && ns3::Simulator::Now() - m_epoch < ns3::MilliSeconds(10))
        {
            return; // just after a recovery
        }
        m_minRtt = std::min(m_minRtt, rtt);
        if (settings.hystart && !m_found && tcb->m_cWnd <= tcb->m_ssThresh &&
            tcb->m_cWnd >= 16 * tcb->m_segmentSize)
        {
            LookForTheEndOfSlowStart(tcb, rtt);
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb)
    {
        const uint32_t w = Segments(tcb);
        const bool converge = w < m_maxWindow && settings.fastConvergence;
        m_maxWindow = converge ? static_cast<uint32_t>(w * (1 + settings.beta) / 2) : w;
        m_hasEpoch = false;
        return std::max(static_cast<uint32_t>(w * settings.beta), 2u) * tcb->m_segmentSize;
    }

    void IncreaseWindow(ns3::Ptr<State> tcb, uint32_t segmentsAcked)
    {
        if (!tcb->m_isCwndLimited)
        {
            return;
        }
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            if (settings.hystart && tcb->m_lastAckedSeq > m_roundEnd)
            {
                ResetHystart(tcb);
            }
            tcb->m_cWnd += segmentsAcked * tcb->m_segmentSize;
        }
        else if (segmentsAcked > 0)
        {
            m_delivered += segmentsAcked;
            const uint32_t needed = SegmentsToGrow(Segments(tcb), segmentsAcked);
            if (m_delivered >= needed)
            {
                tcb->m_cWnd += tcb->m_segmentSize;
                m_delivered -= needed;
            }
        }
    }

  private:
    static uint32_t Segments(ns3::Ptr<const State> tcb)
    {
        return tcb->m_cWnd.Get() / tcb->m_segmentSize;
    }

    /// Segments to be delivered until the window grows by one.
    uint32_t SegmentsToGrow(uint32_t w, uint32_t segmentsAcked)
    {
        m_renoDelivered += segmentsAcked;
        if (!m_hasEpoch)
        {
            m_hasEpoch = true;
            m_epoch = ns3::Simulator::Now();
            m_renoDelivered = segmentsAcked;
            m_renoWindow = w;
            m_k = m_maxWindow > w ? std::pow((m_maxWindow - w) / settings.c, 1 / 3.) : 0;
            m_origin = std::max(m_maxWindow, w);
        }
        const double t = (ns3::Simulator::Now() + m_minRtt - m_epoch).GetSeconds();
        const auto away = static_cast<uint32_t>(settings.c * std::pow(std::abs(t - m_k), 3));
        const uint32_t target = t < m_k ? m_origin - away : m_origin + away;
        uint32_t needed = target > w ? w / (target - w) : 100 * w;
        if (m_maxWindow == 0)
        {
            needed = std::min(needed, 20u);
        }
        if (settings.renoFriendly)
        {
            const double beta = 1024 * settings.beta;
            const auto scale = static_cast<uint32_t>(8 * (1024 + beta) / 3 / (1024 - beta));
            const uint32_t round = (w * scale) >> 3;
            while (m_renoDelivered > round)
            {
                m_renoDelivered -= round;
                ++m_renoWindow;
            }
            if (m_renoWindow > w)
            {
                needed = std::min(needed, w / (m_renoWindow - w));
            }
        }
        return std::max(needed, 2u);
    }

    void LookForTheEndOfSlowStart(ns3::Ptr<State> tcb, const Time& rtt)
    {
        const Time now = ns3::Simulator::Now();
        if (now - m_lastAck <= ns3::MilliSeconds(2))
        {
            m_lastAck = now;
            m_found = now - m_roundStart > m_minRtt;
        }
        const Time rise = std::clamp(m_minRtt, ns3::MilliSeconds(4), ns3::MilliSeconds(1000));
        if (m_samples < 8)
        {
            m_roundMinRtt = std::min(m_roundMinRtt, rtt);
            ++m_samples;
        }
        else if (m_roundMinRtt > m_minRtt + rise)
        {
            m_found = true;
        }
        if (m_found)
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
    }

    uint32_t m_delivered{0};             //!< segments since the window last grew
    uint32_t m_maxWindow{0};             //!< W_max, in segments
    uint32_t m_origin{0};                //!< the same, or the window where that was larger
    double m_k{0};                       //!< K, in s
    bool m_hasEpoch{false};              //!< congestion avoidance has begun
    Time m_epoch;                        //!< when
    uint32_t m_renoWindow{0};            //!< W_est, in segments
    uint32_t m_renoDelivered{0};         //!< segments since it last grew
    Time m_minRtt{Time::Max()};          //!< smallest round trip; Max: none
    bool m_found{false};                 //!< the end of slow start
    Time m_roundStart;                   //!< when the round trip began
    ns3::SequenceNumber32 m_roundEnd{0}; //!< what ends it when acknowledged
    Time m_lastAck;                      //!< last ACK of a train
    Time m_roundMinRtt{Time::Max()};     //!< smallest of this round trip
    uint32_t m_samples{0};               //!< how many these are
};

} // namespace longfat

#endif
