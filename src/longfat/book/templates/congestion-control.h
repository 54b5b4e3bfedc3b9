// SPDX-License-Identifier: GPL-2.0-only
//
// My experiment: AIMD, with both of its numbers to be turned. Windows are in segments, W is the window.
//
//     slow start             W <- W + 1           an ACK            RFC 5681, (2)
//     congestion avoidance   W <- W + a / W       an ACK            RFC 5681, (3)
//     congestion             ssthresh <- max((1 - b) FlightSize, 2) RFC 5681, (4)
//
// With a = 1 and b = 1/2 it is `newreno`, to the last digit: what you change is all that differs. What an
// Ack, a Congestion and the other events tell is in congestion-control.h; book/contributing.md,
// "A congestion control of your own", says what to build on.

#ifndef LONGFAT_CC_MY_EXPERIMENT_H
#define LONGFAT_CC_MY_EXPERIMENT_H

#include "model.h"
#include "slow-start.h"

#include <algorithm>
#include <array>

namespace longfat::core
{

class MyExperiment
{
  public:
    static constexpr Entry entry{
        .name = "my-experiment", .title = "My experiment", .source = "an experiment"};

    static constexpr auto parameters()
    {
        return std::array{Parameter<MyExperiment>{"increase_segments",
                                                  &MyExperiment::m_increase,
                                                  1,
                                                  0,
                                                  1000,
                                                  "segments",
                                                  "a, added a round trip"},
                          Parameter<MyExperiment>{"decrease",
                                                  &MyExperiment::m_decrease,
                                                  0.5,
                                                  0,
                                                  1,
                                                  "",
                                                  "b, the part that a loss takes"}};
    }

    /// Growth: only where the window has kept segments from being sent. Where receiver or application
    /// limit, a window that grew would come to any size, and no loss be felt.
    Control on_ack(const Ack& ack, Control now)
    {
        if (!ack.may_grow() || !ack.cwnd_limited)
        {
            return now;
        }
        if (now.in_slow_start())
        {
            return m_slow_start.on_ack(ack, now);
        }
        now.cwnd += m_increase / now.cwnd;
        return now;
    }

    double ssthresh(const Congestion& congestion, const Control&)
    {
        return std::max((1 - m_decrease) * congestion.segments(congestion.flight_size), 2.0);
    }

  private:
    double m_increase{};
    double m_decrease{};
    SlowStart m_slow_start;
};

LONGFAT_CONGESTION_CONTROL(MyExperiment);

} // namespace longfat::core

#endif
