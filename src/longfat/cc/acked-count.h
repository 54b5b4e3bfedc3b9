// SPDX-License-Identifier: GPL-2.0-only
//
// The procedure AckedCount of Westwood's authors (S. Mascolo et al., "TCP Westwood", MobiCom 2001,
// section 3): an ACK that fills a hole acknowledges segments that duplicate ACKs reported before;
// they count once.

#ifndef LONGFAT_ACKED_COUNT_H
#define LONGFAT_ACKED_COUNT_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class AckedCount
{
  public:
    /// Segments that this ACK reports as arrived and no ACK before it did.
    uint32_t Count(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const auto acked = tcb->m_lastAckedSeq;
        uint32_t count = m_hasAck ? (acked - m_lastAcked) / tcb->m_segmentSize : 1;
        m_lastAcked = acked;
        m_hasAck = true;
        if (count == 0) // a duplicate ACK: some segment arrived
        {
            ++m_accounted;
            return 1;
        }
        if (count > 1)
        {
            const uint32_t before = std::min(m_accounted, count);
            m_accounted -= before;
            count = std::max(1u, count - before); // what was retransmitted has arrived now
        }
        return count;
    }

  private:
    ns3::SequenceNumber32 m_lastAcked; //!< highest byte acknowledged by the last ACK
    bool m_hasAck{false};              //!< there was one
    uint32_t m_accounted{0};           //!< segments that duplicate ACKs have reported
};

} // namespace longfat

#endif
