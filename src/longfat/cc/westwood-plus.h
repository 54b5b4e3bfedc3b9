// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood+ (L. A. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New
// Reno, and Vegas TCP congestion control", ACM CCR 34(2), 2004): NewReno's growth, and after a loss the
// threshold and the window that an estimate B_k of the bandwidth fills.
//
//     b_k = d_k / Delta_k                        d_k newly delivered in Delta_k, about a round trip
//     B_k = alpha B_{k-1} + (1 - alpha) (b_k + b_{k-1}) / 2
//     ssthresh = max(B_k RTT_min, 2 segments)
//
// The first sample fills the filter, as in Linux.
//
// Linux 6.12 (tcp_westwood.c), with as_linux_6_12, has two filters of 7/8 in series and samples of 50 ms
// at least, Reno's whole segments, and half the window as the threshold until a recovery ends; RTT_min
// begins anew after a timeout. It takes what duplicate ACKs have reported off from ACKs that carry SACK
// blocks, but not from the one that ends a recovery: that has none, goes Linux's fast path, and counts all
// that it acknowledges, so that the bytes of a recovery count twice, and the estimate is larger. Bytes a
// jiffy are not cut to whole numbers here.

#ifndef LONGFAT_CC_WESTWOOD_PLUS_H
#define LONGFAT_CC_WESTWOOD_PLUS_H

#include "newreno.h"

namespace longfat::core
{

class WestwoodPlus
{
  public:
    static constexpr Entry entry{.name = "westwood-plus",
                                 .title = "TCP Westwood+",
                                 .source = "Grieco and Mascolo 2004",
                                 .short_name = "Westwood+",
                                 .colour = "#999933",
                                 .marker = "<",
                                 .linux = "westwood",
                                 .events =
                                     event::ESTABLISHED | event::RECOVERED | event::BANDWIDTH};

    static constexpr auto parameters()
    {
        return std::array{Parameter<WestwoodPlus>{"alpha",
                                                  &WestwoodPlus::m_alpha,
                                                  0.9,
                                                  0,
                                                  1,
                                                  "",
                                                  "weight of the past in the filter",
                                                  "Grieco and Mascolo 2004"},
                          Parameter<WestwoodPlus>{"as_linux_6_12",
                                                  &WestwoodPlus::m_as_linux,
                                                  0,
                                                  0,
                                                  1,
                                                  "",
                                                  "its filters and samples, whole segments, a "
                                                  "recovery's segments twice",
                                                  "Linux, tcp_westwood.c"},
                          Parameter<WestwoodPlus>{"count_as_linux",
                                                  &WestwoodPlus::m_forgets,
                                                  0,
                                                  0,
                                                  1,
                                                  "",
                                                  COUNT_AS_LINUX,
                                                  "Linux, tcp_input.c: tcp_init_cwnd_reduction"}};
    }

    /// Linux's first sample begins here.
    Control on_established(const Established& established, Control now)
    {
        m_sample_start = established.now;
        m_started = m_as_linux;
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        const Time longest = m_as_linux ? std::max(m_last_rtt, SHORTEST_SAMPLE) : ack.latest_rtt;
        const Time interval = ack.now - m_sample_start;
        const bool over = m_as_linux ? interval > longest : interval >= longest && interval > 0;
        if (m_as_linux) // tcp_westwood_ack: before what the ACK itself tells
        {
            end_sample(over, ack.now);
            m_bytes += acked_count(ack);
            update_min_rtt(m_last_rtt);
            m_last_rtt = ack.latest_rtt;
            return m_linux_window.on_ack(ack, now);
        }
        m_bytes += ack.newly_delivered;
        update_min_rtt(ack.latest_rtt);
        end_sample(over, ack.now);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        m_mss = congestion.mss;
        if (m_forgets)
        {
            m_linux_window.forget();
        }
        if (m_as_linux && congestion.cause == Congestion::TIMEOUT)
        {
            const double threshold = filled();
            m_min_rtt = NO_RTT;
            return threshold;
        }
        return m_as_linux ? LinuxReno::halved(now.cwnd) : filled();
    }

    /// The window is the threshold; in Linux both are what the estimate fills now.
    Control on_recovered(const Recovered&, Control now)
    {
        now.ssthresh = m_as_linux ? filled() : now.ssthresh;
        now.cwnd = now.ssthresh;
        return now;
    }

    double bandwidth_bps() const
    {
        return m_bps;
    }

  private:
    static constexpr Time SHORTEST_SAMPLE = 50'000'000;

    /// B_k RTT_min, in segments.
    double filled() const
    {
        const double rtt_s = m_min_rtt == NO_RTT ? 0 : seconds(m_min_rtt);
        const double segments = m_bps * rtt_s / (8 * static_cast<double>(m_mss));
        return std::max(m_as_linux ? std::floor(segments) : segments, 2.0);
    }

    void update_min_rtt(Time rtt)
    {
        m_min_rtt = m_min_rtt == NO_RTT ? rtt : std::min(m_min_rtt, rtt);
    }

    void end_sample(bool over, Time now)
    {
        if (m_started && !over)
        {
            return;
        }
        if (m_started) // else the first ACK starts the clock
        {
            filter(8 * static_cast<double>(m_bytes) / seconds(now - m_sample_start));
        }
        m_started = true;
        m_sample_start = now;
        m_bytes = 0;
    }

    void filter(double sample)
    {
        if (!m_has_sample)
        {
            m_bps = m_first_stage = sample;
        }
        else if (m_as_linux)
        {
            m_first_stage = (7 * m_first_stage + sample) / 8;
            m_bps = (7 * m_bps + m_first_stage) / 8;
        }
        else
        {
            m_bps = m_alpha * m_bps + (1 - m_alpha) * (sample + m_last_sample) / 2;
        }
        m_has_sample = true;
        m_last_sample = sample;
    }

    /// westwood_fast_bw, westwood_acked_count.
    Bytes acked_count(const Ack& ack)
    {
        m_sacked_out += ack.newly_sacked;
        if (ack.newly_acked == 0)
        {
            m_accounted += ack.mss;
            return ack.mss;
        }
        // What is acknowledged and not delivered by this ACK had been reported before.
        m_sacked_out -= ack.newly_acked - (ack.newly_delivered - ack.newly_sacked);
        if (m_sacked_out <= 0 || ack.newly_acked <= ack.mss) // no SACK block; or one segment
        {
            return ack.newly_acked;
        }
        if (m_accounted >= ack.newly_acked)
        {
            m_accounted -= ack.newly_acked;
            return ack.mss;
        }
        const Bytes count = ack.newly_acked - m_accounted;
        m_accounted = 0;
        return count;
    }

    double m_alpha{};
    bool m_as_linux{};
    bool m_forgets{};
    Aimd<SlowStart> m_aimd;
    LinuxReno m_linux_window;
    double m_bps{0};                 //!< B_k
    double m_last_sample{0};         //!< b_{k-1}, bit/s
    double m_first_stage{0};         //!< of Linux's filters, bit/s
    bool m_has_sample{false};        //!< the filter is filled
    bool m_started{false};           //!< there was an ACK
    Time m_sample_start{0};          //!< of the sample under way
    Bytes m_bytes{0};                //!< d_k, of the same
    Time m_min_rtt{NO_RTT};          //!< RTT_min
    Time m_last_rtt{20'000'000'000}; //!< before the last ACK, in Linux
    Bytes m_accounted{0};            //!< that duplicate ACKs have reported, in Linux
    Bytes m_sacked_out{0};           //!< reported by SACK and not acknowledged
    Bytes m_mss{1};
};

LONGFAT_CONGESTION_CONTROL(WestwoodPlus);

} // namespace longfat::core

#endif
