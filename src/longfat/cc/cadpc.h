// SPDX-License-Identifier: GPL-2.0-only
//
// Congestion Avoidance with Distributed Proportional Control (M. Welzl, "Scalable performance signalling
// and congestion avoidance", Kluwer 2003; paper: survey). Every few round trips a query asks the routers for
// counters (link-traffic.h). With x the flow's rate and lambda all traffic, as parts of the busiest link's,
//
//     x <- x + a x (1 - x - lambda)
//
// which is logistic growth: n such flows come to 1 / (n + 1) each. No ACK and no loss changes the rate.
//
// Assumed, for the book is not at hand: a is 1/2 and a query goes every 4 round trips (both can be set);
// the rate is paced, and the window, 2 x RTT, only keeps a path without answers from being filled; it
// begins as the initial window a round trip. Where a router does not speak PTP the sender is NewReno.

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

#include "attributes.h"
#include "fractional-window.h"
#include "link-traffic.h"
#include "path-queries.h"

#include <algorithm>
#include <vector>

namespace longfat
{

class TcpCadpc : public TcpFractionalWindow, public PathQueriesSignal
{
  public:
    using Tcb = PathQueriesSignal::Tcb;
    using Records = std::vector<LinkRecord>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpCadpc, TcpFractionalWindow>("longfat::TcpCadpc")
                .AddAttribute("Gain",
                              "a: how fast the rate grows",
                              Number(&TcpCadpc::m_gain, 0.5, 0.01, 2.0))
                .AddAttribute("RoundTrips",
                              "smoothed round trips from a query to the next",
                              Number(&TcpCadpc::m_roundTrips, 4.0, 0.5, 100.0));
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

    void OnPathAnswer(Tcb tcb, uint32_t number, const Records& records, bool isWhole) override
    {
        if (number <= m_answered) // overtaken by a later one
        {
            return;
        }
        m_answered = number;
        if (!isWhole)
        {
            m_traffic.Forget();
            m_isTold = tcb->m_pacing = false;
            return;
        }
        if (const auto busiest = m_traffic.Take(records))
        {
            m_isTold = true;
            m_rateBps += m_gain * m_rateBps * (busiest->leftBps - m_rateBps) / busiest->rateBps;
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

    /// As NewReno's, where routers are silent.
    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_isTold && m_answered > 0 && !m_traffic.HasAnswer() && segmentsAcked > 0)
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

    double m_gain{};                 //!< a
    double m_roundTrips{};           //!< from a query to the next
    PathQueries* m_queries{nullptr}; //!< where an engine has them
    LinkTraffic m_traffic;           //!< from an answer to the next
    double m_rateBps{0};             //!< x, with headers
    double m_perPayload{1};          //!< bytes with headers a byte of payload
    uint32_t m_asked{0};
    uint32_t m_answered{0}; //!< number of the latest answer
    bool m_isTold{false};   //!< by routers, how busy they are
};

NS_OBJECT_ENSURE_REGISTERED(TcpCadpc);

} // namespace longfat

#endif
