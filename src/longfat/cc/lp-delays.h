// SPDX-License-Identifier: GPL-2.0-only
//
// The one-way delays of TCP-LP (Kuzmanovic and Knightly 2003, section III), in ms:
//
//     sd <- 7/8 sd + 1/8 d
//     early congestion:  sd > d_min + 0.15 (d_max - d_min)
//
// In ns-3 3.44 the quotients are whole, and d_max is the largest delay but one, as in Linux.

#ifndef LONGFAT_LP_DELAYS_H
#define LONGFAT_LP_DELAYS_H

#include <algorithm>
#include <cmath>

namespace longfat
{

class LpDelays
{
  public:
    void Measure(double ms, bool asNs3)
    {
        m_smallestMs = std::min(m_smallestMs, ms);
        if (asNs3 && ms > m_largestMs && ms > m_reserveMs)
        {
            m_largestMs = m_reserveMs == 0 ? ms : m_reserveMs;
            m_reserveMs = ms;
        }
        else
        {
            m_largestMs = std::max(m_largestMs, ms);
        }
        m_delaysMs = m_delaysMs == 0 ? 8 * ms : m_delaysMs + ms - Quotient(m_delaysMs / 8, asNs3);
    }

    bool IsEarlyCongestion(bool asNs3) const
    {
        const double margin = Quotient(15 * (m_largestMs - m_smallestMs) / 100, asNs3);
        return m_smallestMs != NONE && Quotient(m_delaysMs / 8, asNs3) > m_smallestMs + margin;
    }

    /// d_min at sd, d_max at 2 sd.
    void BeginAnew(bool asNs3)
    {
        m_smallestMs = Quotient(m_delaysMs / 8, asNs3);
        m_largestMs = m_reserveMs = Quotient(m_delaysMs / 4, asNs3);
    }

  private:
    static constexpr double NONE = 0xffffffff;

    static double Quotient(double quotient, bool asNs3)
    {
        return asNs3 ? std::floor(quotient) : quotient;
    }

    double m_delaysMs{0};      //!< 8 sd
    double m_smallestMs{NONE}; //!< d_min
    double m_largestMs{0};     //!< d_max
    double m_reserveMs{0};     //!< ns-3's largest delay, before it counts
};

} // namespace longfat

#endif
