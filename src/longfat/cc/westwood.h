// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood as first published (S. Mascolo, C. Casetti, M. Gerla, M. Y. Sanadidi, R. Wang, "TCP
// Westwood: Bandwidth Estimation for Enhanced Transport over Wireless Links", MobiCom 2001; paper
// tcpj, equations 1 and 2): a sample an ACK, smoothed by a low-pass filter with the time constant T, by
// Tustin's approximation:
//
//     BW <- ((2T/D - 1) BW + b_k + b_{k-1}) / (2T/D + 1),      D = t_k - t_{k-1}      (2)
//
// Where no ACK comes for T/2, a sample of zero is put in its place, so that the estimate falls while
// nothing arrives (m = 2 there). An ACK less than 10 ms after such a moment belongs to the interval before
// it: a sample over almost no time would be arbitrarily large.
//
// After a loss the threshold is what the estimate fills, and the window is lowered to it, never raised.
// Growth is NewReno's.

#ifndef LONGFAT_CC_WESTWOOD_H
#define LONGFAT_CC_WESTWOOD_H

#include "ack-bandwidth.h"
#include "newreno.h"

namespace longfat::core
{

/// Equation (2). Bandwidths are in bit/s, times in s.
class TustinFilter
{
  public:
    double constant_s{1}; //!< T

    void update(double bits, double interval_s)
    {
        const double longest_s = constant_s / 2;
        double idle = std::floor(interval_s / longest_s);
        if (idle > 0 && interval_s - idle * longest_s < 0.01)
        {
            --idle;
        }
        const double rest_s = interval_s - idle * longest_s;
        const double sample = bits / rest_s;
        const double before = idle > 0 ? 0 : m_last_sample;
        m_bps = step(after_zeros(idle), sample + before, rest_s);
        m_last_sample = sample;
    }

    double bps() const
    {
        return m_bps;
    }

    /// The estimate after a silence.
    double bps_after(double silence_s) const
    {
        return after_zeros(std::floor(silence_s / (constant_s / 2)));
    }

    void forget()
    {
        m_bps = m_last_sample = 0;
    }

  private:
    double step(double bps, double samples, double interval_s) const
    {
        const double ratio = 2 * constant_s / interval_s;
        return ((ratio - 1) * bps + samples) / (ratio + 1);
    }

    /// The estimate after so many samples of zero: each leaves (4 - 1) / (4 + 1) of it.
    double after_zeros(double samples) const
    {
        constexpr double ENOUGH = 2000; // after which nothing is left that a number can hold
        double bps = m_bps;
        for (double i = 0; i < std::min(samples, ENOUGH); ++i)
        {
            bps = step(bps, i == 0 ? m_last_sample : 0, constant_s / 2);
        }
        return bps;
    }

    double m_bps{0};
    double m_last_sample{0}; //!< b_{k-1}
};

class Westwood
{
  public:
    static constexpr Entry entry{.name = "westwood",
                                 .title = "TCP Westwood",
                                 .source = "Mascolo et al. 2001; paper tcpj, equations (1) and (2)",
                                 .short_name = "Westwood",
                                 .colour = "#009e73",
                                 .marker = "p",
                                 .events = event::RECOVERED | event::BANDWIDTH};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Westwood>{"time_constant_s",
                                              &Westwood::m_time_constant_s,
                                              1,
                                              0.001,
                                              1000,
                                              "s",
                                              "T of the low-pass filter (2)",
                                              "its authors' ns-2 code, tcp-westwood.cc: tau_"},
                          Parameter<Westwood>{"rtt_tick_s",
                                              &Westwood::m_rtt_tick_s,
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
        m_bandwidth.filter.constant_s = m_time_constant_s;
        m_bandwidth.on_ack(ack);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const double silence_s = m_bandwidth.silence_s(congestion.now);
        const double bps = silence_s < 0 ? 0 : m_bandwidth.filter.bps_after(silence_s);
        const double threshold = bandwidth_threshold(bps, congestion, m_rtt_tick_s);
        m_after = {std::min(now.cwnd, threshold), threshold};
        return congestion.cause == Congestion::TIMEOUT ? threshold : m_after.cwnd;
    }

    Control on_recovered(const Recovered&, Control now)
    {
        return {m_after.cwnd, m_after.ssthresh, now.pacing_bps};
    }

    double bandwidth_bps() const
    {
        return m_bandwidth.filter.bps();
    }

  private:
    double m_time_constant_s{};
    double m_rtt_tick_s{};
    AckBandwidth<TustinFilter> m_bandwidth;
    Aimd<SlowStart> m_aimd;
    AfterRecovery m_after;
};

LONGFAT_CONGESTION_CONTROL(Westwood);

} // namespace longfat::core

#endif
