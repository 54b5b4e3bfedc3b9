// SPDX-License-Identifier: GPL-2.0-only
//
// LEDBAT (RFC 6817), which gives way to all other traffic: for every ACK, with the one-way delay
// from its timestamps (RFC 7323),
//
//     queuing_delay = min(last delays) - min(minutes' smallest delays)             (ledbat-delays.h)
//     off_target    = (TARGET - queuing_delay) / TARGET
//     cwnd         += GAIN off_target bytes_newly_acked MSS / cwnd
//     cwnd          = min(cwnd, flightsize + ALLOWED_INCREASE MSS), at least MIN_CWND MSS
//
// A loss halves the window. Slow start, where it is allowed, is as in standard TCP; without
// timestamps all is. What ns-3 does otherwise is in ledbat-ns3.h.

/* catalogue
title = "LEDBAT"
type_id = "longfat::TcpLedbat"
source = "RFC 6817"
caps_window = true
[parameters]
target_delay_s = {attribute = "TargetDelay"}
gain = {attribute = "Gain"}
base_history = {attribute = "BaseHistoryLen"}
noise_filter = {attribute = "NoiseFilterLen"}
min_window_segments = {attribute = "MinCwnd"}
slow_start = {attribute = "SlowStart"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_LEDBAT_H
#define LONGFAT_LEDBAT_H

#include "attributes.h"
#include "ledbat-delays.h"
#include "ledbat-ns3.h"
#include "standard-or-ns3.h"

#include "ns3/simulator.h"

namespace longfat
{

class TcpLedbat : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpLedbat, TcpStandardOrNs3>("longfat::TcpLedbat")
                .AddAttribute("TargetDelay",
                              "TARGET, of queueing delay",
                              Number(&TcpLedbat::m_target,
                                     ns3::MilliSeconds(100),
                                     ns3::MilliSeconds(1),
                                     ns3::MilliSeconds(100)))
                .AddAttribute("Gain",
                              "GAIN, segments a round trip at most",
                              Number(&TcpLedbat::m_gain, 1.0, 1e-6, 1.0))
                .AddAttribute("BaseHistoryLen",
                              "BASE_HISTORY, in minutes",
                              Number(&TcpLedbat::m_history, 10u, 1u, 1000u))
                .AddAttribute("NoiseFilterLen",
                              "CURRENT_FILTER, in ACKs",
                              Number(&TcpLedbat::m_filter, 4u, 1u, 1000u))
                .AddAttribute("MinCwnd", "MIN_CWND", Number(&TcpLedbat::m_minWindow, 2u, 1u, 1000u))
                .AddAttribute("SlowStart",
                              "it begins with slow start",
                              Switch(&TcpLedbat::m_slowStart, true));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpLedbat>(this);
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& /* rtt */) override
    {
        m_hasDelay = tcb->m_rcvTimestampValue > 0 && tcb->m_rcvTimestampEchoReply > 0;
        const uint32_t ms = tcb->m_rcvTimestampValue - tcb->m_rcvTimestampEchoReply;
        const auto second = static_cast<int64_t>(ns3::Simulator::Now().GetSeconds());
        m_delays.Add(ms, second, {m_filter, m_history, m_asNs3});
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        m_canSlowStart = m_canSlowStart || tcb->m_cWnd.Get() <= tcb->m_segmentSize;
        if (m_slowStart && m_canSlowStart && tcb->m_cWnd.Get() <= tcb->m_ssThresh.Get())
        {
            SlowStart(tcb, segmentsAcked);
            return;
        }
        m_canSlowStart = false;
        if (!m_hasDelay)
        {
            CongestionAvoidance(tcb, segmentsAcked);
        }
        else
        {
            FollowDelay(tcb, segmentsAcked);
        }
    }

  private:
    void FollowDelay(Tcb tcb, uint32_t segmentsAcked)
    {
        const double targetMs = m_asNs3 ? m_target.GetMilliSeconds() : 1000 * m_target.GetSeconds();
        const double offsetMs = m_gain * (targetMs - m_delays.GetQueuingDelayMs());
        if (m_asNs3)
        {
            tcb->m_cWnd = GetLedbatWindowAsNs3(tcb, segmentsAcked, offsetMs, targetMs, m_minWindow);
        }
        else if (segmentsAcked > 0)
        {
            const double acked = tcb->m_lastAckedSackedBytes; // what this ACK newly delivers
            const double w = GetWindow(tcb) + offsetMs / targetMs * acked / tcb->m_cWnd.Get();
            const double flight = tcb->m_bytesInFlight.Get() + acked; // before this ACK
            SetWindow(tcb,
                      std::max<double>(std::min(w, flight / tcb->m_segmentSize + 1), m_minWindow));
        }
        if (tcb->m_cWnd.Get() <= tcb->m_ssThresh.Get())
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get() - 1;
        }
    }

    ns3::Time m_target{};      //!< TARGET
    double m_gain{};           //!< GAIN
    uint32_t m_history{};      //!< BASE_HISTORY
    uint32_t m_filter{};       //!< CURRENT_FILTER
    uint32_t m_minWindow{};    //!< MIN_CWND, in segments
    bool m_slowStart{};        //!< it is allowed
    bool m_canSlowStart{true}; //!< the delay has not yet governed the window
    bool m_hasDelay{false};    //!< the last ACK had timestamps
    LedbatDelays m_delays;     //!< current_delays and base_delays
};

NS_OBJECT_ENSURE_REGISTERED(TcpLedbat);

} // namespace longfat

#endif
