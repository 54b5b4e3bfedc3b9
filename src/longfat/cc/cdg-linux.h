// SPDX-License-Identifier: GPL-2.0-only
//
// CDG as Linux 6.12 has it (net/ipv4/tcp_cdg.c, by K. K. Jonassen), beside cdg.h, which is its paper's.
// By Linux's defaults, in whole segments and microseconds, what differs:
//
//     no loss is forgiven, unless Tolerance is asked for
//     beta is 0.7071; the window goes there over a round trip (PRR), and the round begins anew then
//     the gradient is that of the smallest round trip where it rises, else that of the largest; over
//     the last eight rounds, and while there are fewer in proportion
//     the probability of a back-off is 1 - exp(-42 g), g their sum in s: G = 1 / (42 x 8) s
//     after five back-offs in vain none until the delay falls
//     the shadow window begins as the first window, and is no more than the window before a loss
//     hybrid slow start ends it by a train of ACKs or a delay (linux-hystart.h)
//
// Left out: undoing what was a mistake, and that a window that nobody fills limits the shadow.

/* catalogue
title = "CAIA Delay-Gradient (CDG) as in Linux 6.12"
type_id = "longfat::TcpCdgLinux"
source = "Linux 6.12, net/ipv4/tcp_cdg.c; Hayes and Armitage 2011"
caps_window = true
[parameters]
tolerates_loss = {attribute = "Tolerance"}
hybrid_slow_start = {attribute = "HyStart"}
*/

#ifndef LONGFAT_CDG_LINUX_H
#define LONGFAT_CDG_LINUX_H

#include "cdg-linux-rounds.h"
#include "linux-hystart.h"
#include "linux-reno.h"

#include "ns3/boolean.h"

#include <utility>

namespace longfat
{

class TcpCdgLinux : public TcpLinuxReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCdgLinux")
                .SetParent<TcpLinuxReno>()
                .AddConstructor<TcpCdgLinux>()
                .AddAttribute("Tolerance",
                              "a loss while the queue is not full takes nothing (use_tolerance)",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpCdgLinux::m_tolerates),
                              ns3::MakeBooleanChecker())
                .AddAttribute("HyStart",
                              "slow start ends at a train of ACKs or a delay (hystart_detect)",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCdgLinux::m_hyStart),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCdgLinux>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& /* rtt */) override
    {
        m_rounds.OnAck(tcb, segmentsAcked);
    }

    void CwndEvent(Tcb tcb, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_COMPLETE_CWR)
        {
            m_rounds.queue = CdgLinuxRounds::Queue::UNKNOWN;
            m_rounds.Begin(tcb);
        }
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_shadow == 0)
        {
            m_shadow = Window(tcb);
        }
        if (m_reduces)
        {
            if (Reduce(tcb, segmentsAcked))
            {
                CwndEvent(tcb, State::CA_EVENT_COMPLETE_CWR);
            }
            return;
        }
        if (m_hyStart && tcb->m_cWnd < tcb->m_ssThresh && m_slowStart.Ends(tcb, m_rounds.Least()))
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
        if (m_rounds.IsOver(tcb))
        {
            const int64_t gradient = m_rounds.Gradient();
            m_rounds.Begin(tcb);
            m_slowStart.BeginRound();
            if (m_rounds.BacksOff(gradient))
            {
                m_shadow = std::max(m_shadow, Window(tcb));
                tcb->m_ssThresh = std::max(2U, Window(tcb) * 724 / 1024) * tcb->m_segmentSize;
                BeginReduction(tcb);
                return;
            }
        }
        if (tcb->m_isCwndLimited)
        {
            const uint32_t before = Window(tcb);
            Grow(tcb, segmentsAcked);
            m_shadow += Window(tcb) - before;
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        const uint32_t window = Window(tcb);
        if (std::exchange(m_reduces, false)) // a loss within a back-off's round trip takes no more
        {
            return tcb->m_ssThresh.Get();
        }
        if (m_tolerates && m_rounds.queue == CdgLinuxRounds::Queue::NOT_FULL)
        {
            return tcb->m_cWnd.Get();
        }
        m_shadow = std::min(m_shadow / 2, window);
        return std::max({2U, m_shadow, window / 2}) * tcb->m_segmentSize;
    }

  private:
    bool m_tolerates{};       //!< use_tolerance
    bool m_hyStart{};         //!< hystart_detect
    CdgLinuxRounds m_rounds;  //!< their smallest and largest round trips
    LinuxHystart m_slowStart; //!< when it ends
    uint32_t m_shadow{0};     //!< shadow window, in segments; 0: not begun
};

NS_OBJECT_ENSURE_REGISTERED(TcpCdgLinux);

} // namespace longfat

#endif
