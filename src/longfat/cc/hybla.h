// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Hybla (paper: hybla, equation 1; C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement
// for heterogeneous networks", 2004).
//
// For every ACK that the sender receives, with rho = RTT / RTT_0,
//
//     slow start             W <- W + 2^rho - 1            (1), first line
//     congestion avoidance   W <- W + rho^2 / W            (1), second line
//
// so that the window grows as fast, in time, as that of a NewReno connection with RTT_0.
//
// Where ns-3's own TcpHybla stops working at large rho (2^22 segments do not fit 32 bits of bytes),
// this class counts the window in segments, in floating point, and caps it at W_m (MaxWindow).
//
// An ACK that ends loss recovery acknowledges a whole window that selective acknowledgments had
// reported before, and ns-3 passes that window on as segmentsAcked. It is still one ACK, so it
// earns one increment.

/* catalogue
title = "TCP Hybla"
type_id = "longfat::TcpHybla"
source = "paper hybla, equation (1); Caini and Firrincieli 2004"
caps_window = true
linux = "hybla"
[parameters]
rtt0_s = {attribute = "Rtt0", linux = "tcp_hybla/parameters/rtt0"}
*/

#ifndef LONGFAT_HYBLA_H
#define LONGFAT_HYBLA_H

#include "fractional-window.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>

namespace longfat
{

class TcpHybla : public TcpFractionalWindow
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHybla")
                .SetParent<TcpFractionalWindow>()
                .AddConstructor<TcpHybla>()
                .AddAttribute("Rtt0",
                              "round-trip time of the reference connection",
                              ns3::TimeValue(ns3::MilliSeconds(25)),
                              ns3::MakeTimeAccessor(&TcpHybla::m_rtt0),
                              ns3::MakeTimeChecker(ns3::MicroSeconds(1), ns3::Seconds(10)));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHybla>(this);
    }

    /// The ratio rho, from the smallest round trip seen; never below 1, a Reno connection.
    double GetRho(ns3::Ptr<const ns3::TcpSocketState> tcb) const
    {
        if (tcb->m_minRtt == ns3::Time::Max())
        {
            return 1.0;
        }
        return std::max(1.0, tcb->m_minRtt.GetSeconds() / m_rtt0.GetSeconds());
    }

    /// The handshake has measured a round trip: the first window is rho (before equation 25).
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t /* state */) override
    {
        if (!m_started)
        {
            m_started = true;
            SetWindow(tcb, std::max(GetRho(tcb), GetWindow(tcb)));
        }
    }

    /// A loss halves the window (before equation 4), down to two segments at least.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb,
                         uint32_t /* bytesInFlight */) override
    {
        return std::max(2 * tcb->m_segmentSize, tcb->m_cWnd.Get() / 2);
    }

    /// Equation (1). ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (segmentsAcked == 0)
        {
            return;
        }
        if (m_minRtt != tcb->m_minRtt)
        {
            m_minRtt = tcb->m_minRtt;
            const double rho = GetRho(tcb);
            m_slowStartGain = std::exp2(rho);
            m_avoidanceGain = rho * rho;
        }
        const double window = GetWindow(tcb);
        const double threshold = double(tcb->m_ssThresh.Get()) / tcb->m_segmentSize;
        if (window < threshold)
        {
            SetWindow(tcb, std::min(window + m_slowStartGain - 1, threshold));
        }
        else
        {
            SetWindow(tcb, window + m_avoidanceGain / window);
        }
    }

  private:
    ns3::Time m_rtt0;          //!< RTT_0
    bool m_started{false};     //!< the window has been set to rho
    ns3::Time m_minRtt{-1};    //!< round trip that both gains are of; -1: none yet
    double m_slowStartGain{0}; //!< 2^rho
    double m_avoidanceGain{0}; //!< rho^2
};

NS_OBJECT_ENSURE_REGISTERED(TcpHybla);

} // namespace longfat

#endif
