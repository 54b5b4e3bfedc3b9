// SPDX-License-Identifier: GPL-2.0-only
//
// The state of a connection (congestion-control.h, State): when a recovery begins and when it is over.

#ifndef LONGFAT_CORE_RECOVERY_STATE_H
#define LONGFAT_CORE_RECOVERY_STATE_H

#include "scoreboard.h"

#include <optional>

namespace longfat::core
{

class RecoveryState
{
  public:
    State state() const
    {
        return m_state;
    }

    /// The window falls, because of a loss or of ECN.
    bool is_reducing() const
    {
        return m_state == State::RECOVERY || m_state == State::CWR;
    }

    /// Nothing is amiss but perhaps a hole: a reduction would be the first.
    bool is_calm() const
    {
        return m_state == State::OPEN || m_state == State::DISORDER;
    }

    /// RecoveryPoint: the first segment that had not been sent when it began.
    uint64_t recover() const
    {
        return m_recover;
    }

    /// "recover" of RFC 6582: the same for the last recovery or timeout, and never for ECN's marks.
    uint64_t recover_of_losses() const
    {
        return m_recover_of_losses;
    }

    /// The number of the transmission after which the window was last reduced.
    uint64_t reduced_after() const
    {
        return m_reduced_after;
    }

    /// What is lost is sent again at once, whatever the window (RFC 5681, section 3.2, step 3).
    bool is_fast_retransmit_due() const
    {
        return m_fast_retransmit;
    }

    void begin(State state, const Scoreboard& board)
    {
        m_state = state;
        m_recover = board.snd_nxt();
        m_reduced_after = board.transmissions();
        if (state != State::CWR)
        {
            m_recover_of_losses = m_recover;
            m_fast_retransmit = state == State::RECOVERY;
            m_partial_ack = false;
        }
    }

    /// The sender advances to that segment. A recovery is over when all is acknowledged that had been
    /// sent at its beginning: returns which, or nothing.
    std::optional<State> on_advance(uint64_t acked)
    {
        std::optional<State> over;
        if (acked >= m_recover && !is_calm())
        {
            over = m_state;
            m_state = State::OPEN;
        }
        if (m_state == State::DISORDER)
        {
            m_state = State::OPEN;
        }
        return over;
    }

    void on_hole()
    {
        m_state = m_state == State::OPEN ? State::DISORDER : m_state;
    }

    void on_partial_ack()
    {
        m_fast_retransmit = true;
        m_partial_ack = true;
    }

    /// Whether an ACK up to that segment is a partial acknowledgment, and not the first of its recovery.
    bool is_later_partial_ack(uint64_t acked) const
    {
        return m_partial_ack && m_state == State::RECOVERY && acked < m_recover;
    }

    void on_fast_retransmit()
    {
        m_fast_retransmit = false;
    }

    /// The congestion was none.
    void on_undo()
    {
        m_state = State::OPEN;
    }

  private:
    State m_state{State::OPEN};
    uint64_t m_recover{0};
    uint64_t m_recover_of_losses{0};
    uint64_t m_reduced_after{0};
    bool m_fast_retransmit{false};
    bool m_partial_ack{false}; //!< without SACK: there was one in this recovery
};

} // namespace longfat::core

#endif
