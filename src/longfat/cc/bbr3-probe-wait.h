// SPDX-License-Identifier: GPL-2.0-only
//
// When BBR probes for bandwidth next (draft-ietf-ccwg-bbr-05, section 5.3.3.5; bbr3.h): after two to three
// seconds, or as many round trips as Reno would need, at most 63, and sometimes one less.

#ifndef LONGFAT_BBR3_PROBE_WAIT_H
#define LONGFAT_BBR3_PROBE_WAIT_H

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class Bbr3ProbeWait
{
  public:
    void SetStream(uint32_t stream)
    {
        m_random->SetStream(stream);
    }

    void Start()
    {
        m_rounds = m_random->GetValue(0, 1) < 0.5 ? 0 : 1;
        m_waitS = 2 + m_random->GetValue(0, 1);
        m_since = ns3::Simulator::Now();
    }

    void CountRound()
    {
        ++m_rounds;
    }

    /// With so many segments in flight: as many round trips are Reno's.
    bool IsOver(double segments) const
    {
        return (ns3::Simulator::Now() - m_since).GetSeconds() > m_waitS ||
               m_rounds >= std::min(segments, 63.0);
    }

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_random{ns3::CreateObject<ns3::UniformRandomVariable>()};
    uint32_t m_rounds{0};
    double m_waitS{0};
    ns3::Time m_since;
};

} // namespace longfat

#endif
