// SPDX-License-Identifier: GPL-2.0-only
//
// What BBR sets: the pacing rate and the window (draft-ietf-ccwg-bbr-05, section 5.6; bbr3.h). Segments are
// sent one by one.

#ifndef LONGFAT_BBR3_CONTROL_H
#define LONGFAT_BBR3_CONTROL_H

#include "bbr3-model.h"
#include "bbr3-probe-rtt.h"
#include "bbr3-states.h"

#include "ns3/data-rate.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace longfat
{

/// The rules; state is the model's and the states'.
class Bbr3Control
{
    using Socket = ns3::Ptr<ns3::TcpSocketState>;
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

  public:
    /// The first rate, of the first window (5.6.2).
    static void StartPacing(Socket tcb)
    {
        const ns3::Time rtt = tcb->m_srtt.Get();
        const double rttS = !rtt.IsZero() ? rtt.GetSeconds() : 1e-3;
        const double rate = STARTUP_GAIN * tcb->m_cWnd.Get() * 8 / rttS;
        tcb->m_pacing = true;
        tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(rate));
    }

    /// In Startup it only rises (5.6.2).
    static void SetPacingRate(Socket tcb, const Bbr3Model& model, const Bbr3States& states)
    {
        const double bitRate = 0.99 * PacingGain(states) * model.Bandwidth();
        const ns3::DataRate rate(static_cast<uint64_t>(bitRate));
        if (bitRate >= 1 && (model.pipe.WasFull() || rate > tcb->m_pacingRate))
        {
            tcb->m_pacingRate = std::min(rate, tcb->m_maxPacingRate);
        }
    }

    /// 5.6.4.
    static void SetWindow(Socket tcb, const Bbr3Model& model, const Bbr3States& states)
    {
        const uint32_t acked = model.ack.newlyAcked;
        const uint64_t delivered = model.ack.deliveredSoFar;
        const double most = MostInflight(tcb, model, states);
        double window = tcb->m_cWnd.Get();
        if (model.pipe.WasFull())
        {
            window = std::min(window + acked, most);
        }
        else if (window < most || delivered < tcb->m_initialCWnd * tcb->m_segmentSize)
        {
            window += acked;
        }
        const double least = Bbr3Model::LeastWindow(tcb);
        const double bound = std::min(Bound(tcb, model, states), 4e9);
        tcb->m_cWnd = static_cast<uint32_t>(std::clamp(window, least, std::max(least, bound)));
    }

  private:
    /// 5.6.1.
    static double PacingGain(const Bbr3States& states)
    {
        return states.Get() == Bbr3States::STARTUP      ? STARTUP_GAIN
               : states.Get() == Bbr3States::DRAIN      ? 0.5
               : states.GetPhase() == Bbr3ProbeBw::DOWN ? 0.9
               : states.GetPhase() == Bbr3ProbeBw::UP   ? 1.25
                                                        : 1;
    }

    /// By the model, in bytes (5.6.4.2).
    static double MostInflight(Tcb tcb, const Bbr3Model& model, const Bbr3States& states)
    {
        const bool isUp = states.GetPhase() == Bbr3ProbeBw::UP;
        const double gain = isUp ? 2.25 : states.IsProbeRtt() ? 0.5 : 2;
        const double probe = isUp ? 2 * tcb->m_segmentSize : 0;
        return model.Inflight(tcb, gain, model.extraAcked.Get()) + probe;
    }

    /// For losses and for ProbeRTT, in bytes (5.6.4.7).
    static double Bound(Tcb tcb, const Bbr3Model& model, const Bbr3States& states)
    {
        double bound = model.shortTerm.Inflight();
        if (states.IsProbeRtt())
        {
            bound = std::min(bound, Bbr3ProbeRtt::GetInflight(tcb, model));
        }
        if (states.IsProbeRtt() || states.GetPhase() == Bbr3ProbeBw::CRUISE)
        {
            return std::min(bound, model.InflightWithHeadroom(tcb));
        }
        return states.GetPhase() != Bbr3ProbeBw::NONE ? std::min(bound, model.longTerm.Get())
                                                      : bound;
    }

    static constexpr double STARTUP_GAIN = 2.77; //!< 4 ln 2
};

} // namespace longfat

#endif
