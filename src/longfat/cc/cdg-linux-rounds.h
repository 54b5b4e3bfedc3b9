// SPDX-License-Identifier: GPL-2.0-only
//
// What Linux's CDG measures (net/ipv4/tcp_cdg.c): the smallest and the largest round trip of each round,
// how these have grown over the last eight rounds, and what that says of the queue.

#ifndef LONGFAT_CDG_LINUX_ROUNDS_H
#define LONGFAT_CDG_LINUX_ROUNDS_H

#include "chance.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace longfat
{

class CdgLinuxRounds
{
  public:
    using State = ns3::TcpSocketState;

    enum class Queue
    {
        UNKNOWN,
        NOT_FULL,
        FULL,
    };

    Queue queue{Queue::UNKNOWN}; //!< by the gradients

    /// Delayed ACKs are left out.
    void OnAck(ns3::Ptr<const State> tcb, uint32_t segmentsAcked)
    {
        const int64_t rtt = tcb->m_lastRtt.Get().GetMicroSeconds();
        if (rtt <= 0)
        {
            return;
        }
        if (tcb->m_congState == State::CA_OPEN && segmentsAcked == 1 && m_delayed > 0)
        {
            m_rtt.min = std::min(m_rtt.min, rtt);
            --m_delayed;
            return;
        }
        m_delayed += segmentsAcked > 1 && m_delayed < 5;
        m_rtt.min = m_rtt.min == 0 ? rtt : std::min(m_rtt.min, rtt);
        m_rtt.max = std::max(m_rtt.max, rtt);
    }

    /// The round's smallest round trip, in us; 0: none yet.
    int64_t Least() const
    {
        return m_rtt.min;
    }

    bool IsOver(ns3::Ptr<const State> tcb) const
    {
        return tcb->m_lastAckedSeq > m_end && m_rtt.max > 0;
    }

    /// Another one.
    void Begin(ns3::Ptr<const State> tcb)
    {
        m_end = tcb->m_nextTxSequence;
        m_before = std::exchange(m_rtt, {});
    }

    /// tcp_cdg_grad: how much the round trips have grown over the last rounds, in us.
    int64_t Gradient()
    {
        if (m_before.max == 0)
        {
            return 0;
        }
        const MinMax fresh{m_rtt.min - m_before.min, m_rtt.max - m_before.max};
        const MinMax old = std::exchange(m_gradients[m_tail], fresh);
        m_sum.min += fresh.min - old.min;
        m_sum.max += fresh.max - old.max;
        m_tail = (m_tail + 1) % ROUNDS;
        m_filled = m_filled || m_tail == 0;
        if (m_sum.min <= -32 || m_sum.max <= -32)
        {
            m_backOffs = 0;
        }
        const int64_t low = std::llround(m_sum.min / 64.0);
        const int64_t high = std::llround(m_sum.max / 64.0);
        if (low > 0 && high <= 0)
        {
            queue = Queue::FULL;
        }
        else if (low > 0 || high < 0)
        {
            queue = Queue::NOT_FULL;
        }
        const int64_t gradient = m_sum.min > 0 ? m_sum.min : m_sum.max;
        return m_filled ? gradient : gradient * ROUNDS / m_tail;
    }

    /// tcp_cdg_backoff: whether to; after five since the delay last fell, not.
    bool BacksOff(int64_t gradient)
    {
        return gradient > 0 && m_chance.Happens(1 - std::exp(-42e-6 * gradient)) &&
               ++m_backOffs <= 5;
    }

  private:
    static constexpr int ROUNDS = 8; //!< of a gradient

    /// Round trips, or changes of them, in us; 0: none.
    struct MinMax
    {
        int64_t min{0};
        int64_t max{0};
    };

    MinMax m_rtt;                             //!< of this round
    MinMax m_before;                          //!< of the round before
    std::array<MinMax, ROUNDS> m_gradients{}; //!< of the last rounds
    MinMax m_sum;                             //!< of these
    int m_tail{0};                            //!< the oldest of them
    bool m_filled{false};                     //!< there have been so many
    uint32_t m_backOffs{0};                   //!< since the delay last fell
    uint32_t m_delayed{0};                    //!< ACKs to be taken for delayed ones
    ns3::SequenceNumber32 m_end{0};           //!< rtt_seq
    Chance m_chance;
};

} // namespace longfat

#endif
