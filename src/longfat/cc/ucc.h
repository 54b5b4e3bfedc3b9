// SPDX-License-Identifier: GPL-2.0-only
//
// UCC, congestion control by the bottleneck's utilization (paper: ucc, equations 6 and 7).
//
// The utilization rho, (6), is estimated from the one-way delays of the packets from one detected loss
// to the next (ucc-utilization.h). When duplicate ACKs reveal a loss, the window is halved only if the
// link was that busy:
//
//     w <- w / 2   if rho > alpha,   else w                          (7)
//
// Growth is NewReno's, and so is a timeout (section 4.1: one segment, then slow start).
//
// What the paper leaves open, and its parameter here: the clock that the delay is read from
// (Clock), whether the minimum is that of the connection or of the N packets (MinimumOfEpoch), and
// how often it is forgotten, for when the path changes (MinimumLifetime).

/* catalogue
title = "UCC"
type_id = "longfat::TcpUcc"
source = "paper ucc, equations (6) and (7)"
traces = ["utilization"]
signals = ["one-way delay"]
[parameters]
alpha = {attribute = "Alpha"}
clock_s = {attribute = "Clock"}
minimum_of_epoch = {attribute = "MinimumOfEpoch"}
minimum_lifetime_s = {attribute = "MinimumLifetime"}
*/

#ifndef LONGFAT_UCC_H
#define LONGFAT_UCC_H

#include "attributes.h"
#include "loss-cause.h"
#include "signals.h"
#include "ucc-utilization.h"

#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class TcpUcc : public TcpLossCause, public OneWayDelaySignal
{
    using Time = ns3::Time;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId(
                Attributes<TcpUcc, TcpLossCause>("longfat::TcpUcc")
                    .AddAttribute("Alpha",
                                  "utilization above which a loss is congestion",
                                  Number(&TcpUcc::m_alpha, 0.99, 0.0, 1.0))
                    .AddAttribute(
                        "Clock",
                        "tick of both ends' clocks; 0 is exact",
                        Number(&TcpUcc::m_clock, ns3::Time(0), ns3::Time(0), ns3::Seconds(10)))
                    .AddAttribute("MinimumOfEpoch",
                                  "smallest delay since the last loss, not of all",
                                  Switch(&TcpUcc::m_minimumOfEpoch, false))
                    .AddAttribute(
                        "MinimumLifetime",
                        "the smallest delay is forgotten after; 0 is never",
                        Number(&TcpUcc::m_lifetime, ns3::Time(0), ns3::Time(0), ns3::Seconds(1e6))))
                .AddTraceSource("Utilization",
                                "The bottleneck's utilization since the last loss, rho of (6)",
                                ns3::MakeTraceSourceAccessor(&TcpUcc::m_utilization),
                                "ns3::TracedValueCallback::Double");
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpUcc>(this);
    }

    void OnOneWayDelay(Time sent, Time received) override
    {
        m_utilization = m_packets.OnPacket(sent, received, {m_clock, m_minimumOfEpoch, m_lifetime});
    }

    /// Equation (7), where duplicate ACKs revealed the loss.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        const bool congested = !m_packets.HasPackets() || m_utilization > m_alpha;
        m_packets.BeginEpoch(m_minimumOfEpoch);
        if (!FoundByDuplicateAcks())
        {
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        const uint32_t window = tcb->m_cWnd;
        return std::max(2 * tcb->m_segmentSize, congested ? window / 2 : window);
    }

  private:
    double m_alpha{};                            //!< alpha of (7)
    Time m_clock;                                //!< tick of both clocks, 0: exact
    bool m_minimumOfEpoch{};                     //!< else of the connection
    Time m_lifetime;                             //!< of the minimum, 0: for ever
    UccUtilization m_packets;                    //!< since the last loss
    ns3::TracedValue<double> m_utilization{0.0}; //!< rho of (6)
};

NS_OBJECT_ENSURE_REGISTERED(TcpUcc);

} // namespace longfat

#endif
