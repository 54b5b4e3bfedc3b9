// SPDX-License-Identifier: GPL-2.0-only
//
// The window that Reno would have, below which CUBIC's does not stay (RFC 9438, section 4.3; cubic.h):
//
//     W_est <- W_est + alpha n / cwnd, alpha = 3 (1 - beta) / (1 + beta), or 1 from cwnd_prior on   (4)
//
// By RFC 8312 it is a straight line of time. Linux 6.12 leaves alpha as it is from cwnd_prior on.

#ifndef LONGFAT_CUBIC_RENO_FRIENDLY_H
#define LONGFAT_CUBIC_RENO_FRIENDLY_H

#include <cstdint>

namespace longfat
{

class CubicRenoFriendly
{
  public:
    /// A loss at that window.
    void OnLoss(double window)
    {
        m_priorWindow = window;
    }

    /// Congestion avoidance begins at that window.
    void Start(double window)
    {
        m_window = window;
    }

    /// So many segments are acknowledged, at that window (4).
    void OnAck(uint32_t segments, double window, double beta, bool asLinux)
    {
        const bool raised = !asLinux && m_window >= m_priorWindow;
        m_window += (raised ? 1 : Alpha(beta)) * segments / window;
    }

    /// By RFC 8312, its (4), t after congestion avoidance began.
    void SetByTime(double t, double rttS, double maxWindow, double beta)
    {
        m_window = maxWindow * beta + Alpha(beta) * t / rttS;
    }

    /// W_est, in segments.
    double Window() const
    {
        return m_window;
    }

  private:
    static double Alpha(double beta)
    {
        return 3 * (1 - beta) / (1 + beta);
    }

    double m_priorWindow{0}; //!< cwnd_prior, in segments
    double m_window{0};      //!< W_est, in segments
};

} // namespace longfat

#endif
