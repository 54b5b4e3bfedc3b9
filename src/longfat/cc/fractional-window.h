// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP Hybla and standard TCP with its descendants share: a window that is counted in segments, in
// floating point, and capped at W_m. ns-3 keeps a window as a whole number of bytes: the fraction of
// a byte that is left over waits here.

#ifndef LONGFAT_FRACTIONAL_WINDOW_H
#define LONGFAT_FRACTIONAL_WINDOW_H

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace longfat
{

class TcpFractionalWindow : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpFractionalWindow")
                .SetParent<ns3::TcpNewReno>()
                .AddAttribute("MaxWindow",
                              "largest congestion window, W_m, in segments",
                              ns3::UintegerValue(0xffffffff),
                              ns3::MakeUintegerAccessor(&TcpFractionalWindow::m_maxWindow),
                              ns3::MakeUintegerChecker<uint32_t>(2));
        return tid;
    }

    std::string GetName() const override
    {
        return GetInstanceTypeId().GetName();
    }

  protected:
    /// The window in segments, with the fraction of a byte that m_cWnd cannot hold.
    double GetWindow(ns3::Ptr<const ns3::TcpSocketState> tcb) const
    {
        return (tcb->m_cWnd.Get() + m_fraction) / tcb->m_segmentSize;
    }

    /// Set the window to that many segments, at most W_m (and what 31 bits of bytes can hold).
    void SetWindow(ns3::Ptr<ns3::TcpSocketState> tcb, double segments)
    {
        const double largest =
            std::min<double>(double(m_maxWindow) * tcb->m_segmentSize, 0x7fffffff);
        const double bytes = std::min(segments * tcb->m_segmentSize, largest);
        tcb->m_cWnd = static_cast<uint32_t>(bytes);
        m_fraction = bytes - std::floor(bytes);
    }

    /// In segments.
    double GetMaxWindow() const
    {
        return m_maxWindow;
    }

  private:
    uint32_t m_maxWindow{}; //!< W_m, in segments
    double m_fraction{0};   //!< of a byte of the window
};

} // namespace longfat

#endif
