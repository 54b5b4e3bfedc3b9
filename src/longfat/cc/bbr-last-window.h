// SPDX-License-Identifier: GPL-2.0-only
//
// The last good window of BBR version 1: that before a recovery, a timeout or ProbeRTT, which is given back
// after it (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.4; bbr.h).
//
// As ns-3 3.44: the window of a second timeout is taken for a good one; it is not given back after a
// timeout; and at the end of a recovery the socket sets it to ssthresh, which in Startup is infinite.

#ifndef LONGFAT_BBR_LAST_WINDOW_H
#define LONGFAT_BBR_LAST_WINDOW_H

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace longfat
{

class BbrLastWindow
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;
    using Tcb = ns3::Ptr<const State>;

  public:
    /// The handshake is over.
    void Start(Tcb tcb)
    {
        m_lastGood = tcb->m_cWnd;
    }

    void Save(Tcb tcb, bool isProbeRtt, bool asNs3)
    {
        const auto state = tcb->m_congState.Get();
        const bool repairs = state == State::CA_RECOVERY || (state == State::CA_LOSS && !asNs3);
        m_lastGood = !repairs && !isProbeRtt ? tcb->m_cWnd.Get() : Larger(tcb);
    }

    void Restore(Socket tcb) const
    {
        tcb->m_cWnd = Larger(tcb);
    }

    /// The socket is about to enter that state.
    void OnState(Socket tcb, State::TcpCongState_t state, bool isProbeRtt, bool asNs3)
    {
        if (state == State::CA_OPEN && tcb->m_congState == State::CA_LOSS && !asNs3)
        {
            Restore(tcb);
        }
        else if (state == State::CA_LOSS || state == State::CA_RECOVERY)
        {
            Save(tcb, isProbeRtt, asNs3);
        }
    }

    /// A recovery ends. ns-3's socket sets the window to the threshold next; the ACK after it undoes that.
    void OnEndOfRecovery(Socket tcb, bool asNs3)
    {
        Restore(tcb);
        m_next = asNs3 ? 0 : tcb->m_cWnd.Get();
    }

    void OnAck(Socket tcb)
    {
        if (const uint32_t window = std::exchange(m_next, 0); window > 0)
        {
            tcb->m_cWnd = window;
        }
    }

  private:
    uint32_t Larger(Tcb tcb) const
    {
        return std::max(m_lastGood, tcb->m_cWnd.Get());
    }

    uint32_t m_lastGood{0}; //!< in bytes
    uint32_t m_next{0};     //!< in bytes; 0: the window stays
};

} // namespace longfat

#endif
