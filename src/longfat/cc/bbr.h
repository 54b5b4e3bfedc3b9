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
// RTprop is 10 s old.

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

#include "windowed-max.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace longfat
{

class TcpBbr : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;
    using Sample = ns3::TcpRateOps::TcpRateSample;
    using Time = ns3::Time;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpBbr")
                .SetParent<ns3::TcpCongestionOps>()
                .AddConstructor<TcpBbr>()
                .AddAttribute("HighGain",
                              "gain of Startup, 2 / ln 2",
                              ns3::DoubleValue(2.89),
                              ns3::MakeDoubleAccessor(&TcpBbr::m_highGain),
                              ns3::MakeDoubleChecker<double>(1.01, 100.0))
                .AddAttribute("BandwidthWindow",
                              "age at which a rate leaves BtlBw",
                              ns3::UintegerValue(10),
                              ns3::MakeUintegerAccessor(&TcpBbr::m_bandwidthWindow),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("RttWindow",
                              "age at which RTprop is measured anew",
                              ns3::TimeValue(ns3::Seconds(10)),
                              ns3::MakeTimeAccessor(&TcpBbr::m_rttWindow),
                              ns3::MakeTimeChecker(ns3::MilliSeconds(1), ns3::Seconds(1000)))
                .AddAttribute("ProbeRttTime",
                              "how long ProbeRTT lasts at least",
                              ns3::TimeValue(ns3::MilliSeconds(200)),
                              ns3::MakeTimeAccessor(&TcpBbr::m_probeRttTime),
                              ns3::MakeTimeChecker(ns3::Seconds(0), ns3::Seconds(10)))
                .AddAttribute(
                    "Stream",
                    "random numbers of ProbeBW's first phase; flows of one stream draw the same",
                    ns3::UintegerValue(4),
                    ns3::MakeUintegerAccessor(&TcpBbr::SetStream),
                    ns3::MakeUintegerChecker<uint32_t>())
                .AddAttribute("AsNs3",
                              "as ns3::TcpBbr of 3.44 does, with its faults",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpBbr::m_asNs3),
                              ns3::MakeBooleanChecker());
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

    void SetStream(uint32_t stream)
    {
        m_random->SetStream(stream);
    }

    bool HasCongControl() const override
    {
        return true;
    }

    /// Every ACK (3.4.1): the model, then what follows from it.
    void CongControl(Socket tcb,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const Sample& sample) override
    {
        m_delivered = connection.m_delivered;
        if (m_windowAfterRecovery > 0)
        {
            tcb->m_cWnd = m_windowAfterRecovery;
            m_windowAfterRecovery = 0;
        }
        if (!m_asNs3 && m_delivered > m_appLimited)
        {
            m_appLimited = 0;
        }
        UpdateBandwidth(sample);
        UpdateAckAggregation(tcb, sample);
        if (m_mode == PROBE_BW && IsNextPhase(tcb, sample))
        {
            AdvancePhase();
        }
        CheckFullPipe(sample);
        CheckDrain(tcb);
        UpdateMinRtt(tcb);
        CheckProbeRtt(tcb, sample);
        SetPacingRate(tcb, m_pacingGain);
        SetWindow(tcb, sample);
    }

    void CongestionStateSet(Socket tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_OPEN && !m_isInitialized)
        {
            Begin(tcb);
        }
        else if (state == State::CA_OPEN && tcb->m_congState == State::CA_LOSS && !m_asNs3)
        {
            RestoreWindow(tcb); // 4.2.3.4; ns-3 3.44 stays at what the timeout left
        }
        else if (state == State::CA_LOSS)
        {
            SaveWindow(tcb);
            m_roundStart = true;
            if (!m_asNs3)
            {
                m_fullBandwidth = 0; // as Linux
            }
        }
        else if (state == State::CA_RECOVERY) // 4.2.3.4: conservation for a round trip
        {
            SaveWindow(tcb);
            tcb->m_cWnd = tcb->m_bytesInFlight.Get() +
                          std::max(tcb->m_lastAckedSackedBytes, tcb->m_segmentSize);
            m_conservation = true;
            if (!m_asNs3) // ns-3 3.44 ends it with the round trip under way
            {
                m_roundEnd = m_delivered;
            }
        }
    }

    void CwndEvent(Socket tcb, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_COMPLETE_CWR)
        {
            m_conservation = false;
            RestoreWindow(tcb);
            // ns-3 3.44's socket then sets the window to ssthresh, which in Startup is infinite.
            m_windowAfterRecovery = m_asNs3 ? 0 : tcb->m_cWnd.Get();
        }
        else if (event == State::CA_EVENT_TX_START && m_appLimited > 0) // 4.3.4.4
        {
            m_idleRestart = true;
            m_ackEpoch = ns3::Simulator::Now();
            m_ackEpochBytes = 0;
            if (m_mode == PROBE_BW)
            {
                SetPacingRate(tcb, 1);
            }
            else if (m_mode == PROBE_RTT &&
                     (m_asNs3 ? m_probeRttRoundDone : !m_probeRttDone.IsZero()))
            {
                CheckProbeRttDone(tcb);
            }
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t /* bytesInFlight */) override
    {
        SaveWindow(tcb);
        return tcb->m_ssThresh; // BBR has no use for it
    }

  private:
    enum Mode
    {
        STARTUP,
        DRAIN,
        PROBE_BW,
        PROBE_RTT,
    };

    /// The handshake is over (4.3.1).
    void Begin(Socket tcb)
    {
        m_isInitialized = true;
        m_minRtt = tcb->m_srtt.Get();
        m_minRttStamp = m_ackEpoch = ns3::Simulator::Now();
        m_priorWindow = tcb->m_cWnd;
        tcb->m_ssThresh = tcb->m_initialSsThresh;
        EnterStartup();
        InitPacingRate(tcb);
    }

    // The model

    /// 4.1.1.3.
    void UpdateBandwidth(const Sample& sample)
    {
        // ns-3 3.44 keeps the beginning of a round trip when a sample is not valid.
        m_roundStart = m_roundStart && m_asNs3;
        if (sample.m_delivered < 0 || sample.m_interval.IsZero())
        {
            return;
        }
        m_roundStart = sample.m_priorDelivered >= m_roundEnd;
        if (m_roundStart)
        {
            m_roundEnd = m_delivered;
            ++m_round;
            m_conservation = false;
        }
        const uint64_t rate = sample.m_deliveryRate.GetBitRate();
        if (rate >= m_bandwidth.Get() || !IsAppLimited(sample))
        {
            m_bandwidth.Update(rate, m_round, m_bandwidthWindow);
        }
    }

    /// The segment was sent while ProbeRTT kept the window small (4.3.5), or the application.
    bool IsAppLimited(const Sample& sample) const
    {
        // ns-3 3.44 marks the connection in ProbeRTT but not the segments, and forever (issue 1013).
        const bool probing = !m_asNs3 && m_appLimitedUntil > 0 &&
                             sample.m_priorDelivered >= m_appLimitedFrom &&
                             sample.m_priorDelivered <= m_appLimitedUntil;
        return sample.m_isAppLimited || probing;
    }

    /// How far ACKs run ahead of BtlBw (Linux, bbr_update_ack_aggregation).
    void UpdateAckAggregation(Socket tcb, const Sample& sample)
    {
        if (sample.m_ackedSacked == 0 || sample.m_delivered < 0)
        {
            return;
        }
        if (m_roundStart && ++m_extraAckedRounds >= 5)
        {
            m_extraAckedRounds = 0;
            m_extraAcked[1] = m_extraAcked[0];
            m_extraAcked[0] = 0;
        }
        const double epochS = (ns3::Simulator::Now() - m_ackEpoch).GetSeconds();
        // ns-3 3.44 counts the epoch in whole seconds, and ends it after 4096 bytes instead of 2^20
        // segments.
        const double seconds = m_asNs3 ? std::floor(epochS) : epochS;
        auto expected = static_cast<uint64_t>(m_bandwidth.Get() * seconds / 8);
        const uint64_t longest = m_asNs3 ? 4096 : uint64_t(tcb->m_segmentSize) << 20;
        if (m_ackEpochBytes <= expected || m_ackEpochBytes + sample.m_ackedSacked >= longest)
        {
            m_ackEpochBytes = 0;
            m_ackEpoch = ns3::Simulator::Now();
            expected = 0;
        }
        m_ackEpochBytes += sample.m_ackedSacked;
        const uint64_t extra = std::min<uint64_t>(m_ackEpochBytes - expected, tcb->m_cWnd.Get());
        m_extraAcked[0] = std::max(m_extraAcked[0], static_cast<uint32_t>(extra));
    }

    /// 4.1.2.3.
    void UpdateMinRtt(Socket tcb)
    {
        const Time now = ns3::Simulator::Now();
        const Time rtt = tcb->m_lastRtt.Get();
        m_minRttExpired = now > m_minRttStamp + m_rttWindow;
        if (rtt.IsPositive() && (rtt <= m_minRtt || m_minRttExpired))
        {
            m_minRtt = rtt;
            m_minRttStamp = now;
        }
    }

    // The four modes

    void EnterStartup()
    {
        m_mode = STARTUP;
        m_pacingGain = m_windowGain = m_highGain;
    }

    /// 4.3.2: three round trips in which BtlBw did not grow by a quarter.
    void CheckFullPipe(const Sample& sample)
    {
        if (m_isPipeFull || !m_roundStart || IsAppLimited(sample))
        {
            return;
        }
        if (m_bandwidth.Get() >= m_fullBandwidth * 1.25)
        {
            m_fullBandwidth = m_bandwidth.Get();
            m_fullBandwidthCount = 0;
            return;
        }
        m_isPipeFull = ++m_fullBandwidthCount >= 3;
    }

    /// 4.3.3.
    void CheckDrain(Socket tcb)
    {
        if (m_mode == STARTUP && m_isPipeFull)
        {
            m_mode = DRAIN;
            m_pacingGain = 1 / m_highGain;
            m_windowGain = m_highGain;
            tcb->m_ssThresh = InFlight(tcb, 1);
        }
        if (m_mode == DRAIN && tcb->m_bytesInFlight.Get() <= InFlight(tcb, 1))
        {
            EnterProbeBw();
        }
    }

    /// 4.3.4: in a random phase, but not in that of gain 3/4.
    void EnterProbeBw()
    {
        m_mode = PROBE_BW;
        m_windowGain = 2;
        // ns-3 3.44 never begins in the phase after that of 3/4.
        m_phase = PHASES - 1 - static_cast<uint32_t>(m_random->GetValue(0, m_asNs3 ? 6 : 7));
        AdvancePhase();
    }

    void AdvancePhase()
    {
        m_phaseStart = ns3::Simulator::Now();
        m_phase = (m_phase + 1) % PHASES;
        m_pacingGain = m_phase == 0 ? 1.25 : m_phase == 1 ? 0.75 : 1;
    }

    bool IsNextPhase(Socket tcb, const Sample& sample) const
    {
        const bool isFullLength = ns3::Simulator::Now() - m_phaseStart > m_minRtt;
        if (m_pacingGain > 1)
        {
            return isFullLength && (sample.m_bytesLoss > 0 ||
                                    sample.m_priorInFlight >= InFlight(tcb, m_pacingGain));
        }
        return isFullLength || (m_pacingGain < 1 && sample.m_priorInFlight <= InFlight(tcb, 1));
    }

    /// 4.3.5.
    void CheckProbeRtt(Socket tcb, const Sample& sample)
    {
        if (m_mode != PROBE_RTT && m_minRttExpired && !m_idleRestart)
        {
            m_mode = PROBE_RTT;
            m_pacingGain = m_windowGain = 1;
            SaveWindow(tcb);
            m_probeRttDone = Time(0);
            m_appLimitedFrom = m_delivered;
        }
        if (m_mode == PROBE_RTT)
        {
            HandleProbeRtt(tcb);
        }
        // ns-3 3.44 takes a sample that is not valid, -1, for data delivered.
        if (sample.m_delivered > 0 || (m_asNs3 && sample.m_delivered < 0))
        {
            m_idleRestart = false;
        }
    }

    void HandleProbeRtt(Socket tcb)
    {
        const uint32_t inFlight = tcb->m_bytesInFlight.Get();
        m_appLimited = std::max<uint64_t>(m_delivered + inFlight, 1);
        m_appLimitedUntil = m_appLimited;
        if (m_probeRttDone.IsZero() && inFlight <= LeastWindow(tcb))
        {
            m_probeRttDone = ns3::Simulator::Now() + m_probeRttTime;
            m_probeRttRoundDone = false;
            m_roundEnd = m_delivered;
        }
        else if (!m_probeRttDone.IsZero())
        {
            m_probeRttRoundDone = m_probeRttRoundDone || m_roundStart;
            if (m_probeRttRoundDone)
            {
                CheckProbeRttDone(tcb);
            }
        }
    }

    void CheckProbeRttDone(Socket tcb)
    {
        if (ns3::Simulator::Now() <= m_probeRttDone)
        {
            return;
        }
        m_minRttStamp = ns3::Simulator::Now();
        RestoreWindow(tcb);
        if (m_isPipeFull)
        {
            EnterProbeBw();
        }
        else
        {
            EnterStartup();
        }
    }

    // What is set

    /// gain BtlBw RTprop, with room for what waits in the two ends (4.2.3.2).
    uint32_t InFlight(ns3::Ptr<const State> tcb, double gain) const
    {
        if (m_minRtt == Time::Max())
        {
            return tcb->m_initialCWnd * tcb->m_segmentSize;
        }
        const double product = m_bandwidth.Get() * m_minRtt.GetSeconds() / 8;
        const uint32_t probe = m_mode == PROBE_BW && m_phase == 0 ? 2 * tcb->m_segmentSize : 0;
        return static_cast<uint32_t>(gain * product + 3 * tcb->m_segmentSize + probe);
    }

    /// The first rate, from the first window (4.2.1).
    void InitPacingRate(Socket tcb)
    {
        tcb->m_pacing = true;
        Time rtt = ns3::MilliSeconds(1);
        if (tcb->m_minRtt != Time::Max())
        {
            // ns-3 3.44 cuts the round trip to milliseconds, and leaves the margin out.
            const Time cut = ns3::MilliSeconds(tcb->m_minRtt.GetMilliSeconds());
            rtt = m_asNs3 ? std::max(cut, rtt) : std::max(tcb->m_minRtt, ns3::MicroSeconds(1));
            m_hasRtt = true;
        }
        const auto rate = static_cast<uint64_t>(tcb->m_cWnd.Get() * 8.0 / rtt.GetSeconds());
        const double gain = m_asNs3 ? m_pacingGain : m_highGain * (1 - MARGIN);
        tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(gain * rate));
        // ns-3 3.44 begins with that rate as BtlBw; 4.1.1.5: nothing has been measured.
        if (m_asNs3)
        {
            m_bandwidth = WindowedMax(rate);
        }
    }

    /// 4.2.1: in Startup it only rises.
    void SetPacingRate(Socket tcb, double gain)
    {
        const auto bandwidth = static_cast<uint64_t>(gain * m_bandwidth.Get());
        ns3::DataRate rate(static_cast<uint64_t>(bandwidth * (1 - MARGIN)));
        rate = std::min(rate, tcb->m_maxPacingRate);
        if (!m_hasRtt && tcb->m_minRtt != Time::Max())
        {
            InitPacingRate(tcb);
        }
        if (m_isPipeFull || rate > tcb->m_pacingRate)
        {
            tcb->m_pacingRate = rate;
        }
    }

    /// 4.2.3.
    void SetWindow(Socket tcb, const Sample& sample)
    {
        if (sample.m_ackedSacked > 0 && !ConservePackets(tcb, sample))
        {
            const uint32_t window = tcb->m_cWnd;
            const uint32_t target = InFlight(tcb, m_windowGain) + AckAggregation();
            if (m_isPipeFull)
            {
                tcb->m_cWnd = std::min(window + sample.m_ackedSacked, target);
            }
            else if (window < target || m_delivered < tcb->m_initialCWnd * tcb->m_segmentSize)
            {
                tcb->m_cWnd = window + sample.m_ackedSacked;
            }
            tcb->m_cWnd = std::max(tcb->m_cWnd.Get(), LeastWindow(tcb));
        }
        if (m_mode == PROBE_RTT)
        {
            tcb->m_cWnd = std::min(tcb->m_cWnd.Get(), LeastWindow(tcb));
        }
    }

    /// 4.2.3.4: a loss takes itself from the window; in the first round trip of a recovery what is
    /// delivered may be sent, and no more. Not after a timeout: m_bytesLoss is by how much the bytes
    /// held for lost have changed, so that what is repaired would count as lost again.
    bool ConservePackets(Socket tcb, const Sample& sample)
    {
        if (tcb->m_congState.Get() != State::CA_RECOVERY)
        {
            return false;
        }
        const int left = int(tcb->m_cWnd.Get()) - int(sample.m_bytesLoss);
        if (sample.m_bytesLoss > 0)
        {
            tcb->m_cWnd = std::max(left, int(tcb->m_segmentSize));
        }
        if (m_conservation)
        {
            tcb->m_cWnd =
                std::max(tcb->m_cWnd.Get(), tcb->m_bytesInFlight.Get() + sample.m_ackedSacked);
        }
        return m_conservation;
    }

    /// Room for ACKs that come in bunches: what 100 ms deliver, at most.
    uint32_t AckAggregation() const
    {
        const auto most = static_cast<uint32_t>(m_bandwidth.Get() / 80);
        return m_isPipeFull ? std::min(std::max(m_extraAcked[0], m_extraAcked[1]), most) : 0;
    }

    /// The last good window (4.2.3.4).
    void SaveWindow(ns3::Ptr<const State> tcb)
    {
        const auto state = tcb->m_congState.Get();
        // ns-3 3.44 takes the window of a second timeout for a good one.
        const bool repairs = state == State::CA_RECOVERY || (state == State::CA_LOSS && !m_asNs3);
        const bool isGood = !repairs && m_mode != PROBE_RTT;
        m_priorWindow = isGood ? tcb->m_cWnd.Get() : std::max(m_priorWindow, tcb->m_cWnd.Get());
    }

    void RestoreWindow(Socket tcb)
    {
        tcb->m_cWnd = std::max(m_priorWindow, tcb->m_cWnd.Get());
    }

    static uint32_t LeastWindow(ns3::Ptr<const State> tcb)
    {
        return 4 * tcb->m_segmentSize;
    }

    static constexpr uint32_t PHASES = 8;
    static constexpr double MARGIN = 0.01; //!< of the pacing rate, so that queues drain

    double m_highGain{};
    uint32_t m_bandwidthWindow{}; //!< of BtlBw, in round trips
    Time m_rttWindow;             //!< of RTprop
    Time m_probeRttTime;          //!< least time in ProbeRTT
    bool m_asNs3{};               //!< with the faults of ns-3 3.44
    ns3::Ptr<ns3::UniformRandomVariable> m_random{
        ns3::CreateObject<ns3::UniformRandomVariable>()}; //!< for the phase

    bool m_isInitialized{false};
    Mode m_mode{STARTUP};
    double m_pacingGain{0};
    double m_windowGain{0};           //!< cwnd_gain
    WindowedMax m_bandwidth;          //!< BtlBw, in bit/s
    uint64_t m_delivered{0};          //!< bytes so far
    uint32_t m_round{0};              //!< round trips so far
    uint32_t m_roundEnd{0};           //!< next_round_delivered
    bool m_roundStart{false};         //!< this ACK begins one
    Time m_minRtt{Time::Max()};       //!< RTprop
    Time m_minRttStamp;               //!< when it was measured
    bool m_minRttExpired{false};      //!< too long ago
    bool m_hasRtt{false};             //!< there was a round trip when the first rate was set
    bool m_isPipeFull{false};         //!< Startup is over
    uint64_t m_fullBandwidth{0};      //!< BtlBw when it last grew by a quarter, in bit/s
    uint32_t m_fullBandwidthCount{0}; //!< round trips since
    uint32_t m_phase{0};              //!< of ProbeBW
    Time m_phaseStart;
    Time m_probeRttDone;             //!< when ProbeRTT may end; 0: it has not begun to count
    bool m_probeRttRoundDone{false}; //!< a round trip of it has passed
    bool m_idleRestart{false};
    uint64_t m_appLimited{0};      //!< the connection is, until so many bytes are delivered; 0: no
    uint64_t m_appLimitedFrom{0};  //!< it was from then on, for the last ProbeRTT
    uint64_t m_appLimitedUntil{0}; //!< until then
    bool m_conservation{false};    //!< packet conservation
    uint32_t m_priorWindow{0};     //!< the last good window, in bytes
    uint32_t m_windowAfterRecovery{0}; //!< in bytes; 0: none
    Time m_ackEpoch;                   //!< when the epoch of aggregated ACKs began
    uint32_t m_ackEpochBytes{0};       //!< delivered in it
    uint32_t m_extraAcked[2]{0, 0};    //!< largest excess of this and of the last five round trips
    uint32_t m_extraAckedRounds{0};
};

NS_OBJECT_ENSURE_REGISTERED(TcpBbr);

} // namespace longfat

#endif
