// SPDX-License-Identifier: GPL-2.0-only
//
// W_est, the window that Reno would have, as ns-3 3.44's CUBIC has it (cubic-ns3.h): in whole segments, and
// its slope stays alpha (RFC 8312).

#ifndef LONGFAT_CUBIC_NS3_RENO_FRIENDLY_H
#define LONGFAT_CUBIC_NS3_RENO_FRIENDLY_H

#include <cstdint>

namespace longfat
{

class CubicNs3RenoFriendly
{
  public:
    /// So many segments are acknowledged.
    void OnAck(uint32_t segments)
    {
        m_delivered += segments;
    }

    /// Congestion avoidance begins at that window, with an ACK of so many segments.
    void Start(uint32_t window, uint32_t segments)
    {
        m_delivered = segments;
        m_window = window;
    }

    /// It grows by a segment for each 1 / alpha windows that are delivered.
    void Grow(uint32_t window, double partLeft)
    {
        const double beta = 1024 * partLeft;
        const auto scale = static_cast<uint32_t>(8 * (1024 + beta) / 3 / (1024 - beta));
        const uint32_t round = (window * scale) >> 3;
        while (m_delivered > round)
        {
            m_delivered -= round;
            ++m_window;
        }
    }

    /// W_est, in segments.
    uint32_t Window() const
    {
        return m_window;
    }

  private:
    uint32_t m_window{0};    //!< W_est, in segments
    uint32_t m_delivered{0}; //!< segments since it last grew
};

} // namespace longfat

#endif
