// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers of a sender's own, for algorithms that back off by chance: every engine, and every
// ns-3 program, draws the same ones (but for ns-3 beside senders of delay-backoff.h, which number
// themselves).

#ifndef LONGFAT_CHANCE_H
#define LONGFAT_CHANCE_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace longfat
{

class Chance
{
  public:
    /// Whether an event of that probability happens. Senders are numbered in the order in which it
    /// first could: ns-3's receivers have a congestion control too, to which it never can.
    bool Happens(double probability)
    {
        if (probability <= 0)
        {
            return false;
        }
        if (!m_random)
        {
            m_random = ns3::CreateObject<ns3::UniformRandomVariable>();
            m_random->SetStream(s_nextStream++);
        }
        return m_random->GetValue() < probability;
    }

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_random; //!< uniform on [0, 1)
    static inline int64_t s_nextStream{1'000'000}; //!< far from those of the links
};

} // namespace longfat

#endif
