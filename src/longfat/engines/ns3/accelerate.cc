// SPDX-License-Identifier: GPL-2.0-only
//
// Scoreboard accelerator, for ns-3 3.44 and no other version.
//
// ns-3 walks the whole list of segments in flight for every segment that it sends. With thousands
// of segments in flight that is most of a simulation's time. The functions here give the same
// answers as those of ns-3 (src/internet/model/tcp-tx-buffer.cc) without the walk.
//
// ns-3's libraries call each other through the procedure linkage table, so that a shared object
// which defines these symbols and is loaded before ns-3 takes their place. Each function is a
// member of ns-3's own class and could stand in ns-3's source as it is.

#include "ns3/tcp-tx-buffer.h"

#include "ns3/packet.h"

#include <algorithm>

namespace ns3
{

bool
TcpTxBuffer::NextSeg(SequenceNumber32* seq, SequenceNumber32* seqHigh, bool isRecovery) const
{
    const bool unsent = SizeFromSequence(m_firstByteSeq + m_sentSize) > 0;

    // RFC 6675, NextSeg, rule 1: the first lost segment that was not sent again. No segment
    // behind the last lost one can be it. Rule 3 needs the first that is not even lost, but only
    // where there is nothing new to send.
    SequenceNumber32 rule3;
    bool rule3Valid = false;
    const bool lookForRule3 = isRecovery && !unsent;
    uint32_t lostAhead = m_lostOut;
    SequenceNumber32 begin = m_firstByteSeq;
    for (auto it = m_sentList.begin();
         it != m_sentList.end() && (lostAhead > 0 || (lookForRule3 && !rule3Valid));
         ++it)
    {
        const TcpTxItem* item = *it;
        const uint32_t size = item->m_packet->GetSize();
        if (!item->m_retrans && !item->m_sacked &&
            (!m_sackSeen || item->m_startSeq < m_highestSack.second))
        {
            if (item->m_lost)
            {
                *seq = begin;
                *seqHigh = begin + m_segmentSize;
                return true;
            }
            if (isRecovery && rule3.GetValue() == 0)
            {
                rule3 = begin;
                rule3Valid = true;
            }
        }
        if (item->m_lost)
        {
            lostAhead -= std::min(lostAhead, size);
        }
        begin += size;
    }

    // Rule 2: new data, as far as the receiver's window allows.
    if (unsent)
    {
        const uint32_t window = m_rWndCallback();
        if (m_sentSize >= window)
        {
            return false;
        }
        *seq = m_firstByteSeq + m_sentSize;
        *seqHigh = *seq + std::min(m_segmentSize, window - m_sentSize);
        return true;
    }

    if (rule3Valid)
    {
        *seq = rule3;
        *seqHigh = rule3 + m_segmentSize;
        return true;
    }
    return false;
}

} // namespace ns3
