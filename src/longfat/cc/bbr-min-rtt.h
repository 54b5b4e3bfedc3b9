// SPDX-License-Identifier: GPL-2.0-only
//
// RTprop of BBR version 1, the smallest round trip of 10 s (draft-cardwell-iccrg-bbr-congestion-control-00,
// section 4.1.2.3; bbr.h). When it is older than that, ProbeRTT measures it anew.

#ifndef LONGFAT_BBR_MIN_RTT_H
#define LONGFAT_BBR_MIN_RTT_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace longfat
{

class BbrMinRtt
{
    using Time = ns3::Time;

  public:
    /// With the handshake's round trip.
    void Start(Time rtt)
    {
        m_minRtt = rtt;
        m_since = ns3::Simulator::Now();
    }

    void Update(Time rtt, Time window)
    {
        const Time now = ns3::Simulator::Now();
        m_isExpired = now > m_since + window;
        if (rtt.IsPositive() && (rtt <= m_minRtt || m_isExpired))
        {
            m_minRtt = rtt;
            m_since = now;
        }
    }

    /// ProbeRTT is over: RTprop is as good as new.
    void EndProbe()
    {
        m_since = ns3::Simulator::Now();
    }

    /// It was too old when the last ACK came.
    bool IsExpired() const
    {
        return m_isExpired;
    }

    /// Time::Max() where there is none.
    Time Get() const
    {
        return m_minRtt;
    }

  private:
    Time m_minRtt{Time::Max()};
    Time m_since; //!< when it was measured
    bool m_isExpired{false};
};

} // namespace longfat

#endif
