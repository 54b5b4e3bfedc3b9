// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC's congestion avoidance (RFC 9438, sections 4.2 to 4.8; cubic.h): the window goes to the cubic
// function's of a round trip later (cubic-function.h), and is not below Reno's (cubic-reno-friendly.h).

#ifndef LONGFAT_CUBIC_AVOIDANCE_H
#define LONGFAT_CUBIC_AVOIDANCE_H

#include "cubic-epoch.h"
#include "cubic-function.h"
#include "cubic-reno-friendly.h"
#include "cubic-settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class CubicAvoidance
{
  public:
    /// At that window, in segments.
    void OnLoss(double window, const CubicSettings& settings)
    {
        m_cubic.OnLoss(window, settings.beta, settings.fastConvergence);
        m_reno.OnLoss(window);
        epoch.End();
    }

    void OnTimeout()
    {
        m_cubic.OnTimeout();
    }

    /// The window after an ACK of so many segments, by the smoothed round trip.
    double OnAck(double w, uint32_t segmentsAcked, double rttS, const CubicSettings& settings)
    {
        const double beta = settings.beta;
        if (epoch.Start())
        {
            m_cubic.Start(settings.c, w, beta, settings.rfc8312);
            m_reno.Start(w);
        }
        const double t = epoch.Time();
        if (settings.rfc8312)
        {
            m_reno.SetByTime(t, rttS, m_cubic.MaxWindow(), beta);
        }
        else
        {
            m_reno.OnAck(segmentsAcked, w, beta, settings.asLinux);
        }
        if (settings.renoFriendly && m_cubic.At(t) < m_reno.Window())
        {
            return std::max(w, m_reno.Window());
        }
        const double most = settings.rfc8312 ? INFINITY : 1.5 * w;
        return w + (std::clamp(m_cubic.At(t + rttS), w, most) - w) / w;
    }

    CubicEpoch epoch;

  private:
    CubicFunction m_cubic;
    CubicRenoFriendly m_reno;
};

} // namespace longfat

#endif
