// SPDX-License-Identifier: GPL-2.0-only
//
// H-TCP (D. Leith and R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet
// 2004; draft-leith-tcp-htcp-06).
//
// AIMD whose increase, in segments a round trip, grows with the time Delta since the last loss,
//
//     alpha = 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2,   1 up to Delta_L
//     alpha <- 2 (1 - beta) alpha, at least 1
//
// and whose window after a loss is what just empties the queue, where the flows have their shares:
//
//     beta = RTT_min / RTT_max,   between 0.5 and 0.8,   RTT_max since the last loss
//
// It is 0.5 where the throughput before this loss differs from that before the last one by more than a
// fifth: the shares are still changing.
//
// With rtt_scaling the increase is that of a path of 100 ms, as in Linux (tcp_htcp.c, use_rtt_scaling, on
// there): alpha is multiplied by RTT_min / 100 ms, from 0.1 to 2, before 2 (1 - beta), so that flows grow
// alike in time. The paper has it as an option, off here.
//
// Linux 6.12, with as_linux_6_12, has besides: whole windows and a whole factor before 2 (1 - beta); RTT_max
// is learned while nothing is amiss, by 20 ms at a time, and loses a twentieth of what is above RTT_min at
// each loss; beta is 0.5 up to 10 ms; the throughput is the largest mean of an epoch, of samples that take
// a window each; and Delta begins when the recovery is over.

#ifndef LONGFAT_CC_HTCP_H
#define LONGFAT_CC_HTCP_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

/// net/ipv4/tcp_htcp.c, with its two switches on.
class HtcpOfLinux
{
  public:
    void start(Time now)
    {
        m_last_loss = m_sample_start = now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        const double acked = std::floor(ack.segments(ack.newly_acked));
        if (told(ack) == State::OPEN)
        {
            m_counts_for = acked;
        }
        const bool is_calm = ack.state == State::OPEN || ack.state == State::DISORDER;
        if (is_calm && std::exchange(m_loss_before, NEVER) != NEVER) // htcp_state
        {
            m_last_loss = ack.now;
        }
        measure_rtt(ack);
        measure_throughput(ack, acked, now.cwnd);
        if (!ack.may_grow() || !is_cwnd_limited_as_in_linux(ack, now))
        {
            return now;
        }
        if (now.in_slow_start())
        {
            return m_slow_start.on_ack(ack, now);
        }
        const double w = std::floor(now.cwnd);
        if (std::floor(m_count * m_alpha) >= w)
        {
            now.cwnd = w + 1;
            m_count = 0;
            update_alpha(ack.now);
        }
        else
        {
            m_count += m_counts_for;
        }
        m_counts_for = 1;
        return now;
    }

    /// What count_as_linux asks for: each loss forgets the count, and an ACK counts by the state before
    /// it, so that the one which ends a recovery counts for one segment (pkts_acked comes first).
    bool counts_as_linux{false};

    void forget()
    {
        m_count = 0;
    }

    /// htcp_param_update, htcp_recalc_ssthresh.
    double ssthresh(Time now, const Control& control)
    {
        update_beta();
        update_alpha(now);
        if (m_max_rtt > m_min_rtt)
        {
            m_max_rtt = m_min_rtt + (m_max_rtt - m_min_rtt) * 95 / 100;
        }
        m_loss_before = m_last_loss;
        m_last_loss = now;
        return std::max(std::floor(std::floor(control.cwnd) * m_beta), 2.0);
    }

    /// htcp_cwnd_undo: there was no loss, so that the time since the last one goes on, unless the
    /// recovery was over. (What else it takes back has not changed since.)
    void undo()
    {
        if (m_loss_before != NEVER)
        {
            m_last_loss = std::exchange(m_loss_before, NEVER);
        }
    }

  private:
    State told(const Ack& ack) const
    {
        return counts_as_linux ? ack.prior_state : ack.state;
    }

    void measure_rtt(const Ack& ack)
    {
        constexpr Time LARGEST_STEP = 20'000'000;
        if (ack.rtt == NO_RTT)
        {
            return;
        }
        m_min_rtt = std::min(m_min_rtt, ack.rtt);
        if (ack.state == State::OPEN)
        {
            m_max_rtt = std::max(m_max_rtt, m_min_rtt);
            m_max_rtt =
                ack.rtt <= m_max_rtt + LARGEST_STEP ? std::max(m_max_rtt, ack.rtt) : m_max_rtt;
        }
    }

    /// measure_achieved_throughput, in segments/s.
    void measure_throughput(const Ack& ack, double acked, double w)
    {
        if (told(ack) != State::OPEN && told(ack) != State::DISORDER)
        {
            m_sample_segments = 0;
            m_sample_start = ack.now;
            return;
        }
        m_sample_segments += acked;
        const Time interval = ack.now - m_sample_start;
        if (m_min_rtt == NEVER || interval < m_min_rtt ||
            m_sample_segments < w - std::max(std::floor(m_alpha), 1.0))
        {
            return;
        }
        const double sample = m_sample_segments / seconds(interval);
        const bool just_reduced = (ack.now - m_last_loss) / m_min_rtt <= 3;
        m_throughput = just_reduced ? sample : (3 * m_throughput + sample) / 4;
        m_max_throughput = just_reduced ? m_throughput : std::max(m_max_throughput, m_throughput);
        m_sample_segments = 0;
        m_sample_start = ack.now;
    }

    void update_beta()
    {
        constexpr Time SHORTEST = 10'000'000;
        const double before = m_last_max_throughput;
        m_last_max_throughput = m_max_throughput;
        m_beta = 0.5;
        if (5 * m_max_throughput < 4 * before || 5 * m_max_throughput > 6 * before)
        {
            m_adapts = false;
            return;
        }
        if (m_adapts && m_min_rtt > SHORTEST && m_max_rtt > 0)
        {
            const Time ratio = 128 * m_min_rtt / m_max_rtt;
            m_beta = static_cast<double>(std::clamp<Time>(ratio, 64, 102)) / 128;
        }
        m_adapts = true;
    }

    void update_alpha(Time now)
    {
        const double late = seconds(now - m_last_loss) - 1;
        double factor = late > 0 ? 1 + std::floor(10 * late + late * late / 4) : 1;
        if (m_min_rtt != NEVER)
        {
            const double scale = std::floor(0.8 / seconds(m_min_rtt)); // in eighths
            factor = std::max(std::floor(8 * factor / std::clamp(scale, 4.0, 80.0)), 1.0);
        }
        m_alpha = 2 * factor * (1 - m_beta);
    }

    Time m_min_rtt{NEVER};
    Time m_max_rtt{0};
    Time m_last_loss{0};       //!< last_cong
    Time m_loss_before{NEVER}; //!< undo_last_cong, while a reduction lasts
    double m_alpha{1};
    double m_beta{0.5};
    bool m_adapts{false};            //!< modeswitch
    double m_throughput{0};          //!< Bi
    double m_max_throughput{0};      //!< maxB
    double m_last_max_throughput{0}; //!< old_maxB
    double m_sample_segments{0};     //!< packetcount
    Time m_sample_start{0};          //!< lasttime
    double m_counts_for{1};          //!< pkts_acked: segments that an ACK counts for
    double m_count{0};               //!< snd_cwnd_cnt
    ByteCountingSlowStart m_slow_start;
};

class Htcp
{
  public:
    static constexpr Entry entry{.name = "htcp",
                                 .title = "H-TCP",
                                 .source = "Leith and Shorten 2004; draft-leith-tcp-htcp-06",
                                 .colour = "#999933",
                                 .marker = "^",
                                 .linux = "htcp",
                                 .events = event::ESTABLISHED | event::UNDO,
                                 .version = 2};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Htcp>{"default_backoff",
                                          &Htcp::m_default_backoff,
                                          0.5,
                                          0,
                                          1,
                                          "",
                                          "beta while shares change",
                                          "draft-leith-tcp-htcp-06"},
                          Parameter<Htcp>{"throughput_ratio",
                                          &Htcp::m_ratio,
                                          0.2,
                                          0,
                                          1000,
                                          "",
                                          "change above which they do",
                                          "draft-leith-tcp-htcp-06"},
                          Parameter<Htcp>{"low_speed_s",
                                          &Htcp::m_delta_l_s,
                                          1,
                                          0,
                                          1000,
                                          "s",
                                          "Delta_L: standard TCP up to here",
                                          "draft-leith-tcp-htcp-06"},
                          Parameter<Htcp>{"rtt_scaling",
                                          &Htcp::m_rtt_scaling,
                                          0,
                                          0,
                                          1,
                                          "",
                                          "increase as on a path of 100 ms",
                                          "FreeBSD, cc_htcp.c; on in Linux"},
                          Parameter<Htcp>{"as_linux_6_12",
                                          &Htcp::m_as_linux,
                                          0,
                                          0,
                                          1,
                                          "",
                                          "with rtt_scaling, its RTT_max, throughput and whole "
                                          "segments",
                                          "Linux, tcp_htcp.c"},
                          Parameter<Htcp>{"count_as_linux",
                                          &Htcp::m_forgets,
                                          0,
                                          0,
                                          1,
                                          "",
                                          COUNT_AS_LINUX,
                                          "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_last_loss = established.now;
        m_beta = m_default_backoff;
        m_linux.start(established.now);
        m_linux.counts_as_linux = m_forgets;
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (m_as_linux)
        {
            return m_linux.on_ack(ack, now);
        }
        m_rounds.on_ack(ack);
        m_aimd.a = alpha(ack.now);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (m_forgets)
        {
            m_linux.forget();
        }
        if (m_as_linux)
        {
            return m_linux.ssthresh(congestion.now, now);
        }
        adapt_backoff(congestion.srtt > 0 ? now.cwnd / seconds(congestion.srtt) : 0);
        m_last_loss = congestion.now;
        m_aimd.b = 1 - m_beta;
        return m_aimd.decreased(now.cwnd);
    }

    Control on_undo(const Undo& undo, Control now)
    {
        if (m_as_linux)
        {
            m_linux.undo();
        }
        return undo.applied(now);
    }

  private:
    double alpha(Time now) const
    {
        const double late = seconds(now - m_last_loss) - m_delta_l_s;
        double alpha = late <= 0 ? 1 : 1 + 10 * late + 0.25 * late * late;
        if (m_rtt_scaling && m_rounds.base_rtt != NEVER)
        {
            alpha *= std::clamp(seconds(m_rounds.base_rtt) / 0.1, 0.1, 2.0);
        }
        return std::max(2 * (1 - m_beta) * alpha, m_rtt_scaling ? 0.1 : 1.0);
    }

    void adapt_backoff(double throughput)
    {
        const bool steady = m_last_throughput > 0 &&
                            std::abs(throughput - m_last_throughput) <= m_ratio * m_last_throughput;
        m_beta = m_default_backoff;
        if (steady && m_rounds.max_rtt > 0)
        {
            m_beta = std::clamp(seconds(m_rounds.base_rtt) / seconds(m_rounds.max_rtt), 0.5, 0.8);
        }
        m_rounds.max_rtt = 0;
        m_last_throughput = throughput;
    }

    double m_default_backoff{};
    double m_ratio{};
    double m_delta_l_s{};
    bool m_rtt_scaling{};
    bool m_as_linux{};
    bool m_forgets{};
    HtcpOfLinux m_linux;
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    Time m_last_loss{0};
    double m_beta{0.5};
    double m_last_throughput{0}; //!< before the last loss, segments/s
};

LONGFAT_CONGESTION_CONTROL(Htcp);

} // namespace longfat::core

#endif
