// SPDX-License-Identifier: GPL-2.0-only
//
// What a query of the Performance Transparency Protocol carries (M. Welzl, "Scalable performance
// signalling and congestion avoidance", Kluwer 2003; paper: survey): every router that speaks PTP
// writes down, for the link that the packet takes, whose it is, how fast it is, how many bytes it has
// sent so far, and when that was. It works nothing out and remembers nothing.

#ifndef LONGFAT_SEGMENT_PATH_QUERY_H
#define LONGFAT_SEGMENT_PATH_QUERY_H

#include "../../cc/path-queries.h"

#include <array>
#include <cstdint>

namespace longfat::segment
{

struct PathQuery
{
    enum Kind : uint8_t
    {
        NONE,
        QUERY,
        ANSWER, //!< with what the query has brought
    };

    static constexpr uint32_t MOST = 8;   //!< records that a packet has room for
    static constexpr uint32_t BYTES = 16; //!< of a record: four fields of 32 bits each

    Kind kind{NONE};
    uint8_t routers{0}; //!< on the way
    uint8_t records{0}; //!< written by those that speak PTP
    uint32_t number{0};
    std::array<LinkRecord, MOST> record;

    /// Another packet, that is no query.
    void Clear()
    {
        kind = NONE;
        routers = records = 0;
    }

    void Add(const LinkRecord& written)
    {
        if (records < MOST)
        {
            record[records++] = written;
        }
    }
};

} // namespace longfat::segment

#endif
