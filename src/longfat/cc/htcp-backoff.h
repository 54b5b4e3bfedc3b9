// SPDX-License-Identifier: GPL-2.0-only
//
// The adaptive backoff of H-TCP (draft-leith-tcp-htcp-06; see htcp.h): the part beta of the window that a
// loss leaves. Where the flows have their shares, that is what just empties the queue,
//
//     beta = RTT_min / RTT_max,   between 0.5 and 0.8,   RTT_max since the last loss
//
// It is 0.5 where the throughput before this loss differs from that before the last one by more than a
// fifth: the shares are still changing. ns-3 3.44 divides whole numbers there, which lets the throughput
// nearly double, does not take a fall for steady, and has no bounds.

#ifndef LONGFAT_HTCP_BACKOFF_H
#define LONGFAT_HTCP_BACKOFF_H

#include "round-trips.h"

namespace longfat
{

class TcpHtcpBackoff : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpHtcpBackoff").SetParent<TcpRoundTrips>();
        return tid;
    }

    double GetDecrease(double /* w */) const override
    {
        return 1 - m_beta;
    }

  protected:
    /// A loss at that throughput.
    void AdaptBackoff(double throughput)
    {
        m_beta = m_defaultBackoff;
        if (m_lastThroughput > 0 && IsSteady(throughput))
        {
            const ns3::Time smallest = m_asNs3 ? m_minRtt : m_baseRtt;
            m_beta = double(smallest.GetTimeStep()) / double(m_maxRtt.GetTimeStep());
            m_beta = m_asNs3 ? m_beta : std::clamp(m_beta, 0.5, 0.8); // the draft's bounds
        }
        m_minRtt = ns3::Time::Max();
        m_maxRtt = ns3::Time(0);
        m_lastThroughput = throughput;
    }

    double m_beta{0.5}; //!< what a loss leaves

    // Attributes of the subclass
    double m_defaultBackoff{}; //!< beta while shares change
    double m_ratio{};          //!< change of throughput above which they do

  private:
    bool IsSteady(double throughput) const
    {
        const double change = throughput - m_lastThroughput;
        return m_asNs3 ? change > 0 && std::floor(change / m_lastThroughput) <= m_ratio
                       : std::abs(change) <= m_ratio * m_lastThroughput;
    }

    double m_lastThroughput{0}; //!< before the last loss
};

} // namespace longfat

#endif
