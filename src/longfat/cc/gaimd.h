// SPDX-License-Identifier: GPL-2.0-only
//
// General AIMD (Y. R. Yang and S. S. Lam, "General AIMD congestion control", 2000): a round trip
// adds a segments to the window, a loss takes the part b of it. Standard TCP is a = 1, b = 1/2.

/* catalogue
title = "General AIMD"
type_id = "longfat::TcpGaimd"
source = "Yang and Lam 2000"
[parameters]
increase_segments = {attribute = "Increase"}
decrease = {attribute = "Decrease"}
*/

#ifndef LONGFAT_GAIMD_H
#define LONGFAT_GAIMD_H

#include "ns3/double.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

namespace longfat
{

class TcpGaimd : public ns3::TcpNewReno // which has the slow start
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpGaimd")
                                     .SetParent<ns3::TcpNewReno>()
                                     .AddConstructor<TcpGaimd>()
                                     .AddAttribute("Increase",
                                                   "a, added a round trip",
                                                   ns3::DoubleValue(1.0),
                                                   ns3::MakeDoubleAccessor(&TcpGaimd::m_increase),
                                                   ns3::MakeDoubleChecker<double>(0.0, 1000.0))
                                     .AddAttribute("Decrease",
                                                   "b, the part that a loss takes",
                                                   ns3::DoubleValue(0.5),
                                                   ns3::MakeDoubleAccessor(&TcpGaimd::m_decrease),
                                                   ns3::MakeDoubleChecker<double>(0.0, 1.0));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpGaimd>(this);
    }

    /// The window after a loss: 1 - b of it, two segments at least.
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t) override
    {
        const double kept = (1 - m_decrease) * tcb->m_cWnd.Get();
        return std::max(2 * tcb->m_segmentSize, static_cast<uint32_t>(kept));
    }

  protected:
    /// Each of the W segments of a round trip adds a / W segments when it is acknowledged.
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const double window = double(tcb->m_cWnd.Get()) / tcb->m_segmentSize;
        m_credit += m_increase * segmentsAcked / window * tcb->m_segmentSize;
        tcb->m_cWnd += static_cast<uint32_t>(m_credit);
        m_credit -= static_cast<uint32_t>(m_credit);
    }

  private:
    double m_increase{}; //!< a
    double m_decrease{}; //!< b
    double m_credit{0};  //!< bytes to add, as soon as they are a whole one
};

NS_OBJECT_ENSURE_REGISTERED(TcpGaimd);

} // namespace longfat

#endif
