// SPDX-License-Identifier: GPL-2.0-only
//
// YeAH-TCP (A. Baiocchi, A. P. Castellani and F. Vacirca, "YeAH-TCP: yet another highspeed TCP",
// PFLDnet 2007; section II). Once a round trip, from the smallest of its round-trip times,
//
//     Q = w (RTT_min - RTT_base) / RTT_min     segments in queues
//     L = (RTT_min - RTT_base) / RTT_base      how congested the path is
//
//     fast mode     Q < Q_max and L < 1 / phi; grows as Scalable TCP
//     slow mode     else; grows as Reno. Q > Q_max takes Q from the window (precautionary decongestion),
//                   half of it at most and not below count_reno, the window that a competing Reno flow
//                   would have
//
// Reno flows compete after slow mode for rho round trips, and none any more after fast mode for zeta.
// A loss takes Q segments, an eighth of the window at least and half at most; where Reno flows compete,
// half of it. So does a timeout, for the paper speaks of three duplicate ACKs; Linux (tcp_yeah.c) answers
// both alike, and counts whole segments.

#ifndef LONGFAT_CC_YEAH_H
#define LONGFAT_CC_YEAH_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Yeah
{
  public:
    static constexpr Entry entry{.name = "yeah",
                                 .title = "YeAH TCP",
                                 .source = "Baiocchi et al. 2007, section II",
                                 .short_name = "YeAH",
                                 .colour = "#cc6677",
                                 .marker = "P",
                                 .linux = "yeah"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Yeah>{"max_queue_segments",
                                          &Yeah::m_max_queue,
                                          80,
                                          0,
                                          1e6,
                                          "segments",
                                          "Q_max, own ones in queues",
                                          "Linux, tcp_yeah.c: TCP_YEAH_ALPHA"},
                          Parameter<Yeah>{"delay_divisor",
                                          &Yeah::m_phi,
                                          8,
                                          1,
                                          1e6,
                                          "",
                                          "phi: base round trip by allowed queueing delay",
                                          "Linux, tcp_yeah.c: TCP_YEAH_PHY"},
                          Parameter<Yeah>{"slow_round_trips",
                                          &Yeah::m_rho,
                                          16,
                                          0,
                                          1e6,
                                          "round trips",
                                          "rho: in slow mode, then Reno flows compete",
                                          "Linux, tcp_yeah.c: TCP_YEAH_RHO"},
                          Parameter<Yeah>{"fast_round_trips",
                                          &Yeah::m_zeta,
                                          50,
                                          0,
                                          1e6,
                                          "round trips",
                                          "zeta: in fast mode, then none compete any more",
                                          "Linux, tcp_yeah.c: TCP_YEAH_ZETA"},
                          Parameter<Yeah>{"acks_per_segment",
                                          &Yeah::m_acks,
                                          100,
                                          1,
                                          1e6,
                                          "ACKs",
                                          "that add a segment in fast mode",
                                          "Linux, tcp_yeah.c: TCP_SCALABLE_AI_CNT"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.on_ack(ack);
        if (!ack.may_grow())
        {
            return now;
        }
        if (ack.state == State::OPEN && ack.prior_state >= State::CWR)
        {
            m_rounds.begin(ack.snd_nxt); // without samples of the recovery
        }
        m_aimd.a = is_fast() ? std::max(1.0, now.cwnd / static_cast<double>(m_acks)) : 1;
        now = m_aimd.on_ack(ack, now);
        if (m_rounds.is_over(ack))
        {
            if (m_rounds.samples > 2) // one of them is not of a delayed ACK
            {
                now = end_round(now);
            }
            m_rounds.begin(ack.snd_nxt);
        }
        return now;
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        const double half = std::max(now.cwnd / 2, 2.0);
        const bool alone = m_slow_rounds < m_rho && congestion.cause != Congestion::TIMEOUT;
        const double taken = alone ? std::min(std::max(m_queue, now.cwnd / 8), half) : half;
        m_fast_rounds = 0;
        m_reno_window = std::max(m_reno_window / 2, 2.0);
        return std::max(now.cwnd - taken, 2.0);
    }

  private:
    bool is_fast() const
    {
        return m_slow_rounds == 0;
    }

    Control end_round(Control now)
    {
        const double w = now.cwnd;
        const double delay_s = seconds(m_rounds.min_rtt - m_rounds.base_rtt);
        const auto max_queue = static_cast<double>(m_max_queue);
        m_queue = w / seconds(m_rounds.min_rtt) * delay_s;
        if (m_queue <= max_queue &&
            delay_s / seconds(m_rounds.base_rtt) <= 1 / static_cast<double>(m_phi))
        {
            m_slow_rounds = 0;
            if (++m_fast_rounds > m_zeta)
            {
                m_reno_window = 2;
                m_fast_rounds = 0;
            }
            return now;
        }
        if (m_queue > max_queue && w > m_reno_window) // precautionary decongestion
        {
            now.cwnd = now.ssthresh = std::max(w - std::min(m_queue, w / 2), m_reno_window);
        }
        m_reno_window = m_reno_window <= 2 ? std::max(now.cwnd / 2, 2.0) : m_reno_window + 1;
        ++m_slow_rounds;
        return now;
    }

    int64_t m_max_queue{};
    int64_t m_phi{};
    int64_t m_rho{};
    int64_t m_zeta{};
    int64_t m_acks{};
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    double m_queue{0};        //!< Q of the last round trip, segments
    double m_reno_window{2};  //!< count_reno, segments
    int64_t m_slow_rounds{0}; //!< in slow mode
    int64_t m_fast_rounds{0}; //!< in fast mode, since a loss
};

LONGFAT_CONGESTION_CONTROL(Yeah);

} // namespace longfat::core

#endif
