// SPDX-License-Identifier: GPL-2.0-only
//
// CDG as Linux 6.12 has it (net/ipv4/tcp_cdg.c, by K. K. Jonassen, whose functions are named), beside
// cdg.h, which is its paper's. By Linux's defaults, in whole segments and microseconds, what
// differs:
//
//     no loss is forgiven, unless `tolerates_loss` is asked for (use_tolerance)
//     beta is 0.7071; the window goes there over a round trip (CWR), and the round begins anew then
//     the gradient is that of the smallest round trip where it rises, else that of the largest; over
//     the last eight rounds, and while there are fewer in proportion
//     the probability of a back-off is 1 - exp(-42 g), g their sum in s: G = 1 / (42 x 8) s
//     after five back-offs in vain none until the delay falls
//     the shadow window begins as the first window, and is no more than the window before a loss, and
//     than a window that does not limit what is sent
//     hybrid slow start ends it by a train of ACKs or a delay (hystart_detect)
//
// Growth is Linux's Reno (newreno.h). Linux tells delayed ACKs by sacked_out == 0; here, by the state OPEN.
// Left out: the window and the state that a restart after idleness begins with; and that of what was sent
// again Linux tells the round trip, where there are timestamps, in whole milliseconds (linux-round-trip.h).

#ifndef LONGFAT_CC_CDG_LINUX_H
#define LONGFAT_CC_CDG_LINUX_H

#include "exact-math.h"
#include "recovery.h"
#include "chance.h"
#include "newreno.h"

#include <array>
#include <utility>

namespace longfat::core
{

class CdgLinux
{
  public:
    static constexpr Entry entry{.name = "cdg-linux",
                                 .title = "CAIA Delay-Gradient (CDG) as in Linux 6.12",
                                 .source =
                                     "Linux 6.12, net/ipv4/tcp_cdg.c; Hayes and Armitage 2011",
                                 .short_name = "CDG of Linux",
                                 .colour = "#009e73",
                                 .marker = "1",
                                 .linux = "cdg",
                                 .events = event::ESTABLISHED | event::SENT | event::RECOVERED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<CdgLinux>{"tolerates_loss",
                                              &CdgLinux::m_tolerates_loss,
                                              0,
                                              0,
                                              1,
                                              "",
                                              "a loss while the queue is not full takes nothing",
                                              "Linux, tcp_cdg.c: use_tolerance"},
                          Parameter<CdgLinux>{"hybrid_slow_start",
                                              &CdgLinux::m_hybrid_slow_start,
                                              1,
                                              0,
                                              1,
                                              "",
                                              "slow start ends at a train of ACKs or a delay",
                                              "Linux, tcp_cdg.c: hystart_detect"}};
    }

    /// tcp_cdg_init.
    Control on_established(const Established& established, Control now)
    {
        m_chance.start(established);
        m_shadow = std::floor(now.cwnd);
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        take_rtt(ack);
        if (m_in_cwr && ack.snd_una <= m_high_seq)
        {
            return reduce(ack, now);
        }
        if (std::exchange(m_in_cwr, false))
        {
            now.cwnd = now.ssthresh;
            m_completes_cwr = true;
        }
        return ack.may_grow() ? avoid_congestion(ack, now) : now;
    }

    void on_sent(const Sent& sent)
    {
        if (m_in_cwr)
        {
            m_reduction.on_sent(sent.bytes);
        }
    }

    /// tcp_cdg_ssthresh. A loss in CWR takes no more (tcp_enter_recovery, tcp_enter_loss).
    double ssthresh(const Congestion&, const Control& now)
    {
        const double window = std::floor(now.cwnd);
        if (std::exchange(m_in_cwr, false))
        {
            return now.ssthresh;
        }
        if (m_tolerates_loss && m_queue == NOT_FULL)
        {
            return std::max(window, 2.0);
        }
        m_shadow = std::min(std::floor(m_shadow / 2), window);
        return std::max({2.0, m_shadow, std::floor(window / 2)});
    }

    /// CA_EVENT_COMPLETE_CWR.
    Control on_recovered(const Recovered&, Control now)
    {
        m_completes_cwr = true; // with the ACK at hand, which tells snd_nxt
        now.cwnd = now.ssthresh;
        return now;
    }

  private:
    static constexpr int WINDOW = 8; //!< rounds of a gradient (window)

    enum Queue
    {
        UNKNOWN,
        NOT_FULL,
        FULL,
    };

    /// Round trips, or changes of them, in us; 0: none.
    struct MinMax
    {
        int64_t min{0};
        int64_t max{0};
    };

    /// tcp_cdg_acked: a delayed ACK counts only where it is the smallest.
    void take_rtt(const Ack& ack)
    {
        const int64_t rtt_us = ack.rtt == NO_RTT ? 0 : ack.rtt / 1000;
        if (rtt_us <= 0)
        {
            return;
        }
        if (ack.state == State::OPEN)
        {
            if (ack.newly_acked <= ack.mss && m_delack > 0)
            {
                m_rtt.min = std::min(m_rtt.min, rtt_us);
                --m_delack;
                return;
            }
            m_delack += ack.newly_acked > ack.mss && m_delack < 5;
        }
        m_rtt.min = m_rtt.min == 0 ? rtt_us : std::min(m_rtt.min, rtt_us);
        m_rtt.max = std::max(m_rtt.max, rtt_us);
    }

    /// tcp_cdg_cong_avoid.
    Control avoid_congestion(const Ack& ack, Control now)
    {
        if (std::exchange(m_completes_cwr, false))
        {
            m_queue = UNKNOWN;
            m_rtt_seq = ack.snd_nxt;
            m_rtt_prev = std::exchange(m_rtt, {});
        }
        if (m_hybrid_slow_start && now.in_slow_start() && slow_start_ends(ack, now))
        {
            now.ssthresh = now.cwnd;
        }
        if (ack.snd_una > m_rtt_seq && m_rtt.max > 0)
        {
            const int64_t gradient_us = m_rtt_prev.max > 0 ? gradient() : 0;
            begin_round(ack);
            if (backs_off(gradient_us))
            {
                return enter_cwr(ack, now);
            }
        }
        if (!is_cwnd_limited_as_in_linux(ack, now))
        {
            m_shadow = std::min(m_shadow, now.cwnd);
            return now;
        }
        const double before = now.cwnd;
        now = m_reno.on_ack(ack, now);
        m_shadow += now.cwnd - before;
        return now;
    }

    void begin_round(const Ack& ack)
    {
        m_rtt_seq = ack.snd_nxt;
        m_rtt_prev = std::exchange(m_rtt, {});
        m_last_ack_us = 0;
        m_samples = 0;
    }

    /// tcp_cdg_hystart_update.
    bool slow_start_ends(const Ack& ack, const Control& now)
    {
        if (m_rtt.min > 0)
        {
            m_delay_min_us = m_delay_min_us == 0 ? m_rtt.min : std::min(m_delay_min_us, m_rtt.min);
        }
        if (m_delay_min_us == 0)
        {
            return false;
        }
        const int64_t now_us = ack.now / 1000;
        if (m_last_ack_us == 0 || !is_cwnd_limited_as_in_linux(ack, now))
        {
            m_last_ack_us = m_round_start_us = now_us;
        }
        else if (now_us < m_last_ack_us + 3000)
        {
            m_last_ack_us = now_us;
            if (now_us > m_round_start_us + std::max<int64_t>(m_delay_min_us / 2, 125))
            {
                return true;
            }
        }
        if (m_samples < 8)
        {
            ++m_samples;
            return false;
        }
        return m_rtt.min > std::max<int64_t>(m_delay_min_us + m_delay_min_us / 8, 125);
    }

    /// tcp_cdg_grad, in us.
    int64_t gradient()
    {
        const MinMax fresh{m_rtt.min - m_rtt_prev.min, m_rtt.max - m_rtt_prev.max};
        const MinMax old = std::exchange(m_gradients[m_tail], fresh);
        m_sum.min += fresh.min - old.min;
        m_sum.max += fresh.max - old.max;
        m_tail = (m_tail + 1) % WINDOW;
        int64_t gradient_us = m_sum.min > 0 ? m_sum.min : m_sum.max;
        if (!m_filled && m_tail == 0)
        {
            m_filled = true;
        }
        else if (!m_filled)
        {
            gradient_us = gradient_us * WINDOW / m_tail; // as if there were as many
        }
        if (m_sum.min <= -32 || m_sum.max <= -32)
        {
            m_backoffs = 0;
        }
        const int64_t min = divided(m_sum.min);
        const int64_t max = divided(m_sum.max);
        if (min > 0 && max <= 0)
        {
            m_queue = FULL;
        }
        else if (min > 0 || max < 0)
        {
            m_queue = NOT_FULL;
        }
        return gradient_us;
    }

    /// By 64, to the nearest (DIV_ROUND_CLOSEST).
    static int64_t divided(int64_t us)
    {
        return (us > 0 ? us + 32 : us - 32) / 64;
    }

    /// tcp_cdg_backoff.
    bool backs_off(int64_t gradient_us)
    {
        constexpr double FACTOR = 42e-6; // backoff_factor
        constexpr int INEFFECTUAL = 5;   // use_ineff
        return gradient_us > 0 &&
               m_chance.happens(1 - exact_exp(-FACTOR * static_cast<double>(gradient_us))) &&
               ++m_backoffs <= INEFFECTUAL;
    }

    /// tcp_enter_cwr: what follows is proportional rate reduction.
    Control enter_cwr(const Ack& ack, Control now)
    {
        constexpr double BETA = 724; // backoff_beta, of 1024
        const double window = std::floor(now.cwnd);
        m_shadow = std::max(m_shadow, window);
        now.ssthresh = std::max(2.0, std::floor(window * BETA / 1024));
        m_in_cwr = true;
        m_high_seq = ack.snd_nxt;
        m_reduction.begin(static_cast<Bytes>(window) * ack.mss);
        return now;
    }

    Control reduce(const Ack& ack, Control now)
    {
        const Bytes mss = ack.mss;
        const auto threshold = static_cast<Bytes>(now.ssthresh) * mss;
        const bool safe = ack.newly_acked > 0 && ack.newly_lost == 0;
        const Bytes window =
            m_reduction.on_ack(ack.newly_delivered, ack.pipe, threshold, safe, mss);
        now.cwnd = std::max(ack.segments(window), 1.0); // nothing may be in flight, and none be due
        return now;
    }

    bool m_tolerates_loss{};
    bool m_hybrid_slow_start{};
    Reno m_reno;
    Chance m_chance;
    Recovery m_reduction{false};
    bool m_in_cwr{false};
    bool m_completes_cwr{false};
    Bytes m_high_seq{0}; //!< CWR is over when more is acknowledged
    MinMax m_rtt;        //!< of this round
    MinMax m_rtt_prev;   //!< of the round before
    Bytes m_rtt_seq{0};
    std::array<MinMax, WINDOW> m_gradients{};
    MinMax m_sum; //!< of these (gsum)
    int m_tail{0};
    bool m_filled{false};
    Queue m_queue{UNKNOWN};
    int m_backoffs{0}; //!< since the delay last fell
    int m_delack{0};   //!< ACKs to be taken for delayed ones
    double m_shadow{0};
    int64_t m_delay_min_us{0};
    int64_t m_last_ack_us{0}; //!< of a train; 0: none
    int64_t m_round_start_us{0};
    int m_samples{0};
};

LONGFAT_CONGESTION_CONTROL(CdgLinux);

} // namespace longfat::core

#endif
