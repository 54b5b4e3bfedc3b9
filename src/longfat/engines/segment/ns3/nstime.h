// SPDX-License-Identifier: GPL-2.0-only
//
// Simulated time, in nanoseconds.

#ifndef LONGFAT_STANDIN_NSTIME_H
#define LONGFAT_STANDIN_NSTIME_H

#include "int64x64.h"

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ns3
{

class Time
{
  public:
    enum Unit
    {
        S,
        MS,
        US,
        NS,
    };

    constexpr Time() = default;

    explicit constexpr Time(int ticks)
        : m_ticks(ticks)
    {
    }

    explicit constexpr Time(long ticks)
        : m_ticks(ticks)
    {
    }

    explicit constexpr Time(long long ticks)
        : m_ticks(ticks)
    {
    }

    explicit constexpr Time(unsigned ticks)
        : m_ticks(ticks)
    {
    }

    explicit constexpr Time(unsigned long ticks)
        : m_ticks(static_cast<int64_t>(ticks))
    {
    }

    explicit constexpr Time(unsigned long long ticks)
        : m_ticks(static_cast<int64_t>(ticks))
    {
    }

    explicit Time(double ticks)
        : m_ticks(std::llround(ticks))
    {
    }

    explicit constexpr Time(const int64x64_t& ticks)
        : m_ticks(ticks.Round())
    {
    }

    static constexpr Time Min()
    {
        return Time(std::numeric_limits<int64_t>::min());
    }

    static constexpr Time Max()
    {
        return Time(std::numeric_limits<int64_t>::max());
    }

    static Time FromDouble(double value, Unit unit)
    {
        return From(int64x64_t(value), unit);
    }

    static constexpr Time FromInteger(uint64_t value, Unit unit)
    {
        return Time(static_cast<int64_t>(value) * TICKS[unit]);
    }

    static Time From(const int64x64_t& value, Unit unit)
    {
        return Time(value * int64x64_t(TICKS[unit]));
    }

    static constexpr Time From(const int64x64_t& ticks)
    {
        return Time(ticks);
    }

    constexpr bool IsZero() const
    {
        return m_ticks == 0;
    }

    /// Zero as well: so in ns-3.
    constexpr bool IsNegative() const
    {
        return m_ticks <= 0;
    }

    constexpr bool IsPositive() const
    {
        return m_ticks >= 0;
    }

    constexpr bool IsStrictlyNegative() const
    {
        return m_ticks < 0;
    }

    constexpr bool IsStrictlyPositive() const
    {
        return m_ticks > 0;
    }

    constexpr int Compare(const Time& other) const
    {
        return m_ticks < other.m_ticks ? -1 : m_ticks > other.m_ticks;
    }

    constexpr int64_t GetTimeStep() const
    {
        return m_ticks;
    }

    constexpr int64_t GetInteger() const
    {
        return m_ticks;
    }

    constexpr double GetDouble() const
    {
        return static_cast<double>(m_ticks);
    }

    double GetSeconds() const
    {
        return ToDouble(S);
    }

    double GetMinutes() const
    {
        return ToDouble(S) / 60;
    }

    constexpr int64_t GetMilliSeconds() const
    {
        return ToInteger(MS);
    }

    constexpr int64_t GetMicroSeconds() const
    {
        return ToInteger(US);
    }

    constexpr int64_t GetNanoSeconds() const
    {
        return m_ticks;
    }

    /// Towards zero.
    constexpr int64_t ToInteger(Unit unit) const
    {
        return m_ticks / TICKS[unit];
    }

    double ToDouble(Unit unit) const
    {
        return m_ticks == 0 ? 0 : To(unit).GetDouble();
    }

    /// Nanoseconds times the inverse of the unit, to 128 bits, cut off after 64: as ns-3 does it.
    int64x64_t To(Unit unit) const
    {
        using Wide = int64x64_t::UnsignedWide;
        if (unit == NS)
        {
            return m_ticks;
        }
        const auto size = static_cast<uint64_t>(m_ticks < 0 ? -m_ticks : m_ticks);
        const Wide inverse = INVERSE[unit];
        const Wide product = static_cast<Wide>(size) * static_cast<uint64_t>(inverse >> 64) +
                             (static_cast<Wide>(size) * static_cast<uint64_t>(inverse) >> 64);
        const auto bits = static_cast<int64x64_t::Wide>(product);
        return int64x64_t::FromBits(m_ticks < 0 ? -bits : bits);
    }

    constexpr auto operator<=>(const Time&) const = default;

    constexpr Time& operator+=(const Time& other)
    {
        m_ticks += other.m_ticks;
        return *this;
    }

    constexpr Time& operator-=(const Time& other)
    {
        m_ticks -= other.m_ticks;
        return *this;
    }

  private:
    /// In nanoseconds, by unit.
    static constexpr int64_t TICKS[] = {1'000'000'000, 1'000'000, 1000, 1};

    /// 2^128 over that, rounded up; not of a nanosecond.
    static constexpr int64x64_t::UnsignedWide INVERSE[] = {
        ~int64x64_t::UnsignedWide(0) / TICKS[S] + 1,
        ~int64x64_t::UnsignedWide(0) / TICKS[MS] + 1,
        ~int64x64_t::UnsignedWide(0) / TICKS[US] + 1,
    };

    int64_t m_ticks{0};
};

constexpr Time
operator+(const Time& a, const Time& b)
{
    return Time(a.GetTimeStep() + b.GetTimeStep());
}

constexpr Time
operator-(const Time& a, const Time& b)
{
    return Time(a.GetTimeStep() - b.GetTimeStep());
}

inline Time
operator*(const Time& a, const int64x64_t& b)
{
    return Time(int64x64_t(a.GetTimeStep()) * b);
}

inline Time
operator*(const int64x64_t& a, const Time& b)
{
    return b * a;
}

template <class T>
std::enable_if_t<std::is_integral_v<T>, Time>
operator*(const Time& a, T b)
{
    return Time(a.GetTimeStep() * b);
}

template <class T>
std::enable_if_t<std::is_floating_point_v<T>, Time>
operator*(const Time& a, T b)
{
    return a * int64x64_t(static_cast<double>(b));
}

template <class T>
std::enable_if_t<std::is_arithmetic_v<T>, Time>
operator*(T a, const Time& b)
{
    return b * a;
}

inline int64x64_t
operator/(const Time& a, const Time& b)
{
    return int64x64_t(a.GetTimeStep()) / int64x64_t(b.GetTimeStep());
}

inline Time
operator/(const Time& a, const int64x64_t& b)
{
    return Time(int64x64_t(a.GetTimeStep()) / b);
}

template <class T>
std::enable_if_t<std::is_integral_v<T>, Time>
operator/(const Time& a, T b)
{
    return Time(a.GetTimeStep() / b);
}

template <class T>
std::enable_if_t<std::is_floating_point_v<T>, Time>
operator/(const Time& a, T b)
{
    return a / int64x64_t(static_cast<double>(b));
}

constexpr Time
operator%(const Time& a, const Time& b)
{
    return Time(a.GetTimeStep() % b.GetTimeStep());
}

constexpr int64_t
Div(const Time& a, const Time& b)
{
    return a.GetTimeStep() / b.GetTimeStep();
}

constexpr Time
Abs(const Time& a)
{
    return a.IsStrictlyNegative() ? Time(-a.GetTimeStep()) : a;
}

constexpr Time
Max(const Time& a, const Time& b)
{
    return a < b ? b : a;
}

constexpr Time
Min(const Time& a, const Time& b)
{
    return b < a ? b : a;
}

inline Time
Seconds(double value)
{
    return Time::FromDouble(value, Time::S);
}

inline Time
Seconds(const int64x64_t& value)
{
    return Time::From(value, Time::S);
}

constexpr Time
MilliSeconds(uint64_t value)
{
    return Time::FromInteger(value, Time::MS);
}

inline Time
MilliSeconds(const int64x64_t& value)
{
    return Time::From(value, Time::MS);
}

constexpr Time
MicroSeconds(uint64_t value)
{
    return Time::FromInteger(value, Time::US);
}

inline Time
MicroSeconds(const int64x64_t& value)
{
    return Time::From(value, Time::US);
}

constexpr Time
NanoSeconds(uint64_t value)
{
    return Time::FromInteger(value, Time::NS);
}

inline Time
NanoSeconds(const int64x64_t& value)
{
    return Time::From(value, Time::NS);
}

constexpr Time
TimeStep(uint64_t ticks)
{
    return Time(ticks);
}

} // namespace ns3

#include "attribute.h" // TimeValue and its like

#endif
