// SPDX-License-Identifier: GPL-2.0-only
//
// LEDBAT (RFC 6817), which gives way to all other traffic: for every ACK, with the one-way delay
// from its timestamps (RFC 7323),
//
//     queuing_delay = min(last delays) - min(minutes' smallest delays)             (section 2.4.2)
//     off_target    = (TARGET - queuing_delay) / TARGET
//     cwnd         += GAIN off_target bytes_newly_acked MSS / cwnd
//     cwnd          = min(cwnd, flightsize + ALLOWED_INCREASE MSS), at least MIN_CWND MSS
//
// A loss halves the window. Slow start, where it is allowed, is as in standard TCP; without
// timestamps all is.

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

#include "standard-or-ns3.h"

#include "ns3/simulator.h"

#include <deque>

namespace longfat
{

class TcpLedbat : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpLedbat")
                .SetParent<TcpStandardOrNs3>()
                .AddConstructor<TcpLedbat>()
                .AddAttribute("TargetDelay",
                              "TARGET, of queueing delay",
                              ns3::TimeValue(ns3::MilliSeconds(100)),
                              ns3::MakeTimeAccessor(&TcpLedbat::m_target),
                              ns3::MakeTimeChecker(ns3::MilliSeconds(1), ns3::MilliSeconds(100)))
                .AddAttribute("Gain",
                              "GAIN, segments a round trip at most",
                              ns3::DoubleValue(1),
                              ns3::MakeDoubleAccessor(&TcpLedbat::m_gain),
                              ns3::MakeDoubleChecker<double>(1e-6, 1))
                .AddAttribute("BaseHistoryLen",
                              "BASE_HISTORY, in minutes",
                              ns3::UintegerValue(10),
                              ns3::MakeUintegerAccessor(&TcpLedbat::m_history),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("NoiseFilterLen",
                              "CURRENT_FILTER, in ACKs",
                              ns3::UintegerValue(4),
                              ns3::MakeUintegerAccessor(&TcpLedbat::m_filter),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("MinCwnd",
                              "MIN_CWND",
                              ns3::UintegerValue(2),
                              ns3::MakeUintegerAccessor(&TcpLedbat::m_minWindow),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("SlowStart",
                              "it begins with slow start",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpLedbat::m_slowStart),
                              ns3::MakeBooleanChecker());
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
        // RFC 6817, 2.4.2: a minute's smallest delay; in ns-3 a minute is 61 s.
        const auto second = static_cast<int64_t>(ns3::Simulator::Now().GetSeconds());
        Add(m_lastMs, ms, m_filter);
        if (m_historyMs.empty() || second - m_minute >= (m_asNs3 ? 61 : 60))
        {
            m_minute = m_historyMs.empty() && m_asNs3 ? 0 : second;
            Add(m_historyMs, ms, m_history);
        }
        m_historyMs.back() = std::min(m_historyMs.back(), ms);
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
    /// ns-3 keeps one less.
    void Add(std::deque<uint32_t>& delays, uint32_t ms, uint32_t length) const
    {
        delays.push_back(ms);
        if (delays.size() > (m_asNs3 ? std::max(1U, length - 1) : length))
        {
            delays.pop_front();
        }
    }

    static double Smallest(const std::deque<uint32_t>& delays)
    {
        return *std::min_element(delays.begin(), delays.end());
    }

    void FollowDelay(Tcb tcb, uint32_t segmentsAcked)
    {
        const double targetMs = m_asNs3 ? m_target.GetMilliSeconds() : 1000 * m_target.GetSeconds();
        const double offset = m_gain * (targetMs - (Smallest(m_lastMs) - Smallest(m_historyMs)));
        const uint32_t mss = tcb->m_segmentSize;
        if (m_asNs3)
        {
            FollowDelayAsNs3(tcb, segmentsAcked, offset, targetMs);
        }
        else if (segmentsAcked > 0)
        {
            const double acked = tcb->m_lastAckedSackedBytes; // what this ACK newly delivers
            const double w = GetWindow(tcb) + offset / targetMs * acked / tcb->m_cWnd.Get();
            const double flight = tcb->m_bytesInFlight.Get() + acked; // before this ACK
            SetWindow(tcb, std::max<double>(std::min(w, flight / mss + 1), m_minWindow));
        }
        if (tcb->m_cWnd.Get() <= tcb->m_ssThresh.Get())
        {
            tcb->m_ssThresh = tcb->m_cWnd.Get() - 1;
        }
    }

    /// The fraction of a byte is lost, so that it grows by less and shrinks by more than it should;
    /// an ACK that ends a recovery counts for a window; ALLOWED_INCREASE is 0.
    void FollowDelayAsNs3(Tcb tcb, uint32_t segmentsAcked, double offset, double targetMs)
    {
        const uint32_t mss = tcb->m_segmentSize;
        const double product = offset * segmentsAcked * mss; // as 32 bits: too large is -2^31
        const double held = std::abs(product) < 0x80000000 ? std::trunc(product) : -0x80000000LL;
        const double change = held / (targetMs * tcb->m_cWnd.Get()) * mss;
        const auto w = static_cast<uint32_t>(static_cast<int64_t>(tcb->m_cWnd.Get() + change));
        const auto sent = static_cast<uint32_t>(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq);
        tcb->m_cWnd = std::max(std::min(w, sent + segmentsAcked * mss), m_minWindow * mss);
    }

    ns3::Time m_target{};             //!< TARGET
    double m_gain{};                  //!< GAIN
    uint32_t m_history{};             //!< BASE_HISTORY
    uint32_t m_filter{};              //!< CURRENT_FILTER
    uint32_t m_minWindow{};           //!< MIN_CWND, in segments
    bool m_slowStart{};               //!< it is allowed
    bool m_canSlowStart{true};        //!< the delay has not yet governed the window
    bool m_hasDelay{false};           //!< the last ACK had timestamps
    std::deque<uint32_t> m_lastMs;    //!< current_delays
    std::deque<uint32_t> m_historyMs; //!< base_delays
    int64_t m_minute{0};              //!< second at which the last of them began
};

NS_OBJECT_ENSURE_REGISTERED(TcpLedbat);

} // namespace longfat

#endif
