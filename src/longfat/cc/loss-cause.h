// SPDX-License-Identifier: GPL-2.0-only
//
// What the algorithms share that answer duplicate ACKs otherwise than a timeout. The socket asks for
// the threshold after both by GetSsThresh; for duplicate ACKs, and for the echo of a mark, which
// counts as they do (RFC 3168, 6.1.2), it has announced RECOVERY or CWR right before. ns-3 3.44 does
// not announce CWR.

#ifndef LONGFAT_LOSS_CAUSE_H
#define LONGFAT_LOSS_CAUSE_H

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <string>
#include <utility>

namespace longfat
{

class TcpLossCause : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpLossCause").SetParent<ns3::TcpNewReno>();
        return tid;
    }

    std::string GetName() const override
    {
        return GetInstanceTypeId().GetName();
    }

    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> /* tcb */,
                            const ns3::TcpSocketState::TcpCongState_t state) override
    {
        m_duplicateAcks =
            state == ns3::TcpSocketState::CA_RECOVERY || state == ns3::TcpSocketState::CA_CWR;
    }

  protected:
    /// For GetSsThresh, once: whether duplicate ACKs revealed the loss at hand.
    bool FoundByDuplicateAcks()
    {
        return std::exchange(m_duplicateAcks, false);
    }

  private:
    bool m_duplicateAcks{false}; //!< they revealed the loss at hand
};

} // namespace longfat

#endif
