// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Peach (I. F. Akyildiz, G. Morabito and S. Palazzo, "TCP-Peach: a new congestion control scheme
// for satellite IP networks", IEEE/ACM Transactions on Networking 9, 2001): what TCP-Cherry is built
// on. Its dummy segments are as long as others, of low priority, and carry nothing new: what they take
// of the link is lost. Sudden Start and Rapid Recovery are Cherry's algorithms (cherry.h) with them,
// with as many dummies as the window, and none to spare.

/* catalogue
title = "TCP-Peach"
type_id = "longfat::TcpPeach"
source = "Akyildiz, Morabito and Palazzo 2001"
caps_window = true
signals = ["own packets"]
[parameters]
spare = {attribute = "Spare"}
low_priority = {attribute = "LowPriority"}
*/

#ifndef LONGFAT_PEACH_H
#define LONGFAT_PEACH_H

#include "cherry.h"

namespace longfat
{

class TcpPeach : public TcpCherry
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpPeach").SetParent<TcpCherry>().AddConstructor<TcpPeach>();
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpPeach>(this);
    }

    void OnProbeAnswer(Tcb tcb, uint32_t /* number */, ns3::Time /* sent */) override
    {
        OnSupplementArrived(tcb);
    }

  protected:
    bool SendOne(Tcb tcb) override
    {
        m_own->SendProbe(++m_dummies, tcb->m_segmentSize, m_low);
        return true;
    }

  private:
    uint32_t m_dummies{0}; //!< sent
};

NS_OBJECT_ENSURE_REGISTERED(TcpPeach);

} // namespace longfat

#endif
