// SPDX-License-Identifier: GPL-2.0-only
//
// What Linux's senders share (net/ipv4/tcp_cong.c): a window of whole segments, which opens by one when
// so many segments as it has have been delivered. What is counted towards the next segment goes on
// counting after a loss here, unless a sender has count_as_linux: Linux forgets it where a reduction
// begins (tcp_init_cwnd_reduction, tcp_enter_loss), half a round trip's growth in the mean.

#ifndef LONGFAT_CC_LINUX_RENO_H
#define LONGFAT_CC_LINUX_RENO_H

#include "slow-start.h"

#include <algorithm>
#include <cmath>

namespace longfat::core
{

/// tcp_is_cwnd_limited: in slow start half a window in flight is enough.
inline bool
is_cwnd_limited_as_in_linux(const Ack& ack, const Control& now)
{
    return ack.cwnd_limited ||
           (now.in_slow_start() && 2 * ack.segments(ack.prior_in_flight) > now.cwnd);
}

inline constexpr auto COUNT_AS_LINUX = "what is counted towards the next segment is lost at a loss";

/// tcp_cong_avoid_ai: a segment for every `window` segments delivered.
struct SegmentCount
{
    double count{0}; //!< delivered since the window last opened: snd_cwnd_cnt

    Control open(double window, double delivered, Control now)
    {
        if (count >= window) // counted at a larger window
        {
            count = 0;
            now.cwnd += 1;
        }
        count += delivered;
        const double more = std::floor(count / window);
        count -= more * window;
        now.cwnd += more;
        return now;
    }
};

/// tcp_reno_cong_avoid.
class LinuxReno
{
  public:
    Control on_ack(const Ack& ack, Control now)
    {
        if (!ack.may_grow() || !is_cwnd_limited_as_in_linux(ack, now))
        {
            return now;
        }
        double delivered = ack.segments(ack.newly_delivered);
        if (now.in_slow_start())
        {
            now = m_slow_start.on_ack(ack, now);
            delivered = m_slow_start.left;
        }
        const double window = std::max(std::floor(now.cwnd), 1.0);
        return delivered > 0 ? m_count.open(window, delivered, now) : now;
    }

    void forget()
    {
        m_count.count = 0;
    }

    /// tcp_reno_ssthresh.
    static double halved(double window)
    {
        return std::max(std::floor(std::floor(window) / 2), 2.0);
    }

  private:
    ByteCountingSlowStart m_slow_start;
    SegmentCount m_count;
};

} // namespace longfat::core

#endif
