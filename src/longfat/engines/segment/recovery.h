// SPDX-License-Identifier: GPL-2.0-only
//
// The window while a sender recovers, from a loss or an ECN mark, until it is the threshold. Each ACK is
// told once, after all that it delivers and shows to be lost is known.
//
// Proportional rate reduction (RFC 9937, section 6): what is in flight comes down to ssthresh in step
// with what arrives. For every ACK, in bytes,
//
//     prr_delivered += DeliveredData
//     inflight > ssthresh    sndcnt = ceil(prr_delivered * ssthresh / RecoverFS) - prr_out
//     else                   sndcnt = max(prr_delivered - prr_out, DeliveredData)
//                            one segment more when the ACK advances and shows no loss (SafeACK)
//                            at most ssthresh - inflight
//     cwnd = inflight + sndcnt                     the first time at least one segment more
//
// Halving: the window is ssthresh at once (RFC 6675, section 5, step 4.2), so that nothing leaves until
// enough has arrived. Without SACK a duplicate ACK takes a segment out of flight, which is the
// inflation of RFC 5681, section 3.2, and of RFC 6582.

#ifndef LONGFAT_CORE_RECOVERY_H
#define LONGFAT_CORE_RECOVERY_H

#include "congestion-control.h"

#include <algorithm>

namespace longfat::core
{

class Recovery
{
  public:
    explicit Recovery(bool halving)
        : m_halving(halving)
    {
    }

    /// `recover_fs` is FlightSize without what had been reported before the ACK that begins it.
    void begin(Bytes recover_fs)
    {
        m_recover_fs = std::max<Bytes>(recover_fs, 1);
        m_delivered = m_out = 0;
    }

    /// Returns the window, in bytes.
    Bytes on_ack(Bytes delivered, Bytes in_flight, Bytes ssthresh, bool safe, Bytes mss)
    {
        if (m_halving)
        {
            return m_cwnd = ssthresh;
        }
        if (delivered == 0)
        {
            return m_cwnd = m_out == 0 && m_delivered == 0 ? in_flight + mss : m_cwnd;
        }
        m_delivered += delivered;
        Bytes sndcnt;
        if (in_flight > ssthresh)
        {
            sndcnt = ceil_of_part(ssthresh) - m_out;
        }
        else
        {
            sndcnt = std::max(m_delivered - m_out, delivered) + (safe ? mss : 0);
            sndcnt = std::min(sndcnt, ssthresh - in_flight);
        }
        return m_cwnd = in_flight + std::max<Bytes>(sndcnt, m_out > 0 ? 0 : mss);
    }

    void on_sent(Bytes bytes)
    {
        m_out += bytes;
    }

  private:
    /// prr_delivered * ssthresh / RecoverFS, rounded up; the product has up to 128 bits.
    Bytes ceil_of_part(Bytes ssthresh) const
    {
        __extension__ using Wide = __int128;
        const Wide product = static_cast<Wide>(m_delivered) * ssthresh;
        return static_cast<Bytes>((product + m_recover_fs - 1) / m_recover_fs);
    }

    const bool m_halving;
    Bytes m_recover_fs{1}; //!< RecoverFS
    Bytes m_delivered{0};  //!< prr_delivered
    Bytes m_out{0};        //!< prr_out
    Bytes m_cwnd{0};
};

} // namespace longfat::core

#endif
