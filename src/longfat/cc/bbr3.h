// SPDX-License-Identifier: GPL-2.0-only
//
// BBR, version 3 (N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control",
// draft-ietf-ccwg-bbr-05, whose sections are cited).
//
// A model of the path (bbr3-model.h), fed by what ACKs tell of delivery (bbr3-delivery.h), is what a state
// machine goes by (bbr3-states.h), and both set the pacing rate and the window (bbr3-control.h).
//
// Not here: spurious losses are not undone, nor is a restart from idle special. With ns-3 3.44's socket
// each repair counts as a loss again (longfat's fault repairs-as-losses).

/* catalogue
title = "BBR, version 3"
type_id = "longfat::TcpBbr3"
source = "draft-ietf-ccwg-bbr-05"
[parameters]
loss_threshold = {attribute = "LossThreshold"}
decrease = {attribute = "Beta"}
headroom = {attribute = "Headroom"}
probe_rtt_interval_s = {attribute = "ProbeRttInterval"}
stream = {attribute = "Stream"}
*/

#ifndef LONGFAT_BBR3_H
#define LONGFAT_BBR3_H

#include "attributes.h"
#include "bbr3-control.h"
#include "bbr3-last-window.h"
#include "bbr3-model.h"
#include "bbr3-states.h"

#include "ns3/nstime.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <string>

namespace longfat
{

class TcpBbr3 : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpBbr3, ns3::TcpCongestionOps>("longfat::TcpBbr3")
                .AddAttribute("LossThreshold",
                              "LossThresh, the part of a flight that may be lost",
                              Number(&TcpBbr3::m_lossThreshold, 0.02, 0.0, 0.5))
                .AddAttribute("Beta",
                              "what a round trip with losses leaves of the short-term bounds",
                              Number(&TcpBbr3::m_beta, 0.7, 0.01, 1.0))
                .AddAttribute("Headroom",
                              "the part of inflight_longterm that is left to others",
                              Number(&TcpBbr3::m_headroom, 0.15, 0.0, 0.9))
                .AddAttribute("ProbeRttInterval",
                              "age of the smallest round trip at which ProbeRTT begins",
                              Number(&TcpBbr3::m_probeRttInterval,
                                     ns3::Seconds(5),
                                     ns3::MilliSeconds(1),
                                     ns3::Seconds(1000)))
                .AddAttribute("Stream",
                              "random numbers of the waits; flows of one stream draw the same",
                              Number(&TcpBbr3::m_stream, 5u, 0u, 4294967295u));
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpBbr3";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpBbr3>(this);
    }

    bool HasCongControl() const override
    {
        return true;
    }

    /// Every ACK (5.2.3): the model, the state, and what follows from them.
    void CongControl(Socket tcb,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const ns3::TcpRateOps::TcpRateSample& sample) override
    {
        m_lastWindow.OnAck(tcb);
        m_model.Update(tcb, connection, sample, m_states.IsProbingBandwidth());
        m_states.Update(tcb, m_model);
        m_model.minRtt.Update(tcb->m_lastRtt, m_probeRttInterval);
        m_states.UpdateProbeRtt(tcb, m_model, m_lastWindow);
        m_model.shortTerm.EndUpdate(m_model.ack);
        Bbr3Control::SetPacingRate(tcb, m_model, m_states);
        Bbr3Control::SetWindow(tcb, m_model, m_states);
    }

    void CongestionStateSet(Socket tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_OPEN && m_states.Get() == Bbr3States::NONE)
        {
            tcb->m_ssThresh = tcb->m_initialSsThresh;
            Bbr3Control::StartPacing(tcb);
            m_model.Start(tcb, {m_lossThreshold, m_beta, m_headroom});
            m_states.Start(m_stream);
        }
        else
        {
            m_lastWindow.OnState(tcb, state, m_states.IsProbeRtt());
        }
    }

    void CwndEvent(Socket tcb, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_COMPLETE_CWR)
        {
            m_lastWindow.OnEndOfRecovery(tcb);
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        m_lastWindow.Save(tcb, m_states.IsProbeRtt());
        return tcb->m_ssThresh; // BBR has no use for it
    }

  private:
    double m_lossThreshold{};
    double m_beta{};
    double m_headroom{};
    ns3::Time m_probeRttInterval;
    uint32_t m_stream{}; //!< of random numbers
    Bbr3Model m_model;   //!< what is known of the path
    Bbr3States m_states; //!< what is done with it
    Bbr3LastWindow m_lastWindow;
};

NS_OBJECT_ENSURE_REGISTERED(TcpBbr3);

} // namespace longfat

#endif
