// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood+ (L. A. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New
// Reno, and Vegas TCP congestion control", 2004): NewReno's growth (newreno.h), and after a loss the
// threshold that an estimate of the bandwidth fills.
//
//     b_k = d_k / Delta_k                        d_k acknowledged in Delta_k, about a round trip
//     B_k = alpha B_{k-1} + (1 - alpha) (b_k + b_{k-1}) / 2
//     ssthresh = max(B_k RTT_min, 2 segments)
//
// d_k counts each segment once, when an ACK reports that it has arrived: duplicate ACKs count for one,
// and the ACK that then acknowledges their segments does not count them again (AckedCount of S. Mascolo
// et al., "TCP Westwood", 2001, section 3). The first sample fills the filter, as in Linux.
//
// Linux 6.12 (tcp_westwood.c) takes what duplicate ACKs have reported off from ACKs that carry SACK
// blocks, but not from the one that ends a recovery: that has none, goes Linux's fast path, and counts
// all that it acknowledges, so that the bytes of a recovery count twice. AsLinux does the same, and the
// estimate, and with it the threshold after the next loss, is larger. The rest of Linux's is not in it:
// two filters of 7/8 in series, samples of 50 ms at least, half the window until a recovery ends.

/* catalogue
title = "TCP Westwood+"
type_id = "longfat::TcpWestwoodPlus"
source = "Grieco and Mascolo 2004"
linux = "westwood"
traces = ["bandwidth_bps"]
[parameters]
alpha = {attribute = "Alpha"}
as_ns3_3_44 = {attribute = "AsNs3"}
as_linux_6_12 = {attribute = "AsLinux"}
*/

#ifndef LONGFAT_WESTWOOD_PLUS_H
#define LONGFAT_WESTWOOD_PLUS_H

#include "newreno.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

class TcpWestwoodPlus : public TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpWestwoodPlus")
                .SetParent<TcpNewReno>()
                .AddConstructor<TcpWestwoodPlus>()
                .AddAttribute("Alpha",
                              "weight of the past in the filter",
                              ns3::DoubleValue(0.9),
                              ns3::MakeDoubleAccessor(&TcpWestwoodPlus::m_alpha),
                              ns3::MakeDoubleChecker<double>(0.0, 1.0))
                .AddAttribute("AsLinux",
                              "count the segments of a recovery twice, as Linux 6.12 does",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpWestwoodPlus::m_asLinux),
                              ns3::MakeBooleanChecker())
                .AddTraceSource("Bandwidth",
                                "The estimate B_k, in bit/s",
                                ns3::MakeTraceSourceAccessor(&TcpWestwoodPlus::m_bandwidth),
                                "ns3::TracedValueCallback::Double");
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpWestwoodPlus>(this);
    }

    /// The socket calls this for every ACK, duplicate ones too.
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override
    {
        const ns3::Time now = ns3::Simulator::Now();
        if (m_asNs3)
        {
            EndSampleAsNs3(tcb);
            // ns-3 3.44 counts a duplicate ACK's segment again when it is acknowledged.
            m_segments += rtt.IsZero() ? 0 : segmentsAcked;
            if (m_interval.IsZero())
            {
                m_sampleStart = now;
                m_interval = rtt;
            }
            return;
        }
        const ns3::Time lastRtt = tcb->m_lastRtt.Get();
        if (lastRtt.IsStrictlyPositive())
        {
            m_minRtt = m_minRtt.IsZero() ? lastRtt : std::min(m_minRtt, lastRtt);
        }
        m_segments += AckedCount(tcb);
        const ns3::Time interval = now - m_sampleStart;
        if (!m_started || (interval >= lastRtt && interval.IsStrictlyPositive()))
        {
            if (m_started) // the first ACK starts the clock
            {
                Filter(8.0 * m_segments * tcb->m_segmentSize / interval.GetSeconds());
            }
            m_started = true;
            m_sampleStart = now;
            m_segments = 0;
        }
    }

    /// What the estimate fills.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb,
                         uint32_t /* bytesInFlight */) override
    {
        if (m_asNs3)
        {
            EndSampleAsNs3(tcb);
        }
        // ns-3 3.44's smallest round trip is the smallest smoothed one.
        const ns3::Time minRtt = m_asNs3 ? tcb->m_minRtt : m_minRtt;
        const double bytes = minRtt.GetSeconds() * m_bandwidth.Get() / 8;
        return std::max(static_cast<uint32_t>(std::min(bytes, 2147483647.0)),
                        2 * tcb->m_segmentSize);
    }

  private:
    /// B_k from b_k, both in bit/s.
    void Filter(double sample)
    {
        // ns-3 3.44 begins with an estimate of zero, of which a tenth is corrected a round trip.
        const double mean = (sample + m_lastSample) / 2;
        m_bandwidth = m_hasSample ? m_alpha * m_bandwidth.Get() + (1 - m_alpha) * mean : sample;
        m_hasSample = true;
        m_lastSample = sample;
    }

    /// Segments that an ACK reports as arrived and none before it did.
    uint32_t AckedCount(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const uint32_t acked = (tcb->m_lastAckedSeq - m_lastAcked) / tcb->m_segmentSize;
        m_lastAcked = tcb->m_lastAckedSeq;
        if (acked == 0)
        {
            ++m_reported;
            return 1;
        }
        if (m_asLinux && m_reported < acked) // no SACK block is left
        {
            m_reported = 0;
            return acked;
        }
        const uint32_t before = std::min(m_reported, acked - 1);
        m_reported -= before;
        return acked - before;
    }

    /// ns-3 3.44 ends a sample with a timer, a smoothed round trip after its first ACK, and works in
    /// whole bit/s.
    void EndSampleAsNs3(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        if (m_interval.IsZero() || ns3::Simulator::Now() < m_sampleStart + m_interval)
        {
            return;
        }
        const uint32_t bytes = m_segments * tcb->m_segmentSize;
        const double sample = std::floor(bytes * 8.0 / m_interval.GetSeconds());
        const double mean = std::floor((sample + m_lastSample) * 0.5);
        m_bandwidth = std::floor(m_bandwidth.Get() * m_alpha) + std::floor(mean * (1 - m_alpha));
        m_lastSample = sample;
        m_segments = 0;
        m_interval = ns3::Time(0);
    }

    double m_alpha{};                        //!< alpha
    bool m_asLinux{};                        //!< count the segments of a recovery twice
    ns3::TracedValue<double> m_bandwidth{0}; //!< B_k, in bit/s
    double m_lastSample{0};                  //!< b_{k-1}, in bit/s
    bool m_hasSample{false};                 //!< there was one
    uint32_t m_segments{0};                  //!< of the sample under way: d_k
    bool m_started{false};                   //!< there was an ACK
    ns3::Time m_sampleStart;                 //!< when that sample began
    ns3::Time m_interval{0}; //!< as ns-3: when it ends, after that; 0: none is under way
    ns3::Time m_minRtt{ns3::Seconds(0)};  //!< RTT_min; 0: none
    ns3::SequenceNumber32 m_lastAcked{0}; //!< highest byte acknowledged by the last ACK
    uint32_t m_reported{0};               //!< segments that duplicate ACKs have reported
};

NS_OBJECT_ENSURE_REGISTERED(TcpWestwoodPlus);

} // namespace longfat

#endif
