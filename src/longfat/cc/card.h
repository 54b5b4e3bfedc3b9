// SPDX-License-Identifier: GPL-2.0-only
//
// CARD, Congestion Avoidance using Round-trip Delay (R. Jain, "A delay-based approach for congestion
// avoidance in interconnected heterogeneous computer networks", ACM CCR 19(5), 1989; paper: ucc,
// table 1).
//
// Once a round trip, with w the window and t the round trip of this decision, and w', t' those of the
// decision before, the normalised delay gradient is
//
//     NDG = ((t - t') / (t + t')) / ((w - w') / (w + w'))
//
//     w <- 7/8 w   if NDG > 0,   else   w <- w + 1
//
// The paper ucc prints the numerator alone; since the window changes at every decision, both have
// the same sign where the delay follows the window. With NDG the window swings around the one that
// is best by the gradient, and never learns how long a queue is.
//
// Assumed, for Jain says nothing of it: t is the smallest of a round, so that the sender does not take
// its own bursts for a queue; slow start is TCP's and ends at the first gradient above 0; a loss halves
// the window.

#ifndef LONGFAT_CC_CARD_H
#define LONGFAT_CC_CARD_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Card
{
  public:
    static constexpr Entry entry{.name = "card",
                                 .title = "CARD",
                                 .source = "Jain 1989; paper ucc, table 1",
                                 .colour = "#999933",
                                 .marker = "s"};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Card>{"decrease",
                            &Card::m_decrease,
                            0.875,
                            0.01,
                            1,
                            "",
                            "what is left of the window where the delay grows with it",
                            "Jain 1989"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.begin_first(ack);
        m_rounds.on_ack(ack);
        if (!ack.may_grow())
        {
            return now;
        }
        const bool decides = m_rounds.is_over(ack) && m_rounds.samples > 0;
        if (decides)
        {
            const bool rises = is_delay_rising(m_rounds.min_rtt, now.cwnd);
            m_rounds.begin(ack.snd_nxt);
            if (rises)
            {
                now.cwnd = now.ssthresh = std::max(2.0, m_decrease * now.cwnd);
                return now;
            }
        }
        if (now.in_slow_start())
        {
            return m_aimd.on_ack(ack, now);
        }
        now.cwnd += decides && ack.cwnd_limited ? 1 : 0;
        return now;
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return m_aimd.decreased(now.cwnd);
    }

  private:
    /// NDG > 0, of the round that is over.
    bool is_delay_rising(Time rtt, double w)
    {
        const bool rises =
            m_last_rtt != NO_RTT && static_cast<double>(rtt - m_last_rtt) * (w - m_last_window) > 0;
        m_last_rtt = rtt;
        m_last_window = w;
        return rises;
    }

    double m_decrease{};
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    Time m_last_rtt{NO_RTT}; //!< t'
    double m_last_window{0}; //!< w'
};

LONGFAT_CONGESTION_CONTROL(Card);

} // namespace longfat::core

#endif
