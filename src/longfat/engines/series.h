// SPDX-License-Identifier: GPL-2.0-only
//
// A time series that stays small, however long the run.

#ifndef LONGFAT_SERIES_H
#define LONGFAT_SERIES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace longfat
{

/// A time series of at most a fixed number of points: the last value in each of equal intervals.
class Series
{
  public:
    Series(double durationS, uint32_t points)
        : m_intervalS(durationS / points),
          m_points(points)
    {
    }

    /// NaN is no value.
    void Add(double whenS, double value)
    {
        if (std::isnan(value))
        {
            return;
        }
        const int64_t interval = std::min<int64_t>(whenS / m_intervalS, m_points - 1);
        if (interval != m_last)
        {
            m_last = interval;
            timeS.push_back(whenS);
            values.push_back(value);
        }
        else
        {
            timeS.back() = whenS;
            values.back() = value;
        }
    }

    std::vector<double> timeS;
    std::vector<double> values;

  private:
    double m_intervalS;
    int64_t m_points;
    int64_t m_last{-1};
};

/// The series that are kept of a flow or a link, by name.
using SeriesByName = std::map<std::string, Series>;

} // namespace longfat

#endif
