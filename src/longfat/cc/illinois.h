// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Illinois (S. Liu, T. Basar and R. Srikant, "TCP-Illinois: a loss- and delay-based congestion
// control algorithm for high-speed networks", Performance Evaluation 65, 2008; section 3).
//
// AIMD whose alpha (segments a round trip) and beta (the part that a loss takes) follow from the mean
// queueing delay d_a of a round trip, with d_m the largest, d_1 = d_m / 100, d_2 = d_m / 10 and d_3 = 8 d_m
// / 10:
//
//     alpha = alpha_max up to d_1; then falls as k_1 / (k_2 + d_a), to alpha_min at d_m
//     beta  = beta_min up to d_2; then rises linearly, to beta_max at d_3
//
// Once d_a was above d_1, alpha is alpha_max again only after d_a has stayed below it for theta
// round trips. Below a window of W_thresh it is standard TCP.
//
// Linux 6.12 (tcp_illinois.c), with as_linux_6_12, begins with alpha_max, has alpha in 128ths and beta in
// 64ths, takes no round trip for longer than 3.36 s, does not ask the theta round trips below d_1 to follow
// each other, and has whole windows, of which a loss takes whole segments: an ACK counts for what it
// acknowledges cumulatively, so that the one which ends a recovery counts all segments that SACK had
// reported before, and alpha times the count opens the window. What was sent again has its round trip from
// timestamps of whole milliseconds (rtt_of_linux): the smallest is then too small, d_a too large, and alpha
// smaller.

#ifndef LONGFAT_CC_ILLINOIS_H
#define LONGFAT_CC_ILLINOIS_H

#include "linux-round-trip.h"
#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Illinois
{
  public:
    static constexpr Entry entry{.name = "illinois",
                                 .title = "TCP-Illinois",
                                 .source = "Liu, Basar and Srikant 2008",
                                 .short_name = "Illinois",
                                 .colour = "#cc6677",
                                 .marker = "s",
                                 .linux = "illinois",
                                 .events = event::ESTABLISHED | event::TIMEOUT,
                                 .version = 3};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Illinois>{"alpha_min",
                                              &Illinois::m_alpha_min,
                                              0.3,
                                              1e-3,
                                              1e6,
                                              "segments",
                                              "least increase a round trip",
                                              "Linux, tcp_illinois.c: ALPHA_MIN",
                                              "alpha_max"},
                          Parameter<Illinois>{"alpha_max",
                                              &Illinois::m_alpha_max,
                                              10,
                                              1e-3,
                                              1e6,
                                              "segments",
                                              "most, a round trip",
                                              "Linux, tcp_illinois.c: ALPHA_MAX"},
                          Parameter<Illinois>{"beta_min",
                                              &Illinois::m_beta_min,
                                              0.125,
                                              0,
                                              1,
                                              "",
                                              "smallest part that a loss takes",
                                              "Linux, tcp_illinois.c: BETA_MIN",
                                              "beta_max"},
                          Parameter<Illinois>{"beta_max",
                                              &Illinois::m_beta_max,
                                              0.5,
                                              0,
                                              1,
                                              "",
                                              "largest part that a loss takes",
                                              "Linux, tcp_illinois.c: BETA_MAX"},
                          Parameter<Illinois>{"threshold_window_segments",
                                              &Illinois::m_win_thresh,
                                              15,
                                              0,
                                              1e6,
                                              "segments",
                                              "standard TCP below",
                                              "Linux, tcp_illinois.c: win_thresh"},
                          Parameter<Illinois>{"theta",
                                              &Illinois::m_theta,
                                              5,
                                              1,
                                              255,
                                              "round trips",
                                              "of small delay before alpha_max",
                                              "Linux, tcp_illinois.c: theta"},
                          Parameter<Illinois>{"as_linux_6_12",
                                              &Illinois::m_as_linux,
                                              0,
                                              0,
                                              1,
                                              "",
                                              "whole segments, and what an ACK counts for",
                                              "Linux, tcp_illinois.c"},
                          Parameter<Illinois>{"count_as_linux",
                                              &Illinois::m_forgets,
                                              0,
                                              0,
                                              1,
                                              "",
                                              COUNT_AS_LINUX,
                                              "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    Control on_established(const Established&, Control now)
    {
        m_aimd.a = m_as_linux ? m_alpha_max : 1;
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        Ack bounded = ack;
        if (m_as_linux)
        {
            bounded.rtt = rtt_of_linux(ack);
            bounded.rtt = bounded.rtt == NO_RTT ? NO_RTT : std::min(bounded.rtt, LONGEST_RTT);
        }
        m_rounds.on_ack(bounded);
        m_acked = std::floor(ack.segments(ack.newly_acked));
        if (!ack.may_grow())
        {
            return now;
        }
        if (m_rounds.is_over(ack))
        {
            end_round(now.cwnd);
            m_rounds.begin(ack.snd_nxt);
        }
        return m_as_linux ? grow_as_linux(ack, now) : m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_count = m_forgets ? 0 : m_count;
        if (m_as_linux)
        {
            const double w = std::floor(now.cwnd);
            return std::max(w - std::floor(w * m_aimd.b), 2.0);
        }
        return m_aimd.decreased(now.cwnd);
    }

    Control on_timeout(Time, Control now)
    {
        set_standard();
        m_low = 0;
        m_above = false;
        m_rounds.begin(0);
        return now;
    }

  private:
    static constexpr Time LONGEST_RTT = 3'355'443'000; //!< RTT_MAX

    /// tcp_illinois_cong_avoid.
    Control grow_as_linux(const Ack& ack, Control now)
    {
        if (!is_cwnd_limited_as_in_linux(ack, now))
        {
            return now;
        }
        if (now.in_slow_start())
        {
            return m_linux_slow_start.on_ack(ack, now);
        }
        m_count += m_acked;
        const double w = std::floor(now.cwnd);
        const double delta = std::floor(m_count * m_aimd.a);
        if (delta >= w)
        {
            now.cwnd = w + std::floor(delta / w);
            m_count = 0;
        }
        return now;
    }

    void set_standard()
    {
        m_aimd.a = 1;
        m_aimd.b = 0.5;
    }

    void end_round(double w)
    {
        if (w < static_cast<double>(m_win_thresh))
        {
            set_standard();
        }
        else if (m_rounds.samples > 0)
        {
            const Time mean = m_rounds.sum_of_rtts / m_rounds.samples;
            const double largest = seconds(m_rounds.max_rtt - m_rounds.base_rtt);
            update_alpha(seconds(mean - m_rounds.base_rtt), largest);
            update_beta(seconds(mean - m_rounds.base_rtt), largest);
            if (m_as_linux)
            {
                m_aimd.a = std::floor(m_aimd.a * 128) / 128;
                m_aimd.b = std::floor(m_aimd.b * 64) / 64;
            }
        }
    }

    void update_alpha(double delay, double largest)
    {
        const double d1 = largest / 100;
        if (delay > d1)
        {
            m_above = true;
            m_low = m_as_linux ? m_low : 0;
            const double least =
                m_as_linux ? std::max(std::floor(m_alpha_min * 128), 1.0) / 128 : m_alpha_min;
            const double fall = (delay - d1) * (m_alpha_max - least) / least;
            m_aimd.a = (largest - d1) * m_alpha_max / (largest - d1 + fall);
            return;
        }
        if (!m_above)
        {
            m_aimd.a = m_alpha_max;
        }
        else if (++m_low >= m_theta)
        {
            m_low = 0;
            m_above = false;
            m_aimd.a = m_alpha_max;
        }
    }

    void update_beta(double delay, double largest)
    {
        const double d2 = largest / 10;
        const double d3 = 8 * largest / 10;
        const double part = delay <= d2 ? 0 : delay < d3 ? (delay - d2) / (d3 - d2) : 1;
        m_aimd.b = m_beta_min + part * (m_beta_max - m_beta_min);
    }

    double m_alpha_min{};
    double m_alpha_max{};
    double m_beta_min{};
    double m_beta_max{};
    int64_t m_win_thresh{};
    int64_t m_theta{};
    bool m_as_linux{};
    bool m_forgets{};
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    bool m_above{false}; //!< d_a has been above d_1
    ByteCountingSlowStart m_linux_slow_start;
    double m_acked{0}; //!< segments that the last ACK acknowledges, in Linux
    double m_count{0}; //!< the same since the window last opened, in Linux
    int64_t m_low{0};  //!< round trips that d_a has been below d_1
};

LONGFAT_CONGESTION_CONTROL(Illinois);

} // namespace longfat::core

#endif
