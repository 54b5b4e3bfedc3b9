// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender tells an algorithm that sets its window itself (CongControl): how fast the network
// delivers.

#ifndef LONGFAT_STANDIN_TCP_RATE_OPS_H
#define LONGFAT_STANDIN_TCP_RATE_OPS_H

#include "data-rate.h"
#include "nstime.h"
#include "object.h"

#include <cstdint>

namespace ns3
{

class TcpRateOps : public Object
{
  public:
    /// Of one ACK.
    struct TcpRateSample
    {
        DataRate m_deliveryRate;
        bool m_isAppLimited{false};
        Time m_interval;              //!< that the sample is of
        int32_t m_delivered{0};       //!< bytes delivered in it
        uint32_t m_priorDelivered{0}; //!< bytes delivered when its latest segment was sent
        Time m_priorTime;             //!< when those had been delivered
        Time m_sendElapsed;           //!< the interval, as the sender sent
        Time m_ackElapsed;            //!< and as ACKs came
        uint32_t m_bytesLoss{0};      //!< that the ACK showed to be lost
        uint32_t m_priorInFlight{0};  //!< bytes in flight before the ACK
        uint32_t m_ackedSacked{0};    //!< bytes that it delivered

        bool IsValid() const
        {
            return !m_priorTime.IsZero() || !m_interval.IsZero();
        }
    };

    /// Of the connection.
    struct TcpRateConnection
    {
        uint64_t m_delivered{0}; //!< bytes, in all
        Time m_deliveredTime;    //!< when the last of them were
        Time m_firstSentTime;    //!< when the segment was sent that was delivered last
        uint32_t m_appLimited{0};
        uint32_t m_txItemDelivered{0}; //!< bytes delivered when it was sent
        int32_t m_rateDelivered{0};    //!< of the last valid sample
        Time m_rateInterval;           //!< of that, too
        bool m_rateAppLimited{false};
    };
};

} // namespace ns3

#endif
