// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood as first published (S. Mascolo, C. Casetti, M. Gerla, M. Y. Sanadidi, R. Wang, "TCP
// Westwood: Bandwidth Estimation for Enhanced Transport over Wireless Links", MobiCom 2001; paper
// tcpj, equations 1 and 2): a sample an ACK, smoothed by Tustin's approximation of a low-pass filter
// with the time constant T,
//
//     BW <- ((2T/D - 1) BW + b_k + b_{k-1}) / (2T/D + 1),      D = t_k - t_{k-1}      (2)
//
// ns-3 has Westwood+ alone, which takes one sample a round trip.
//
// Where no ACK comes for T/2, a sample of zero is put in its place, so that the estimate falls while
// nothing arrives (section 2.2 there, with m = 2). An ACK less than 10 ms after such a moment belongs
// to the interval before it: a sample over almost no time would be arbitrarily large.

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

#include "bandwidth.h"

namespace longfat
{

class TcpWestwood : public TcpBandwidth
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpWestwood")
                .SetParent<TcpBandwidth>()
                .AddConstructor<TcpWestwood>()
                .AddAttribute("TimeConstant",
                              "T of the low-pass filter (2)",
                              ns3::TimeValue(ns3::Seconds(1)),
                              ns3::MakeTimeAccessor(&TcpWestwood::m_timeConstant),
                              ns3::MakeTimeChecker(ns3::MilliSeconds(1), ns3::Seconds(1000)));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpWestwood>(this);
    }

  protected:
    /// Equation (2), for the intervals without an ACK first.
    double Filter(double bits, double intervalS) override
    {
        const double longestS = GetLongestIntervalS();
        double idle = std::floor(intervalS / longestS);
        if (idle > 0 && intervalS - idle * longestS < 0.01)
        {
            --idle;
        }
        double bandwidth = AfterIdle(idle);
        const double restS = intervalS - idle * longestS;
        const double sample = bits / restS;
        bandwidth = Tustin(bandwidth, sample + (idle > 0 ? 0 : m_lastSample), restS);
        m_lastSample = sample;
        return bandwidth;
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
        return m_lastAckS < 0 ? 0 : AfterIdle(std::floor(silenceS / GetLongestIntervalS()));
    }

  private:
    double GetLongestIntervalS() const
    {
        return m_timeConstant.GetSeconds() / 2;
    }

    double Tustin(double bandwidth, double samples, double intervalS) const
    {
        const double ratio = 2 * m_timeConstant.GetSeconds() / intervalS;
        return ((ratio - 1) * bandwidth + samples) / (ratio + 1);
    }

    /// The estimate after that many samples of zero.
    double AfterIdle(double samples) const
    {
        double bandwidth = m_bandwidth.Get();
        for (double i = 0; i < samples; ++i)
        {
            bandwidth = Tustin(bandwidth, i == 0 ? m_lastSample : 0, GetLongestIntervalS());
        }
        return bandwidth;
    }

    ns3::Time m_timeConstant; //!< T of (2)
    double m_lastSample{0};   //!< b_{k-1}, in bit/s
};

NS_OBJECT_ENSURE_REGISTERED(TcpWestwood);

} // namespace longfat

#endif
