// SPDX-License-Identifier: GPL-2.0-only
//
// Standard TCP's window as general AIMD (paper: survey, equations 1, 2 and 14 to 16; RFC 5681), with
// limited slow start (RFC 3742) on demand.
//
// For every ACK, with windows in segments,
//
//     slow start             w <- w + 1
//       limited, w > m       w <- w + 1 / K,  K = int(w / (m / 2)),  m = max_ssthresh
//     congestion avoidance   w <- w + a(w) / w            a(w) = 1
//
// and for every loss event w <- w (1 - b(w)), b(w) = 1/2. HSTCP and Scalable TCP change a and b.
//
// Where ns-3's own TcpNewReno stops being right on a long fat pipe, this class counts the window in
// floating point: ns-3 adds a whole number of bytes an ACK and at least one, so that from a window of
// MSS segments on it grows by one byte an ACK, which is more than MSS bytes a round trip.
//
// An ACK is one ACK, however many segments it acknowledges: ns-3 passes the whole window on as
// segmentsAcked when a recovery ends. A window that the sender cannot fill does not grow.

/* catalogue
title = "standard TCP, with limited slow start on demand"
type_id = "longfat::TcpStandard"
source = "paper survey, equations (1), (2), (14) to (16); RFC 5681; RFC 3742"
caps_window = true
[parameters]
max_ssthresh_segments = {attribute = "MaxSsThresh"}
*/

#ifndef LONGFAT_STANDARD_H
#define LONGFAT_STANDARD_H

#include "fractional-window.h"

#include <algorithm>
#include <cmath>

namespace longfat
{

class TcpStandard : public TcpFractionalWindow
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpStandard")
                .SetParent<TcpFractionalWindow>()
                .AddConstructor<TcpStandard>()
                .AddAttribute("MaxSsThresh",
                              "window from which on slow start is limited (RFC 3742); 0: never",
                              ns3::UintegerValue(0),
                              ns3::MakeUintegerAccessor(&TcpStandard::m_maxSsThresh),
                              ns3::MakeUintegerChecker<uint32_t>(0, 1'000'000));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpStandard>(this);
    }

    /// a(w): segments by which a round trip raises a window of w segments (equations 16 to 18).
    virtual double GetIncrease(double /* w */) const
    {
        return 1;
    }

    /// b(w): the part of a window of w segments that a loss takes away (equation 15).
    virtual double GetDecrease(double /* w */) const
    {
        return 0.5;
    }

    /// What an ACK adds in slow start, in segments (equation 1; RFC 3742, section 2).
    double GetSlowStartIncrement(double w) const
    {
        if (m_maxSsThresh == 0 || w <= m_maxSsThresh)
        {
            return 1;
        }
        return 1 / std::floor(w / (m_maxSsThresh / 2.0));
    }

    /// A loss event, down to two segments at least (equation 15).
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb,
                         uint32_t /* bytesInFlight */) override
    {
        const double w = GetWindow(tcb);
        return std::max(2.0, w * (1 - GetDecrease(w))) * tcb->m_segmentSize;
    }

    /// Equations (1) and (14). ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (segmentsAcked == 0 || !tcb->m_isCwndLimited)
        {
            return;
        }
        const double w = GetWindow(tcb);
        const double threshold = double(tcb->m_ssThresh.Get()) / tcb->m_segmentSize;
        if (w < threshold)
        {
            SetWindow(tcb, std::min(w + GetSlowStartIncrement(w), threshold));
        }
        else
        {
            SetWindow(tcb, w + GetIncrease(w) / w);
        }
    }

  private:
    uint32_t m_maxSsThresh{}; //!< max_ssthresh, in segments
};

NS_OBJECT_ENSURE_REGISTERED(TcpStandard);

} // namespace longfat

#endif
