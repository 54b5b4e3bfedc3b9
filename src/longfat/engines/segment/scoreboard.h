// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender knows of the segments that it has sent: which the receiver has, which are lost,
// which have been sent again (RFC 6675), and which of these were lost again (as RFC 8985 does it, but
// by the order of transmissions instead of their times). The rules of ns-3's TcpTxBuffer are cited by
// name; but it walks along no list: every operation costs, on average, the same whatever the window,
// or the logarithm of the number of gaps.

#ifndef LONGFAT_SEGMENT_SCOREBOARD_H
#define LONGFAT_SEGMENT_SCOREBOARD_H

#include "faults.h"
#include "event.h"
#include "link.h"

#include <algorithm>
#include <map>

namespace longfat::segment
{

/// A connection's bytes, cut into segments of equal size, except perhaps the last.
struct Stream
{
    uint32_t segmentBytes{0};
    uint64_t bytes{0};             //!< 0: without end
    uint64_t segments{UINT64_MAX}; //!< how many that is

    /// How many bytes are before that segment.
    uint64_t Offset(uint64_t segment) const
    {
        return segment < segments ? segment * segmentBytes : bytes;
    }

    uint32_t Size(uint64_t segment) const
    {
        return segment + 1 < segments ? segmentBytes : bytes - segment * segmentBytes;
    }
};

/// A set of numbers, kept as the ranges [begin, end) that it consists of.
class RangeSet
{
  public:
    /// Add [begin, end), and call `added` with each number that was not there before.
    template <class Added>
    void Add(uint64_t begin, uint64_t end, Added added)
    {
        auto next = m_ranges.upper_bound(begin); // the first range that begins after `begin`
        auto range = m_ranges.end();             // that which will hold all of [begin, end)
        if (next != m_ranges.begin() && std::prev(next)->second >= begin)
        {
            range = std::prev(next);
        }
        else
        {
            range = m_ranges.emplace_hint(next, begin, begin);
        }
        for (uint64_t i = std::max(begin, range->second); i < end;)
        {
            if (next != m_ranges.end() && next->first == i)
            {
                i = next->second;
                range->second = std::max(range->second, i);
                next = m_ranges.erase(next);
                continue;
            }
            added(i);
            range->second = ++i;
        }
        if (next != m_ranges.end() && next->first == range->second)
        {
            range->second = next->second;
            m_ranges.erase(next);
        }
    }

    /// Forget everything below that number.
    void RemoveBelow(uint64_t number)
    {
        while (!m_ranges.empty() && m_ranges.begin()->first < number)
        {
            const uint64_t end = m_ranges.begin()->second;
            m_ranges.erase(m_ranges.begin());
            if (end > number)
            {
                m_ranges.emplace_hint(m_ranges.begin(), number, end);
            }
        }
    }

    void Clear()
    {
        m_ranges.clear();
    }

    /// The first number that is not in the set, from that one on.
    uint64_t FirstGap(uint64_t from) const
    {
        auto range = m_ranges.upper_bound(from);
        return range != m_ranges.begin() ? std::max(from, std::prev(range)->second) : from;
    }

    /// Of the numbers in the set up to `highest`, the n-th from above; `highest` is in the set.
    /// Returns false when there are not so many.
    bool FromAbove(uint64_t highest, uint64_t n, uint64_t* found) const
    {
        uint64_t end = highest + 1;
        for (auto range = m_ranges.upper_bound(highest); range != m_ranges.begin();)
        {
            --range;
            end = std::min(end, range->second);
            if (end - range->first >= n)
            {
                *found = end - n;
                return true;
            }
            n -= end - range->first;
            end = range->first;
        }
        return false;
    }

  private:
    std::map<uint64_t, uint64_t> m_ranges; //!< end by begin; none touches the next
};

/// A segment that has been sent and not yet been acknowledged.
struct SentSegment
{
    bool sacked;        //!< the receiver has reported it (without SACK: is thought to have)
    bool lost;          //!< is thought to be lost
    bool retransmitted; //!< and has been sent again since
    bool delivered;     //!< has been counted as delivered
    bool ambiguous;     //!< has been sent twice: no round-trip time from it (Karn's rule)
    uint64_t order;     //!< of its last transmission, among all of the connection
    Ticks firstSent;    //!< when it was sent for the first time
    Ticks lastSent;     //!< and for the last
    // For the delivery rate (delivery-rate.h), when it was last sent:
    Ticks deliveredTime;
    Ticks firstSentTime;
    uint64_t deliveredBytes;
#ifdef LONGFAT_PROBES
    bool supplement; //!< was sent beyond the window, and not sent again
    bool aside;      //!< is under way so
#endif
};

class Scoreboard
{
  public:
    Scoreboard(const Stream& stream, bool sack, Faults faults)
        : m_stream(stream),
          m_sack(sack),
          m_faults(faults)
    {
    }

    /// The first segment that is not acknowledged.
    uint64_t Head() const
    {
        return m_head;
    }

    /// The first segment that has never been sent.
    uint64_t Next() const
    {
        return m_head + m_sent.Size();
    }

    SentSegment& operator[](uint64_t segment)
    {
        return m_sent[segment - m_head];
    }

    uint64_t SentBytes() const
    {
        return m_sentBytes;
    }

    uint64_t SackedBytes() const
    {
        return m_sackedBytes;
    }

    uint64_t LostBytes() const
    {
        return m_lostBytes;
    }

    /// Bytes that have ever been found to be lost, again and again.
    uint64_t FoundLostBytes() const
    {
        return m_foundLostBytes;
    }

    /// RFC 6675's pipe, from counts: what has been sent, is neither reported nor lost, or has been
    /// sent again.
    uint32_t BytesInFlight() const
    {
#ifdef LONGFAT_PROBES
        if (m_asideBytes > 0)
        {
            return m_sentBytes - m_asideBytes - m_sackedBytes - m_lostBytes + m_retransmittedBytes;
        }
#endif
        return m_sentBytes - m_sackedBytes - m_lostBytes + m_retransmittedBytes;
    }

#ifdef LONGFAT_PROBES
    /// What has just been sent for the first time is a supplement (own-packets.h): it is not in
    /// flight by the window's count.
    void SetAside(uint64_t segment)
    {
        (*this)[segment].supplement = (*this)[segment].aside = m_hasSupplements = true;
        m_asideBytes += m_stream.Size(segment);
    }

    /// Whether there have been supplements, whose losses reduce no window.
    bool HasSupplements() const
    {
        return m_hasSupplements;
    }

    /// Whether another segment than a supplement was lost, from that one on.
    bool IsLostFrom(uint64_t segment) const
    {
        return m_lostEnd > segment;
    }

#endif
    /// A segment is sent; returns whether it has been sent before.
    bool Send(uint64_t segment, Ticks now)
    {
        if (segment == Next())
        {
            SentSegment& fresh = m_sent.Push();
            fresh = SentSegment{};
            fresh.order = ++m_order;
            fresh.firstSent = fresh.lastSent = now;
            m_sentBytes += m_stream.Size(segment);
            return false;
        }
        SentSegment& old = (*this)[segment];
#ifdef LONGFAT_PROBES
        CountInFlight(old, segment);
        old.supplement = false;
#endif
        if (segment + 1 == Next() && !old.lost)
        {
            m_rescued = Next();
        }
        old.order = ++m_order;
        old.lastSent = now;
        old.ambiguous = true;
        if (m_sack && !m_faults.Has(Fault::LOST_RETRANSMISSION))
        {
            Watch(segment);
        }
        if (!old.retransmitted)
        {
            old.retransmitted = true;
            m_retransmittedBytes += m_stream.Size(segment);
        }
        return true;
    }

    /// TcpTxBuffer::DiscardUpTo: all before that segment is acknowledged. Calls `delivered` with
    /// each segment that was not reported before.
    template <class Delivered>
    void Acknowledge(uint64_t segment, Ticks now, Delivered delivered)
    {
        if (segment <= m_head)
        {
            return;
        }
        for (; m_head < segment; ++m_head)
        {
            SentSegment& gone = m_sent.Front();
            const uint32_t bytes = m_stream.Size(m_head);
#ifdef LONGFAT_PROBES
            CountInFlight(gone, m_head);
#endif
            m_sentBytes -= bytes;
            m_sackedBytes -= gone.sacked ? bytes : 0;
            m_lostBytes -= gone.lost ? bytes : 0;
            m_retransmittedBytes -= gone.retransmitted ? bytes : 0;
            if (!gone.delivered)
            {
                NoteDelivery(gone, now);
                delivered(gone, bytes);
            }
            m_sent.Pop();
        }
        m_decided = std::max(m_decided, m_head);
        m_retransmit = std::max(m_retransmit, m_head);
        m_untouched = std::max(m_untouched, m_head);
        m_sacked.RemoveBelow(m_head);
        if (!m_sent.Empty() && m_sent.Front().sacked)
        {
            // Without SACK, duplicate ACKs tell how many have arrived, not which: not this one.
            m_sent.Front().sacked = false;
            m_sackedBytes -= m_stream.Size(m_head);
            m_sacked.RemoveBelow(m_head + 1);
            AddRenoSack();
            MarkHeadAsLost();
        }
        if (m_highest <= m_head)
        {
            m_sackSeen = false;
        }
    }

    /// TcpTxBuffer::Update: the receiver reports segments [begin, end). Calls `delivered` with each
    /// that it had not reported before; returns their bytes.
    template <class Delivered>
    uint32_t Sack(uint64_t begin, uint64_t end, Ticks now, Delivered delivered)
    {
        begin = std::max(begin, m_head);
        end = std::min(end, Next());
        uint32_t bytes = 0;
        if (begin < end)
        {
            m_sacked.Add(begin, end, [&](uint64_t i) {
                NoteDelivery((*this)[i], now);
                bytes += MarkAsSacked(i);
                delivered((*this)[i], m_stream.Size(i));
            });
        }
        return bytes;
    }

    /// TcpTxBuffer::UpdateLostCount, after new reports: what lies below three reported segments is
    /// lost.
    void FindLost()
    {
        uint64_t third;
        if (!m_sackSeen || !m_sacked.FromAbove(m_highest, DUP_THRESH, &third))
        {
            return;
        }
        for (; m_decided < third; ++m_decided)
        {
            if (!(*this)[m_decided].sacked)
            {
                MarkAsLost(m_decided);
            }
        }
    }

    /// Something that was sent once has been answered after that time.
    void NoteRoundTrip(Ticks elapsed)
    {
        m_leastRtt = std::min(m_leastRtt, elapsed);
    }

    /// How many transmissions there have been.
    uint64_t Transmissions() const
    {
        return m_order;
    }

    /// After new reports or acknowledgments: a retransmission is lost when three segments have arrived
    /// that were sent after it. Returns whether one of those is lost that came after the
    /// transmission of that number.
    bool FindLostRetransmissions(uint64_t after)
    {
        bool found = false;
        for (; !m_watched.Empty(); m_watched.Pop())
        {
            const auto [segment, order] = m_watched.Front();
            const bool waits = segment >= m_head && (*this)[segment].order == order &&
                               (*this)[segment].retransmitted && !(*this)[segment].sacked;
            if (waits && order >= m_latest[DUP_THRESH - 1])
            {
                break;
            }
            if (waits)
            {
                found = found || order > after;
#ifdef LONGFAT_PROBES
                m_lostEnd = std::max(m_lostEnd, segment + 1);
#endif
                (*this)[segment].retransmitted = false;
                m_retransmittedBytes -= m_stream.Size(segment);
                m_foundLostBytes += (*this)[segment].lost ? m_stream.Size(segment) : 0;
                MarkAsLost(segment);
                m_retransmit = std::min(m_retransmit, segment);
                m_untouched = std::min(m_untouched, segment);
            }
        }
        return found;
    }

    /// TcpTxBuffer::IsLost, of the head.
    bool IsHeadLost() const
    {
        return m_sackSeen && m_head < m_highest && m_sent[0].lost;
    }

    /// TcpTxBuffer::MarkHeadAsLost, to be sent again even if it was before.
    void MarkHeadAsLost()
    {
        if (m_sent.Empty())
        {
            return;
        }
        SentSegment& head = m_sent.Front();
        if (head.retransmitted)
        {
            head.retransmitted = false;
            m_retransmittedBytes -= m_stream.Size(m_head);
        }
        MarkAsLost(m_head);
        m_decided = std::max(m_decided, m_head + 1);
        m_retransmit = m_untouched = m_head;
    }

    /// TcpTxBuffer::AddRenoSack: without SACK, a duplicate ACK says that one more has arrived.
    void AddRenoSack()
    {
        const uint64_t segment = m_sacked.FirstGap(m_head + 1);
        if (segment < Next())
        {
            m_sacked.Add(segment, segment + 1, [&](uint64_t i) { MarkAsSacked(i); });
            m_highest = segment;
        }
    }

    /// Without SACK, an ACK that advances outside of a recovery ends what duplicate ACKs have told.
    void ForgetRenoSacks()
    {
        for (uint64_t i = m_head; m_sackedBytes > 0; ++i)
        {
            SentSegment& segment = (*this)[i];
            m_sackedBytes -= segment.sacked ? m_stream.Size(i) : 0;
            segment.sacked = false;
        }
        m_sacked.Clear();
        m_sackSeen = false;
    }

    /// TcpTxBuffer::SetSentListLost, after a timeout: all is lost that has not been reported, and
    /// nothing has been sent again. Without SACK, nothing has been reported either.
    void MarkAllAsLost()
    {
        for (uint64_t i = m_head; i < Next(); ++i)
        {
            SentSegment& segment = (*this)[i];
            segment.retransmitted = false;
            if (!m_sack && segment.sacked)
            {
                segment.sacked = false;
                m_sackedBytes -= m_stream.Size(i);
            }
            if (!segment.sacked)
            {
                MarkAsLost(i);
            }
        }
        m_retransmittedBytes = 0;
        m_decided = Next();
        m_retransmit = m_untouched = m_head;
        if (!m_sack)
        {
            m_sacked.Clear();
            m_sackSeen = false;
        }
    }

    /// TcpTxBuffer::NextSeg (RFC 6675, NextSeg): which segment to send next. `limit` is the first
    /// that the sender has not got; `window` is the receiver's, in bytes. Returns false for none.
    bool NextSegment(uint64_t limit, uint32_t window, bool inRecovery, uint64_t* next)
    {
        // Rule 1: the first that is lost. In ns-3, once there are reports, only below the highest.
        const bool all = !m_faults.Has(Fault::TIMEOUT_ORDER);
        for (; m_retransmit < m_decided && (all || IsInReach(m_retransmit)); ++m_retransmit)
        {
            const SentSegment& segment = (*this)[m_retransmit];
            if (!segment.sacked && !segment.retransmitted)
            {
                *next = m_retransmit;
                return true;
            }
        }
        // Rule 2: new data, as far as the receiver's window allows.
        if (Next() < limit)
        {
            *next = Next();
            const bool allowed = SentBytes() + m_stream.Size(*next) <= window;
            if (allowed || m_faults.Has(Fault::NO_RESCUE))
            {
                return allowed;
            }
        }
        // Rule 3: the first that may be lost.
        for (; inRecovery && m_untouched < Next() && IsInReach(m_untouched); ++m_untouched)
        {
            const SentSegment& segment = (*this)[m_untouched];
            if (!segment.sacked && !segment.retransmitted)
            {
                *next = m_untouched;
                return true;
            }
        }
        // Rule 4, the rescue: once a recovery, the last one, when no report tells of it.
        if (inRecovery && !m_faults.Has(Fault::NO_RESCUE) && m_head >= m_rescued &&
            !m_sent.Empty() && !m_sent[m_sent.Size() - 1].sacked &&
            !m_sent[m_sent.Size() - 1].retransmitted)
        {
            *next = Next() - 1;
            return true;
        }
        return false;
    }

    /// Whether the counts are those of the marks, and nothing is both reported and lost.
    bool IsConsistent() const
    {
        uint64_t sent = 0;
        uint64_t sacked = 0;
        uint64_t lost = 0;
        uint64_t retransmitted = 0;
        bool apart = true;
        for (uint64_t i = m_head; i < Next(); ++i)
        {
            const SentSegment& segment = m_sent[i - m_head];
            const uint32_t bytes = m_stream.Size(i);
            sent += bytes;
            sacked += segment.sacked ? bytes : 0;
            lost += segment.lost ? bytes : 0;
            retransmitted += segment.retransmitted ? bytes : 0;
            apart = apart && !(segment.sacked && segment.lost);
        }
        return apart && sent == m_sentBytes && sacked == m_sackedBytes && lost == m_lostBytes &&
               retransmitted == m_retransmittedBytes;
    }

  private:
    static constexpr uint64_t DUP_THRESH = 3;

    uint32_t MarkAsSacked(uint64_t i)
    {
        const uint32_t bytes = m_stream.Size(i);
        SentSegment& segment = (*this)[i];
#ifdef LONGFAT_PROBES
        CountInFlight(segment, i);
#endif
        if (segment.lost)
        {
            segment.lost = false;
            m_lostBytes -= bytes;
        }
        if (segment.retransmitted && !m_faults.Has(Fault::SACKED_IN_FLIGHT))
        {
            segment.retransmitted = false;
            m_retransmittedBytes -= bytes;
        }
        segment.sacked = true;
        m_sackedBytes += bytes;
        // In ns-3 the one just below the highest counts as higher.
        const uint64_t below = m_faults.Has(Fault::HIGHEST_SACKED) ? 1 : 0;
        if (!m_sackSeen || m_highest <= i + below)
        {
            m_sackSeen = true;
            m_highest = i;
        }
        return bytes;
    }

    void MarkAsLost(uint64_t i)
    {
        SentSegment& segment = (*this)[i];
        if (!segment.lost)
        {
#ifdef LONGFAT_PROBES
            CountInFlight(segment, i);
            m_lostEnd = segment.supplement ? m_lostEnd : std::max(m_lostEnd, i + 1);
#endif
            segment.lost = true;
            m_lostBytes += m_stream.Size(i);
            m_foundLostBytes += m_stream.Size(i);
        }
    }

#ifdef LONGFAT_PROBES
    /// A supplement is no longer under way, or no longer as one.
    void CountInFlight(SentSegment& segment, uint64_t i)
    {
        m_asideBytes -= segment.aside ? m_stream.Size(i) : 0;
        segment.aside = false;
    }

#endif
    /// A retransmission whose loss is to be found.
    void Watch(uint64_t segment)
    {
        if (m_watched.Empty())
        {
            std::fill(std::begin(m_latest), std::end(m_latest), 0);
        }
        m_watched.Push() = {segment, m_order};
    }

    /// A segment has arrived. Of one that was sent again it is its last transmission, if that had the
    /// time to (RFC 8985, section 6.2, step 2).
    void NoteDelivery(const SentSegment& segment, Ticks now)
    {
        const Ticks elapsed = now - segment.lastSent;
        if (!segment.ambiguous)
        {
            NoteRoundTrip(elapsed);
        }
        if (m_watched.Empty() || segment.order <= m_latest[DUP_THRESH - 1] || elapsed < m_leastRtt)
        {
            return;
        }
        std::size_t place = DUP_THRESH - 1;
        for (; place > 0 && m_latest[place - 1] < segment.order; --place)
        {
            m_latest[place] = m_latest[place - 1];
        }
        m_latest[place] = segment.order;
    }

    bool IsInReach(uint64_t i) const
    {
        return !m_sackSeen || i < m_highest;
    }

    struct Retransmission
    {
        uint64_t segment;
        uint64_t order;
    };

    const Stream& m_stream;
    const bool m_sack;
    const Faults m_faults;
    uint64_t m_head{0};
    Ring<SentSegment> m_sent; //!< from the head on
    RangeSet m_sacked;        //!< numbers of those that are sacked
    uint64_t m_sentBytes{0};
    uint64_t m_sackedBytes{0};
    uint64_t m_lostBytes{0};
    uint64_t m_retransmittedBytes{0};
    bool m_sackSeen{false};
    uint64_t m_highest{0};    //!< if seen: the highest that is sacked
    uint64_t m_decided{0};    //!< all before it are sacked or lost
    uint64_t m_retransmit{0}; //!< all before it are sacked or sent again
    uint64_t m_untouched{0};  //!< the same, for rule 3
    uint64_t m_rescued{0};    //!< by rule 4: none again before the head is there
    uint64_t m_foundLostBytes{0};
    uint64_t m_order{0};             //!< of the last transmission
    Ring<Retransmission> m_watched;  //!< those that may still be lost, in order
    uint64_t m_latest[DUP_THRESH]{}; //!< since there are such: the highest orders that arrived
    Ticks m_leastRtt{NEVER};         //!< from transmission to report, of what was sent once
#ifdef LONGFAT_PROBES

    bool m_hasSupplements{false};
    uint64_t m_asideBytes{0}; //!< of supplements under way
    uint64_t m_lostEnd{0};    //!< after the highest lost segment that was no supplement
#endif
};

} // namespace longfat::segment

#endif
