// SPDX-License-Identifier: GPL-2.0-only
//
// FAST TCP (paper: survey, equation 37; C. Jin, D. X. Wei and S. H. Low, "FAST TCP: motivation,
// architecture, algorithms, performance", INFOCOM 2004).
//
// Every other round trip, with D the smallest round trip seen and q the mean queueing delay,
//
//     w <- min(2 w, (1 - gamma) w + gamma (D / (D + q) w + alpha))                   (37)
//
// which stays where alpha segments of the flow wait in queues (38). A loss halves the window, as
// standard TCP's; what FAST TCP does between, such as pacing a raised window, is not modelled.
//
// The mean of q weighs each new round trip with min(3 / w, 1/4), as the authors do.

#ifndef LONGFAT_CC_FAST_H
#define LONGFAT_CC_FAST_H

#include "newreno.h"

namespace longfat::core
{

class Fast
{
  public:
    static constexpr Entry entry{.name = "fast",
                                 .title = "FAST TCP",
                                 .source = "paper survey, equation (37); Jin, Wei and Low 2004",
                                 .short_name = "FAST",
                                 .colour = "#cc79a7",
                                 .marker = ">"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Fast>{"alpha_segments",
                                          &Fast::m_alpha,
                                          200,
                                          1,
                                          1e6,
                                          "segments",
                                          "that are to wait in queues",
                                          "assumed"},
                          Parameter<Fast>{"gamma",
                                          &Fast::m_gamma,
                                          0.5,
                                          0,
                                          1,
                                          "",
                                          "weight of the new window",
                                          "ns-2, tcp-fast.cc: gamma_"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            const double sample = seconds(ack.rtt);
            const double weight = std::min(3 / now.cwnd, 0.25);
            m_mean_s = m_mean_s > 0 ? (1 - weight) * m_mean_s + weight * sample : sample;
            m_base_s = std::min(m_base_s, sample);
        }
        if (!ack.may_grow() || m_mean_s == 0 || ack.now < m_next)
        {
            return now;
        }
        m_next = ack.now + static_cast<Time>(2e9 * m_mean_s);
        const double w = now.cwnd;
        const double target = m_base_s / m_mean_s * w + m_alpha;
        const double next = std::min(2 * w, (1 - m_gamma) * w + m_gamma * target); // (37)
        now.cwnd = std::max(2.0, ack.cwnd_limited ? next : std::min(w, next));
        return now;
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return std::max(2.0, now.cwnd / 2);
    }

  private:
    double m_alpha{};
    double m_gamma{};
    double m_base_s{UNLIMITED}; //!< D
    double m_mean_s{0};         //!< D + q; 0: no round trip yet
    Time m_next{0};             //!< when the window changes next
};

LONGFAT_CONGESTION_CONTROL(Fast);

} // namespace longfat::core

#endif
