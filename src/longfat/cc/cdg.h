// SPDX-License-Identifier: GPL-2.0-only
//
// CDG, CAIA Delay-Gradient (D. A. Hayes and G. Armitage, "Revisiting TCP congestion control using
// delay gradients", IFIP Networking 2011; paper: ucc, table 1).
//
// Once a round trip the smallest and the largest RTT of the round are compared with those of the
// round before. Each gradient g, smoothed over a rounds, is a sign of a growing queue, whatever the
// queue's length: with the greater chance of both and a random number X from [0, 1],
//
//     g <- g + (g_n - g_(n-a)) / a
//     w <- beta w   if X < 1 - exp(-g / G),   else   w <- w + 1
//
// The round after a back-off decides nothing: its gradient is the back-off's own doing. After b in vain,
// without a falling delay, others hold the queue: the next b are left out, unless it falls. Gradients
// below 4 us are none.
//
// A shadow window s remembers what a loss-based sender would have (as in chd.h). The queue is full where
// the smallest RTT still rises and the largest does not. A loss takes half of max(w, s) then; else it is
// taken for the link's (loss tolerance) and takes nothing. A mark is the queue's, whatever the delay. Slow
// start and timeouts are TCP's.

#ifndef LONGFAT_CC_CDG_HAYES_H
#define LONGFAT_CC_CDG_HAYES_H

#include "exact-math.h"
#include "chance.h"
#include "newreno.h"

#include <deque>
#include <utility>

namespace longfat::core
{

class CdgHayes
{
  public:
    static constexpr Entry entry{.name = "cdg",
                                 .title = "CAIA Delay-Gradient (CDG) by its paper",
                                 .source = "Hayes and Armitage 2011; paper ucc, table 1",
                                 .short_name = "CDG",
                                 .colour = "#009e73",
                                 .marker = "4",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<CdgHayes>{"smoothing_rounds",
                                &CdgHayes::m_smoothing,
                                8,
                                1,
                                256,
                                "round trips",
                                "a, over which gradients are averaged",
                                "Hayes and Armitage 2011"},
            Parameter<CdgHayes>{"scale_s",
                                &CdgHayes::m_scale_s,
                                0.003,
                                1e-9,
                                10,
                                "s",
                                "G, the gradient of a round trip at which 63 % back off",
                                "Hayes and Armitage 2011"},
            Parameter<CdgHayes>{"decrease",
                                &CdgHayes::m_decrease,
                                0.7,
                                0.01,
                                1,
                                "",
                                "beta, what a back-off leaves of the window",
                                "Hayes and Armitage 2011"},
            Parameter<CdgHayes>{"ineffectual",
                                &CdgHayes::m_ineffectual,
                                5,
                                0,
                                1000,
                                "back-offs",
                                "b, without effect before it holds still; 0: never",
                                "Hayes and Armitage 2011"},
            Parameter<CdgHayes>{"tolerates_loss",
                                &CdgHayes::m_tolerates_loss,
                                1,
                                0,
                                1,
                                "",
                                "a loss without a full queue takes nothing",
                                "Hayes and Armitage 2011"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            m_smallest_rtt = std::min(m_smallest_rtt, ack.rtt);
            m_largest_rtt = std::max(m_largest_rtt, ack.rtt);
        }
        if (!ack.may_grow())
        {
            return now;
        }
        if (ack.snd_una > m_round_end && m_largest_rtt != NO_RTT)
        {
            const double gradient_s = end_round();
            m_round_end = ack.snd_nxt;
            if (backs_off(gradient_s))
            {
                m_shadow = std::max(m_shadow, now.cwnd);
                now.cwnd = now.ssthresh = std::max(2.0, m_decrease * now.cwnd);
                return now;
            }
        }
        const double before = now.cwnd;
        now = m_aimd.on_ack(ack, now);
        m_shadow += m_shadow > 0 ? now.cwnd - before : 0;
        return now;
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const bool found = congestion.cause == Congestion::LOSS ||
                           congestion.cause == Congestion::LOST_RETRANSMISSION;
        if (found && m_tolerates_loss && !m_queue_is_full)
        {
            return std::max(now.cwnd, 2.0);
        }
        const double larger = std::max(m_shadow, now.cwnd);
        m_shadow /= 2;
        return m_aimd.decreased(congestion.cause == Congestion::TIMEOUT ? now.cwnd : larger);
    }

  private:
    /// The mean gradient of the last rounds, in seconds a round trip.
    class Gradient
    {
      public:
        double add(Time gradient, int64_t rounds)
        {
            constexpr double LEAST_S = 4e-6;
            m_last.push_back(gradient);
            m_sum += gradient;
            if (static_cast<int64_t>(m_last.size()) > rounds)
            {
                m_sum -= m_last.front();
                m_last.pop_front();
            }
            const double mean_s = seconds(m_sum) / static_cast<double>(rounds);
            return std::abs(mean_s) < LEAST_S ? 0 : mean_s;
        }

      private:
        std::deque<Time> m_last;
        Time m_sum{0};
    };

    /// Returns the greater of both gradients, in seconds a round trip; the first round has none.
    double end_round()
    {
        if (m_last_largest_rtt != NO_RTT)
        {
            m_min_gradient_s = m_min.add(m_smallest_rtt - m_last_smallest_rtt, m_smoothing);
            m_max_gradient_s = m_max.add(m_largest_rtt - m_last_largest_rtt, m_smoothing);
        }
        m_last_smallest_rtt = std::exchange(m_smallest_rtt, NEVER);
        m_last_largest_rtt = std::exchange(m_largest_rtt, NO_RTT);
        if (m_min_gradient_s > 0 || m_max_gradient_s != 0) // neither rises nor falls: as before
        {
            m_queue_is_full = m_min_gradient_s > 0 && m_max_gradient_s <= 0;
        }
        if (m_min_gradient_s == 0 && m_max_gradient_s < 0) // the queue has become empty
        {
            m_shadow = 0;
        }
        return std::max(m_min_gradient_s, m_max_gradient_s);
    }

    bool backs_off(double gradient_s)
    {
        if (m_min_gradient_s < 0 || m_max_gradient_s < 0)
        {
            m_in_vain = 0;
        }
        if (std::exchange(m_has_just_backed_off, false) || gradient_s <= 0 ||
            !m_chance.happens(1 - exact_exp(-gradient_s / m_scale_s)))
        {
            return false;
        }
        if (++m_in_vain > m_ineffectual && m_ineffectual > 0)
        {
            m_in_vain %= 2 * m_ineffectual;
            return false;
        }
        m_has_just_backed_off = true;
        return true;
    }

    int64_t m_smoothing{};
    double m_scale_s{};
    double m_decrease{};
    int64_t m_ineffectual{};
    bool m_tolerates_loss{};
    Aimd<SlowStart> m_aimd;
    Chance m_chance;                  //!< X
    Bytes m_round_end{0};             //!< the round is over when more is acknowledged
    Time m_smallest_rtt{NEVER};       //!< of this round
    Time m_largest_rtt{NO_RTT};       //!< of this round
    Time m_last_smallest_rtt{NO_RTT}; //!< of the round before
    Time m_last_largest_rtt{NO_RTT};  //!< of the round before
    Gradient m_min;                   //!< of the smallest round trips
    Gradient m_max;                   //!< of the largest
    double m_min_gradient_s{0};
    double m_max_gradient_s{0};
    bool m_queue_is_full{false};
    bool m_has_just_backed_off{false};
    int64_t m_in_vain{0}; //!< back-offs since the delay last fell
    double m_shadow{0};   //!< s, segments
};

LONGFAT_CONGESTION_CONTROL(CdgHayes);

} // namespace longfat::core

#endif
