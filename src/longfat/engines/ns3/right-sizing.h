// SPDX-License-Identifier: GPL-2.0-only
//
// How large a receive buffer is that grows with its connection, as Linux's does (net/ipv4/
// tcp_input.c). It counts payload, where Linux counts the memory that holds it.

#ifndef LONGFAT_NS3_RIGHT_SIZING_H
#define LONGFAT_NS3_RIGHT_SIZING_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

constexpr uint32_t SMALLEST_AUTO_BUFFER = 65'536;
constexpr uint32_t LARGEST_AUTO_BUFFER = 64'000'000;

/// Dynamic right-sizing (M. Fisk and W. Feng, "Dynamic right-sizing in TCP", 2001): once each round
/// trip, room for twice what the application would read in the next one, if that grows as the last
/// one did.
class RightSizing
{
  public:
    /// A receiver knows the round trip from its timestamps, once for each that comes back; both
    /// times are in milliseconds.
    void OnEcho(uint32_t echo, uint32_t now)
    {
        if (echo == m_lastEcho)
        {
            return;
        }
        m_lastEcho = echo;
        const ns3::Time sample = ns3::MilliSeconds(now > echo ? now - echo : 0);
        m_rtt = m_rtt.IsZero()
                    ? sample
                    : ns3::NanoSeconds((7 * m_rtt.GetNanoSeconds() + sample.GetNanoSeconds()) / 8);
    }

    /// Without timestamps it takes a round trip, or longer, until a whole window has come: so much in
    /// order so far, and the window of now.
    void OnData(uint64_t delivered, uint32_t window, ns3::Time now)
    {
        if (m_windowEnd > 0 && delivered < m_windowEnd)
        {
            return;
        }
        if (m_windowEnd > 0)
        {
            const ns3::Time sample = std::max(now - m_windowSince, ns3::NanoSeconds(1));
            m_rtt = m_rtt.IsZero() ? sample : std::min(m_rtt, sample);
        }
        m_windowEnd = delivered + window;
        m_windowSince = now;
    }

    /// The application has read so much; returns how large the buffer should be, 0 for as it is.
    uint32_t OnRead(uint32_t bytes, ns3::Time now)
    {
        m_read += bytes;
        if (bytes == 0 || m_rtt.IsZero() || now - m_since < m_rtt)
        {
            return 0;
        }
        double wanted = 0;
        if (m_read > m_readBefore)
        {
            const double growth = m_readBefore > 0 ? double(m_read) / m_readBefore : 2;
            wanted = std::min<double>(2 * growth * m_read, LARGEST_AUTO_BUFFER);
            m_readBefore = m_read;
        }
        m_read = 0;
        m_since = now;
        return static_cast<uint32_t>(wanted);
    }

  private:
    ns3::Time m_rtt; //!< smoothed; 0: not known yet
    uint32_t m_lastEcho{0};
    uint64_t m_windowEnd{0};  //!< without timestamps: the last byte of the window that is coming
    ns3::Time m_windowSince;  //!< and when it began
    ns3::Time m_since;        //!< beginning of this round trip
    uint64_t m_read{0};       //!< in this round trip
    uint64_t m_readBefore{0}; //!< in the round trip that read most
};

} // namespace longfat

#endif
