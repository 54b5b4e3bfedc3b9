// SPDX-License-Identifier: GPL-2.0-only
//
// ProbeRTT of BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.5; bbr.h): four
// segments are in flight for 200 ms and a round trip, so that the queue empties and RTprop is seen.

#ifndef LONGFAT_BBR_PROBE_RTT_H
#define LONGFAT_BBR_PROBE_RTT_H

#include "bbr-model.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class BbrProbeRtt
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    void Start(BbrModel& model)
    {
        m_end = ns3::Time(0);
        model.appLimited.Start(model.rounds.Delivered());
    }

    /// An ACK. The time counts once as little is in flight as wanted.
    bool IsOver(Tcb tcb, BbrModel& model)
    {
        const uint32_t inFlight = tcb->m_bytesInFlight.Get();
        model.appLimited.Extend(model.rounds.Delivered(), inFlight);
        if (!m_end.IsZero())
        {
            m_hadRound = m_hadRound || model.rounds.IsStart();
            return m_hadRound && IsTimeOver();
        }
        if (inFlight <= BbrModel::LeastWindow(tcb))
        {
            m_end = ns3::Simulator::Now() + model.settings.probeRttTime;
            m_hadRound = false;
            model.rounds.Start();
        }
        return false;
    }

    /// The sender was idle, so that no ACK told. ns-3 3.44 asks for the round trip instead, be it of the
    /// last ProbeRTT.
    bool IsOverAfterIdle(bool asNs3) const
    {
        return (asNs3 ? m_hadRound : !m_end.IsZero()) && IsTimeOver();
    }

  private:
    bool IsTimeOver() const
    {
        return ns3::Simulator::Now() > m_end;
    }

    ns3::Time m_end; //!< 0: the time does not count yet
    bool m_hadRound{false};
};

} // namespace longfat

#endif
