// SPDX-License-Identifier: GPL-2.0-only
//
// The windowed filters of BBR's model of the path (draft-ietf-ccwg-bbr-05, sections 5.5.5 to 5.5.9;
// bbr3.h): the largest delivery rate, the smallest round trip, and how far ACKs run ahead.

#ifndef LONGFAT_BBR3_FILTERS_H
#define LONGFAT_BBR3_FILTERS_H

#include "bbr3-delivery.h"
#include "windowed-max.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace longfat
{

/// max_bw: the largest delivery rate of this cycle of probing and the last, in bit/s (5.5.5, 5.5.6).
class Bbr3MaxBandwidth
{
  public:
    void Update(const Bbr3Ack& ack)
    {
        if (ack.hasRate && (ack.rateBps >= Get() || !ack.isAppLimited))
        {
            m_ofThisCycle = std::max(m_ofThisCycle, ack.rateBps);
        }
    }

    void StartCycle()
    {
        m_ofLastCycle = std::exchange(m_ofThisCycle, 0);
    }

    double Get() const
    {
        return std::max(m_ofThisCycle, m_ofLastCycle);
    }

  private:
    double m_ofThisCycle{0};
    double m_ofLastCycle{0};
};

/// min_rtt: the smallest round trip of 10 s, and the shorter window that asks for ProbeRTT (5.5.7).
class Bbr3MinRtt
{
    using Time = ns3::Time;

  public:
    /// With the handshake's round trip, 0 where there is none.
    void Start(Time rtt)
    {
        m_minRtt = m_recent = !rtt.IsZero() ? rtt : Time::Max();
        m_since = m_recentSince = ns3::Simulator::Now();
    }

    void Update(Time rtt, Time probeInterval)
    {
        const Time now = ns3::Simulator::Now();
        m_isProbeDue = now > m_recentSince + probeInterval;
        if (!rtt.IsZero() && (rtt < m_recent || m_isProbeDue))
        {
            m_recent = rtt;
            m_recentSince = now;
        }
        if (m_recent < m_minRtt || now > m_since + ns3::Seconds(10))
        {
            m_minRtt = m_recent;
            m_since = m_recentSince;
        }
    }

    /// ProbeRTT is over: the shorter window begins anew.
    void EndProbe()
    {
        m_recentSince = ns3::Simulator::Now();
    }

    /// No round trip of the shorter window was as small.
    bool IsProbeDue() const
    {
        return m_isProbeDue;
    }

    /// Time::Max() where there is none.
    Time Get() const
    {
        return m_minRtt;
    }

  private:
    Time m_minRtt;
    Time m_since;
    Time m_recent; //!< smallest of the shorter window
    Time m_recentSince;
    bool m_isProbeDue{false};
};

/// extra_acked: bytes by which ACKs run ahead of the bandwidth (5.5.9).
class Bbr3ExtraAcked
{
  public:
    void Start()
    {
        m_since = ns3::Simulator::Now();
    }

    /// The largest of so many round trips is kept.
    void Update(const Bbr3Ack& ack, double bandwidthBps, uint32_t window, uint32_t rounds)
    {
        const double seconds = (ns3::Simulator::Now() - m_since).GetSeconds();
        double expected = bandwidthBps * seconds / 8;
        if (m_bytes <= expected)
        {
            Start();
            m_bytes = expected = 0;
        }
        m_bytes += ack.newlyAcked;
        const double extra = std::min<double>(m_bytes - expected, window);
        m_largest.Update(static_cast<uint64_t>(extra), ack.round, rounds);
    }

    double Get() const
    {
        return m_largest.Get();
    }

  private:
    WindowedMax m_largest;
    ns3::Time m_since; //!< when ACKs were not ahead
    double m_bytes{0}; //!< acknowledged since then
};

} // namespace longfat

#endif
