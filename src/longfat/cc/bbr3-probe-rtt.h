// SPDX-License-Identifier: GPL-2.0-only
//
// ProbeRTT (draft-ietf-ccwg-bbr-05, section 5.3.4; bbr3.h): half of the product is in flight for 200 ms and
// a round trip, so that the queue empties and min_rtt is seen.

#ifndef LONGFAT_BBR3_PROBE_RTT_H
#define LONGFAT_BBR3_PROBE_RTT_H

#include "bbr3-model.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

namespace longfat
{

class Bbr3ProbeRtt
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    void Start(Bbr3Model& model)
    {
        m_end = ns3::Time(0);
        model.longTerm.EndProbe();
        model.delivery.StartRound();
        model.delivery.StartHoldingBack();
    }

    /// An ACK. The time counts once as little is in flight as wanted.
    bool IsOver(Tcb tcb, Bbr3Model& model)
    {
        const ns3::Time now = ns3::Simulator::Now();
        model.delivery.HoldBack(tcb->m_bytesInFlight.Get());
        if (!m_end.IsZero())
        {
            m_hadRound |= model.ack.startsRound;
            return m_hadRound && now > m_end;
        }
        if (tcb->m_bytesInFlight.Get() <= GetInflight(tcb, model))
        {
            m_end = now + ns3::MilliSeconds(200);
            m_hadRound = false;
            model.delivery.StartRound();
        }
        return false;
    }

    /// What is wanted in flight, in bytes.
    static double GetInflight(Tcb tcb, const Bbr3Model& model)
    {
        return model.Inflight(tcb, 0.5);
    }

  private:
    ns3::Time m_end; //!< 0: the time does not count yet
    bool m_hadRound{false};
};

} // namespace longfat

#endif
