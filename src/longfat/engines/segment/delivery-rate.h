// SPDX-License-Identifier: GPL-2.0-only
//
// The delivery rate, for algorithms such as BBR that set their window themselves (CongControl).
//
// As ns-3's TcpRateLinux (Cheng, Cardwell, Yeganeh and Jacobson, "Delivery Rate Estimation",
// Internet-Draft).

#ifndef LONGFAT_SEGMENT_DELIVERY_RATE_H
#define LONGFAT_SEGMENT_DELIVERY_RATE_H

#include "scoreboard.h"

#include "ns3/tcp-rate-ops.h"

namespace longfat::segment
{

class DeliveryRate
{
  public:
    /// A segment is sent; `idle`: nothing was in flight.
    void OnSent(SentSegment& segment, bool idle, Ticks now)
    {
        if (idle)
        {
            connection.m_firstSentTime = ns3::Time(now);
            connection.m_deliveredTime = ns3::Time(now);
        }
        segment.firstSentTime = connection.m_firstSentTime.GetTimeStep();
        segment.deliveredTime = connection.m_deliveredTime.GetTimeStep();
        segment.deliveredBytes = connection.m_delivered;
    }

    /// A segment is acknowledged or reported for the first time.
    void OnDelivered(const SentSegment& segment, uint32_t bytes, Ticks now)
    {
        connection.m_delivered += bytes;
        connection.m_deliveredTime = ns3::Time(now);
        if (m_sample.m_priorDelivered == 0 || segment.deliveredBytes > m_sample.m_priorDelivered)
        {
            m_sample.m_ackElapsed = ns3::Time(now - segment.deliveredTime);
            m_sample.m_priorDelivered = segment.deliveredBytes;
            m_sample.m_priorTime = ns3::Time(segment.deliveredTime);
            m_sample.m_sendElapsed = ns3::Time(segment.lastSent - segment.firstSentTime);
            connection.m_firstSentTime = ns3::Time(segment.lastSent);
        }
        connection.m_txItemDelivered = segment.deliveredBytes;
    }

    /// The sample of an ACK: bytes that it delivered, and that it showed to be lost.
    const ns3::TcpRateOps::TcpRateSample& Sample(uint32_t delivered,
                                                 uint32_t lost,
                                                 uint32_t priorInFlight,
                                                 ns3::Time minRtt)
    {
        m_sample.m_ackedSacked = delivered;
        m_sample.m_bytesLoss = lost;
        m_sample.m_priorInFlight = priorInFlight;
        if (m_sample.m_priorTime.IsZero())
        {
            m_sample.m_delivered = -1;
            m_sample.m_interval = ns3::Time(0);
            return m_sample;
        }
        m_sample.m_interval = std::max(m_sample.m_sendElapsed, m_sample.m_ackElapsed);
        m_sample.m_delivered = connection.m_delivered - m_sample.m_priorDelivered;
        if (m_sample.m_interval < minRtt)
        {
            m_sample.m_interval = ns3::Time(0);
            m_sample.m_priorTime = ns3::Time(0); // the sample is not valid
            return m_sample;
        }
        connection.m_rateDelivered = m_sample.m_delivered;
        connection.m_rateInterval = m_sample.m_interval;
        connection.m_rateAppLimited = false;
        m_sample.m_deliveryRate =
            ns3::DataRate(m_sample.m_delivered * 8.0 / m_sample.m_interval.GetSeconds());
        return m_sample;
    }

    ns3::TcpRateOps::TcpRateConnection connection;

  private:
    ns3::TcpRateOps::TcpRateSample m_sample;
};

} // namespace longfat::segment

#endif
