// SPDX-License-Identifier: GPL-2.0-only
//
// DUAL (Z. Wang and J. Crowcroft, "Eliminating periodic packet losses in the 4.3-Tahoe BSD TCP
// congestion control algorithm", ACM CCR 22(2), 1992; paper: ucc, table 1).
//
// Standard TCP that asks every second round trip whether the queue is more than half as long as the
// longest that it has seen:
//
//     w <- 7/8 w   if RTT > (RTT_min + RTT_max) / 2
//
// Assumed: RTT is the smallest of a round, which is nearest to that of the segment by which 4.3BSD timed
// it, and RTT_max the largest of these, so that the sender does not take its own bursts for a queue (in
// slow start these alone raise the mean to the middle); what is left ends slow start; a loss halves the
// window.

#ifndef LONGFAT_CC_DUAL_H
#define LONGFAT_CC_DUAL_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Dual
{
  public:
    static constexpr Entry entry{.name = "dual",
                                 .title = "DUAL",
                                 .source = "Wang and Crowcroft 1992; paper ucc, table 1",
                                 .colour = "#88ccee",
                                 .marker = "^"};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Dual>{"decrease",
                            &Dual::m_decrease,
                            0.875,
                            0.01,
                            1,
                            "",
                            "what is left of the window beyond the middle of the delays",
                            "Wang and Crowcroft 1992"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.begin_first(ack);
        m_rounds.on_ack(ack);
        if (ack.may_grow() && m_rounds.is_over(ack) && m_rounds.samples > 0)
        {
            const Time rtt = m_rounds.min_rtt;
            m_max_rtt = std::max(m_max_rtt, rtt);
            m_rounds.begin(ack.snd_nxt);
            m_asks = !m_asks;
            if (m_asks && rtt > (m_rounds.base_rtt + m_max_rtt) / 2)
            {
                now.cwnd = now.ssthresh = std::max(2.0, m_decrease * now.cwnd);
                return now;
            }
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return m_aimd.decreased(now.cwnd);
    }

  private:
    double m_decrease{};
    Rounds m_rounds;
    Time m_max_rtt{0}; //!< RTT_max
    Aimd<SlowStart> m_aimd;
    bool m_asks{true}; //!< in this round: every second one
};

LONGFAT_CONGESTION_CONTROL(Dual);

} // namespace longfat::core

#endif
