// SPDX-License-Identifier: GPL-2.0-only
//
// A time series that stays small, however long the run.

#ifndef LONGFAT_SERIES_H
#define LONGFAT_SERIES_H

#include "ns3/callback.h"
#include "ns3/object-base.h"
#include "ns3/simulator.h"

#include <algorithm>
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

    void Add(double value)
    {
        Add(ns3::Simulator::Now().GetSeconds(), value);
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

/// Keep every new value of a trace source, in units of `unit`. Returns whether there is such a one.
template <typename T>
bool
Keep(ns3::ObjectBase& object, const std::string& source, Series& series, double unit)
{
    return object.TraceConnectWithoutContext(
        source,
        ns3::Callback<void, T, T>([&series, unit](T, T now) { series.Add(now / unit); }));
}

} // namespace longfat

#endif
