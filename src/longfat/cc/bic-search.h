// SPDX-License-Identifier: GPL-2.0-only
//
// The search of BIC for W_max, the window at which the last loss was (Xu, Harfoush and Rhee 2004,
// section III: binary search increase, additive increase, and beyond W_max slow start), with the
// constant B = 4 of its authors' code in Linux. A round trip adds, in segments,
//
//     w < W_max     (W_max - w) / B, at most S_max; B / (smooth part) where that is at most 1
//     w >= W_max    B / (smooth part) for B segments, then (w - W_max) / (B - 1), at most S_max

#ifndef LONGFAT_BIC_SEARCH_H
#define LONGFAT_BIC_SEARCH_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class BicSearch
{
  public:
    struct Settings
    {
        uint32_t maxIncrease; //!< S_max, in segments
        uint32_t lowWindow;   //!< standard TCP below, in segments
        uint32_t smoothPart;  //!< round trips
        bool whole;           //!< quotients are whole, as in ns-3 and Linux
    };

    /// How many ACKs add a segment to a window of w segments.
    double GetAcks(double w, const Settings& settings) const
    {
        double acks = w / settings.maxIncrease;
        const double distance = Quotient((m_lastMax - w) / B, settings);
        if (w < settings.lowWindow)
        {
            return w;
        }
        if (w < m_lastMax && distance <= 1)
        {
            acks = w * settings.smoothPart / B;
        }
        else if (w < m_lastMax && distance <= settings.maxIncrease)
        {
            acks = w / distance;
        }
        else if (w >= m_lastMax && w < m_lastMax + B)
        {
            acks = w * settings.smoothPart / B;
        }
        else if (w >= m_lastMax && w < m_lastMax + settings.maxIncrease * (B - 1))
        {
            acks = w * (B - 1) / (w - m_lastMax);
        }
        acks = m_lastMax == 0 ? std::min(acks, 20.0) : acks; // Linux: a twentieth a round trip
        return std::max(Quotient(acks, settings), 1.0);
    }

    /// A loss at a window of w segments, where W_max becomes w; `lower`, if w had not come up to W_max
    /// again (fast convergence).
    void OnLoss(double w, double lower)
    {
        m_lastMax = w < m_lastMax ? lower : w;
    }

  private:
    static constexpr double B = 4;

    static double Quotient(double quotient, const Settings& settings)
    {
        return settings.whole ? std::floor(quotient) : quotient;
    }

    double m_lastMax{0}; //!< W_max, in segments; 0: no loss yet
};

} // namespace longfat

#endif
