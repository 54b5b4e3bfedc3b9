// SPDX-License-Identifier: GPL-2.0-only
//
// UCC, congestion control by the bottleneck's utilization (paper: ucc, equations 6 and 7).
//
// From one detected loss to the next, of N packets N_min had the smallest one-way delay, so they
// met no queue, and the bottleneck's utilization is taken to be
//
//     rho = (N - N_min) / N                                         (6)
//
// When duplicate ACKs reveal a loss, the window is halved only if the link was that busy:
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

#include "loss-cause.h"
#include "signals.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace longfat
{

class TcpUcc : public TcpLossCause, public OneWayDelaySignal
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpUcc")
                .SetParent<TcpLossCause>()
                .AddConstructor<TcpUcc>()
                .AddAttribute("Alpha",
                              "utilization above which a loss is congestion",
                              ns3::DoubleValue(0.99),
                              ns3::MakeDoubleAccessor(&TcpUcc::m_alpha),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Clock",
                              "tick of both ends' clocks; 0 is exact",
                              ns3::TimeValue(ns3::Time(0)),
                              ns3::MakeTimeAccessor(&TcpUcc::m_clock),
                              ns3::MakeTimeChecker(ns3::Time(0), ns3::Seconds(10)))
                .AddAttribute("MinimumOfEpoch",
                              "smallest delay since the last loss, not of all",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpUcc::m_minimumOfEpoch),
                              ns3::MakeBooleanChecker())
                .AddAttribute("MinimumLifetime",
                              "the smallest delay is forgotten after; 0 is never",
                              ns3::TimeValue(ns3::Time(0)),
                              ns3::MakeTimeAccessor(&TcpUcc::m_lifetime),
                              ns3::MakeTimeChecker(ns3::Time(0), ns3::Seconds(1e6)))
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

    /// One more of the N packets; is it one of the N_min?
    void OnOneWayDelay(ns3::Time sent, ns3::Time received) override
    {
        if (m_lifetime.IsStrictlyPositive() && received - m_minimumSince >= m_lifetime)
        {
            ForgetMinimum(received);
            BeginEpoch();
        }
        const int64_t delay = Ticks(received) - Ticks(sent);
        ++m_packets;
        if (delay < m_minimum)
        {
            m_minimum = delay;
            m_packetsAtMinimum = 0; // what was counted had met a queue after all
        }
        m_packetsAtMinimum += delay == m_minimum;
        m_utilization = double(m_packets - m_packetsAtMinimum) / m_packets; // (6)
    }

    /// Equation (7), where duplicate ACKs revealed the loss.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        const bool congested = m_packets == 0 || m_utilization > m_alpha;
        BeginEpoch();
        if (!FoundByDuplicateAcks())
        {
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        const uint32_t window = tcb->m_cWnd;
        return std::max(2 * tcb->m_segmentSize, congested ? window / 2 : window);
    }

  private:
    /// What a clock with that tick shows.
    int64_t Ticks(ns3::Time time) const
    {
        return m_clock.IsZero() ? time.GetNanoSeconds()
                                : time.GetNanoSeconds() / m_clock.GetNanoSeconds();
    }

    /// Begin to count anew: a loss was detected.
    void BeginEpoch()
    {
        m_packets = 0;
        m_packetsAtMinimum = 0;
        if (m_minimumOfEpoch)
        {
            m_minimum = std::numeric_limits<int64_t>::max();
        }
    }

    void ForgetMinimum(ns3::Time now)
    {
        m_minimum = std::numeric_limits<int64_t>::max();
        m_minimumSince = now;
    }

    double m_alpha{};                                       //!< alpha of (7)
    ns3::Time m_clock;                                      //!< tick of both clocks, 0: exact
    bool m_minimumOfEpoch{};                                //!< else of the connection
    ns3::Time m_lifetime;                                   //!< of the minimum, 0: for ever
    uint64_t m_packets{0};                                  //!< N
    uint64_t m_packetsAtMinimum{0};                         //!< N_min
    int64_t m_minimum{std::numeric_limits<int64_t>::max()}; //!< smallest delay, in ticks
    ns3::Time m_minimumSince;                               //!< when it was last forgotten
    ns3::TracedValue<double> m_utilization{0.0};            //!< rho of (6)
};

NS_OBJECT_ENSURE_REGISTERED(TcpUcc);

} // namespace longfat

#endif
