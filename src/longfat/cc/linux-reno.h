// SPDX-License-Identifier: GPL-2.0-only
//
// The window of a sender of Linux's, in whole segments: how it grows (tcp_reno_cong_avoid), and how it
// falls to the threshold over a round trip (proportional rate reduction).

#ifndef LONGFAT_LINUX_RENO_H
#define LONGFAT_LINUX_RENO_H

#include "fractional-window.h"

namespace longfat
{

class TcpLinuxReno : public TcpFractionalWindow
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpLinuxReno").SetParent<TcpFractionalWindow>();
        return tid;
    }

  protected:
    /// In segments.
    static uint32_t Window(ns3::Ptr<const State> tcb)
    {
        return tcb->m_cWnd.Get() / tcb->m_segmentSize;
    }

    /// tcp_reno_cong_avoid.
    void Grow(Tcb tcb, uint32_t acked)
    {
        const uint32_t threshold = tcb->m_ssThresh.Get() / tcb->m_segmentSize;
        uint32_t window = Window(tcb);
        if (window < threshold)
        {
            const uint32_t more = std::min(acked, threshold - window);
            window += more;
            acked -= more;
        }
        if (acked > 0)
        {
            m_count += acked;
            const uint32_t more = m_count / window;
            m_count -= more * window;
            window += more;
        }
        SetWindow(tcb, window);
    }

    void BeginReduction(Tcb tcb)
    {
        m_reduces = true;
        m_start = GetWindow(tcb);
        m_end = tcb->m_nextTxSequence;
    }

    /// Nearer to the threshold. Returns whether it is reached: a round trip has gone by.
    bool Reduce(Tcb tcb, uint32_t acked)
    {
        const double goal = double(tcb->m_ssThresh.Get()) / tcb->m_segmentSize;
        const double next = GetWindow(tcb) - acked * (1 - goal / m_start);
        SetWindow(tcb, std::max(goal, next));
        if (tcb->m_lastAckedSeq < m_end)
        {
            return false;
        }
        SetWindow(tcb, goal);
        m_reduces = false;
        return true;
    }

    bool m_reduces{false}; //!< the window falls

  private:
    uint32_t m_count{0};            //!< segments since the window grew
    double m_start{0};              //!< the window when a reduction began
    ns3::SequenceNumber32 m_end{0}; //!< the end of it
};

} // namespace longfat

#endif
