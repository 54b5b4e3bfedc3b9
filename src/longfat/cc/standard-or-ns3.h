// SPDX-License-Identifier: GPL-2.0-only
//
// What the algorithms share that ns-3 has too: standard TCP's window (standard.h), by the RFCs or,
// with AsNs3, exactly as ns-3 3.44 has it. Where the two differ:
//
//     growth      RFC 5681, equation (3), adds SMSS^2 / cwnd bytes for an ACK; ns-3 a whole number
//                 of bytes and at least one, and whole segments in the classes that count ACKs.
//     credit      RFC 5681, 3.1: an ACK earns one increment. ns-3's classes that count segments get
//                 all of a window at once from the ACK that ends a recovery (sender.h).
//     idle        RFC 7661, 4.3: a window that is not filled does not grow. In ns-3 it does.
//     loss        RFC 5681, equation (4), takes its part of FlightSize, the window of a sender that
//                 fills it; ns-3 of what is in flight by RFC 6675, without what SACK has reported.
//     round trip  ns-3 tells PktsAcked the smoothed one; the last one is m_lastRtt.

#ifndef LONGFAT_STANDARD_OR_NS3_H
#define LONGFAT_STANDARD_OR_NS3_H

#include "segment-counting.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

namespace longfat
{

class TcpStandardOrNs3 : public TcpSegmentCounting
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpStandardOrNs3").SetParent<TcpSegmentCounting>();
        return tid;
    }

    /// Half, or 1 - GetDecrease, of the window; of what is in flight in ns-3.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        return m_asNs3 ? ns3::TcpNewReno::GetSsThresh(tcb, bytesInFlight)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

    /// Slow start, or GetIncrease segments a round trip.
    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_asNs3)
        {
            ns3::TcpNewReno::IncreaseWindow(tcb, segmentsAcked); // calls the two below
        }
        else
        {
            TcpStandard::IncreaseWindow(tcb, segmentsAcked);
        }
    }

  protected:
    uint32_t SlowStart(Tcb tcb, uint32_t segmentsAcked) override
    {
        uint32_t left = 0;
        if (m_asNs3)
        {
            left = ns3::TcpNewReno::SlowStart(tcb, segmentsAcked);
            Cap(tcb);
        }
        else if (segmentsAcked > 0)
        {
            Grow(tcb, GetSlowStartIncrement(GetWindow(tcb)));
        }
        return left;
    }

    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_asNs3)
        {
            ns3::TcpNewReno::CongestionAvoidance(tcb, segmentsAcked);
            Cap(tcb);
        }
        else if (segmentsAcked > 0)
        {
            const double w = GetWindow(tcb);
            Grow(tcb, GetIncrease(w) / w);
        }
    }

    /// Raise the window by that many segments, if the sender fills it.
    void Grow(Tcb tcb, double segments)
    {
        if (tcb->m_isCwndLimited)
        {
            SetWindow(tcb, GetWindow(tcb) + segments);
        }
    }
};

} // namespace longfat

#endif
