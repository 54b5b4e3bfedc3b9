// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-LP (A. Kuzmanovic and E. W. Knightly, "TCP-LP: a distributed algorithm for low priority data
// transfer", INFOCOM 2003; section III).
//
// Standard TCP that gives way as soon as its own segments begin to wait. With the one-way delay d,
//
//     sd <- 7/8 sd + 1/8 d
//     early congestion:  sd > d_min + 0.15 (d_max - d_min)
//
// Its first indication halves the window and begins a time of inference, 3 round trips in which the
// window does not grow; another one within that time leaves one segment. Then it grows as before.
//
// The delay is that of timestamps (RFC 7323), whose clocks tick in milliseconds: on a faster clock the
// sender takes the bursts of its own slow start for congestion. Both ends have one clock here.
//
// The delays of before an indication would give the next one at once: as in Linux (tcp_lp.c), d_min begins
// anew at sd then, and d_max at 2 sd. The paper does not say. So the delay itself counts, and not only its
// differences; Linux's has the offset of the two clocks in it. Linux also takes the largest delay but one
// for d_max, and cuts sd and the margin to whole milliseconds.

#ifndef LONGFAT_CC_LP_H
#define LONGFAT_CC_LP_H

#include "newreno.h"

namespace longfat::core
{

class Lp
{
  public:
    static constexpr Entry entry{.name = "lp",
                                 .title = "TCP-LP",
                                 .source = "Kuzmanovic and Knightly 2003, section III",
                                 .colour = "#88ccee",
                                 .marker = "o",
                                 .linux = "lp",
                                 .needs = need::ONE_WAY_DELAY};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Lp>{"clock_s",
                                        &Lp::m_clock_s,
                                        0.001,
                                        0,
                                        10,
                                        "s",
                                        "tick of both ends' clocks; 0 is exact",
                                        "RFC 7323"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.segment_sent != NEVER)
        {
            measure(seconds(shown(ack.segment_received) - shown(ack.segment_sent)));
        }
        const bool infers = m_last_cut != NEVER && ack.now - m_last_cut < 3 * ack.latest_rtt;
        if (ack.state == State::OPEN && is_early_congestion())
        {
            m_min_s = m_delay_s;
            m_max_s = 2 * m_delay_s;
            m_last_cut = ack.now;
            now.cwnd = infers ? 1 : std::max(now.cwnd / 2, 1.0);
            now.ssthresh = std::min(now.ssthresh, now.cwnd); // additive increase follows
            return now;
        }
        return infers ? now : m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return m_aimd.decreased(now.cwnd);
    }

  private:
    /// What a clock with that tick shows.
    Time shown(Time time) const
    {
        const auto tick = static_cast<Time>(std::floor(m_clock_s * 1e9 + 0.5));
        return tick > 0 ? time / tick * tick : time;
    }

    void measure(double delay_s)
    {
        m_min_s = std::min(m_min_s, delay_s);
        m_max_s = std::max(m_max_s, delay_s);
        m_delay_s = m_delay_s == 0 ? delay_s : 0.875 * m_delay_s + 0.125 * delay_s;
    }

    bool is_early_congestion() const
    {
        return m_delay_s > m_min_s + 0.15 * (m_max_s - m_min_s);
    }

    double m_clock_s{};
    double m_delay_s{0}; //!< sd; 0: none yet
    double m_min_s{UNLIMITED};
    double m_max_s{0};
    Time m_last_cut{NEVER};
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Lp);

} // namespace longfat::core

#endif
