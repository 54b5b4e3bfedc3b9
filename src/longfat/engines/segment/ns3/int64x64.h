// SPDX-License-Identifier: GPL-2.0-only
//
// A number with 64 bits before its point and 64 after it, in which ns-3 converts times: every digit
// of a result rests on how it rounds, so this one rounds alike, without the long double that ns-3
// rounds through (WebAssembly's is another).

#ifndef LONGFAT_STANDIN_INT64X64_H
#define LONGFAT_STANDIN_INT64X64_H

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>

namespace ns3
{

class int64x64_t
{
  public:
    using Wide = __int128;
    using UnsignedWide = unsigned __int128;

    constexpr int64x64_t() = default;

    constexpr int64x64_t(int value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    constexpr int64x64_t(long value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    constexpr int64x64_t(long long value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    constexpr int64x64_t(unsigned value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    constexpr int64x64_t(unsigned long value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    constexpr int64x64_t(unsigned long long value)
        : m_bits(static_cast<Wide>(value) << 64)
    {
    }

    /// To the nearest number that fits.
    int64x64_t(double value)
    {
        const double size = std::fabs(value);
        const double whole = std::floor(size);
        const double scaled = std::ldexp(size - whole, 64);
        const double low = std::floor(scaled);
        const UnsignedWide bits = (static_cast<UnsignedWide>(whole) << 64) +
                                  static_cast<UnsignedWide>(low) + (scaled - low >= 0.5);
        m_bits = value < 0 ? -static_cast<Wide>(bits) : static_cast<Wide>(bits);
    }

    static constexpr int64x64_t FromBits(Wide bits)
    {
        int64x64_t number;
        number.m_bits = bits;
        return number;
    }

    /// To 64 significant bits, then to the 53 of a double, as by x86's long double.
    double GetDouble() const
    {
        const UnsignedWide size = m_bits < 0 ? -static_cast<UnsignedWide>(m_bits) : m_bits;
        const uint64_t high = size >> 64;
        const uint64_t low = static_cast<uint64_t>(size);
        double value;
        if (high == 0)
        {
            value = static_cast<double>(low) * 0x1p-64;
        }
        else
        {
            const int cut = 64 - std::countl_zero(high); // bits that go; at least one
            uint64_t kept = static_cast<uint64_t>(size >> cut);
            const uint64_t rest = low << (64 - cut);
            constexpr uint64_t HALF = uint64_t(1) << 63;
            double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + cut - 64) << 52);
            if (rest > HALF || (rest == HALF && (kept & 1)))
            {
                if (++kept == 0)
                {
                    kept = HALF;
                    scale *= 2;
                }
            }
            value = static_cast<double>(kept) * scale;
        }
        return m_bits < 0 ? -value : value;
    }

    constexpr int64_t GetHigh() const
    {
        return static_cast<int64_t>(m_bits >> 64);
    }

    constexpr uint64_t GetLow() const
    {
        return static_cast<uint64_t>(m_bits);
    }

    /// Towards zero.
    constexpr int64_t GetInt() const
    {
        return m_bits < 0 ? -static_cast<int64_t>(-m_bits >> 64) : GetHigh();
    }

    /// To the nearest whole number, halves away from zero.
    constexpr int64_t Round() const
    {
        constexpr Wide HALF = static_cast<Wide>(1) << 63;
        return m_bits < 0 ? -static_cast<int64_t>((-m_bits + HALF) >> 64)
                          : static_cast<int64_t>((m_bits + HALF) >> 64);
    }

    int64x64_t& operator+=(const int64x64_t& other)
    {
        m_bits += other.m_bits;
        return *this;
    }

    int64x64_t& operator-=(const int64x64_t& other)
    {
        m_bits -= other.m_bits;
        return *this;
    }

    int64x64_t& operator*=(const int64x64_t& other)
    {
        const UnsignedWide a = Size(m_bits);
        const UnsignedWide b = Size(other.m_bits);
        const uint64_t aLow = static_cast<uint64_t>(a);
        const uint64_t bLow = static_cast<uint64_t>(b);
        const uint64_t aHigh = a >> 64;
        const uint64_t bHigh = b >> 64;
        const UnsignedWide product = (static_cast<UnsignedWide>(aLow) * bLow >> 64) +
                                     static_cast<UnsignedWide>(aHigh) * bLow +
                                     static_cast<UnsignedWide>(aLow) * bHigh +
                                     (static_cast<UnsignedWide>(aHigh) * bHigh << 64);
        m_bits = (m_bits < 0) != (other.m_bits < 0) ? -static_cast<Wide>(product)
                                                    : static_cast<Wide>(product);
        return *this;
    }

    /// Rounds towards zero.
    int64x64_t& operator/=(const int64x64_t& other)
    {
        const UnsignedWide a = Size(m_bits);
        const UnsignedWide b = Size(other.m_bits);
        UnsignedWide quotient = a / b;
        UnsignedWide rest = a % b;
        if (static_cast<uint64_t>(b) == 0) // two whole numbers, or a whole divisor at least
        {
            const UnsignedWide divisor = b >> 64;
            quotient = quotient << 64 | rest / divisor;
        }
        else
        {
            for (int bit = 0; bit < 64; ++bit)
            {
                const bool carry = rest >> 127;
                rest <<= 1;
                quotient <<= 1;
                if (carry || rest >= b)
                {
                    rest -= b;
                    quotient |= 1;
                }
            }
        }
        m_bits = (m_bits < 0) != (other.m_bits < 0) ? -static_cast<Wide>(quotient)
                                                    : static_cast<Wide>(quotient);
        return *this;
    }

    int64x64_t operator-() const
    {
        return FromBits(-m_bits);
    }

    friend int64x64_t operator+(int64x64_t a, const int64x64_t& b)
    {
        return a += b;
    }

    friend int64x64_t operator-(int64x64_t a, const int64x64_t& b)
    {
        return a -= b;
    }

    friend int64x64_t operator*(int64x64_t a, const int64x64_t& b)
    {
        return a *= b;
    }

    friend int64x64_t operator/(int64x64_t a, const int64x64_t& b)
    {
        return a /= b;
    }

    friend constexpr bool operator==(const int64x64_t& a, const int64x64_t& b)
    {
        return a.m_bits == b.m_bits;
    }

    friend constexpr auto operator<=>(const int64x64_t& a, const int64x64_t& b)
    {
        return a.m_bits <=> b.m_bits;
    }

  private:
    static UnsignedWide Size(Wide bits)
    {
        return bits < 0 ? -static_cast<UnsignedWide>(bits) : static_cast<UnsignedWide>(bits);
    }

    Wide m_bits{0};
};

} // namespace ns3

#endif
