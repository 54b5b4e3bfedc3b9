// SPDX-License-Identifier: GPL-2.0-only
//
// Compound TCP (Tan, Song, Zhang and Sridharan, "A Compound TCP approach for high-speed and long
// distance networks", 2006; draft-sridharan-tcpm-ctcp-02). Compared with UCC in the paper ucc.
//
// The window is that of NewReno, which loss governs, and a second one, which delay governs:
//
//     win = cwnd + dwnd,   cwnd <- cwnd + 1 / win for each ACK
//
// Once a round trip the delay window follows diff = win (1 - baseRTT / RTT), the packets in the
// queue, where RTT is the mean over the round trip (compound-delay-window.h). A loss that duplicate
// ACKs reveal halves cwnd, and leaves dwnd so much that win is win (1 - beta). A timeout, and slow
// start, have no dwnd.

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

#include "attributes.h"
#include "compound-delay-window.h"
#include "loss-cause.h"
#include "mean-rtt.h"

namespace longfat
{

class TcpCompound : public TcpLossCause
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpCompound, TcpLossCause>("longfat::TcpCompound")
                                     .AddAttribute("Alpha",
                                                   "scale of the delay window's growth",
                                                   Number(&TcpCompound::m_alpha, 0.125, 0.0, 10.0))
                                     .AddAttribute("Beta",
                                                   "what a loss takes, as a fraction",
                                                   Number(&TcpCompound::m_beta, 0.5, 0.0, 1.0))
                                     .AddAttribute("Exponent",
                                                   "k, of the delay window's growth",
                                                   Number(&TcpCompound::m_exponent, 0.75, 0.0, 1.0))
                                     .AddAttribute("Gamma",
                                                   "packets in the queue at which it falls",
                                                   Number(&TcpCompound::m_gamma, 30.0, 0.0, 1e6))
                                     .AddAttribute("Zeta",
                                                   "how fast it falls",
                                                   Number(&TcpCompound::m_zeta, 1.0, 0.0, 1000.0));
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
        m_rtt.Add(rtt);
    }

    /// ns-3 calls this for an ACK that advances, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const bool slowStart = tcb->m_cWnd < tcb->m_ssThresh;
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked); // in avoidance, by 1 / win
        if (m_rtt.IsRoundOver(tcb))
        {
            if (!slowStart && m_rtt.HasSamples())
            {
                UpdateDelayWindow(tcb);
            }
            m_rtt.StartRound(tcb);
        }
    }

    /// The threshold after a loss that duplicate ACKs revealed, or after a timeout.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        if (!FoundByDuplicateAcks())
        {
            m_delayWindow.Clear();
            return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
        }
        const double after = m_delayWindow.Reduce(double(tcb->m_cWnd) / tcb->m_segmentSize, m_beta);
        return std::max(2 * tcb->m_segmentSize, uint32_t(after * tcb->m_segmentSize));
    }

    /// dwnd, in segments.
    double GetDelayWindow() const
    {
        return m_delayWindow.Get();
    }

  private:
    void UpdateDelayWindow(ns3::Ptr<ns3::TcpSocketState> tcb)
    {
        const double win = double(tcb->m_cWnd) / tcb->m_segmentSize;
        const double diff = win * (1 - m_rtt.GetBaseS() / m_rtt.GetMeanS());
        const double after =
            m_delayWindow.EndRound(win, diff, {m_alpha, m_exponent, m_gamma, m_zeta});
        tcb->m_cWnd = uint32_t(std::min<double>(after * tcb->m_segmentSize, 0x7fffffff));
        // In avoidance the window is not below the threshold, or it would go back to slow start.
        tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get(), tcb->m_cWnd.Get());
    }

    double m_alpha{};                  //!< alpha
    double m_beta{};                   //!< beta
    double m_exponent{};               //!< k
    double m_gamma{};                  //!< gamma, in packets
    double m_zeta{};                   //!< zeta
    CompoundDelayWindow m_delayWindow; //!< dwnd
    MeanRtt m_rtt;                     //!< of the round under way
};

NS_OBJECT_ENSURE_REGISTERED(TcpCompound);

} // namespace longfat

#endif
