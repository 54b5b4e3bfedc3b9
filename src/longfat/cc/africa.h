// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Africa (R. King, R. Baraniuk and R. Riedi, "TCP-Africa: an adaptive and fair rapid increase
// rule for scalable TCP", INFOCOM 2005; paper: ucc, table 1).
//
// HighSpeed TCP while its own segments do not wait, standard TCP as soon as they do. For every ACK,
// with the queue that it fills estimated as Vegas does, from the smoothed round trip,
//
//     w (RTT - RTT_min) / RTT < alpha      w <- w + a(w) / w    (fast)
//                             otherwise    w <- w + 1 / w       (slow)
//
// a(w), and b(w) of a loss, w <- w (1 - b(w)), are HighSpeed TCP's (highspeed.h).
//
// The abstract alone could be had: alpha is assumed, a little above the one segment that every sender
// keeps waiting; and so is that the round trip is smoothed as TCP's is, by an eighth.

#ifndef LONGFAT_CC_AFRICA_H
#define LONGFAT_CC_AFRICA_H

#include "highspeed.h"

namespace longfat::core
{

class Africa
{
  public:
    static constexpr Entry entry{.name = "africa",
                                 .title = "TCP-Africa",
                                 .source =
                                     "King, Baraniuk and Riedi 2005; paper ucc, table 1; RFC 3649",
                                 .colour = "#e69f00",
                                 .marker = "p"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Africa>{"alpha_segments",
                                            &Africa::m_alpha,
                                            1.641,
                                            0,
                                            1e6,
                                            "segments",
                                            "in queues: more, and it grows as standard TCP",
                                            "assumed"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            const double sample = seconds(ack.rtt);
            m_rtt_s = m_rtt_s > 0 ? 0.875 * m_rtt_s + 0.125 * sample : sample;
            m_min_rtt_s = std::min(m_min_rtt_s, sample);
        }
        m_aimd.a = is_fast(now.cwnd) ? m_response.increase(now.cwnd) : 1;
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_aimd.b = m_response.decrease(now.cwnd);
        return m_aimd.decreased(now.cwnd);
    }

  private:
    bool is_fast(double w) const
    {
        return m_rtt_s > 0 && w * (m_rtt_s - m_min_rtt_s) / m_rtt_s < m_alpha;
    }

    double m_alpha{};
    HighSpeedResponse m_response;
    double m_rtt_s{0}; //!< smoothed; 0: none yet
    double m_min_rtt_s{UNLIMITED};
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Africa);

} // namespace longfat::core

#endif
