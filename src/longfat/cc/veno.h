// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Veno (C. P. Fu and S. C. Liew, "TCP Veno: TCP enhancement for transmission over wireless
// access networks", IEEE JSAC 21(2), 2003; section II). Segments in queues, from the smoothed round
// trip and the smallest since the last loss:
//
//     N = w (1 - baseRTT / RTT)
//
//     N < beta   (not congested)  an ACK adds 1 / w;            a loss takes a fifth of the window
//     N >= beta  (congested)      every other ACK adds 1 / w;   a loss takes half of it
//
// A timeout takes half of it (the paper keeps Reno's), whatever N; Linux takes a fifth there too.

#ifndef LONGFAT_CC_VENO_H
#define LONGFAT_CC_VENO_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Veno
{
  public:
    static constexpr Entry entry{.name = "veno",
                                 .title = "TCP Veno",
                                 .source = "Fu and Liew 2003",
                                 .short_name = "Veno",
                                 .colour = "#999933",
                                 .marker = "o",
                                 .linux = "veno"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Veno>{"beta_segments",
                                          &Veno::m_beta,
                                          3,
                                          0,
                                          1e6,
                                          "segments",
                                          "in queues: from here on, congested",
                                          "Fu and Liew 2003, section II; Linux, tcp_veno.c: beta"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.on_ack(ack);
        if (!ack.may_grow() || m_rounds.base_rtt == NEVER)
        {
            return m_aimd.on_ack(ack, now);
        }
        const double target = now.cwnd * (seconds(m_rounds.base_rtt) / seconds(ack.srtt));
        m_backlog = now.cwnd - target;
        if (now.in_slow_start() || !is_congested())
        {
            return m_aimd.on_ack(ack, now);
        }
        m_grows = !m_grows;
        return m_grows ? now : m_aimd.on_ack(ack, now);
    }

    /// A loss also begins the search for baseRTT anew.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        m_aimd.b = congestion.cause == Congestion::TIMEOUT || is_congested() ? 0.5 : 0.2;
        m_rounds.base_rtt = NEVER;
        return m_aimd.decreased(now.cwnd);
    }

  private:
    bool is_congested() const
    {
        return m_backlog >= static_cast<double>(m_beta);
    }

    int64_t m_beta{};
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    double m_backlog{0}; //!< N, segments
    bool m_grows{true};  //!< the next ACK adds to the window of a congested path
};

LONGFAT_CONGESTION_CONTROL(Veno);

} // namespace longfat::core

#endif
