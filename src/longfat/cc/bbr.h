// SPDX-License-Identifier: GPL-2.0-only
//
// BBR, version 1 (N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh and V. Jacobson, "BBR: congestion-
// based congestion control", 2016; draft-cardwell-iccrg-bbr-congestion-control-00, whose sections are
// cited; Linux, net/ipv4/tcp_bbr.c, which has the allowance for aggregated ACKs).
//
//     BtlBw   the largest delivery rate of 10 round trips                          4.1.1
//     RTprop  the smallest round trip of 10 s                                      4.1.2
//     pacing rate   0.99 pacing_gain BtlBw                                         4.2.1
//     window        cwnd_gain BtlBw RTprop + 3 bursts + what ACKs are ahead        4.2.3
//
// Startup doubles the rate each round trip until it grows no more; Drain empties the queue; ProbeBW
// cycles the gain through 5/4, 3/4 and six times 1; ProbeRTT sends four segments for 200 ms when
// RTprop is 10 s old.
//
// Segments leave one by one. The room for three bursts (4.2.2) is that of senders whose segments do not.
// Linux 6.12 has whole windows, even ones, and renews RTprop by smaller round trips alone, where the draft
// takes an equal one too: so it goes into ProbeRTT every 10 s where the draft's sender finds its queue empty
// (as_linux_6_12). It has besides the long-term rate of a policed path (lt_bw), which is not here.

#ifndef LONGFAT_CC_BBR_H
#define LONGFAT_CC_BBR_H

#include "linux-round-trip.h"
#include "model.h"
#include "random.h"
#include "windowed-max.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace longfat::core
{

class Bbr
{
  public:
    static constexpr Entry entry{
        .name = "bbr",
        .title = "BBR",
        .source = "Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
        .colour = "#aa4499",
        .marker = "h",
        .linux = "bbr",
        .events =
            event::ESTABLISHED | event::TIMEOUT | event::UNDO | event::RESTART | event::BANDWIDTH,
        .regulates_recovery = true,
        .version = 4};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Bbr>{"high_gain",
                           &Bbr::m_high_gain,
                           2.89,
                           1.01,
                           100,
                           "",
                           "gain of Startup, 2 / ln 2",
                           "draft-cardwell-iccrg-bbr-congestion-control-00: BBRHighGain"},
            Parameter<Bbr>{"bandwidth_window_rounds",
                           &Bbr::m_bandwidth_window,
                           10,
                           1,
                           1000,
                           "round trips",
                           "age at which a rate leaves BtlBw",
                           "Linux, tcp_bbr.c: bbr_bw_rtts"},
            Parameter<Bbr>{"rtt_window_s",
                           &Bbr::m_rtt_window_s,
                           10,
                           0.001,
                           1000,
                           "s",
                           "age at which RTprop is measured anew",
                           "Linux, tcp_bbr.c: bbr_min_rtt_win_sec"},
            Parameter<Bbr>{"probe_rtt_s",
                           &Bbr::m_probe_rtt_s,
                           0.2,
                           0,
                           10,
                           "s",
                           "how long ProbeRTT lasts at least",
                           "Linux, tcp_bbr.c: bbr_probe_rtt_mode_ms"},
            Parameter<Bbr>{"stream",
                           &Bbr::m_stream,
                           4,
                           0,
                           4294967295.0,
                           "",
                           "random numbers of ProbeBW's first phase; flows of one stream draw the "
                           "same",
                           "ns-3, TcpBbr: Stream"},
            Parameter<Bbr>{
                "as_linux_6_12",
                &Bbr::m_as_linux,
                0,
                0,
                1,
                "",
                "whole windows, even ones, and RTprop is renewed by smaller round trips alone",
                "Linux, tcp_bbr.c"}};
    }

    /// The handshake is over (4.3.1): the first rate is that of the first window.
    Control on_established(const Established& established, Control now)
    {
        m_random.emplace(static_cast<uint64_t>(m_stream), established.seed);
        m_initial_cwnd = m_prior_cwnd = now.cwnd;
        m_min_rtt = established.rtt == NO_RTT ? NEVER : established.rtt;
        m_min_rtt_stamp = m_epoch_start = established.now;
        m_pacing_bps = now.pacing_bps = first_rate(now.cwnd, established.mss);
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        now = change_state(ack, now);
        update_round(ack);
        update_bandwidth(ack);
        update_ack_aggregation(ack, now);
        update_cycle(ack);
        check_full_pipe(ack);
        check_drain(ack);
        now = update_min_rtt(ack, now);
        now.pacing_bps = pacing_rate(pacing_gain(), now);
        m_pacing_bps = now.pacing_bps;
        return set_window(ack, now);
    }

    /// BBR has no use for it; the window before is what it goes back to.
    double ssthresh(const Congestion&, const Control& now)
    {
        save_window(now);
        return now.ssthresh;
    }

    /// The next bandwidth counts as growth (Linux).
    Control on_timeout(Time, Control now)
    {
        save_window(now);
        m_full_bandwidth = 0;
        m_conserves = false;
        m_prior_state = State::LOSS;
        now.cwnd = 1;
        return now;
    }

    /// There was no congestion: whether the pipe is full is to be found out anew (Linux); the window
    /// before comes back with the end of the repair.
    Control on_undo(const Undo&, Control now)
    {
        m_full_bandwidth = 0;
        m_full_rounds = 0;
        return now;
    }

    /// After idleness nothing is known of ACKs ahead, and ProbeBW goes on with a gain of 1 (4.3.4.4).
    Control on_restart(const Restart& restart, Control now)
    {
        m_epoch_start = restart.now;
        m_epoch_bytes = 0;
        m_idle_restart = true;
        if (m_mode == PROBE_BW)
        {
            now.pacing_bps = m_full_pipe ? MARGIN * m_bandwidth.get() : now.pacing_bps;
        }
        else if (m_mode == PROBE_RTT && m_probe_rtt_end != NEVER && restart.now > m_probe_rtt_end)
        {
            now = end_probe_rtt(restart.now, now);
        }
        return now;
    }

    double bandwidth_bps() const
    {
        return m_bandwidth.get();
    }

  private:
    enum Mode
    {
        STARTUP,
        DRAIN,
        PROBE_BW,
        PROBE_RTT,
    };

    static constexpr double MARGIN = 0.99; //!< so that queues drain
    static constexpr double LEAST_WINDOW = 4;
    static constexpr int PHASES = 8;

    // Recovery: in its first round trip what is delivered may be sent, and no more (4.2.3.4)

    Control change_state(const Ack& ack, Control now)
    {
        if (ack.state == State::RECOVERY && m_prior_state != State::RECOVERY)
        {
            now.cwnd = ack.segments(ack.pipe + std::max(ack.newly_delivered, ack.mss));
            m_conserves = true;
            m_next_round_delivered = ack.delivered;
        }
        else if (m_prior_state >= State::RECOVERY && ack.state < State::RECOVERY)
        {
            m_conserves = false;
            now.cwnd = std::max(now.cwnd, m_prior_cwnd);
        }
        m_prior_state = ack.state;
        return now;
    }

    /// The last good window is that before a recovery, a timeout or ProbeRTT.
    void save_window(const Control& now)
    {
        const bool good = m_prior_state < State::RECOVERY && m_mode != PROBE_RTT;
        m_prior_cwnd = good ? now.cwnd : std::max(m_prior_cwnd, now.cwnd);
    }

    // The model

    /// Round trips are counted by packets (4.1.1.3).
    void update_round(const Ack& ack)
    {
        m_round_start = ack.rate.interval > 0 && ack.rate.prior_delivered >= m_next_round_delivered;
        if (m_round_start)
        {
            m_next_round_delivered = ack.delivered;
            ++m_round_count;
            m_conserves = false;
        }
    }

    /// Of ProbeRTT, too, samples say less than the path can do (4.3.5).
    bool is_limited(const Ack& ack) const
    {
        const Bytes sent_at = ack.rate.prior_delivered;
        return ack.rate.is_app_limited || (m_probe_rtt_until > 0 && sent_at >= m_probe_rtt_from &&
                                           sent_at <= m_probe_rtt_until);
    }

    void update_bandwidth(const Ack& ack)
    {
        const double bps = ack.rate.bps();
        if (ack.rate.interval > 0 && (bps >= m_bandwidth.get() || !is_limited(ack)))
        {
            m_bandwidth.update(bps, m_round_count, m_bandwidth_window);
        }
    }

    /// How far ACKs run ahead of BtlBw: the largest excess of the last five to ten round trips (Linux,
    /// bbr_update_ack_aggregation).
    void update_ack_aggregation(const Ack& ack, const Control& now)
    {
        if (ack.newly_delivered == 0 || ack.rate.interval == 0)
        {
            return;
        }
        if (m_round_start && ++m_extra_rounds >= 5)
        {
            m_extra_rounds = 0;
            m_extra[1] = m_extra[0];
            m_extra[0] = 0;
        }
        const double acked = static_cast<double>(ack.newly_delivered);
        double expected = m_bandwidth.get() * seconds(ack.now - m_epoch_start) / 8;
        const double longest = 1048576.0 * static_cast<double>(ack.mss);
        if (m_epoch_bytes <= expected || m_epoch_bytes + acked >= longest)
        {
            m_epoch_start = ack.now;
            m_epoch_bytes = 0;
            expected = 0;
        }
        m_epoch_bytes += acked;
        const double most = now.cwnd * static_cast<double>(ack.mss);
        m_extra[0] = std::max(m_extra[0], std::min(m_epoch_bytes - expected, most));
    }

    /// BtlBw did not grow by a quarter in three round trips (4.3.2).
    void check_full_pipe(const Ack& ack)
    {
        if (m_full_pipe || !m_round_start || is_limited(ack))
        {
            return;
        }
        if (m_bandwidth.get() >= m_full_bandwidth * 1.25)
        {
            m_full_bandwidth = m_bandwidth.get();
            m_full_rounds = 0;
            return;
        }
        m_full_pipe = ++m_full_rounds >= 3;
    }

    /// gain BtlBw RTprop and what ACKs are ahead, with room for what waits in the two ends, in segments
    /// (4.2.3.2).
    double in_flight(double gain, Bytes mss, double ahead = 0) const
    {
        if (m_min_rtt == NEVER)
        {
            return m_initial_cwnd + ahead;
        }
        const double bdp = m_bandwidth.get() * seconds(m_min_rtt) / (8 * static_cast<double>(mss));
        const double product = gain * bdp;
        return with_room(m_as_linux ? std::ceil(product) + std::ceil(ahead) : product + ahead, mss);
    }

    /// With room for three bursts, and with a gain of 5/4 for two segments, so that more is in flight
    /// even where the product is small (Linux, bbr_quantization_budget).
    double with_room(double segments, Bytes mss) const
    {
        double window = segments + 3 * burst(mss);
        if (m_as_linux)
        {
            window = 2 * std::ceil(window / 2);
        }
        return window + (m_mode == PROBE_BW && m_phase == 0 ? 2 : 0);
    }

    /// What leaves at once where it is not a segment alone, in segments: what a millisecond paces, at
    /// least one, from 1.2 Mb/s on two, and at most 64 kB (4.2.2: the send quantum). Linux's are whole
    /// segments of what a 1024th of a second paces, and at most 127 (bbr_tso_segs_goal).
    double burst(Bytes mss) const
    {
        const double least = m_pacing_bps < 1.2e6 ? 1 : 2;
        if (m_as_linux)
        {
            constexpr double MOST = 65535 - 320; // with its headers, 64 kB
            const double bytes = std::min(m_pacing_bps / 8 / 1024, MOST);
            const double segments = std::floor(bytes / static_cast<double>(mss));
            return std::clamp(segments, least, 127.0);
        }
        const double bytes = std::min(m_pacing_bps / 8 * 0.001, 64e3);
        return std::max(bytes / static_cast<double>(mss), least);
    }

    // The modes

    void check_drain(const Ack& ack)
    {
        if (m_mode == STARTUP && m_full_pipe)
        {
            m_mode = DRAIN;
        }
        if (m_mode == DRAIN && ack.segments(ack.pipe) <= in_flight(1, ack.mss))
        {
            begin_probe_bw(ack.now);
        }
    }

    /// In a random phase, but not in that of gain 3/4 (4.3.4.2).
    void begin_probe_bw(Time now)
    {
        m_mode = PROBE_BW;
        m_phase = PHASES - 1 - static_cast<int>(m_random->uniform() * (PHASES - 1));
        advance_phase(now);
    }

    void advance_phase(Time now)
    {
        m_phase_start = now;
        m_phase = (m_phase + 1) % PHASES;
    }

    /// Each phase lasts RTprop; that of 5/4 until so much is in flight, or something is lost, and that of
    /// 3/4 not longer than until the queue is gone (4.3.4.3).
    void update_cycle(const Ack& ack)
    {
        if (m_mode != PROBE_BW)
        {
            return;
        }
        const double gain = pacing_gain();
        const bool full_length = ack.now - m_phase_start > m_min_rtt;
        const double prior = ack.segments(ack.prior_in_flight);
        const bool next =
            gain > 1   ? full_length && (ack.newly_lost > 0 || prior >= in_flight(gain, ack.mss))
            : gain < 1 ? full_length || prior <= in_flight(1, ack.mss)
                       : full_length;
        if (next)
        {
            advance_phase(ack.now);
        }
    }

    /// RTprop (4.1.2.3). When it is too old, ProbeRTT keeps four segments in flight for 200 ms and a
    /// round trip (4.3.5).
    Control update_min_rtt(const Ack& ack, Control now)
    {
        const bool expired = ack.now > m_min_rtt_stamp + from_s(m_rtt_window_s);
        const Time rtt = m_as_linux ? rtt_of_linux(ack) : ack.rtt;
        const bool first = m_min_rtt == NEVER;
        if (rtt != NO_RTT && first) // the handshake had none: its guess is over
        {
            m_min_rtt = rtt;
            now.pacing_bps = std::min(now.pacing_bps, first_rate(now.cwnd, ack.mss));
        }
        const bool renews = first || rtt < m_min_rtt || (rtt == m_min_rtt && !m_as_linux);
        if (rtt != NO_RTT && (renews || expired))
        {
            m_min_rtt = rtt;
            m_min_rtt_stamp = ack.now;
        }
        if (expired && !m_idle_restart && m_mode != PROBE_RTT)
        {
            m_mode = PROBE_RTT;
            save_window(now);
            m_probe_rtt_end = NEVER;
            m_probe_rtt_from = ack.delivered;
        }
        if (m_mode == PROBE_RTT)
        {
            now = probe_rtt(ack, now);
        }
        if (ack.rate.delivered > 0)
        {
            m_idle_restart = false;
        }
        return now;
    }

    Control probe_rtt(const Ack& ack, Control now)
    {
        m_probe_rtt_until = std::max<Bytes>(ack.delivered + ack.pipe, 1);
        if (m_probe_rtt_end != NEVER)
        {
            m_probe_rtt_round = m_probe_rtt_round || m_round_start;
            if (m_probe_rtt_round && ack.now > m_probe_rtt_end)
            {
                now = end_probe_rtt(ack.now, now);
            }
        }
        else if (ack.segments(ack.pipe) <= LEAST_WINDOW)
        {
            m_probe_rtt_end = ack.now + from_s(m_probe_rtt_s);
            m_probe_rtt_round = false;
            m_next_round_delivered = ack.delivered;
        }
        return now;
    }

    Control end_probe_rtt(Time time, Control now)
    {
        m_min_rtt_stamp = time;
        now.cwnd = std::max(now.cwnd, m_prior_cwnd);
        m_mode = STARTUP;
        if (m_full_pipe)
        {
            begin_probe_bw(time);
        }
        return now;
    }

    static Time from_s(double s)
    {
        return static_cast<Time>(s * 1e9);
    }

    // What follows from them

    double pacing_gain() const
    {
        return m_mode == STARTUP     ? m_high_gain
               : m_mode == DRAIN     ? 1 / m_high_gain
               : m_mode == PROBE_RTT ? 1
               : m_phase == 0        ? 1.25
               : m_phase == 1        ? 0.75
                                     : 1;
    }

    double first_rate(double cwnd, Bytes mss) const
    {
        const double rtt_s = m_min_rtt == NEVER ? 0.001 : std::max(seconds(m_min_rtt), 1e-6);
        return MARGIN * m_high_gain * 8 * cwnd * static_cast<double>(mss) / rtt_s;
    }

    /// 4.2.1. In Startup it only rises.
    double pacing_rate(double gain, const Control& now) const
    {
        const double bps = MARGIN * gain * m_bandwidth.get();
        return m_full_pipe || bps > now.pacing_bps ? std::max(bps, 1.0) : now.pacing_bps;
    }

    /// 4.2.3.
    Control set_window(const Ack& ack, Control now)
    {
        const double acked = ack.segments(ack.newly_delivered);
        if (ack.newly_delivered > 0)
        {
            if (ack.newly_lost > 0)
            {
                now.cwnd = std::max(now.cwnd - ack.segments(ack.newly_lost), 1.0);
            }
            if (ack.state == State::RECOVERY && m_conserves)
            {
                now.cwnd = std::max(now.cwnd, ack.segments(ack.pipe) + acked);
            }
            else
            {
                now.cwnd = std::max(grown(ack, now.cwnd, acked), LEAST_WINDOW);
            }
        }
        if (m_mode == PROBE_RTT)
        {
            now.cwnd = std::min(now.cwnd, LEAST_WINDOW);
        }
        return now;
    }

    /// By what is acknowledged, in Startup beyond the target too where it is small.
    double grown(const Ack& ack, double cwnd, double acked) const
    {
        const double gain = m_mode == PROBE_BW ? 2 : m_mode == PROBE_RTT ? 1 : m_high_gain;
        const double most_ahead = m_bandwidth.get() / 80; // what 100 ms deliver, in bytes
        const double ahead = std::min(std::max(m_extra[0], m_extra[1]), most_ahead);
        const double target =
            in_flight(gain, ack.mss, m_full_pipe ? ahead / static_cast<double>(ack.mss) : 0);
        if (m_full_pipe)
        {
            return std::min(cwnd + acked, target);
        }
        return cwnd < target || ack.segments(ack.delivered) < m_initial_cwnd ? cwnd + acked : cwnd;
    }

    double m_high_gain{};
    int64_t m_bandwidth_window{};
    double m_rtt_window_s{};
    double m_probe_rtt_s{};
    int64_t m_stream{};
    bool m_as_linux{};
    std::optional<Random> m_random;
    Mode m_mode{STARTUP};
    double m_initial_cwnd{0}; //!< segments
    WindowedMax m_bandwidth;  //!< BtlBw, bit/s
    double m_pacing_bps{0};
    int64_t m_round_count{0};
    Bytes m_next_round_delivered{0};
    bool m_round_start{false};
    double m_full_bandwidth{0}; //!< BtlBw when it last grew by a quarter
    int m_full_rounds{0};       //!< round trips since
    bool m_full_pipe{false};
    Time m_min_rtt{NEVER};   //!< RTprop; NEVER: none yet
    Time m_min_rtt_stamp{0}; //!< when it was measured
    Time m_phase_start{0};
    int m_phase{0};
    Time m_probe_rtt_end{NEVER}; //!< NEVER: too much is in flight
    bool m_probe_rtt_round{false};
    Bytes m_probe_rtt_from{0};        //!< delivered, when the last ProbeRTT began
    Bytes m_probe_rtt_until{0};       //!< and when all of it will be; 0: there was none
    bool m_idle_restart{false};       //!< nothing was delivered since the sender was idle
    double m_prior_cwnd{0};           //!< the last good window, segments
    bool m_conserves{false};          //!< packets, in the first round trip of a recovery
    State m_prior_state{State::OPEN}; //!< at the ACK before, or at a timeout since
    Time m_epoch_start{0};            //!< of counting ACKs ahead
    double m_epoch_bytes{0};          //!< delivered in it
    double m_extra[2]{0, 0}; //!< largest excess of these five round trips and those before, bytes
    int m_extra_rounds{0};   //!< of these five
};

LONGFAT_CONGESTION_CONTROL(Bbr);

} // namespace longfat::core

#endif
