// SPDX-License-Identifier: GPL-2.0-only
//
// The bottleneck's utilization, as UCC takes it from one-way delays (paper: ucc, equation 6; see ucc.h).
// Of N packets N_min had the smallest delay, so they met no queue:
//
//     rho = (N - N_min) / N                                         (6)

#ifndef LONGFAT_UCC_UTILIZATION_H
#define LONGFAT_UCC_UTILIZATION_H

#include "ns3/nstime.h"

#include <cstdint>
#include <limits>

namespace longfat
{

class UccUtilization
{
    using Time = ns3::Time;

  public:
    /// What the paper leaves open.
    struct Settings
    {
        Time clock; //!< tick of both ends' clocks; 0: exact
        bool
            minimumOfEpoch; //!< the smallest delay is that of the N packets; else of the connection
        Time lifetime;      //!< of the smallest delay; 0: for ever
    };

    /// One more of the N packets; is it one of the N_min? Returns rho.
    double OnPacket(Time sent, Time received, const Settings& settings)
    {
        if (settings.lifetime.IsStrictlyPositive() && received - m_since >= settings.lifetime)
        {
            m_since = received;
            BeginEpoch(true);
        }
        const int64_t delay = Ticks(received, settings.clock) - Ticks(sent, settings.clock);
        ++m_packets;
        if (delay < m_minimum)
        {
            m_minimum = delay;
            m_packetsAtMinimum = 0; // what was counted had met a queue after all
        }
        m_packetsAtMinimum += delay == m_minimum;
        return double(m_packets - m_packetsAtMinimum) / m_packets; // (6)
    }

    /// Begin to count anew, and perhaps to look for the smallest delay.
    void BeginEpoch(bool forgetsMinimum)
    {
        m_packets = 0;
        m_packetsAtMinimum = 0;
        m_minimum = forgetsMinimum ? NONE : m_minimum;
    }

    bool HasPackets() const
    {
        return m_packets > 0;
    }

  private:
    static constexpr int64_t NONE = std::numeric_limits<int64_t>::max();

    /// What a clock with that tick shows.
    static int64_t Ticks(Time time, Time clock)
    {
        const int64_t ns = time.GetNanoSeconds();
        return clock.IsZero() ? ns : ns / clock.GetNanoSeconds();
    }

    uint64_t m_packets{0};          //!< N
    uint64_t m_packetsAtMinimum{0}; //!< N_min
    int64_t m_minimum{NONE};        //!< smallest delay, in ticks
    Time m_since;                   //!< when it was last forgotten
};

} // namespace longfat

#endif
