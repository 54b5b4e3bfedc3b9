// SPDX-License-Identifier: GPL-2.0-only
//
// The times at which a link that follows a trace can deliver: R. Netravali et al., "Mahimahi:
// accurate record-and-replay for HTTP" (2015), mm-link(1). An opportunity carries 1500 bytes, is lost
// if nothing waits, and carries parts of packets; after the last the trace begins anew.

#ifndef LONGFAT_CORE_DELIVERY_TRACE_H
#define LONGFAT_CORE_DELIVERY_TRACE_H

#include "event.h"

#include <algorithm>

namespace longfat::core
{

class DeliveryTrace
{
  public:
    static constexpr uint32_t BYTES = 1500;

    /// By time, and the last is after 0 ms.
    explicit DeliveryTrace(const std::vector<uint32_t>& milliseconds)
        : m_milliseconds(milliseconds)
    {
    }

    /// The time of the next opportunity that has not been taken, from now on; it is taken.
    Time take(Time now)
    {
        const uint64_t period = m_milliseconds.back();
        const auto now_ms = static_cast<uint64_t>((now + MILLISECOND - 1) / MILLISECOND);
        // The end of a round is the beginning of the next: look from the round before on.
        uint64_t round = now_ms / period > 0 ? now_ms / period - 1 : 0;
        std::vector<uint32_t>::const_iterator found;
        for (;; ++round)
        {
            const uint64_t into = now_ms > round * period ? now_ms - round * period : 0;
            found = std::lower_bound(m_milliseconds.begin(), m_milliseconds.end(), into);
            if (found != m_milliseconds.end())
            {
                break;
            }
        }
        const uint64_t index =
            round * m_milliseconds.size() + static_cast<uint64_t>(found - m_milliseconds.begin());
        m_next = std::max(m_next, index);
        return at(m_next++);
    }

  private:
    static constexpr Time MILLISECOND = 1'000'000;

    Time at(uint64_t index) const
    {
        const uint64_t size = m_milliseconds.size();
        return static_cast<Time>(index / size * m_milliseconds.back() +
                                 m_milliseconds[index % size]) *
               MILLISECOND;
    }

    const std::vector<uint32_t>& m_milliseconds;
    uint64_t m_next{0}; //!< first that has not been taken
};

} // namespace longfat::core

#endif
