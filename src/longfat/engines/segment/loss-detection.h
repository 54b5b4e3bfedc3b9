// SPDX-License-Identifier: GPL-2.0-only
//
// Loss detection: from what ACKs report to what has arrived and what is lost. The scoreboard keeps both;
// here is how a sender reads them:
//
//     with SACK      three reports above a segment, or three later transmissions (RFC 6675)
//     with RACK      time (RFC 8985): what was sent before something that arrived, and waits longer
//                    than a round trip and a window for reordering
//     without SACK   three duplicate ACKs, then partial acknowledgments (RFC 6582)
//
// What follows from a loss is not decided here: the answer is a Sign.

#ifndef LONGFAT_CORE_LOSS_DETECTION_H
#define LONGFAT_CORE_LOSS_DETECTION_H

#include "link.h"
#include "round-trip.h"
#include "scoreboard.h"

namespace longfat::core
{

/// What an ACK has reported.
struct Delivery
{
    Bytes acked{0};                    //!< the cumulative acknowledgment has advanced by it
    uint64_t acked_segments{0};        //!< the same
    Bytes sacked{0};                   //!< reported by SACK and not before
    Bytes delivered{0};                //!< acknowledged or reported, and neither before
    uint64_t first_original{NO_LIMIT}; //!< of that, the first segment that was never sent again
    uint64_t supplements{0}; //!< of which `delivered` has nothing, for they were not in the pipe
};

/// What a sender has to react to.
enum class Sign : uint8_t
{
    NONE,
    HOLE,                //!< something is missing, perhaps lost
    PARTIAL,             //!< in a recovery without SACK, the next hole
    LOSS,                //!< and no recovery is under way
    LOST_RETRANSMISSION, //!< since the window was reduced last
};

/// The probe of a flight's tail (RFC 8985, section 7): one at a time.
class TailLossProbe
{
  public:
    bool is_out() const
    {
        return m_end != NO_LIMIT;
    }

    /// A new segment is sent, or with `again` the last one once more. `end`: the first segment that has
    /// not been sent then.
    void on_sent(uint64_t end, bool again)
    {
        m_end = end;
        m_again = again;
    }

    /// A reduction, or a timeout: what the probe finds out is known.
    void forget()
    {
        m_end = NO_LIMIT;
    }

    /// Whether the ACK is for the second of two that have arrived.
    bool is_told_of(const Packet& packet) const
    {
        return is_out() && m_again && packet.duplicate == m_end - 1;
    }

    /// Section 7.4.2. Returns whether the ACK shows that the probe has repaired a loss.
    bool on_ack(const Packet& packet, bool advances)
    {
        if (!is_out() || packet.number < m_end)
        {
            return false;
        }
        const bool repaired = m_again && packet.number > m_end && !is_told_of(packet);
        const bool pure_duplicate = !advances && packet.sack_blocks == 0;
        if (!m_again || repaired || is_told_of(packet) || pure_duplicate)
        {
            forget();
        }
        return repaired;
    }

  private:
    uint64_t m_end{NO_LIMIT}; //!< NO_LIMIT: none is out
    bool m_again{false};
};

class LossDetection
{
  public:
    LossDetection(const FlowSpec& spec, const Stream& stream)
        : board(stream, spec.sack, spec.sack && spec.finds_lost_retransmissions, spec.rack),
          m_spec(spec),
          m_stream(stream)
    {
    }

    Scoreboard board;

    /// Take in what an ACK reports. Calls `delivered` with each segment that had not been reported
    /// before, its bytes, and whether it is by the cumulative acknowledgment.
    template <class Delivered>
    Delivery on_ack(const Packet& packet, Time now, Delivered delivered)
    {
        Delivery all;
        board.begin_ack();
        const auto note_original = [&](const SentSegment& segment, uint64_t number) {
            all.first_original =
                std::min(all.first_original, segment.ambiguous ? NO_LIMIT : number);
        };
        const auto note =
            [&](const SentSegment& segment, uint64_t number, uint32_t bytes, bool acknowledged) {
                all.delivered += segment.supplement ? 0 : bytes;
                all.supplements += segment.supplement;
                note_original(segment, number);
                delivered(segment, bytes, acknowledged);
            };
        for (uint32_t i = 0; i < packet.sack_blocks; ++i)
        {
            board.sack(packet.number + packet.sack[i].begin,
                       packet.number + packet.sack[i].end,
                       now,
                       [&](const SentSegment& segment, uint64_t number, uint32_t bytes) {
                           all.sacked += bytes;
                           note(segment, number, bytes, false);
                       });
        }
        const uint64_t before = board.snd_una();
        const Bytes acknowledged_before = board.acknowledged();
        if (packet.number > before)
        {
            board.acknowledge(packet.number,
                              now,
                              [&](const SentSegment& segment, uint64_t number, uint32_t bytes) {
                                  note(segment, number, bytes, true);
                              });
            all.acked_segments = packet.number - before;
        }
        if (packet.part > 0) [[unlikely]]
        {
            board.acknowledge_part(packet.part, [&](const SentSegment& segment, uint32_t bytes) {
                all.delivered += segment.supplement ? 0 : bytes;
                note_original(segment, board.snd_una());
                delivered(segment, bytes, true);
            });
        }
        all.acked = board.acknowledged() - acknowledged_before;
        return all;
    }

    /// Duplicate ACKs without SACK (RFC 6582, RFC 3042). Returns what the ACK delivers by the guess of
    /// RFC 9937, section 6: a duplicate one segment, another what none of those have told before. What
    /// changes the window is no duplicate (RFC 5681, section 2).
    Bytes count_duplicate(const Delivery& delivery, bool same_window, State state)
    {
        if (delivery.acked > 0)
        {
            m_dup_acks = 0;
            if (state == State::RECOVERY)
            {
                board.remove_reno_sacks(delivery.acked_segments);
            }
            else
            {
                board.clear_reno_sacks();
            }
            const Bytes known = std::min(m_guessed, delivery.delivered - m_stream.mss);
            m_guessed -= std::max<Bytes>(known, 0);
            return delivery.delivered - std::max<Bytes>(known, 0);
        }
        if (board.empty() || !same_window || state == State::LOSS)
        {
            return 0;
        }
        ++m_dup_acks;
        // Limited transmit lets the first two send a segment beyond the window each (RFC 3042).
        const bool sends_two = m_spec.limited_transmit && m_dup_acks < Scoreboard::DUP_THRESH;
        if (state == State::RECOVERY || state == State::CWR || sends_two)
        {
            board.add_reno_sack();
        }
        m_guessed += m_stream.mss;
        return m_stream.mss;
    }

    /// What marking has found.
    struct Found
    {
        bool again{false}; //!< a retransmission is lost that followed the last reduction
        Time wait{NEVER};  //!< RACK: how long until more may be
    };

    /// With SACK: mark what is lost, and call `lost` with each. `reduced_after`: the transmission after
    /// which the window was last reduced.
    template <class OnLost>
    Found detect(const RoundTrips& rtts, State state, uint64_t reduced_after, Time now, OnLost lost)
    {
        Found found;
        if (!m_spec.sack)
        {
            return found;
        }
        if (!m_spec.rack)
        {
            board.detect_by_sack(lost);
            found.again = board.detect_lost_retransmissions(reduced_after, lost);
            return found;
        }
        const Time reo_wnd = reordering_window(rtts, state);
        found.again = board.detect_by_time(now, reo_wnd, reduced_after, &found.wait, lost) &&
                      state == State::RECOVERY;
        return found;
    }

    /// What the sender has to react to, with SACK after `detect`. Without SACK this is where a segment
    /// is marked lost. `above`: whether all that was outstanding at the last loss, and one segment
    /// more, had been acknowledged before this ACK.
    template <class OnLost>
    Sign sign(State state, bool advances, bool lost_again, bool above, OnLost lost)
    {
        if (!m_spec.sack)
        {
            return sign_of_duplicates(state, advances, above, lost);
        }
        // Until all is repaired that a timeout has found, no recovery begins (RFC 6675, section 5.1).
        if (state == State::LOSS)
        {
            return Sign::NONE;
        }
        if (state == State::RECOVERY)
        {
            return lost_again ? Sign::LOST_RETRANSMISSION : Sign::NONE;
        }
        return board.has_losses() ? Sign::LOSS : board.sacked_out() > 0 ? Sign::HOLE : Sign::NONE;
    }

    /// After a timeout all is lost that has not been reported.
    template <class OnLost>
    void on_timeout(OnLost lost)
    {
        m_dup_acks = 0;
        m_guessed = 0;
        board.mark_all_lost(lost);
    }

    /// RFC 8985, section 6.2, step 4: the window for reordering grows once in each round trip in which
    /// a DSACK tells that it was too short. (One for a probe does not: that was sent by a timer.)
    void adapt_reordering_window(bool dsack)
    {
        if (m_dsack_round != NO_LIMIT && board.snd_una() >= m_dsack_round)
        {
            m_dsack_round = NO_LIMIT;
        }
        if (dsack && m_dsack_round == NO_LIMIT)
        {
            m_dsack_round = board.snd_nxt();
            ++m_reo_wnd_mult;
            m_reo_wnd_persist = REO_WND_PERSIST;
        }
    }

    /// What reduced the window is over. `losses`: it was a recovery, or a timeout.
    void on_recovered(bool losses)
    {
        if (!m_spec.sack)
        {
            board.clear_reno_sacks();
            m_guessed = 0;
        }
        if (losses && m_reo_wnd_persist > 0 && --m_reo_wnd_persist == 0)
        {
            m_reo_wnd_mult = 1;
        }
    }

  private:
    static constexpr int REO_WND_PERSIST = 16; //!< recoveries

    /// The same: none before reordering was seen, in a recovery or when three duplicate ACKs would do;
    /// else so many quarters of the smallest round trip, and no more than a smoothed one.
    Time reordering_window(const RoundTrips& rtts, State state) const
    {
        const bool early = board.sacked_out() >= Bytes(Scoreboard::DUP_THRESH) * m_stream.mss;
        const bool recovers = state == State::RECOVERY || state == State::LOSS;
        if (!board.reordering_seen() && (recovers || early))
        {
            return 0;
        }
        return std::min(m_reo_wnd_mult * (rtts.min() / 4), rtts.srtt());
    }

    template <class OnLost>
    Sign sign_of_duplicates(State state, bool advances, bool above, OnLost lost)
    {
        if (state == State::RECOVERY)
        {
            if (!advances)
            {
                return Sign::NONE;
            }
            board.mark_head_lost(lost); // a partial acknowledgment: the next is lost too
            return Sign::PARTIAL;
        }
        if (m_dup_acks == 0 || state == State::LOSS)
        {
            return Sign::NONE;
        }
        // What is sent again although it has arrived causes duplicate ACKs too: for what was
        // outstanding at the last loss, and right after it, none counts (RFC 6582, 3.2, step 2).
        if (m_dup_acks != Scoreboard::DUP_THRESH || !above || advances)
        {
            return Sign::HOLE;
        }
        board.set_reno_sacks_at_least(Scoreboard::DUP_THRESH);
        board.mark_head_lost(lost);
        return Sign::LOSS;
    }

    const FlowSpec& m_spec;
    const Stream& m_stream;
    uint64_t m_dup_acks{0}; //!< without SACK, since the last ACK that advanced
    Bytes m_guessed{0};     //!< by duplicate ACKs without SACK, not yet acknowledged
    int64_t m_reo_wnd_mult{1};
    int m_reo_wnd_persist{0}; //!< recoveries until that is 1 again
    uint64_t m_dsack_round{
        NO_LIMIT}; //!< the first segment after a round trip that has had its DSACK
};

} // namespace longfat::core

#endif
