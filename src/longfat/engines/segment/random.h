// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers: P. L'Ecuyer's MRG32k3a ("Good parameters and implementations for combined multiple
// recursive random number generators", 1999), with the streams and substreams of P. L'Ecuyer,
// R. Simard, E. J. Chen and W. D. Kelton ("An object-oriented random-number package with many long
// streams and substreams", 2002). A link's stream is numbered as ns-3 numbers it, and the scenario's
// seed is the substream, so that every engine loses the same packets of a link.

#ifndef LONGFAT_CORE_RANDOM_H
#define LONGFAT_CORE_RANDOM_H

#include <array>
#include <cstdint>

namespace longfat::core
{

class Random
{
  public:
    /// Streams are 2^127 numbers apart, their substreams 2^76.
    Random(uint64_t stream, uint64_t substream)
    {
        static const Powers one(ONE);
        static const Powers two(TWO);
        constexpr uint64_t FIRST_STATED = uint64_t(1) << 63; // ns-3 gives those before to who asks
        m_one.fill(1);
        m_two.fill(1);
        advance(m_one, ONE, one, FIRST_STATED + stream, 127);
        advance(m_two, TWO, two, FIRST_STATED + stream, 127);
        advance(m_one, ONE, one, substream, 76);
        advance(m_two, TWO, two, substream, 76);
    }

    /// Uniform, from 0 to less than 1.
    double uniform()
    {
        const int64_t one = modulo<M1>(1'403'580 * m_one[1] - 810'728 * m_one[0]);
        m_one = {m_one[1], m_one[2], one};
        const int64_t two = modulo<M2>(527'612 * m_two[2] - 1'370'589 * m_two[0]);
        m_two = {m_two[1], m_two[2], two};
        return static_cast<double>(one > two ? one - two : one - two + M1) * (1.0 / (M1 + 1.0));
    }

  private:
    using Row = std::array<uint64_t, 3>;
    using Matrix = std::array<Row, 3>;

    static constexpr int64_t M1 = 4'294'967'087; // 2^32 - 209
    static constexpr int64_t M2 = 4'294'944'443; // 2^32 - 22853
    static constexpr int DOUBLINGS = 191;        // the last is what goes 2^190 numbers ahead

    /// One of both generators: what multiplies the last three numbers, and the modulus.
    struct Step
    {
        Matrix matrix;
        uint64_t modulus;
    };

    static constexpr Step ONE{{{{0, 1, 0}, {0, 0, 1}, {M1 - 810'728, 1'403'580, 0}}}, M1};
    static constexpr Step TWO{{{{0, 1, 0}, {0, 0, 1}, {M2 - 1'370'589, 0, 527'612}}}, M2};

    /// By i: what goes 2^i numbers ahead.
    struct Powers
    {
        explicit Powers(const Step& step)
        {
            power[0] = step.matrix;
            for (int i = 1; i < DOUBLINGS; ++i)
            {
                power[i] = square(power[i - 1], step.modulus);
            }
        }

        Matrix power[DOUBLINGS];
    };

    static Matrix square(const Matrix& a, uint64_t modulus)
    {
        Matrix squared{};
        for (int i = 0; i < 3; ++i)
        {
            for (int j = 0; j < 3; ++j)
            {
                for (int k = 0; k < 3; ++k)
                {
                    squared[i][j] = (squared[i][j] + a[i][k] * a[k][j] % modulus) % modulus;
                }
            }
        }
        return squared;
    }

    /// Go on by `count` times 2^exponent numbers.
    static void advance(std::array<int64_t, 3>& state,
                        const Step& step,
                        const Powers& powers,
                        uint64_t count,
                        int exponent)
    {
        for (int bit = 0; bit < 64; ++bit)
        {
            if (count >> bit & 1)
            {
                const Matrix& matrix = powers.power[exponent + bit];
                std::array<int64_t, 3> next{};
                for (int i = 0; i < 3; ++i)
                {
                    uint64_t sum = 0;
                    for (int k = 0; k < 3; ++k)
                    {
                        const auto old = static_cast<uint64_t>(state[k]);
                        sum = (sum + matrix[i][k] * old % step.modulus) % step.modulus;
                    }
                    next[i] = static_cast<int64_t>(sum);
                }
                state = next;
            }
        }
    }

    template <int64_t M>
    static int64_t modulo(int64_t value)
    {
        const int64_t rest = value % M;
        return rest < 0 ? rest + M : rest;
    }

    std::array<int64_t, 3> m_one; //!< the last three numbers of the first generator
    std::array<int64_t, 3> m_two; //!< of the second
};

} // namespace longfat::core

#endif
