// SPDX-License-Identifier: GPL-2.0-only
//
// ProbeBW (draft-ietf-ccwg-bbr-05, section 5.3.3; bbr3.h): Down, until the queue is gone and a part of
// inflight_longterm is left to others, Cruise, Refill for a round trip, and Up, until the rate grows no
// more or too much is lost.

#ifndef LONGFAT_BBR3_PROBE_BW_H
#define LONGFAT_BBR3_PROBE_BW_H

#include "bbr3-model.h"
#include "bbr3-probe-wait.h"

#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class Bbr3ProbeBw
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    enum Phase
    {
        NONE, //!< not in ProbeBW
        DOWN,
        CRUISE,
        REFILL,
        UP,
    };

    Phase Get() const
    {
        return m_phase;
    }

    void SetStream(uint32_t stream)
    {
        m_wait.SetStream(stream);
    }

    void StartDown(Bbr3Model& model)
    {
        m_phase = DOWN;
        m_wait.Start();
        model.shortTerm.EndProbe();
        model.longTerm.EndProbe();
        model.delivery.StartRound();
    }

    /// Without a queue, after ProbeRTT.
    void StartCruise(Bbr3Model& model)
    {
        StartDown(model);
        m_phase = CRUISE;
    }

    void Stop()
    {
        m_phase = NONE;
    }

    void CountRound()
    {
        m_wait.CountRound();
    }

    /// An ACK once Startup is over, also in ProbeRTT: the end of a probe may come then.
    void Update(Tcb tcb, Bbr3Model& model)
    {
        const bool isAtBound = model.longTerm.Limits(model.ack, tcb);
        UpdateLongTerm(tcb, model);
        const double flight = model.TargetInflight(tcb) / tcb->m_segmentSize;
        if ((m_phase == DOWN || m_phase == CRUISE) && m_wait.IsOver(flight))
        {
            StartRefill(model);
        }
        else if (m_phase == DOWN && model.IsQueueEmpty(tcb) &&
                 tcb->m_bytesInFlight.Get() <= model.InflightWithHeadroom(tcb))
        {
            m_phase = CRUISE;
        }
        else if (m_phase == REFILL && model.ack.startsRound)
        {
            StartUp(model);
        }
        else if (m_phase == UP && isAtBound)
        {
            model.pipe.LookAgain(model.ack.rateBps);
        }
        else if (m_phase == UP && model.pipe.IsFull())
        {
            StartDown(model);
        }
    }

  private:
    void StartRefill(Bbr3Model& model)
    {
        m_phase = REFILL;
        model.shortTerm.Forget();
        model.longTerm.StartRefill();
        model.delivery.StartRound();
    }

    void StartUp(Bbr3Model& model)
    {
        m_phase = UP;
        model.longTerm.StartProbe();
        model.delivery.StartRound();
        model.pipe.LookAgain(model.ack.rateBps);
    }

    /// 5.5.10.2.
    void UpdateLongTerm(Tcb tcb, Bbr3Model& model)
    {
        const Bbr3Ack& ack = model.ack;
        const Bbr3Settings& set = model.settings;
        if (model.longTerm.HasProbeEnded(ack) && m_phase != NONE && !ack.isAppLimited)
        {
            model.maxBandwidth.StartCycle(); // 5.5.6
        }
        if (!ack.IsInflightTooHigh(set.lossThreshold))
        {
            model.longTerm.Raise(ack, tcb, m_phase == UP);
        }
        else if (model.longTerm.HasProbeFailed(ack))
        {
            if (!ack.isAppLimited)
            {
                const double least = set.beta * model.TargetInflight(tcb);
                model.longTerm.Lower(ack, set.lossThreshold, least);
            }
            if (m_phase == UP)
            {
                StartDown(model);
            }
        }
    }

    Phase m_phase{NONE};
    Bbr3ProbeWait m_wait; //!< to the next probe
};

} // namespace longfat

#endif
