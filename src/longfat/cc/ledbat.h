// SPDX-License-Identifier: GPL-2.0-only
//
// LEDBAT (RFC 6817), which gives way to all other traffic: for every ACK (section 2.4.2), with the
// one-way delay of the segment that caused it,
//
//     queuing_delay = min(current_delays) - min(base_delays)
//     off_target    = (TARGET - queuing_delay) / TARGET
//     cwnd         += GAIN off_target bytes_newly_acked MSS / cwnd
//     cwnd          = min(cwnd, flightsize + ALLOWED_INCREASE MSS), at least MIN_CWND MSS
//
// current_delays are those of the last CURRENT_FILTER ACKs, base_delays the smallest of each of the last
// BASE_HISTORY minutes. Differences of delays alone count, so that the ends' clocks need not agree. A
// loss halves the window. Slow start, where it is allowed, is as in standard TCP, and lasts until a loss.

#ifndef LONGFAT_CC_LEDBAT_H
#define LONGFAT_CC_LEDBAT_H

#include "newreno.h"

#include <deque>

namespace longfat::core
{

class Ledbat
{
  public:
    static constexpr Entry entry{.name = "ledbat",
                                 .title = "LEDBAT",
                                 .source = "RFC 6817",
                                 .colour = "#88ccee",
                                 .marker = "v",
                                 .needs = need::ONE_WAY_DELAY};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Ledbat>{"target_delay_s",
                                            &Ledbat::m_target_s,
                                            0.1,
                                            0.001,
                                            0.1,
                                            "s",
                                            "TARGET, of queueing delay",
                                            "RFC 6817, section 2.5"},
                          Parameter<Ledbat>{"gain",
                                            &Ledbat::m_gain,
                                            1,
                                            1e-6,
                                            1,
                                            "",
                                            "GAIN, segments a round trip at most",
                                            "RFC 6817, section 2.5"},
                          Parameter<Ledbat>{"base_history",
                                            &Ledbat::m_history,
                                            10,
                                            1,
                                            1000,
                                            "minutes",
                                            "BASE_HISTORY",
                                            "RFC 6817, section 2.5"},
                          Parameter<Ledbat>{"noise_filter",
                                            &Ledbat::m_filter,
                                            4,
                                            1,
                                            1000,
                                            "ACKs",
                                            "CURRENT_FILTER",
                                            "ns-3, TcpLedbat: NoiseFilterLen"},
                          Parameter<Ledbat>{"min_window_segments",
                                            &Ledbat::m_min_window,
                                            2,
                                            1,
                                            1000,
                                            "segments",
                                            "MIN_CWND",
                                            "RFC 6817, section 2.5"},
                          Parameter<Ledbat>{"slow_start",
                                            &Ledbat::m_slow_start,
                                            1,
                                            0,
                                            1,
                                            "",
                                            "it begins with slow start",
                                            "RFC 6817, which allows it"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.segment_sent != NEVER)
        {
            update_delays(ack.segment_received - ack.segment_sent, ack.now);
        }
        if (!ack.may_grow())
        {
            return now;
        }
        if (m_base.empty() || (m_slow_start && now.in_slow_start()))
        {
            return m_aimd.on_ack(ack, now);
        }
        const double off_target = 1 - seconds(queuing_delay()) / m_target_s;
        const double acked = ack.segments(ack.newly_delivered);
        const double flight = ack.segments(ack.snd_nxt - ack.snd_una + ack.newly_acked);
        const double w = now.cwnd + m_gain * off_target * acked / now.cwnd;
        now.cwnd = std::max(std::min(w, flight + ALLOWED_INCREASE), min_window());
        now.ssthresh = std::min(now.ssthresh, now.cwnd); // or it would go back to slow start
        return now;
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        return std::min(now.cwnd, std::max(now.cwnd / 2, min_window()));
    }

  private:
    static constexpr double ALLOWED_INCREASE = 1;

    double min_window() const
    {
        return static_cast<double>(m_min_window);
    }

    /// update_current_delay, update_base_delay.
    void update_delays(Time delay, Time now)
    {
        constexpr Time MINUTE = 60'000'000'000;
        m_current.push_back(delay);
        if (m_current.size() > static_cast<std::size_t>(m_filter))
        {
            m_current.pop_front();
        }
        if (m_base.empty() || now / MINUTE != m_minute)
        {
            m_minute = now / MINUTE;
            m_base.push_back(delay);
            if (m_base.size() > static_cast<std::size_t>(m_history))
            {
                m_base.pop_front();
            }
        }
        m_base.back() = std::min(m_base.back(), delay);
    }

    Time queuing_delay() const
    {
        return *std::min_element(m_current.begin(), m_current.end()) -
               *std::min_element(m_base.begin(), m_base.end());
    }

    double m_target_s{};
    double m_gain{};
    int64_t m_history{};
    int64_t m_filter{};
    int64_t m_min_window{};
    bool m_slow_start{};
    std::deque<Time> m_current; //!< current_delays
    std::deque<Time> m_base;    //!< base_delays
    int64_t m_minute{0};        //!< of the clock, that the last of them is of
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Ledbat);

} // namespace longfat::core

#endif
