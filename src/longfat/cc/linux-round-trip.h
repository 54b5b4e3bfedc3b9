// SPDX-License-Identifier: GPL-2.0-only
//
// An ACK's round trip as Linux 6.12 tells its modules.

#ifndef LONGFAT_CC_LINUX_ROUND_TRIP_H
#define LONGFAT_CC_LINUX_ROUND_TRIP_H

#include "congestion-control.h"

#include <algorithm>

namespace longfat::core
{

/// Where an ACK acknowledges what was sent again and nothing else, it is told by the timestamps, which are
/// whole milliseconds (tcp_ack_update_rtt), so that the smallest of a connection is up to one less than any
/// is. With SACK all else has been reported before.
inline Time
rtt_of_linux(const Ack& ack)
{
    constexpr Time MS = 1'000'000;
    const bool repairs = ack.prior_state == State::RECOVERY || ack.prior_state == State::LOSS;
    if (!repairs || ack.newly_acked == 0 || ack.segment_sent == NEVER)
    {
        return ack.rtt;
    }
    return std::max(ack.now / MS - ack.segment_sent / MS, Time{1}) * MS;
}

} // namespace longfat::core

#endif
