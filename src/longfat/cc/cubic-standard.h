// SPDX-License-Identifier: GPL-2.0-only
//
// CUBIC as RFC 9438 has it (cubic.h): slow start with HyStart++ (section 4.10), congestion avoidance
// (cubic-avoidance.h), and what a loss does (sections 4.6 to 4.8).

#ifndef LONGFAT_CUBIC_STANDARD_H
#define LONGFAT_CUBIC_STANDARD_H

#include "cubic-avoidance.h"
#include "fractional-window.h"
#include "hystart.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

class TcpCubicStandard : public TcpFractionalWindow
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpCubicStandard").SetParent<TcpFractionalWindow>();
        return tid;
    }

    /// Sections 4.6 and 4.7.
    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        m_avoidance.OnLoss(GetWindow(tcb), Settings());
        m_firstSlowStart = false;
        // FlightSize, without what limited transmit has sent beyond the window.
        const uint32_t outstanding = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
        const double flight = std::min(outstanding, tcb->m_cWnd.Get());
        return std::max(static_cast<uint32_t>(m_beta * flight), 2 * tcb->m_segmentSize);
    }

    void CongestionStateSet(Tcb /* tcb */, const State::TcpCongState_t state) override
    {
        if (state == State::CA_RECOVERY || state == State::CA_LOSS)
        {
            m_endsRecovery = state == State::CA_RECOVERY;
        }
        if (state == State::CA_LOSS)
        {
            m_avoidance.OnTimeout();
        }
    }

    /// t leaves out what time the sender has been idle (section 4.2).
    void CwndEvent(Tcb /* tcb */, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_TX_START)
        {
            m_avoidance.epoch.LeaveOutTimeSinceLastAck();
        }
    }

    /// The socket calls this for an ACK of new data, outside of recovery.
    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        // The ACK that ends a recovery newly delivers the last hole; ns-3 counts a whole window.
        const uint32_t delivered = m_endsRecovery ? std::min(segmentsAcked, 1u) : segmentsAcked;
        m_endsRecovery = false;
        if (!tcb->m_isCwndLimited || delivered == 0) // section 5.8
        {
            m_avoidance.epoch.LeaveOutTimeSinceLastAck();
            return;
        }
        m_avoidance.epoch.OnAck();
        const double w = GetWindow(tcb);
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            const bool hystart = m_useHystart && m_firstSlowStart;
            SetWindow(tcb, w + (hystart ? m_hystart.OnAck(tcb, delivered) : 1));
            return;
        }
        const double rttS = tcb->m_srtt.Get().GetSeconds();
        SetWindow(tcb, m_avoidance.OnAck(w, delivered, rttS, Settings()));
    }

  protected:
    // Attributes of the subclass.
    double m_c{};             //!< C
    double m_beta{};          //!< beta
    bool m_fastConvergence{}; //!< section 4.7
    bool m_renoFriendly{};    //!< section 4.3
    bool m_useHystart{};      //!< section 4.10
    bool m_rfc8312{};         //!< growth by RFC 8312
    bool m_asLinux{};         //!< W_est as in Linux 6.12

    CubicSettings Settings() const
    {
        return {m_c, m_beta, m_fastConvergence, m_renoFriendly, m_useHystart, m_rfc8312, m_asLinux};
    }

  private:
    bool m_firstSlowStart{true}; //!< no loss so far
    bool m_endsRecovery{false};  //!< the next ACK that may open the window ends a recovery
    HyStart m_hystart;
    CubicAvoidance m_avoidance;
};

} // namespace longfat

#endif
