// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC (RFC 9438). Windows are in segments, t is the time since congestion avoidance began, without what
// time the window did not limit the sender (sections 4.2 and 5.8):
//
//     W_cubic(t) = C (t - K)^3 + W_max                                                    (1)
//     K = cbrt((W_max - cwnd_epoch) / C)                                                  (2)
//     target = W_cubic(t + RTT), between cwnd and 1.5 cwnd                                section 4.2
//     cwnd <- cwnd + (target - cwnd) / cwnd                                               4.4, 4.5
//     cwnd >= W_est, the window that Reno would have:
//     W_est <- W_est + alpha n / cwnd, alpha = 3 (1 - beta) / (1 + beta), or 1 from
//              cwnd_prior on                                                              (4)
//     loss   ssthresh <- beta FlightSize; W_max <- cwnd, or less                          4.6, 4.7
//
// Slow start is HyStart++ (section 4.10). By RFC 8312, which it replaces, W_est is a straight line of
// time, K comes from W_max alone, and the target has no upper bound.
//
// Linux 6.12 (tcp_cubic.c) leaves alpha as it is when W_est has passed cwnd_prior, where (4) raises it to
// 1: with as_linux_6_12, W_est goes on with alpha. Where losses are so many that W_est governs, that is the
// difference between the two. And until a loss has shown a W_max, as after a timeout, the window grows by a
// twentieth in each round trip at least. Linux has HyStart, not HyStart++: with hystart_as_linux, slow start ends with a
// train of ACKs that is longer than half the smallest round trip, or with a round trip that is longer than it
// by an eighth (4 to 16 ms), and does so after a timeout too.

#ifndef LONGFAT_CC_CUBIC_H
#define LONGFAT_CC_CUBIC_H

#include "exact-math.h"
#include "linux-hystart.h"
#include "model.h"
#include "slow-start.h"

#include <algorithm>
#include <array>

namespace longfat::core
{

class Cubic
{
  public:
    static constexpr Entry entry{.name = "cubic",
                                 .title = "CUBIC",
                                 .source = "RFC 9438; RFC 9406",
                                 .colour = "#56b4e9",
                                 .marker = "s",
                                 .linux = "cubic",
                                 .events = event::UNDO | event::RESTART,
                                 .version = 2};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Cubic>{"c",
                             &Cubic::m_c,
                             0.4,
                             1e-6,
                             1e6,
                             "segments/s^3",
                             "how fast the window grows away from W_max",
                             "RFC 9438, section 5.1"},
            Parameter<Cubic>{"beta",
                             &Cubic::m_beta,
                             0.7,
                             0,
                             0.99,
                             "",
                             "part of the window that is left after a loss",
                             "RFC 9438, section 4.6"},
            Parameter<Cubic>{"fast_convergence",
                             &Cubic::m_fast_convergence,
                             1,
                             0,
                             1,
                             "",
                             "give way when W_max falls (section 4.7)",
                             "RFC 9438, section 4.7"},
            Parameter<Cubic>{"reno_friendly",
                             &Cubic::m_reno_friendly,
                             1,
                             0,
                             1,
                             "",
                             "never slower than Reno (section 4.3)",
                             "RFC 9438, section 4.3"},
            Parameter<Cubic>{"hystart",
                             &Cubic::m_use_hystart,
                             1,
                             0,
                             1,
                             "",
                             "HyStart++; false: slow start until a loss",
                             "RFC 9438, section 4.10"},
            Parameter<Cubic>{"rfc8312",
                             &Cubic::m_rfc8312,
                             0,
                             0,
                             1,
                             "",
                             "growth by RFC 8312, which RFC 9438 replaces",
                             "RFC 8312"},
            Parameter<Cubic>{"as_linux_6_12",
                             &Cubic::m_as_linux,
                             0,
                             0,
                             1,
                             "",
                             "as Linux 6.12: alpha of W_est is never raised to 1, and the window "
                             "grows by a twentieth a round trip until there is a W_max",
                             "Linux, tcp_cubic.c"},
            Parameter<Cubic>{"hystart_as_linux",
                             &Cubic::m_linux_hystart,
                             0,
                             0,
                             1,
                             "",
                             "HyStart as Linux 6.12 has it",
                             "Linux, tcp_cubic.c"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (!ack.may_grow())
        {
            return now;
        }
        m_grows = true;
        if (!ack.cwnd_limited) // section 5.8
        {
            leave_out_time(ack.now);
            return now;
        }
        m_last_ack = ack.now;
        if (now.in_slow_start() && m_linux_hystart && m_use_hystart)
        {
            return m_linux_slow_start.on_ack(ack, now);
        }
        if (now.in_slow_start())
        {
            m_slow_start.is_first = m_slow_start.is_first && m_use_hystart;
            return m_slow_start.on_ack(ack, now);
        }
        return avoid_congestion(ack, now);
    }

    /// Sections 4.6 to 4.8.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (m_grows)
        {
            m_before = m_curve;
        }
        m_grows = false;
        const bool converges = m_fast_convergence && now.cwnd < m_curve.w_max;
        m_curve.w_max = converges ? now.cwnd * (1 + m_beta) / 2 : now.cwnd;
        m_curve.cwnd_prior = now.cwnd;
        m_curve.begin = NEVER;
        m_knows_no_max = congestion.cause == Congestion::TIMEOUT;
        m_slow_start.is_first = false;
        if (congestion.cause == Congestion::TIMEOUT)
        {
            m_linux_slow_start.on_timeout(congestion.now, congestion.snd_nxt);
            m_curve.w_max = 0; // will be the window, and K zero (section 4.8)
        }
        return std::max(m_beta * congestion.segments(congestion.flight_size), 2.0);
    }

    /// t leaves out what time the sender has been idle (section 4.2).
    Control on_restart(const Restart& restart, Control now)
    {
        leave_out_time(restart.now);
        return now;
    }

    /// Section 4.9: there was no congestion, and unless the window has outgrown that of before, the
    /// curve goes on. Linux takes back the window alone.
    Control on_undo(const Undo& undo, Control now)
    {
        if (!m_as_linux && now.cwnd < undo.before.cwnd)
        {
            m_curve = m_before;
        }
        return undo.applied(now);
    }

  private:
    /// What (1) to (4) keep.
    struct Curve
    {
        Time begin{NEVER}; //!< NEVER: congestion avoidance has not begun
        double w_max{0};   //!< 0: none
        double cwnd_prior{0};
        double k{0}; //!< s
        double w_est{0};
    };

    void leave_out_time(Time now)
    {
        m_curve.begin += m_curve.begin == NEVER ? 0 : now - m_last_ack;
        m_last_ack = now;
    }

    Control avoid_congestion(const Ack& ack, Control now)
    {
        const double w = now.cwnd;
        if (m_curve.begin == NEVER)
        {
            begin_epoch(w);
        }
        const double t = seconds(m_last_ack - m_curve.begin);
        const double rtt_s = seconds(ack.srtt);
        update_w_est(ack.segments(ack.newly_delivered), w, t, rtt_s);
        const double least = m_as_linux && m_knows_no_max ? ack.segments(ack.newly_acked) / 20 : 0;
        if (m_reno_friendly && w_cubic(t) < m_curve.w_est)
        {
            now.cwnd = std::max(w + least, m_curve.w_est);
            return now;
        }
        const double most = m_rfc8312 ? UNLIMITED : 1.5 * w;
        now.cwnd = w + std::max((std::clamp(w_cubic(t + rtt_s), w, most) - w) / w, least);
        return now;
    }

    /// (2). By RFC 8312 K comes from W_max alone.
    void begin_epoch(double w)
    {
        m_curve.begin = m_last_ack;
        m_curve.w_max = std::max(m_curve.w_max, w);
        const double below = m_rfc8312 ? m_curve.w_max * (1 - m_beta) : m_curve.w_max - w;
        m_curve.k = m_curve.w_max > w ? exact_cbrt(below / m_c) : 0;
        m_curve.w_est = w;
    }

    /// (4). By RFC 8312, its (4), a straight line.
    void update_w_est(double acked, double w, double t, double rtt_s)
    {
        const double alpha = 3 * (1 - m_beta) / (1 + m_beta);
        if (m_rfc8312)
        {
            m_curve.w_est = m_curve.w_max * m_beta + alpha * t / rtt_s;
            return;
        }
        const bool raised = !m_as_linux && m_curve.w_est >= m_curve.cwnd_prior;
        m_curve.w_est += (raised ? 1 : alpha) * acked / w;
    }

    /// (1).
    double w_cubic(double t) const
    {
        const double d = t - m_curve.k;
        return m_c * (d * d * d) + m_curve.w_max;
    }

    double m_c{};
    double m_beta{};
    bool m_fast_convergence{};
    bool m_reno_friendly{};
    bool m_use_hystart{};
    bool m_rfc8312{};
    bool m_as_linux{};
    bool m_linux_hystart{};
    HyStart m_slow_start;
    LinuxHyStart m_linux_slow_start;
    Time m_last_ack{0};        //!< that may have opened the window
    bool m_grows{true};        //!< since the last reduction
    bool m_knows_no_max{true}; //!< last_max_cwnd is zero: no loss since the start, or a timeout
    Curve m_curve;
    Curve m_before; //!< before the last reduction
};

LONGFAT_CONGESTION_CONTROL(Cubic);

} // namespace longfat::core

#endif
