// SPDX-License-Identifier: GPL-2.0-only
//
// The mean of the round-trip times of a round, and the smallest of the connection; a round is over
// when what had been sent at its beginning is acknowledged.

#ifndef LONGFAT_MEAN_RTT_H
#define LONGFAT_MEAN_RTT_H

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class MeanRtt
{
  public:
    void Add(const ns3::Time& rtt)
    {
        m_base = std::min(m_base, rtt);
        m_sumS += rtt.GetSeconds();
        ++m_samples;
    }

    bool IsRoundOver(ns3::Ptr<const ns3::TcpSocketState> tcb) const
    {
        return tcb->m_lastAckedSeq >= m_roundEnd;
    }

    void StartRound(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        m_roundEnd = tcb->m_nextTxSequence;
        m_sumS = 0;
        m_samples = 0;
    }

    bool HasSamples() const
    {
        return m_samples > 0;
    }

    /// baseRTT, the smallest of the connection, in s.
    double GetBaseS() const
    {
        return m_base.GetSeconds();
    }

    /// The mean of the round under way, in s.
    double GetMeanS() const
    {
        return m_sumS / m_samples;
    }

  private:
    ns3::Time m_base{ns3::Time::Max()};  //!< smallest of the connection
    double m_sumS{0};                    //!< of the round under way, in s
    uint32_t m_samples{0};               //!< how many these are
    ns3::SequenceNumber32 m_roundEnd{0}; //!< what ends the round when acknowledged
};

} // namespace longfat

#endif
