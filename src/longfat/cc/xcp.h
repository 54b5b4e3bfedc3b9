// SPDX-License-Identifier: GPL-2.0-only
//
// XCP's sender (D. Katabi, M. Handley and C. Rohrs, "Congestion control for high bandwidth-delay
// product networks", SIGCOMM 2002, section 3.3; draft-falk-xcp-spec-03, section 3).
//
// Every segment's header says the round trip and the spacing of segments, RTT / W, and routers write
// into it by how much the rate may change. For an ACK that brings the change H (bytes/s),
//
//     W <- max(W + H RTT, s)
//
// A loss halves the window as TCP's does. While a router on the way does not speak XCP, or the
// receiver, the sender is NewReno (the paper's section on gradual deployment: it reverts to TCP).
//
// Assumed: what a recovery's ACKs bring is not used; and as in every other sender a window that does not
// limit does not grow (RFC 7661), for routers cannot know that the receiver or the application does.

#ifndef LONGFAT_CC_XCP_H
#define LONGFAT_CC_XCP_H

#include "newreno.h"

namespace longfat::core
{

class Xcp
{
  public:
    static constexpr Entry entry{.name = "xcp",
                                 .title = "XCP",
                                 .source =
                                     "Katabi, Handley and Rohrs 2002; draft-falk-xcp-spec-03; "
                                     "paper survey",
                                 .colour = "#d55e00",
                                 .marker = "o",
                                 .events = event::ESTABLISHED,
                                 .needs = need::ROUTER_FEEDBACK};

    Control on_established(const Established& established, Control now)
    {
        listen(established.feedback);
        return now;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        listen(ack.feedback);
        if (!m_is_told)
        {
            return m_aimd.on_ack(ack, now);
        }
        const double bytes = ack.feedback.rate_change * seconds(ack.srtt);
        const double change = bytes / static_cast<double>(ack.mss);
        const bool may_change = ack.state != State::RECOVERY && ack.state != State::CWR;
        if (may_change && (change < 0 || ack.cwnd_limited))
        {
            now.cwnd = std::max(1.0, now.cwnd + change);
        }
        return now;
    }

    double ssthresh(const Congestion& congestion, const Control&)
    {
        return m_aimd.decreased(congestion.segments(congestion.flight_size));
    }

  private:
    void listen(const RouterFeedback& feedback)
    {
        if (feedback.present)
        {
            m_is_told = feedback.complete;
        }
    }

    bool m_is_told{false}; //!< by all routers on the way, how to change the window
    Aimd<SlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Xcp);

} // namespace longfat::core

#endif
