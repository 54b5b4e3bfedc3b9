// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers of a sender's own, for the algorithms that back off by chance. Each of a scenario's
// flows has a stream to itself, so that it draws the same numbers whatever the others do.

#ifndef LONGFAT_CC_CHANCE_H
#define LONGFAT_CC_CHANCE_H

#include "congestion-control.h"
#include "random.h"

#include <optional>

namespace longfat::core
{

class Chance
{
  public:
    void start(const Established& established)
    {
        m_random.emplace(FIRST_STREAM + established.flow, established.seed);
    }

    /// Whether an event of that probability happens; one that cannot takes no number.
    bool happens(double probability)
    {
        return probability > 0 && m_random->uniform() < probability;
    }

  private:
    static constexpr uint64_t FIRST_STREAM = 1'000'000; //!< far from those of the links

    std::optional<Random> m_random;
};

} // namespace longfat::core

#endif
