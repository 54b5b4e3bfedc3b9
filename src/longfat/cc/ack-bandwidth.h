// SPDX-License-Identifier: GPL-2.0-only
//
// The bandwidth that TCP Westwood and TCP-J estimate from the ACKs (paper: tcpj, equations 1 and
// 8). A sample is d_k / (t_k - t_{k-1}): what the ACK reports as arrived, over the time since the
// last ACK. How the samples are smoothed is left to the subclass.

#ifndef LONGFAT_ACK_BANDWIDTH_H
#define LONGFAT_ACK_BANDWIDTH_H

#include "acked-count.h"
#include "loss-cause.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-value.h"

namespace longfat
{

class TcpAckBandwidth : public TcpLossCause
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpAckBandwidth")
                .SetParent<TcpLossCause>()
                .AddTraceSource("Bandwidth",
                                "The estimate BW, in bit/s",
                                ns3::MakeTraceSourceAccessor(&TcpAckBandwidth::m_bandwidth),
                                "ns3::TracedValueCallback::Double");
        return tid;
    }

    /// (1), (8): one sample an ACK. ns-3 calls this for duplicate ACKs too.
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& /* rtt */) override
    {
        m_uncounted += m_acked.Count(tcb);
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

  protected:
    /// The estimate after so many bits reported by an ACK, so long after the last one.
    virtual double Filter(double bits, double intervalS) = 0;

    /// The bandwidth that (5) to (7) take at this moment, in bit/s.
    virtual double GetBandwidth() const
    {
        return m_bandwidth;
    }

    /// Forget the estimate.
    void Reset()
    {
        m_bandwidth = 0;
        m_lastAckS = -1;
        m_uncounted = 0;
    }

    ns3::TracedValue<double> m_bandwidth{0}; //!< BW, the estimate, in bit/s
    double m_lastAckS{-1};                   //!< t_{k-1}; negative: no ACK yet

  private:
    AckedCount m_acked;      //!< d_k
    uint32_t m_uncounted{0}; //!< segments of ACKs that made no sample yet
};

} // namespace longfat

#endif
