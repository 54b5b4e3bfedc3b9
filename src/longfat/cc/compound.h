// SPDX-License-Identifier: GPL-2.0-only
//
// Compound TCP (K. Tan, J. Song, Q. Zhang and M. Sridharan, "A Compound TCP approach for high-speed and
// long distance networks", INFOCOM 2006; draft-sridharan-tcpm-ctcp-02). Compared with UCC in the paper
// ucc.
//
// The window is that of NewReno, which loss governs, and a second one, which delay governs:
//
//     win = cwnd + dwnd,   cwnd <- cwnd + 1 / win for each ACK
//
// Once a round trip, with the mean RTT of it, diff = win (1 - baseRTT / RTT) packets are in the queue, and
//
//     dwnd <- dwnd + (alpha win^k - 1)^+    if diff < gamma
//     dwnd <- (dwnd - zeta diff)^+          if diff >= gamma
//
// A loss halves cwnd, and leaves dwnd <- (win (1 - beta) - cwnd / 2)^+, so that win is win (1 - beta). A
// timeout, and slow start, have no dwnd. Where win is not what limits the sender, neither part grows.

#ifndef LONGFAT_CC_COMPOUND_H
#define LONGFAT_CC_COMPOUND_H

#include "exact-math.h"
#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Compound
{
  public:
    static constexpr Entry entry{.name = "compound",
                                 .title = "Compound TCP",
                                 .source = "Tan, Song, Zhang and Sridharan 2006; "
                                           "draft-sridharan-tcpm-ctcp-02; paper ucc, section 5",
                                 .short_name = "Compound",
                                 .colour = "#cc79a7",
                                 .marker = "D"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Compound>{"alpha",
                                              &Compound::m_alpha,
                                              0.125,
                                              0,
                                              10,
                                              "",
                                              "scale of the delay window's growth",
                                              "Tan et al. 2006"},
                          Parameter<Compound>{"beta",
                                              &Compound::m_beta,
                                              0.5,
                                              0,
                                              1,
                                              "",
                                              "part of the window that a loss takes",
                                              "Tan et al. 2006"},
                          Parameter<Compound>{"exponent",
                                              &Compound::m_exponent,
                                              0.75,
                                              0,
                                              1,
                                              "",
                                              "k, of the delay window's growth",
                                              "Tan et al. 2006"},
                          Parameter<Compound>{"gamma",
                                              &Compound::m_gamma,
                                              30,
                                              0,
                                              1e6,
                                              "packets",
                                              "in the queue, at which the delay window falls",
                                              "Tan et al. 2006"},
                          Parameter<Compound>{"zeta",
                                              &Compound::m_zeta,
                                              1,
                                              0,
                                              1000,
                                              "",
                                              "how fast it falls",
                                              "tcp_compound.c for Linux: TCP_COMPOUND_ZETA"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.begin_first(ack);
        m_rounds.on_ack(ack);
        if (!ack.may_grow())
        {
            return now;
        }
        const bool slow_start = now.in_slow_start();
        now = m_aimd.on_ack(ack, now); // in avoidance by 1 / win
        if (m_rounds.is_over(ack))
        {
            if (!slow_start && m_rounds.samples > 0)
            {
                now = end_round(ack, now);
            }
            m_rounds.begin(ack.snd_nxt);
        }
        return now;
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (congestion.cause == Congestion::TIMEOUT)
        {
            m_dwnd = 0;
            return m_aimd.decreased(congestion.segments(congestion.flight_size));
        }
        const double half = std::max(0.0, now.cwnd - m_dwnd) / 2;
        m_dwnd = std::max(0.0, now.cwnd * (1 - m_beta) - half);
        return std::max(2.0, half + m_dwnd);
    }

  private:
    Control end_round(const Ack& ack, Control now)
    {
        const double win = now.cwnd;
        const auto mean =
            static_cast<double>(m_rounds.sum_of_rtts) / static_cast<double>(m_rounds.samples);
        const double diff = win * (1 - static_cast<double>(m_rounds.base_rtt) / mean);
        const double before = std::min(m_dwnd, win);
        m_dwnd = before;
        if (diff >= m_gamma)
        {
            m_dwnd = std::max(0.0, before - m_zeta * diff);
        }
        else if (ack.cwnd_limited)
        {
            m_dwnd += std::max(0.0, m_alpha * exact_pow(win, m_exponent) - 1);
        }
        now.cwnd = std::max(2.0, win + m_dwnd - before);
        // In avoidance the window is not below the threshold, or it would go back to slow start.
        now.ssthresh = std::min(now.ssthresh, now.cwnd);
        return now;
    }

    double m_alpha{};
    double m_beta{};
    double m_exponent{};
    double m_gamma{};
    double m_zeta{};
    double m_dwnd{0}; //!< segments
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Compound);

} // namespace longfat::core

#endif
