// SPDX-License-Identifier: GPL-2.0-only
//
// TCP NewReno's window (RFC 5681, section 3.1; its fast recovery, RFC 6582, is the socket's).
//
// For every ACK of new data, with windows in bytes,
//
//     slow start             cwnd <- cwnd + SMSS                    (2)
//     congestion avoidance   cwnd <- cwnd + SMSS SMSS / cwnd        (3)
//     loss                   ssthresh <- max(FlightSize / 2, 2 SMSS)   (4)
//
// The window is counted in floating point: its fraction of a byte waits in this class.

/* catalogue
title = "TCP NewReno"
type_id = "longfat::TcpNewReno"
source = "RFC 5681, section 3.1; RFC 6582"
[parameters]
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_NEWRENO_H
#define LONGFAT_NEWRENO_H

#include "ns3/boolean.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace longfat
{

class TcpNewReno : public ns3::TcpCongestionOps
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpNewReno")
                .SetParent<ns3::TcpCongestionOps>()
                .AddConstructor<TcpNewReno>()
                .AddAttribute("AsNs3",
                              "as ns-3 3.44's class of this name does, with its faults",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpNewReno::m_asNs3),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return GetInstanceTypeId().GetName();
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpNewReno>(this);
    }

    /// Equation (4).
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        // ns-3 3.44 halves what is in flight by RFC 6675's pipe, without what SACK reports and what
        // is lost; (4) halves all that is not acknowledged.
        const uint32_t flight = m_asNs3 ? bytesInFlight : FlightSize(tcb);
        return std::max(flight / 2, 2 * tcb->m_segmentSize);
    }

    /// Equations (2) and (3). The socket calls this for an ACK of new data, outside of recovery.
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        if (segmentsAcked == 0)
        {
            return;
        }
        const double smss = tcb->m_segmentSize;
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            Add(tcb, smss);
            // ns-3 3.44 lets an ACK of several segments that reaches ssthresh earn (3) beside (2);
            // section 3.1: at most SMSS for each ACK.
            if (!m_asNs3 || segmentsAcked == 1 || tcb->m_cWnd < tcb->m_ssThresh)
            {
                return;
            }
        }
        Add(tcb, smss * smss / tcb->m_cWnd.Get());
    }

  protected:
    /// FlightSize: what is sent and not acknowledged, without what limited transmit has sent beyond
    /// the window (section 3.2, step 2).
    static uint32_t FlightSize(ns3::Ptr<const ns3::TcpSocketState> tcb)
    {
        const uint32_t outstanding = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
        return std::min(outstanding, tcb->m_cWnd.Get());
    }

    bool m_asNs3{}; //!< with the faults of ns-3 3.44

  private:
    /// Open the window by so many bytes, and keep their fraction for the next time.
    void Add(ns3::Ptr<ns3::TcpSocketState> tcb, double bytes)
    {
        if (m_asNs3)
        {
            // ns-3 3.44 adds whole bytes, one at least: of 1.9 bytes one, and beyond a window of SMSS
            // segments more than the SMSS a round trip that section 3.1 allows.
            tcb->m_cWnd += static_cast<uint32_t>(std::max(1.0, bytes));
            return;
        }
        const double window = std::min<double>(tcb->m_cWnd.Get() + m_fraction + bytes, LARGEST);
        tcb->m_cWnd = static_cast<uint32_t>(window);
        m_fraction = window - std::floor(window);
    }

    static constexpr uint32_t LARGEST = 0x7fffffff; //!< window, in bytes

    double m_fraction{0}; //!< of a byte of the window
};

NS_OBJECT_ENSURE_REGISTERED(TcpNewReno);

} // namespace longfat

#endif
