// SPDX-License-Identifier: GPL-2.0-only
//
// What FreeBSD's congestion controls share: how a window grows by appropriate byte counting (RFC 3465 with
// L = 2; sys/netinet/tcp_input.c, cc_ack_received; sys/netinet/cc/cc_newreno.c), and what NewReno leaves
// of it. A window at the threshold is in slow start still.

#ifndef LONGFAT_CC_FREEBSD_H
#define LONGFAT_CC_FREEBSD_H

#include "congestion-control.h"

#include <algorithm>
#include <cmath>

namespace longfat::core
{

class FreeBsdByteCounting
{
  public:
    /// The segments by which an ACK opens the window: in slow start what it acknowledges, up to two, or
    /// one after a timeout; else one when a window was acknowledged.
    double growth(const Ack& ack, const Control& now)
    {
        const double acked = ack.segments(ack.newly_acked);
        if (now.cwnd <= now.ssthresh)
        {
            m_acked = 0;
            return std::min(acked, ack.state == State::LOSS ? 1.0 : L);
        }
        m_acked += std::min(acked, L);
        if (m_acked < now.cwnd)
        {
            return 0;
        }
        m_acked -= now.cwnd;
        return 1;
    }

  private:
    static constexpr double L = 2; //!< abc_l_var

    double m_acked{0}; //!< t_bytes_acked, segments
};

/// cc_newreno.c: half the window, in whole segments.
inline double
freebsd_newreno_ssthresh(double window)
{
    return std::max(std::floor(window / 2), 2.0);
}

} // namespace longfat::core

#endif
