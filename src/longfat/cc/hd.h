// SPDX-License-Identifier: GPL-2.0-only
//
// HD, the Hamilton delay-based congestion control (paper: ucc, equation 1; L. Budzisz, R.
// Stanojevic, R. Shorten and F. Baker, "A strategy for fair coexistence of loss and delay-based
// congestion control algorithms", 2009).
//
// For every ACK, with the queueing delay q = RTT - RTT_min, the probability g(q) of figure 1
// (delay-backoff.h) and a random number X from [0, 1],
//
//     w <- w / 2         if X < g(q),  else  w <- w + 1 / w            (1)
//
// Slow start and losses are NewReno's, and a back-off ends slow start, as in FreeBSD's module.

#ifndef LONGFAT_CC_HD_H
#define LONGFAT_CC_HD_H

#include "chance.h"
#include "delay-backoff.h"
#include "newreno.h"

namespace longfat::core
{

class Hd
{
  public:
    static constexpr Entry entry{.name = "hd",
                                 .title = "Hamilton Delay (HD)",
                                 .source =
                                     "paper ucc, equation (1) and figure 1; Budzisz et al. 2009",
                                 .short_name = "HD",
                                 .colour = "#e69f00",
                                 .marker = "d",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Hd>{"min_delay_s",
                                        &Hd::m_min_delay_s,
                                        0.005,
                                        0,
                                        10,
                                        "s",
                                        "q_min, queueing delay without back-off",
                                        "FreeBSD, cc_hd.c: hd_qmin",
                                        "threshold_delay_s"},
                          Parameter<Hd>{"threshold_delay_s",
                                        &Hd::m_threshold_delay_s,
                                        0.02,
                                        1e-9,
                                        10,
                                        "s",
                                        "q_th, between regions A and B",
                                        "FreeBSD, cc_hd.c: hd_qthresh"},
                          Parameter<Hd>{"max_probability",
                                        &Hd::m_max_probability,
                                        0.05,
                                        0,
                                        1,
                                        "",
                                        "p_max, for each ACK",
                                        "FreeBSD, cc_hd.c: hd_pmax"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        return now;
    }

    /// Equation (1).
    Control on_ack(const Ack& ack, Control now)
    {
        m_delay.on_ack(ack);
        if (!ack.may_grow())
        {
            return now;
        }
        if (ack.rtt != NO_RTT && m_chance.happens(probability()))
        {
            now.cwnd = now.ssthresh = m_aimd.decreased(now.cwnd);
            return now;
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control&)
    {
        return m_aimd.decreased(congestion.segments(congestion.flight_size));
    }

  private:
    double probability() const
    {
        const DelayBackOff curve{m_min_delay_s, m_threshold_delay_s, m_max_probability};
        return curve.probability(m_delay.of_s(m_delay.rtt), m_delay.max_s());
    }

    double m_min_delay_s{};
    double m_threshold_delay_s{};
    double m_max_probability{};
    QueueingDelay m_delay;
    Chance m_chance; //!< X
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Hd);

} // namespace longfat::core

#endif
