// SPDX-License-Identifier: GPL-2.0-only
//
// BBR, version 1 (N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh and V. Jacobson, "BBR: congestion-
// based congestion control", 2016; draft-cardwell-iccrg-bbr-congestion-control-00, whose sections are
// cited; Linux, net/ipv4/tcp_bbr.c, which has the allowance for aggregated ACKs).
//
//     BtlBw   the largest delivery rate of 10 round trips                          4.1.1
//     RTprop  the smallest round trip of 10 s                                      4.1.2
//     pacing rate   0.99 pacing_gain BtlBw                                         4.2.1
//     window        cwnd_gain BtlBw RTprop + 3 segments + what ACKs are ahead      4.2.3
//
// Startup doubles the rate each round trip until it grows no more; Drain empties the queue; ProbeBW
// cycles the gain through 5/4, 3/4 and six times 1; ProbeRTT sends four segments for 200 ms when
// RTprop is 10 s old. bbr-sender.h puts the parts together; each header has what ns-3 3.44 does otherwise.

/* catalogue
title = "BBR"
type_id = "longfat::TcpBbr"
source = "Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00"
linux = "bbr"
[parameters]
high_gain = {attribute = "HighGain"}
bandwidth_window_rounds = {attribute = "BandwidthWindow"}
rtt_window_s = {attribute = "RttWindow"}
probe_rtt_s = {attribute = "ProbeRttTime"}
stream = {attribute = "Stream"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_BBR_H
#define LONGFAT_BBR_H

#include "attributes.h"
#include "bbr-sender.h"

#include "ns3/nstime.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>
#include <string>

namespace longfat
{

class TcpBbr : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;

  public:
    static ns3::TypeId GetTypeId()
    {
        using ns3::Seconds, ns3::MilliSeconds;
        static ns3::TypeId tid =
            Attributes<TcpBbr, ns3::TcpCongestionOps>("longfat::TcpBbr")
                .AddAttribute("HighGain",
                              "gain of Startup, 2 / ln 2",
                              Number(&TcpBbr::m_highGain, 2.89, 1.01, 100.0))
                .AddAttribute("BandwidthWindow",
                              "age at which a rate leaves BtlBw",
                              Number(&TcpBbr::m_bandwidthWindow, 10u, 1u, 1000u))
                .AddAttribute(
                    "RttWindow",
                    "age at which RTprop is measured anew",
                    Number(&TcpBbr::m_rttWindow, Seconds(10), MilliSeconds(1), Seconds(1000)))
                .AddAttribute(
                    "ProbeRttTime",
                    "how long ProbeRTT lasts at least",
                    Number(&TcpBbr::m_probeRttTime, MilliSeconds(200), Seconds(0), Seconds(10)))
                .AddAttribute("Stream",
                              "random numbers of ProbeBW's first phase; flows of one stream draw "
                              "the same",
                              Number(&TcpBbr::m_stream, 4u, 0u, 4294967295u))
                .AddAttribute("AsNs3",
                              "as ns3::TcpBbr of 3.44 does, with its faults",
                              Switch(&TcpBbr::m_asNs3, false));
        return tid;
    }

    std::string GetName() const override
    {
        return "longfat::TcpBbr";
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpBbr>(this);
    }

    void Init(Socket /* tcb */) override
    {
        m_sender.Set({m_highGain, m_bandwidthWindow, m_rttWindow, m_probeRttTime, m_asNs3},
                     m_stream);
    }

    bool HasCongControl() const override
    {
        return true;
    }

    void CongControl(Socket tcb,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const ns3::TcpRateOps::TcpRateSample& sample) override
    {
        m_sender.OnAck(tcb, connection.m_delivered, sample);
    }

    void CongestionStateSet(Socket tcb, const State::TcpCongState_t state) override
    {
        m_sender.OnState(tcb, state);
    }

    void CwndEvent(Socket tcb, const State::TcpCAEvent_t event) override
    {
        m_sender.OnEvent(tcb, event);
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        m_sender.SaveWindow(tcb);
        return tcb->m_ssThresh; // BBR has no use for it
    }

  private:
    double m_highGain{};
    uint32_t m_bandwidthWindow{}; //!< of BtlBw, in round trips
    ns3::Time m_rttWindow;        //!< of RTprop
    ns3::Time m_probeRttTime;     //!< least time in ProbeRTT
    uint32_t m_stream{};          //!< of random numbers
    bool m_asNs3{};               //!< with the faults of ns-3 3.44
    BbrSender m_sender;
};

NS_OBJECT_ENSURE_REGISTERED(TcpBbr);

} // namespace longfat

#endif
