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

#ifndef LONGFAT_CC_HTCP_H
#define LONGFAT_CC_HTCP_H

#include "newreno.h"
#include "rounds.h"

namespace longfat::core
{

class Htcp
{
  public:
    static constexpr Entry entry{.name = "htcp",
                                 .title = "H-TCP",
                                 .source = "Leith and Shorten 2004; draft-leith-tcp-htcp-06",
                                 .linux = "htcp",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{Parameter<Htcp>{"default_backoff",
                                          &Htcp::m_default_backoff,
                                          0.5,
                                          0,
                                          1,
                                          "",
                                          "beta while shares change"},
                          Parameter<Htcp>{"throughput_ratio",
                                          &Htcp::m_ratio,
                                          0.2,
                                          0,
                                          1000,
                                          "",
                                          "change above which they do"},
                          Parameter<Htcp>{"low_speed_s",
                                          &Htcp::m_delta_l_s,
                                          1,
                                          0,
                                          1000,
                                          "s",
                                          "Delta_L: standard TCP up to here"},
                          Parameter<Htcp>{"rtt_scaling",
                                          &Htcp::m_rtt_scaling,
                                          0,
                                          0,
                                          1,
                                          "",
                                          "increase as on a path of 100 ms",
                                          "Linux, tcp_htcp.c"}};
    }

    Control on_established(const Established& established, Control now)
    {
        m_last_loss = established.now;
        m_beta = m_default_backoff;
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_rounds.on_ack(ack);
        m_aimd.a = alpha(ack.now);
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        adapt_backoff(congestion.srtt > 0 ? now.cwnd / seconds(congestion.srtt) : 0);
        m_last_loss = congestion.now;
        m_aimd.b = 1 - m_beta;
        return m_aimd.decreased(now.cwnd);
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
    Rounds m_rounds;
    Aimd<SlowStart> m_aimd;
    Time m_last_loss{0};
    double m_beta{0.5};
    double m_last_throughput{0}; //!< before the last loss, segments/s
};

LONGFAT_CONGESTION_CONTROL(Htcp);

} // namespace longfat::core

#endif
