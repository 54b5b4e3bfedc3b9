// SPDX-License-Identifier: GPL-2.0-only
//
// XCP's sender (D. Katabi, M. Handley and C. Rohrs, "Congestion control for high bandwidth-delay
// product networks", SIGCOMM 2002, section 3.3; draft-falk-xcp-spec-03, section 3).
//
// Every segment's header says the round trip and the spacing of segments, RTT / W, and routers write
// into it by how much the rate may change. For an ACK that brings the change H (bytes/s),
//
//     W <- max(W + H RTT, s)
//
// A loss halves the window as TCP's does. While a router on the way does not speak XCP, or the
// receiver, the sender is NewReno (the paper's section on gradual deployment: it reverts to TCP).

/* catalogue
title = "XCP"
type_id = "longfat::TcpXcp"
source = "Katabi, Handley and Rohrs 2002; draft-falk-xcp-spec-03; paper survey"
caps_window = true
signals = ["router feedback"]
*/

#ifndef LONGFAT_XCP_H
#define LONGFAT_XCP_H

#include "fractional-window.h"
#include "router-feedback.h"

#include <algorithm>
#include <limits>

namespace longfat
{

class TcpXcp : public TcpFractionalWindow, public RouterFeedback
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpXcp")
                                     .SetParent<TcpFractionalWindow>()
                                     .AddConstructor<TcpXcp>();
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpXcp>(this);
    }

    Request Ask(ns3::Ptr<const ns3::TcpSocketState> tcb) const override
    {
        constexpr double ANY = std::numeric_limits<double>::infinity();
        if (tcb->m_lastRtt.Get().IsZero())
        {
            return {0, 0, ANY};
        }
        const double rttS = tcb->m_srtt.Get().GetSeconds();
        return {rttS, rttS / GetWindow(tcb), ANY};
    }

    void OnFeedback(ns3::Ptr<ns3::TcpSocketState> tcb, double change) override
    {
        m_isTold = true;
        if (tcb->m_congState != ns3::TcpSocketState::CA_RECOVERY)
        {
            const double bytes = change * tcb->m_srtt.Get().GetSeconds();
            SetWindow(tcb, std::max(1.0, GetWindow(tcb) + bytes / tcb->m_segmentSize));
        }
    }

    void OnSilence() override
    {
        m_isTold = false;
    }

    /// Routers tell the window; where they do not, it grows as NewReno's.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (!m_isTold && segmentsAcked > 0)
        {
            const double window = GetWindow(tcb);
            const bool early = tcb->m_cWnd < tcb->m_ssThresh;
            SetWindow(tcb, window + (early ? 1 : 1 / window));
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return std::max(2 * tcb->m_segmentSize, bytesInFlight / 2);
    }

  private:
    bool m_isTold{false}; //!< by routers, how to change the window
};

NS_OBJECT_ENSURE_REGISTERED(TcpXcp);

} // namespace longfat

#endif
