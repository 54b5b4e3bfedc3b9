// SPDX-License-Identifier: GPL-2.0-only
//
// Packet conservation of BBR version 1: in the first round trip of a recovery what is delivered may be sent,
// and no more (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.4; bbr.h).

#ifndef LONGFAT_BBR_CONSERVATION_H
#define LONGFAT_BBR_CONSERVATION_H

#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class BbrConservation
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;

  public:
    /// A recovery begins.
    void Start(Socket tcb)
    {
        tcb->m_cWnd =
            tcb->m_bytesInFlight.Get() + std::max(tcb->m_lastAckedSackedBytes, tcb->m_segmentSize);
        m_isOn = true;
    }

    /// It is over, or its first round trip.
    void End()
    {
        m_isOn = false;
    }

    /// The window after an ACK in a recovery, from which a loss takes itself. Returns whether packets are
    /// conserved. Not after a timeout: m_bytesLoss is by how much the bytes held for lost have changed, so
    /// that what is repaired would count as lost again.
    bool SetWindow(Socket tcb, const ns3::TcpRateOps::TcpRateSample& sample) const
    {
        if (tcb->m_congState.Get() != State::CA_RECOVERY)
        {
            return false;
        }
        const int left = int(tcb->m_cWnd.Get()) - int(sample.m_bytesLoss);
        if (sample.m_bytesLoss > 0)
        {
            tcb->m_cWnd = std::max(left, int(tcb->m_segmentSize));
        }
        if (m_isOn)
        {
            tcb->m_cWnd =
                std::max(tcb->m_cWnd.Get(), tcb->m_bytesInFlight.Get() + sample.m_ackedSacked);
        }
        return m_isOn;
    }

  private:
    bool m_isOn{false};
};

} // namespace longfat

#endif
