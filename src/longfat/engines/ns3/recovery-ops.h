// SPDX-License-Identifier: GPL-2.0-only
//
// Our recovery (../segment/recovery.h: proportional rate reduction of RFC 9937, or halving) as a plug-in
// of ns-3, for congestion controls of its own: "longfat::Prr" and "longfat::Halving", by
// TcpSocketBase::SetRecoveryAlgorithm or as the default "ns3::TcpL4Protocol::RecoveryType". Those of
// adapter.h have it in themselves.

#ifndef LONGFAT_NS3_RECOVERY_OPS_H
#define LONGFAT_NS3_RECOVERY_OPS_H

#include "../segment/recovery.h"

#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace longfat
{

template <bool HALVING>
class RecoveryOps : public ns3::TcpRecoveryOps
{
    using Tcb = ns3::TcpSocketState;
    using Bytes = core::Bytes;
    static constexpr const char* NAME = HALVING ? "longfat::Halving" : "longfat::Prr";

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId(NAME)
                                     .SetParent<ns3::TcpRecoveryOps>()
                                     .template AddConstructor<RecoveryOps>();
        return tid;
    }

    std::string GetName() const override
    {
        return NAME;
    }

    ns3::Ptr<ns3::TcpRecoveryOps> Fork() override
    {
        return ns3::CopyObject<RecoveryOps>(this);
    }

    /// RecoverFS is FlightSize, with SACK without what had been reported before this ACK: one segment
    /// by each duplicate ACK but this.
    void EnterRecovery(ns3::Ptr<Tcb> tcb,
                       uint32_t dup_acks,
                       uint32_t outstanding,
                       uint32_t delivered) override
    {
        const Bytes before = dup_acks > 1 ? Bytes(dup_acks - 1) * tcb->m_segmentSize : 0;
        const Bytes reported = delivered > 0 ? before : 0;
        m_guessed = before - reported;
        m_expected_pipe = 0;
        m_last_ack = tcb->m_lastAckedSeq;
        m_recovery.begin(std::max<Bytes>(outstanding - reported, tcb->m_segmentSize));
        on_ack(tcb, delivered, true);
    }

    /// ns-3 calls this twice for an ACK that reports by SACK and advances: first as a duplicate.
    void DoRecovery(ns3::Ptr<Tcb> tcb, uint32_t delivered, bool is_duplicate) override
    {
        if (is_duplicate || !m_was_duplicate || m_last_ack != tcb->m_lastAckedSeq)
        {
            on_ack(tcb, delivered, is_duplicate);
        }
    }

    void ExitRecovery(ns3::Ptr<Tcb> tcb) override
    {
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    void UpdateBytesSent(uint32_t bytes) override
    {
        m_recovery.on_sent(bytes);
        m_expected_pipe += bytes;
    }

  private:
    void on_ack(ns3::Ptr<Tcb> tcb, Bytes delivered, bool is_duplicate)
    {
        const Bytes mss = tcb->m_segmentSize;
        const bool advances = tcb->m_lastAckedSeq != m_last_ack;
        m_last_ack = tcb->m_lastAckedSeq;
        m_was_duplicate = is_duplicate;
        // Without SACK an ACK delivers as RFC 9937, section 6, guesses.
        if (is_duplicate && delivered == 0)
        {
            m_guessed += delivered = mss;
        }
        else
        {
            const Bytes known = std::clamp<Bytes>(delivered - mss, 0, m_guessed);
            m_guessed -= known;
            delivered -= known;
        }
        const Bytes pipe = tcb->m_bytesInFlight.Get();
        // A smaller pipe than what was sent and delivered since explains tells of a loss.
        const bool safe = advances && pipe + delivered >= m_expected_pipe;
        m_expected_pipe = pipe;
        tcb->m_cWnd = static_cast<uint32_t>(
            m_recovery.on_ack(delivered, pipe, tcb->m_ssThresh.Get(), safe, mss));
        tcb->m_cWndInfl = tcb->m_cWnd.Get();
    }

    core::Recovery m_recovery{HALVING};
    Bytes m_guessed{0}; //!< by duplicate ACKs without SACK, not yet acknowledged
    Bytes m_expected_pipe{0};
    ns3::SequenceNumber32 m_last_ack{0};
    bool m_was_duplicate{false}; //!< the last ACK was
};

static const ns3::TypeId TYPE_OF_PRR = RecoveryOps<false>::GetTypeId();
static const ns3::TypeId TYPE_OF_HALVING = RecoveryOps<true>::GetTypeId();

} // namespace longfat

#endif
