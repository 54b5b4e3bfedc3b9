// SPDX-License-Identifier: GPL-2.0-only
//
// Whether the pipe is full: three round trips in which the delivery rate did not grow by a quarter
// (draft-ietf-ccwg-bbr-05, section 5.3.1.2; bbr3.h).

#ifndef LONGFAT_BBR3_FULL_PIPE_H
#define LONGFAT_BBR3_FULL_PIPE_H

#include "bbr3-delivery.h"

#include <cstdint>

namespace longfat
{

class Bbr3FullPipe
{
  public:
    void Update(const Bbr3Ack& ack)
    {
        if (m_isFull || !ack.startsRound || ack.isAppLimited)
        {
            return;
        }
        if (ack.rateBps >= 1.25 * m_rateBps)
        {
            LookAgain(ack.rateBps);
            return;
        }
        m_isFull = ++m_rounds >= 3;
        m_wasFull |= m_isFull;
    }

    /// From that rate on.
    void LookAgain(double rateBps)
    {
        m_rateBps = rateBps;
        m_rounds = 0;
        m_isFull = false;
    }

    /// By losses, whatever the rate (5.3.1.3).
    void SetWasFull()
    {
        m_wasFull = true;
    }

    /// full_bw_now: since it was last looked at.
    bool IsFull() const
    {
        return m_isFull;
    }

    /// full_bw_reached: at any time, so that Startup is over.
    bool WasFull() const
    {
        return m_wasFull;
    }

  private:
    double m_rateBps{0};  //!< when it last grew by a quarter
    uint32_t m_rounds{0}; //!< since then
    bool m_isFull{false};
    bool m_wasFull{false};
};

} // namespace longfat

#endif
