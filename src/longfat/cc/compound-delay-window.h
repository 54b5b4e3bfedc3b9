// SPDX-License-Identifier: GPL-2.0-only
//
// The delay window dwnd of Compound TCP (Tan, Song, Zhang and Sridharan 2006), which
// adds to NewReno's window cwnd: win = cwnd + dwnd, in segments. Once a round trip, with diff
// packets in the queue,
//
//     dwnd <- dwnd + (alpha win^k - 1)^+    if diff < gamma
//     dwnd <- (dwnd - zeta diff)^+          if diff >= gamma
//
// and at a loss dwnd <- (win (1 - beta) - cwnd / 2)^+.

#ifndef LONGFAT_COMPOUND_DELAY_WINDOW_H
#define LONGFAT_COMPOUND_DELAY_WINDOW_H

#include <algorithm>
#include <cmath>

namespace longfat
{

class CompoundDelayWindow
{
  public:
    struct Settings
    {
        double alpha;
        double exponent; //!< k
        double gamma;    //!< in packets
        double zeta;
    };

    /// dwnd, in segments.
    double Get() const
    {
        return m_dwnd;
    }

    /// A timeout, and slow start after it, have none.
    void Clear()
    {
        m_dwnd = 0;
    }

    /// A round trip is over; returns win after it.
    double EndRound(double win, double diff, const Settings& settings)
    {
        const double before = std::min(m_dwnd, win);
        m_dwnd = diff < settings.gamma
                     ? before + std::max(0.0, settings.alpha * std::pow(win, settings.exponent) - 1)
                     : std::max(0.0, before - settings.zeta * diff);
        return std::max(2.0, win + m_dwnd - before);
    }

    /// Duplicate ACKs revealed a loss; returns win after it.
    double Reduce(double win, double beta)
    {
        const double halfOfLossWindow = std::max(0.0, win - m_dwnd) / 2;
        m_dwnd = std::max(0.0, win * (1 - beta) - halfOfLossWindow);
        return halfOfLossWindow + m_dwnd;
    }

  private:
    double m_dwnd{0};
};

} // namespace longfat

#endif
