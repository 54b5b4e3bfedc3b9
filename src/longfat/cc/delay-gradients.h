// SPDX-License-Identifier: GPL-2.0-only
//
// How the smallest and the largest round trip change from round to round, averaged over the last rounds,
// what that says of the queue, and when to back off (Hayes and Armitage 2011; see cdg.h). Gradients below
// 4 us are 0, as in Linux.

#ifndef LONGFAT_DELAY_GRADIENTS_H
#define LONGFAT_DELAY_GRADIENTS_H

#include "chance.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>

namespace longfat
{

class DelayGradients
{
  public:
    /// A round is over, whose smallest and largest round trip are these. Returns the greater of both
    /// gradients, each a mean over so many rounds, in s a round trip.
    double Add(ns3::Time smallestRtt, ns3::Time largestRtt, uint32_t rounds)
    {
        const double smallest = smallestRtt.GetSeconds();
        const double largest = largestRtt.GetSeconds();
        const bool first = m_lastLargest == 0;
        m_gMin = first ? 0 : m_min.Add(smallest - m_lastSmallest, rounds);
        m_gMax = first ? 0 : m_max.Add(largest - m_lastLargest, rounds);
        m_lastSmallest = smallest;
        m_lastLargest = largest;
        if (m_gMin > 0 || m_gMax != 0) // neither rises nor falls: as before
        {
            m_full = m_gMin > 0 && m_gMax <= 0;
        }
        return std::max(m_gMin, m_gMax);
    }

    /// The smallest still rises, and the largest does not any more.
    bool IsQueueFull() const
    {
        return m_full;
    }

    /// It has become so: the largest still falls, and the smallest does not any more.
    bool IsQueueEmpty() const
    {
        return m_gMin == 0 && m_gMax < 0;
    }

    /// By the gradient g in s a round trip, one of `scale` making it with a chance of 63 %; after so many
    /// in vain others hold the queue, and the next ones are left out.
    bool BacksOff(double g, double scale, uint32_t mostInVain)
    {
        if (m_gMin < 0 || m_gMax < 0)
        {
            m_inVain = 0;
        }
        if (std::exchange(m_justBackedOff, false) || g <= 0 ||
            !m_chance.Happens(1 - std::exp(-g / scale)))
        {
            return false;
        }
        if (++m_inVain > mostInVain && mostInVain > 0)
        {
            m_inVain %= 2 * mostInVain;
            return false;
        }
        m_justBackedOff = true;
        return true;
    }

  private:
    /// The mean gradient of the last rounds, in seconds a round trip.
    struct Gradient
    {
        std::deque<double> last;
        double mean{0};

        double Add(double gradient, uint32_t rounds)
        {
            last.push_back(gradient);
            mean += gradient / rounds;
            if (last.size() > rounds)
            {
                mean -= last.front() / rounds;
                last.pop_front();
            }
            return std::abs(mean) < 4e-6 ? 0 : mean;
        }
    };

    Gradient m_min;           //!< of the smallest round trips
    Gradient m_max;           //!< of the largest ones
    double m_gMin{0};         //!< the first, as it is
    double m_gMax{0};         //!< the second
    double m_lastSmallest{0}; //!< of the last round, in s
    double m_lastLargest{0};  //!< of the last round, in s; 0: there was none
    bool m_full{false};       //!< the queue
    bool m_justBackedOff{false};
    uint32_t m_inVain{0}; //!< back-offs
    Chance m_chance;
};

} // namespace longfat

#endif
