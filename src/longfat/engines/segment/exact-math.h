// SPDX-License-Identifier: GPL-2.0-only
//
// exp, log, pow and their like, of additions, multiplications and divisions alone, which IEEE 754
// rounds in one way: so their digits are the same on every machine, where a library's differ. Errors
// are below two units in the last place (tests/test_segment_parts.py).
//
//     log x    x = 2^k m, m from 0.707 to 1.414; with s = (m - 1) / (m + 1), |s| < 0.1716,
//              log m = 2 (s + s^3/3 + s^5/5 + ...): the term of s^23 is below 2^-60 of the first
//     exp x    x = k log 2 + r, |r| < 0.347; the series of e^r: the term of r^14 is below 2^-57
//
// pow(x, y) = exp(y log x) needs log x to more digits than it has room for: an error of 2^-53 in it
// becomes one of y log x 2^-53 in the power. The logarithm is therefore kept as the sum of two numbers.

#ifndef LONGFAT_CORE_EXACT_MATH_H
#define LONGFAT_CORE_EXACT_MATH_H

#include <cmath>
#include <limits>

namespace longfat::core
{

namespace exact
{

/// The sum of two numbers, the second below half a unit in the last place of the first.
struct Pair
{
    double high;
    double low;
};

constexpr double LN2_HIGH = 0x1.62e42fefa38p-1; //!< 42 bits: times a small whole number it is exact
constexpr double LN2_LOW = 0x1.ef35793c7673p-45; //!< the rest of log 2

/// What a + b is and what its rounding left out (D. E. Knuth, TAOCP, volume 2, 4.2.2).
inline Pair
add(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

/// The same of a b (T. J. Dekker, 1971): each factor in two halves whose products are exact.
inline Pair
multiply(double a, double b)
{
    constexpr double SPLIT = 134217729.0; // 2^27 + 1
    const double product = a * b;
    const double a_high = a * SPLIT - (a * SPLIT - a);
    const double b_high = b * SPLIT - (b * SPLIT - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    return {product,
            ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// log x of a positive, finite x.
inline Pair
log(double x)
{
    int k;
    double m = std::frexp(x, &k); // exact
    if (m < 0.70710678118654752)
    {
        m *= 2;
        --k;
    }
    const double numerator = m - 1; // exact
    const Pair denominator = add(m, 1);
    const double s = numerator / denominator.high;
    const Pair back = multiply(s, denominator.high);
    const double s_low =
        ((numerator - back.high) - back.low - s * denominator.low) / denominator.high;
    const double z = s * s;
    double series = 0;
    for (int n = 23; n >= 3; n -= 2)
    {
        series = (series + 1.0 / n) * z;
    }
    const Pair first = add(k * LN2_HIGH, 2 * s);
    const Pair sum = add(first.high, 2 * s * series);
    return add(sum.high, sum.low + (first.low + (2 * s_low + k * LN2_LOW)));
}

/// e to the power of high + low.
inline double
exp(double high, double low)
{
    if (!(high < 710))
    {
        return high != high ? high : std::numeric_limits<double>::infinity();
    }
    if (high < -746)
    {
        return 0;
    }
    const double k = std::floor(high * 1.4426950408889634 + 0.5);
    const double r = (high - k * LN2_HIGH) - (k * LN2_LOW - low);
    double series = 0;
    for (int n = 14; n >= 2; --n)
    {
        series = (series + 1) * r / n;
    }
    // e^r = 1 + r + r series; ldexp by a power that no double has goes in two steps.
    const double power = 1 + (r + r * series);
    const int half = static_cast<int>(k) / 2;
    return std::ldexp(std::ldexp(power, half), static_cast<int>(k) - half);
}

} // namespace exact

inline double
exact_log(double x)
{
    if (x > 0 && x <= std::numeric_limits<double>::max())
    {
        return exact::log(x).high;
    }
    return x == 0  ? -std::numeric_limits<double>::infinity()
           : x > 0 ? x
                   : std::numeric_limits<double>::quiet_NaN();
}

inline double
exact_exp(double x)
{
    return exact::exp(x, 0);
}

inline double
exact_exp2(double x)
{
    const double whole = std::floor(x);
    if (whole == x && x > -1000 && x < 1000)
    {
        return std::ldexp(1.0, static_cast<int>(x));
    }
    const exact::Pair product = exact::multiply(x, 0x1.62e42fefa39efp-1);
    return exact::exp(product.high, product.low + x * 0x1.abc9e3b39803fp-56);
}

/// x to the power of y, of x that is not negative.
inline double
exact_pow(double x, double y)
{
    if (x == 0 || y == 0 || x == 1)
    {
        return y == 0 || x == 1 ? 1 : y > 0 ? 0 : std::numeric_limits<double>::infinity();
    }
    const exact::Pair logarithm = exact::log(x);
    const exact::Pair product = exact::multiply(y, logarithm.high);
    return exact::exp(product.high, product.low + y * logarithm.low);
}

/// The cube root of a number that is not negative: two steps of Newton's method from nearby.
inline double
exact_cbrt(double x)
{
    if (x == 0)
    {
        return 0;
    }
    double root = exact_exp(exact_log(x) / 3);
    for (int i = 0; i < 2; ++i)
    {
        const exact::Pair square = exact::multiply(root, root);
        const exact::Pair cube = exact::multiply(square.high, root);
        const double rest = cube.low + square.low * root;
        root -= ((cube.high - x) + rest) / (3 * square.high);
    }
    return root;
}

} // namespace longfat::core

#endif
