// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC (RFC 9438). Windows are in segments, t is the time since congestion avoidance began:
//
//     W_cubic(t) = C (t - K)^3 + W_max                                 (1)
//     K = cbrt((W_max - cwnd_epoch) / C)                               (2)
//     target = W_cubic(t + RTT), between cwnd and 1.5 cwnd             section 4.2
//     cwnd <- cwnd + (target - cwnd) / cwnd                            sections 4.4, 4.5
//     W_est <- W_est + alpha n / cwnd, cwnd >= W_est                   (4), section 4.3
//     loss   ssthresh <- beta FlightSize; W_max <- cwnd, or less       sections 4.6, 4.7
//
// Slow start is HyStart++ (section 4.10; hystart.h). By RFC 8312, which it replaces, W_est is a straight
// line of time, K comes from W_max alone, and the target has no upper bound.
//
// Linux 6.12 (tcp_cubic.c) leaves alpha as it is when W_est has passed cwnd_prior, where (4) raises it to
// 1: with AsLinux, W_est goes on with alpha. Where losses are so many that W_est governs, that is the
// difference between the two.

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

#include "cubic-ns3.h"
#include "hystart.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace longfat
{

class TcpCubic : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;

  public:
    static ns3::TypeId GetTypeId()
    {
        using ns3::BooleanValue, ns3::DoubleValue;
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCubic")
                .SetParent<ns3::TcpCongestionOps>()
                .AddConstructor<TcpCubic>()
                .AddAttribute("C",
                              "how fast the window grows away from W_max, segments/s^3",
                              DoubleValue(0.4),
                              ns3::MakeDoubleAccessor(&TcpCubic::m_c),
                              ns3::MakeDoubleChecker<double>(1e-6, 1e6))
                .AddAttribute("Beta",
                              "part of the window that is left after a loss",
                              DoubleValue(0.7),
                              ns3::MakeDoubleAccessor(&TcpCubic::m_beta),
                              ns3::MakeDoubleChecker<double>(0.0, 0.99))
                .AddAttribute("FastConvergence",
                              "give way when W_max falls (section 4.7)",
                              BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_fastConvergence),
                              ns3::MakeBooleanChecker())
                .AddAttribute("RenoFriendly",
                              "never slower than Reno (section 4.3)",
                              BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_renoFriendly),
                              ns3::MakeBooleanChecker())
                .AddAttribute("HyStart",
                              "HyStart++; false: slow start until a loss",
                              BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_useHystart),
                              ns3::MakeBooleanChecker())
                .AddAttribute("Rfc8312",
                              "growth by RFC 8312, which RFC 9438 replaces",
                              BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_rfc8312),
                              ns3::MakeBooleanChecker())
                .AddAttribute("AsNs3",
                              "as ns3::TcpCubic of 3.44 does, with its faults",
                              BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_asNs3),
                              ns3::MakeBooleanChecker())
                .AddAttribute("AsLinux",
                              "W_est as Linux 6.12 has it, whose alpha is never raised to 1",
                              BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpCubic::m_asLinux),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpCubic";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCubic>(this);
    }

    void Init(ns3::Ptr<State> tcb) override
    {
        m_ns3.settings = {m_c, m_beta, m_fastConvergence, m_renoFriendly, m_useHystart};
        m_ns3.ResetHystart(tcb);
    }

    void PktsAcked(ns3::Ptr<State> tcb, uint32_t /* segmentsAcked */, const ns3::Time& rtt) override
    {
        if (m_asNs3)
        {
            m_ns3.PktsAcked(tcb, rtt);
        }
    }

    /// Sections 4.6 and 4.7.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        if (m_asNs3)
        {
            return m_ns3.GetSsThresh(tcb);
        }
        const double w = GetWindow(tcb);
        m_maxWindow = m_fastConvergence && w < m_maxWindow ? w * (1 + m_beta) / 2 : w;
        m_priorWindow = w;
        m_epochS = -1;
        m_firstSlowStart = false;
        // FlightSize, without what limited transmit has sent beyond the window.
        const uint32_t outstanding = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
        const double flight = std::min(outstanding, tcb->m_cWnd.Get());
        return std::max(static_cast<uint32_t>(m_beta * flight), 2 * tcb->m_segmentSize);
    }

    void CongestionStateSet(ns3::Ptr<State> tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_RECOVERY || state == State::CA_LOSS)
        {
            m_endsRecovery = state == State::CA_RECOVERY;
        }
        if (state == State::CA_LOSS)
        {
            m_ns3.OnTimeout(tcb);
            m_maxWindow = 0; // section 4.8: W_max will be the window, and K zero
        }
    }

    /// t leaves out what time the sender has been idle (section 4.2).
    void CwndEvent(ns3::Ptr<State> /* tcb */, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_TX_START)
        {
            LeaveOutTimeSinceLastAck();
        }
    }

    /// The socket calls this for an ACK of new data, outside of recovery.
    void IncreaseWindow(ns3::Ptr<State> tcb, uint32_t segmentsAcked) override
    {
        if (m_asNs3)
        {
            m_ns3.IncreaseWindow(tcb, segmentsAcked);
            return;
        }
        // The ACK that ends a recovery newly delivers the last hole; ns-3 counts a whole window.
        const uint32_t delivered = m_endsRecovery ? std::min(segmentsAcked, 1u) : segmentsAcked;
        m_endsRecovery = false;
        if (!tcb->m_isCwndLimited || delivered == 0) // section 5.8
        {
            LeaveOutTimeSinceLastAck();
            return;
        }
        m_lastAckS = ns3::Simulator::Now().GetSeconds();
        const double w = GetWindow(tcb);
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            const bool hystart = m_useHystart && m_firstSlowStart;
            SetWindow(tcb, w + (hystart ? m_hystart.OnAck(tcb, delivered) : 1));
            return;
        }
        SetWindow(tcb, AvoidCongestion(w, delivered, tcb->m_srtt.Get().GetSeconds()));
    }

  private:
    /// Sections 4.2 to 4.5: the window after an ACK of so many segments.
    double AvoidCongestion(double w, uint32_t segmentsAcked, double rttS)
    {
        if (m_epochS < 0)
        {
            m_epochS = m_lastAckS;
            m_maxWindow = std::max(m_maxWindow, w);
            const double below = m_rfc8312 ? m_maxWindow * (1 - m_beta) : m_maxWindow - w;
            m_k = m_maxWindow > w ? CubeRoot(below / m_c) : 0; // (2)
            m_renoWindow = w;
        }
        const double t = m_lastAckS - m_epochS;
        const double alpha = 3 * (1 - m_beta) / (1 + m_beta);
        if (m_rfc8312)
        {
            m_renoWindow = m_maxWindow * m_beta + alpha * t / rttS; // its (4)
        }
        else
        {
            const bool raised = !m_asLinux && m_renoWindow >= m_priorWindow;
            m_renoWindow += (raised ? 1 : alpha) * segmentsAcked / w; // (4)
        }
        if (m_renoFriendly && Cubic(t) < m_renoWindow)
        {
            return std::max(w, m_renoWindow);
        }
        const double most = m_rfc8312 ? INFINITY : 1.5 * w;
        return w + (std::clamp(Cubic(t + rttS), w, most) - w) / w;
    }

    /// W_cubic(t), (1).
    double Cubic(double t) const
    {
        const double d = t - m_k;
        return m_c * (d * d * d) + m_maxWindow;
    }

    /// The cube root of a positive number, to the last digit: C++ libraries differ in it, and a
    /// simulation would with them. What the library gives is corrected by Newton's method in twice
    /// its precision.
    static double CubeRoot(double x)
    {
        const double root = std::cbrt(x);
        const double square = root * root;
        const double cube = square * root;
        const double rest = std::fma(square, root, -cube) + std::fma(root, root, -square) * root;
        return root - ((cube - x) + rest) / (3 * square);
    }

    void LeaveOutTimeSinceLastAck()
    {
        const double now = ns3::Simulator::Now().GetSeconds();
        m_epochS += m_epochS < 0 ? 0 : now - m_lastAckS;
        m_lastAckS = now;
    }

    /// The window in segments, with the fraction of a byte that m_cWnd cannot hold.
    double GetWindow(ns3::Ptr<const State> tcb) const
    {
        return (tcb->m_cWnd.Get() + m_fraction) / tcb->m_segmentSize;
    }

    void SetWindow(ns3::Ptr<State> tcb, double segments)
    {
        const double bytes = std::min<double>(segments * tcb->m_segmentSize, 0x7fffffff);
        tcb->m_cWnd = static_cast<uint32_t>(bytes);
        m_fraction = bytes - std::floor(bytes);
    }

    double m_c{};                //!< C
    double m_beta{};             //!< beta
    bool m_fastConvergence{};    //!< section 4.7
    bool m_renoFriendly{};       //!< section 4.3
    bool m_useHystart{};         //!< section 4.10
    bool m_rfc8312{};            //!< growth by RFC 8312
    bool m_asNs3{};              //!< with the faults of ns-3 3.44
    bool m_asLinux{};            //!< W_est as in Linux 6.12
    double m_fraction{0};        //!< of a byte of the window
    double m_maxWindow{0};       //!< W_max, in segments; 0: none
    double m_priorWindow{0};     //!< cwnd_prior, in segments
    double m_renoWindow{0};      //!< W_est, in segments
    double m_k{0};               //!< K, in s
    double m_epochS{-1};         //!< when congestion avoidance began; negative: it has not
    double m_lastAckS{0};        //!< time of the last ACK
    bool m_firstSlowStart{true}; //!< no loss so far
    bool m_endsRecovery{false};  //!< the next ACK that may open the window ends a recovery
    HyStart m_hystart;
    CubicNs3 m_ns3; //!< what ns-3 does instead
};

NS_OBJECT_ENSURE_REGISTERED(TcpCubic);

} // namespace longfat

#endif
