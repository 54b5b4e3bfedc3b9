// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-J: bandwidth estimation instead of halving, and handoff (paper: tcpj, equations 5 to 9). To be
// run with SACK, as the paper has it.
//
// The estimate (ABE), for every ACK:
//
//     BW <- alpha BW + (1 - alpha) (sample_k + sample_{k-1}) / 2                        (9)
//
// After three duplicate ACKs, with the threshold and the window before them:
//
//     threshold <= window    ssthresh = BW RTT_min / segment size, window = ssthresh    (5)
//     threshold > window     ssthresh = BW RTT_min / segment size, window kept          (6)
//
// and after a timeout the same threshold, and a window of one segment (7). Note that (5) raises the
// window where the estimate is high.
//
// Handoff (section 3.4). A local movement with the rate of the new radio link announced: the estimate
// counts for no more than that rate in (5) to (7). A non-local one, or no announcement (section
// 4.4.3): forget the estimate, and slow start up to the advertised window.

/* catalogue
title = "TCP-J"
type_id = "longfat::TcpJ"
source = "paper tcpj, equations (5) to (9) and section 3.4"
traces = ["bandwidth_bps"]
signals = ["handoff"]
[parameters]
alpha = {attribute = "Alpha"}
rtt_tick_s = {attribute = "RttTick"}
*/

#ifndef LONGFAT_TCPJ_H
#define LONGFAT_TCPJ_H

#include "attributes.h"
#include "bandwidth.h"
#include "signals.h"

namespace longfat
{

class TcpJ : public TcpBandwidth, public HandoffSignal
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpJ, TcpBandwidth>("longfat::TcpJ")
                                     .AddAttribute("Alpha",
                                                   "smoothing constant of the estimate (9)",
                                                   Number(&TcpJ::m_alpha, 0.9, 0.0, 1.0));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpJ>(this);
    }

    /// The first ACK after a movement of unknown bandwidth starts again.
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override
    {
        if (m_restarts)
        {
            m_restarts = false;
            tcb->m_cWnd = tcb->m_segmentSize;
            tcb->m_ssThresh = m_advertisedWindow;
            EndRecoveryWith(tcb->m_segmentSize, m_advertisedWindow);
        }
        TcpBandwidth::PktsAcked(tcb, segmentsAcked, rtt);
    }

    void OnHandoff(bool local, ns3::DataRate announced, uint32_t advertisedWindow) override
    {
        m_announcedBps = std::numeric_limits<double>::infinity();
        if (local && announced.GetBitRate() > 0)
        {
            m_announcedBps = static_cast<double>(announced.GetBitRate());
        }
        else
        {
            Reset();
            m_lastSample = 0;
            m_restarts = true;
            m_advertisedWindow = advertisedWindow;
        }
    }

  protected:
    /// Equation (9).
    double Filter(double bits, double intervalS) override
    {
        const double sample = bits / intervalS;
        const double bandwidth =
            m_alpha * m_bandwidth.Get() + (1 - m_alpha) * (sample + m_lastSample) / 2;
        m_lastSample = sample;
        return bandwidth;
    }

    /// Equations (5) and (6).
    uint32_t WindowAfterDuplicateAcks(ns3::Ptr<const ns3::TcpSocketState> tcb,
                                      uint32_t threshold) const override
    {
        return tcb->m_ssThresh <= tcb->m_cWnd ? threshold : tcb->m_cWnd.Get();
    }

    double GetBandwidth() const override
    {
        return std::min(m_bandwidth.Get(), m_announcedBps);
    }

    /// A timeout after such a movement is slow start up to the advertised window, too.
    uint32_t GetThreshold(ns3::Ptr<const ns3::TcpSocketState> tcb) override
    {
        if (m_restarts)
        {
            m_restarts = false;
            return m_advertisedWindow;
        }
        return TcpBandwidth::GetThreshold(tcb);
    }

  private:
    double m_alpha{};                                               //!< smoothing constant of (9)
    double m_lastSample{0};                                         //!< sample_{k-1}, in bit/s
    double m_announcedBps{std::numeric_limits<double>::infinity()}; //!< rate of the radio link
    bool m_restarts{false};         //!< slow start at the next ACK or timeout
    uint32_t m_advertisedWindow{0}; //!< in bytes, at the handoff
};

NS_OBJECT_ENSURE_REGISTERED(TcpJ);

} // namespace longfat

#endif
