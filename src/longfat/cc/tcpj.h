// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-J: bandwidth estimation instead of halving, and handoff (paper: tcpj, equations 5 to 9). To be
// run with SACK, as the paper has it.
//
// The estimate (ABE), for every ACK:
//
//     BW <- alpha BW + (1 - alpha) (sample_k + sample_{k-1}) / 2                        (9)
//
// After three duplicate ACKs, with the threshold and the window before them:
//
//     threshold <= window    ssthresh = BW RTT_min / segment size, window = ssthresh    (5)
//     threshold > window     ssthresh = BW RTT_min / segment size, window kept          (6)
//
// and after a timeout the same threshold, and a window of one segment (7). Note that (5) raises the
// window where the estimate is high. Growth is NewReno's.
//
// Handoff (section 3.4). A local movement with the rate of the new radio link announced: the estimate
// counts for no more than that rate in (5) to (7). A non-local one, or no announcement (section
// 4.4.3): forget the estimate, and, from the first ACK or timeout after it, slow start up to the
// advertised window.

#ifndef LONGFAT_CC_TCPJ_H
#define LONGFAT_CC_TCPJ_H

#include "ack-bandwidth.h"
#include "newreno.h"

namespace longfat::core
{

class TcpJ
{
  public:
    static constexpr Entry entry{.name = "tcpj",
                                 .title = "TCP-J",
                                 .source = "paper tcpj, equations (5) to (9) and section 3.4",
                                 .colour = "#d55e00",
                                 .marker = "*",
                                 .events = event::RECOVERED | event::HANDOFF | event::BANDWIDTH};

    static constexpr auto parameters()
    {
        return std::array{Parameter<TcpJ>{"alpha",
                                          &TcpJ::m_alpha,
                                          0.9,
                                          0,
                                          1,
                                          "",
                                          "smoothing constant of the estimate (9)",
                                          "paper tcpj, table 1"},
                          Parameter<TcpJ>{"rtt_tick_s",
                                          &TcpJ::m_rtt_tick_s,
                                          0,
                                          0,
                                          10,
                                          "s",
                                          "tick of the clock to which RTT_min is rounded; 0 is "
                                          "exact",
                                          "assumed"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (m_restarts)
        {
            m_restarts = false;
            now.cwnd = 1;
            now.ssthresh = m_advertised;
            m_after = {1, m_advertised};
        }
        m_bandwidth.filter.alpha = m_alpha;
        m_bandwidth.on_ack(ack);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const bool timeout = congestion.cause == Congestion::TIMEOUT;
        if (timeout && m_restarts)
        {
            m_restarts = false;
            return m_advertised;
        }
        const double bps = std::min(m_bandwidth.filter.bps, m_announced_bps);
        const double threshold = bandwidth_threshold(bps, congestion, m_rtt_tick_s);
        m_after = {now.ssthresh <= now.cwnd ? threshold : now.cwnd, threshold}; // (5), (6)
        return timeout ? threshold : m_after.cwnd;                              // (7)
    }

    Control on_recovered(const Recovered&, Control now)
    {
        return {m_after.cwnd, m_after.ssthresh, now.pacing_bps};
    }

    Control on_handoff(const Handoff& handoff, Control now)
    {
        m_announced_bps = UNLIMITED;
        if (handoff.local && handoff.announced_bps > 0)
        {
            m_announced_bps = handoff.announced_bps;
            return now;
        }
        m_bandwidth.forget();
        m_restarts = true;
        m_advertised = std::max(2.0,
                                static_cast<double>(handoff.advertised_window) /
                                    static_cast<double>(handoff.mss));
        return now;
    }

    double bandwidth_bps() const
    {
        return m_bandwidth.filter.bps;
    }

  private:
    /// Equation (9).
    struct Filter
    {
        double alpha{0.9};
        double bps{0};
        double last_sample{0}; //!< sample_{k-1}, in bit/s

        void update(double bits, double interval_s)
        {
            const double sample = bits / interval_s;
            bps = alpha * bps + (1 - alpha) * (sample + last_sample) / 2;
            last_sample = sample;
        }

        void forget()
        {
            bps = last_sample = 0;
        }
    };

    double m_alpha{};
    double m_rtt_tick_s{};
    AckBandwidth<Filter> m_bandwidth;
    double m_announced_bps{UNLIMITED}; //!< rate of the radio link
    bool m_restarts{false};            //!< slow start at the next ACK or timeout
    double m_advertised{2};            //!< segments, at the handoff
    Aimd<SlowStart> m_aimd;
    AfterRecovery m_after;
};

LONGFAT_CONGESTION_CONTROL(TcpJ);

} // namespace longfat::core

#endif
