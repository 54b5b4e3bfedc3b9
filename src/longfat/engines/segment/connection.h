// SPDX-License-Identifier: GPL-2.0-only
//
// What the two ends of a connection have in common: the sizes and times that ns-3's TCP gives its
// packets.

#ifndef LONGFAT_SEGMENT_CONNECTION_H
#define LONGFAT_SEGMENT_CONNECTION_H

#include "faults.h"
#include "../right-sizing.h"
#include "link.h"
#include "scoreboard.h"

#include <cmath>
#include <functional>

namespace longfat::segment
{

// TcpSocketBase's constants.
constexpr uint32_t SYN_RETRIES = 6;         //!< ConnCount
constexpr uint32_t DATA_RETRIES = 6;        //!< timeouts in a row before it gives up
constexpr uint32_t UNSCALED_WINDOW = 65535; //!< the most that a SYN can advertise (RFC 7323)
constexpr uint32_t DUP_ACK_THRESHOLD = 3;
constexpr Ticks PERSIST_TIMEOUT = 6'000'000'000;
constexpr Ticks LONGEST_TIMEOUT = 60'000'000'000;

// Bytes on the wire: PPP 2, IPv4 20, TCP 20, and options in words of 4.
constexpr uint32_t HEADER_BYTES = 42;
constexpr uint32_t TIMESTAMP_BYTES = 12; //!< 10 and padding

constexpr uint32_t
WireBytes(uint32_t optionBytes)
{
    return HEADER_BYTES + (optionBytes + 3) / 4 * 4;
}

/// How long a first SYN waits; doubled every time. RFC 6298, 2.1; in ns-3 it is ConnTimeout.
constexpr Ticks
SynTimeout(Faults faults)
{
    return faults.Has(Fault::SYN_TIMEOUT) ? 3'000'000'000 : 1'000'000'000;
}

/// Timestamp, window scale, SACK permitted.
constexpr uint32_t
SynWireBytes(bool timestamps, bool sack)
{
    return WireBytes((timestamps ? 10 : 0) + 3 + (sack ? 2 : 0));
}

constexpr uint32_t
AckWireBytes(bool timestamps, uint32_t sackBlocks)
{
    return WireBytes((timestamps ? 10 : 0) + (sackBlocks > 0 ? 2 + 8 * sackBlocks : 0));
}

/// A time as timestamps tell it.
inline Ticks
Milliseconds(Ticks time)
{
    return time / 1'000'000;
}

} // namespace longfat::segment

#endif
