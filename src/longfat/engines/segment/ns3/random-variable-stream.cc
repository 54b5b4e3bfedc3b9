// SPDX-License-Identifier: GPL-2.0-only

#include "random-variable-stream.h"

namespace ns3
{

namespace
{

using Row = std::array<uint64_t, 3>;
using Matrix = std::array<Row, 3>;

/// Both generators: what multiplies the last three numbers, and the modulus.
struct Step
{
    Matrix matrix;
    uint64_t modulus;
};

constexpr Step ONE{{{{0, 1, 0}, {0, 0, 1}, {4'294'967'087 - 810'728, 1'403'580, 0}}},
                   4'294'967'087};
constexpr Step TWO{{{{0, 1, 0}, {0, 0, 1}, {4'294'944'443 - 1'370'589, 0, 527'612}}},
                   4'294'944'443};

/// So many doublings: the last is what goes 2^190 numbers ahead.
constexpr int DOUBLINGS = 191;

constexpr Matrix
Square(const Matrix& a, uint64_t modulus)
{
    Matrix square{};
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                square[i][j] = (square[i][j] + a[i][k] * a[k][j] % modulus) % modulus;
            }
        }
    }
    return square;
}

/// By i: what goes 2^i numbers ahead.
struct Powers
{
    explicit Powers(const Step& step)
    {
        power[0] = step.matrix;
        for (int i = 1; i < DOUBLINGS; ++i)
        {
            power[i] = Square(power[i - 1], step.modulus);
        }
    }

    Matrix power[DOUBLINGS];
};

/// Go on by `count` times 2^exponent numbers.
void
Advance(std::array<int64_t, 3>& state,
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
                    sum = (sum + matrix[i][k] * static_cast<uint64_t>(state[k]) % step.modulus) %
                          step.modulus;
                }
                next[i] = static_cast<int64_t>(sum);
            }
            state = next;
        }
    }
}

} // namespace

RngStream::RngStream(uint32_t seed, uint64_t stream, uint64_t substream)
{
    static const Powers one(ONE);
    static const Powers two(TWO);
    m_one.fill(seed);
    m_two.fill(seed);
    Advance(m_one, ONE, one, stream, 127);
    Advance(m_two, TWO, two, stream, 127);
    Advance(m_one, ONE, one, substream, 76);
    Advance(m_two, TWO, two, substream, 76);
}

} // namespace ns3
