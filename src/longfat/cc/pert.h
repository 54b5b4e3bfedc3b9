// SPDX-License-Identifier: GPL-2.0-only
//
// PERT, Probabilistic Early Response TCP (S. Bhandarkar, A. L. N. Reddy, Y. Zhang and D. Loguinov,
// "Emulating AQM from end hosts", SIGCOMM 2007; paper: ucc, table 1).
//
// Standard TCP whose sender does what a router with RED would: with the queueing delay q = s - RTT_min
// of a round trip that is smoothed slowly, it answers early with the probability p(q).
//
//     s <- 0.99 s + 0.01 RTT          for every ACK
//     p(q):  0 to t_min;  from 0 to p_max at t_max;  from p_max to 1 at 2 t_max;  1 beyond
//     w <- (1 - 0.35) w               at most once a round trip
//
// (gentle RED's curve). t_min and t_max are 5 and 10 ms of queueing, p_max is 0.05. A loss halves the
// window. The abstract alone could be had; the constants are those by which the literature describes
// it, and all are parameters. Assumed: what is left ends slow start.

/* catalogue
title = "Probabilistic Early Response TCP (PERT)"
type_id = "longfat::TcpPert"
source = "Bhandarkar et al. 2007; paper ucc, table 1"
caps_window = true
[parameters]
min_delay_s = {attribute = "MinDelay", below = "max_delay_s"}
max_delay_s = {attribute = "MaxDelay"}
max_probability = {attribute = "MaxProbability"}
decrease = {attribute = "Decrease"}
weight = {attribute = "Weight"}
*/

#ifndef LONGFAT_PERT_H
#define LONGFAT_PERT_H

#include "chance.h"
#include "round-trips.h"

namespace longfat
{

class TcpPert : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpPert")
                .SetParent<TcpRoundTrips>()
                .AddConstructor<TcpPert>()
                .AddAttribute("MinDelay",
                              "t_min, queueing delay without early response",
                              ns3::TimeValue(ns3::MilliSeconds(5)),
                              ns3::MakeTimeAccessor(&TcpPert::m_minDelay),
                              ns3::MakeTimeChecker(ns3::Time(0), ns3::Seconds(10)))
                .AddAttribute("MaxDelay",
                              "t_max, queueing delay at max_probability",
                              ns3::TimeValue(ns3::MilliSeconds(10)),
                              ns3::MakeTimeAccessor(&TcpPert::m_maxDelay),
                              ns3::MakeTimeChecker(ns3::NanoSeconds(1), ns3::Seconds(10)))
                .AddAttribute("MaxProbability",
                              "p_max, for each ACK",
                              ns3::DoubleValue(0.05),
                              ns3::MakeDoubleAccessor(&TcpPert::m_maxProbability),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Decrease",
                              "what an early response takes",
                              ns3::DoubleValue(0.35),
                              ns3::MakeDoubleAccessor(&TcpPert::m_decrease),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Weight",
                              "of a new round trip in the smoothed one",
                              ns3::DoubleValue(0.01),
                              ns3::MakeDoubleAccessor(&TcpPert::m_weight),
                              ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpPert>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& rtt) override
    {
        TcpRoundTrips::PktsAcked(tcb, segmentsAcked, rtt);
        const double sample = tcb->m_lastRtt.Get().GetSeconds();
        if (sample > 0)
        {
            m_rtt = m_rtt > 0 ? (1 - m_weight) * m_rtt + m_weight * sample : sample;
        }
    }

    /// The probability of an early response at a queueing delay (s).
    double GetProbability(double delay) const
    {
        const double low = m_minDelay.GetSeconds();
        const double high = m_maxDelay.GetSeconds();
        if (delay <= low)
        {
            return 0;
        }
        if (delay <= high)
        {
            return m_maxProbability * (delay - low) / (high - low);
        }
        return std::min(1.0, m_maxProbability + (1 - m_maxProbability) * (delay - high) / high);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (m_rtt > 0 && IsRoundOver(tcb) && // the answer to the last response is there
            m_chance.Happens(GetProbability(m_rtt - m_baseRtt.GetSeconds())))
        {
            SetWindow(tcb, std::max(2.0, (1 - m_decrease) * GetWindow(tcb)));
            tcb->m_ssThresh = tcb->m_cWnd.Get();
            StartRound(tcb);
            return;
        }
        TcpRoundTrips::IncreaseWindow(tcb, segmentsAcked);
    }

  private:
    ns3::Time m_minDelay;      //!< t_min
    ns3::Time m_maxDelay;      //!< t_max
    double m_maxProbability{}; //!< p_max
    double m_decrease{};       //!< 0.35
    double m_weight{};         //!< 0.01
    double m_rtt{0};           //!< s, in s; 0: none yet
    Chance m_chance;
};

NS_OBJECT_ENSURE_REGISTERED(TcpPert);

} // namespace longfat

#endif
