// SPDX-License-Identifier: GPL-2.0-only
//
// What the window is while lost segments are sent again: the interface.

#ifndef LONGFAT_STANDIN_TCP_RECOVERY_OPS_H
#define LONGFAT_STANDIN_TCP_RECOVERY_OPS_H

#include "object.h"
#include "tcp-socket-state.h"

#include <cstdint>
#include <string>

namespace ns3
{

class TcpRecoveryOps : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TcpRecoveryOps").SetParent<Object>();
        return tid;
    }

    virtual std::string GetName() const = 0;

    virtual void EnterRecovery(Ptr<TcpSocketState> tcb,
                               uint32_t dupAckCount,
                               uint32_t unAckDataCount,
                               uint32_t deliveredBytes) = 0;

    virtual void DoRecovery(Ptr<TcpSocketState> tcb, uint32_t deliveredBytes, bool isDupAck) = 0;

    virtual void ExitRecovery(Ptr<TcpSocketState> tcb) = 0;

    virtual void UpdateBytesSent(uint32_t)
    {
    }

    virtual Ptr<TcpRecoveryOps> Fork() = 0;
};

} // namespace ns3

#endif
