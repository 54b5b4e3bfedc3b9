// SPDX-License-Identifier: GPL-2.0-only
//
// CHD's shadow window s (paper: ucc, equation 3; see chd.h): what a NewReno window would be beside
// loss-based flows. At a back-off from a window w at a delay h, with h_b the delay of the back-off before,
//
//     s <- max(w, s)   if h_b < h < q_th, or if h > q_th,  else  0     (3)
//
// and while it is not 0, it grows and is halved at a loss as NewReno's would. The "otherwise" of (3) is
// taken for a back-off outside of those conditions, as the authors' FreeBSD module has it: a round
// without a back-off leaves s alone.

#ifndef LONGFAT_CHD_SHADOW_WINDOW_H
#define LONGFAT_CHD_SHADOW_WINDOW_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

/// In bytes.
class ChdShadowWindow
{
  public:
    /// Equation (3), for the window before the back-off.
    void OnBackOff(uint32_t window, ns3::Time h, ns3::Time threshold)
    {
        const bool rising = h < threshold && h > m_lastDelay; // A of (3)
        m_bytes = rising || h > threshold ? std::max(window, m_bytes) : 0;
        m_lastDelay = h;
    }

    /// The window has grown by so much.
    void Grow(uint32_t bytes)
    {
        m_bytes += m_bytes > 0 ? bytes : 0;
    }

    /// A loss leaves two segments at least.
    void Halve(uint32_t segmentSize)
    {
        m_bytes = m_bytes > 0 ? std::max(2 * segmentSize, m_bytes / 2) : 0;
    }

    uint32_t Get() const
    {
        return m_bytes;
    }

  private:
    uint32_t m_bytes{0};   //!< s
    ns3::Time m_lastDelay; //!< h_b
};

} // namespace longfat

#endif
