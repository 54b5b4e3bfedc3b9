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

#ifndef LONGFAT_COMPOUND_H
#define LONGFAT_COMPOUND_H

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace longfat
{

class TcpCompound : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCompound")
                .SetParent<ns3::TcpNewReno>()
                .AddConstructor<TcpCompound>()
                .AddAttribute("Alpha",
                              "Scale of the growth of dwnd",
                              ns3::DoubleValue(0.125),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_alpha),
                              ns3::MakeDoubleChecker<double>(0))
                .AddAttribute("Beta",
                              "What a loss takes from the window, as a fraction",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_beta),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Exponent",
                              "Exponent of the growth of dwnd, k",
                              ns3::DoubleValue(0.75),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_exponent),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Gamma",
                              "Packets in the queue at which dwnd begins to fall",
                              ns3::DoubleValue(30),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_gamma),
                              ns3::MakeDoubleChecker<double>(0))
                .AddAttribute("Zeta",
                              "How fast dwnd falls",
                              ns3::DoubleValue(1),
                              ns3::MakeDoubleAccessor(&TcpCompound::m_zeta),
                              ns3::MakeDoubleChecker<double>(0));
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpCompound";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpCompound>(this);
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
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

    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t state) override
    {
        m_duplicateAcks = state == ns3::TcpSocketState::CA_RECOVERY;
    }

    /// ns-3 calls this right after it has announced a recovery, or for a timeout.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        if (!m_duplicateAcks)
        {
            m_delayWindow = 0;
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        m_duplicateAcks = false;
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
        tcb->m_cWnd = uint32_t(after * tcb->m_segmentSize);
        // In avoidance the window is not below the threshold, or it would go back to slow start.
        tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get(), tcb->m_cWnd.Get());
    }

    double m_alpha{0.125};                  //!< alpha
    double m_beta{0.5};                     //!< beta
    double m_exponent{0.75};                //!< k
    double m_gamma{30};                     //!< gamma, in packets
    double m_zeta{1};                       //!< zeta
    double m_delayWindow{0};                //!< dwnd, in segments
    ns3::Time m_baseRtt{ns3::Time::Max()};  //!< smallest of the connection
    double m_sumOfRtts{0};                  //!< of the round under way, in s
    uint32_t m_rtts{0};                     //!< how many these are
    ns3::SequenceNumber32 m_roundEnd{0};    //!< what ends the round when acknowledged
    bool m_duplicateAcks{false};            //!< they revealed the loss at hand
};

NS_OBJECT_ENSURE_REGISTERED(TcpCompound);

} // namespace longfat

#endif
