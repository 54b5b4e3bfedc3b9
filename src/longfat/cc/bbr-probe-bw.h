// SPDX-License-Identifier: GPL-2.0-only
//
// ProbeBW of BBR version 1, the cycle of gains (draft-cardwell-iccrg-bbr-congestion-control-00, section
// 4.3.4; bbr.h): 5/4 looks for more bandwidth, 3/4 empties the queue that came of it, and six phases of 1
// follow. Each lasts RTprop; that of 5/4 until so much is in flight, or something is lost, and that of 3/4
// not longer than until the queue is gone.
//
// As ns-3 3.44: it never begins in the phase after that of 3/4.

#ifndef LONGFAT_BBR_PROBE_BW_H
#define LONGFAT_BBR_PROBE_BW_H

#include "bbr-model.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class BbrProbeBw
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;
    using Sample = ns3::TcpRateOps::TcpRateSample;

  public:
    /// Of random numbers.
    void SetStream(uint32_t stream)
    {
        m_random->SetStream(stream);
    }

    /// In a random phase, but not in that of gain 3/4.
    void Start(bool asNs3)
    {
        m_phase = PHASES - 1 - static_cast<uint32_t>(m_random->GetValue(0, asNs3 ? 6 : 7));
        AdvancePhase();
    }

    /// An ACK.
    void Update(Tcb tcb, const BbrModel& model, const Sample& sample)
    {
        if (IsNextPhase(tcb, model, sample))
        {
            AdvancePhase();
        }
    }

    double PacingGain() const
    {
        return m_phase == 0 ? 1.25 : m_phase == 1 ? 0.75 : 1;
    }

    /// What may be in flight beyond the gain, in bytes: with 5/4 two segments, so that more is in flight
    /// even where the product is small (Linux, bbr_quantization_budget).
    uint32_t Probe(Tcb tcb) const
    {
        return m_phase == 0 ? 2 * tcb->m_segmentSize : 0;
    }

  private:
    void AdvancePhase()
    {
        m_phaseStart = ns3::Simulator::Now();
        m_phase = (m_phase + 1) % PHASES;
    }

    bool IsNextPhase(Tcb tcb, const BbrModel& model, const Sample& sample) const
    {
        const double gain = PacingGain();
        const bool isFullLength = ns3::Simulator::Now() - m_phaseStart > model.minRtt.Get();
        if (gain > 1)
        {
            return isFullLength &&
                   (sample.m_bytesLoss > 0 ||
                    sample.m_priorInFlight >= model.InFlight(tcb, gain, Probe(tcb)));
        }
        return isFullLength || (gain < 1 && sample.m_priorInFlight <= model.InFlight(tcb, 1));
    }

    static constexpr uint32_t PHASES = 8;

    ns3::Ptr<ns3::UniformRandomVariable> m_random{ns3::CreateObject<ns3::UniformRandomVariable>()};
    uint32_t m_phase{0};
    ns3::Time m_phaseStart;
};

} // namespace longfat

#endif
