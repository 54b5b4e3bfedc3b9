// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Reno as Linux has it (net/ipv4/tcp_cong.c: tcp_reno_cong_avoid, tcp_slow_start,
// tcp_cong_avoid_ai, tcp_reno_ssthresh; RFC 5681 with the byte counting of RFC 3465).
//
// Windows are in whole segments, and an ACK counts for the segments n that it newly delivers:
//
//     slow start             w <- min(w + n, ssthresh); what is left of n counts below
//     congestion avoidance   c <- c + n; every w of them open the window by one
//     loss                   ssthresh <- max(floor(w / 2), 2)
//
// A window that the sender does not fill does not grow (tcp_is_cwnd_limited).

/* catalogue
title = "TCP Reno as in Linux"
type_id = "longfat::TcpReno"
source = "RFC 5681, RFC 3465; Linux, net/ipv4/tcp_cong.c"
linux = "reno"
[parameters]
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_RENO_H
#define LONGFAT_RENO_H

#include "ns3/boolean.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <string>

namespace longfat
{

class TcpReno : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpReno")
                .SetParent<ns3::TcpCongestionOps>()
                .AddConstructor<TcpReno>()
                .AddAttribute("AsNs3",
                              "as ns3::TcpLinuxReno of 3.44 does, with its faults",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpReno::m_asNs3),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpReno";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpReno>(this);
    }

    /// tcp_reno_ssthresh.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        const uint32_t smss = tcb->m_segmentSize;
        // ns-3 3.44 keeps the half segment of an odd window; Linux's windows are whole segments.
        const uint32_t half = m_asNs3 ? tcb->m_cWnd.Get() / 2 : tcb->m_cWnd.Get() / smss / 2 * smss;
        return std::max(half, 2 * smss);
    }

    /// What an ACK that ends a recovery is credited with waits for it.
    void CongestionStateSet(ns3::Ptr<State> /* tcb */, const State::TcpCongState_t state) override
    {
        if (state == State::CA_RECOVERY || state == State::CA_LOSS)
        {
            m_endsRecovery = state == State::CA_RECOVERY;
        }
    }

    /// tcp_reno_cong_avoid. The socket calls this for an ACK of new data, outside of recovery.
    void IncreaseWindow(ns3::Ptr<State> tcb, uint32_t segmentsAcked) override
    {
        // ns-3 3.44 counts at the end of a recovery a whole window, all but the last hole of which
        // SACK or duplicate ACKs have reported; Linux counts what an ACK newly delivers.
        if (m_endsRecovery && !m_asNs3)
        {
            segmentsAcked = std::min(segmentsAcked, 1u);
        }
        m_endsRecovery = false;
        const bool slowStart = tcb->m_cWnd < tcb->m_ssThresh;
        // ns-3 3.44 asks whether the window is used in congestion avoidance only; Linux asks in slow
        // start too, where half of it is enough.
        if (!tcb->m_isCwndLimited && !(slowStart && (m_asNs3 || IsHalfUsed(tcb, segmentsAcked))))
        {
            return;
        }
        if (slowStart)
        {
            const uint32_t window = tcb->m_cWnd;
            tcb->m_cWnd =
                std::min(window + segmentsAcked * tcb->m_segmentSize, tcb->m_ssThresh.Get());
            segmentsAcked -= (tcb->m_cWnd.Get() - window) / tcb->m_segmentSize;
            // ns-3 3.44 forgets what is left when slow start ends; Linux goes on with it.
            if (m_asNs3 || segmentsAcked == 0)
            {
                return;
            }
        }
        AvoidCongestion(tcb, segmentsAcked);
    }

  private:
    /// Half of the window was in flight before the ACK (tcp_is_cwnd_limited, in slow start).
    static bool IsHalfUsed(ns3::Ptr<const State> tcb, uint32_t segmentsAcked)
    {
        const uint32_t inFlight = tcb->m_bytesInFlight.Get() + segmentsAcked * tcb->m_segmentSize;
        return tcb->m_cWnd.Get() / 2 < inFlight;
    }

    /// tcp_cong_avoid_ai: a segment for every window of segments delivered.
    void AvoidCongestion(ns3::Ptr<State> tcb, uint32_t segmentsAcked)
    {
        const uint32_t window = std::max(tcb->m_cWnd.Get() / tcb->m_segmentSize, 1u);
        if (m_delivered >= window) // counted at a larger window
        {
            m_delivered = 0;
            tcb->m_cWnd += tcb->m_segmentSize;
        }
        m_delivered += segmentsAcked;
        tcb->m_cWnd += m_delivered / window * tcb->m_segmentSize;
        m_delivered %= window;
    }

    bool m_asNs3{};             //!< with the faults of ns-3 3.44
    bool m_endsRecovery{false}; //!< the next ACK that may open the window ends a recovery
    uint32_t m_delivered{0};    //!< c, segments delivered since the window last opened
};

NS_OBJECT_ENSURE_REGISTERED(TcpReno);

} // namespace longfat

#endif
