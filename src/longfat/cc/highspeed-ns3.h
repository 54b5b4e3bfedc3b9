// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP as ns-3 3.44 has it: what highspeed.h gives under AsNs3. Where it parts from RFC 3649:
//
//   table     a(w) and b(w) are those of the table's next higher row, not the formulas'
//   counting  each ACK counts a(w); w of these add a segment
//   a loss    takes the part b of what is in flight, in whole segments

#ifndef LONGFAT_HIGHSPEED_NS3_H
#define LONGFAT_HIGHSPEED_NS3_H

#include "highspeed-table.h"
#include "standard-or-ns3.h"

namespace longfat
{

class TcpHighSpeedNs3 : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHighSpeedNs3").SetParent<TcpStandardOrNs3>();
        return tid;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        if (!m_asNs3)
        {
            return TcpStandard::GetSsThresh(tcb, bytesInFlight);
        }
        const double b = HighSpeedTable::Find(bytesInFlight / tcb->m_segmentSize).b;
        return Part(tcb, bytesInFlight, 1 - b);
    }

  protected:
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpStandardOrNs3::CongestionAvoidance(tcb, segmentsAcked);
            return;
        }
        m_count += segmentsAcked * HighSpeedTable::Find(tcb->m_cWnd.Get() / tcb->m_segmentSize).a;
        AddCounted(tcb, m_count);
    }

  private:
    uint32_t m_count{0}; //!< of ACKs times a(w)
};

} // namespace longfat

#endif
