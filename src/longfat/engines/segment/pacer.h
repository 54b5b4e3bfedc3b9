// SPDX-License-Identifier: GPL-2.0-only
//
// Pacing: segments are spread over time, at the rate that the congestion control has decided.

#ifndef LONGFAT_CORE_PACER_H
#define LONGFAT_CORE_PACER_H

#include "congestion-control.h"

#include <algorithm>
#include <cmath>

namespace longfat::core
{

/// When the next segment may leave.
class Pacer
{
  public:
    Time next() const
    {
        return m_next;
    }

    /// A segment leaves now. The fraction of a nanosecond is kept.
    void on_sent(Time now, uint32_t bytes, double rate_bps)
    {
        const double begins = m_next >= now ? m_fraction : 0;
        const double takes = std::min(8e9 * bytes / rate_bps + begins, 4e18);
        const Time base = std::max(m_next, now);
        const double whole = std::floor(takes);
        m_next = whole > static_cast<double>(NEVER - base) ? NEVER : base + Time(whole);
        m_fraction = takes - whole;
    }

  private:
    Time m_next{0};
    double m_fraction{0};
};

} // namespace longfat::core

#endif
