// SPDX-License-Identifier: GPL-2.0-only
//
// FAST TCP (paper: survey, equation 37; C. Jin, D. X. Wei and S. H. Low, "FAST TCP: motivation,
// architecture, algorithms, performance", 2004).
//
// Every other round trip, with D the smallest round trip seen and q the mean queueing delay,
//
//     w <- min(2 w, (1 - gamma) w + gamma (D / (D + q) w + alpha))                   (37)
//
// which stays where alpha segments of the flow wait in queues (38). A loss halves the window, as
// standard TCP's; what FAST TCP does between, such as pacing a raised window, is not modelled.
//
// The mean of q weighs each new round trip with min(3 / w, 1/4), as the authors do. ns-3's round
// trips come from timestamps that tick in milliseconds: their mean is right, but their minimum may
// be short by up to a tick.

/* catalogue
title = "FAST TCP"
type_id = "longfat::TcpFast"
source = "paper survey, equation (37); Jin, Wei and Low 2004"
[parameters]
alpha_segments = {attribute = "Alpha"}
gamma = {attribute = "Gamma"}
*/

#ifndef LONGFAT_FAST_H
#define LONGFAT_FAST_H

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <string>

namespace longfat
{

class TcpFast : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpFast")
                                     .SetParent<ns3::TcpNewReno>()
                                     .AddConstructor<TcpFast>()
                                     .AddAttribute("Alpha",
                                                   "segments that are to wait in queues",
                                                   ns3::DoubleValue(200),
                                                   ns3::MakeDoubleAccessor(&TcpFast::m_alpha),
                                                   ns3::MakeDoubleChecker<double>(1, 1e6))
                                     .AddAttribute("Gamma",
                                                   "weight of the new window",
                                                   ns3::DoubleValue(0.5),
                                                   ns3::MakeDoubleAccessor(&TcpFast::m_gamma),
                                                   ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpFast";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpFast>(this);
    }

    /// The smallest round trip, and the mean, from which q is.
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& /* rtt */) override
    {
        const double sample = tcb->m_lastRtt.Get().GetSeconds();
        if (sample <= 0)
        {
            return;
        }
        const double weight = std::min(3.0 * tcb->m_segmentSize / tcb->m_cWnd.Get(), 0.25);
        m_meanS = m_baseS > 0 ? (1 - weight) * m_meanS + weight * sample : sample;
        m_baseS = m_baseS > 0 ? std::min(m_baseS, sample) : sample;
    }

    /// Equation (37). ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const double now = ns3::Simulator::Now().GetSeconds();
        if (segmentsAcked == 0 || m_baseS <= 0 || now < m_nextS)
        {
            return;
        }
        m_nextS = now + 2 * m_meanS;
        const double w = double(tcb->m_cWnd.Get()) / tcb->m_segmentSize;
        const double target = m_baseS / m_meanS * w + m_alpha;
        const double next = std::min(2 * w, (1 - m_gamma) * w + m_gamma * target);
        tcb->m_cWnd = static_cast<uint32_t>(std::clamp(next, 2.0, LARGEST) * tcb->m_segmentSize);
    }

    /// A loss halves the window, down to two segments at least.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb,
                         uint32_t /* bytesInFlight */) override
    {
        return std::max(2 * tcb->m_segmentSize, tcb->m_cWnd.Get() / 2);
    }

  private:
    static constexpr double LARGEST = 200000; //!< segments; of 9000 bytes they fit 31 bits

    double m_alpha{};  //!< in segments
    double m_gamma{};  //!< weight of the new window
    double m_baseS{0}; //!< D, in seconds; 0: no round trip yet
    double m_meanS{0}; //!< D + q, in seconds
    double m_nextS{0}; //!< time of the next update, in seconds
};

NS_OBJECT_ENSURE_REGISTERED(TcpFast);

} // namespace longfat

#endif
