// SPDX-License-Identifier: GPL-2.0-only
//
// HD (hd.h) as FreeBSD's cc_hd.c has it, in the one thing that matters: a back-off is answered as a
// congestion signal is, so that until what was outstanding is acknowledged the window neither halves
// again nor grows. Equation (1) of the paper ucc has no such rule: there each ACK draws.

/* catalogue
title = "Hamilton Delay (HD) as in FreeBSD"
type_id = "longfat::TcpHdFreeBsd"
source = "FreeBSD 14, sys/netinet/cc/cc_hd.c; paper ucc, equation (1)"
[parameters]
min_delay_s = {attribute = "MinDelay", below = "threshold_delay_s"}
threshold_delay_s = {attribute = "ThresholdDelay"}
max_probability = {attribute = "MaxProbability"}
*/

#ifndef LONGFAT_HD_FREEBSD_H
#define LONGFAT_HD_FREEBSD_H

#include "hd.h"

#include "ns3/sequence-number.h"

namespace longfat
{

class TcpHdFreeBsd : public TcpHd
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHdFreeBsd").SetParent<TcpHd>().AddConstructor<TcpHdFreeBsd>();
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHdFreeBsd>(this);
    }

    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (tcb->m_lastAckedSeq < m_answered)
        {
            return;
        }
        const uint32_t before = tcb->m_cWnd;
        TcpHd::IncreaseWindow(tcb, segmentsAcked);
        if (tcb->m_cWnd < before)
        {
            m_answered = tcb->m_nextTxSequence;
        }
    }

  private:
    ns3::SequenceNumber32 m_answered{0}; //!< what had been sent at the last back-off ends here
};

NS_OBJECT_ENSURE_REGISTERED(TcpHdFreeBsd);

} // namespace longfat

#endif
