// SPDX-License-Identifier: GPL-2.0-only
//
// CHD as FreeBSD's sys/netinet/cc/cc_chd.c has it, by the authors of its paper, beside chd.h, which is
// the paper's as UCC tells it (equations 2 to 4). The draw once a round trip and its probability are the
// same. What differs, line by line:
//
//     a flag says whether loss-based flows compete: set by a back-off above q_th, cleared by any round at
//     or below it; only while it is set does a loss restore the shadow window before it halves
//     until all is acknowledged that was outstanding at a back-off, rounds decide nothing and a loss takes
//     nothing; the window grows on
//     half of a window is what ceil(w / 2) segments leave, two at least
//     without `loss_fair`, a back-off keeps the shadow window only at a larger delay than the one before
//     the shadow window begins as the first window; marks and timeouts are NewReno's and leave it alone
//     bytes are counted, not ACKs (RFC 3465); a window at the threshold is in slow start
//     q_th is 20 ms, not 30
//
// Here the window grows only where it limits what is sent, which cc_chd.c does not ask. Left out: the
// clock's whole ticks of 1 ms; h_ertt's filter of delayed ACKs; the window after idleness.

#ifndef LONGFAT_CC_CHD_FREEBSD_H
#define LONGFAT_CC_CHD_FREEBSD_H

#include "model.h"
#include "chance.h"
#include "delay-backoff.h"
#include "freebsd.h"

#include <array>
#include <utility>

namespace longfat::core
{

class ChdFreeBsd
{
  public:
    static constexpr Entry entry{.name = "chd-freebsd",
                                 .title = "CAIA-Hamilton Delay (CHD) as in FreeBSD",
                                 .source =
                                     "FreeBSD 14, sys/netinet/cc/cc_chd.c; Hayes and Armitage "
                                     "2010",
                                 .short_name = "CHD of FreeBSD",
                                 .colour = "#e69f00",
                                 .marker = "X",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<ChdFreeBsd>{"min_delay_s",
                                                &ChdFreeBsd::m_min_delay_s,
                                                0.005,
                                                0,
                                                10,
                                                "s",
                                                "q_min, queueing delay without back-off",
                                                "FreeBSD, cc_chd.c: chd_qmin, in ticks of 1 ms",
                                                "threshold_delay_s"},
                          Parameter<ChdFreeBsd>{"threshold_delay_s",
                                                &ChdFreeBsd::m_threshold_delay_s,
                                                0.02,
                                                1e-9,
                                                10,
                                                "s",
                                                "q_th, between regions A and B",
                                                "FreeBSD, cc_chd.c: chd_qthresh"},
                          Parameter<ChdFreeBsd>{"max_probability",
                                                &ChdFreeBsd::m_max_probability,
                                                0.5,
                                                0,
                                                1,
                                                "",
                                                "p_max, for each round trip",
                                                "FreeBSD, cc_chd.c: chd_pmax, per cent"},
                          Parameter<ChdFreeBsd>{"loss_fair",
                                                &ChdFreeBsd::m_loss_fair,
                                                1,
                                                0,
                                                1,
                                                "",
                                                "the flag may be set",
                                                "FreeBSD, cc_chd.c: chd_loss_fair"}};
    }

    /// chd_conn_init.
    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        m_shadow = now.cwnd;
        return now;
    }

    /// chd_ack_received. A round trip is measured by the first segment that was sent after the one before.
    Control on_ack(const Ack& ack, Control now)
    {
        m_delay.on_ack(ack);
        m_max_rtt_in_rtt = std::max(m_max_rtt_in_rtt, ack.rtt);
        if (ack.snd_una > m_measured)
        {
            m_measured = ack.snd_nxt;
            const Time largest = std::exchange(m_max_rtt_in_rtt, NO_RTT);
            const bool recovers = !ack.may_grow() || ack.snd_una < m_recover;
            if (largest != NO_RTT && !recovers && should_back_off(m_delay.of_s(largest)))
            {
                return back_off(ack, now, m_delay.of_s(largest));
            }
        }
        return ack.may_grow() ? increase(ack, now) : now;
    }

    /// chd_cong_signal.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (congestion.cause == Congestion::ECN || congestion.cause == Congestion::TIMEOUT)
        {
            const bool recovers = congestion.snd_una < m_recover;
            const bool keeps = congestion.cause == Congestion::ECN && recovers;
            return keeps ? now.ssthresh : freebsd_newreno_ssthresh(now.cwnd);
        }
        const Time largest = std::max(m_delay.rtt, m_max_rtt_in_rtt);
        const bool congested = m_delay.is_known() && m_delay.of_s(largest) > m_threshold_delay_s;
        double threshold = now.cwnd;
        if (congested && congestion.snd_una >= m_recover)
        {
            const double restored = m_loss_compete ? std::max(now.cwnd, m_shadow) : now.cwnd;
            const double receiver = congestion.segments(congestion.advertised_window);
            threshold = decreased(std::min(restored, receiver));
        }
        m_shadow = m_shadow > 0 ? freebsd_newreno_ssthresh(m_shadow) : 0;
        return std::max(threshold, 2.0);
    }

  private:
    /// should_backoff, and the flag.
    bool should_back_off(double delay_s)
    {
        const DelayBackOff curve{m_min_delay_s, m_threshold_delay_s, m_max_probability};
        const bool backs_off = m_chance.happens(curve.probability(delay_s, m_delay.max_s()));
        if (delay_s <= m_threshold_delay_s)
        {
            m_loss_compete = false;
        }
        else if (backs_off && m_loss_fair)
        {
            m_loss_compete = true;
        }
        return backs_off;
    }

    Control back_off(const Ack& ack, Control now, double delay_s)
    {
        const bool keeps = m_loss_compete || delay_s > m_last_back_off_delay_s;
        m_shadow = keeps ? std::max(now.cwnd, m_shadow) : 0;
        m_last_back_off_delay_s = delay_s;
        now.cwnd = now.ssthresh = decreased(now.cwnd);
        m_recover = ack.snd_nxt;
        return now;
    }

    /// chd_window_increase.
    Control increase(const Ack& ack, Control now)
    {
        const double growth = m_counting.growth(ack, now);
        if (ack.cwnd_limited)
        {
            now.cwnd += growth;
            m_shadow += m_shadow > 0 ? growth : 0;
        }
        return now;
    }

    /// chd_window_decrease.
    static double decreased(double window)
    {
        const double whole = std::floor(window);
        return std::max(whole - std::max(std::floor(whole / 2), 1.0), 2.0);
    }

    double m_min_delay_s{};
    double m_threshold_delay_s{};
    double m_max_probability{};
    bool m_loss_fair{};
    QueueingDelay m_delay;
    Chance m_chance;
    FreeBsdByteCounting m_counting;
    Time m_max_rtt_in_rtt{NO_RTT};
    Bytes m_measured{0}; //!< the next round trip is measured when more is acknowledged
    Bytes m_recover{0};  //!< snd_recover, of a back-off
    bool m_loss_compete{false};
    double m_last_back_off_delay_s{0}; //!< prev_backoff_qdly
    double m_shadow{0};                //!< shadow_w, segments; 0: none
};

LONGFAT_CONGESTION_CONTROL(ChdFreeBsd);

} // namespace longfat::core

#endif
