// SPDX-License-Identifier: GPL-2.0-only
//
// Vegas as ns-3 3.44 has it, after Linux: what vegas.h gives under AsNs3. Where it parts from the paper:
//
//   slow start        doubles the window every round trip
//   whole segments    the window and what the pipe holds are cut to whole segments; it may shrink below 2
//   a loss            takes a segment, for ns-3 asks at a loss what Linux's class says between losses

#ifndef LONGFAT_VEGAS_NS3_H
#define LONGFAT_VEGAS_NS3_H

#include "round-trips.h"

#include <algorithm>

namespace longfat
{

class TcpVegasNs3 : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpVegasNs3").SetParent<TcpRoundTrips>();
        return tid;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        return m_asNs3 ? LessASegment(tcb) : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    /// With the paper's numbers of segments in queues.
    void EndRoundAsNs3(Tcb tcb, uint32_t acked, uint32_t alpha, uint32_t beta, uint32_t gamma)
    {
        const double w = Segments(tcb);
        const double target = Whole(w * (m_baseRtt.GetSeconds() / m_minRtt.GetSeconds()));
        const double diff = w - target;
        if (IsInSlowStart(tcb) && diff <= gamma)
        {
            SlowStart(tcb, acked);
        }
        else if (IsInSlowStart(tcb) || diff > beta)
        {
            SetWindow(tcb, IsInSlowStart(tcb) ? std::min(w, target + 1) : w - 1);
            tcb->m_ssThresh = LessASegment(tcb);
        }
        else if (diff < alpha)
        {
            AddWholeSegments(tcb, 1);
        }
        tcb->m_ssThresh = std::max(tcb->m_ssThresh.Get(), 3 * tcb->m_cWnd.Get() / 4);
    }

  private:
    static uint32_t LessASegment(ns3::Ptr<const State> tcb)
    {
        const uint32_t less = tcb->m_cWnd.Get() - tcb->m_segmentSize;
        return std::max(std::min(tcb->m_ssThresh.Get(), less), 2 * tcb->m_segmentSize);
    }
};

} // namespace longfat

#endif
