// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender of BBR version 1 does at an ACK, a loss, a timeout and after it was idle
// (draft-cardwell-iccrg-bbr-congestion-control-00, sections 3.4.1, 4.2.3.4 and 4.3.4.4; bbr.h): it updates
// the model (bbr-model.h) and the mode (bbr-states.h), and sets the pacing rate (bbr-pacing.h) and the
// window (bbr-window.h) by them.

#ifndef LONGFAT_BBR_SENDER_H
#define LONGFAT_BBR_SENDER_H

#include "bbr-conservation.h"
#include "bbr-last-window.h"
#include "bbr-model.h"
#include "bbr-pacing.h"
#include "bbr-states.h"
#include "bbr-window.h"

#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

class BbrSender
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;

  public:
    /// With random numbers of that stream.
    void Set(const BbrSettings& settings, uint32_t stream)
    {
        m_model.settings = settings;
        m_states.SetStream(stream);
    }

    /// So many bytes are delivered so far.
    void OnAck(Socket tcb, uint64_t delivered, const ns3::TcpRateOps::TcpRateSample& sample)
    {
        m_lastWindow.OnAck(tcb);
        m_model.Update(tcb, delivered, sample);
        if (m_model.rounds.IsOver())
        {
            m_conservation.End();
        }
        m_states.Update(tcb, m_model, sample);
        m_model.minRtt.Update(tcb->m_lastRtt.Get(), m_model.settings.rttWindow);
        m_states.UpdateProbeRtt(tcb, m_model, sample, m_lastWindow);
        m_pacing.Set(tcb, m_model, m_states);
        BbrWindow::Set(tcb, sample, m_model, m_states, m_conservation);
    }

    /// The socket is about to enter that state.
    void OnState(Socket tcb, State::TcpCongState_t state)
    {
        if (state == State::CA_OPEN && m_states.Get() == BbrStates::NONE)
        {
            Start(tcb);
            return;
        }
        m_lastWindow.OnState(tcb, state, IsProbeRtt(), m_model.settings.asNs3);
        if (state == State::CA_LOSS)
        {
            m_model.OnTimeout();
        }
        else if (state == State::CA_RECOVERY)
        {
            m_conservation.Start(tcb);
            m_model.OnRecovery();
        }
    }

    void OnEvent(Socket tcb, State::TcpCAEvent_t event)
    {
        if (event == State::CA_EVENT_COMPLETE_CWR)
        {
            m_conservation.End();
            m_lastWindow.OnEndOfRecovery(tcb, m_model.settings.asNs3);
        }
        else if (event == State::CA_EVENT_TX_START && m_model.appLimited.Get())
        {
            m_model.ackAggregation.StartEpoch();
            m_pacing.OnRestartFromIdle(tcb, m_model, m_states);
            m_states.OnRestartFromIdle(tcb, m_model, m_lastWindow);
        }
    }

    /// There is a loss.
    void SaveWindow(ns3::Ptr<const State> tcb)
    {
        m_lastWindow.Save(tcb, IsProbeRtt(), m_model.settings.asNs3);
    }

  private:
    /// The handshake is over (4.3.1).
    void Start(Socket tcb)
    {
        tcb->m_ssThresh = tcb->m_initialSsThresh;
        m_model.Start(tcb);
        m_lastWindow.Start(tcb);
        m_states.Start();
        m_pacing.Start(tcb, m_model, m_states);
    }

    bool IsProbeRtt() const
    {
        return m_states.Get() == BbrStates::PROBE_RTT;
    }

    BbrModel m_model;   //!< what is known of the path
    BbrStates m_states; //!< what is done with it
    BbrPacing m_pacing;
    BbrLastWindow m_lastWindow;
    BbrConservation m_conservation;
};

} // namespace longfat

#endif
