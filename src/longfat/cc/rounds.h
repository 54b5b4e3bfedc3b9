// SPDX-License-Identifier: GPL-2.0-only
//
// What the algorithms share that go by round-trip times: the measurements, and the rounds, a round being
// over when what had been sent at its beginning is acknowledged.

#ifndef LONGFAT_CC_ROUNDS_H
#define LONGFAT_CC_ROUNDS_H

#include "congestion-control.h"

#include <algorithm>

namespace longfat::core
{

struct Rounds
{
    Time base_rtt{NEVER}; //!< smallest of the connection
    Time max_rtt{0};      //!< largest of the connection
    Time min_rtt{NEVER};  //!< smallest of the round
    Time sum_of_rtts{0};  //!< of the round
    int64_t samples{0};   //!< of the round

    /// An ACK without a round trip tells nothing.
    void on_ack(const Ack& ack)
    {
        if (ack.rtt == NO_RTT)
        {
            return;
        }
        base_rtt = std::min(base_rtt, ack.rtt);
        max_rtt = std::max(max_rtt, ack.rtt);
        min_rtt = std::min(min_rtt, ack.rtt);
        sum_of_rtts += ack.rtt;
        ++samples;
    }

    bool is_over(const Ack& ack) const
    {
        return ack.snd_una >= m_end;
    }

    /// The first round of a connection is that of its first window, whose first ACK ends none.
    void begin_first(const Ack& ack)
    {
        m_end = m_end == 0 ? ack.snd_nxt : m_end;
    }

    /// A round begins: it lasts until all is acknowledged that has been sent.
    void begin(Bytes snd_nxt)
    {
        m_end = snd_nxt;
        min_rtt = NEVER;
        sum_of_rtts = 0;
        samples = 0;
    }

  private:
    Bytes m_end{0};
};

} // namespace longfat::core

#endif
