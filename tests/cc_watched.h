// SPDX-License-Identifier: GPL-2.0-only
//
// BBR 3 that tells, as its utilization, what a test looks at: its state, or a bound of its model in
// segments of 1000 bytes.

#ifndef LONGFAT_TESTS_CORE_WATCHED_H
#define LONGFAT_TESTS_CORE_WATCHED_H

#include "../src/longfat/cc/bbr3.h"

namespace longfat::core
{

constexpr Entry
watched(const char* name)
{
    Entry entry = Bbr3::entry;
    entry.name = name;
    entry.events |= event::UTILIZATION;
    return entry;
}

class Bbr3State : public Bbr3
{
  public:
    static constexpr Entry entry = watched("bbr3-state");

    double utilization() const
    {
        return state();
    }
};

class Bbr3Longterm : public Bbr3
{
  public:
    static constexpr Entry entry = watched("bbr3-longterm");

    double utilization() const
    {
        return inflight_longterm() / 1000;
    }
};

class Bbr3Shortterm : public Bbr3
{
  public:
    static constexpr Entry entry = watched("bbr3-shortterm");

    double utilization() const
    {
        return inflight_shortterm() / 1000;
    }
};

LONGFAT_CONGESTION_CONTROL(Bbr3State);
LONGFAT_CONGESTION_CONTROL(Bbr3Longterm);
LONGFAT_CONGESTION_CONTROL(Bbr3Shortterm);

} // namespace longfat::core

#endif
