// SPDX-License-Identifier: GPL-2.0-only
//
// LEDBAT's window as ns-3 3.44 has it: what ledbat.h gives under AsNs3. Where it parts from RFC 6817:
//
//   fraction   that of a byte is lost, so that it grows by less and shrinks by more than it should, and
//              the product before the division is held in 32 bits
//   credit     an ACK that ends a recovery counts for a window
//   limit      ALLOWED_INCREASE is 0

#ifndef LONGFAT_LEDBAT_NS3_H
#define LONGFAT_LEDBAT_NS3_H

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace longfat
{

/// The window after an ACK, in bytes; `offsetMs` is GAIN (TARGET - queuing_delay).
inline uint32_t
GetLedbatWindowAsNs3(ns3::Ptr<const ns3::TcpSocketState> tcb,
                     uint32_t segmentsAcked,
                     double offsetMs,
                     double targetMs,
                     uint32_t minWindow)
{
    const uint32_t mss = tcb->m_segmentSize;
    const double product = offsetMs * segmentsAcked * mss; // as 32 bits: too large is -2^31
    const double held = std::abs(product) < 0x80000000 ? std::trunc(product) : -0x80000000LL;
    const double change = held / (targetMs * tcb->m_cWnd.Get()) * mss;
    const auto w = static_cast<uint32_t>(static_cast<int64_t>(tcb->m_cWnd.Get() + change));
    const auto sent = static_cast<uint32_t>(tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq);
    return std::max(std::min(w, sent + segmentsAcked * mss), minWindow * mss);
}

} // namespace longfat

#endif
