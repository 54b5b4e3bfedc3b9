// SPDX-License-Identifier: GPL-2.0-only
//
// A rate, in whole bit/s.

#ifndef LONGFAT_STANDIN_DATA_RATE_H
#define LONGFAT_STANDIN_DATA_RATE_H

#include "nstime.h"

#include <compare>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ns3
{

class DataRate
{
  public:
    constexpr DataRate() = default;

    constexpr DataRate(uint64_t bitsPerSecond)
        : m_bps(bitsPerSecond)
    {
    }

    /// From a number and its unit: bps, kbps, Mbps or Gbps, with b/s in place of bps if need be.
    DataRate(const std::string& text)
    {
        char* unit;
        const double number = std::strtod(text.c_str(), &unit);
        while (*unit == ' ')
        {
            ++unit;
        }
        const char prefix = *unit;
        const double scale = prefix == 'G' ? 1e9 : prefix == 'M' ? 1e6 : prefix == 'k' ? 1e3 : 1;
        m_bps = static_cast<uint64_t>(number * scale);
    }

    constexpr uint64_t GetBitRate() const
    {
        return m_bps;
    }

    Time CalculateBytesTxTime(uint32_t bytes) const
    {
        return CalculateBitsTxTime(bytes * 8);
    }

    Time CalculateBitsTxTime(uint32_t bits) const
    {
        return Seconds(int64x64_t(bits) / int64x64_t(m_bps));
    }

    constexpr auto operator<=>(const DataRate&) const = default;

    constexpr DataRate operator+(DataRate other) const
    {
        return m_bps + other.m_bps;
    }

    constexpr DataRate operator-(DataRate other) const
    {
        return m_bps - other.m_bps;
    }

    constexpr DataRate operator*(double factor) const
    {
        return static_cast<uint64_t>(m_bps * factor);
    }

    constexpr DataRate operator*(uint64_t factor) const
    {
        return m_bps * factor;
    }

    constexpr DataRate& operator+=(DataRate other)
    {
        return *this = *this + other;
    }

    constexpr DataRate& operator-=(DataRate other)
    {
        return *this = *this - other;
    }

    constexpr DataRate& operator*=(double factor)
    {
        return *this = *this * factor;
    }

    constexpr DataRate& operator*=(uint64_t factor)
    {
        return *this = *this * factor;
    }

  private:
    uint64_t m_bps{0};
};

/// Bits in so much time.
inline double
operator*(const DataRate& rate, const Time& time)
{
    return time.GetSeconds() * rate.GetBitRate();
}

inline double
operator*(const Time& time, const DataRate& rate)
{
    return rate * time;
}

} // namespace ns3

#endif
