// SPDX-License-Identifier: GPL-2.0-only
//
// AIMD, additive increase and multiplicative decrease: the one window of standard TCP. Windows are in
// segments, W is the window.
//
//     slow start             W <- W + 1           an ACK            RFC 5681, (2)
//     congestion avoidance   W <- W + a / W       an ACK            RFC 5681, (3), with a = 1
//     congestion             ssthresh <- max((1 - b) W, 2)          RFC 5681, (4), with b = 1/2
//
// Where the receiver or the application limits what is sent, and not the window, it does not grow: it
// would otherwise come to any size, and a loss not be felt (RFC 7661, RFC 9438, section 5.8).
//
// Three senders of this repository are AIMD with a = 1 and b = 1/2, and this is how they differ:
//
//     newreno     an ACK opens the window once, however much it delivers, as RFC 5681's equations say;
//                 a loss halves FlightSize, what is outstanding, as (4) says
//     reno        as Linux (tcp_reno_cong_avoid): segments delivered count, not ACKs; the window is of
//                 whole segments, and a loss halves it, and not FlightSize; with count_as_linux it
//                 also forgets what is counted towards the next segment
//     standard    as papers model it (survey, equations 1, 14 and 15): an ACK counts, a loss takes
//                 b of the window, and limited slow start can be asked for (RFC 3742)
//
// gaimd is `standard` with any a and b (Y. R. Yang and S. S. Lam, "General AIMD congestion control",
// 2000).

#ifndef LONGFAT_CC_NEWRENO_H
#define LONGFAT_CC_NEWRENO_H

#include "model.h"
#include "slow-start.h"
#include "linux-reno.h"

#include <algorithm>
#include <array>

namespace longfat::core
{

/// What the four share: growth by ACKs.
template <class SLOW_START>
struct Aimd
{
    double a{1};   //!< segments added a round trip
    double b{0.5}; //!< the part of the window that a loss takes
    SLOW_START slow_start;

    Control on_ack(const Ack& ack, Control now)
    {
        if (!ack.may_grow() || !ack.cwnd_limited)
        {
            return now;
        }
        if (now.in_slow_start())
        {
            return slow_start.on_ack(ack, now);
        }
        now.cwnd += a / now.cwnd;
        return now;
    }

    double decreased(double window) const
    {
        return std::max((1 - b) * window, 2.0);
    }
};

class NewReno
{
  public:
    static constexpr Entry entry{.name = "newreno",
                                 .title = "TCP NewReno",
                                 .source = "RFC 5681, section 3.1; RFC 6582",
                                 .short_name = "NewReno",
                                 .colour = "#0072b2",
                                 .marker = "o"};

    Control on_ack(const Ack& ack, Control now)
    {
        return m_aimd.on_ack(ack, now);
    }

    /// (4).
    double ssthresh(const Congestion& congestion, const Control&)
    {
        return m_aimd.decreased(congestion.segments(congestion.flight_size));
    }

  private:
    Aimd<SlowStart> m_aimd;
};

class Reno
{
  public:
    static constexpr Entry entry{.name = "reno",
                                 .title = "TCP Reno as in Linux",
                                 .source = "RFC 5681, RFC 3465; Linux, net/ipv4/tcp_cong.c",
                                 .short_name = "Reno",
                                 .colour = "#0072b2",
                                 .marker = ".",
                                 .linux = "reno"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Reno>{"count_as_linux",
                                          &Reno::m_forgets,
                                          0,
                                          0,
                                          1,
                                          "",
                                          COUNT_AS_LINUX,
                                          "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        return m_window.on_ack(ack, now);
    }

    /// tcp_reno_ssthresh.
    double ssthresh(const Congestion&, const Control& now)
    {
        if (m_forgets)
        {
            m_window.forget();
        }
        return LinuxReno::halved(now.cwnd);
    }

  private:
    bool m_forgets{};
    LinuxReno m_window;
};

class Standard
{
  public:
    static constexpr Entry entry{
        .name = "standard",
        .title = "standard TCP, with limited slow start on demand",
        .source = "paper survey, equations (1), (2), (14) to (16); RFC 5681; RFC 3742",
        .short_name = "standard TCP",
        .colour = "#0072b2",
        .marker = "8"};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Standard>{"max_ssthresh_segments",
                                &Standard::m_max_ssthresh,
                                0,
                                0,
                                1e6,
                                "segments",
                                "window from which on slow start is limited; 0: never",
                                "RFC 3742; off, as in ns-2"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_aimd.slow_start.max_ssthresh = static_cast<double>(m_max_ssthresh);
        return m_aimd.on_ack(ack, now);
    }

    /// Equation (15).
    double ssthresh(const Congestion&, const Control& now)
    {
        return m_aimd.decreased(now.cwnd);
    }

  private:
    int64_t m_max_ssthresh{};
    Aimd<LimitedSlowStart> m_aimd;
};

class Gaimd
{
  public:
    static constexpr Entry entry{.name = "gaimd",
                                 .title = "General AIMD",
                                 .source = "Yang and Lam 2000",
                                 .short_name = "GAIMD",
                                 .colour = "#0072b2",
                                 .marker = "1"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Gaimd>{"increase_segments",
                                           &Gaimd::m_increase,
                                           1,
                                           0,
                                           1000,
                                           "segments",
                                           "a, added a round trip",
                                           "RFC 5681, (3)"},
                          Parameter<Gaimd>{"decrease",
                                           &Gaimd::m_decrease,
                                           0.5,
                                           0,
                                           1,
                                           "",
                                           "b, the part that a loss takes",
                                           "RFC 5681, (4)"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_aimd.a = m_increase;
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_aimd.b = m_decrease;
        return m_aimd.decreased(now.cwnd);
    }

  private:
    double m_increase{};
    double m_decrease{};
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(NewReno);
LONGFAT_CONGESTION_CONTROL(Reno);
LONGFAT_CONGESTION_CONTROL(Standard);
LONGFAT_CONGESTION_CONTROL(Gaimd);

} // namespace longfat::core

#endif
