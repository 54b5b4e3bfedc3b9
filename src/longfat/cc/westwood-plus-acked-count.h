// SPDX-License-Identifier: GPL-2.0-only
//
// How Westwood+ counts a segment once, when an ACK reports that it has arrived: duplicate ACKs count for
// one, and the ACK that then acknowledges their segments does not count them again (AckedCount of
// S. Mascolo et al., "TCP Westwood", 2001, section 3). Here an ACK takes off one report fewer than it
// acknowledges at most, for the segment that was retransmitted; acked-count.h takes off as many.
//
// Linux 6.12 (tcp_westwood.c) takes what duplicate ACKs have reported off from ACKs that carry SACK
// blocks, but not from the one that ends a recovery: that has none, goes Linux's fast path, and counts
// all that it acknowledges, so that the bytes of a recovery count twice.

#ifndef LONGFAT_WESTWOOD_PLUS_ACKED_COUNT_H
#define LONGFAT_WESTWOOD_PLUS_ACKED_COUNT_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class WestwoodPlusAckedCount
{
  public:
    /// Segments that an ACK reports as arrived and none before it did.
    uint32_t OnAck(ns3::Ptr<const ns3::TcpSocketState> tcb, bool asLinux)
    {
        const uint32_t acked = (tcb->m_lastAckedSeq - m_lastAcked) / tcb->m_segmentSize;
        m_lastAcked = tcb->m_lastAckedSeq;
        if (acked == 0)
        {
            ++m_reported;
            return 1;
        }
        if (asLinux && m_reported < acked) // no SACK block is left
        {
            m_reported = 0;
            return acked;
        }
        const uint32_t before = std::min(m_reported, acked - 1);
        m_reported -= before;
        return acked - before;
    }

  private:
    ns3::SequenceNumber32 m_lastAcked{0}; //!< highest byte acknowledged by the last ACK
    uint32_t m_reported{0};               //!< segments that duplicate ACKs have reported
};

} // namespace longfat

#endif
