// SPDX-License-Identifier: GPL-2.0-only
//
// HD, the Hamilton delay-based congestion control (paper: ucc, equation 1; L. Budzisz, R.
// Stanojevic, R. Shorten and F. Baker, "A strategy for fair coexistence of loss and delay-based
// congestion control algorithms", 2009).
//
// For every ACK, with the queueing delay q = RTT - RTT_min, the probability g(q) of figure 1 and a
// random number X from [0, 1],
//
//     w <- w / 2         if X < g(q),  else  w <- w + 1 / w            (1)
//
// Slow start and losses are NewReno's, and a back-off ends slow start, as in FreeBSD's module.

/* catalogue
title = "Hamilton Delay (HD)"
type_id = "longfat::TcpHd"
source = "paper ucc, equation (1) and figure 1; Budzisz et al. 2009"
[parameters]
min_delay_s = {attribute = "MinDelay", below = "threshold_delay_s"}
threshold_delay_s = {attribute = "ThresholdDelay"}
max_probability = {attribute = "MaxProbability"}
*/

#ifndef LONGFAT_HD_H
#define LONGFAT_HD_H

#include "delay-backoff.h"

namespace longfat
{

class TcpHd : public TcpDelayBackOff
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHd")
                .SetParent<TcpDelayBackOff>()
                .AddConstructor<TcpHd>()
                .AddAttribute("ThresholdDelay",
                              "q_th, between regions A and B",
                              ns3::TimeValue(ns3::MilliSeconds(20)),
                              ns3::MakeTimeAccessor(&TcpHd::m_thresholdDelay),
                              ns3::MakeTimeChecker(ns3::NanoSeconds(1), ns3::Seconds(10)))
                .AddAttribute("MaxProbability",
                              "p_max, for each ACK",
                              ns3::DoubleValue(0.05),
                              ns3::MakeDoubleAccessor(&TcpHd::m_maxProbability),
                              ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHd>(this);
    }

    /// Equation (1). ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (HasRtt() && Draw(m_rtt - m_minRtt))
        {
            tcb->m_ssThresh = Half(tcb, tcb->m_cWnd);
            tcb->m_cWnd = tcb->m_ssThresh.Get();
        }
        else
        {
            TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
        }
    }
};

NS_OBJECT_ENSURE_REGISTERED(TcpHd);

} // namespace longfat

#endif
