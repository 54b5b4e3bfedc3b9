// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP's response function (RFC 3649, section 5; paper: survey, equations 26 to 30). It goes
// through two points, (W_L segments, loss P_L) and (W_H segments, loss P_H); b_H = b(W_H):
//
//     p(w) = P_L (w / W_L)^(1 / S),  S = log(W_H / W_L) / log(P_H / P_L)              (26), (28)
//     b(w) = 1/2 + (b_H - 1/2) log(w / W_L) / log(W_H / W_L)                          (29)
//     a(w) = 2 w^2 p(w) b(w) / (2 - b(w))                                             (30)
//
// Up to W_L it is standard TCP's: a(w) = 1, b(w) = 1/2.

#ifndef LONGFAT_HIGHSPEED_RESPONSE_H
#define LONGFAT_HIGHSPEED_RESPONSE_H

#include <cmath>

namespace longfat
{

/// Begins with the RFC's points.
struct HighSpeedResponse
{
    double lowWindow{38};     //!< W_L, in segments
    double highWindow{83000}; //!< W_H, in segments
    double lowLoss{1e-3};     //!< P_L
    double highLoss{1e-7};    //!< P_H
    double highDecrease{0.1}; //!< b_H

    /// a(w), in segments a round trip: equation (30).
    double GetIncrease(double w) const
    {
        if (w <= lowWindow)
        {
            return 1;
        }
        const double s = std::log(highWindow / lowWindow) / std::log(highLoss / lowLoss);
        const double p = lowLoss * std::pow(w / lowWindow, 1 / s);
        const double b = GetDecrease(w);
        return 2 * w * w * p * b / (2 - b);
    }

    /// b(w), the part of the window that a loss takes: equation (29).
    double GetDecrease(double w) const
    {
        if (w <= lowWindow)
        {
            return 0.5;
        }
        return 0.5 +
               (highDecrease - 0.5) * std::log(w / lowWindow) / std::log(highWindow / lowWindow);
    }
};

} // namespace longfat

#endif
