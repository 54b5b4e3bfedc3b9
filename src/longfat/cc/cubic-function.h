// SPDX-License-Identifier: GPL-2.0-only
//
// The cubic function (RFC 9438, section 4.2; cubic.h), in segments and seconds since congestion avoidance
// began:
//
//     W_cubic(t) = C (t - K)^3 + W_max                                 (1)
//     K = cbrt((W_max - cwnd_epoch) / C)                               (2)

#ifndef LONGFAT_CUBIC_FUNCTION_H
#define LONGFAT_CUBIC_FUNCTION_H

#include <algorithm>
#include <cmath>

namespace longfat
{

class CubicFunction
{
  public:
    /// A loss at that window; with fast convergence it gives way when W_max falls (section 4.7).
    void OnLoss(double window, double beta, bool fastConvergence)
    {
        const bool converge = fastConvergence && window < m_maxWindow;
        m_maxWindow = converge ? window * (1 + beta) / 2 : window;
    }

    /// W_max will be the window, and K zero (section 4.8).
    void OnTimeout()
    {
        m_maxWindow = 0;
    }

    /// Congestion avoidance begins at that window. By RFC 8312 K comes from W_max alone.
    void Start(double c, double window, double beta, bool rfc8312)
    {
        m_c = c;
        m_maxWindow = std::max(m_maxWindow, window);
        const double below = rfc8312 ? m_maxWindow * (1 - beta) : m_maxWindow - window;
        m_k = m_maxWindow > window ? CubeRoot(below / m_c) : 0; // (2)
    }

    /// W_cubic(t), (1).
    double At(double t) const
    {
        const double d = t - m_k;
        return m_c * (d * d * d) + m_maxWindow;
    }

    /// W_max, in segments; 0: none.
    double MaxWindow() const
    {
        return m_maxWindow;
    }

  private:
    /// The cube root of a positive number, to the last digit: C++ libraries differ in it, and a
    /// simulation would with them. What the library gives is corrected by Newton's method in twice
    /// its precision.
    static double CubeRoot(double x)
    {
        const double root = std::cbrt(x);
        const double square = root * root;
        const double cube = square * root;
        const double rest = std::fma(square, root, -cube) + std::fma(root, root, -square) * root;
        return root - ((cube - x) + rest) / (3 * square);
    }

    double m_c{0};         //!< C, in segments/s^3
    double m_k{0};         //!< K, in s
    double m_maxWindow{0}; //!< W_max, in segments; 0: none
};

} // namespace longfat

#endif
