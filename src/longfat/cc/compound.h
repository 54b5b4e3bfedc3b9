// SPDX-License-Identifier: GPL-2.0-only
//
// Compound TCP (Tan, Song, Zhang and Sridharan, "A Compound TCP approach for high-speed and long
// distance networks", 2006; draft-sridharan-tcpm-ctcp-02). Compared with UCC in the paper ucc.
//
// The window is that of NewReno, which loss governs, and a second one, which delay governs:
//
//     win = cwnd + dwnd,   cwnd <- cwnd + 1 / win for each ACK
//
// Once a round trip, with diff = win (1 - baseRTT / RTT) the packets in the queue,
//
//     dwnd <- dwnd + (alpha win^k - 1)^+    if diff < gamma
//     dwnd <- (dwnd - zeta diff)^+          if diff >= gamma
//
// At a loss that duplicate ACKs reveal, cwnd <- cwnd / 2 and dwnd <- (win (1 - beta) - cwnd / 2)^+.
// A timeout, and slow start, have no dwnd. RTT is the mean over the round trip.

/* catalogue
title = "Compound TCP"
type_id = "longfat::TcpCompound"
source = "Tan, Song, Zhang and Sridharan 2006; paper ucc, section 5"
[parameters]
alpha = {attribute = "Alpha"}
beta = {attribute = "Beta"}
exponent = {attribute = "Exponent"}
gamma = {attribute = "Gamma"}
zeta = {attribute = "Zeta"}
*/

#ifndef LONGFAT_COMPOUND_H
#define LONGFAT_COMPOUND_H

#include "loss-cause.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <algorithm>
#include <cmath>

namespace longfat
{

class TcpCompound : public TcpLossCause
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCompound")
                .SetParent<TcpLossCause>()
                .AddConstructor<TcpCompound>()
                .AddAttribute("Alpha",
                              "scale of the delay window's growth",
                              ns3::DoubleValue(0.125),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_alpha),
                              ns3::MakeDoubleChecker<double>(0, 10))
                .AddAttribute("Beta",
                              "what a loss takes, as a fraction",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_beta),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Exponent",
                              "k, of the delay window's growth",
                              ns3::DoubleValue(0.75),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_exponent),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Gamma",
                              "packets in the queue at which it falls",
                              ns3::DoubleValue(30),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_gamma),
                              ns3::MakeDoubleChecker<double>(0, 1e6))
                .AddAttribute("Zeta",
                              "how fast it falls",
                              ns3::DoubleValue(1),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_zeta),
                              ns3::MakeDoubleChecker<double>(0, 1000));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCompound>(this);
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> /* tcb */,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& rtt) override
    {
        m_baseRtt = std::min(m_baseRtt, rtt);
        m_sumOfRtts += rtt.GetSeconds();
        ++m_rtts;
    }

    /// ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const bool slowStart = tcb->m_cWnd < tcb->m_ssThresh;
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked); // in avoidance, by 1 / win
        if (tcb->m_lastAckedSeq < m_roundEnd)
        {
            return;
        }
        if (!slowStart && m_rtts > 0)
        {
            UpdateDelayWindow(tcb);
        }
        m_roundEnd = tcb->m_nextTxSequence;
        m_sumOfRtts = 0;
        m_rtts = 0;
    }

    /// The threshold after a loss that duplicate ACKs revealed, or after a timeout.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        if (!FoundByDuplicateAcks())
        {
            m_delayWindow = 0;
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        const double window = double(tcb->m_cWnd) / tcb->m_segmentSize;
        const double halfOfLossWindow = std::max(0.0, window - m_delayWindow) / 2;
        m_delayWindow = std::max(0.0, window * (1 - m_beta) - halfOfLossWindow);
        return std::max(2 * tcb->m_segmentSize,
                        uint32_t((halfOfLossWindow + m_delayWindow) * tcb->m_segmentSize));
    }

    /// dwnd, in segments.
    double GetDelayWindow() const
    {
        return m_delayWindow;
    }

  private:
    void UpdateDelayWindow(ns3::Ptr<ns3::TcpSocketState> tcb)
    {
        const double window = double(tcb->m_cWnd) / tcb->m_segmentSize;
        const double rtt = m_sumOfRtts / m_rtts;
        const double diff = window * (1 - m_baseRtt.GetSeconds() / rtt);
        const double before = std::min(m_delayWindow, window);
        m_delayWindow = diff < m_gamma
                            ? before + std::max(0.0, m_alpha * std::pow(window, m_exponent) - 1)
                            : std::max(0.0, before - m_zeta * diff);
        const double after = std::max(2.0, window + m_delayWindow - before);
        tcb->m_cWnd = uint32_t(std::min<double>(after * tcb->m_segmentSize, 0x7fffffff));
        // In avoidance the window is not below the threshold, or it would go back to slow start.
        tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get(), tcb->m_cWnd.Get());
    }

    double m_alpha{};                      //!< alpha
    double m_beta{};                       //!< beta
    double m_exponent{};                   //!< k
    double m_gamma{};                      //!< gamma, in packets
    double m_zeta{};                       //!< zeta
    double m_delayWindow{0};               //!< dwnd, in segments
    ns3::Time m_baseRtt{ns3::Time::Max()}; //!< smallest of the connection
    double m_sumOfRtts{0};                 //!< of the round under way, in s
    uint32_t m_rtts{0};                    //!< how many these are
    ns3::SequenceNumber32 m_roundEnd{0};   //!< what ends the round when acknowledged
};

NS_OBJECT_ENSURE_REGISTERED(TcpCompound);

} // namespace longfat

#endif
