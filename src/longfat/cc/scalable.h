// SPDX-License-Identifier: GPL-2.0-only
//
// Scalable TCP (paper: survey, equations 15 and 18; T. Kelly, "Scalable TCP: improving performance
// in highspeed wide area networks", 2003).
//
// Above the legacy window every ACK adds A = 0.01 segments, so that a round trip adds a hundredth of
// the window, and a loss takes away an eighth of it. Both take the same time at every window (36).
//
// ns-3's own TcpScalable (AsNs3) grows by a segment every 50 segments, to make up for delayed ACKs:
// twice as fast as specified where every segment has its ACK. Linux 6.12 (tcp_scalable.c) counts 100,
// as Kelly does. Below so many segments they grow like standard TCP, and yet lose an eighth only.

/* catalogue
name = "scalable-kelly"
title = "Scalable TCP as specified"
type_id = "longfat::TcpScalable"
source = "paper survey, equations (15), (18); Kelly 2003"
caps_window = true
[parameters]
increase_segments = {attribute = "Increase"}
decrease = {attribute = "Decrease"}
legacy_window_segments = {attribute = "LegacyWindow"}
max_ssthresh_segments = {attribute = "MaxSsThresh"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_SCALABLE_H
#define LONGFAT_SCALABLE_H

#include "attributes.h"
#include "standard-or-ns3.h"

namespace longfat
{

class TcpScalable : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpScalable, TcpStandardOrNs3>("longfat::TcpScalable")
                .AddAttribute("Increase",
                              "what an ACK adds",
                              Number(&TcpScalable::m_increase, 0.01, 0.0, 1.0))
                .AddAttribute("Decrease",
                              "part of the window that a loss takes away",
                              Number(&TcpScalable::m_decrease, 0.125, 0.0, 1.0))
                .AddAttribute("LegacyWindow",
                              "standard TCP up to here",
                              Number(&TcpScalable::m_legacyWindow, 16.0, 0.0, 1e9));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpScalable>(this);
    }

    /// Equation (18), times the ACKs of a round trip.
    double GetIncrease(double w) const override
    {
        return w <= m_legacyWindow ? TcpStandard::GetIncrease(w) : m_increase * w;
    }

    double GetDecrease(double w) const override
    {
        return w <= m_legacyWindow ? TcpStandard::GetDecrease(w) : m_decrease;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        return m_asNs3 ? Part(tcb, bytesInFlight, 1 - m_decrease)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpStandardOrNs3::CongestionAvoidance(tcb, segmentsAcked);
            return;
        }
        const auto w = std::min(tcb->m_cWnd.Get() / tcb->m_segmentSize, 50U);
        AddWholeSegments(tcb, CountAcks(m_count, segmentsAcked, w));
    }

  private:
    double m_increase{};     //!< A, in segments an ACK
    double m_decrease{};     //!< B
    double m_legacyWindow{}; //!< in segments
    uint32_t m_count{0};     //!< ns-3's count of ACKs
};

NS_OBJECT_ENSURE_REGISTERED(TcpScalable);

} // namespace longfat

#endif
