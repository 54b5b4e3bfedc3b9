// SPDX-License-Identifier: GPL-2.0-only
//
// When Linux's CDG ends slow start (tcp_cdg_hystart_update of net/ipv4/tcp_cdg.c): a train of ACKs that
// lasts half the least round trip, or a round trip of an eighth more than it.

#ifndef LONGFAT_LINUX_HYSTART_H
#define LONGFAT_LINUX_HYSTART_H

#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class LinuxHystart
{
  public:
    void BeginRound()
    {
        m_lastAck = 0;
        m_samples = 0;
    }

    /// An ACK has come; `least` is the round's least round trip, in us. Whether slow start ends.
    bool Ends(ns3::Ptr<const ns3::TcpSocketState> tcb, int64_t least)
    {
        m_least = m_least == 0 ? least : std::min(m_least, std::max(least, int64_t(1)));
        if (m_least == 0)
        {
            return false;
        }
        const int64_t now = ns3::Simulator::Now().GetMicroSeconds();
        if (m_lastAck == 0 || !tcb->m_isCwndLimited)
        {
            m_lastAck = m_trainBegan = now;
        }
        else if (now < m_lastAck + 3000)
        {
            m_lastAck = now;
            if (now > m_trainBegan + std::max(m_least / 2, int64_t(125)))
            {
                return true;
            }
        }
        if (m_samples < 8)
        {
            ++m_samples;
            return false;
        }
        return least > std::max(m_least + m_least / 8, int64_t(125));
    }

  private:
    int64_t m_least{0};      //!< round trip, in us
    int64_t m_lastAck{0};    //!< of a train, in us; 0: none
    int64_t m_trainBegan{0}; //!< in us
    uint32_t m_samples{0};   //!< of the round, up to 8
};

} // namespace longfat

#endif
