// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Vegas (L. S. Brakmo and L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a
// global Internet", IEEE JSAC 13(8), 1995).
//
// Once a round trip, the segments that wait in queues are estimated from the rate that the window
// would give without queues and the rate that there is (section 3.2):
//
//     diff = (w / baseRTT - w / RTT) baseRTT = w (1 - baseRTT / RTT)
//
// In congestion avoidance diff < alpha adds a segment to the window, diff > beta takes one away.
// Slow start doubles the window every other round trip only, and ends when diff > gamma (section
// 3.3); the window then becomes what the pipe holds, as in Linux; the paper lets it be.
//
// The paper does not say what a loss takes from the window; its authors' code, of which ns-2 has a
// port, takes a quarter of it where duplicate ACKs reveal the loss, and half at a timeout.
//
// With as_linux_6_12 as in Linux (tcp_vegas.c): diff = w (RTT / baseRTT - 1), in whole segments; slow start
// doubles the window every round trip; a loss takes half; while segments are missing it is Reno. That
// idleness makes Linux forget baseRTT is not here.

#ifndef LONGFAT_CC_VEGAS_H
#define LONGFAT_CC_VEGAS_H

#include "newreno.h"
#include "rounds.h"

#include <utility>

namespace longfat::core
{

class Vegas
{
  public:
    static constexpr Entry entry{.name = "vegas",
                                 .title = "TCP Vegas",
                                 .source = "Brakmo and Peterson 1995",
                                 .short_name = "Vegas",
                                 .colour = "#cc79a7",
                                 .marker = "o",
                                 .linux = "vegas",
                                 .events = event::RECOVERED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Vegas>{"alpha_segments",
                                           &Vegas::m_alpha,
                                           2,
                                           0,
                                           1e6,
                                           "segments",
                                           "in queues: fewer, and it grows",
                                           "Linux, tcp_vegas.c: alpha"},
                          Parameter<Vegas>{"beta_segments",
                                           &Vegas::m_beta,
                                           4,
                                           0,
                                           1e6,
                                           "segments",
                                           "in queues: more, and it shrinks",
                                           "Linux, tcp_vegas.c: beta"},
                          Parameter<Vegas>{"gamma_segments",
                                           &Vegas::m_gamma,
                                           1,
                                           0,
                                           1e6,
                                           "segments",
                                           "in queues: more end slow start",
                                           "Linux, tcp_vegas.c: gamma"},
                          Parameter<Vegas>{"decrease",
                                           &Vegas::m_decrease,
                                           0.25,
                                           0,
                                           1,
                                           "",
                                           "what a loss takes; Linux: 0.5",
                                           "its authors' code, as ns-2 has it"},
                          Parameter<Vegas>{"as_linux_6_12",
                                           &Vegas::m_as_linux,
                                           0,
                                           0,
                                           1,
                                           "",
                                           "as Linux 6.12 has it",
                                           "Linux, tcp_vegas.c"},
                          Parameter<Vegas>{"count_as_linux",
                                           &Vegas::m_forgets,
                                           0,
                                           0,
                                           1,
                                           "",
                                           COUNT_AS_LINUX,
                                           "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.on_ack(ack);
        const bool was_open = std::exchange(m_is_open, ack.state == State::OPEN);
        if (m_as_linux)
        {
            return on_ack_as_linux(ack, m_is_open && !was_open, now);
        }
        if (!ack.may_grow())
        {
            return now;
        }
        if (ack.state == State::LOSS) // slow start after a timeout
        {
            return m_aimd.on_ack(ack, now);
        }
        if (m_rounds.is_over(ack))
        {
            m_doubles = !m_doubles;
            // Of two samples or fewer perhaps all are of delayed ACKs.
            now = m_rounds.samples <= 2 ? m_aimd.on_ack(ack, now) : end_round(ack, now);
            m_rounds.begin(ack.snd_nxt);
            return now;
        }
        return now.in_slow_start() && m_doubles ? m_aimd.on_ack(ack, now) : now;
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (m_forgets)
        {
            m_reno.forget();
        }
        if (m_as_linux)
        {
            return LinuxReno::halved(now.cwnd);
        }
        m_aimd.b = congestion.cause == Congestion::TIMEOUT ? 0.5 : m_decrease;
        return m_aimd.decreased(now.cwnd);
    }

    Control on_recovered(const Recovered&, Control now)
    {
        m_rounds.begin(0); // the next ACK ends it, without samples of the recovery
        now.cwnd = now.ssthresh;
        return now;
    }

  private:
    /// Sections 3.2 and 3.3.
    Control end_round(const Ack& ack, Control now)
    {
        const double w = now.cwnd;
        const double target = w * (seconds(m_rounds.base_rtt) / seconds(m_rounds.min_rtt));
        const double diff = w - target;
        if (now.in_slow_start() && diff <= static_cast<double>(m_gamma))
        {
            return m_doubles ? m_aimd.on_ack(ack, now) : now;
        }
        if (now.in_slow_start() || diff > static_cast<double>(m_beta))
        {
            const double lower = now.in_slow_start() ? std::min(w, target + 1) : w - 1;
            now.cwnd = now.ssthresh = std::max(lower, 2.0);
        }
        else if (diff < static_cast<double>(m_alpha) && ack.cwnd_limited)
        {
            now.cwnd += 1;
        }
        return now;
    }

    /// tcp_vegas_cong_avoid. `resumes`: what was missing is there again (tcp_vegas_state).
    Control on_ack_as_linux(const Ack& ack, bool resumes, Control now)
    {
        if (resumes)
        {
            begin_round_as_linux(ack);
        }
        if (!ack.may_grow())
        {
            return now;
        }
        if (!m_is_open)
        {
            return m_reno.on_ack(ack, now);
        }
        if (!m_rounds.is_over(ack))
        {
            return now.in_slow_start() ? m_slow_start.on_ack(ack, now) : now;
        }
        now = m_rounds.samples <= 2 ? m_reno.on_ack(ack, now) : end_round_as_linux(ack, now);
        begin_round_as_linux(ack);
        return now;
    }

    /// It ends with the first ACK beyond what has been sent.
    void begin_round_as_linux(const Ack& ack)
    {
        m_rounds.begin(ack.snd_nxt + 1);
    }

    Control end_round_as_linux(const Ack& ack, Control now)
    {
        const double w = std::floor(now.cwnd);
        const auto base = static_cast<double>(m_rounds.base_rtt);
        const auto rtt = static_cast<double>(m_rounds.min_rtt);
        const double diff = std::floor(w * (rtt - base) / base);
        if (now.in_slow_start() && diff <= static_cast<double>(m_gamma))
        {
            now = m_slow_start.on_ack(ack, now);
        }
        else if (now.in_slow_start())
        {
            now.cwnd = std::min(w, std::floor(w * base / rtt) + 1);
            now.ssthresh = std::min(now.ssthresh, now.cwnd);
        }
        else if (diff > static_cast<double>(m_beta))
        {
            now.cwnd = w - 1;
            now.ssthresh = std::min(now.ssthresh, now.cwnd);
        }
        else if (diff < static_cast<double>(m_alpha))
        {
            now.cwnd = w + 1;
        }
        now.cwnd = std::max(now.cwnd, 2.0);
        // tcp_current_ssthresh.
        const double three_quarters = std::floor(now.cwnd / 2) + std::floor(now.cwnd / 4);
        now.ssthresh = std::max(now.ssthresh, three_quarters);
        return now;
    }

    int64_t m_alpha{};
    int64_t m_beta{};
    int64_t m_gamma{};
    double m_decrease{};
    bool m_as_linux{};
    bool m_forgets{};
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    LinuxReno m_reno;
    ByteCountingSlowStart m_slow_start; //!< of Linux
    bool m_is_open{true};               //!< nothing is missing
    bool m_doubles{true};               //!< slow start grows in this round
};

LONGFAT_CONGESTION_CONTROL(Vegas);

} // namespace longfat::core

#endif
