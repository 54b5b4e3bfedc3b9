// SPDX-License-Identifier: GPL-2.0-only
//
// BIC's growth as ns-3 3.44 has it, after Linux: what bic.h gives under AsNs3. Where it parts from
// the paper:
//
//   whole segments  the window and the quotients of the search are cut to whole numbers, and the window
//                   grows by a segment when more than so many ACKs have come
//   slow start      the ACK that ends it, or a recovery, is counted in congestion avoidance but for one

#ifndef LONGFAT_BIC_NS3_H
#define LONGFAT_BIC_NS3_H

#include "standard-or-ns3.h"

namespace longfat
{

class TcpBicNs3 : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpBicNs3").SetParent<TcpStandardOrNs3>();
        return tid;
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpStandard::IncreaseWindow(tcb, segmentsAcked);
            return;
        }
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, 1); // also for an ACK of nothing, which leaves 2^32 - 1 segments
            --segmentsAcked;
        }
        if (!IsInSlowStart(tcb) && segmentsAcked > 0)
        {
            m_count += segmentsAcked;
            if (m_count > GetAcks(Segments(tcb)))
            {
                SlowStart(tcb, 1); // a segment
                m_count = 0;
            }
        }
    }

  protected:
    /// How many ACKs add a segment to a window of w segments.
    virtual double GetAcks(double w) const = 0;

  private:
    uint32_t m_count{0}; //!< ACKs since it added a segment
};

} // namespace longfat

#endif
