// SPDX-License-Identifier: GPL-2.0-only
//
// The pacing rate of BBR version 1: 0.99 pacing_gain BtlBw, and before there is a BtlBw that of the first
// window (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.1; bbr.h).
//
// As ns-3 3.44: of the first rate, the round trip is cut to milliseconds and the margin left out; that
// rate is the first BtlBw, where by 4.1.1.5 nothing has been measured.

#ifndef LONGFAT_BBR_PACING_H
#define LONGFAT_BBR_PACING_H

#include "bbr-model.h"
#include "bbr-states.h"
#include "windowed-max.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class BbrPacing
{
    using Socket = ns3::Ptr<ns3::TcpSocketState>;
    using Time = ns3::Time;

  public:
    /// The first rate, from the first window.
    void Start(Socket tcb, BbrModel& model, const BbrStates& states)
    {
        const bool asNs3 = model.settings.asNs3;
        tcb->m_pacing = true;
        Time rtt = ns3::MilliSeconds(1);
        if (tcb->m_minRtt != Time::Max())
        {
            const Time cut = ns3::MilliSeconds(tcb->m_minRtt.GetMilliSeconds());
            rtt = asNs3 ? std::max(cut, rtt) : std::max(tcb->m_minRtt, ns3::MicroSeconds(1));
            m_hasRtt = true;
        }
        const auto rate = static_cast<uint64_t>(tcb->m_cWnd.Get() * 8.0 / rtt.GetSeconds());
        const double gain =
            asNs3 ? PacingGain(model, states) : model.settings.highGain * (1 - MARGIN);
        tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(gain * rate));
        if (asNs3)
        {
            model.bandwidth = WindowedMax(rate);
        }
    }

    /// An ACK.
    void Set(Socket tcb, BbrModel& model, const BbrStates& states)
    {
        SetWithGain(tcb, model, states, PacingGain(model, states));
    }

    /// In ProbeBW with gain 1 (4.3.4.4).
    void OnRestartFromIdle(Socket tcb, BbrModel& model, const BbrStates& states)
    {
        if (states.Get() == BbrStates::PROBE_BW)
        {
            SetWithGain(tcb, model, states, 1);
        }
    }

  private:
    static double PacingGain(const BbrModel& model, const BbrStates& states)
    {
        return states.Get() == BbrStates::STARTUP     ? model.settings.highGain
               : states.Get() == BbrStates::DRAIN     ? 1 / model.settings.highGain
               : states.Get() == BbrStates::PROBE_BW  ? states.Cycle().PacingGain()
               : states.Get() == BbrStates::PROBE_RTT ? 1
                                                      : 0;
    }

    /// In Startup it only rises.
    void SetWithGain(Socket tcb, BbrModel& model, const BbrStates& states, double gain)
    {
        const auto bandwidth = static_cast<uint64_t>(gain * model.bandwidth.Get());
        ns3::DataRate rate(static_cast<uint64_t>(bandwidth * (1 - MARGIN)));
        rate = std::min(rate, tcb->m_maxPacingRate);
        if (!m_hasRtt && tcb->m_minRtt != Time::Max())
        {
            Start(tcb, model, states);
        }
        if (model.pipe.IsFull() || rate > tcb->m_pacingRate)
        {
            tcb->m_pacingRate = rate;
        }
    }

    static constexpr double MARGIN = 0.01; //!< so that queues drain

    bool m_hasRtt{false}; //!< there was a round trip when the first rate was set
};

} // namespace longfat

#endif
