// SPDX-License-Identifier: GPL-2.0-only
//
// The one-way delays that LEDBAT keeps (RFC 6817, section 2.4.2): those of the last ACKs, and the
// smallest of each of the last minutes.
//
//     queuing_delay = min(current_delays) - min(base_delays)
//
// In ns-3 3.44 a minute is 61 s, the first begins at 0, and both lists keep one less.

#ifndef LONGFAT_LEDBAT_DELAYS_H
#define LONGFAT_LEDBAT_DELAYS_H

#include <algorithm>
#include <cstdint>
#include <deque>

namespace longfat
{

class LedbatDelays
{
  public:
    struct Settings
    {
        uint32_t filter;  //!< CURRENT_FILTER, in ACKs
        uint32_t history; //!< BASE_HISTORY, in minutes
        bool asNs3;       //!< as ns-3 3.44
    };

    /// A delay in ms, measured at that second.
    void Add(uint32_t ms, int64_t second, const Settings& settings)
    {
        Push(m_currentMs, ms, settings.filter, settings);
        if (m_baseMs.empty() || second - m_minute >= (settings.asNs3 ? 61 : 60))
        {
            m_minute = m_baseMs.empty() && settings.asNs3 ? 0 : second;
            Push(m_baseMs, ms, settings.history, settings);
        }
        m_baseMs.back() = std::min(m_baseMs.back(), ms);
    }

    /// queuing_delay, in ms.
    double GetQueuingDelayMs() const
    {
        return Smallest(m_currentMs) - Smallest(m_baseMs);
    }

  private:
    using Delays = std::deque<uint32_t>;

    static void Push(Delays& delays, uint32_t ms, uint32_t length, const Settings& settings)
    {
        delays.push_back(ms);
        if (delays.size() > (settings.asNs3 ? std::max(1U, length - 1) : length))
        {
            delays.pop_front();
        }
    }

    static double Smallest(const Delays& delays)
    {
        return *std::min_element(delays.begin(), delays.end());
    }

    Delays m_currentMs;  //!< current_delays
    Delays m_baseMs;     //!< base_delays
    int64_t m_minute{0}; //!< second at which the last of them began
};

} // namespace longfat

#endif
