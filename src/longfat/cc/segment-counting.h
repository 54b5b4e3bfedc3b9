// SPDX-License-Identifier: GPL-2.0-only
//
// What ns-3's classes share that count the segments of ACKs, as Linux's do, where RFC 5681 adds
// bytes: the window grows by one segment after so many.

#ifndef LONGFAT_SEGMENT_COUNTING_H
#define LONGFAT_SEGMENT_COUNTING_H

#include "as-ns3.h"

namespace longfat
{

class TcpSegmentCounting : public TcpAsNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpSegmentCounting").SetParent<TcpAsNs3>();
        return tid;
    }

  protected:
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
};

} // namespace longfat

#endif
