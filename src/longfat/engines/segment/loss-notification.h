// SPDX-License-Identifier: GPL-2.0-only
//
// A sender's part of explicit loss notification (H. Balakrishnan, R. H. Katz, "Explicit loss notification
// and wireless web performance", 1998): a loss that a link has told to be its own is repaired at the
// window that there is; one that it has not, at a lower one, be it found later in the same recovery.

#ifndef LONGFAT_CORE_LOSS_NOTIFICATION_H
#define LONGFAT_CORE_LOSS_NOTIFICATION_H

#include "link.h"

namespace longfat::core
{

class LossNotification
{
  public:
    void on_ack(const Packet& packet)
    {
        m_told = packet.flags & Packet::LOST_BY_LINK;
    }

    /// A recovery begins, from that window; returns whether the window stays, `window` then.
    bool on_recovery(const Control& now)
    {
        if (!m_kept && m_told)
        {
            m_kept = true;
            m_before = now;
        }
        m_kept = m_kept && m_told;
        return m_kept;
    }

    double window() const
    {
        return m_before.cwnd;
    }

    /// In a recovery with the window kept, whether an ACK that advances asks for what no link has lost.
    bool asks_for_another() const
    {
        return m_kept && !m_told;
    }

    /// It is over, or the window has fallen; returns whether it was kept.
    bool end()
    {
        const bool kept = m_kept;
        m_kept = false;
        return kept;
    }

    double threshold_before() const
    {
        return m_before.ssthresh;
    }

  private:
    bool m_told{false}; //!< by the last ACK
    bool m_kept{false}; //!< in the recovery at hand
    Control m_before{}; //!< that recovery
};

} // namespace longfat::core

#endif
