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

#include "standard.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

namespace longfat
{

class TcpStandardOrNs3 : public TcpStandard
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpStandardOrNs3")
                .SetParent<TcpStandard>()
                .AddAttribute("AsNs3",
                              "do as ns-3 3.44's own class does, faults included",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpStandardOrNs3::m_asNs3),
                              ns3::MakeBooleanChecker());
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

    static bool IsInSlowStart(ns3::Ptr<const State> tcb)
    {
        return tcb->m_cWnd.Get() < tcb->m_ssThresh.Get();
    }

    /// ns-3 calculates in whole segments.
    double Whole(double segments) const
    {
        return m_asNs3 ? std::floor(segments) : segments;
    }

    /// The window, in segments.
    double Segments(ns3::Ptr<const State> tcb) const
    {
        return m_asNs3 ? tcb->m_cWnd.Get() / tcb->m_segmentSize : GetWindow(tcb);
    }

    // What ns-3's classes that count segments share

    /// A part of the segments in flight, two at least, in bytes.
    static uint32_t Part(ns3::Ptr<const State> tcb, uint32_t bytesInFlight, double part)
    {
        const uint32_t inFlight = bytesInFlight / tcb->m_segmentSize;
        return static_cast<uint32_t>(std::max(2.0, part * inFlight)) * tcb->m_segmentSize;
    }

    /// Add a segment for every w that are counted.
    void AddCounted(Tcb tcb, uint32_t& count)
    {
        const auto w = static_cast<uint32_t>(Segments(tcb));
        uint32_t added = 0;
        for (; count >= w + added; ++added)
        {
            count -= w + added;
        }
        AddWholeSegments(tcb, added);
    }

    void AddWholeSegments(Tcb tcb, uint32_t segments)
    {
        if (segments > 0)
        {
            SetWindow(tcb, Segments(tcb) + segments);
        }
    }

    void AddBytes(Tcb tcb, uint32_t bytes)
    {
        tcb->m_cWnd += bytes;
        Cap(tcb);
    }

    /// Count ACKs as ns-3's TcpScalable; returns the segments that `w` of them each add.
    static uint32_t CountAcks(uint32_t& count, uint32_t acks, uint32_t w)
    {
        uint32_t added = 0;
        if (count >= w) // the window has shrunk
        {
            count = 0;
            ++added;
        }
        count += acks;
        if (count >= w)
        {
            added += count / w;
            count = 0;
        }
        return added;
    }

    bool m_asNs3{}; //!< do as ns-3 3.44 does

  private:
    /// The largest window holds in either case.
    void Cap(Tcb tcb)
    {
        if (GetWindow(tcb) > GetMaxWindow())
        {
            SetWindow(tcb, GetMaxWindow());
        }
    }
};

} // namespace longfat

#endif
