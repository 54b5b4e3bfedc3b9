// SPDX-License-Identifier: GPL-2.0-only
//
// HD (hd.h) as FreeBSD's sys/netinet/cc/cc_hd.c has it. The draw for each ACK and its probability are
// those of equation (1) of the paper ucc. What differs, line by line:
//
//     a back-off is NewReno's answer to a mark: half the window, in whole segments, and the flag
//     CONGRECOVERY. cc_hd.c does not set snd_recover with it, so the next ACK clears the flag
//     (tcp_input.c): that one ACK neither draws nor opens the window
//     bytes are counted, not ACKs (RFC 3465), so that the window grows as fast with delayed ACKs
//     a window at the threshold is in slow start
//
// Left out: the clock's whole ticks of 1 ms, one of which is added to each round trip; h_ertt's filter of
// delayed ACKs; the window after idleness.

#ifndef LONGFAT_CC_HD_FREEBSD_H
#define LONGFAT_CC_HD_FREEBSD_H

#include "model.h"
#include "chance.h"
#include "delay-backoff.h"
#include "freebsd.h"

#include <array>
#include <utility>

namespace longfat::core
{

class HdFreeBsd
{
  public:
    static constexpr Entry entry{.name = "hd-freebsd",
                                 .title = "Hamilton Delay (HD) as in FreeBSD",
                                 .source =
                                     "FreeBSD 14, sys/netinet/cc/cc_hd.c; paper ucc, equation (1)",
                                 .short_name = "HD of FreeBSD",
                                 .colour = "#e69f00",
                                 .marker = "D",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<HdFreeBsd>{"min_delay_s",
                                               &HdFreeBsd::m_min_delay_s,
                                               0.005,
                                               0,
                                               10,
                                               "s",
                                               "q_min, queueing delay without back-off",
                                               "FreeBSD, cc_hd.c: hd_qmin, in ticks of 1 ms",
                                               "threshold_delay_s"},
                          Parameter<HdFreeBsd>{"threshold_delay_s",
                                               &HdFreeBsd::m_threshold_delay_s,
                                               0.02,
                                               1e-9,
                                               10,
                                               "s",
                                               "q_th, between regions A and B",
                                               "FreeBSD, cc_hd.c: hd_qthresh"},
                          Parameter<HdFreeBsd>{"max_probability",
                                               &HdFreeBsd::m_max_probability,
                                               0.05,
                                               0,
                                               1,
                                               "",
                                               "p_max, for each ACK",
                                               "FreeBSD, cc_hd.c: hd_pmax, per cent"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        return now;
    }

    /// hd_ack_received.
    Control on_ack(const Ack& ack, Control now)
    {
        m_delay.on_ack(ack);
        if (!ack.may_grow())
        {
            return now;
        }
        const double growth = m_counting.growth(ack, now);
        if (std::exchange(m_in_congestion_recovery, false))
        {
            return now;
        }
        if (ack.rtt != NO_RTT && m_chance.happens(probability()))
        {
            now.cwnd = now.ssthresh = freebsd_newreno_ssthresh(now.cwnd);
            m_in_congestion_recovery = true;
            return now;
        }
        now.cwnd += ack.cwnd_limited ? growth : 0;
        return now;
    }

    /// newreno_cc_cong_signal: a window is reduced once.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (std::exchange(m_in_congestion_recovery, false) &&
            congestion.cause != Congestion::TIMEOUT)
        {
            return now.ssthresh;
        }
        return freebsd_newreno_ssthresh(now.cwnd);
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
    Chance m_chance;
    FreeBsdByteCounting m_counting;
    bool m_in_congestion_recovery{false};
};

LONGFAT_CONGESTION_CONTROL(HdFreeBsd);

} // namespace longfat::core

#endif
