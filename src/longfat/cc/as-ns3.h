// SPDX-License-Identifier: GPL-2.0-only
//
// The switch AsNs3 of the algorithms that ns-3 3.44 has too, and the arithmetic that it chooses:
// ns-3's classes calculate in whole segments and whole bytes, ours in floating point.

#ifndef LONGFAT_AS_NS3_H
#define LONGFAT_AS_NS3_H

#include "standard.h"

#include "ns3/boolean.h"

namespace longfat
{

class TcpAsNs3 : public TcpStandard
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpAsNs3")
                .SetParent<TcpStandard>()
                .AddAttribute("AsNs3",
                              "do as ns-3 3.44's own class does, faults included",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpAsNs3::m_asNs3),
                              ns3::MakeBooleanChecker());
        return tid;
    }

  protected:
    /// ns-3 calculates in whole segments.
    double Whole(double segments) const
    {
        return m_asNs3 ? std::floor(segments) : segments;
    }

    /// The window, in segments.
    double Segments(ns3::Ptr<const State> tcb) const
    {
        return m_asNs3 ? tcb->m_cWnd.Get() / tcb->m_segmentSize : GetWindow(tcb);
    }

    static bool IsInSlowStart(ns3::Ptr<const State> tcb)
    {
        return tcb->m_cWnd.Get() < tcb->m_ssThresh.Get();
    }

    void AddBytes(Tcb tcb, uint32_t bytes)
    {
        tcb->m_cWnd += bytes;
        Cap(tcb);
    }

    /// The largest window holds in either case.
    void Cap(Tcb tcb)
    {
        if (GetWindow(tcb) > GetMaxWindow())
        {
            SetWindow(tcb, GetMaxWindow());
        }
    }

    bool m_asNs3{}; //!< do as ns-3 3.44 does
};

} // namespace longfat

#endif
