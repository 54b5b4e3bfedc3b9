// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Hybla (paper: hybla, equation 1; C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement
// for heterogeneous networks", 2004).
//
// For every ACK that the sender receives, with rho = RTT / RTT_0,
//
//     slow start             W <- W + 2^rho - 1            (1), first line
//     congestion avoidance   W <- W + rho^2 / W            (1), second line
//
// so that the window grows as fast, in time, as that of a NewReno connection with RTT_0. After a
// timeout, until what was outstanding then is acknowledged, it grows as Reno's (as in Linux,
// tcp_hybla.c): the first ACK would otherwise add 2^rho segments to a window of one.

#ifndef LONGFAT_CC_HYBLA_H
#define LONGFAT_CC_HYBLA_H

#include "exact-math.h"
#include "model.h"

#include <algorithm>
#include <array>

namespace longfat::core
{

class Hybla
{
  public:
    static constexpr Entry entry{.name = "hybla",
                                 .title = "TCP Hybla",
                                 .source = "paper hybla, equation (1); Caini and Firrincieli 2004",
                                 .short_name = "Hybla",
                                 .colour = "#d55e00",
                                 .marker = "P",
                                 .linux = "hybla",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Hybla>{"rtt0_s",
                                           &Hybla::m_rtt0_s,
                                           0.025,
                                           1e-6,
                                           10,
                                           "s",
                                           "round-trip time of the reference connection",
                                           "paper hybla; Linux, tcp_hybla.c: rtt0",
                                           "",
                                           "tcp_hybla/parameters/rtt0"}};
    }

    /// The handshake has measured a round trip: the first window is rho (before equation 25).
    Control on_established(const Established& established, Control now)
    {
        if (established.rtt != NO_RTT)
        {
            set_rho(established.rtt);
            now.cwnd = std::max(now.cwnd, m_rho);
        }
        return now;
    }

    /// Equation (1), where the window limits what is sent.
    Control on_ack(const Ack& ack, Control now)
    {
        if (!ack.may_grow() || !ack.cwnd_limited)
        {
            return now;
        }
        if (ack.min_rtt != m_min_rtt)
        {
            set_rho(ack.min_rtt);
        }
        if (ack.state == State::LOSS)
        {
            now.cwnd += now.in_slow_start() ? 1 : 1 / now.cwnd;
            return now;
        }
        if (now.in_slow_start())
        {
            now.cwnd = std::min(now.cwnd + m_slow_start_gain, now.ssthresh);
        }
        else
        {
            now.cwnd += m_avoidance_gain / now.cwnd;
        }
        return now;
    }

    /// A loss halves the window (before equation 4), down to two segments at least.
    double ssthresh(const Congestion&, const Control& now)
    {
        return std::max(2.0, now.cwnd / 2);
    }

  protected:
    /// From the smallest round trip seen; rho is never below 1, a Reno connection.
    void set_rho(Time min_rtt)
    {
        m_min_rtt = min_rtt;
        m_rho = std::max(1.0, seconds(min_rtt) / m_rtt0_s);
        m_slow_start_gain = exact_exp2(m_rho) - 1;
        m_avoidance_gain = m_rho * m_rho;
    }

    double m_rtt0_s{};
    Time m_min_rtt{NO_RTT}; //!< that the gains are of
    double m_rho{1};
    double m_slow_start_gain{1}; //!< 2^rho - 1
    double m_avoidance_gain{1};  //!< rho^2
};

LONGFAT_CONGESTION_CONTROL(Hybla);

} // namespace longfat::core

#endif
