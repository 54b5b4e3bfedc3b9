// SPDX-License-Identifier: GPL-2.0-only
//
// A time series that stays small, however long the run.

#ifndef LONGFAT_SEGMENT_SERIES_H
#define LONGFAT_SEGMENT_SERIES_H

#include "event.h"

#include "ns3/traced-value.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace longfat::segment
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

    void Add(double whenS, double value)
    {
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

/// Keeps every new value, as `number` gives it; leaves out what that says is no number.
template <class T, class Number>
class Keeper final : public ns3::TracedListener<T>
{
  public:
    Keeper(Series& series, const EventQueue& events, Number number)
        : m_series(series),
          m_events(events),
          m_number(number)
    {
    }

    void OnChange(const T& now) override
    {
        const double number = m_number(now);
        if (number == number)
        {
            m_series.Add(ToSeconds(m_events.Now()), number);
        }
    }

  private:
    Series& m_series;
    const EventQueue& m_events;
    Number m_number;
};

} // namespace longfat::segment

#endif
