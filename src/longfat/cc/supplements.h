// SPDX-License-Identifier: GPL-2.0-only
//
// Standard TCP that sends supplement segments (own-packets.h), evenly over a round trip: what TCP-Cherry
// and TCP-Peach share. When they do, and what an arrival says, is theirs (cherry.h).

#ifndef LONGFAT_SUPPLEMENTS_H
#define LONGFAT_SUPPLEMENTS_H

#include "own-packets.h"
#include "standard.h"

#include "ns3/boolean.h"

namespace longfat
{

class TcpSupplements : public TcpStandard, public OwnPacketsSignal
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = OwnPacketsSignal::Tcb;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("longfat::TcpSupplements")
                                     .SetParent<TcpStandard>()
                                     .AddAttribute("LowPriority",
                                                   "queues drop supplements before other packets",
                                                   ns3::BooleanValue(true),
                                                   ns3::MakeBooleanAccessor(&TcpSupplements::m_low),
                                                   ns3::MakeBooleanChecker());
        return tid;
    }

    void SetOwnPackets(Tcb /* tcb */, OwnPackets* own) override
    {
        m_own = own;
    }

    void OnOwnTimer(Tcb tcb) override
    {
        m_left -= 1;
        if (SendOne(tcb) && m_left >= 1)
        {
            m_own->SetOwnTimer(m_spacing);
        }
    }

  protected:
    /// Returns false when there is no room for one.
    virtual bool SendOne(Tcb /* tcb */)
    {
        return m_own->SendSupplement(m_low);
    }

    /// Send so many in a round trip.
    void Send(Tcb tcb, double supplements)
    {
        m_left = supplements;
        if (supplements >= 1)
        {
            m_spacing = ns3::Seconds(tcb->m_srtt.Get().GetSeconds() / supplements);
            m_own->SetOwnTimer(m_spacing);
        }
    }

    OwnPackets* m_own{nullptr}; //!< where an engine has them
    bool m_low{};               //!< supplements have a low priority

  private:
    double m_left{0};    //!< supplements to be sent
    ns3::Time m_spacing; //!< between two of them
};

} // namespace longfat

#endif
