// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control can be told beside ACKs. An algorithm that wants a signal inherits its
// class; an engine, or any ns-3 program, calls it.

#ifndef LONGFAT_SIGNALS_H
#define LONGFAT_SIGNALS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace longfat
{

/// Wants to know when each acknowledged segment was sent and when it arrived.
class OneWayDelaySignal
{
  public:
    virtual ~OneWayDelaySignal() = default;

    /// The ACK that is about to be processed was caused by a segment sent and received then, both
    /// by the same exact clock.
    virtual void OnOneWayDelay(ns3::Time sent, ns3::Time received) = 0;
};

/// Wants to know when the receiver has moved to another network.
class HandoffSignal
{
  public:
    virtual ~HandoffSignal() = default;

    /// `local`: the path up to the last router is the same. `announced`: rate of the new radio
    /// link, 0 if it was not announced. `advertisedWindow`: in bytes.
    virtual void OnHandoff(bool local, ns3::DataRate announced, uint32_t advertisedWindow) = 0;
};

} // namespace longfat

#endif
