// SPDX-License-Identifier: GPL-2.0-only
//
// The largest of the values of the last rounds, from three of them (K. Nichols; Linux, lib/minmax.c):
// the best, the best after it, and the best after that, each from a later quarter of the window.

#ifndef LONGFAT_CC_WINDOWED_MAX_H
#define LONGFAT_CC_WINDOWED_MAX_H

#include <cstdint>

namespace longfat::core
{

class WindowedMax
{
  public:
    double get() const
    {
        return m_best[0].value;
    }

    void update(double value, int64_t round, int64_t window)
    {
        const Best last{value, round};
        if (value >= m_best[0].value || round - m_best[2].round > window)
        {
            m_best[0] = m_best[1] = m_best[2] = last;
            return;
        }
        if (value >= m_best[1].value)
        {
            m_best[1] = m_best[2] = last;
        }
        else if (value >= m_best[2].value)
        {
            m_best[2] = last;
        }
        if (round - m_best[0].round > window) // the best has aged: the others move up
        {
            m_best[0] = m_best[1];
            m_best[1] = m_best[2];
            m_best[2] = last;
            if (round - m_best[0].round > window)
            {
                m_best[0] = m_best[1];
                m_best[1] = m_best[2];
            }
        }
        else if (m_best[1].round == m_best[0].round && round - m_best[0].round > window / 4)
        {
            m_best[1] = m_best[2] = last;
        }
        else if (m_best[2].round == m_best[1].round && round - m_best[0].round > window / 2)
        {
            m_best[2] = last;
        }
    }

  private:
    struct Best
    {
        double value;
        int64_t round;
    };

    Best m_best[3]{{0, 0}, {0, 0}, {0, 0}};
};

} // namespace longfat::core

#endif
