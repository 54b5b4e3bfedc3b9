// SPDX-License-Identifier: GPL-2.0-only
//
// The last good window of BBR: that before a recovery, a timeout or ProbeRTT, which is given back after it
// (draft-ietf-ccwg-bbr-05, section 5.6.4.4; bbr3.h).

#ifndef LONGFAT_BBR3_LAST_WINDOW_H
#define LONGFAT_BBR3_LAST_WINDOW_H

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace longfat
{

class Bbr3LastWindow
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;
    using Tcb = ns3::Ptr<const State>;

  public:
    void Save(Tcb tcb, bool isProbeRtt)
    {
        const auto state = tcb->m_congState.Get();
        const bool isGood = state != State::CA_RECOVERY && state != State::CA_LOSS && !isProbeRtt;
        m_lastGood = isGood ? tcb->m_cWnd.Get() : Larger(tcb);
    }

    void Restore(Socket tcb) const
    {
        tcb->m_cWnd = Larger(tcb);
    }

    /// The socket is about to enter that state.
    void OnState(Socket tcb, State::TcpCongState_t state, bool isProbeRtt)
    {
        if (state == State::CA_OPEN && tcb->m_congState == State::CA_LOSS)
        {
            Restore(tcb);
        }
        else if (state == State::CA_LOSS || state == State::CA_RECOVERY)
        {
            Save(tcb, isProbeRtt);
        }
    }

    /// A recovery ends. ns-3's socket sets the window to the threshold next; the ACK after it undoes that.
    void OnEndOfRecovery(Tcb tcb)
    {
        m_next = Larger(tcb);
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
