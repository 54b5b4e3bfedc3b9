// SPDX-License-Identifier: GPL-2.0-only
//
// Which delivery rates say less than the path can do, for the application had no more to send, or ProbeRTT
// kept the window of BBR version 1 small (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.5;
// bbr.h).
//
// As ns-3 3.44: ProbeRTT marks the connection, but not the segments, and forever (issue 1013).

#ifndef LONGFAT_BBR_APP_LIMITED_H
#define LONGFAT_BBR_APP_LIMITED_H

#include "ns3/tcp-rate-ops.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class BbrAppLimited
{
  public:
    /// An ACK; so many bytes are delivered so far.
    void Update(uint64_t delivered, bool asNs3)
    {
        if (!asNs3 && delivered > m_connection)
        {
            m_connection = 0;
        }
    }

    /// ProbeRTT begins.
    void Start(uint64_t delivered)
    {
        m_from = delivered;
    }

    /// It goes on: until what is in flight now is delivered.
    void Extend(uint64_t delivered, uint32_t bytesInFlight)
    {
        m_connection = std::max<uint64_t>(delivered + bytesInFlight, 1);
        m_until = m_connection;
    }

    /// The connection is limited.
    bool Get() const
    {
        return m_connection > 0;
    }

    /// The segment was sent while it was.
    bool Limits(const ns3::TcpRateOps::TcpRateSample& sample, bool asNs3) const
    {
        const bool probing = !asNs3 && m_until > 0 && sample.m_priorDelivered >= m_from &&
                             sample.m_priorDelivered <= m_until;
        return sample.m_isAppLimited || probing;
    }

  private:
    uint64_t m_connection{0}; //!< limited until so many bytes are delivered; 0: it is not
    uint64_t m_from{0};       //!< it was from then on, for the last ProbeRTT
    uint64_t m_until{0};      //!< until then
};

} // namespace longfat

#endif
