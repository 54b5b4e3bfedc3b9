// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP Westwood and TCP-J share: the bandwidth that they estimate from the ACKs, and what they make
// of it when segments are lost (paper: tcpj, equations 1, 5 to 8; S. Mascolo et al., "TCP Westwood",
// MobiCom 2001).
//
//     sample      d_k / (t_k - t_{k-1}): what an ACK reports as arrived, and none before it did,
//                 over the time since the last ACK                                            (1), (8)
//     threshold   BW RTT_min / segment size, two segments at least                         (5) to (7)

#ifndef LONGFAT_CC_ACK_BANDWIDTH_H
#define LONGFAT_CC_ACK_BANDWIDTH_H

#include "congestion-control.h"

#include <algorithm>
#include <cmath>

namespace longfat::core
{

/// Samples of the bandwidth. How they are smoothed is left to FILTER: its update(bits, interval_s).
template <class FILTER>
class AckBandwidth
{
  public:
    FILTER filter;

    void on_ack(const Ack& ack)
    {
        m_uncounted += ack.newly_delivered;
        if (m_last_ack < 0) // the first ACK starts the clock
        {
            m_last_ack = ack.now;
            m_uncounted = 0;
        }
        else if (ack.now > m_last_ack) // a second ACK of one instant counts in the next sample
        {
            filter.update(8.0 * static_cast<double>(m_uncounted), seconds(ack.now - m_last_ack));
            m_last_ack = ack.now;
            m_uncounted = 0;
        }
    }

    /// How long ago the last ACK came, in s; negative: there was none.
    double silence_s(Time now) const
    {
        return m_last_ack < 0 ? -1 : seconds(now - m_last_ack);
    }

    void forget()
    {
        filter.forget();
        m_last_ack = -1;
        m_uncounted = 0;
    }

  private:
    Time m_last_ack{-1};  //!< t_{k-1}; negative: no ACK yet
    Bytes m_uncounted{0}; //!< of ACKs that made no sample yet
};

/// The right side of (5) to (7), in segments. `tick_s` is that of the clock which measured RTT_min.
inline double
bandwidth_threshold(double bps, const Congestion& congestion, double tick_s)
{
    double rtt_s = congestion.min_rtt == NEVER ? 0 : seconds(congestion.min_rtt);
    if (tick_s > 0)
    {
        rtt_s = tick_s * std::max(1.0, std::floor(rtt_s / tick_s + 0.5));
    }
    return std::max(2.0, bps * rtt_s / (8.0 * static_cast<double>(congestion.mss)));
}

/// A recovery's end in a window that is not the threshold.
struct AfterRecovery
{
    double cwnd{2};
    double ssthresh{2};
};

} // namespace longfat::core

#endif
