// SPDX-License-Identifier: GPL-2.0-only
//
// What the algorithms share that go by round-trip times, and that ns-3 has too: the measurements, and
// the rounds, a round being over when what had been sent at its beginning is acknowledged.

#ifndef LONGFAT_ROUND_TRIPS_H
#define LONGFAT_ROUND_TRIPS_H

#include "standard-or-ns3.h"

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

namespace longfat
{

class TcpRoundTrips : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpRoundTrips").SetParent<TcpStandardOrNs3>();
        return tid;
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& rtt) override
    {
        const ns3::Time sample = m_asNs3 ? rtt : tcb->m_lastRtt.Get();
        if (!sample.IsZero())
        {
            m_baseRtt = std::min(m_baseRtt, sample);
            m_maxRtt = std::max(m_maxRtt, sample);
            m_minRtt = std::min(m_minRtt, sample);
            m_sumOfRtts += sample;
            ++m_samples;
        }
    }

    void CongestionStateSet(Tcb /* tcb */, const State::TcpCongState_t state) override
    {
        m_state = state;
    }

  protected:
    /// No loss, and no doubt of one. ns-3's classes go by what they were told last, which leaves out
    /// that an answer to ECN is over (upstream 1319).
    bool IsOpen(ns3::Ptr<const State> tcb) const
    {
        const auto state = m_asNs3 ? m_state : tcb->m_congState.Get();
        return state == State::CA_OPEN;
    }

    bool IsRoundOver(ns3::Ptr<const State> tcb) const
    {
        return tcb->m_lastAckedSeq >= m_roundEnd;
    }

    void StartRound(ns3::Ptr<const State> tcb)
    {
        m_roundEnd = tcb->m_nextTxSequence;
        m_minRtt = ns3::Time::Max();
        m_sumOfRtts = ns3::Time(0);
        m_samples = 0;
    }

    ns3::Time m_baseRtt{ns3::Time::Max()};         //!< smallest of the connection
    ns3::Time m_maxRtt;                            //!< largest of the connection
    ns3::Time m_minRtt{ns3::Time::Max()};          //!< smallest of the round
    ns3::Time m_sumOfRtts;                         //!< of the round
    uint32_t m_samples{0};                         //!< of the round
    State::TcpCongState_t m_state{State::CA_OPEN}; //!< last told

  private:
    ns3::SequenceNumber32 m_roundEnd{0}; //!< first byte not sent when the round began
};

} // namespace longfat

#endif
