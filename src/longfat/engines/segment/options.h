// SPDX-License-Identifier: GPL-2.0-only
//
// What packets carry besides TCP, few of them: IP's time to live, XCP's congestion header
// (draft-falk-xcp-spec-03, section 3), the options of Quick-Start (RFC 4782, sections 3 and 4), and a
// congestion control's probes and queries. Rates are in bytes a second.

#ifndef LONGFAT_CORE_OPTIONS_H
#define LONGFAT_CORE_OPTIONS_H

#include "congestion-control.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace longfat::core
{

/// XCP's congestion header. Each router may lower the feedback.
struct CongestionHeader
{
    bool present{false};
    uint8_t ttl{0};      //!< as IP's, but only routers that speak XCP take one from it
    double rtt_s{0};     //!< smoothed round trip of the flow; 0: not yet known
    double spacing_s{0}; //!< X: round trip over the segments of a window
    double feedback{0};  //!< Delta_Throughput: what this packet may add to the flow's rate
};

/// A rate of Quick-Start: 40 kb/s times a power of 2, in four bits; 0: none.
struct QuickStartRate
{
    static constexpr uint8_t LARGEST = 15;

    static constexpr double bps(uint8_t code)
    {
        return code == 0 ? 0 : 40'000.0 * static_cast<double>(1u << code);
    }

    /// The largest that is not more than that.
    static constexpr uint8_t at_most(double rate_bps)
    {
        uint8_t code = 0;
        while (code < LARGEST && bps(code + 1) <= rate_bps)
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
    static constexpr uint32_t mask(uint8_t rate)
    {
        return (1u << 2 * rate) - 1;
    }
};

/// A probe, or a query into which each router that speaks PTP writes a record of the link that the
/// packet takes: whose it is, how fast it is, how much it has sent. And the answer to either.
struct Question
{
    enum Kind : uint8_t
    {
        NONE,
        PROBE,
        QUERY,
    };

    static constexpr std::size_t MOST_RECORDS = 8; //!< that a query has room for
    static constexpr uint32_t RECORD_BYTES = 16;   //!< four fields of 32 bits each

    Kind kind{NONE};
    bool is_answer{false};
    uint32_t routers{0}; //!< on the way
    uint64_t number{0};
    Time asked{0};
    std::vector<LinkRecord> records;
};

struct Options
{
    static constexpr uint8_t TTL = 64;

    uint8_t ttl{TTL}; //!< each router takes one
    CongestionHeader xcp;
    RouterFeedback echo; //!< XCP's, of an acknowledgment
    QuickStart quick_start;
    Question question;

    /// What the segment has waited at a base station that adds it to the timestamp (WTCP), or that one
    /// has which caused the acknowledgment. Apart from the timestamp, for round trips are not taken
    /// from that.
    Time hidden{0};

    /// Any router forwards the packet.
    void on_router()
    {
        --ttl;
        question.routers += !question.is_answer;
    }
};

/// A value that few owners have. It is copied with its owner, and costs others a comparison.
template <class T>
class Rare
{
  public:
    Rare() = default;

    Rare(const Rare& other)
        : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr)
    {
    }

    Rare(Rare&&) = default;
    Rare& operator=(Rare&&) = default;

    Rare& operator=(const Rare& other)
    {
        if (m_value || other.m_value) [[unlikely]]
        {
            assign(other);
        }
        return *this;
    }

    explicit operator bool() const
    {
        return m_value != nullptr;
    }

    T& operator*() const
    {
        return *m_value;
    }

    T* operator->() const
    {
        return m_value.get();
    }

    /// A fresh one, in place of what was there.
    T& emplace()
    {
        m_value = std::make_unique<T>();
        return *m_value;
    }

    void reset()
    {
        m_value.reset();
    }

  private:
    [[gnu::noinline]]
    void assign(const Rare& other)
    {
        if (m_value && other.m_value)
        {
            *m_value = *other.m_value;
        }
        else
        {
            m_value = other.m_value ? std::make_unique<T>(*other.m_value) : nullptr;
        }
    }

    std::unique_ptr<T> m_value;
};

/// Numbers that need only be different: a step of splitmix64 (Steele, Lea and Flood 2014).
inline uint64_t
scrambled(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

} // namespace longfat::core

#endif
