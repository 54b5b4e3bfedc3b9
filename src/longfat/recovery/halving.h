// SPDX-License-Identifier: GPL-2.0-only
//
// The window is ssthresh from the beginning of a recovery on (RFC 6675, section 5, step 4.2). What
// may be sent follows from what is in flight (its step C): nothing until half of the window has
// arrived, where ssthresh is half of it, and then one segment for each that arrives. Without SACK
// the socket counts a segment out of flight for every duplicate ACK, which is the inflation of RFC
// 5681, section 3.2, and RFC 6582.
//
// A plain ns-3 program uses it by TcpSocketBase::SetRecoveryAlgorithm, or as the default
// "ns3::TcpL4Protocol::RecoveryType".

#ifndef LONGFAT_HALVING_H
#define LONGFAT_HALVING_H

#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>
#include <string>

namespace longfat
{

class TcpHalving : public ns3::TcpRecoveryOps
{
    using State = ns3::TcpSocketState;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpHalving")
                                     .SetParent<ns3::TcpRecoveryOps>()
                                     .AddConstructor<TcpHalving>();
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpHalving";
    }

    ns3::Ptr<ns3::TcpRecoveryOps> Fork() override
    {
        return ns3::CopyObject<TcpHalving>(this);
    }

    void EnterRecovery(ns3::Ptr<State> tcb, uint32_t, uint32_t, uint32_t) override
    {
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    void DoRecovery(ns3::Ptr<State>, uint32_t, bool) override
    {
    }

    void ExitRecovery(ns3::Ptr<State> tcb) override
    {
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }
};

NS_OBJECT_ENSURE_REGISTERED(TcpHalving);

} // namespace longfat

#endif
