// SPDX-License-Identifier: GPL-2.0-only
//
// The time t of CUBIC's congestion avoidance (RFC 9438, sections 4.2 and 5.8; cubic.h): since it began, but
// for what time the window did not limit the sender.

#ifndef LONGFAT_CUBIC_EPOCH_H
#define LONGFAT_CUBIC_EPOCH_H

#include "ns3/simulator.h"

namespace longfat
{

class CubicEpoch
{
  public:
    /// An ACK that may open the window.
    void OnAck()
    {
        m_lastAckS = ns3::Simulator::Now().GetSeconds();
    }

    /// Begins with the last ACK, if it has not begun. Returns whether it did.
    bool Start()
    {
        if (m_startS >= 0)
        {
            return false;
        }
        m_startS = m_lastAckS;
        return true;
    }

    /// A loss.
    void End()
    {
        m_startS = -1;
    }

    void LeaveOutTimeSinceLastAck()
    {
        const double now = ns3::Simulator::Now().GetSeconds();
        m_startS += m_startS < 0 ? 0 : now - m_lastAckS;
        m_lastAckS = now;
    }

    /// t of the last ACK, in s.
    double Time() const
    {
        return m_lastAckS - m_startS;
    }

  private:
    double m_startS{-1};  //!< when congestion avoidance began; negative: it has not
    double m_lastAckS{0}; //!< time of the last ACK
};

} // namespace longfat

#endif
