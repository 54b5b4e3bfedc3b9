// SPDX-License-Identifier: GPL-2.0-only
//
// HyStart as in Linux: a slow start that ends with a train of ACKs that is too long, or with a round
// trip that is.

#ifndef LONGFAT_CORE_LINUX_HYSTART_H
#define LONGFAT_CORE_LINUX_HYSTART_H

#include "slow-start.h"

namespace longfat::core
{

/// HyStart (S. Ha and I. Rhee, "Taming the elephants: new TCP slow start", 2011) as in Linux 6.12
/// (tcp_cubic.c, hystart_update), of a sender that is not paced.
class LinuxHyStart
{
  public:
    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            m_least_rtt = std::min(m_least_rtt, ack.rtt);
        }
        if (!m_found && ack.rtt != NO_RTT)
        {
            count_round(ack);
            if (now.cwnd >= LOW_WINDOW && ends(ack, now))
            {
                m_found = true;
                now.ssthresh = now.cwnd;
            }
        }
        return now.in_slow_start() ? m_growth.on_ack(ack, now) : now;
    }

    /// It begins anew (bictcp_state), with a round of what has been sent.
    void on_timeout(Time now, Bytes snd_nxt)
    {
        m_found = false;
        m_least_rtt = NEVER;
        begin_round(now, snd_nxt);
    }

  private:
    /// A round begins with the first ACK for what was sent in it, so that its first round trip is that of
    /// a queue which the round before has left.
    void count_round(const Ack& ack)
    {
        if (ack.snd_una > m_end)
        {
            begin_round(ack.now, ack.snd_nxt);
        }
    }

    void begin_round(Time now, Bytes snd_nxt)
    {
        m_end = snd_nxt;
        m_round_start = m_last_ack = now;
        m_round_rtt = NEVER;
        m_samples = 0;
    }

    bool ends(const Ack& ack, const Control& now)
    {
        bool found = false;
        if (ack.now - m_last_ack <= ACK_DELTA)
        {
            m_last_ack = ack.now;
            found = ack.now - m_round_start > (m_least_rtt + ack_delay(ack, now)) / 2;
        }
        m_round_rtt = std::min(m_round_rtt, ack.rtt);
        if (m_samples < MIN_SAMPLES)
        {
            ++m_samples;
            return found;
        }
        return found || m_round_rtt > m_least_rtt + std::clamp(m_least_rtt / 8, LEAST, MOST);
    }

    /// hystart_ack_delay: four bursts of 64 KB at twice the window a round trip, up to 1 ms.
    static Time ack_delay(const Ack& ack, const Control& now)
    {
        const double rate = 2 * now.cwnd * static_cast<double>(ack.mss) / seconds(ack.srtt);
        return static_cast<Time>(std::min(1e6, 4 * 65'536 * 1e9 / rate));
    }

    static constexpr double LOW_WINDOW = 16; //!< segments
    static constexpr Time ACK_DELTA = 2'000'000;
    static constexpr int MIN_SAMPLES = 8;
    static constexpr Time LEAST = 4'000'000;
    static constexpr Time MOST = 16'000'000;

    bool m_found{false};     //!< the end
    Bytes m_end{0};          //!< of the round
    Time m_least_rtt{NEVER}; //!< delay_min: of data, and not of the handshake
    Time m_round_start{0};
    Time m_last_ack{0}; //!< of the train
    Time m_round_rtt{NEVER};
    int m_samples{0};
    ByteCountingSlowStart m_growth;
};

} // namespace longfat::core

#endif
