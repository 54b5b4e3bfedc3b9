// SPDX-License-Identifier: GPL-2.0-only
//
// Slow starts: each is a part that a congestion control has as a member and names by its type. All say
// what the window is after an ACK that may grow it, never beyond the threshold, and may lower the
// threshold to end themselves.

#ifndef LONGFAT_CORE_SLOW_START_H
#define LONGFAT_CORE_SLOW_START_H

#include "congestion-control.h"

#include <algorithm>
#include <cmath>

namespace longfat::core
{

/// A segment for every ACK: W <- W + 1 (RFC 5681, equation 2).
struct SlowStart
{
    Control on_ack(const Ack&, Control now)
    {
        now.cwnd = std::min(now.cwnd + 1, std::max(now.ssthresh, now.cwnd));
        return now;
    }
};

/// As many segments as the ACK delivers (RFC 3465, without a limit; Linux, tcp_slow_start). What is
/// beyond the threshold is left for congestion avoidance: `left`, in segments.
struct ByteCountingSlowStart
{
    double left{0};

    Control on_ack(const Ack& ack, Control now)
    {
        const double acked = ack.segments(ack.newly_delivered);
        const double before = now.cwnd;
        now.cwnd = std::min(now.cwnd + acked, std::max(now.ssthresh, now.cwnd));
        left = acked - (now.cwnd - before);
        return now;
    }
};

/// Limited slow start (RFC 3742, section 2): from max_ssthresh on, max_ssthresh / 2 a round trip.
struct LimitedSlowStart
{
    double max_ssthresh{0}; //!< segments; 0: never

    double increment(double cwnd) const
    {
        if (max_ssthresh == 0 || cwnd <= max_ssthresh)
        {
            return 1;
        }
        return 1 / std::floor(cwnd / (max_ssthresh / 2));
    }

    Control on_ack(const Ack&, Control now)
    {
        now.cwnd = std::min(now.cwnd + increment(now.cwnd), std::max(now.ssthresh, now.cwnd));
        return now;
    }
};

/// HyStart++ (RFC 9406): a round whose smallest RTT is larger than that of the one before by an eighth
/// of it (4 to 16 ms) begins conservative slow start, which grows a quarter as fast; five such rounds
/// end slow start, and an RTT that falls again ends them. It is for the first slow start alone (4.3);
/// in others, as in the first, an ACK counts for what it delivers, up to L segments.
class HyStart
{
  public:
    bool is_first{true}; //!< no congestion so far

    Control on_ack(const Ack& ack, Control now)
    {
        const double growth = std::min(ack.segments(ack.newly_delivered), L);
        if (is_first)
        {
            now = watch(ack, now);
        }
        now.cwnd += is_first && m_in_css ? growth / CSS_GROWTH_DIVISOR : growth;
        now.cwnd = std::min(now.cwnd, now.ssthresh);
        return now;
    }

  private:
    /// Sections 4.2 and 4.3.
    Control watch(const Ack& ack, Control now)
    {
        if (ack.snd_una >= m_window_end)
        {
            m_window_end = ack.snd_nxt;
            m_last_round_min_rtt = m_round_min_rtt;
            m_round_min_rtt = NEVER;
            m_samples = 0;
            if (m_in_css && ++m_css_rounds == CSS_ROUNDS)
            {
                now.ssthresh = now.cwnd;
                return now;
            }
        }
        if (ack.rtt != NO_RTT)
        {
            m_round_min_rtt = std::min(m_round_min_rtt, ack.rtt);
            ++m_samples;
        }
        if (m_samples >= N_RTT_SAMPLE && m_in_css && m_round_min_rtt < m_css_baseline)
        {
            m_in_css = false; // the rise was none
        }
        else if (m_samples >= N_RTT_SAMPLE && !m_in_css && has_risen())
        {
            m_in_css = true;
            m_css_rounds = 0;
            m_css_baseline = m_round_min_rtt;
        }
        return now;
    }

    bool has_risen() const
    {
        constexpr Time MIN_RTT_THRESH = 4'000'000;
        constexpr Time MAX_RTT_THRESH = 16'000'000;
        constexpr Time MIN_RTT_DIVISOR = 8;
        if (m_last_round_min_rtt == NEVER)
        {
            return false;
        }
        const Time threshold =
            std::clamp(m_last_round_min_rtt / MIN_RTT_DIVISOR, MIN_RTT_THRESH, MAX_RTT_THRESH);
        return m_round_min_rtt >= m_last_round_min_rtt + threshold;
    }

    static constexpr uint32_t N_RTT_SAMPLE = 8;
    static constexpr double CSS_GROWTH_DIVISOR = 4;
    static constexpr uint32_t CSS_ROUNDS = 5;
    static constexpr double L = 8; //!< segments an ACK, without pacing

    Bytes m_window_end{0}; //!< windowEnd
    Time m_last_round_min_rtt{NEVER};
    Time m_round_min_rtt{NEVER};
    uint32_t m_samples{0}; //!< rttSampleCount
    bool m_in_css{false};
    uint32_t m_css_rounds{0};
    Time m_css_baseline{0};
};

} // namespace longfat::core

#endif
