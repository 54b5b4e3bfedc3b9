// SPDX-License-Identifier: GPL-2.0-only
//
// What routers read and write in a packet beyond its address: IP's time to live, XCP's congestion
// header (draft-falk-xcp-spec-03, section 3) and the options of Quick-Start (RFC 4782, sections 3 and
// 4). Rates are in bytes a second.

#ifndef LONGFAT_SEGMENT_ROUTER_HEADER_H
#define LONGFAT_SEGMENT_ROUTER_HEADER_H

#include <algorithm>
#include <cstdint>

namespace longfat::segment
{

/// XCP's congestion header. Each router may lower the feedback.
struct CongestionHeader
{
    bool isThere{false};
    uint8_t ttl{0};     //!< as IP's, but only routers that speak XCP take one from it
    double rttS{0};     //!< smoothed round trip of the flow; 0: not yet known
    double spacingS{0}; //!< X: round trip over the segments of a window
    double feedback{0}; //!< Delta_Throughput: what this packet may add to the flow's rate
};

/// What an ACK tells the sender of the congestion headers that have come since the last one.
struct CongestionEcho
{
    bool isThere{false};
    bool isSilent{false}; //!< a router on the way does not speak XCP
    double feedback{0};   //!< Reverse_Feedback: the sum
};

/// A rate of Quick-Start: 40 kb/s times a power of 2, in four bits; 0: none.
struct QuickStartRate
{
    static constexpr uint8_t LARGEST = 15;

    static constexpr double Bps(uint8_t code)
    {
        return code == 0 ? 0 : 40'000.0 * static_cast<double>(1u << code);
    }

    /// The largest that is not more than that.
    static constexpr uint8_t AtMost(double bps)
    {
        uint8_t code = 0;
        while (code < LARGEST && Bps(code + 1) <= bps)
        {
            ++code;
        }
        return code;
    }
};

/// Quick-Start's option of IP, or of TCP in the response. Of the nonce each step from a rate to the
/// next lower one has two bits, the lowest step the last: a router that lowers the rate writes
/// over those of the steps that it takes, so that a receiver cannot claim more than it was given.
struct QuickStart
{
    enum Kind : uint8_t
    {
        NONE,
        REQUEST,
        RESPONSE,
        REPORT, //!< of the approved rate
    };

    Kind kind{NONE};
    uint8_t rate{0};
    uint8_t ttl{0}; //!< REQUEST: routers that speak Quick-Start take one; RESPONSE: IP's less this
    uint32_t nonce{0};

    /// The bits that one who was approved that rate must know.
    static constexpr uint32_t Mask(uint8_t rate)
    {
        return (1u << 2 * rate) - 1;
    }
};

struct RouterHeader
{
    static constexpr uint8_t TTL = 64;

    uint8_t ttl{TTL}; //!< each router takes one
    CongestionHeader xcp;
    CongestionEcho echo;
    QuickStart quickStart;
};

/// Numbers that need only be different: a step of splitmix64 (Steele, Lea and Flood 2014).
inline uint64_t
Scrambled(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

} // namespace longfat::segment

#endif
