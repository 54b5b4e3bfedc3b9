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

    /// A first reduction: what an undo goes back to.
    void remember(const Control& before)
    {
        m_before = before;
        m_first_repair = NEVER;
        m_undo_count = 0;
        m_can_undo = true;
    }

    const Control& before() const
    {
        return m_before;
    }

    /// RFC 5682 asks that no recovery was under way: then originals are no sign. `first`: it is the
    /// first timeout since an ACK advanced.
    void on_timeout(bool first, State state)
    {
        m_frto = m_spec.frto && first && state != State::RECOVERY && state != State::LOSS;
        m_frto_sends_new = false;
        m_can_undo = m_can_undo && state != State::LOSS;
    }

    void on_sent_again(Time now)
    {
        m_first_repair = std::min(m_first_repair, now);
        ++m_undo_count;
    }

    /// The next segments to leave are new ones (RFC 5682, step 2b).
    bool sends_new() const
    {
        return m_frto_sends_new;
    }

    /// Returns whether the ACK shows that the last reduction is to be undone, which is then done.
    /// `has_new`: a new segment could be sent.
    bool on_ack(const Packet& packet, const Delivery& delivery, State state, bool has_new)
    {
        if (!m_spec.frto && !m_spec.undo)
        {
            return false;
        }
        if (packet.duplicate != NO_LIMIT && m_undo_count > 0)
        {
            --m_undo_count;
            if (m_spec.undo && m_undo_count == 0)
            {
                return undo();
            }
        }
        if (state == State::OPEN || state == State::DISORDER)
        {
            return false;
        }
        if (m_frto && state == State::LOSS)
        {
            if (delivery.original)
            {
                return undo();
            }
            // Where nothing new can be sent it stays a timeout (RFC 5682, section 2.1, step 2b).
            m_frto = delivery.acked > 0 && !m_frto_sends_new && has_new;
            m_frto_sends_new = m_frto;
        }
        const bool proves = m_spec.undo && m_spec.timestamps && delivery.acked > 0 &&
                            state != State::CWR && m_first_repair != NEVER &&
                            ticks(packet.echo) < ticks(m_first_repair);
        return proves && undo();
    }

  private:
    bool undo()
    {
        if (!m_can_undo)
        {
            return false;
        }
        m_can_undo = m_frto = m_frto_sends_new = false;
        return true;
    }

    Time ticks(Time time) const
    {
        return m_spec.timestamp_tick > 0 ? time / m_spec.timestamp_tick : time;
    }

    const FlowSpec& m_spec;
    Control m_before{}; //!< before the first of the reductions at hand
    bool m_can_undo{false};
    Time m_first_repair{NEVER};   //!< when something was first sent again in the recovery at hand
    int64_t m_undo_count{0};      //!< retransmissions of it that no DSACK has told of
    bool m_frto{false};           //!< it is open whether the timeout was one
    bool m_frto_sends_new{false}; //!< and new segments are sent to find out
};

} // namespace longfat::core

#endif
