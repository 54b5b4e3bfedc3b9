// SPDX-License-Identifier: GPL-2.0-only
//
// BIC TCP (L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast
// long-distance networks", INFOCOM 2004; section III), with the constant B = 4 of its authors' code in
// Linux. The window grows by a search for W_max, the window at which the last loss was. A round trip
// adds, in segments,
//
//     w < low window    1: standard TCP
//     w < W_max         (W_max - w) / B, at most S_max; B / (smooth part) where that is at most 1
//     w >= W_max        B / (smooth part) for B segments, then (w - W_max) / (B - 1), at most S_max
//     no W_max yet      a twentieth of the window at least
//
// A loss leaves beta w, half below the low window, and W_max is w; where w had not come up to W_max
// again (fast convergence) W_max is w (1 + beta) / 2, midway to what is left.
//
// The smooth part is the number of round trips from W_max - B to W_max. It follows from the paper's
// least increment S_min = 0.01: log(B / (B S_min)) / log(B / (B - 1)) + B = 20, as Linux has it.
//
// What Linux 6.12 (tcp_bic.c) has besides, with as_linux_6_12: whole windows and quotients, beta = 819 /
// 1024, and a timeout that forgets W_max. Above the low window, the number of segments after which the
// window grows by one is divided by the mean number of segments an ACK (bictcp_acked), although
// tcp_cong_avoid_ai counts segments and not ACKs. That mean is kept in sixteenths and begins with 2; an
// ACK of one segment moves it by 1 - (mean >> 4), in whole numbers, which is 0 from 31/16 on. So where
// every segment has its ACK the window grows by 31/16 of the above.

#ifndef LONGFAT_CC_BIC_H
#define LONGFAT_CC_BIC_H

#include "newreno.h"

namespace longfat::core
{

class Bic
{
  public:
    static constexpr Entry entry{.name = "bic",
                                 .title = "BIC",
                                 .source = "Xu, Harfoush and Rhee 2004, section III",
                                 .colour = "#cc6677",
                                 .marker = "v",
                                 .linux = "bic"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Bic>{"fast_convergence",
                                         &Bic::m_fast_convergence,
                                         1,
                                         0,
                                         1,
                                         "",
                                         "give way to new flows",
                                         "Linux, tcp_bic.c: fast_convergence"},
                          Parameter<Bic>{"beta",
                                         &Bic::m_beta,
                                         0.8,
                                         0,
                                         1,
                                         "",
                                         "what a loss leaves of the window",
                                         "Linux, tcp_bic.c: beta, 819 / 1024"},
                          Parameter<Bic>{"max_increase_segments",
                                         &Bic::m_max_increase,
                                         16,
                                         1,
                                         1e6,
                                         "segments",
                                         "S_max, a round trip",
                                         "Linux, tcp_bic.c: max_increment"},
                          Parameter<Bic>{"low_window_segments",
                                         &Bic::m_low_window,
                                         14,
                                         0,
                                         1e6,
                                         "segments",
                                         "standard TCP below",
                                         "Linux, tcp_bic.c: low_window"},
                          Parameter<Bic>{"smooth_part",
                                         &Bic::m_smooth_part,
                                         20,
                                         1,
                                         1e6,
                                         "round trips",
                                         "from W_max - B to W_max",
                                         "Linux, tcp_bic.c: smooth_part"},
                          Parameter<Bic>{"as_linux_6_12",
                                         &Bic::m_as_linux,
                                         0,
                                         0,
                                         1,
                                         "",
                                         "whole segments, and its allowance for delayed ACKs",
                                         "Linux, tcp_bic.c"},
                          Parameter<Bic>{"count_as_linux",
                                         &Bic::m_forgets,
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
        m_aimd.a = now.cwnd / std::max(acks(now.cwnd), 1.0);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        m_count.count = m_forgets ? 0 : m_count.count;
        const double beta = m_as_linux ? 819.0 / 1024 : m_beta;
        const double w = m_as_linux ? std::floor(now.cwnd) : now.cwnd;
        const bool converges = m_fast_convergence && w < m_w_max;
        m_w_max = converges ? whole(w * (1 + beta) / 2) : w;
        const bool low = m_as_linux ? w <= low_window() : w < low_window();
        if (m_as_linux && congestion.cause == Congestion::TIMEOUT)
        {
            m_w_max = 0; // bictcp_reset
            m_delayed_ack = 2 << ACK_RATIO_SHIFT;
        }
        return std::max(whole(low ? w / 2 : beta * w), 2.0);
    }

  private:
    static constexpr double B = 4;
    static constexpr int ACK_RATIO_SHIFT = 4;

    double whole(double quotient) const
    {
        return m_as_linux ? std::floor(quotient) : quotient;
    }

    double low_window() const
    {
        return static_cast<double>(m_low_window);
    }

    /// How many ACKs add a segment to a window of w segments (section III; bictcp_update).
    double acks(double w) const
    {
        const auto max_increase = static_cast<double>(m_max_increase);
        const double smooth = w * static_cast<double>(m_smooth_part) / B;
        const double distance = whole((m_w_max - w) / B);
        double acks = w / max_increase;
        if (m_as_linux ? w <= low_window() : w < low_window())
        {
            return w;
        }
        if (w < m_w_max && distance <= 1)
        {
            acks = smooth;
        }
        else if (w < m_w_max && distance <= max_increase)
        {
            acks = w / distance;
        }
        else if (w >= m_w_max && w < m_w_max + B)
        {
            acks = smooth;
        }
        else if (w >= m_w_max && w < m_w_max + max_increase * (B - 1))
        {
            acks = w * (B - 1) / (w - m_w_max);
        }
        return whole(m_w_max == 0 ? std::min(acks, 20.0) : acks);
    }

    /// bictcp_cong_avoid, bictcp_acked.
    Control on_ack_as_linux(const Ack& ack, Control now)
    {
        if (ack.prior_state == State::OPEN) // the first duplicate is told too, before it counts
        {
            const auto acked = static_cast<int64_t>(ack.segments(ack.newly_acked));
            m_delayed_ack += acked - (m_delayed_ack >> ACK_RATIO_SHIFT);
        }
        if (!ack.may_grow() || !is_cwnd_limited_as_in_linux(ack, now))
        {
            return now;
        }
        double delivered = ack.segments(ack.newly_delivered);
        if (now.in_slow_start())
        {
            now = m_linux_slow_start.on_ack(ack, now);
            delivered = m_linux_slow_start.left;
        }
        if (delivered <= 0)
        {
            return now;
        }
        const double w = std::floor(now.cwnd);
        double count = acks(w);
        if (w > low_window()) // below, as Reno
        {
            const double ratio = 1 << ACK_RATIO_SHIFT;
            count = std::floor(count * ratio / static_cast<double>(m_delayed_ack));
        }
        return m_count.open(std::max(count, 1.0), delivered, now);
    }

    bool m_fast_convergence{};
    double m_beta{};
    int64_t m_max_increase{};
    int64_t m_low_window{};
    int64_t m_smooth_part{};
    bool m_as_linux{};
    bool m_forgets{};
    double m_w_max{0}; //!< segments; 0: no loss yet
    Aimd<SlowStart> m_aimd;
    int64_t m_delayed_ack{2 << ACK_RATIO_SHIFT}; //!< segments an ACK, in sixteenths, as in Linux
    ByteCountingSlowStart m_linux_slow_start;
    SegmentCount m_count;
};

LONGFAT_CONGESTION_CONTROL(Bic);

} // namespace longfat::core

#endif
