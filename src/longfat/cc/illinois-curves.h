// SPDX-License-Identifier: GPL-2.0-only
//
// The curves of TCP-Illinois (Liu, Basar and Srikant 2008, section 3; see illinois.h): alpha (segments a
// round trip) and beta (the part that a loss takes) follow from the mean queueing delay d_a of a round
// trip, with d_m the largest, d_1 = d_m / 100, d_2 = d_m / 10 and d_3 = 8 d_m / 10:
//
//     alpha = alpha_max up to d_1; then falls as k_1 / (k_2 + d_a), to alpha_min at d_m
//     beta  = beta_min up to d_2; then rises linearly, to beta_max at d_3
//
// Once d_a was above d_1, alpha is alpha_max again only after d_a has stayed below it for theta
// round trips. ns-3 and Linux go on counting these when d_a rises again.

#ifndef LONGFAT_ILLINOIS_CURVES_H
#define LONGFAT_ILLINOIS_CURVES_H

#include <cstdint>

namespace longfat
{

class IllinoisCurves
{
  public:
    struct Settings
    {
        double alphaMin;
        double alphaMax;
        double betaMin;
        double betaMax;
        uint32_t theta; //!< round trips
        bool asNs3;     //!< go on counting them
    };

    double alpha{10}; //!< segments a round trip
    double beta{0.5}; //!< the part that a loss takes

    /// Standard TCP's.
    void SetStandard()
    {
        alpha = 1;
        beta = 0.5;
    }

    void OnTimeout()
    {
        SetStandard();
        m_low = 0;
        m_above = false;
    }

    /// A round trip is over, with its mean queueing delay d_a and the largest d_m, in one unit.
    void Update(const Settings& settings, double delay, double largest)
    {
        UpdateAlpha(settings, delay, largest);
        const double d2 = largest / 10;
        const double d3 = 8 * largest / 10;
        const double slope = settings.betaMax - settings.betaMin;
        beta = delay <= d2 ? settings.betaMin
               : delay < d3
                   ? (settings.betaMin * d3 - settings.betaMax * d2 + slope * delay) / (d3 - d2)
                   : settings.betaMax;
    }

  private:
    void UpdateAlpha(const Settings& settings, double delay, double largest)
    {
        const double d1 = largest / 100;
        if (delay > d1)
        {
            m_above = true;
            m_low = settings.asNs3 ? m_low : 0;
            alpha = (largest - d1) * settings.alphaMax /
                    (largest - d1 +
                     (delay - d1) * (settings.alphaMax - settings.alphaMin) / settings.alphaMin);
            return;
        }
        alpha = m_above ? alpha : settings.alphaMax;
        if (++m_low >= settings.theta)
        {
            m_low = 0;
            m_above = false;
            alpha = settings.alphaMax;
        }
    }

    bool m_above{false}; //!< d_a has been above d_1
    uint8_t m_low{0};    //!< round trips that d_a has been below d_1
};

} // namespace longfat

#endif
