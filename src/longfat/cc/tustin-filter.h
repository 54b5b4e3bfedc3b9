// SPDX-License-Identifier: GPL-2.0-only
//
// Westwood's low-pass filter with the time constant T, by Tustin's approximation (Mascolo et al.
// 2001, section 2.2; paper: tcpj, equation 2):
//
//     BW <- ((2T/D - 1) BW + b_k + b_{k-1}) / (2T/D + 1),      D = t_k - t_{k-1}      (2)
//
// Where no ACK comes for T/2, a sample of zero is put in its place, so that the estimate falls
// while nothing arrives (m = 2 there). An ACK less than 10 ms after such a moment belongs to the
// interval before it: a sample over almost no time would be arbitrarily large.

#ifndef LONGFAT_TUSTIN_FILTER_H
#define LONGFAT_TUSTIN_FILTER_H

#include <cmath>

namespace longfat
{

/// Bandwidths are in bit/s, times in s.
class TustinFilter
{
  public:
    /// After so many bits, so long after the last ones: the intervals without an ACK first.
    double Update(double bandwidth, double bits, double intervalS, double constantS)
    {
        const double longestS = constantS / 2;
        double idle = std::floor(intervalS / longestS);
        if (idle > 0 && intervalS - idle * longestS < 0.01)
        {
            --idle;
        }
        bandwidth = AfterZeros(bandwidth, idle, constantS);
        const double restS = intervalS - idle * longestS;
        const double sample = bits / restS;
        bandwidth = Step(bandwidth, sample + (idle > 0 ? 0 : m_lastSample), restS, constantS);
        m_lastSample = sample;
        return bandwidth;
    }

    /// After a silence.
    double AfterSilence(double bandwidth, double silenceS, double constantS) const
    {
        return AfterZeros(bandwidth, std::floor(silenceS / (constantS / 2)), constantS);
    }

  private:
    static double Step(double bandwidth, double samples, double intervalS, double constantS)
    {
        const double ratio = 2 * constantS / intervalS;
        return ((ratio - 1) * bandwidth + samples) / (ratio + 1);
    }

    /// After that many samples of zero.
    double AfterZeros(double bandwidth, double samples, double constantS) const
    {
        for (double i = 0; i < samples; ++i)
        {
            bandwidth = Step(bandwidth, i == 0 ? m_lastSample : 0, constantS / 2, constantS);
        }
        return bandwidth;
    }

    double m_lastSample{0}; //!< b_{k-1}
};

} // namespace longfat

#endif
