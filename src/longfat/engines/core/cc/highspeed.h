// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP (paper: survey, equations 17 and 26 to 30; RFC 3649, section 5). Above W_L segments the
// window grows by a(w) segments a round trip, and a loss takes its part b(w). The response function goes
// through two points, (W_L segments, loss P_L) and (W_H segments, loss P_H); b_H = b(W_H):
//
//     p(w) = P_L (w / W_L)^(1 / S),  S = log(W_H / W_L) / log(P_H / P_L)              (26), (28)
//     b(w) = 1/2 + (b_H - 1/2) log(w / W_L) / log(W_H / W_L)                          (29)
//     a(w) = 2 w^2 p(w) b(w) / (2 - b(w))                                             (30)
//
// Up to W_L it is standard TCP: a(w) = 1, b(w) = 1/2. Linux and ns-3 have these functions as a table.

#ifndef LONGFAT_CC_HIGHSPEED_H
#define LONGFAT_CC_HIGHSPEED_H

#include "../exact-math.h"
#include "newreno.h"

namespace longfat::core
{

class HighSpeed
{
  public:
    static constexpr Entry entry{.name = "highspeed",
                                 .title = "HighSpeed TCP by the formulas of RFC 3649",
                                 .source = "paper survey, equations (17), (26) to (30); RFC 3649"};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<HighSpeed>{"low_window_segments",
                                 &HighSpeed::m_low_window,
                                 38,
                                 1,
                                 1e9,
                                 "segments",
                                 "W_L: standard TCP up to here",
                                 "RFC 3649",
                                 "high_window_segments"},
            Parameter<HighSpeed>{"high_window_segments",
                                 &HighSpeed::m_high_window,
                                 83000,
                                 1,
                                 1e9,
                                 "segments",
                                 "W_H: window at high_loss"},
            Parameter<HighSpeed>{"low_loss",
                                 &HighSpeed::m_low_loss,
                                 1e-3,
                                 1e-15,
                                 1,
                                 "",
                                 "P_L: loss probability at low_window_segments"},
            Parameter<HighSpeed>{"high_loss",
                                 &HighSpeed::m_high_loss,
                                 1e-7,
                                 1e-15,
                                 1,
                                 "",
                                 "P_H: loss probability at high_window_segments",
                                 "RFC 3649",
                                 "low_loss"},
            Parameter<HighSpeed>{"high_decrease",
                                 &HighSpeed::m_high_decrease,
                                 0.1,
                                 0,
                                 1,
                                 "",
                                 "b_H: decrease at high_window_segments"},
            Parameter<HighSpeed>{"max_ssthresh_segments",
                                 &HighSpeed::m_max_ssthresh,
                                 0,
                                 0,
                                 1e6,
                                 "segments",
                                 "window from which on slow start is limited; 0: never",
                                 "RFC 3742"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_aimd.slow_start.max_ssthresh = static_cast<double>(m_max_ssthresh);
        if (ack.may_grow() && ack.cwnd_limited && !now.in_slow_start())
        {
            m_aimd.a = increase(now.cwnd);
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_aimd.b = decrease(now.cwnd);
        return m_aimd.decreased(now.cwnd);
    }

  private:
    /// Equation (30).
    double increase(double w) const
    {
        if (w <= m_low_window)
        {
            return 1;
        }
        const double slope =
            exact_log(m_high_loss / m_low_loss) / exact_log(m_high_window / m_low_window); // 1 / S
        const double p = m_low_loss * exact_pow(w / m_low_window, slope);
        const double b = decrease(w);
        return 2 * w * w * p * b / (2 - b);
    }

    /// Equation (29).
    double decrease(double w) const
    {
        if (w <= m_low_window)
        {
            return 0.5;
        }
        const double part = exact_log(w / m_low_window) / exact_log(m_high_window / m_low_window);
        return std::max(0.5 + (m_high_decrease - 0.5) * part, 0.0);
    }

    double m_low_window{};
    double m_high_window{};
    double m_low_loss{};
    double m_high_loss{};
    double m_high_decrease{};
    int64_t m_max_ssthresh{};
    Aimd<LimitedSlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(HighSpeed);

} // namespace longfat::core

#endif
