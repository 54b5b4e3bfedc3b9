// SPDX-License-Identifier: GPL-2.0-only
//
// Congestion that was none: segments had been delayed, and what the sender has reduced it takes back.
// Told by original segments that arrive after a timeout (F-RTO, RFC 5682, section 3), by the timestamp of
// the first ACK that advances (Eifel, RFC 3522), by DSACKs for all that was sent again (RFC 3708).

#ifndef LONGFAT_CORE_SPURIOUS_H
#define LONGFAT_CORE_SPURIOUS_H

#include "loss-detection.h"
#include "spec.h"

namespace longfat::core
{

class SpuriousDetection
{
  public:
    explicit SpuriousDetection(const FlowSpec& spec)
        : m_spec(spec)
    {
    }

    /// A first reduction: what an undo goes back to. What is still under way of an earlier recovery
    /// proves nothing of this one.
    void remember(const Control& before, const Scoreboard& board)
    {
        m_before = before;
        m_una = board.snd_una();
        m_undo_count = board.retransmissions_out();
        m_first_repair = m_undo_count > 0 ? m_first_repair : NEVER;
        m_can_undo = true;
    }

    /// A reduction that is not taken back: for ECN's mark, or for a loss that a probe has repaired; or
    /// another, since ECN tells of congestion.
    void forget()
    {
        m_can_undo = false;
    }

    const Control& before() const
    {
        return m_before;
    }

    /// Whether what `on_ack` has shown takes back the reduction too, and not only that segments are lost.
    bool restores() const
    {
        return m_restores;
    }

    /// RFC 5682 asks that no recovery was under way: then originals are no sign. `first`: it is the
    /// first timeout since an ACK advanced. `end`: the first segment that has not been sent then.
    void on_timeout(bool first, State state, uint64_t end)
    {
        m_frto_end = end;
        m_frto = m_spec.frto && first && state != State::RECOVERY && state != State::LOSS;
        m_frto_sends_new = false;
        m_can_undo = m_can_undo && state != State::LOSS;
    }

    /// `alone`: no recovery is under way, and nothing else that was sent again. That a probe comes
    /// twice tells of the probe alone.
    void on_sent_again(Time now, bool alone, bool is_probe)
    {
        m_first_repair = alone ? now : std::min(m_first_repair, now);
        m_undo_count += !is_probe;
    }

    /// The next segments to leave are new ones (RFC 5682, step 2b).
    bool sends_new() const
    {
        return m_frto_sends_new;
    }

    /// Returns whether the ACK shows that the last losses were none, which is then done. `came_in`: the
    /// state before it. `has_new`: a new segment could be sent. `of_probe`: it tells that a probe came
    /// twice.
    bool on_ack(const Packet& packet,
                const Delivery& delivery,
                State came_in,
                State state,
                bool has_new,
                bool of_probe)
    {
        if (!m_spec.frto && !m_spec.undo)
        {
            return false;
        }
        if (packet.duplicate != NO_LIMIT && packet.duplicate >= m_una && m_undo_count > 0 &&
            !of_probe)
        {
            --m_undo_count;
            if (m_spec.undo && m_undo_count == 0)
            {
                return undo();
            }
        }
        if (came_in == State::OPEN || came_in == State::DISORDER)
        {
            return false;
        }
        if (state != State::LOSS) // all is acknowledged: it stays a timeout (section 3.1, step 2a)
        {
            m_frto = m_frto_sends_new = false;
        }
        if (m_frto)
        {
            if (delivery.first_original < m_frto_end)
            {
                undo();
                return true;
            }
            // The first that advances: new segments are sent, and where there are none it stays a timeout
            // (section 3.1, step 2b). After those whatever tells nothing of old ones says the same (3a).
            if (delivery.acked > 0 || m_frto_sends_new)
            {
                m_frto = !m_frto_sends_new && has_new;
                m_frto_sends_new = m_frto;
            }
        }
        const bool proves = m_spec.undo && m_spec.timestamps && delivery.acked > 0 &&
                            came_in != State::CWR && m_first_repair != NEVER &&
                            ticks(packet.echo) < ticks(m_first_repair);
        return proves && undo();
    }

  private:
    bool undo()
    {
        m_frto = m_frto_sends_new = false;
        return m_restores = std::exchange(m_can_undo, false);
    }

    Time ticks(Time time) const
    {
        return m_spec.timestamp_tick > 0 ? time / m_spec.timestamp_tick : time;
    }

    const FlowSpec& m_spec;
    Control m_before{}; //!< before the first of the reductions at hand
    bool m_can_undo{false};
    bool m_restores{false};
    uint64_t m_una{0};            //!< the first that was not acknowledged then
    Time m_first_repair{NEVER};   //!< of what was sent again and is under way, when it was first
    int64_t m_undo_count{0};      //!< of that, what no DSACK has told of
    bool m_frto{false};           //!< it is open whether the timeout was one
    uint64_t m_frto_end{0};       //!< an original before it shows that it was none
    bool m_frto_sends_new{false}; //!< and new segments are sent to find out
};

} // namespace longfat::core

#endif
