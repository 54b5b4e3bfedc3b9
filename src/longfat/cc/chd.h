// SPDX-License-Identifier: GPL-2.0-only
//
// CHD, the CAIA-Hamilton delay-based congestion control (paper: ucc, equations 2 to 4; Hayes and
// Armitage, "Improved coexistence and loss tolerance for delay based TCP congestion control",
// 2010).
//
// Once a round trip, with h the largest queueing delay in it, the probability g(h) of figure 1
// (delay-backoff.h) and a random number X from [0, 1],
//
//     w <- w / 2   if X < g(h),  else  w <- w + 1                      (2)
//
// A shadow window s remembers what a NewReno window would be beside loss-based flows. At a back-off
// from a window w at a delay h, with h_b the delay of the back-off before,
//
//     s <- max(w, s)   if h_b < h < q_th, or if h > q_th,  else  0     (3)
//
// and while it is not 0, it grows and is halved at a loss as NewReno's would. The "otherwise" of (3)
// is taken for a back-off outside of those conditions, as the authors' FreeBSD module has it: a round
// without a back-off leaves s alone. At a loss,
//
//     w <- max(w, s) / 2   if h > q_th,  else  w                       (4)
//
// Without `delay_based` there is no (2), so no back-off, so no shadow window: the paper's "CHD
// without DCC". The window then grows by a segment a round trip, and every loss is judged by (4). Slow
// start and timeouts are NewReno's; a mark's echo counts as a loss (RFC 3168, 6.1.2).

#ifndef LONGFAT_CC_CHD_H
#define LONGFAT_CC_CHD_H

#include "chance.h"
#include "delay-backoff.h"
#include "newreno.h"

#include <utility>

namespace longfat::core
{

class Chd
{
  public:
    static constexpr Entry entry{.name = "chd",
                                 .title = "CAIA-Hamilton Delay (CHD)",
                                 .source =
                                     "paper ucc, equations (2) to (4); Hayes and Armitage 2010",
                                 .short_name = "CHD",
                                 .colour = "#009e73",
                                 .marker = "v",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Chd>{"delay_based",
                                         &Chd::m_delay_based,
                                         1,
                                         0,
                                         1,
                                         "",
                                         "(2) is in force; false: CHD without DCC",
                                         "paper ucc, section 5"},
                          Parameter<Chd>{"min_delay_s",
                                         &Chd::m_min_delay_s,
                                         0.005,
                                         0,
                                         10,
                                         "s",
                                         "q_min, queueing delay without back-off",
                                         "FreeBSD, cc_chd.c: chd_qmin",
                                         "threshold_delay_s"},
                          Parameter<Chd>{"threshold_delay_s",
                                         &Chd::m_threshold_delay_s,
                                         0.03,
                                         1e-9,
                                         10,
                                         "s",
                                         "q_th, between regions A and B",
                                         "paper ucc, section 5"},
                          Parameter<Chd>{"max_probability",
                                         &Chd::m_max_probability,
                                         0.5,
                                         0,
                                         1,
                                         "",
                                         "p_max, for each round trip",
                                         "FreeBSD, cc_chd.c: chd_pmax"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        return now;
    }

    /// Equation (2), once a round trip: when the first segment is acknowledged that was sent in it.
    Control on_ack(const Ack& ack, Control now)
    {
        m_delay.on_ack(ack);
        m_max_rtt_of_round = std::max(m_max_rtt_of_round, ack.rtt);
        if (!ack.may_grow())
        {
            return now;
        }
        const bool round_is_over = ack.snd_una > m_round_end;
        if (round_is_over)
        {
            const Time largest = std::exchange(m_max_rtt_of_round, NO_RTT);
            m_round_end = ack.snd_nxt;
            const double h = largest == NO_RTT ? 0 : m_delay.of_s(largest);
            if (m_delay_based && m_chance.happens(probability(h)))
            {
                shadow_back_off(now.cwnd, h);
                now.cwnd = now.ssthresh = m_aimd.decreased(now.cwnd);
                return now;
            }
        }
        const double before = now.cwnd;
        if (now.in_slow_start())
        {
            now = m_aimd.on_ack(ack, now);
        }
        else if (round_is_over && ack.cwnd_limited)
        {
            now.cwnd += 1;
        }
        m_shadow += m_shadow > 0 ? now.cwnd - before : 0;
        return now;
    }

    /// Equation (4), but after a timeout. h is of the round under way, and of the last ACK if that has
    /// just begun.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const double larger = std::max(now.cwnd, m_shadow);
        m_shadow = m_shadow > 0 ? m_aimd.decreased(m_shadow) : 0;
        if (congestion.cause == Congestion::TIMEOUT)
        {
            return m_aimd.decreased(congestion.segments(congestion.flight_size));
        }
        const Time largest = std::max(m_max_rtt_of_round, m_delay.rtt);
        const bool congested = !m_delay.is_known() || m_delay.of_s(largest) > m_threshold_delay_s;
        return congested ? m_aimd.decreased(larger) : std::max(now.cwnd, 2.0);
    }

  private:
    double probability(double h) const
    {
        const DelayBackOff curve{m_min_delay_s, m_threshold_delay_s, m_max_probability};
        return m_delay.is_known() ? curve.probability(h, m_delay.max_s()) : 0;
    }

    /// Equation (3).
    void shadow_back_off(double window, double h)
    {
        const bool rising = h < m_threshold_delay_s && h > m_last_back_off_delay_s; // A of (3)
        m_shadow = rising || h > m_threshold_delay_s ? std::max(window, m_shadow) : 0;
        m_last_back_off_delay_s = h;
    }

    bool m_delay_based{};
    double m_min_delay_s{};
    double m_threshold_delay_s{};
    double m_max_probability{};
    QueueingDelay m_delay;
    Chance m_chance; //!< X
    Aimd<SlowStart> m_aimd;
    Time m_max_rtt_of_round{NO_RTT};   //!< RTT_min + h
    Bytes m_round_end{0};              //!< it is over when more is acknowledged
    double m_shadow{0};                //!< s, segments
    double m_last_back_off_delay_s{0}; //!< h_b
};

LONGFAT_CONGESTION_CONTROL(Chd);

} // namespace longfat::core

#endif
