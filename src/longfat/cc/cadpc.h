// SPDX-License-Identifier: GPL-2.0-only
//
// Congestion Avoidance with Distributed Proportional Control (M. Welzl, "Scalable performance signalling
// and congestion avoidance", Kluwer 2003; paper: survey). Every few round trips a query asks the routers
// what their links have carried. With x the flow's rate and lambda all traffic, as parts of the busiest
// link's,
//
//     x <- x + a x (1 - x - lambda)
//
// which is logistic growth: n such flows come to 1 / (n + 1) each. No ACK and no loss changes the rate.
//
// Assumed, for the book is not at hand: a is 1/2 and a query goes every 4 round trips (both can be set);
// the busiest link is that with the least rate left; the rate is paced, and the window, 2 x RTT, only
// keeps a path without answers from being filled; it begins as the initial window a round trip, and is a
// segment from a query to the next at least; a sender that has nothing to send asks nothing, and when it
// sends again goes on with the rate it had. Where a router does not speak PTP the sender is NewReno,
// which halves its window at once.

#ifndef LONGFAT_CC_CADPC_H
#define LONGFAT_CC_CADPC_H

#include "newreno.h"

#include <optional>
#include <span>
#include <vector>

namespace longfat::core
{

/// The traffic of a path's links, from what their routers have counted in two answers.
class LinkTraffic
{
  public:
    struct Busiest
    {
        double rate_bps; //!< nominal
        double left_bps; //!< of it, by all traffic; negative where a queue grows
    };

    /// The answer that comes next; nothing where no link was in the answer before.
    std::optional<Busiest> take(std::span<const LinkRecord> records)
    {
        std::optional<Busiest> busiest;
        for (const LinkRecord& now : records)
        {
            const auto old = std::find_if(m_before.begin(), m_before.end(), [&](const auto& one) {
                return one.link == now.link;
            });
            if (old == m_before.end() || old->at >= now.at)
            {
                continue; // the path is another
            }
            const auto sent_bits = 8 * static_cast<double>(now.sent_bytes - old->sent_bytes);
            const double left_bps = now.rate_bps - sent_bits / seconds(now.at - old->at);
            if (!busiest || left_bps < busiest->left_bps)
            {
                busiest = Busiest{now.rate_bps, left_bps};
            }
        }
        m_before.assign(records.begin(), records.end());
        return busiest;
    }

    void forget()
    {
        m_before.clear();
    }

  private:
    std::vector<LinkRecord> m_before; //!< the answer before
};

class Cadpc
{
  public:
    static constexpr Entry entry{.name = "cadpc",
                                 .title = "CADPC/PTP",
                                 .source = "Welzl 2003; paper survey",
                                 .colour = "#999933",
                                 .marker = "X",
                                 .events = event::START | event::ESTABLISHED | event::TIMEOUT |
                                           event::RECOVERED | event::RESTART | event::TIMER |
                                           event::ANSWER,
                                 .regulates_recovery = true,
                                 .version = 2};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Cadpc>{"gain",
                                           &Cadpc::m_gain,
                                           0.5,
                                           0.01,
                                           2,
                                           "",
                                           "a: how fast the rate grows",
                                           "assumed"},
                          Parameter<Cadpc>{"round_trips",
                                           &Cadpc::m_round_trips,
                                           4,
                                           0.5,
                                           100,
                                           "round trips",
                                           "smoothed round trips from a query to the next",
                                           "assumed"}};
    }

    void on_start(Requests& requests)
    {
        m_requests = &requests;
    }

    Control on_established(const Established& established, const Control& now)
    {
        m_mss = static_cast<double>(established.mss);
        m_wire_bytes = m_mss + static_cast<double>(established.header_bytes);
        m_rtt_s = established.rtt == NO_RTT ? 1 : seconds(established.rtt);
        m_rate_bps = 8 * m_wire_bytes * now.cwnd / m_rtt_s;
        return on_timer(established.now, now);
    }

    Control on_timer(Time, const Control& now)
    {
        m_asks = !m_is_idle;
        if (m_asks)
        {
            m_requests->query();
            m_requests->timer(static_cast<Time>(1e9 * m_round_trips * m_rtt_s));
        }
        return now;
    }

    /// What was counted before is of the pause.
    Control on_restart(const Restart& restart, const Control& now)
    {
        m_is_idle = false;
        if (m_asks)
        {
            return now;
        }
        m_traffic.forget();
        return on_timer(restart.now, now);
    }

    Control on_answer(const Answer& answer, Control now)
    {
        if (answer.number <= m_answered) // overtaken by a later one
        {
            return now;
        }
        m_answered = answer.number;
        m_is_silent = !answer.complete;
        if (m_is_silent)
        {
            m_traffic.forget();
            m_is_told = false;
            now.pacing_bps = UNLIMITED;
            return now;
        }
        if (const auto busiest = m_traffic.take(answer.records))
        {
            m_is_told = true;
            const double left = (busiest->left_bps - m_rate_bps) / busiest->rate_bps;
            const double least_bps = 8 * m_wire_bytes / (m_round_trips * m_rtt_s);
            m_rate_bps = std::max(least_bps, m_rate_bps + m_gain * m_rate_bps * left);
        }
        return by_rate(now);
    }

    /// A round trip may be another than before; the rate is not.
    Control on_ack(const Ack& ack, Control now)
    {
        m_rtt_s = ack.srtt == NO_RTT ? m_rtt_s : seconds(ack.srtt);
        m_is_idle = ack.app_limited && ack.snd_una >= ack.snd_nxt;
        if (m_is_told)
        {
            return by_rate(now);
        }
        if (ack.state == State::RECOVERY || ack.state == State::CWR)
        {
            now.cwnd = std::min(now.cwnd, now.ssthresh);
        }
        return m_is_silent ? m_aimd.on_ack(ack, now) : now;
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        return m_is_told ? now.cwnd : m_aimd.decreased(congestion.segments(congestion.flight_size));
    }

    Control on_timeout(Time, Control now)
    {
        now.cwnd = m_is_told ? now.cwnd : 1;
        return now;
    }

    Control on_recovered(const Recovered&, Control now)
    {
        now.cwnd = m_is_told ? now.cwnd : now.ssthresh;
        return now;
    }

  private:
    Control by_rate(Control now) const
    {
        if (m_is_told)
        {
            now.cwnd = std::max(2.0, 2 * m_rate_bps / 8 * m_rtt_s / m_wire_bytes);
            now.pacing_bps = m_rate_bps * m_mss / m_wire_bytes;
        }
        return now;
    }

    double m_gain{};        //!< a
    double m_round_trips{}; //!< from a query to the next
    Requests* m_requests{nullptr};
    LinkTraffic m_traffic;
    Aimd<SlowStart> m_aimd;
    double m_mss{0};
    double m_wire_bytes{0};  //!< of a segment
    double m_rtt_s{1};       //!< smoothed
    double m_rate_bps{0};    //!< x, with headers
    uint64_t m_answered{0};  //!< number of the latest answer
    bool m_is_told{false};   //!< by routers, how busy they are
    bool m_is_idle{false};   //!< all is acknowledged, and there is no more
    bool m_asks{false};      //!< a query will follow
    bool m_is_silent{false}; //!< a router on the way, by the latest answer
};

LONGFAT_CONGESTION_CONTROL(Cadpc);

} // namespace longfat::core

#endif
