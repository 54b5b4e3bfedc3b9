// SPDX-License-Identifier: GPL-2.0-only
//
// What the two ends of a connection have in common: sizes on the wire, and numbers of the RFCs.

#ifndef LONGFAT_CORE_CONNECTION_H
#define LONGFAT_CORE_CONNECTION_H

#include "link.h"

#include <functional>

namespace longfat::core
{

constexpr uint64_t SYN_RETRIES = 6;
constexpr Time SYN_TIMEOUT = 1'000'000'000; //!< RFC 6298, 2.1; doubled every time
constexpr Bytes UNSCALED_WINDOW = 65'535;   //!< the most that a SYN can advertise (RFC 7323)
constexpr Bytes LARGEST_WINDOW = UNSCALED_WINDOW << 14; //!< and other segments (section 2.3)

// Bytes on the wire: PPP 2, IPv4 20, TCP 20, and options in words of 4.
constexpr uint32_t HEADER_BYTES = 42;
constexpr uint32_t TIMESTAMP_BYTES = 12;  //!< 10 and padding
constexpr uint32_t UDP_HEADER_BYTES = 30; //!< PPP 2, IPv4 20, UDP 8

constexpr uint32_t
with_options(uint32_t option_bytes)
{
    return HEADER_BYTES + (option_bytes + 3) / 4 * 4;
}

/// Timestamp, window scale, SACK permitted.
constexpr uint32_t
syn_wire_bytes(bool timestamps, bool sack)
{
    return with_options((timestamps ? 10 : 0) + 3 + (sack ? 2 : 0));
}

constexpr uint32_t
ack_wire_bytes(bool timestamps, uint32_t sack_blocks)
{
    return with_options((timestamps ? 10 : 0) + (sack_blocks > 0 ? 2 + 8 * sack_blocks : 0));
}

/// What the engine finds wrong with itself: the first is told, and the run is given up.
class Checks
{
  public:
    void expect(bool good, const char* words)
    {
        if (!good && !m_wrong) [[unlikely]]
        {
            m_wrong = words;
        }
    }

    const char* wrong() const
    {
        return m_wrong;
    }

  private:
    const char* m_wrong{nullptr};
};

} // namespace longfat::core

#endif
