// SPDX-License-Identifier: GPL-2.0-only
//
// The largest of the values of the last rounds, from three of them (K. Nichols; Linux, lib/minmax.c):
// the best, the best after it, and the best after that, each from a later quarter of the window.

#ifndef LONGFAT_WINDOWED_MAX_H
#define LONGFAT_WINDOWED_MAX_H

#include <cstdint>

namespace longfat
{

class WindowedMax
{
  public:
    /// The best is `none` until the first value comes.
    explicit WindowedMax(uint64_t none = 0)
        : m_none(none),
          m_best{{none, 0}, {none, 0}, {none, 0}}
    {
    }

    uint64_t Get() const
    {
        return m_best[0].value;
    }

    void Update(uint64_t value, uint32_t round, uint32_t window)
    {
        const Sample sample{value, round};
        if (m_best[0].value == m_none || IsBetter(value, 0) || round - m_best[2].round > window)
        {
            m_best[0] = m_best[1] = m_best[2] = sample;
            return;
        }
        if (IsBetter(value, 1))
        {
            m_best[1] = m_best[2] = sample;
        }
        else if (IsBetter(value, 2))
        {
            m_best[2] = sample;
        }
        if (round - m_best[0].round > window) // the best has aged: the others move up
        {
            m_best[0] = m_best[1];
            m_best[1] = m_best[2];
            m_best[2] = sample;
            if (round - m_best[0].round > window)
            {
                m_best[0] = m_best[1];
                m_best[1] = m_best[2];
            }
        }
        else if (m_best[1].value == m_best[0].value && round - m_best[1].round > window / 4)
        {
            m_best[1] = m_best[2] = sample;
        }
        else if (m_best[2].value == m_best[1].value && round - m_best[2].round > window / 2)
        {
            m_best[2] = sample;
        }
    }

  private:
    struct Sample
    {
        uint64_t value;
        uint32_t round;
    };

    bool IsBetter(uint64_t value, int than) const
    {
        return value > 0 && m_best[than].value > 0 && value >= m_best[than].value;
    }

    uint64_t m_none;
    Sample m_best[3];
};

} // namespace longfat

#endif
