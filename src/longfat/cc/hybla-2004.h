// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Hybla with what its authors put around equation (1) (hybla.h) against its first burst: C. Caini
// and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", 2004, section 4.
//
//     pacing      segments leave RTT / W apart, and not as ACKs come
//     estimate    the first threshold is bandwidth times round trip: the bandwidth is that of the
//                 first three ACKs (J. C. Hoe, "Improving the start-up behavior of a congestion
//                 control scheme for TCP", 1996), the round trip the least
//     window      the first window is rho times TCP's, not rho
//
// Assumed: the window does not grow before the estimate is there, for with the first ACK it would grow
// by 2^rho; the first window is not paced, or there would be no estimate.

#ifndef LONGFAT_CC_HYBLA_2004_H
#define LONGFAT_CC_HYBLA_2004_H

#include "hybla.h"

namespace longfat::core
{

class Hybla2004 : public Hybla
{
  public:
    static constexpr Entry entry{.name = "hybla-2004",
                                 .title = "TCP Hybla with pacing and an estimate at the start",
                                 .source = "Caini and Firrincieli 2004, section 4; Hoe 1996",
                                 .short_name = "Hybla with its start",
                                 .colour = "#999933",
                                 .marker = "P",
                                 .events = event::ESTABLISHED};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Hybla2004>{"rtt0_s",
                                 &Hybla2004::m_rtt0_s,
                                 0.025,
                                 1e-6,
                                 10,
                                 "s",
                                 "round-trip time of the reference connection",
                                 "Caini and Firrincieli 2004"},
            Parameter<Hybla2004>{"pacing",
                                 &Hybla2004::m_paces,
                                 1,
                                 0,
                                 1,
                                 "",
                                 "a window is spread over its round trip",
                                 "Caini and Firrincieli 2004, section 4"},
            Parameter<Hybla2004>{"estimate",
                                 &Hybla2004::m_estimates,
                                 1,
                                 0,
                                 1,
                                 "",
                                 "the first threshold is what the first ACKs say of the path",
                                 "Caini and Firrincieli 2004, section 4"},
            Parameter<Hybla2004>{"scaled_first_window",
                                 &Hybla2004::m_scales,
                                 0,
                                 0,
                                 1,
                                 "",
                                 "the first window is rho times TCP's",
                                 "ours: off; on in Caini and Firrincieli 2004, section 4"}};
    }

    Control on_established(const Established& established, Control now)
    {
        const double first = now.cwnd;
        now = Hybla::on_established(established, now);
        if (m_scales)
        {
            now.cwnd = first * m_rho;
        }
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (m_estimates && m_acks < ACKS)
        {
            now.ssthresh = std::min(now.ssthresh, estimate(ack));
        }
        else
        {
            now = Hybla::on_ack(ack, now);
        }
        if (m_paces && ack.srtt > 0)
        {
            now.pacing_bps = 8 * now.cwnd * static_cast<double>(ack.mss) / seconds(ack.srtt);
        }
        return now;
    }

  private:
    static constexpr int ACKS = 3;

    /// What the path holds, in segments, by how far apart the first ACKs come; UNLIMITED: not known.
    double estimate(const Ack& ack)
    {
        if (m_acks++ == 0)
        {
            m_first = ack.now;
            return UNLIMITED;
        }
        m_delivered += ack.segments(ack.newly_delivered);
        const double elapsed_s = seconds(ack.now - m_first);
        if (m_acks < ACKS || elapsed_s <= 0)
        {
            return UNLIMITED;
        }
        return std::max(2.0, m_delivered / elapsed_s * seconds(ack.min_rtt));
    }

    bool m_paces{};
    bool m_estimates{};
    bool m_scales{};
    int m_acks{0};         //!< of the estimate, so far
    double m_delivered{0}; //!< segments that the second and third have delivered
    Time m_first{0};       //!< when the first came
};

LONGFAT_CONGESTION_CONTROL(Hybla2004);

} // namespace longfat::core

#endif
