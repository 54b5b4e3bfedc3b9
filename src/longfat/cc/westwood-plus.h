// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood+ (L. A. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New
// Reno, and Vegas TCP congestion control", 2004): NewReno's growth (newreno.h), and after a loss the
// threshold that an estimate B_k of the bandwidth (westwood-plus-filter.h) fills.
//
//     ssthresh = max(B_k RTT_min, 2 segments)
//
// Each segment counts once (westwood-plus-acked-count.h). With AsLinux those of a recovery count twice, as
// in Linux 6.12, and the estimate, and with it the threshold after the next loss, is larger. The rest of
// Linux's is not in it: two filters of 7/8 in series, samples of 50 ms at least, half the window until a
// recovery ends. What ns-3 does otherwise is in westwood-plus-ns3.h.

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

#include "attributes.h"
#include "newreno.h"
#include "westwood-plus-acked-count.h"
#include "westwood-plus-filter.h"
#include "westwood-plus-ns3.h"

#include "ns3/nstime.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class TcpWestwoodPlus : public TcpNewReno
{
    using Own = TcpWestwoodPlus;
    using State = ns3::TcpSocketState;
    using Time = ns3::Time;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId(
                Attributes<Own, TcpNewReno>("longfat::TcpWestwoodPlus")
                    .AddAttribute("Alpha",
                                  "weight of the past in the filter",
                                  Number(&Own::m_alpha, 0.9, 0.0, 1.0))
                    .AddAttribute("AsLinux",
                                  "count the segments of a recovery twice, as Linux 6.12 does",
                                  Switch(&Own::m_asLinux, false)))
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
    void PktsAcked(ns3::Ptr<State> tcb, uint32_t segmentsAcked, const Time& rtt) override
    {
        if (m_asNs3)
        {
            m_bandwidth = m_ns3.EndSample(tcb->m_segmentSize, m_alpha);
            m_ns3.OnAck(segmentsAcked, rtt);
            return;
        }
        const Time lastRtt = tcb->m_lastRtt.Get();
        if (lastRtt.IsStrictlyPositive())
        {
            m_minRtt = m_minRtt.IsZero() ? lastRtt : std::min(m_minRtt, lastRtt);
        }
        const uint32_t segments = m_ackedCount.OnAck(tcb, m_asLinux);
        m_filter.OnAck(segments, tcb->m_segmentSize, lastRtt, m_alpha);
        m_bandwidth = m_filter.Get();
    }

    /// What the estimate fills.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        if (m_asNs3)
        {
            m_bandwidth = m_ns3.EndSample(tcb->m_segmentSize, m_alpha);
        }
        // ns-3 3.44's smallest round trip is the smallest smoothed one.
        const Time minRtt = m_asNs3 ? tcb->m_minRtt : m_minRtt;
        const double bytes = minRtt.GetSeconds() * m_bandwidth.Get() / 8;
        return std::max(static_cast<uint32_t>(std::min(bytes, 2147483647.0)),
                        2 * tcb->m_segmentSize);
    }

  private:
    double m_alpha{};                        //!< alpha
    bool m_asLinux{};                        //!< count the segments of a recovery twice
    ns3::TracedValue<double> m_bandwidth{0}; //!< B_k, in bit/s
    Time m_minRtt{ns3::Seconds(0)};          //!< RTT_min; 0: none
    WestwoodPlusAckedCount m_ackedCount;
    WestwoodPlusFilter m_filter;
    WestwoodPlusNs3 m_ns3;
};

NS_OBJECT_ENSURE_REGISTERED(TcpWestwoodPlus);

} // namespace longfat

#endif
