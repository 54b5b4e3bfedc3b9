// SPDX-License-Identifier: GPL-2.0-only
//
// For a congestion control that asks the routers of its path how busy they are, by packets of their own
// (the Performance Transparency Protocol; paper: survey). An engine whose routers answer gives it a
// PathQueries. Where none does, it is told nothing, and is what it is without.

#ifndef LONGFAT_PATH_QUERIES_H
#define LONGFAT_PATH_QUERIES_H

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>
#include <vector>

namespace longfat
{

/// What a router writes into a query, of the link that the query takes.
struct LinkRecord
{
    uint32_t link;  //!< its address
    double rateBps; //!< nominal
    uint64_t bytes; //!< that it has sent so far, headers included
    int64_t atNs;   //!< when that was, by the router's clock
};

class PathQueries
{
  public:
    virtual ~PathQueries() = default;

    /// Send a query; the receiver answers at once, with its number.
    virtual void AskPath(uint32_t number) = 0;

    /// Bytes of headers in front of a segment's payload.
    virtual uint32_t GetHeaderBytes() const = 0;

    /// Call OnQueryTimer after that time.
    virtual void SetQueryTimer(ns3::Time after) = 0;
};

class PathQueriesSignal
{
  public:
    using Tcb = ns3::Ptr<ns3::TcpSocketState>;

    virtual ~PathQueriesSignal() = default;

    /// The connection is there.
    virtual void SetPathQueries(Tcb tcb, PathQueries* queries) = 0;

    /// The answer to a query: what routers wrote, and whether all of them did.
    virtual void OnPathAnswer(Tcb tcb,
                              uint32_t number,
                              const std::vector<LinkRecord>& records,
                              bool isWhole) = 0;

    virtual void OnQueryTimer(Tcb tcb) = 0;

    /// After an ACK, also of a recovery: set window and pace. False: the engine does, as ever.
    virtual bool SetsPace(Tcb tcb) = 0;
};

} // namespace longfat

#endif
