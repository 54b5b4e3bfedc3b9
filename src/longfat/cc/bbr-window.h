// SPDX-License-Identifier: GPL-2.0-only
//
// The window of BBR version 1: cwnd_gain BtlBw RTprop + 3 segments + what ACKs are ahead, four segments in
// ProbeRTT, and less in loss recovery (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3;
// bbr.h).

#ifndef LONGFAT_BBR_WINDOW_H
#define LONGFAT_BBR_WINDOW_H

#include "bbr-conservation.h"
#include "bbr-model.h"
#include "bbr-states.h"

#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

/// The rules; state is the model's, the modes' and that of packet conservation.
class BbrWindow
{
    using Socket = ns3::Ptr<ns3::TcpSocketState>;
    using Sample = ns3::TcpRateOps::TcpRateSample;

  public:
    static void Set(Socket tcb,
                    const Sample& sample,
                    const BbrModel& model,
                    const BbrStates& states,
                    const BbrConservation& conservation)
    {
        const uint32_t least = BbrModel::LeastWindow(tcb);
        if (sample.m_ackedSacked > 0 && !conservation.SetWindow(tcb, sample))
        {
            Grow(tcb, sample.m_ackedSacked, model, Target(tcb, model, states));
            tcb->m_cWnd = std::max(tcb->m_cWnd.Get(), least);
        }
        if (states.Get() == BbrStates::PROBE_RTT)
        {
            tcb->m_cWnd = std::min(tcb->m_cWnd.Get(), least);
        }
    }

  private:
    /// By what is acknowledged, in Startup beyond the target too where it is small.
    static void Grow(Socket tcb, uint32_t acked, const BbrModel& model, uint32_t target)
    {
        const uint32_t window = tcb->m_cWnd;
        if (model.pipe.IsFull())
        {
            tcb->m_cWnd = std::min(window + acked, target);
        }
        else if (window < target ||
                 model.rounds.Delivered() < tcb->m_initialCWnd * tcb->m_segmentSize)
        {
            tcb->m_cWnd = window + acked;
        }
    }

    /// In bytes.
    static uint32_t Target(Socket tcb, const BbrModel& model, const BbrStates& states)
    {
        const bool cycles = states.Get() == BbrStates::PROBE_BW;
        const uint32_t probe = cycles ? states.Cycle().Probe(tcb) : 0;
        const uint64_t bandwidth = model.bandwidth.Get();
        const uint32_t ahead = model.pipe.IsFull() ? model.ackAggregation.Get(bandwidth) : 0;
        return model.InFlight(tcb, Gain(model, states), probe) + ahead;
    }

    /// cwnd_gain.
    static double Gain(const BbrModel& model, const BbrStates& states)
    {
        return states.Get() == BbrStates::STARTUP     ? model.settings.highGain
               : states.Get() == BbrStates::DRAIN     ? model.settings.highGain
               : states.Get() == BbrStates::PROBE_BW  ? 2
               : states.Get() == BbrStates::PROBE_RTT ? 1
                                                      : 0;
    }
};

} // namespace longfat

#endif
