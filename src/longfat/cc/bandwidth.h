// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP Westwood and TCP-J share: a NewReno sender that estimates the bandwidth from the ACKs
// (ack-bandwidth.h), and after a loss sets its threshold to what the estimate fills,
//
//     ssthresh = BW RTT_min / segment size        paper tcpj, equations (5) to (7)
//
// What becomes of the window after three duplicate ACKs is left to the subclass.
//
// ns-3 ends a recovery with the window at the threshold, whatever the window was. Where a window is
// to be kept instead, the threshold is lent that value for the time of the recovery, and set to its
// own when the recovery is over.

#ifndef LONGFAT_BANDWIDTH_H
#define LONGFAT_BANDWIDTH_H

#include "ack-bandwidth.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace longfat
{

class TcpBandwidth : public TcpAckBandwidth
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpBandwidth")
                .SetParent<TcpAckBandwidth>()
                .AddAttribute("RttTick",
                              "tick of the clock to which RTT_min is rounded; 0 is exact",
                              ns3::TimeValue(ns3::Seconds(0)),
                              ns3::MakeTimeAccessor(&TcpBandwidth::m_rttTick),
                              ns3::MakeTimeChecker(ns3::Seconds(0), ns3::Seconds(10)));
        return tid;
    }

    /// The threshold after a loss. On entering recovery: what the window is to be at its end.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb,
                         uint32_t /* bytesInFlight */) override
    {
        const uint32_t threshold = GetThreshold(tcb);
        if (!FoundByDuplicateAcks())
        {
            return threshold;
        }
        m_inRecovery = true;
        m_threshold = threshold;
        m_window = WindowAfterDuplicateAcks(tcb, threshold);
        return m_window;
    }

    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t state) override
    {
        TcpAckBandwidth::CongestionStateSet(tcb, state);
        if (state == ns3::TcpSocketState::CA_LOSS)
        {
            m_inRecovery = false;
        }
    }

    /// Growth is NewReno's. ns-3 calls this for the ACK that ends a recovery, but for none within.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (m_inRecovery)
        {
            m_inRecovery = false;
            tcb->m_cWnd = m_window;
            tcb->m_ssThresh = m_threshold;
        }
        ns3::TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
    }

  protected:
    /// The window at the end of a recovery, in bytes, where the threshold will be `threshold`.
    virtual uint32_t WindowAfterDuplicateAcks(ns3::Ptr<const ns3::TcpSocketState> tcb,
                                              uint32_t threshold) const = 0;

    /// The right side of (5) to (7) in bytes, at least two segments (RFC 5681, equation 4).
    virtual uint32_t GetThreshold(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const double bytes = GetBandwidth() * GetRttMin(tcb) / 8;
        return std::max(2 * tcb->m_segmentSize,
                        static_cast<uint32_t>(std::min<double>(bytes, 0x7fffffff)));
    }

    /// End a recovery, if there is one, in that window and threshold.
    void EndRecoveryWith(uint32_t window, uint32_t threshold)
    {
        m_window = window;
        m_threshold = threshold;
    }

  private:
    /// RTT_min in seconds, in whole ticks if the clock has any (one at least).
    double GetRttMin(ns3::Ptr<const ns3::TcpSocketState> tcb) const
    {
        if (tcb->m_minRtt == ns3::Time::Max())
        {
            return 0;
        }
        const double rttS = tcb->m_minRtt.GetSeconds();
        const double tickS = m_rttTick.GetSeconds();
        return tickS > 0 ? tickS * std::max(1.0, std::floor(rttS / tickS + 0.5)) : rttS;
    }

    ns3::Time m_rttTick;      //!< of the sender's clock
    bool m_inRecovery{false}; //!< m_window and m_threshold wait for its end
    uint32_t m_window{0};     //!< in bytes, at the end of the recovery
    uint32_t m_threshold{0};  //!< in bytes, from then on
};

} // namespace longfat

#endif
