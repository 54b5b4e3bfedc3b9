// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP Westwood and TCP-J share: a NewReno sender that estimates the bandwidth from the ACKs, and
// after a loss sets its threshold to what the estimate fills,
//
//     ssthresh = BW RTT_min / segment size        paper tcpj, equations (5) to (7)
//
// The two differ in how they smooth the samples, and in what becomes of the window after three
// duplicate ACKs: those two are left to the subclass.
//
// A sample is d_k / (t_k - t_{k-1}), (1) and (8): what the ACK reports as arrived, over the time
// since the last ACK. An ACK that fills a hole acknowledges segments that duplicate ACKs reported
// before; counting them once is the procedure AckedCount of Westwood's authors (S. Mascolo et al.,
// "TCP Westwood", MobiCom 2001, section 3).
//
// ns-3 ends a recovery with the window at the threshold, whatever the window was. Where a window is to
// be kept instead, the threshold is lent that value for the time of the recovery, and set to its own
// when the recovery is over.

#ifndef LONGFAT_BANDWIDTH_H
#define LONGFAT_BANDWIDTH_H

#include "loss-cause.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace longfat
{

class TcpBandwidth : public TcpLossCause
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpBandwidth")
                .SetParent<TcpLossCause>()
                .AddAttribute("RttTick",
                              "tick of the clock to which RTT_min is rounded; 0 is exact",
                              ns3::TimeValue(ns3::Seconds(0)),
                              ns3::MakeTimeAccessor(&TcpBandwidth::m_rttTick),
                              ns3::MakeTimeChecker(ns3::Seconds(0), ns3::Seconds(10)))
                .AddTraceSource("Bandwidth",
                                "The estimate BW, in bit/s",
                                ns3::MakeTraceSourceAccessor(&TcpBandwidth::m_bandwidth),
                                "ns3::TracedValueCallback::Double");
        return tid;
    }

    /// (1), (8): one sample an ACK. ns-3 calls this for duplicate ACKs too.
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& /* rtt */) override
    {
        m_uncounted += AckedCount(tcb);
        const double now = ns3::Simulator::Now().GetSeconds();
        if (m_lastAckS < 0) // the first ACK starts the clock
        {
            m_lastAckS = now;
            m_uncounted = 0;
        }
        else if (now > m_lastAckS) // a second ACK of one instant counts in the next sample
        {
            m_bandwidth = Filter(8.0 * m_uncounted * tcb->m_segmentSize, now - m_lastAckS);
            m_lastAckS = now;
            m_uncounted = 0;
        }
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
        TcpLossCause::CongestionStateSet(tcb, state);
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
    /// The estimate after so many bits reported by an ACK, so long after the last one.
    virtual double Filter(double bits, double intervalS) = 0;

    /// The window at the end of a recovery, in bytes, where the threshold will be `threshold`.
    virtual uint32_t WindowAfterDuplicateAcks(ns3::Ptr<const ns3::TcpSocketState> tcb,
                                              uint32_t threshold) const = 0;

    /// The bandwidth that (5) to (7) take at this moment, in bit/s.
    virtual double GetBandwidth() const
    {
        return m_bandwidth;
    }

    /// The right side of (5) to (7) in bytes, at least two segments (RFC 5681, equation 4).
    virtual uint32_t GetThreshold(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const double bytes = GetBandwidth() * GetRttMin(tcb) / 8;
        return std::max(2 * tcb->m_segmentSize,
                        static_cast<uint32_t>(std::min<double>(bytes, 0x7fffffff)));
    }

    /// Forget the estimate.
    void Reset()
    {
        m_bandwidth = 0;
        m_lastAckS = -1;
        m_uncounted = 0;
    }

    /// End a recovery, if there is one, in that window and threshold.
    void EndRecoveryWith(uint32_t window, uint32_t threshold)
    {
        m_window = window;
        m_threshold = threshold;
    }

    ns3::TracedValue<double> m_bandwidth{0}; //!< BW, the estimate, in bit/s
    double m_lastAckS{-1};                   //!< t_{k-1}; negative: no ACK yet

  private:
    /// Segments that an ACK reports as arrived and no ACK before it did.
    uint32_t AckedCount(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const auto acked = tcb->m_lastAckedSeq;
        uint32_t count = m_hasAck ? (acked - m_lastAcked) / tcb->m_segmentSize : 1;
        m_lastAcked = acked;
        m_hasAck = true;
        if (count == 0) // a duplicate ACK: some segment arrived
        {
            ++m_accounted;
            return 1;
        }
        if (count > 1)
        {
            const uint32_t before = std::min(m_accounted, count);
            m_accounted -= before;
            count = std::max(1u, count - before); // what was retransmitted has arrived now
        }
        return count;
    }

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

    ns3::Time m_rttTick;               //!< of the sender's clock
    ns3::SequenceNumber32 m_lastAcked; //!< highest byte acknowledged by the last ACK
    bool m_hasAck{false};              //!< there was one
    uint32_t m_accounted{0};           //!< segments that duplicate ACKs have reported
    uint32_t m_uncounted{0};           //!< segments of ACKs that made no sample yet
    bool m_inRecovery{false};          //!< m_window and m_threshold wait for its end
    uint32_t m_window{0};              //!< in bytes, at the end of the recovery
    uint32_t m_threshold{0};           //!< in bytes, from then on
};

} // namespace longfat

#endif
