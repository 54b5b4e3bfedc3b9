// SPDX-License-Identifier: GPL-2.0-only
//
// Proportional rate reduction as ns-3 3.44 has it, faults included: the product of bytes wraps at
// 2^32, a duplicate ACK counts a segment beside what SACK reports, and the reduction starts from the
// bytes in flight instead of all that is outstanding. Only equality with ns-3 wants it so.

#ifndef LONGFAT_STANDIN_TCP_PRR_RECOVERY_H
#define LONGFAT_STANDIN_TCP_PRR_RECOVERY_H

#include "tcp-recovery-ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

class TcpPrrRecovery : public TcpClassicRecovery
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TcpPrrRecovery")
                                .SetParent<TcpClassicRecovery>()
                                .AddConstructor<TcpPrrRecovery>();
        return tid;
    }

    std::string GetName() const override
    {
        return "PrrRecovery";
    }

    void EnterRecovery(Ptr<TcpSocketState> tcb,
                       uint32_t,
                       uint32_t,
                       uint32_t deliveredBytes) override
    {
        m_out = 0;
        m_delivered = 0;
        m_flightSize = tcb->m_bytesInFlight;
        DoRecovery(tcb, deliveredBytes, true);
    }

    void DoRecovery(Ptr<TcpSocketState> tcb, uint32_t deliveredBytes, bool isDupAck) override
    {
        if (isDupAck && m_delivered < m_flightSize)
        {
            deliveredBytes += tcb->m_segmentSize;
        }
        if (deliveredBytes == 0)
        {
            return;
        }
        m_delivered += deliveredBytes;
        const uint32_t inFlight = tcb->m_bytesInFlight;
        const uint32_t threshold = tcb->m_ssThresh;
        int32_t allowed;
        if (inFlight > threshold)
        {
            const uint32_t product = m_delivered * threshold;
            allowed = ToInt(std::ceil(product * 1.0 / m_flightSize) - m_out);
        }
        else
        {
            auto most = static_cast<int32_t>(std::max(m_delivered - m_out, deliveredBytes));
            if (tcb->m_isRetransDataAcked)
            {
                most += tcb->m_segmentSize;
            }
            allowed = std::min(most, static_cast<int32_t>(threshold - inFlight));
        }
        const int32_t least = m_out > 0 ? 0 : static_cast<int32_t>(tcb->m_segmentSize);
        tcb->m_cWnd = inFlight + std::max(allowed, least);
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    void ExitRecovery(Ptr<TcpSocketState> tcb) override
    {
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    void UpdateBytesSent(uint32_t bytesSent) override
    {
        m_out += bytesSent;
    }

    Ptr<TcpRecoveryOps> Fork() override
    {
        return CopyObject<TcpPrrRecovery>(this);
    }

  private:
    /// As x86 converts: what does not fit becomes the least number.
    static int32_t ToInt(double value)
    {
        return value > -2147483649.0 && value < 2147483648.0 ? static_cast<int32_t>(value)
                                                             : std::numeric_limits<int32_t>::min();
    }

    uint32_t m_delivered{0};  //!< bytes that have arrived in the recovery
    uint32_t m_out{0};        //!< bytes sent in it
    uint32_t m_flightSize{0}; //!< bytes in flight at its beginning
};

} // namespace ns3

#endif
