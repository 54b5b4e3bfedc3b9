// SPDX-License-Identifier: GPL-2.0-only
//
// Scoreboard accelerator, for ns-3 3.44 and no other version.
//
// ns-3 walks the whole list of segments in flight for every segment that it sends, and for every
// ACK while it recovers from a loss; to find a segment that is sent again, it compares that list
// with itself at every step. With thousands of segments in flight that is nearly all of a
// simulation's time. The functions here replace those of ns-3 (src/internet/model/tcp-tx-buffer.cc
// and tcp-rx-buffer.cc) that walk, or that change what the walks would find; at the end of the file
// are small ones that every packet needs. Every result is the same, to the last digit. Only ns-3's
// log lines are missing from what is replaced: LONGFAT_ACCELERATE=0 brings them back.
//
// Before each function stands what it costs in ns-3 and here; W is the number of segments in flight.
// examples/ns3/scoreboard.md has the measurements.
//
// ns-3's libraries call each other's functions, and those of their other source files, by name
// through the procedure linkage table: a shared object that defines these symbols and is loaded
// before ns-3 takes their place. Calls within a source file are not by name, so that what such a
// call reaches is replaced together with its callers. Each function is a member of ns-3's own class
// and could stand in ns-3's source as it is, with Hints as a member of TcpTxBuffer: here the layout
// of that class is fixed, and a table holds them.

#include "ns3/abort.h"
#include "ns3/address.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/buffer.h"
#include "ns3/data-rate.h"
#include "ns3/fatal-error.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-address.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/string.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-option-sack-permitted.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option-winscale.h"
#include "ns3/tcp-option.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <list>
#include <optional>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace
{

using Position = std::list<ns3::TcpTxItem*>::const_iterator;

/// Segments next to each other in the list of sent segments that are all SACKed.
struct SackedRun
{
    ns3::SequenceNumber32 first;   //!< where the run begins
    Position last;                 //!< its last segment
    ns3::SequenceNumber32 lastSeq; //!< where that segment begins
};

/// What the last walk along the list of sent segments has shown, so that the next can be shorter.
/// Segments are ordered by sequence number; "before" and "up to" mean that order.
struct Hints
{
    Position retransmit;             //!< none before it is lost, unSACKed and not sent again
    Position untouched;              //!< all before it are SACKed or sent again (or lost)
    Position nearby;                 //!< where the last search for a sequence number ended
    std::optional<Position> decided; //!< all up to it are SACKed or lost
    std::vector<SackedRun> sacked;   //!< what the receiver reported last

    /// Forget everything: the marks of some segments have been taken back.
    void Forget(Position head)
    {
        retransmit = untouched = nearby = head;
        decided.reset();
        sacked.clear();
    }

    /// A segment is about to leave the head of the list.
    void Leave(Position segment)
    {
        for (Position* hint : {&retransmit, &untouched, &nearby})
        {
            if (*hint == segment)
            {
                ++*hint;
            }
        }
        if (decided == segment)
        {
            decided.reset();
        }
        std::erase_if(sacked, [&](const SackedRun& run) { return run.last == segment; });
    }
};

/// The hints of a buffer. They are fresh whenever its list of sent segments begins to fill, so that
/// those of a buffer that is gone do not matter to another at the same address.
Hints&
HintsOf(const ns3::TcpTxBuffer* buffer)
{
    static std::unordered_map<const ns3::TcpTxBuffer*, Hints> all;
    static const ns3::TcpTxBuffer* lastBuffer = nullptr;
    static Hints* lastHints = nullptr;
    if (buffer != lastBuffer)
    {
        lastBuffer = buffer;
        lastHints = &all[buffer];
    }
    return *lastHints;
}

} // namespace

namespace ns3
{

// What to send next

// Called for every segment that is sent. ns-3 looks at all W segments for a lost one, and again for
// one of which nothing is known: O(W), also when nothing was ever lost. Marks are set in the order of
// sequence numbers, as a rule, so that the search goes on where the last one ended: O(1) amortised.
bool
TcpTxBuffer::NextSeg(SequenceNumber32* seq, SequenceNumber32* seqHigh, bool isRecovery) const
{
    Hints& hints = HintsOf(this);
    const Position end = m_sentList.end();
    // Once there are SACKs, only what lies below the highest of them can be retransmitted.
    auto inReach = [this](const TcpTxItem* item) {
        return !m_sackSeen || item->m_startSeq < m_highestSack.second;
    };

    // RFC 6675, NextSeg, rule 1: the first lost segment.
    if (!m_sentList.empty())
    {
        Position& it = hints.retransmit;
        while (it != end && inReach(*it) && ((*it)->m_retrans || (*it)->m_sacked || !(*it)->m_lost))
        {
            ++it;
        }
        if (it != end && inReach(*it))
        {
            *seq = (*it)->m_startSeq;
            *seqHigh = *seq + m_segmentSize;
            return true;
        }
    }

    // Rule 2: new data, as far as the receiver's window allows.
    if (SizeFromSequence(m_firstByteSeq + m_sentSize) > 0)
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

    // Rule 3: the first segment that nothing is known about. ns-3 takes the number 0 for "none".
    bool found = false;
    if (isRecovery && !m_sentList.empty())
    {
        Position& it = hints.untouched;
        while (it != end && inReach(*it) && ((*it)->m_retrans || (*it)->m_sacked))
        {
            ++it;
        }
        for (Position candidate = it; candidate != end && inReach(*candidate); ++candidate)
        {
            if (!(*candidate)->m_retrans && !(*candidate)->m_sacked)
            {
                found = true;
                *seq = (*candidate)->m_startSeq;
                *seqHigh = *seq + m_segmentSize;
                if (seq->GetValue() != 0)
                {
                    break;
                }
            }
        }
    }
    return found;
}

// As in ns-3; here because it calls the next two.
TcpTxItem*
TcpTxBuffer::CopyFromSequence(uint32_t numBytes, const SequenceNumber32& seq)
{
    NS_ABORT_MSG_IF(m_firstByteSeq > seq,
                    "Requested a sequence number which is not in the buffer anymore");
    const uint32_t size = std::min(numBytes, SizeFromSequence(seq));
    if (size == 0)
    {
        return nullptr;
    }
    const SequenceNumber32 firstUnsent = m_firstByteSeq + m_sentSize;
    TcpTxItem* item = nullptr;
    if (firstUnsent >= seq + size)
    {
        item = GetTransmittedSegment(size, seq);
        NS_ASSERT(!item->m_sacked);
    }
    else if (firstUnsent <= seq)
    {
        NS_ABORT_MSG_UNLESS(firstUnsent == seq, "Requesting a piece of new data with an hole");
        item = GetNewSegment(size);
        NS_ASSERT(!item->m_retrans);
    }
    else
    {
        // The first part was sent before: that part alone.
        return CopyFromSequence(firstUnsent - seq, seq);
    }
    item->m_lastSent = Simulator::Now();
    NS_ASSERT(item->m_startSeq >= m_firstByteSeq);
    return item;
}

// ns-3 searches the application's list for the bytes to send, from its head, where they always are,
// and merges and splits on the way: O(1), three allocations saved.
TcpTxItem*
TcpTxBuffer::GetNewSegment(uint32_t numBytes)
{
    Hints& hints = HintsOf(this);
    const SequenceNumber32 begin = m_firstByteSeq + m_sentSize;

    // As a rule the application has written segment by segment: no need to merge or split.
    TcpTxItem* item = m_appList.front();
    if (item->m_packet->GetSize() != numBytes)
    {
        item = GetPacketFromList(m_appList, begin, numBytes, begin);
    }
    item->m_startSeq = begin;

    const bool first = m_sentList.empty();
    m_sentList.splice(m_sentList.end(),
                      m_appList,
                      std::find(m_appList.begin(), m_appList.end(), item));
    m_sentSize += item->m_packet->GetSize();
    if (first || item->m_lost || item->m_retrans || item->m_sacked)
    {
        hints.Forget(m_sentList.begin());
    }
    return item;
}

// Called for every retransmission. ns-3 walks to the segment, and at each step an assertion compares
// the list with itself: O(W^2). NextSeg has just found the segment: O(1).
TcpTxItem*
TcpTxBuffer::GetTransmittedSegment(uint32_t numBytes, const SequenceNumber32& seq)
{
    Hints& hints = HintsOf(this);
    NS_ASSERT(seq >= m_firstByteSeq);
    NS_ASSERT(numBytes <= m_sentSize);
    NS_ASSERT(!m_sentList.empty());

    Position it = hints.retransmit;
    if (it == m_sentList.end() || (*it)->m_startSeq != seq)
    {
        it = std::find_if(m_sentList.begin(), m_sentList.end(), [&](const TcpTxItem* item) {
            return item->m_startSeq == seq;
        });
    }

    // Segments are merged only when they have the same fate.
    uint32_t size = numBytes;
    if (it != m_sentList.end())
    {
        uint32_t available = (*it)->m_packet->GetSize();
        const Position next = std::next(it);
        if (next != m_sentList.end() && !(*next)->m_sacked && (*it)->m_lost == (*next)->m_lost)
        {
            available += (*next)->m_packet->GetSize();
        }
        size = std::min(size, available);
    }

    TcpTxItem* item;
    if (it != m_sentList.end() && (*it)->m_packet->GetSize() == size)
    {
        item = *it;
    }
    else
    {
        item = GetPacketFromList(m_sentList, m_firstByteSeq, size, seq);
        hints.Forget(m_sentList.begin());
    }

    if (!item->m_retrans)
    {
        m_retrans += item->m_packet->GetSize();
        item->m_retrans = true;
    }
    return item;
}

// What an ACK reports

// As in ns-3; here because what leaves the list must leave the hints.
void
TcpTxBuffer::DiscardUpTo(const SequenceNumber32& seq, const Callback<void, TcpTxItem*>& beforeDelCb)
{
    if (m_firstByteSeq >= seq)
    {
        return;
    }
    Hints& hints = HintsOf(this);
    uint32_t left = seq - m_firstByteSeq.Get(); // bytes still to be removed
    while (m_size > 0 && left > 0)
    {
        if (m_sentList.empty())
        {
            CopyFromSequence(left, m_firstByteSeq);
        }
        const auto head = m_sentList.begin();
        TcpTxItem* item = *head;
        const uint32_t size = item->m_packet->GetSize();
        NS_ASSERT_MSG(item->m_startSeq == m_firstByteSeq,
                      "Item starts at " << item->m_startSeq << " while SND.UNA is "
                                        << m_firstByteSeq << " from " << *this);
        const uint32_t gone = std::min(left, size);
        m_size -= gone;
        m_sentSize -= gone;
        left -= gone;
        if (gone == size)
        {
            m_firstByteSeq += gone;
            RemoveFromCounts(item, gone);
            hints.Leave(head);
            m_sentList.erase(head);
            if (!beforeDelCb.IsNull())
            {
                beforeDelCb(item);
            }
            delete item;
        }
        else
        {
            item->m_packet = item->m_packet->CreateFragment(gone, size - gone);
            item->m_startSeq += gone;
            m_firstByteSeq += gone;
            RemoveFromCounts(item, gone);
        }
    }
    if (m_size == 0)
    {
        m_firstByteSeq = seq; // the FIN is acknowledged
    }

    if (!m_sentList.empty())
    {
        TcpTxItem* head = m_sentList.front();
        if (head->m_sacked)
        {
            // A SACKed head would have been acknowledged: the guess from duplicate ACKs was wrong.
            NS_ASSERT(!head->m_lost);
            head->m_sacked = false;
            m_sackedOut -= head->m_packet->GetSize();
            hints.Forget(m_sentList.begin());
            AddRenoSack();
            MarkHeadAsLost();
        }
        NS_ASSERT_MSG(head->m_startSeq == seq,
                      "While removing up to " << seq << " we get SND.UNA to " << m_firstByteSeq
                                              << " this is the result: " << *this);
    }

    if (m_highestSack.second <= m_firstByteSeq)
    {
        m_sackSeen = false;
        m_highestSack = std::make_pair(m_sentList.end(), SequenceNumber32(0));
    }
    NS_ASSERT(m_firstByteSeq >= seq);
    NS_ASSERT(m_sentSize >= m_sackedOut + m_lostOut);
}

// Called for every ACK with SACK blocks. ns-3 walks from the head to the end of each block: O(W) an
// ACK, though an ACK reports one or two segments more than the last. Here the walk starts where the
// block, as it was reported last, ended: O(segments newly reported).
uint32_t
TcpTxBuffer::Update(const TcpOptionSack::SackList& list, const Callback<void, TcpTxItem*>& sackedCb)
{
    Hints& hints = HintsOf(this);
    std::vector<SackedRun> reported;
    uint32_t bytesSacked = 0;
    for (const auto& [blockBegin, blockEnd] : list)
    {
        if (m_firstByteSeq + m_sentSize < blockBegin)
        {
            return bytesSacked;
        }
        if (m_sentList.empty())
        {
            continue;
        }

        // Start as late as possible: nothing is to be done for segments before the block, nor for
        // the part of it that was reported before.
        Position it = m_sentList.begin();
        SequenceNumber32 begin = m_firstByteSeq;
        auto startAt = [&](Position position, const SequenceNumber32& positionSeq) {
            if (begin < positionSeq)
            {
                it = position;
                begin = positionSeq;
            }
        };
        if (m_sackSeen && m_highestSack.second <= blockBegin &&
            m_highestSack.first != m_sentList.end())
        {
            startAt(m_highestSack.first, m_highestSack.second);
        }
        std::optional<SackedRun> run;
        for (const auto* runs : {&hints.sacked, &reported})
        {
            for (const SackedRun& known : *runs)
            {
                if (known.lastSeq <= blockBegin)
                {
                    startAt(known.last, known.lastSeq);
                }
                if (known.first <= blockBegin && blockBegin <= known.lastSeq)
                {
                    startAt(known.last, known.lastSeq);
                    if (!run || run->lastSeq < known.lastSeq)
                    {
                        run = known;
                    }
                }
            }
        }

        for (; it != m_sentList.end(); ++it)
        {
            TcpTxItem* item = *it;
            const uint32_t size = item->m_packet->GetSize();
            if (begin + size > blockEnd)
            {
                break;
            }
            if (begin >= blockBegin)
            {
                if (item->m_sacked)
                {
                    NS_ASSERT(!item->m_lost);
                }
                else
                {
                    if (item->m_lost)
                    {
                        item->m_lost = false;
                        m_lostOut -= size;
                    }
                    item->m_sacked = true;
                    m_sackedOut += size;
                    bytesSacked += size;
                    if (m_highestSack.first == m_sentList.end() ||
                        m_highestSack.second <= begin + size)
                    {
                        m_sackSeen = true;
                        m_highestSack = std::make_pair(it, begin);
                    }
                    if (!sackedCb.IsNull())
                    {
                        sackedCb(item);
                    }
                }
                if (!run)
                {
                    run = SackedRun{begin, it, begin};
                }
                run->last = it;
                run->lastSeq = begin;
            }
            begin += size;
        }
        if (run)
        {
            reported.push_back(*run);
        }
    }
    hints.sacked = std::move(reported);

    if (bytesSacked > 0)
    {
        NS_ASSERT_MSG(m_highestSack.first != m_sentList.end(), "Buffer status: " << *this);
        UpdateLostCount();
    }
    NS_ASSERT(!m_sentList.front()->m_sacked);
    NS_ASSERT_MSG(m_sentSize >= m_sackedOut + m_lostOut, *this);
    return bytesSacked;
}

// Called by Update. ns-3 counts the SACKed segments from the highest down to the head: O(W) an ACK.
// Below the place where three were counted last time, every segment is SACKed or marked as lost
// already: O(segments newly reported).
void
TcpTxBuffer::UpdateLostCount()
{
    Hints& hints = HintsOf(this);
    const Position head = m_sentList.begin();
    const Position highest = m_highestSack.first;
    auto markLost = [&](Position it) {
        TcpTxItem* item = *it;
        item->m_lost = true;
        m_lostOut += item->m_packet->GetSize();
        if (hints.retransmit == m_sentList.end() ||
            item->m_startSeq < (*hints.retransmit)->m_startSeq)
        {
            hints.retransmit = it;
        }
    };

    // From the highest SACK down to where all is decided: whatever has enough SACKs above is lost.
    const bool stopEarly = hints.decided && (*head)->m_lost;
    if (stopEarly && (*highest)->m_startSeq <= (**hints.decided)->m_startSeq)
    {
        return;
    }
    std::optional<Position> decided;
    uint32_t sacked = 0;
    for (Position it = highest; it != head && !(stopEarly && it == *hints.decided); --it)
    {
        const TcpTxItem* item = *it;
        if (item->m_sacked)
        {
            ++sacked;
        }
        if (sacked >= m_dupAckThresh)
        {
            if (!decided)
            {
                decided = it;
            }
            if (!item->m_sacked && !item->m_lost)
            {
                markLost(it);
            }
        }
    }
    if (sacked >= m_dupAckThresh && !(*head)->m_lost)
    {
        markLost(head);
    }
    if (decided && (!hints.decided || (**hints.decided)->m_startSeq < (**decided)->m_startSeq))
    {
        hints.decided = decided;
    }
}

// Called for every duplicate ACK without SACK. ns-3 walks over all segments that were counted by
// earlier ones: O(W). Here from the last one on: O(1).
void
TcpTxBuffer::AddRenoSack()
{
    NS_ASSERT(m_sentList.size() > (m_sackEnabled ? 1 : 0));
    Hints& hints = HintsOf(this);
    m_renoSack = true;

    // A duplicate ACK stands for one more segment received: the first one behind the head that is
    // not counted yet.
    Position it = std::next(m_sentList.begin());
    SackedRun run;
    if (!hints.sacked.empty() && it != m_sentList.end() &&
        hints.sacked.front().first == (*it)->m_startSeq)
    {
        run = hints.sacked.front();
        it = run.last;
    }
    else if (it != m_sentList.end())
    {
        run.first = (*it)->m_startSeq;
    }
    for (; it != m_sentList.end() && (*it)->m_sacked; ++it)
    {
        run.last = it;
    }
    if (it == m_sentList.end())
    {
        return;
    }
    (*it)->m_sacked = true;
    m_sackedOut += (*it)->m_packet->GetSize();
    m_sackSeen = true;
    m_highestSack = std::make_pair(it, (*it)->m_startSeq);
    run.last = it;
    run.lastSeq = (*it)->m_startSeq;
    hints.sacked.assign(1, run);
}

// Called for every duplicate ACK, about the head. ns-3 walks on behind the segment that was asked
// for: O(W). Here the walk ends there: O(1) for the head.
bool
TcpTxBuffer::IsLost(const SequenceNumber32& seq) const
{
    if (seq >= m_highestSack.second)
    {
        return false;
    }
    for (const TcpTxItem* item : m_sentList)
    {
        if (seq < item->m_startSeq + item->m_packet->GetSize())
        {
            return item->m_startSeq <= seq && item->m_lost;
        }
    }
    return false;
}

// Called for every ACK. ns-3 walks along the list until it has found the segment: O(W). Here from
// the segment that the last call found: O(1) amortised.
bool
TcpTxBuffer::IsRetransmittedDataAcked(const SequenceNumber32& ack) const
{
    if (m_sentList.empty())
    {
        return false;
    }
    auto endOf = [](const TcpTxItem* item) { return item->m_startSeq + item->m_packet->GetSize(); };

    // It is asked for one segment after the other: the next is close to the last.
    Position& it = HintsOf(this).nearby;
    if (it == m_sentList.end())
    {
        --it;
    }
    while (endOf(*it) < ack && std::next(it) != m_sentList.end())
    {
        ++it;
    }
    while (endOf(*it) > ack && it != m_sentList.begin())
    {
        --it;
    }
    return endOf(*it) == ack && !(*it)->m_sacked && (*it)->m_retrans;
}

// What takes marks back, as in ns-3: the hints go with them

void
TcpTxBuffer::MarkHeadAsLost()
{
    if (m_sentList.empty())
    {
        return;
    }
    TcpTxItem* head = m_sentList.front();
    const uint32_t size = head->m_packet->GetSize();
    if (head->m_sacked)
    {
        head->m_sacked = false;
        m_sackedOut -= size;
    }
    if (head->m_retrans)
    {
        head->m_retrans = false;
        m_retrans -= size;
    }
    if (!head->m_lost)
    {
        head->m_lost = true;
        m_lostOut += size;
    }
    HintsOf(this).Forget(m_sentList.begin());
}

void
TcpTxBuffer::DeleteRetransmittedFlagFromHead()
{
    if (m_sentSize == 0 || !m_sentList.front()->m_retrans)
    {
        return;
    }
    m_sentList.front()->m_retrans = false;
    m_retrans -= m_sentList.front()->m_packet->GetSize();
    HintsOf(this).Forget(m_sentList.begin());
}

void
TcpTxBuffer::ResetRenoSack()
{
    m_sackedOut = 0;
    for (TcpTxItem* item : m_sentList)
    {
        item->m_sacked = false;
    }
    m_highestSack = std::make_pair(m_sentList.end(), SequenceNumber32(0));
    m_sackSeen = false;
    HintsOf(this).Forget(m_sentList.begin());
}

void
TcpTxBuffer::SetSentListLost(bool resetSack)
{
    m_retrans = 0;
    m_lostOut = 0;
    if (resetSack)
    {
        m_sackedOut = 0;
        m_sackSeen = false;
        m_highestSack = std::make_pair(m_sentList.end(), SequenceNumber32(0));
    }
    for (TcpTxItem* item : m_sentList)
    {
        if (resetSack)
        {
            item->m_sacked = false;
        }
        item->m_lost = item->m_lost || !item->m_sacked;
        item->m_retrans = false;
        if (item->m_lost)
        {
            m_lostOut += item->m_packet->GetSize();
        }
    }
    NS_ASSERT_MSG(m_sentSize >= m_sackedOut + m_lostOut, *this);
    HintsOf(this).Forget(m_sentList.begin());
}

void
TcpTxBuffer::ResetSentList()
{
    for (TcpTxItem* item : m_sentList)
    {
        item->m_retrans = item->m_sacked = item->m_lost = false;
    }
    m_appList.splice(m_appList.begin(), m_sentList);
    m_sentSize = 0;
    m_lostOut = 0;
    m_retrans = 0;
    m_sackedOut = 0;
    m_sackSeen = false;
    m_highestSack = std::make_pair(m_sentList.end(), SequenceNumber32(0));
}

void
TcpTxBuffer::ResetLastSegmentSent()
{
    if (m_sentList.empty())
    {
        return;
    }
    TcpTxItem* item = m_sentList.back();
    m_sentSize -= item->m_packet->GetSize();
    if (item->m_retrans)
    {
        m_retrans -= item->m_packet->GetSize();
    }
    m_appList.splice(m_appList.begin(), m_sentList, std::prev(m_sentList.end()));
    HintsOf(this).Forget(m_sentList.begin());
}

// The receiver's side

// Called for every segment that arrives. ns-3 walks over all packets that wait for a gap to be
// filled: O(W) a segment behind a loss. They do not overlap and are in order: O(log W).
bool
TcpRxBuffer::Add(Ptr<Packet> p, const TcpHeader& tcph)
{
    SequenceNumber32 head = tcph.GetSequenceNumber();
    SequenceNumber32 tail = head + SequenceNumber32(p->GetSize());

    // Only what is new and fits into the window.
    head = std::max(head, m_nextRxSeq.Get());
    if (!m_data.empty())
    {
        tail = std::min(tail, m_data.begin()->first + SequenceNumber32(m_maxBuffer));
        head = std::min(head, tail);
    }

    // Only what is not there yet. What is stored does not overlap and is in order: before the last
    // packet that begins at or before the head, nothing reaches as far as the head.
    auto i = m_data.upper_bound(head);
    if (i != m_data.begin())
    {
        --i;
    }
    while (i != m_data.end() && i->first <= tail)
    {
        const SequenceNumber32 end = i->first + SequenceNumber32(i->second->GetSize());
        if (end > head)
        {
            if (i->first > head && end < tail)
            {
                m_size -= i->second->GetSize(); // the new packet covers it
                i = m_data.erase(i);
                continue;
            }
            if (i->first <= head)
            {
                head = end;
            }
            if (end >= tail)
            {
                tail = i->first;
            }
        }
        ++i;
    }
    if (head >= tail)
    {
        return false;
    }
    p = p->CreateFragment(static_cast<uint32_t>(head - tcph.GetSequenceNumber()),
                          static_cast<uint32_t>(tail - head));
    NS_ASSERT(m_data.find(head) == m_data.end());
    m_data[head] = p;
    if (head > m_nextRxSeq)
    {
        UpdateSackList(head, tail);
    }
    m_size += p->GetSize();

    // What is now in order can be read.
    for (i = m_data.lower_bound(m_nextRxSeq); i != m_data.end() && i->first == m_nextRxSeq; ++i)
    {
        m_nextRxSeq = i->first + SequenceNumber32(i->second->GetSize());
        m_availBytes += i->second->GetSize();
        ClearSackList(m_nextRxSeq);
    }
    if (m_gotFin && m_nextRxSeq == m_finSeq)
    {
        ++m_nextRxSeq;
    }
    return true;
}

// What every packet needs

// Called for every object. ns-3 looks through a class and its parents for attributes to be set, also
// where there are none, as in the options of every TCP header: once a class is enough.
void
Object::Construct(const AttributeConstructionList& attributes)
{
    enum : uint8_t
    {
        UNKNOWN,
        NONE,
        SOME
    };
    static std::vector<uint8_t> known; // by the number of the TypeId
    const TypeId type = GetInstanceTypeId();
    if (type.GetUid() >= known.size())
    {
        known.resize(type.GetUid() + 1, UNKNOWN);
    }
    uint8_t& has = known[type.GetUid()];
    if (has == UNKNOWN)
    {
        has = NONE;
        for (TypeId t = type; t != ObjectBase::GetTypeId(); t = t.GetParent())
        {
            if (t.GetAttributeN() > 0)
            {
                has = SOME;
            }
        }
    }
    if (has == SOME)
    {
        ConstructSelf(attributes);
    }
    else
    {
        NotifyConstructionCompleted();
    }
}

/// An option that nobody holds any more, or a new one.
template <typename Option>
static Ptr<Option>
Recycle()
{
    static auto& made = *new std::array<Ptr<Option>, 16>; // for ever: ns-3 is gone before statics
    static std::size_t next = 0;
    Ptr<Option>& option = made[next++ % made.size()];
    if (!option || option->GetReferenceCount() > 1)
    {
        option = CreateObject<Option>();
    }
    return option;
}

// Called for every option of every header that is read, and each is read three times on its way.
Ptr<TcpOption>
TcpOption::CreateOption(uint8_t kind)
{
    switch (kind)
    {
    case END:
        return Recycle<TcpOptionEnd>();
    case NOP:
        return Recycle<TcpOptionNOP>();
    case TS:
    {
        auto option = Recycle<TcpOptionTS>();
        option->SetTimestamp(0);
        option->SetEcho(0);
        return option;
    }
    case MSS:
        return CreateObject<TcpOptionMSS>();
    case WINSCALE:
        return CreateObject<TcpOptionWinScale>();
    case SACKPERMITTED:
        return CreateObject<TcpOptionSackPermitted>();
    case SACK:
        return CreateObject<TcpOptionSack>();
    default:
        return CreateObject<TcpOptionUnknown>();
    }
}

// Called for every packet: a division in 128 bits. There are few sizes of packets and few rates.
Time
DataRate::CalculateBytesTxTime(uint32_t bytes) const
{
    struct Known
    {
        uint64_t bps{0};
        uint32_t bytes{0};
        Time time;
    };
    static std::array<Known, 16> all;
    Known& known = all[(bytes ^ m_bps) % all.size()];
    if (known.bps != m_bps || known.bytes != bytes)
    {
        known = {m_bps, bytes, CalculateBitsTxTime(bytes * 8)};
    }
    return known.time;
}

// Asked five times for a segment and its ACK, whether checksums are calculated: two dynamic casts
// each time, though value and question are of one class.
void
GlobalValue::GetValue(AttributeValue& value) const
{
    if (typeid(value) == typeid(BooleanValue) && typeid(*m_currentValue) == typeid(BooleanValue))
    {
        static_cast<BooleanValue&>(value) = static_cast<const BooleanValue&>(*m_currentValue);
        return;
    }
    if (m_checker->Copy(*m_currentValue, value))
    {
        return;
    }
    auto text = dynamic_cast<StringValue*>(&value);
    if (!text)
    {
        NS_FATAL_ERROR("GlobalValue name=" << m_name << ": input value is not a string");
    }
    text->Set(m_currentValue->SerializeToString(m_checker));
}

// Of a few instructions each, called several hundred times for a segment and its ACK: most of their
// time goes to asking whether their log component is enabled.

bool
Buffer::CheckInternalState() const
{
    return true;
}

Address::Address()
    : m_type(0),
      m_len(0)
{
}

Address::Address(uint8_t type, const uint8_t* buffer, uint8_t len)
    : m_type(type),
      m_len(len)
{
    NS_ASSERT(m_len <= MAX_SIZE);
    std::memcpy(m_data, buffer, m_len);
}

bool
Address::CheckCompatible(uint8_t type, uint8_t len) const
{
    NS_ASSERT(len <= MAX_SIZE);
    return (m_len == len && m_type == type) || (m_len >= len && m_type == 0);
}

Ipv4Address::Ipv4Address()
    : m_address(0x66666666), // what ns-3 takes for an address that is not set
      m_initialized(false)
{
}

Ipv4Address::Ipv4Address(uint32_t address)
    : m_address(address),
      m_initialized(true)
{
}

uint32_t
Ipv4Address::Get() const
{
    return m_address;
}

bool
Ipv4Address::IsAny() const
{
    return m_address == 0;
}

bool
Ipv4Address::IsBroadcast() const
{
    return m_address == 0xffffffff;
}

bool
Ipv4Address::IsMulticast() const
{
    return m_address >= 0xe0000000 && m_address <= 0xefffffff;
}

bool
Ipv4Address::IsLocalMulticast() const
{
    return (m_address & 0xffffff00) == 0xe0000000;
}

void
Ipv4Address::Serialize(uint8_t buf[4]) const
{
    for (int i = 0; i < 4; ++i)
    {
        buf[i] = m_address >> (24 - 8 * i);
    }
}

} // namespace ns3
