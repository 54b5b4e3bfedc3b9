// SPDX-License-Identifier: GPL-2.0-only
//
// HyStart as ns-3 3.44's CUBIC has it (cubic-ns3.h): when slow start ends. A round trip for an ACK train
// where its authors have half of one, and a rise by the whole round trip where they have an eighth of it, on
// smoothed round trips; RFC 9406 replaces it.

#ifndef LONGFAT_CUBIC_NS3_HYSTART_H
#define LONGFAT_CUBIC_NS3_HYSTART_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class CubicNs3Hystart
{
    using State = ns3::TcpSocketState;
    using Time = ns3::Time;

  public:
    void StartRound(ns3::Ptr<const State> tcb)
    {
        m_roundStart = m_lastAck = ns3::Simulator::Now();
        m_roundEnd = tcb->m_highTxMark.Get();
        m_roundMinRtt = Time::Max();
        m_samples = 0;
    }

    void OnTimeout(ns3::Ptr<const State> tcb)
    {
        m_found = false;
        StartRound(tcb);
    }

    bool IsRoundOver(ns3::Ptr<const State> tcb) const
    {
        return tcb->m_lastAckedSeq > m_roundEnd;
    }

    /// An ACK with the smallest round trip so far and its own.
    void Update(ns3::Ptr<State> tcb, const Time& minRtt, const Time& rtt)
    {
        if (!m_found && tcb->m_cWnd <= tcb->m_ssThresh && tcb->m_cWnd >= 16 * tcb->m_segmentSize)
        {
            LookForTheEndOfSlowStart(tcb, minRtt, rtt);
        }
    }

  private:
    void LookForTheEndOfSlowStart(ns3::Ptr<State> tcb, const Time& minRtt, const Time& rtt)
    {
        const Time now = ns3::Simulator::Now();
        if (now - m_lastAck <= ns3::MilliSeconds(2))
        {
            m_lastAck = now;
            m_found = now - m_roundStart > minRtt;
        }
        const Time rise = std::clamp(minRtt, ns3::MilliSeconds(4), ns3::MilliSeconds(1000));
        if (m_samples < 8)
        {
            m_roundMinRtt = std::min(m_roundMinRtt, rtt);
            ++m_samples;
        }
        else if (m_roundMinRtt > minRtt + rise)
        {
            m_found = true;
        }
        if (m_found)
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
    }

    bool m_found{false};                 //!< the end of slow start
    Time m_roundStart;                   //!< when the round trip began
    ns3::SequenceNumber32 m_roundEnd{0}; //!< what ends it when acknowledged
    Time m_lastAck;                      //!< last ACK of a train
    Time m_roundMinRtt{Time::Max()};     //!< smallest of this round trip
    uint32_t m_samples{0};               //!< how many these are
};

} // namespace longfat

#endif
