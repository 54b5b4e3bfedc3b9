// SPDX-License-Identifier: GPL-2.0-only
//
// Congestion Avoidance with Distributed Proportional Control (M. Welzl, "Scalable performance signalling
// and congestion avoidance", Kluwer 2003; paper: survey). Every few round trips a query asks the
// routers for their links' rates and byte counters. Two answers give the traffic between them. With x
// the flow's own rate and lambda all traffic, both as parts of the rate of the busiest link,
//
//     x <- x + a x (1 - x - lambda)
//
// which is logistic growth: n flows that all do so come to 1 / (n + 1) each, whatever they begin
// with. ACKs repair losses and tell the round trip, and that is all: no ACK and no loss changes the rate.
//
// Assumed, for the book is not at hand: a is 1/2 and a query goes every 4 round trips (both can be
// set); the busiest link is that with the least rate left; the rate is paced, and the window, 2 x RTT,
// only keeps a path without answers from being filled; the first rate is the initial window a round
// trip. Where a router on the way does not speak PTP the sender is NewReno.

/* catalogue
title = "CADPC/PTP"
type_id = "longfat::TcpCadpc"
source = "Welzl 2003; paper survey"
caps_window = true
signals = ["router feedback", "path queries"]
[parameters]
gain = {attribute = "Gain"}
round_trips = {attribute = "RoundTrips"}
*/

#ifndef LONGFAT_CADPC_H
#define LONGFAT_CADPC_H

#include "fractional-window.h"
#include "path-queries.h"

#include "ns3/double.h"

#include <algorithm>
#include <limits>

namespace longfat
{

class TcpCadpc : public TcpFractionalWindow, public PathQueriesSignal
{
  public:
    using Tcb = PathQueriesSignal::Tcb;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpCadpc")
                                     .SetParent<TcpFractionalWindow>()
                                     .AddConstructor<TcpCadpc>()
                                     .AddAttribute("Gain",
                                                   "a: how fast the rate grows",
                                                   ns3::DoubleValue(0.5),
                                                   ns3::MakeDoubleAccessor(&TcpCadpc::m_gain),
                                                   ns3::MakeDoubleChecker<double>(0.01, 2))
                                     .AddAttribute("RoundTrips",
                                                   "smoothed round trips from a query to the next",
                                                   ns3::DoubleValue(4),
                                                   ns3::MakeDoubleAccessor(&TcpCadpc::m_roundTrips),
                                                   ns3::MakeDoubleChecker<double>(0.5, 100));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCadpc>(this);
    }

    void SetPathQueries(Tcb tcb, PathQueries* queries) override
    {
        m_queries = queries;
        m_perPayload = 1 + double(queries->GetHeaderBytes()) / tcb->m_segmentSize;
        m_rateBps = m_perPayload * 8 * tcb->m_cWnd / RttS(tcb);
        OnQueryTimer(tcb);
    }

    void OnQueryTimer(Tcb tcb) override
    {
        m_queries->AskPath(++m_asked);
        m_queries->SetQueryTimer(ns3::Seconds(m_roundTrips * RttS(tcb)));
    }

    void OnPathAnswer(Tcb tcb,
                      uint32_t number,
                      const std::vector<LinkRecord>& records,
                      bool isWhole) override
    {
        if (number <= m_answered) // overtaken by a later one
        {
            return;
        }
        m_answered = number;
        if (!isWhole)
        {
            m_records.clear();
            m_isTold = tcb->m_pacing = false;
            return;
        }
        double left = std::numeric_limits<double>::infinity();
        double capacity = 0;
        for (const LinkRecord& now : records)
        {
            const auto same = [&](const LinkRecord& old) { return old.link == now.link; };
            const auto old = std::find_if(m_records.begin(), m_records.end(), same);
            if (old == m_records.end() || old->atNs >= now.atNs)
            {
                continue; // the path is another
            }
            const double trafficBps = 8e9 * (now.bytes - old->bytes) / (now.atNs - old->atNs);
            if (now.rateBps - trafficBps < left)
            {
                left = now.rateBps - trafficBps;
                capacity = now.rateBps;
            }
        }
        m_records = records;
        if (capacity > 0)
        {
            m_isTold = true;
            m_rateBps += m_gain * m_rateBps * (left - m_rateBps) / capacity;
        }
        SetsPace(tcb);
    }

    /// A round trip may be another than before; the rate is not.
    bool SetsPace(Tcb tcb) override
    {
        if (m_isTold)
        {
            const double bytes = m_rateBps / 8 / m_perPayload;
            SetWindow(tcb, std::max(2.0, 2 * bytes * RttS(tcb) / tcb->m_segmentSize));
            tcb->m_cWndInfl = tcb->m_cWnd;
            tcb->m_pacing = tcb->m_paceInitialWindow = true;
            tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(8 * bytes) + 1);
        }
        return m_isTold;
    }

    /// Where routers are silent the window grows as NewReno's.
    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_isTold && m_answered > 0 && m_records.empty() && segmentsAcked > 0)
        {
            const double window = GetWindow(tcb);
            SetWindow(tcb, window + (tcb->m_cWnd < tcb->m_ssThresh ? 1 : 1 / window));
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return m_isTold ? tcb->m_cWnd.Get() : std::max(2 * tcb->m_segmentSize, bytesInFlight / 2);
    }

  private:
    static double RttS(Tcb tcb)
    {
        const double known = tcb->m_srtt.Get().GetSeconds();
        return known > 0 ? known : 1;
    }

    double m_gain{};                   //!< a
    double m_roundTrips{};             //!< from a query to the next
    PathQueries* m_queries{nullptr};   //!< where an engine has them
    std::vector<LinkRecord> m_records; //!< of the answer before
    double m_rateBps{0};               //!< x, with headers
    double m_perPayload{1};            //!< bytes with headers a byte of payload
    uint32_t m_asked{0};
    uint32_t m_answered{0}; //!< number of the latest answer
    bool m_isTold{false};   //!< by routers, how busy they are
};

NS_OBJECT_ENSURE_REGISTERED(TcpCadpc);

} // namespace longfat

#endif
