// SPDX-License-Identifier: GPL-2.0-only
//
// Sequence numbers, which begin again after the largest: the later of two is the one that is less
// than half of them all ahead.

#ifndef LONGFAT_STANDIN_SEQUENCE_NUMBER_H
#define LONGFAT_STANDIN_SEQUENCE_NUMBER_H

#include <cstdint>

namespace ns3
{

template <class UNSIGNED, class SIGNED>
class SequenceNumber
{
  public:
    constexpr SequenceNumber() = default;

    explicit constexpr SequenceNumber(UNSIGNED value)
        : m_value(value)
    {
    }

    constexpr SequenceNumber& operator=(UNSIGNED value)
    {
        m_value = value;
        return *this;
    }

    constexpr UNSIGNED GetValue() const
    {
        return m_value;
    }

    constexpr SequenceNumber& operator++()
    {
        ++m_value;
        return *this;
    }

    constexpr SequenceNumber operator++(int)
    {
        return SequenceNumber(m_value++);
    }

    constexpr SequenceNumber& operator--()
    {
        --m_value;
        return *this;
    }

    constexpr SequenceNumber& operator+=(SIGNED delta)
    {
        m_value += delta;
        return *this;
    }

    constexpr SequenceNumber& operator-=(SIGNED delta)
    {
        m_value -= delta;
        return *this;
    }

    friend constexpr SequenceNumber operator+(const SequenceNumber& a, SIGNED delta)
    {
        return SequenceNumber(static_cast<UNSIGNED>(a.m_value + delta));
    }

    friend constexpr SequenceNumber operator-(const SequenceNumber& a, SIGNED delta)
    {
        return SequenceNumber(static_cast<UNSIGNED>(a.m_value - delta));
    }

    friend constexpr SIGNED operator-(const SequenceNumber& a, const SequenceNumber& b)
    {
        return static_cast<SIGNED>(a.m_value - b.m_value);
    }

    friend constexpr bool operator==(const SequenceNumber&, const SequenceNumber&) = default;

    friend constexpr bool operator<(const SequenceNumber& a, const SequenceNumber& b)
    {
        return a - b < 0;
    }

    friend constexpr bool operator>(const SequenceNumber& a, const SequenceNumber& b)
    {
        return a - b > 0;
    }

    friend constexpr bool operator<=(const SequenceNumber& a, const SequenceNumber& b)
    {
        return a - b <= 0;
    }

    friend constexpr bool operator>=(const SequenceNumber& a, const SequenceNumber& b)
    {
        return a - b >= 0;
    }

  private:
    UNSIGNED m_value{0};
};

using SequenceNumber32 = SequenceNumber<uint32_t, int32_t>;

} // namespace ns3

#endif
