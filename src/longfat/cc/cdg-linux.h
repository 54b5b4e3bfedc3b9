// SPDX-License-Identifier: GPL-2.0-only
//
// CDG as Linux 6.12 has it (net/ipv4/tcp_cdg.c, by K. K. Jonassen), beside cdg.h, which is its paper's.
// By Linux's defaults, in whole segments and microseconds, what differs:
//
//     no loss is forgiven, unless Tolerance is asked for
//     beta is 0.7071; the window goes there over a round trip (PRR), and the round begins anew then
//     the gradient is that of the smallest round trip where it rises, else that of the largest; over
//     the last eight rounds, and while there are fewer in proportion
//     the probability of a back-off is 1 - exp(-42 g), g their sum in s: G = 1 / (42 x 8) s
//     after five back-offs in vain none until the delay falls
//     the shadow window begins as the first window, and is no more than the window before a loss
//     hybrid slow start: a train of ACKs of half the least round trip, or an eighth more delay, ends it
//
// Left out: undoing what was a mistake, and that a window that nobody fills limits the shadow.

/* catalogue
title = "CAIA Delay-Gradient (CDG) as in Linux 6.12"
type_id = "longfat::TcpCdgLinux"
source = "Linux 6.12, net/ipv4/tcp_cdg.c; Hayes and Armitage 2011"
caps_window = true
[parameters]
tolerates_loss = {attribute = "Tolerance"}
hybrid_slow_start = {attribute = "HyStart"}
*/

#ifndef LONGFAT_CDG_LINUX_H
#define LONGFAT_CDG_LINUX_H

#include "chance.h"
#include "fractional-window.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"

#include <array>
#include <utility>

namespace longfat
{

class TcpCdgLinux : public TcpFractionalWindow
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCdgLinux")
                .SetParent<TcpFractionalWindow>()
                .AddConstructor<TcpCdgLinux>()
                .AddAttribute("Tolerance",
                              "a loss while the queue is not full takes nothing (use_tolerance)",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpCdgLinux::m_tolerates),
                              ns3::MakeBooleanChecker())
                .AddAttribute("HyStart",
                              "slow start ends at a train of ACKs or a delay (hystart_detect)",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpCdgLinux::m_hyStart),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCdgLinux>(this);
    }

    /// The smallest and largest round trip of the round; delayed ACKs are left out.
    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& /* rtt */) override
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

    void CwndEvent(Tcb tcb, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_COMPLETE_CWR)
        {
            m_queue = Queue::UNKNOWN;
            m_roundEnd = tcb->m_nextTxSequence;
            m_before = std::exchange(m_rtt, {});
        }
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_shadow == 0)
        {
            m_shadow = Window(tcb);
        }
        if (m_reduces)
        {
            Reduce(tcb, segmentsAcked);
            return;
        }
        if (m_hyStart && tcb->m_cWnd < tcb->m_ssThresh)
        {
            LookForEnd(tcb);
        }
        if (tcb->m_lastAckedSeq > m_roundEnd && m_rtt.max > 0)
        {
            const int64_t gradient = m_before.max > 0 ? Gradient() : 0;
            m_roundEnd = tcb->m_nextTxSequence;
            m_before = std::exchange(m_rtt, {});
            m_lastAck = 0;
            m_samples = 0;
            if (gradient > 0 && BacksOff(tcb, gradient))
            {
                return;
            }
        }
        if (tcb->m_isCwndLimited)
        {
            const uint32_t before = Window(tcb);
            Grow(tcb, segmentsAcked);
            m_shadow += Window(tcb) - before;
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        const uint32_t window = Window(tcb);
        if (std::exchange(m_reduces, false)) // a loss within a back-off's round trip takes no more
        {
            return tcb->m_ssThresh.Get();
        }
        if (m_tolerates && m_queue == Queue::NOT_FULL)
        {
            return tcb->m_cWnd.Get();
        }
        m_shadow = std::min(m_shadow / 2, window);
        return std::max({2U, m_shadow, window / 2}) * tcb->m_segmentSize;
    }

  private:
    static constexpr int ROUNDS = 8; //!< of a gradient

    /// Round trips, or changes of them, in us; 0: none.
    struct MinMax
    {
        int64_t min{0};
        int64_t max{0};
    };

    enum class Queue
    {
        UNKNOWN,
        NOT_FULL,
        FULL,
    };

    static uint32_t Window(ns3::Ptr<const State> tcb)
    {
        return tcb->m_cWnd.Get() / tcb->m_segmentSize;
    }

    /// tcp_cdg_grad: how much the round trips have grown over the last rounds, in us.
    int64_t Gradient()
    {
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
            m_queue = Queue::FULL;
        }
        else if (low > 0 || high < 0)
        {
            m_queue = Queue::NOT_FULL;
        }
        const int64_t gradient = m_sum.min > 0 ? m_sum.min : m_sum.max;
        return m_filled ? gradient : gradient * ROUNDS / m_tail;
    }

    /// tcp_cdg_backoff.
    bool BacksOff(Tcb tcb, int64_t gradient)
    {
        if (!m_chance.Happens(1 - std::exp(-42e-6 * gradient)) || ++m_backOffs > 5)
        {
            return false;
        }
        const uint32_t window = Window(tcb);
        m_shadow = std::max(m_shadow, window);
        tcb->m_ssThresh = std::max(2U, window * 724 / 1024) * tcb->m_segmentSize;
        m_reduces = true;
        m_start = GetWindow(tcb);
        m_end = tcb->m_nextTxSequence;
        return true;
    }

    /// Proportional rate reduction down to the threshold.
    void Reduce(Tcb tcb, uint32_t segmentsAcked)
    {
        const double goal = double(tcb->m_ssThresh.Get()) / tcb->m_segmentSize;
        const double next = GetWindow(tcb) - segmentsAcked * (1 - goal / m_start);
        SetWindow(tcb, std::max(goal, next));
        if (tcb->m_lastAckedSeq >= m_end)
        {
            SetWindow(tcb, goal);
            m_reduces = false;
            CwndEvent(tcb, State::CA_EVENT_COMPLETE_CWR);
        }
    }

    /// tcp_cdg_hystart_update.
    void LookForEnd(Tcb tcb)
    {
        m_least = m_least == 0 ? m_rtt.min : std::min(m_least, std::max(m_rtt.min, int64_t(1)));
        if (m_least == 0)
        {
            return;
        }
        const int64_t now = ns3::Simulator::Now().GetMicroSeconds();
        if (m_lastAck == 0 || !tcb->m_isCwndLimited)
        {
            m_lastAck = m_trainBegan = now;
        }
        else if (now < m_lastAck + 3000)
        {
            m_lastAck = now;
            if (now > m_trainBegan + std::max(m_least / 2, int64_t(125)))
            {
                tcb->m_ssThresh = tcb->m_cWnd.Get();
                return;
            }
        }
        if (m_samples < 8)
        {
            ++m_samples;
        }
        else if (m_rtt.min > std::max(m_least + m_least / 8, int64_t(125)))
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get();
        }
    }

    /// tcp_reno_cong_avoid.
    void Grow(Tcb tcb, uint32_t acked)
    {
        const uint32_t threshold = tcb->m_ssThresh.Get() / tcb->m_segmentSize;
        uint32_t window = Window(tcb);
        if (window < threshold)
        {
            const uint32_t more = std::min(acked, threshold - window);
            window += more;
            acked -= more;
        }
        if (acked > 0)
        {
            m_count += acked;
            const uint32_t more = m_count / window;
            m_count -= more * window;
            window += more;
        }
        SetWindow(tcb, window);
    }

    bool m_tolerates{};                       //!< use_tolerance
    bool m_hyStart{};                         //!< hystart_detect
    MinMax m_rtt;                             //!< of this round
    MinMax m_before;                          //!< of the round before
    std::array<MinMax, ROUNDS> m_gradients{}; //!< of the last rounds
    MinMax m_sum;                             //!< of these
    int m_tail{0};                            //!< the oldest of them
    bool m_filled{false};                     //!< there have been so many
    Queue m_queue{Queue::UNKNOWN};            //!< by the gradients
    uint32_t m_delayed{0};                    //!< ACKs to be taken for delayed ones
    ns3::SequenceNumber32 m_roundEnd{0};      //!< rtt_seq
    uint32_t m_shadow{0};                     //!< shadow window, in segments; 0: not begun
    uint32_t m_backOffs{0};                   //!< without effect
    bool m_reduces{false};                    //!< a back-off's round trip
    double m_start{0};                        //!< the window when it began
    ns3::SequenceNumber32 m_end{0};           //!< the end of it
    uint32_t m_count{0};                      //!< segments since the window grew
    int64_t m_least{0};                       //!< round trip, in us
    int64_t m_lastAck{0};                     //!< of a train, in us; 0: none
    int64_t m_trainBegan{0};                  //!< in us
    uint32_t m_samples{0};                    //!< of the round, up to 8
    Chance m_chance;
};

NS_OBJECT_ENSURE_REGISTERED(TcpCdgLinux);

} // namespace longfat

#endif
