// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood as first published (S. Mascolo, C. Casetti, M. Gerla, M. Y. Sanadidi, R. Wang, "TCP
// Westwood: Bandwidth Estimation for Enhanced Transport over Wireless Links", MobiCom 2001; paper
// tcpj, equations 1 and 2): a sample an ACK, smoothed by a low-pass filter (tustin-filter.h). After
// a loss the threshold is what the estimate fills (bandwidth.h). ns-3 has Westwood+ alone, which
// takes one sample a round trip.

/* catalogue
title = "TCP Westwood"
type_id = "longfat::TcpWestwood"
source = "Mascolo et al. 2001; paper tcpj, equations (1) and (2)"
traces = ["bandwidth_bps"]
[parameters]
time_constant_s = {attribute = "TimeConstant"}
rtt_tick_s = {attribute = "RttTick"}
*/

#ifndef LONGFAT_WESTWOOD_H
#define LONGFAT_WESTWOOD_H

#include "attributes.h"
#include "bandwidth.h"
#include "tustin-filter.h"

namespace longfat
{

class TcpWestwood : public TcpBandwidth
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpWestwood, TcpBandwidth>("longfat::TcpWestwood")
                                     .AddAttribute("TimeConstant",
                                                   "T of the low-pass filter (2)",
                                                   Number(&TcpWestwood::m_timeConstant,
                                                          ns3::Seconds(1),
                                                          ns3::MilliSeconds(1),
                                                          ns3::Seconds(1000)));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpWestwood>(this);
    }

  protected:
    /// Equation (2).
    double Filter(double bits, double intervalS) override
    {
        return m_filter.Update(m_bandwidth.Get(), bits, intervalS, m_timeConstant.GetSeconds());
    }

    /// The window is lowered to the threshold, never raised.
    uint32_t WindowAfterDuplicateAcks(ns3::Ptr<const ns3::TcpSocketState> tcb,
                                      uint32_t threshold) const override
    {
        return std::min(tcb->m_cWnd.Get(), threshold);
    }

    /// The estimate, fallen by the samples of zero since the last ACK.
    double GetBandwidth() const override
    {
        const double silenceS = ns3::Simulator::Now().GetSeconds() - m_lastAckS;
        return m_lastAckS < 0 ? 0
                              : m_filter.AfterSilence(m_bandwidth.Get(),
                                                      silenceS,
                                                      m_timeConstant.GetSeconds());
    }

  private:
    ns3::Time m_timeConstant; //!< T of (2)
    TustinFilter m_filter;    //!< (2)
};

NS_OBJECT_ENSURE_REGISTERED(TcpWestwood);

} // namespace longfat

#endif
