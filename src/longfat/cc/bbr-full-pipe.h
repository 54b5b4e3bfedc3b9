// SPDX-License-Identifier: GPL-2.0-only
//
// Whether BBR version 1 has filled the pipe, so that Startup is over: three round trips in which BtlBw did
// not grow by a quarter (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2; bbr.h).

#ifndef LONGFAT_BBR_FULL_PIPE_H
#define LONGFAT_BBR_FULL_PIPE_H

#include <cstdint>

namespace longfat
{

class BbrFullPipe
{
  public:
    /// A round trip is over, whose delivery rate the application did not limit.
    void Update(uint64_t bandwidthBps)
    {
        if (m_isFull)
        {
            return;
        }
        if (bandwidthBps >= m_bandwidthBps * 1.25)
        {
            m_bandwidthBps = bandwidthBps;
            m_rounds = 0;
            return;
        }
        m_isFull = ++m_rounds >= 3;
    }

    /// The next bandwidth counts as growth, as in Linux.
    void OnTimeout()
    {
        m_bandwidthBps = 0;
    }

    bool IsFull() const
    {
        return m_isFull;
    }

  private:
    uint64_t m_bandwidthBps{0}; //!< BtlBw when it last grew by a quarter
    uint32_t m_rounds{0};       //!< round trips since
    bool m_isFull{false};
};

} // namespace longfat

#endif
