// SPDX-License-Identifier: GPL-2.0-only
//
// For a congestion control that routers tell its rate: what it writes into the header of a segment,
// and what an ACK brings back. An engine whose routers speak XCP calls it.

#ifndef LONGFAT_ROUTER_FEEDBACK_H
#define LONGFAT_ROUTER_FEEDBACK_H

#include "ns3/tcp-socket-state.h"

namespace longfat
{

class RouterFeedback
{
  public:
    /// What the header of the next segment says.
    struct Request
    {
        double rttS;     //!< smoothed round trip; 0: not yet known
        double spacingS; //!< round trip over the segments of a window
        double change;   //!< of its rate, that the flow would like by this segment, bytes/s
    };

    virtual ~RouterFeedback() = default;

    virtual Request Ask(ns3::Ptr<const ns3::TcpSocketState> tcb) const = 0;

    /// An ACK has brought that change of the rate, in bytes/s.
    virtual void OnFeedback(ns3::Ptr<ns3::TcpSocketState> tcb, double change) = 0;

    /// A router on the way says nothing: whoever sends is on his own.
    virtual void OnSilence() = 0;
};

} // namespace longfat

#endif
