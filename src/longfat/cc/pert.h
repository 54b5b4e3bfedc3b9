// SPDX-License-Identifier: GPL-2.0-only
//
// PERT, Probabilistic Early Response TCP (S. Bhandarkar, A. L. N. Reddy, Y. Zhang and D. Loguinov,
// "Emulating AQM from end hosts", SIGCOMM 2007; paper: ucc, table 1).
//
// Standard TCP whose sender does what a router with RED would: with the queueing delay q = s - RTT_min
// of a round trip that is smoothed slowly, it answers early with the probability p(q).
//
//     s <- 0.99 s + 0.01 RTT          for every ACK
//     p(q):  0 to t_min;  from 0 to p_max at t_max;  from p_max to 1 at 2 t_max;  1 beyond
//     w <- (1 - 0.35) w               at most once a round trip
//
// (gentle RED's curve). t_min and t_max are 5 and 10 ms of queueing, p_max is 0.05. A loss halves the
// window. The abstract alone could be had; the constants are those by which the literature describes
// it, and all are parameters. Assumed: what is left ends slow start.

#ifndef LONGFAT_CC_PERT_H
#define LONGFAT_CC_PERT_H

#include "chance.h"
#include "newreno.h"

namespace longfat::core
{

class Pert
{
  public:
    static constexpr Entry entry{.name = "pert",
                                 .title = "Probabilistic Early Response TCP (PERT)",
                                 .source = "Bhandarkar et al. 2007; paper ucc, table 1",
                                 .short_name = "PERT",
                                 .colour = "#aa4499",
                                 .marker = "v",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Pert>{"min_delay_s",
                                          &Pert::m_min_delay_s,
                                          0.005,
                                          0,
                                          10,
                                          "s",
                                          "t_min, queueing delay without early response",
                                          "assumed: as others describe it",
                                          "max_delay_s"},
                          Parameter<Pert>{"max_delay_s",
                                          &Pert::m_max_delay_s,
                                          0.01,
                                          1e-9,
                                          10,
                                          "s",
                                          "t_max, queueing delay at max_probability",
                                          "assumed: as others describe it"},
                          Parameter<Pert>{"max_probability",
                                          &Pert::m_max_probability,
                                          0.05,
                                          0,
                                          1,
                                          "",
                                          "p_max, for each ACK",
                                          "assumed: as others describe it"},
                          Parameter<Pert>{"decrease",
                                          &Pert::m_decrease,
                                          0.35,
                                          0,
                                          1,
                                          "",
                                          "part of the window that an early response takes",
                                          "assumed: as others describe it"},
                          Parameter<Pert>{"weight",
                                          &Pert::m_weight,
                                          0.01,
                                          0,
                                          1,
                                          "",
                                          "of a new round trip in the smoothed one",
                                          "assumed: as others describe it"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            const double sample = seconds(ack.rtt);
            m_rtt_s = m_rtt_s > 0 ? (1 - m_weight) * m_rtt_s + m_weight * sample : sample;
        }
        const bool answered = ack.snd_una >= m_response_end; // the last response
        if (ack.may_grow() && answered && m_rtt_s > 0 &&
            m_chance.happens(probability(m_rtt_s - seconds(ack.min_rtt))))
        {
            now.cwnd = now.ssthresh = std::max(2.0, (1 - m_decrease) * now.cwnd);
            m_response_end = ack.snd_nxt;
            return now;
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return m_aimd.decreased(now.cwnd);
    }

  private:
    /// p(q).
    double probability(double delay_s) const
    {
        if (delay_s <= m_min_delay_s)
        {
            return 0;
        }
        if (delay_s <= m_max_delay_s)
        {
            return m_max_probability * (delay_s - m_min_delay_s) / (m_max_delay_s - m_min_delay_s);
        }
        const double part = (delay_s - m_max_delay_s) / m_max_delay_s;
        return std::min(1.0, m_max_probability + (1 - m_max_probability) * part);
    }

    double m_min_delay_s{};
    double m_max_delay_s{};
    double m_max_probability{};
    double m_decrease{};
    double m_weight{};
    Chance m_chance;
    double m_rtt_s{0};       //!< s; 0: none yet
    Bytes m_response_end{0}; //!< all that had been sent at the last early response
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Pert);

} // namespace longfat::core

#endif
