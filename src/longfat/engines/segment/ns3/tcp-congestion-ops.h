// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control is (when each method is called, ../sender.h says), and NewReno as ns-3
// 3.44 has it, from which most are derived.

#ifndef LONGFAT_STANDIN_TCP_CONGESTION_OPS_H
#define LONGFAT_STANDIN_TCP_CONGESTION_OPS_H

#include "tcp-rate-ops.h"
#include "tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3
{

class TcpCongestionOps : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TcpCongestionOps").SetParent<Object>();
        return tid;
    }

    virtual std::string GetName() const = 0;

    virtual void Init(Ptr<TcpSocketState>)
    {
    }

    virtual uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) = 0;

    virtual void IncreaseWindow(Ptr<TcpSocketState>, uint32_t)
    {
    }

    virtual void PktsAcked(Ptr<TcpSocketState>, uint32_t, const Time&)
    {
    }

    virtual void CongestionStateSet(Ptr<TcpSocketState>, const TcpSocketState::TcpCongState_t)
    {
    }

    virtual void CwndEvent(Ptr<TcpSocketState>, const TcpSocketState::TcpCAEvent_t)
    {
    }

    virtual bool HasCongControl() const
    {
        return false;
    }

    virtual void CongControl(Ptr<TcpSocketState>,
                             const TcpRateOps::TcpRateConnection&,
                             const TcpRateOps::TcpRateSample&)
    {
    }

    virtual Ptr<TcpCongestionOps> Fork() = 0;
};

class TcpNewReno : public TcpCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TcpNewReno").SetParent<TcpCongestionOps>().AddConstructor<TcpNewReno>();
        return tid;
    }

    std::string GetName() const override
    {
        return "TcpNewReno";
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            segmentsAcked = SlowStart(tcb, segmentsAcked);
        }
        if (tcb->m_cWnd >= tcb->m_ssThresh)
        {
            CongestionAvoidance(tcb, segmentsAcked);
        }
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return std::max(2 * tcb->m_segmentSize, bytesInFlight / 2);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<TcpNewReno>(this);
    }

  protected:
    /// A segment an ACK; returns the segments that are left to count.
    virtual uint32_t SlowStart(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
    {
        if (segmentsAcked == 0)
        {
            return 0;
        }
        tcb->m_cWnd += tcb->m_segmentSize;
        return segmentsAcked - 1;
    }

    /// A segment a round trip, in whole bytes, one an ACK at least.
    virtual void CongestionAvoidance(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
    {
        if (segmentsAcked > 0)
        {
            const double bytes =
                static_cast<double>(tcb->m_segmentSize * tcb->m_segmentSize) / tcb->m_cWnd.Get();
            tcb->m_cWnd += static_cast<uint32_t>(std::max(1.0, bytes));
        }
    }
};

} // namespace ns3

#endif
