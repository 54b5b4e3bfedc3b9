// SPDX-License-Identifier: GPL-2.0-only
//
// The four modes of BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3; bbr.h):
// Startup doubles the rate each round trip until the pipe is full, Drain empties the queue, ProbeBW cycles
// the gain (bbr-probe-bw.h), and ProbeRTT measures RTprop where it is too old (bbr-probe-rtt.h).

#ifndef LONGFAT_BBR_STATES_H
#define LONGFAT_BBR_STATES_H

#include "bbr-last-window.h"
#include "bbr-model.h"
#include "bbr-probe-bw.h"
#include "bbr-probe-rtt.h"

#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class BbrStates
{
    using Socket = ns3::Ptr<ns3::TcpSocketState>;
    using Sample = ns3::TcpRateOps::TcpRateSample;

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
    const BbrProbeBw& Cycle() const
    {
        return m_cycle;
    }

    void SetStream(uint32_t stream)
    {
        m_cycle.SetStream(stream);
    }

    void Start()
    {
        m_state = STARTUP;
    }

    /// An ACK: ProbeBW, Startup and Drain (4.3.3).
    void Update(Socket tcb, const BbrModel& model, const Sample& sample)
    {
        if (m_state == PROBE_BW)
        {
            m_cycle.Update(tcb, model, sample);
        }
        if (m_state == STARTUP && model.pipe.IsFull())
        {
            m_state = DRAIN;
            tcb->m_ssThresh = model.InFlight(tcb, 1);
        }
        if (m_state == DRAIN && tcb->m_bytesInFlight.Get() <= model.InFlight(tcb, 1))
        {
            StartProbeBw(model);
        }
    }

    /// An ACK: ProbeRTT, which gives the window back at its end (4.3.5).
    void UpdateProbeRtt(Socket tcb, BbrModel& model, const Sample& sample, BbrLastWindow& last)
    {
        const bool asNs3 = model.settings.asNs3;
        if (m_state != PROBE_RTT && model.minRtt.IsExpired() && !m_idleRestart)
        {
            m_state = PROBE_RTT;
            last.Save(tcb, true, asNs3);
            m_probeRtt.Start(model);
        }
        if (m_state == PROBE_RTT && m_probeRtt.IsOver(tcb, model))
        {
            EndProbeRtt(tcb, model, last);
        }
        // ns-3 3.44 takes a sample that is not valid, -1, for data delivered.
        if (sample.m_delivered > 0 || (asNs3 && sample.m_delivered < 0))
        {
            m_idleRestart = false;
        }
    }

    /// The sender goes on after it was idle (4.3.4.4).
    void OnRestartFromIdle(Socket tcb, BbrModel& model, BbrLastWindow& last)
    {
        m_idleRestart = true;
        if (m_state == PROBE_RTT && m_probeRtt.IsOverAfterIdle(model.settings.asNs3))
        {
            EndProbeRtt(tcb, model, last);
        }
    }

  private:
    void StartProbeBw(const BbrModel& model)
    {
        m_state = PROBE_BW;
        m_cycle.Start(model.settings.asNs3);
    }

    void EndProbeRtt(Socket tcb, BbrModel& model, BbrLastWindow& last)
    {
        model.minRtt.EndProbe();
        last.Restore(tcb);
        m_state = STARTUP;
        if (model.pipe.IsFull())
        {
            StartProbeBw(model);
        }
    }

    State m_state{NONE};
    bool m_idleRestart{false}; //!< nothing was delivered since the sender was idle
    BbrProbeBw m_cycle;
    BbrProbeRtt m_probeRtt;
};

} // namespace longfat

#endif
