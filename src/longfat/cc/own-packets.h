// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender needs that sends packets of its own kind: probes without data, which the receiver
// answers at once, and supplement segments, which carry new data beyond the window and may have a low
// priority, so that a queue that is full drops them first. An algorithm that wants them inherits
// OwnPacketsSignal; an engine that has them gives it an OwnPackets. Where none does, it is told
// nothing, and is what it is without.

#ifndef LONGFAT_OWN_PACKETS_H
#define LONGFAT_OWN_PACKETS_H

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

/// How data are sent again after a time in which none were.
enum class Resumption
{
    UNCHANGED,  //!< window and threshold as they were
    HALVED,     //!< the threshold is GetSsThresh's, and so is the window
    SLOW_START, //!< as after a timeout
};

/// What an engine does for such a sender.
class OwnPackets
{
  public:
    virtual ~OwnPackets() = default;

    /// Send a packet with so much that is no data; the receiver answers at once, with its number.
    virtual void SendProbe(uint32_t number, uint32_t bytes, bool lowPriority) = 0;

    /// Send the next new segment whatever the window; it is not in flight by the window's count, and
    /// its loss is none that reduces it. Returns false when there is none, or no room for it.
    virtual bool SendSupplement(bool lowPriority) = 0;

    /// Call OnOwnTimer after that time (0: never); it replaces what was set before.
    virtual void SetOwnTimer(ns3::Time after) = 0;

    /// After Suspends: go on sending data.
    virtual void Resume(Resumption how) = 0;

    /// Window advertised by the receiver, in segments.
    virtual uint32_t GetReceiverWindow() const = 0;
};

/// Wants to send packets of its own.
class OwnPacketsSignal
{
  public:
    using Tcb = ns3::Ptr<ns3::TcpSocketState>;

    virtual ~OwnPacketsSignal() = default;

    /// The connection is there.
    virtual void SetOwnPackets(Tcb tcb, OwnPackets* own) = 0;

    /// A timeout, or else the beginning of a recovery. True: neither happens, and no data are sent
    /// until Resume.
    virtual bool Suspends(Tcb /* tcb */, bool /* timeout */)
    {
        return false;
    }

    /// The answer to a probe that was sent then.
    virtual void OnProbeAnswer(Tcb /* tcb */, uint32_t /* number */, ns3::Time /* sent */)
    {
    }

    /// The receiver reports a supplement segment.
    virtual void OnSupplementArrived(Tcb /* tcb */)
    {
    }

    virtual void OnOwnTimer(Tcb /* tcb */)
    {
    }
};

} // namespace longfat

#endif
