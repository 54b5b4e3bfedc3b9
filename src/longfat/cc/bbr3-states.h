// SPDX-License-Identifier: GPL-2.0-only
//
// BBR's state machine (draft-ietf-ccwg-bbr-05, section 5.3; bbr3.h): Startup doubles the rate each round
// trip until it grows no more or losses are too many, Drain empties the queue, ProbeBW follows the path
// (bbr3-probe-bw.h), and ProbeRTT halves what is in flight for 200 ms where no round trip of the last 5 s
// was as small as the smallest.

#ifndef LONGFAT_BBR3_STATES_H
#define LONGFAT_BBR3_STATES_H

#include "bbr3-last-window.h"
#include "bbr3-model.h"
#include "bbr3-probe-bw.h"
#include "bbr3-probe-rtt.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class Bbr3States
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    enum State
    {
        NONE, //!< the handshake is not over
        STARTUP,
        DRAIN,
        PROBE_BW,
        PROBE_RTT,
    };

    State Get() const
    {
        return m_state;
    }

    /// Of ProbeBW.
    Bbr3ProbeBw::Phase GetPhase() const
    {
        return m_cycle.Get();
    }

    bool IsProbeRtt() const
    {
        return m_state == PROBE_RTT;
    }

    /// With random numbers of that stream.
    void Start(uint32_t stream)
    {
        m_state = STARTUP;
        m_cycle.SetStream(stream);
    }

    /// More is sent than the path is known to carry, or will be in a round trip.
    bool IsProbingBandwidth() const
    {
        return m_state == STARTUP || m_cycle.Get() == m_cycle.REFILL || m_cycle.Get() == m_cycle.UP;
    }

    /// An ACK: Startup, Drain and ProbeBW.
    void Update(Tcb tcb, Bbr3Model& model)
    {
        if (model.ack.startsRound)
        {
            m_cycle.CountRound();
        }
        if (m_state == STARTUP)
        {
            UpdateStartup(tcb, model);
        }
        if (m_state == DRAIN && (model.IsQueueEmpty(tcb) || model.ack.round > m_drainRound + 3))
        {
            m_state = PROBE_BW; // 5.3.2
            m_cycle.StartDown(model);
        }
        if (model.pipe.WasFull() && model.ack.hasRate)
        {
            m_cycle.Update(tcb, model);
        }
    }

    /// An ACK: ProbeRTT, which gives the window back at its end (5.3.4).
    void UpdateProbeRtt(ns3::Ptr<ns3::TcpSocketState> tcb, Bbr3Model& model, Bbr3LastWindow& last)
    {
        if (!IsProbeRtt() && model.minRtt.IsProbeDue())
        {
            StartProbeRtt(model);
            last.Save(tcb, true);
        }
        if (IsProbeRtt() && m_probeRtt.IsOver(tcb, model))
        {
            EndProbeRtt(model);
            last.Restore(tcb);
        }
    }

  private:
    /// It ends by the rate, or by losses: six ranges, and too many, in a round trip of recovery (5.3.1.3).
    void UpdateStartup(Tcb tcb, Bbr3Model& model)
    {
        if (!model.pipe.WasFull() && model.shortTerm.HadLossRanges(6) &&
            tcb->m_congState == ns3::TcpSocketState::CA_RECOVERY &&
            model.ack.IsInflightTooHigh(model.settings.lossThreshold))
        {
            model.pipe.SetWasFull();
            model.longTerm.Set(std::max(model.Product(tcb), model.shortTerm.InflightLatest()));
        }
        if (model.pipe.WasFull())
        {
            m_state = DRAIN;
            m_drainRound = model.ack.round;
        }
    }

    void StartProbeRtt(Bbr3Model& model)
    {
        m_state = PROBE_RTT;
        m_probeRtt.Start(model);
        m_cycle.Stop();
    }

    void EndProbeRtt(Bbr3Model& model)
    {
        model.minRtt.EndProbe();
        model.shortTerm.Forget();
        m_state = model.pipe.WasFull() ? PROBE_BW : STARTUP;
        if (m_state == PROBE_BW)
        {
            m_cycle.StartCruise(model);
        }
    }

    State m_state{NONE};
    uint32_t m_drainRound{0}; //!< in which Drain began
    Bbr3ProbeBw m_cycle;
    Bbr3ProbeRtt m_probeRtt;
};

} // namespace longfat

#endif
