// SPDX-License-Identifier: GPL-2.0-only
//
// What HD and CHD share (paper: ucc, figure 1): the probability g(q) of a back-off at a queueing
// delay q. It rises from 0 at q_min to p_max at q_th (region A), where delay-based flows are among
// themselves, and falls to 0 at q_max = RTT_max - RTT_min (region B), where flows that only loss
// stops have filled the queue.

#ifndef LONGFAT_CC_DELAY_BACKOFF_H
#define LONGFAT_CC_DELAY_BACKOFF_H

#include "congestion-control.h"

#include <algorithm>

namespace longfat::core
{

/// The curve of figure 1, in seconds.
struct DelayBackOff
{
    double min_delay_s;       //!< q_min
    double threshold_delay_s; //!< q_th
    double max_probability;   //!< p_max

    /// g(q), where the largest queueing delay of the connection was `max_delay_s`, q_max.
    double probability(double delay_s, double max_delay_s) const
    {
        if (delay_s <= min_delay_s || delay_s > max_delay_s)
        {
            return 0;
        }
        if (delay_s <= threshold_delay_s) // region A
        {
            return max_probability * (delay_s - min_delay_s) / (threshold_delay_s - min_delay_s);
        }
        return max_probability * (max_delay_s - delay_s) / (max_delay_s - threshold_delay_s);
    }
};

/// The round trips of a connection, and the queueing delay in them. An ACK without one tells nothing.
struct QueueingDelay
{
    Time rtt{NO_RTT};    //!< latest
    Time min_rtt{NEVER}; //!< of the connection
    Time max_rtt{0};     //!< of the connection

    void on_ack(const Ack& ack)
    {
        if (ack.rtt == NO_RTT)
        {
            return;
        }
        rtt = ack.rtt;
        min_rtt = std::min(min_rtt, ack.rtt);
        max_rtt = std::max(max_rtt, ack.rtt);
    }

    bool is_known() const
    {
        return rtt != NO_RTT;
    }

    /// Of a round trip.
    double of_s(Time round_trip) const
    {
        return seconds(round_trip - min_rtt);
    }

    /// q_max.
    double max_s() const
    {
        return of_s(max_rtt);
    }
};

} // namespace longfat::core

#endif
