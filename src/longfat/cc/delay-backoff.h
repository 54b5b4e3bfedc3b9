// SPDX-License-Identifier: GPL-2.0-only
//
// What HD and CHD share (paper: ucc, figure 1): the probability g(q) of a back-off at a queueing
// delay q. It rises from 0 at q_min to p_max at q_th (region A), where delay-based flows are among
// themselves, and falls to 0 at q_max = RTT_max - RTT_min (region B), where flows that only loss
// stops have filled the queue.

#ifndef LONGFAT_DELAY_BACKOFF_H
#define LONGFAT_DELAY_BACKOFF_H

#include "loss-cause.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>

namespace longfat
{

class TcpDelayBackOff : public TcpLossCause
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpDelayBackOff")
                .SetParent<TcpLossCause>()
                .AddAttribute("MinDelay",
                              "q_min, queueing delay without back-off",
                              ns3::TimeValue(ns3::MilliSeconds(5)),
                              ns3::MakeTimeAccessor(&TcpDelayBackOff::m_minDelay),
                              ns3::MakeTimeChecker(ns3::Time(0), ns3::Seconds(10)));
        return tid;
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> /* tcb */,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& rtt) override
    {
        m_rtt = rtt;
        m_minRtt = std::min(m_minRtt, rtt);
        m_maxRtt = std::max(m_maxRtt, rtt);
    }

    /// g(q) of figure 1.
    double BackOffProbability(ns3::Time q) const
    {
        const ns3::Time largest = m_maxRtt - m_minRtt; // q_max
        if (q <= m_minDelay || q > largest)
        {
            return 0;
        }
        if (q <= m_thresholdDelay) // region A
        {
            return m_maxProbability * (q - m_minDelay).GetSeconds() /
                   (m_thresholdDelay - m_minDelay).GetSeconds();
        }
        return m_maxProbability * (largest - q).GetSeconds() /
               (largest - m_thresholdDelay).GetSeconds(); // region B
    }

  protected:
    /// X < g(q). Senders have random numbers of their own, in the order in which they first need
    /// them: so that every engine draws the same ones.
    bool Draw(ns3::Time q)
    {
        if (!m_random)
        {
            m_random = ns3::CreateObject<ns3::UniformRandomVariable>();
            m_random->SetStream(s_nextStream++);
        }
        return m_random->GetValue() < BackOffProbability(q);
    }

    /// Half the window, the least that a loss leaves of it.
    static uint32_t Half(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t window)
    {
        return std::max(2 * tcb->m_segmentSize, window / 2);
    }

    bool HasRtt() const
    {
        return m_maxRtt.IsStrictlyPositive();
    }

    ns3::Time m_minDelay;                 //!< q_min
    ns3::Time m_thresholdDelay;           //!< q_th; an attribute of the subclass
    double m_maxProbability{};            //!< p_max; an attribute of the subclass
    ns3::Time m_rtt;                      //!< of the last ACK
    ns3::Time m_minRtt{ns3::Time::Max()}; //!< of the connection
    ns3::Time m_maxRtt;                   //!< of the connection

  private:
    ns3::Ptr<ns3::UniformRandomVariable> m_random; //!< X
    static inline int64_t s_nextStream{1'000'000}; //!< far from those of the links
};

} // namespace longfat

#endif
