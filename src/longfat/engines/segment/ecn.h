// SPDX-License-Identifier: GPL-2.0-only
//
// A sender's part of ECN (RFC 3168, 6.1.2): a window is reduced once for all the marks in it, and the
// receiver is told by CWR on the next new segment.

#ifndef LONGFAT_CORE_ECN_H
#define LONGFAT_CORE_ECN_H

#include "link.h"

namespace longfat::core
{

class EcnSender
{
  public:
    /// What the handshake has agreed on.
    void agree(bool both)
    {
        m_agreed = both;
    }

    /// An ACK comes, an advancing or a duplicate one, and all before the segment `acked` is
    /// acknowledged; returns whether it echoes a mark that the sender has not reacted to.
    bool on_echo(const Packet& packet, uint64_t acked)
    {
        if (!m_agreed || !(packet.flags & Packet::ECE) || m_cwr_is_due || acked < m_cwr_sent)
        {
            return false;
        }
        m_cwr_is_due = true;
        return true;
    }

    /// The window was reduced, for whatever reason: the next new segment says so (RFC 3168, 6.1.2).
    void on_reduction()
    {
        m_cwr_is_due = m_agreed;
    }

    /// The reduction was for nothing, and no mark was seen.
    void on_undo()
    {
        m_cwr_is_due = false;
    }

    /// The flags of a segment that leaves for the first time.
    uint8_t flags_of_new(uint64_t number)
    {
        if (!m_agreed)
        {
            return 0;
        }
        if (!m_cwr_is_due)
        {
            return Packet::ECT;
        }
        m_cwr_is_due = false;
        m_cwr_sent = number + 1;
        return Packet::ECT | Packet::CWR;
    }

  private:
    bool m_agreed{false};
    bool m_cwr_is_due{false}; //!< the receiver is to be told of a reduction
    uint64_t m_cwr_sent{0};   //!< all before it, with the segment that told it of the last one
};

} // namespace longfat::core

#endif
