// SPDX-License-Identifier: GPL-2.0-only
//
// What a run counts, and how its answer tells it (host.py reads that).

#ifndef LONGFAT_NS3_COUNTS_H
#define LONGFAT_NS3_COUNTS_H

#include "../json.h"
#include "../series.h"
#include "spec.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace longfat
{

/// What happened to the packets of one direction of a link.
struct LinkCount
{
    uint64_t overflow{0};  //!< dropped by the full queue
    uint64_t sent{0};      //!< transmissions finished
    uint64_t sentBytes{0}; //!< the same in bytes, all headers included
    uint64_t lost{0};      //!< at the far end, by loss per packet or per bit
    uint64_t outage{0};    //!< at the far end, by an outage
    SeriesByName series;   //!< those that are kept
};

/// What a sender has done.
struct SenderCount
{
    uint64_t segments{0}; //!< sent, retransmissions included
    uint64_t retransmissions{0};
    uint64_t recoveries{0}; //!< times that loss recovery was entered
    uint64_t timeouts{0};   //!< times that the retransmission timer expired
    double givenUpS{std::numeric_limits<double>::quiet_NaN()}; //!< when it gave up, if it did
};

/// What has come of a flow, and what its senders have done: with relays there are several.
struct FlowCount : SenderCount
{
    uint64_t deliveredBytes{0}; //!< payload, in order, read by the receiver at the end
    double completionS{std::numeric_limits<double>::quiet_NaN()}; //!< when the last byte was read
    SeriesByName series;                                          //!< those that are kept

    void Add(const SenderCount& sender)
    {
        segments += sender.segments;
        retransmissions += sender.retransmissions;
        recoveries += sender.recoveries;
        timeouts += sender.timeouts;
        givenUpS = std::fmin(givenUpS, sender.givenUpS); // the one that is a number
    }
};

inline void
Write(JsonWriter& json, const LinkSpec& link, const LinkCount& count)
{
    json.Name("source").Text(link.source);
    json.Name("target").Text(link.target);
    json.Name("packets_sent").Number(count.sent);
    json.Name("packets_lost").Number(count.lost);
    json.Name("packets_lost_in_outage").Number(count.outage);
    json.Name("packets_dropped_by_queue").Number(count.overflow);
}

inline void
Write(JsonWriter& json, const FlowCount& count)
{
    json.Name("delivered_bytes").Number(count.deliveredBytes);
    json.Name("completion_s").Number(count.completionS);
    json.Name("segments_sent").Number(count.segments);
    json.Name("retransmissions").Number(count.retransmissions);
    json.Name("recoveries").Number(count.recoveries);
    json.Name("timeouts").Number(count.timeouts);
    if (!std::isnan(count.givenUpS))
    {
        json.Name("given_up_s").Number(count.givenUpS);
    }
}

} // namespace longfat

#endif
