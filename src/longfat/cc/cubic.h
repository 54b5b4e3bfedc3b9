// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC (RFC 9438). Windows are in segments, t is the time since congestion avoidance began:
//
//     W_cubic(t), the cubic function                                   (1), cubic-function.h
//     target = W_cubic(t + RTT), between cwnd and 1.5 cwnd             section 4.2
//     cwnd <- cwnd + (target - cwnd) / cwnd                            sections 4.4, 4.5
//     cwnd >= W_est, the window that Reno would have                   (4), cubic-reno-friendly.h
//     loss   ssthresh <- beta FlightSize; W_max <- cwnd, or less       sections 4.6, 4.7
//
// Slow start is HyStart++ (section 4.10; hystart.h). By RFC 8312, which it replaces, W_est is a straight
// line of time, K comes from W_max alone, and the target has no upper bound.
//
// Linux 6.12 (tcp_cubic.c) leaves alpha as it is when W_est has passed cwnd_prior, where (4) raises it to
// 1: with AsLinux, W_est goes on with alpha. Where losses are so many that W_est governs, that is the
// difference between the two.
//
// cubic-standard.h follows the RFC, cubic-ns3.h is what ns-3 3.44 does instead.

/* catalogue
title = "CUBIC"
type_id = "longfat::TcpCubic"
source = "RFC 9438; RFC 9406"
linux = "cubic"
[parameters]
c = {attribute = "C"}
beta = {attribute = "Beta"}
fast_convergence = {attribute = "FastConvergence"}
reno_friendly = {attribute = "RenoFriendly"}
hystart = {attribute = "HyStart"}
rfc8312 = {attribute = "Rfc8312"}
as_ns3_3_44 = {attribute = "AsNs3"}
as_linux_6_12 = {attribute = "AsLinux"}
*/

#ifndef LONGFAT_CUBIC_H
#define LONGFAT_CUBIC_H

#include "attributes.h"
#include "cubic-ns3.h"
#include "cubic-standard.h"

#include "ns3/nstime.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class TcpCubic : public TcpCubicStandard
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpCubic, TcpCubicStandard>("longfat::TcpCubic")
                .AddAttribute("C",
                              "how fast the window grows away from W_max, segments/s^3",
                              Number(&TcpCubic::m_c, 0.4, 1e-6, 1e6))
                .AddAttribute("Beta",
                              "part of the window that is left after a loss",
                              Number(&TcpCubic::m_beta, 0.7, 0.0, 0.99))
                .AddAttribute("FastConvergence",
                              "give way when W_max falls (section 4.7)",
                              Switch(&TcpCubic::m_fastConvergence, true))
                .AddAttribute("RenoFriendly",
                              "never slower than Reno (section 4.3)",
                              Switch(&TcpCubic::m_renoFriendly, true))
                .AddAttribute("HyStart",
                              "HyStart++; false: slow start until a loss",
                              Switch(&TcpCubic::m_useHystart, true))
                .AddAttribute("Rfc8312",
                              "growth by RFC 8312, which RFC 9438 replaces",
                              Switch(&TcpCubic::m_rfc8312, false))
                .AddAttribute("AsLinux",
                              "W_est as Linux 6.12 has it, whose alpha is never raised to 1",
                              Switch(&TcpCubic::m_asLinux, false))
                .AddAttribute("AsNs3",
                              "as ns3::TcpCubic of 3.44 does, with its faults",
                              Switch(&TcpCubic::m_asNs3, false));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCubic>(this);
    }

    void Init(Tcb tcb) override
    {
        m_ns3.settings = Settings();
        m_ns3.Start(tcb);
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& rtt) override
    {
        if (m_asNs3)
        {
            m_ns3.PktsAcked(tcb, rtt);
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        return m_asNs3 ? m_ns3.GetSsThresh(tcb) : TcpCubicStandard::GetSsThresh(tcb, bytesInFlight);
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        TcpCubicStandard::CongestionStateSet(tcb, state);
        if (state == State::CA_LOSS)
        {
            m_ns3.OnTimeout(tcb);
        }
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_asNs3)
        {
            m_ns3.IncreaseWindow(tcb, segmentsAcked);
        }
        else
        {
            TcpCubicStandard::IncreaseWindow(tcb, segmentsAcked);
        }
    }

  private:
    bool m_asNs3{}; //!< with the faults of ns-3 3.44
    CubicNs3 m_ns3; //!< what ns-3 does instead
};

NS_OBJECT_ENSURE_REGISTERED(TcpCubic);

} // namespace longfat

#endif
