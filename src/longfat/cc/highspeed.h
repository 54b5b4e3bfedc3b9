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
// Up to W_L it is standard TCP: a(w) = 1, b(w) = 1/2. Linux has these functions as a table.

#ifndef LONGFAT_CC_HIGHSPEED_H
#define LONGFAT_CC_HIGHSPEED_H

#include "exact-math.h"
#include "newreno.h"

#include <vector>

namespace longfat::core
{

/// The response function.
struct HighSpeedResponse
{
    double low_window{38};     //!< W_L
    double high_window{83000}; //!< W_H
    double low_loss{1e-3};     //!< P_L
    double high_loss{1e-7};    //!< P_H
    double high_decrease{0.1}; //!< b_H

    /// a(w), equation (30).
    double increase(double w) const
    {
        if (w <= low_window)
        {
            return 1;
        }
        const double slope =
            exact_log(high_loss / low_loss) / exact_log(high_window / low_window); // 1 / S
        const double p = low_loss * exact_pow(w / low_window, slope);
        const double b = decrease(w);
        return 2 * w * w * p * b / (2 - b);
    }

    /// b(w), equation (29).
    double decrease(double w) const
    {
        if (w <= low_window)
        {
            return 0.5;
        }
        const double part = exact_log(w / low_window) / exact_log(high_window / low_window);
        return std::max(0.5 + (high_decrease - 0.5) * part, 0.0);
    }
};

/// The table of whole a(w) that Linux has (tcp_highspeed.c), of RFC 3649, appendix B. It takes the next
/// higher row: at 39 segments a(w) is 2 where (30) gives 1. A loss takes b of the row that congestion
/// avoidance was last in: where slow start has gone beyond it, that is more than b(w).
class HighSpeedTable
{
  public:
    struct Row
    {
        double w; //!< up to this window
        double a;
        double b; //!< in 256ths
    };

    static const Row& find(double w)
    {
        static const std::vector<Row> table = make();
        const auto row =
            std::find_if(table.begin(), table.end(), [w](const Row& row) { return w <= row.w; });
        return row == table.end() ? table.back() : *row;
    }

  private:
    /// The RFC's program: a row wherever a(w), with 12.8 w^1.2 for 1 / p(w), has grown by one more.
    static std::vector<Row> make()
    {
        const double range = exact_log(83000.0 / 38.0);
        std::vector<Row> table{{38, 1, 128}};
        double last = 1;
        for (double w = 38; w < 90000; ++w)
        {
            const double b = 0.5 - 0.4 * exact_log(w / 38) / range;
            const double a = 2 * w * w * b / ((2 - b) * 12.8 * exact_pow(w, 1.2));
            if (a > last + 1)
            {
                table.push_back({w, std::floor(a), std::floor(256 * b)});
                last = a;
            }
        }
        return table;
    }
};

class HighSpeed
{
  public:
    static constexpr Entry entry{.name = "highspeed",
                                 .title = "HighSpeed TCP by the formulas of RFC 3649",
                                 .source = "paper survey, equations (17), (26) to (30); RFC 3649",
                                 .short_name = "HSTCP",
                                 .colour = "#e69f00",
                                 .marker = "s",
                                 .linux = "highspeed",
                                 .version = 2};

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
                                 "W_H: window at high_loss",
                                 "RFC 3649"},
            Parameter<HighSpeed>{"low_loss",
                                 &HighSpeed::m_low_loss,
                                 1e-3,
                                 1e-15,
                                 1,
                                 "",
                                 "P_L: loss probability at low_window_segments",
                                 "RFC 3649"},
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
                                 "b_H: decrease at high_window_segments",
                                 "RFC 3649"},
            Parameter<HighSpeed>{"max_ssthresh_segments",
                                 &HighSpeed::m_max_ssthresh,
                                 0,
                                 0,
                                 1e6,
                                 "segments",
                                 "window from which on slow start is limited; 0: never",
                                 "RFC 3742; off, as in ns-2"},
            Parameter<HighSpeed>{"as_linux_6_12",
                                 &HighSpeed::m_as_linux,
                                 0,
                                 0,
                                 1,
                                 "",
                                 "a(w) and b(w) from a table, and whole segments",
                                 "Linux, tcp_highspeed.c"},
            Parameter<HighSpeed>{"count_as_linux",
                                 &HighSpeed::m_forgets,
                                 0,
                                 0,
                                 1,
                                 "",
                                 COUNT_AS_LINUX,
                                 "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (m_as_linux)
        {
            return on_ack_as_linux(ack, now);
        }
        m_aimd.slow_start.max_ssthresh = static_cast<double>(m_max_ssthresh);
        if (ack.may_grow() && ack.cwnd_limited && !now.in_slow_start())
        {
            m_aimd.a = response().increase(now.cwnd);
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_count = m_forgets ? 0 : m_count;
        if (m_as_linux)
        {
            const double w = std::floor(now.cwnd);
            return std::max(w - std::floor(w * m_row->b / 256), 2.0);
        }
        m_aimd.b = response().decrease(now.cwnd);
        return m_aimd.decreased(now.cwnd);
    }

  private:
    HighSpeedResponse response() const
    {
        return {m_low_window, m_high_window, m_low_loss, m_high_loss, m_high_decrease};
    }

    /// hstcp_cong_avoid: an ACK counts for a(w) segments.
    Control on_ack_as_linux(const Ack& ack, Control now)
    {
        if (!ack.may_grow() || !is_cwnd_limited_as_in_linux(ack, now))
        {
            return now;
        }
        if (now.in_slow_start())
        {
            return m_linux_slow_start.on_ack(ack, now);
        }
        m_row = &HighSpeedTable::find(std::floor(now.cwnd));
        m_count += m_row->a;
        if (m_count >= now.cwnd)
        {
            m_count -= std::floor(now.cwnd);
            now.cwnd += 1;
        }
        return now;
    }

    double m_low_window{};
    double m_high_window{};
    double m_low_loss{};
    double m_high_loss{};
    double m_high_decrease{};
    int64_t m_max_ssthresh{};
    bool m_as_linux{};
    bool m_forgets{};
    Aimd<LimitedSlowStart> m_aimd;
    ByteCountingSlowStart m_linux_slow_start;
    const HighSpeedTable::Row* m_row{&HighSpeedTable::find(1)}; //!< of the last avoidance
    double m_count{0}; //!< a(w) of the ACKs since the window last opened, as in Linux
};

LONGFAT_CONGESTION_CONTROL(HighSpeed);

} // namespace longfat::core

#endif
