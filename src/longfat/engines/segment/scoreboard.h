// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender knows of the segments that it has sent: which have arrived, which are lost, which have
// been sent again, and so how much is in flight (pipe).
//
//     with SACK      a segment is lost when three above it are reported (RFC 6675, IsLost); one that
//                    was sent again, when three have arrived that were sent after it
//     with RACK      when one that was sent later has arrived and a window for reordering is over
//                    (RFC 8985); what was sent again is not another case
//     without SACK   duplicate ACKs tell how many have arrived, not which (RFC 6582)
//
// Every operation costs, on average, the same whatever the window, or the logarithm of the number of
// gaps: nothing walks along the window.

#ifndef LONGFAT_CORE_SCOREBOARD_H
#define LONGFAT_CORE_SCOREBOARD_H

#include "event.h"
#include "spec.h"

#include <algorithm>
#include <map>

namespace longfat::core
{

/// A connection's bytes, cut into segments of equal size, except perhaps the last.
struct Stream
{
    uint32_t mss{0};
    uint64_t bytes{0};           //!< 0: without end
    uint64_t segments{NO_LIMIT}; //!< how many that is

    /// How many bytes are before that segment.
    Bytes offset(uint64_t segment) const
    {
        return static_cast<Bytes>(segment < segments ? segment * mss : bytes);
    }

    uint32_t size(uint64_t segment) const
    {
        return segment + 1 < segments ? mss : static_cast<uint32_t>(bytes - segment * mss);
    }
};

/// A set of numbers, kept as the ranges [begin, end) that it consists of.
class RangeSet
{
  public:
    /// Add [begin, end), and call `added` with each number that was not there before.
    template <class Added>
    void add(uint64_t begin, uint64_t end, Added added)
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
    void remove_below(uint64_t number)
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

    bool empty() const
    {
        return m_ranges.empty();
    }

    /// The highest number.
    uint64_t highest() const
    {
        return std::prev(m_ranges.end())->second - 1;
    }

    /// The n-th from above; returns false when there are not so many.
    bool from_above(uint64_t n, uint64_t* found) const
    {
        for (auto range = m_ranges.rbegin(); range != m_ranges.rend(); ++range)
        {
            if (range->second - range->first >= n)
            {
                *found = range->second - n;
                return true;
            }
            n -= range->second - range->first;
        }
        return false;
    }

  private:
    std::map<uint64_t, uint64_t> m_ranges; //!< end by begin; none touches the next
};

/// A segment that has been sent and not yet been acknowledged.
struct SentSegment
{
    Time sent;            //!< for the last time
    Time first_sent;      //!< for the first time
    uint64_t order;       //!< of its last transmission, among all of the connection
    Bytes delivered;      //!< of the connection, when it was last sent; so are the next four
    Time delivered_time;  //!< of what was delivered last
    Time first_sent_time; //!< of the flight that it belongs to
    Bytes tx_in_flight;   //!< with it
    Bytes lost_before;    //!< of the connection
    bool is_app_limited;
    bool sacked;        //!< the receiver has reported it
    bool lost;          //!< is thought to be lost
    bool retransmitted; //!< and has been sent again since
    bool ambiguous;     //!< has been sent more than once: an ACK does not tell which arrived (Karn)
    bool supplement;    //!< was sent beyond the window, and not sent again
    bool aside;         //!< and so is under way, apart from the pipe
    bool excused;       //!< is lost, but as a supplement, which reduces no window
};

class Scoreboard
{
  public:
    static constexpr uint64_t DUP_THRESH = 3;

    /// `watches`: whether it finds out which retransmissions are lost.
    Scoreboard(const Stream& stream, bool sack, bool watches, bool rack)
        : m_stream(stream),
          m_sack(sack),
          m_watches(watches),
          m_rack(rack)
    {
    }

    /// The first segment that is not acknowledged.
    uint64_t snd_una() const
    {
        return m_una;
    }

    /// The first segment that has never been sent.
    uint64_t snd_nxt() const
    {
        return m_una + m_sent.size();
    }

    bool empty() const
    {
        return m_sent.empty();
    }

    SentSegment& operator[](uint64_t segment)
    {
        return m_sent[segment - m_una];
    }

    /// All bytes before that one are acknowledged.
    Bytes acknowledged() const
    {
        return m_stream.offset(m_una) + m_part;
    }

    /// Whether an acknowledgment of that number, and of so many bytes of its segment, is older than
    /// another that has come.
    bool is_old(uint64_t number, uint32_t part) const
    {
        return number < m_una || (number == m_una && part < m_part);
    }

    /// Whether it acknowledges what has not been sent.
    bool is_unsent(uint64_t number, uint32_t part) const
    {
        return number > snd_nxt() || (number == snd_nxt() && part > 0);
    }

    /// Sent and not acknowledged.
    Bytes outstanding() const
    {
        return m_outstanding;
    }

    Bytes sacked_out() const
    {
        return m_sacked_out;
    }

    /// So many segments have been sent again, and not been heard of since.
    int64_t retransmissions_out() const
    {
        return (m_retrans_out + m_stream.mss - 1) / m_stream.mss;
    }

    /// All that was ever found lost, again and again.
    Bytes lost() const
    {
        return m_lost;
    }

    /// In flight (RFC 6675): what has been sent, has neither arrived nor is lost, or was sent again.
    Bytes pipe() const
    {
        return m_outstanding - m_sacked_out - m_reno_sacked * m_stream.mss - m_lost_out - m_aside +
               m_retrans_out;
    }

    /// Lost, and not as a supplement: the window has to react.
    bool has_losses() const
    {
        return m_lost_out > m_excused;
    }

    /// What has just been sent for the first time is a supplement.
    void set_aside(uint64_t segment)
    {
        SentSegment& sent = (*this)[segment];
        sent.supplement = sent.aside = true;
        m_aside += size(segment);
    }

    uint64_t transmissions() const
    {
        return m_order;
    }

    /// A segment is sent; returns whether it has been sent before.
    bool send(uint64_t segment, Time now)
    {
        const uint32_t bytes = size(segment);
        const bool again = segment != snd_nxt();
        if (!again)
        {
            SentSegment& fresh = m_sent.push();
            fresh = SentSegment{};
            fresh.first_sent = now;
            m_outstanding += bytes;
        }
        SentSegment& sent = (*this)[segment];
        sent.order = ++m_order;
        sent.sent = now;
        if (again)
        {
            if (segment + 1 == snd_nxt() && !sent.lost)
            {
                m_rescued = snd_nxt();
            }
            sent.ambiguous = true;
            sent.supplement = false;
            join_pipe(sent, segment);
            if (!sent.retransmitted)
            {
                sent.retransmitted = true;
                m_retrans_out += bytes;
            }
        }
        if (m_rack || (again && m_watches))
        {
            watch(segment, now);
        }
        return again;
    }

    /// The receiver reports segments [begin, end) (SACK). Calls `delivered` with each that it had not
    /// reported before.
    template <class Delivered>
    void sack(uint64_t begin, uint64_t end, Time now, Delivered delivered)
    {
        begin = std::max(begin, m_una);
        end = std::min(end, snd_nxt());
        if (begin < end)
        {
            m_sacked.add(begin, end, [&](uint64_t i) {
                SentSegment& segment = (*this)[i];
                note_delivery(segment, i, now);
                delivered(segment, i, size(i));
                leave_pipe(segment, i);
                segment.sacked = true;
                m_sacked_out += size(i);
            });
        }
    }

    /// All before that segment is acknowledged. Calls `delivered` with each that had not been reported.
    template <class Delivered>
    void acknowledge(uint64_t number, Time now, Delivered delivered)
    {
        while (m_una < number)
        {
            SentSegment& segment = m_sent.front();
            const uint32_t bytes = size(m_una);
            if (segment.sacked)
            {
                m_sacked_out -= bytes;
            }
            else
            {
                note_delivery(segment, m_una, now);
                delivered(segment, m_una, bytes);
                leave_pipe(segment, m_una);
            }
            m_outstanding -= bytes;
            m_sent.pop();
            ++m_una;
            m_part = 0;
        }
        m_decided = std::max(m_decided, m_una);
        m_retransmit = std::max(m_retransmit, m_una);
        m_untouched = std::max(m_untouched, m_una);
        m_sacked.remove_below(m_una);
    }

    /// So many bytes of the first segment that is not acknowledged are. Calls `delivered` with it and
    /// those that are new, if it has not been reported. What its end will tell, that the segment has
    /// arrived, is noted then.
    template <class Delivered>
    void acknowledge_part(uint32_t part, Delivered delivered)
    {
        SentSegment& segment = m_sent.front();
        const uint32_t bytes = part - m_part;
        if (bytes == 0)
        {
            return;
        }
        if (!segment.sacked)
        {
            delivered(segment, bytes);
        }
        m_outstanding -= bytes;
        m_sacked_out -= segment.sacked ? bytes : 0;
        m_lost_out -= segment.lost ? bytes : 0;
        m_retrans_out -= segment.retransmitted ? bytes : 0;
        m_aside -= segment.aside ? bytes : 0;
        m_excused -= segment.excused ? bytes : 0;
        m_part = part;
    }

    /// After new reports or acknowledgments: what lies below three reported segments is lost. Calls
    /// `lost` with each.
    template <class OnLost>
    void detect_by_sack(OnLost lost)
    {
        uint64_t third;
        if (!m_sacked.from_above(DUP_THRESH, &third))
        {
            return;
        }
        for (; m_decided < third; ++m_decided)
        {
            if (!(*this)[m_decided].sacked)
            {
                mark_lost(m_decided, lost);
            }
        }
    }

    /// What was sent again is lost when three segments have arrived that were sent after it. Returns
    /// whether one of those is that came after the transmission of that number.
    template <class OnLost>
    bool detect_lost_retransmissions(uint64_t after, OnLost lost)
    {
        bool found = false;
        for (; !m_watched.empty(); m_watched.pop())
        {
            const auto& [segment, order, sent] = m_watched.front();
            const bool waits = is_in_flight(segment, order);
            if (waits && order >= m_latest[DUP_THRESH - 1])
            {
                break;
            }
            if (waits)
            {
                found = found || order > after;
                lose_transmission(segment, lost);
            }
        }
        return found;
    }

    /// RACK (RFC 8985, section 6.2, step 5). Sets `wait` to how long until more may be lost, or NEVER:
    /// until the first is, where the RFC has one timer for all, until the last.
    /// Returns whether something is lost that was sent after the transmission of that number.
    template <class OnLost>
    bool detect_by_time(Time now, Time reo_wnd, uint64_t after, Time* wait, OnLost lost)
    {
        bool found = false;
        *wait = NEVER;
        for (; !m_watched.empty(); m_watched.pop())
        {
            const auto& [segment, order, sent] = m_watched.front();
            if (!is_in_flight(segment, order))
            {
                continue;
            }
            if (order > m_rack_order)
            {
                break;
            }
            const Time remaining = sent + m_rack_rtt + reo_wnd - now;
            if (remaining > 0)
            {
                *wait = remaining;
                break;
            }
            found = found || order > after;
            lose_transmission(segment, lost);
        }
        return found;
    }

    /// An ACK begins. What it reports may stand in it in any order: of these none overtook another.
    void begin_ack()
    {
        m_known_highest = m_rack_highest;
        m_ack_order = 0;
    }

    /// A segment has arrived although one that was sent later had arrived before it.
    bool reordering_seen() const
    {
        return m_reordering_seen;
    }

    /// The shortest time after which something that was sent once was answered.
    void note_round_trip(Time elapsed)
    {
        m_least_rtt = std::min(m_least_rtt, elapsed);
    }

    bool is_head_lost() const
    {
        return !m_sent.empty() && m_sent[0].lost;
    }

    /// The head is lost, and is to be sent again even if it was before.
    template <class OnLost>
    void mark_head_lost(OnLost lost)
    {
        if (m_sent.empty())
        {
            return;
        }
        lose_transmission(m_una, lost);
        m_decided = std::max(m_decided, m_una + 1);
    }

    /// Without SACK, a duplicate ACK says that one more has arrived, which is not the head.
    void add_reno_sack()
    {
        const auto others = static_cast<int64_t>(m_sent.size()) - 1;
        m_reno_sacked = std::min(m_reno_sacked + 1, std::max<int64_t>(others, 0));
    }

    void set_reno_sacks_at_least(int64_t count)
    {
        const auto others = static_cast<int64_t>(m_sent.size()) - 1;
        m_reno_sacked = std::max(m_reno_sacked, std::min(count, std::max<int64_t>(others, 0)));
    }

    /// So many have been acknowledged; the head was not among those that duplicate ACKs told of.
    void remove_reno_sacks(uint64_t acknowledged)
    {
        m_reno_sacked -=
            std::min<int64_t>(m_reno_sacked,
                              static_cast<int64_t>(std::max<uint64_t>(acknowledged, 1)) - 1);
        const auto others = static_cast<int64_t>(m_sent.size()) - 1;
        m_reno_sacked = std::min(m_reno_sacked, std::max<int64_t>(others, 0));
    }

    void clear_reno_sacks()
    {
        m_reno_sacked = 0;
    }

    /// After a timeout: all is lost that has not been reported, and nothing has been sent again.
    template <class OnLost>
    void mark_all_lost(OnLost lost)
    {
        m_reno_sacked = 0;
        for (uint64_t i = m_una; i < snd_nxt(); ++i)
        {
            if (!(*this)[i].sacked)
            {
                lose_transmission(i, lost);
            }
        }
        m_decided = snd_nxt();
        m_retransmit = m_untouched = m_una;
    }

    /// What was found lost was not: it is in flight, as before, and may be lost.
    void unmark_lost()
    {
        std::vector<Transmission> again;
        for (uint64_t i = m_una; i < snd_nxt(); ++i)
        {
            SentSegment& segment = (*this)[i];
            if (segment.lost)
            {
                excuse(segment, i, false);
                segment.lost = false;
                m_lost_out -= size(i);
            }
            if (!segment.sacked && (m_rack || (segment.ambiguous && m_watches)))
            {
                again.push_back({i, segment.order, segment.sent});
            }
        }
        m_decided = m_una;
        std::sort(again.begin(), again.end(), [](const Transmission& a, const Transmission& b) {
            return a.order < b.order;
        });
        m_watched.clear();
        for (const Transmission& one : again)
        {
            m_watched.push() = one;
        }
    }

    /// Which segment to send next (RFC 6675, NextSeg). `limit` is the first that the sender has not
    /// got; `window` is how many bytes may be outstanding. Returns false for none.
    bool next_segment(uint64_t limit, Bytes window, bool in_recovery, uint64_t* next)
    {
        // Rule 1: the first that is lost.
        for (; m_retransmit < m_decided; ++m_retransmit)
        {
            const SentSegment& segment = (*this)[m_retransmit];
            if (segment.lost && !segment.retransmitted)
            {
                *next = m_retransmit;
                return true;
            }
        }
        // Rule 2: new data, as far as the receiver's window allows.
        if (snd_nxt() < limit && m_outstanding + size(snd_nxt()) <= window)
        {
            *next = snd_nxt();
            return true;
        }
        if (!in_recovery || m_sacked.empty())
        {
            return false;
        }
        // Rule 3: the first below the highest report.
        for (; m_untouched < m_sacked.highest(); ++m_untouched)
        {
            const SentSegment& segment = (*this)[m_untouched];
            if (!segment.sacked && !segment.retransmitted)
            {
                *next = m_untouched;
                return true;
            }
        }
        // Rule 4, the rescue: once a recovery, the last one, when no report tells of it.
        const SentSegment& last = m_sent[m_sent.size() - 1];
        if (m_una >= m_rescued && !last.sacked && !last.retransmitted)
        {
            *next = snd_nxt() - 1;
            return true;
        }
        return false;
    }

    /// Whether the counts are those of the marks, and nothing has arrived and is lost.
    bool is_consistent() const
    {
        Bytes outstanding = 0;
        Bytes sacked = 0;
        Bytes lost = 0;
        Bytes retrans = 0;
        Bytes aside = 0;
        Bytes excused = 0;
        bool apart = true;
        for (std::size_t i = 0; i < m_sent.size(); ++i)
        {
            const SentSegment& segment = m_sent[i];
            const uint32_t bytes = size(m_una + i);
            outstanding += bytes;
            sacked += segment.sacked ? bytes : 0;
            lost += segment.lost ? bytes : 0;
            retrans += segment.retransmitted ? bytes : 0;
            aside += segment.aside ? bytes : 0;
            excused += segment.excused ? bytes : 0;
            apart = apart && !(segment.sacked && segment.lost);
        }
        return apart && outstanding == m_outstanding && sacked == m_sacked_out &&
               lost == m_lost_out && retrans == m_retrans_out && aside == m_aside &&
               excused == m_excused && pipe() >= 0;
    }

  private:
    /// A transmission whose loss is to be found.
    struct Transmission
    {
        uint64_t segment;
        uint64_t order;
        Time sent;
    };

    /// Bytes of a segment that are not acknowledged.
    uint32_t size(uint64_t segment) const
    {
        return m_stream.size(segment) - (segment == m_una ? m_part : 0);
    }

    void watch(uint64_t segment, Time now)
    {
        if (m_watched.empty())
        {
            std::fill(std::begin(m_latest), std::end(m_latest), 0);
        }
        m_watched.push() = {segment, m_order, now};
    }

    /// Whether that transmission is a segment's last, and under way as far as is known.
    bool is_in_flight(uint64_t segment, uint64_t order)
    {
        if (segment < m_una)
        {
            return false;
        }
        const SentSegment& sent = (*this)[segment];
        return sent.order == order && !sent.sacked && (!sent.lost || sent.retransmitted);
    }

    /// Its last transmission is lost, be it the first or another.
    template <class OnLost>
    void lose_transmission(uint64_t i, OnLost lost)
    {
        SentSegment& segment = (*this)[i];
        const uint32_t bytes = size(i);
        if (segment.retransmitted)
        {
            segment.retransmitted = false;
            m_retrans_out -= bytes;
            if (segment.lost) // and so is lost once more
            {
                lost(segment, i, bytes);
                m_lost += bytes;
                excuse(segment, i, false);
            }
        }
        mark_lost(i, lost);
        m_decided = std::max(m_decided, i + 1);
        m_retransmit = std::min(m_retransmit, i);
        m_untouched = std::min(m_untouched, i);
    }

    template <class OnLost>
    void mark_lost(uint64_t i, OnLost lost)
    {
        SentSegment& segment = (*this)[i];
        if (!segment.lost)
        {
            const uint32_t bytes = size(i);
            lost(segment, i, bytes);
            join_pipe(segment, i);
            excuse(segment, i, segment.supplement);
            segment.lost = true;
            m_lost_out += bytes;
            m_lost += bytes;
            m_retransmit = std::min(m_retransmit, i);
        }
    }

    /// A supplement is no longer under way as one.
    void join_pipe(SentSegment& segment, uint64_t i)
    {
        if (segment.aside) [[unlikely]]
        {
            m_aside -= size(i);
            segment.aside = false;
        }
    }

    void excuse(SentSegment& segment, uint64_t i, bool excused)
    {
        const Bytes bytes = size(i);
        m_excused += (excused ? bytes : 0) - (segment.excused ? bytes : 0);
        segment.excused = excused;
    }

    /// It has arrived: it is not lost, nor in flight a second time.
    void leave_pipe(SentSegment& segment, uint64_t i)
    {
        join_pipe(segment, i);
        if (segment.lost) [[unlikely]]
        {
            excuse(segment, i, false);
            segment.lost = false;
            m_lost_out -= size(i);
        }
        if (segment.retransmitted) [[unlikely]]
        {
            segment.retransmitted = false;
            m_retrans_out -= size(i);
        }
    }

    /// A segment has arrived. Of one that was sent again it is its last transmission, if that had the
    /// time to (RFC 8985, section 6.2, step 2).
    void note_delivery(const SentSegment& segment, uint64_t i, Time now)
    {
        const Time elapsed = now - segment.sent;
        if (!segment.ambiguous)
        {
            note_round_trip(elapsed);
        }
        else if (elapsed < m_least_rtt)
        {
            return;
        }
        if (m_rack)
        {
            if (segment.order > m_ack_order)
            {
                m_ack_order = segment.order;
                m_rack_rtt = elapsed;
            }
            m_rack_order = std::max(m_rack_order, segment.order);
            m_reordering_seen = m_reordering_seen || (i < m_known_highest && !segment.ambiguous);
            m_rack_highest = std::max(m_rack_highest, i);
            return;
        }
        if (m_watched.empty() || segment.order <= m_latest[DUP_THRESH - 1])
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

    const Stream& m_stream;
    const bool m_sack;
    const bool m_watches;
    const bool m_rack;
    uint64_t m_una{0};
    uint32_t m_part{0};       //!< bytes of that segment which are acknowledged, not all
    Ring<SentSegment> m_sent; //!< from snd_una on
    RangeSet m_sacked;        //!< numbers of those that are sacked
    Bytes m_outstanding{0};
    Bytes m_sacked_out{0};
    Bytes m_lost_out{0};
    Bytes m_retrans_out{0};
    Bytes m_aside{0};         //!< of supplements under way
    Bytes m_excused{0};       //!< of supplements that are lost
    int64_t m_reno_sacked{0}; //!< segments, without SACK
    Bytes m_lost{0};
    uint64_t m_decided{0};           //!< all before it are sacked, lost, or were so
    uint64_t m_retransmit{0};        //!< of those that are lost, all before it have been sent again
    uint64_t m_untouched{0};         //!< the same, for rule 3
    uint64_t m_rescued{0};           //!< by rule 4: none again before all before it is there
    uint64_t m_order{0};             //!< of the last transmission
    Ring<Transmission> m_watched;    //!< those that may be lost, in order
    uint64_t m_latest[DUP_THRESH]{}; //!< since there are such: the highest orders that arrived
    uint64_t m_rack_order{0};
    uint64_t m_ack_order{0};     //!< of what this ACK reports, the transmission sent last
    Time m_rack_rtt{0};          //!< RACK.rtt: how long that of the last ACK with a report took
    uint64_t m_rack_highest{0};  //!< highest segment that has arrived
    uint64_t m_known_highest{0}; //!< the same by the ACKs before this one
    bool m_reordering_seen{false};
    Time m_least_rtt{NEVER}; //!< from transmission to report, of what was sent once
};

} // namespace longfat::core

#endif
