// SPDX-License-Identifier: GPL-2.0-only
//
// UCC, congestion control by the bottleneck's utilization (paper: ucc, equations 6 and 7).
//
// The utilization is estimated from the one-way delays of the N packets from one detected loss to the
// next: N_min of them had the smallest delay, so they met no queue.
//
//     rho = (N - N_min) / N                                          (6)
//
// When duplicate ACKs reveal a loss, the window is halved only if the link was that busy:
//
//     w <- w / 2   if rho > alpha,   else w                          (7)
//
// Growth is NewReno's, and so is a timeout (section 4.1: one segment, then slow start). A mark's echo
// counts as a loss (RFC 3168, 6.1.2).
//
// What the paper leaves open, and its parameter here: the clock that the delay is read from (clock_s),
// whether the minimum is that of the connection or of the N packets (minimum_of_epoch), how often it
// is forgotten, for when the path changes (minimum_lifetime_s), and how much longer a delay may be and
// still count as the smallest (tolerance_s). For trying it, the receiver's clock may drift.

#ifndef LONGFAT_CC_UCC_H
#define LONGFAT_CC_UCC_H

#include "newreno.h"

#include <cmath>

namespace longfat::core
{

class Ucc
{
  public:
    static constexpr Entry entry{.name = "ucc",
                                 .title = "UCC",
                                 .source = "paper ucc, equations (6) and (7)",
                                 .colour = "#d55e00",
                                 .marker = "X",
                                 .events = event::UTILIZATION,
                                 .needs = need::ONE_WAY_DELAY};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Ucc>{"alpha",
                                         &Ucc::m_alpha,
                                         0.99,
                                         0,
                                         1,
                                         "",
                                         "utilization above which a loss is congestion",
                                         "paper ucc, section 5"},
                          Parameter<Ucc>{"clock_s",
                                         &Ucc::m_clock_s,
                                         0,
                                         0,
                                         10,
                                         "s",
                                         "tick of both ends' clocks; 0 is exact",
                                         "assumed"},
                          Parameter<Ucc>{"minimum_of_epoch",
                                         &Ucc::m_minimum_of_epoch,
                                         0,
                                         0,
                                         1,
                                         "",
                                         "smallest delay since the last loss, not of all",
                                         "assumed"},
                          Parameter<Ucc>{"minimum_lifetime_s",
                                         &Ucc::m_lifetime_s,
                                         0,
                                         0,
                                         1e6,
                                         "s",
                                         "the smallest delay is forgotten after; 0 is never",
                                         "assumed"},
                          Parameter<Ucc>{"tolerance_s",
                                         &Ucc::m_tolerance_s,
                                         0,
                                         0,
                                         10,
                                         "s",
                                         "delays that are longer by so much count as the smallest",
                                         "assumed"},
                          Parameter<Ucc>{"drift",
                                         &Ucc::m_drift,
                                         0,
                                         -0.01,
                                         0.01,
                                         "",
                                         "by which part the receiver's clock is faster",
                                         "assumed"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.segment_sent != NEVER)
        {
            on_packet(ack.segment_sent, ack.segment_received);
        }
        return m_aimd.on_ack(ack, now);
    }

    /// Equation (7).
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const bool congested = m_packets == 0 || m_rho > m_alpha;
        begin_epoch(m_minimum_of_epoch);
        if (congestion.cause == Congestion::TIMEOUT)
        {
            return m_aimd.decreased(congestion.segments(congestion.flight_size));
        }
        return std::max(2.0, congested ? now.cwnd / 2 : now.cwnd);
    }

    double utilization() const
    {
        return m_rho;
    }

  private:
    static constexpr int64_t NONE = NEVER;

    /// One more of the N packets; is it one of the N_min? Equation (6).
    void on_packet(Time sent, Time received)
    {
        if (m_lifetime_s > 0 && seconds(received - m_since) >= m_lifetime_s)
        {
            m_since = received;
            begin_epoch(true);
        }
        const auto ahead = static_cast<Time>(m_drift * static_cast<double>(received));
        const int64_t delay = ticks(received + ahead) - ticks(sent);
        const int64_t tolerance = ticks(static_cast<Time>(m_tolerance_s * 1e9));
        ++m_packets;
        if (delay < m_minimum)
        {
            const bool alike = m_minimum != NONE && m_minimum - delay <= tolerance;
            m_packets_at_minimum =
                alike ? m_packets_at_minimum : 0; // they had met a queue after all
            m_minimum = delay;
        }
        m_packets_at_minimum += delay - m_minimum <= tolerance;
        m_rho =
            static_cast<double>(m_packets - m_packets_at_minimum) / static_cast<double>(m_packets);
    }

    /// Begin to count anew, and perhaps to look for the smallest delay.
    void begin_epoch(bool forgets_minimum)
    {
        m_packets = 0;
        m_packets_at_minimum = 0;
        m_minimum = forgets_minimum ? NONE : m_minimum;
    }

    /// What a clock with that tick shows.
    int64_t ticks(Time time) const
    {
        const auto tick = static_cast<int64_t>(std::floor(m_clock_s * 1e9 + 0.5));
        return tick > 0 ? time / tick : time;
    }

    double m_alpha{};
    double m_clock_s{};
    bool m_minimum_of_epoch{};
    double m_lifetime_s{};
    double m_tolerance_s{};
    double m_drift{};
    Aimd<SlowStart> m_aimd;
    int64_t m_packets{0};            //!< N
    int64_t m_packets_at_minimum{0}; //!< N_min
    int64_t m_minimum{NONE};         //!< smallest delay, in ticks
    Time m_since{0};                 //!< when it was last forgotten
    double m_rho{0};
};

LONGFAT_CONGESTION_CONTROL(Ucc);

} // namespace longfat::core

#endif
