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
//   section 4.10      HyStart, which RFC 9406 replaces, and other limits than its authors'
//                     (cubic-ns3-hystart.h)
//   end of recovery   the ACK that ends it counts all the segments that SACK had reported

#ifndef LONGFAT_CUBIC_NS3_H
#define LONGFAT_CUBIC_NS3_H

#include "cubic-ns3-growth.h"
#include "cubic-ns3-hystart.h"

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class CubicNs3
{
    using State = ns3::TcpSocketState;
    using Time = ns3::Time;

  public:
    CubicSettings settings{};

    void Start(ns3::Ptr<const State> tcb)
    {
        m_hystart.StartRound(tcb);
    }

    void OnTimeout(ns3::Ptr<const State> tcb)
    {
        m_minRtt = Time::Max();
        m_hystart.OnTimeout(tcb);
    }

    void PktsAcked(ns3::Ptr<State> tcb, const Time& rtt)
    {
        if (m_growth.HasJustBegun())
        {
            return; // just after a recovery
        }
        m_minRtt = std::min(m_minRtt, rtt);
        if (settings.hystart)
        {
            m_hystart.Update(tcb, m_minRtt, rtt);
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb)
    {
        const uint32_t w = Segments(tcb);
        m_growth.OnLoss(w, settings);
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
            if (settings.hystart && m_hystart.IsRoundOver(tcb))
            {
                m_hystart.StartRound(tcb);
            }
            tcb->m_cWnd += segmentsAcked * tcb->m_segmentSize;
        }
        else if (segmentsAcked > 0)
        {
            m_delivered += segmentsAcked;
            const uint32_t needed =
                m_growth.OnAck(Segments(tcb), segmentsAcked, m_minRtt, settings);
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

    uint32_t m_delivered{0};    //!< segments since the window last grew
    Time m_minRtt{Time::Max()}; //!< smallest round trip; Max: none
    CubicNs3Growth m_growth;
    CubicNs3Hystart m_hystart;
};

} // namespace longfat

#endif
