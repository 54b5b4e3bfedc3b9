// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Cherry (S. Utsumi, S. M. S. Zabir and N. Shiratori, "TCP-Cherry: a new approach for TCP
// congestion control over satellite IP networks", Computer Communications 31, 2008).
//
// Standard TCP that asks the path how much it holds by supplement segments: low-priority segments with
// data that were not sent before, beyond the window. A router that has no room drops them first, so
// that they take nothing from others, and each that arrives says that there was room for one more.
//
//     Fast-Forward Start    from the first ACK on, in a round trip W_m - W of them, evenly spaced;
//                           each that arrives    w <- w + 1
//     First-Aid Recovery    after a loss with window W the window is halved, and (1 + Spare) W of them
//                           are sent in a round trip; the first W / 2 that arrive tell that the path
//                           still holds half, each further    w <- w + 1,  up to W
//
// so that a loss of the link costs a round trip or two, and one of the queue its half, as ever.
//
// Assumed, for the papers are at hand as abstracts only, and by the example of TCP-Peach (Akyildiz,
// Morabito and Palazzo 2001), on which it is built: the numbers above; no slow start; a timeout starts
// anew; Spare against supplements that the link loses ("a simple scheme" of the abstract); supplements
// carry the data next in line, and what is dropped is sent again as any segment. W_m is MaxWindow or,
// if less, the receiver's window, which a SYN-ACK cannot tell beyond 64 KB: hence the first ACK.

/* catalogue
title = "TCP-Cherry"
type_id = "longfat::TcpCherry"
source = "Utsumi, Zabir and Shiratori 2008; Akyildiz, Morabito and Palazzo 2001"
caps_window = true
signals = ["own packets"]
[parameters]
spare = {attribute = "Spare"}
low_priority = {attribute = "LowPriority"}
*/

#ifndef LONGFAT_CHERRY_H
#define LONGFAT_CHERRY_H

#include "supplements.h"

#include "ns3/double.h"

#include <utility>

namespace longfat
{

class TcpCherry : public TcpSupplements
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCherry")
                .SetParent<TcpSupplements>()
                .AddConstructor<TcpCherry>()
                .AddAttribute("Spare",
                              "supplements of a recovery beyond the window, as a part of it",
                              ns3::DoubleValue(0.1),
                              ns3::MakeDoubleAccessor(&TcpCherry::m_spare),
                              ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCherry>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& /* rtt */) override
    {
        if (m_own && std::exchange(m_isNew, false))
        {
            Start(tcb);
        }
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        if (!m_own)
        {
            return;
        }
        if (state == State::CA_RECOVERY)
        {
            m_goal = GetWindow(tcb);
            m_ignore = m_goal / 2;
            Send(tcb, (1 + m_spare) * m_goal);
        }
        else if (state == State::CA_LOSS)
        {
            m_restarts = true; // once the window is what a timeout leaves
            m_own->SetOwnTimer(ns3::TimeStep(1));
        }
    }

    void OnSupplementArrived(Tcb tcb) override
    {
        if (m_ignore >= 1)
        {
            m_ignore -= 1;
            return;
        }
        if (tcb->m_congState == State::CA_RECOVERY) // whose end sets the window to the threshold
        {
            const uint32_t goal = m_goal * tcb->m_segmentSize;
            tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get() + tcb->m_segmentSize, goal);
        }
        else if (GetWindow(tcb) + 1 <= m_goal)
        {
            SetWindow(tcb, GetWindow(tcb) + 1);
        }
    }

    void OnOwnTimer(Tcb tcb) override
    {
        if (std::exchange(m_restarts, false))
        {
            Start(tcb);
            return;
        }
        TcpSupplements::OnOwnTimer(tcb);
    }

  private:
    /// Fast-Forward Start.
    void Start(Tcb tcb)
    {
        tcb->m_ssThresh = 2 * tcb->m_segmentSize;
        m_goal = std::min<double>(GetMaxWindow(), m_own->GetReceiverWindow());
        m_ignore = 0;
        Send(tcb, m_goal - GetWindow(tcb));
    }

    double m_spare{};       //!< of a recovery's supplements, beyond the window
    double m_goal{0};       //!< largest window that supplements lead to, in segments
    double m_ignore{0};     //!< supplements that tell nothing new when they arrive
    bool m_isNew{true};     //!< no ACK has come
    bool m_restarts{false}; //!< after a timeout
};

NS_OBJECT_ENSURE_REGISTERED(TcpCherry);

} // namespace longfat

#endif
