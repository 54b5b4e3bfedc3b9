// SPDX-License-Identifier: GPL-2.0-only
//
// BBR, version 3 (N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control",
// draft-ietf-ccwg-bbr-05, whose sections are cited).
//
//     max_bw              the largest delivery rate of this cycle of probing and the last      5.5.6
//     min_rtt             the smallest round trip of 10 s                                      5.5.7
//     bw_shortterm, inflight_shortterm  what a round trip with losses leaves: seven tenths of
//                         what was, or what was just delivered, until the next probe           5.5.10.3
//     inflight_longterm   what was in flight when more than 2 % of it were lost                5.5.10.2
//     pacing rate         0.99 pacing_gain min(max_bw, bw_shortterm)                           5.6.2
//     window              cwnd_gain bw min_rtt + what ACKs are ahead, within the bounds        5.6.4
//
// Startup doubles the rate each round trip until it grows no more or losses are too many; Drain empties
// the queue. ProbeBW then goes Down (0.9, until the queue is gone and 15 % of inflight_longterm are
// left to others), Cruises, Refills the path for a round trip, and probes Up (1.25), every two to three
// seconds, or 63 round trips. ProbeRTT halves what is in flight for 200 ms where no round trip of the
// last 5 s was as small as the smallest.
//
// Assumed, for ns-3 tells no more: what was in flight when a segment was sent (tx_in_flight) is what was
// delivered and lost until its ACK, which holds where the path keeps the order; an ACK that shows losses
// shows one range of them; spurious losses are not undone, nor is a restart from idle special; segments
// are sent one by one. The filter of
// max_bw goes on once a cycle, as in Linux. With ns-3 3.44's socket each repair counts as a loss again
// (longfat's fault repairs-as-losses).

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

#include "windowed-max.h"

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
#include <deque>
#include <limits>
#include <string>
#include <utility>

namespace longfat
{

class TcpBbr3 : public ns3::TcpCongestionOps
{
    using State = ns3::TcpSocketState;
    using Socket = ns3::Ptr<State>;
    using Sample = ns3::TcpRateOps::TcpRateSample;
    using Time = ns3::Time;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpBbr3")
                .SetParent<ns3::TcpCongestionOps>()
                .AddConstructor<TcpBbr3>()
                .AddAttribute("LossThreshold",
                              "LossThresh, the part of a flight that may be lost",
                              ns3::DoubleValue(0.02),
                              ns3::MakeDoubleAccessor(&TcpBbr3::m_lossThreshold),
                              ns3::MakeDoubleChecker<double>(0.0, 0.5))
                .AddAttribute("Beta",
                              "what a round trip with losses leaves of the short-term bounds",
                              ns3::DoubleValue(0.7),
                              ns3::MakeDoubleAccessor(&TcpBbr3::m_beta),
                              ns3::MakeDoubleChecker<double>(0.01, 1.0))
                .AddAttribute("Headroom",
                              "the part of inflight_longterm that is left to others",
                              ns3::DoubleValue(0.15),
                              ns3::MakeDoubleAccessor(&TcpBbr3::m_headroom),
                              ns3::MakeDoubleChecker<double>(0.0, 0.9))
                .AddAttribute("ProbeRttInterval",
                              "age of the smallest round trip at which ProbeRTT begins",
                              ns3::TimeValue(ns3::Seconds(5)),
                              ns3::MakeTimeAccessor(&TcpBbr3::m_probeRttInterval),
                              ns3::MakeTimeChecker(ns3::MilliSeconds(1), ns3::Seconds(1000)))
                .AddAttribute("Stream",
                              "random numbers of the waits; flows of one stream draw the same",
                              ns3::UintegerValue(5),
                              ns3::MakeUintegerAccessor(&TcpBbr3::SetStream),
                              ns3::MakeUintegerChecker<uint32_t>());
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

    void SetStream(uint32_t stream)
    {
        m_random->SetStream(stream);
    }

    bool HasCongControl() const override
    {
        return true;
    }

    /// Every ACK (5.2.3): the model, the state, and what follows from them.
    void CongControl(Socket tcb,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const Sample& sample) override
    {
        if (const uint32_t window = std::exchange(m_windowAfterRecovery, 0); window > 0)
        {
            tcb->m_cWnd = window;
        }
        TakeSample(tcb, connection, sample);
        UpdateSignals(tcb);
        UpdateAckAggregation(tcb, sample);
        CheckFullBandwidth();
        CheckStartup(tcb);
        if (m_mode == DRAIN &&
            (tcb->m_bytesInFlight.Get() <= Inflight(tcb, 1) || m_round > m_drainRound + 3)) // 5.3.2
        {
            StartDown();
        }
        UpdateCycle(tcb, sample);
        UpdateMinRtt(tcb);
        CheckProbeRtt(tcb);
        if (m_lossRoundStart)
        {
            m_bandwidthLatest = m_rate;
            m_inflightLatest = m_sampleBytes;
        }
        SetPacingRate(tcb);
        SetWindow(tcb, sample);
    }

    void CongestionStateSet(Socket tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_OPEN && m_mode == NONE)
        {
            Begin(tcb);
        }
        else if (state == State::CA_OPEN && tcb->m_congState == State::CA_LOSS)
        {
            tcb->m_cWnd = std::max(m_priorWindow, tcb->m_cWnd.Get()); // 5.6.4.4
        }
        else if (state == State::CA_LOSS || state == State::CA_RECOVERY)
        {
            SaveWindow(tcb);
        }
    }

    void CwndEvent(Socket tcb, const State::TcpCAEvent_t event) override
    {
        if (event == State::CA_EVENT_COMPLETE_CWR) // ns-3's socket sets the window to ssthresh next
        {
            m_windowAfterRecovery = std::max(m_priorWindow, tcb->m_cWnd.Get());
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
        NONE,
        STARTUP,
        DRAIN,
        DOWN,
        CRUISE,
        REFILL,
        UP,
        PROBE_RTT,
    };

    enum Acks // which part of a probe the ACKs are of
    {
        OTHER,
        STARTING,
        FEEDBACK,
        STOPPING,
    };

    void Begin(Socket tcb)
    {
        const Time now = ns3::Simulator::Now();
        const Time rtt = tcb->m_srtt.Get();
        m_minRtt = m_probeRttMin = !rtt.IsZero() ? rtt : Time::Max();
        m_minRttStamp = m_probeRttStamp = m_ackEpoch = now;
        tcb->m_ssThresh = tcb->m_initialSsThresh;
        tcb->m_pacing = true;
        const double rttS = !rtt.IsZero() ? rtt.GetSeconds() : 1e-3; // 5.6.2
        const double rate = STARTUP_GAIN * tcb->m_cWnd.Get() * 8 / rttS;
        tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(rate));
        Enter(STARTUP);
    }

    void Enter(Mode mode)
    {
        m_mode = mode;
        m_pacingGain = mode == STARTUP ? STARTUP_GAIN
                       : mode == DRAIN ? 0.5
                       : mode == DOWN  ? 0.9
                       : mode == UP    ? 1.25
                                       : 1; // 5.6.1
        m_windowGain = mode == UP ? 2.25 : mode == PROBE_RTT ? 0.5 : 2;
    }

    bool IsProbeBw() const
    {
        return m_mode == DOWN || m_mode == CRUISE || m_mode == REFILL || m_mode == UP;
    }

    // The model

    /// What the ACK tells: rate, data delivered and lost since its segment was sent, the round.
    void TakeSample(Socket tcb,
                    const ns3::TcpRateOps::TcpRateConnection& connection,
                    const Sample& sample)
    {
        m_delivered = connection.m_delivered;
        m_limited |= tcb->m_isCwndLimited;
        m_newlyLost = sample.m_bytesLoss;
        m_lost += m_newlyLost;
        if (m_newlyLost > 0)
        {
            m_losses.emplace_back(m_delivered, m_lost);
            m_lossInRound = true;
            ++m_lossRanges;
        }
        m_roundStart = false;
        m_valid = sample.m_delivered >= 0 && !sample.m_interval.IsZero();
        if (!m_valid)
        {
            return;
        }
        m_prior = m_delivered - uint32_t(uint32_t(m_delivered) - sample.m_priorDelivered);
        m_sampleBytes = m_delivered - m_prior;
        m_rate = sample.m_deliveryRate.GetBitRate();
        m_appLimited = sample.m_isAppLimited || (m_prior >= m_limitedFrom && m_prior < m_limitedTo);
        while (!m_losses.empty() && m_losses.front().first <= m_prior)
        {
            m_lostBefore = m_losses.front().second;
            m_losses.pop_front();
        }
        m_roundStart = m_prior >= m_roundEnd; // 5.5.1
        if (m_roundStart)
        {
            StartRound();
            ++m_round;
            ++m_roundsSinceProbe;
            m_wasLimited = std::exchange(m_limited, tcb->m_isCwndLimited);
        }
    }

    void StartRound()
    {
        m_roundEnd = m_delivered;
    }

    /// Data lost since the segment was sent that the ACK is of.
    double LostInFlight() const
    {
        return m_lost - m_lostBefore;
    }

    /// tx_in_flight.
    double FlightThen() const
    {
        return m_sampleBytes + LostInFlight();
    }

    bool IsInflightTooHigh() const
    {
        return LostInFlight() > m_lossThreshold * FlightThen();
    }

    /// max_bw, and the bounds that a round trip with losses sets (5.5.5, 5.5.10.3).
    void UpdateSignals(Socket tcb)
    {
        m_lossRoundStart = false;
        if (!m_valid)
        {
            return;
        }
        m_bandwidthLatest = std::max(m_bandwidthLatest, m_rate);
        m_inflightLatest = std::max(m_inflightLatest, m_sampleBytes);
        if (m_rate >= MaxBandwidth() || !m_appLimited)
        {
            m_maxBandwidth[0] = std::max(m_maxBandwidth[0], m_rate);
        }
        m_lossRoundStart = m_prior >= m_lossRoundEnd;
        if (!m_lossRoundStart)
        {
            return;
        }
        m_lossRoundEnd = m_delivered;
        m_lossRangesOfRound = std::exchange(m_lossRanges, 0);
        if (std::exchange(m_lossInRound, false) && m_mode != STARTUP && m_mode != REFILL &&
            m_mode != UP)
        {
            m_bandwidthShort = std::isinf(m_bandwidthShort) ? MaxBandwidth() : m_bandwidthShort;
            m_inflightShort =
                std::isinf(m_inflightShort) ? double(tcb->m_cWnd.Get()) : m_inflightShort;
            m_bandwidthShort = std::max(m_bandwidthLatest, m_beta * m_bandwidthShort);
            m_inflightShort = std::max(m_inflightLatest, m_beta * m_inflightShort);
        }
    }

    /// How far ACKs run ahead of bw (5.5.9).
    void UpdateAckAggregation(Socket tcb, const Sample& sample)
    {
        const double seconds = (ns3::Simulator::Now() - m_ackEpoch).GetSeconds();
        double expected = Bandwidth() * seconds / 8;
        if (m_ackEpochBytes <= expected)
        {
            m_ackEpochBytes = 0;
            m_ackEpoch = ns3::Simulator::Now();
            expected = 0;
        }
        m_ackEpochBytes += sample.m_ackedSacked;
        const double extra = std::min<double>(m_ackEpochBytes - expected, tcb->m_cWnd.Get());
        m_extraAcked.Update(static_cast<uint64_t>(extra), m_round, m_reachedFull ? 10 : 1);
    }

    void ResetFullBandwidth(double rate)
    {
        m_full = rate;
        m_fullCount = 0;
        m_fullNow = false;
    }

    /// Three round trips in which the rate did not grow by a quarter (5.3.1.2).
    void CheckFullBandwidth()
    {
        if (m_fullNow || !m_roundStart || m_appLimited)
        {
            return;
        }
        if (m_rate >= 1.25 * m_full)
        {
            ResetFullBandwidth(m_rate);
            return;
        }
        m_fullNow = ++m_fullCount >= 3;
        m_reachedFull |= m_fullNow;
    }

    /// Startup ends, also by losses: six ranges and 2 % of a round trip of recovery (5.3.1.3).
    void CheckStartup(Socket tcb)
    {
        if (m_mode != STARTUP)
        {
            return;
        }
        if (!m_reachedFull && m_lossRoundStart && tcb->m_congState == State::CA_RECOVERY &&
            m_lossRangesOfRound >= 6 && IsInflightTooHigh())
        {
            m_reachedFull = true;
            m_inflightLong = std::max(Product(tcb), m_inflightLatest);
        }
        if (m_reachedFull)
        {
            Enter(DRAIN);
            m_drainRound = m_round;
        }
    }

    /// 5.5.7: two windows, of 10 s for the model and of 5 s for ProbeRTT.
    void UpdateMinRtt(Socket tcb)
    {
        const Time now = ns3::Simulator::Now();
        const Time rtt = tcb->m_lastRtt.Get();
        m_probeRttExpired = now > m_probeRttStamp + m_probeRttInterval;
        if (!rtt.IsZero() && (rtt < m_probeRttMin || m_probeRttExpired))
        {
            m_probeRttMin = rtt;
            m_probeRttStamp = now;
        }
        if (m_probeRttMin < m_minRtt || now > m_minRttStamp + ns3::Seconds(10))
        {
            m_minRtt = m_probeRttMin;
            m_minRttStamp = m_probeRttStamp;
        }
    }

    // ProbeBW (5.3.3)

    void StartDown()
    {
        m_lossInRound = false;
        m_bandwidthLatest = m_inflightLatest = 0;
        m_roundsSinceProbe = m_random->GetValue(0, 1) < 0.5 ? 0 : 1;
        m_probeWaitS = 2 + m_random->GetValue(0, 1);
        m_cycleStart = ns3::Simulator::Now();
        m_acks = STOPPING;
        StartRound();
        Enter(DOWN);
    }

    void StartRefill()
    {
        ResetShortTerm();
        m_upRounds = 0;
        m_acks = OTHER;
        StartRound();
        Enter(REFILL);
    }

    void StartUp()
    {
        m_probeSamples = true;
        m_acks = STARTING;
        StartRound();
        ResetFullBandwidth(m_rate);
        Enter(UP);
        ++m_upRounds;
    }

    void ResetShortTerm()
    {
        m_bandwidthShort = m_inflightShort = NO_BOUND;
    }

    void UpdateCycle(Socket tcb, const Sample& sample)
    {
        if (!m_reachedFull || !m_valid)
        {
            return;
        }
        const bool atBound = IsAtLongTermBound(tcb);
        AdaptLongTerm(tcb, sample);
        const double inFlight = tcb->m_bytesInFlight.Get();
        if ((m_mode == DOWN || m_mode == CRUISE) && IsTimeToProbe(tcb))
        {
            StartRefill();
        }
        else if (m_mode == DOWN && inFlight <= WithHeadroom(tcb) && inFlight <= Inflight(tcb, 1))
        {
            Enter(CRUISE);
        }
        else if (m_mode == REFILL && m_roundStart)
        {
            StartUp();
        }
        else if (m_mode == UP)
        {
            if (atBound)
            {
                ResetFullBandwidth(m_rate);
            }
            else if (m_fullNow)
            {
                StartDown();
            }
        }
    }

    /// After two to three seconds, or as many round trips as Reno would need (5.3.3.5).
    bool IsTimeToProbe(Socket tcb) const
    {
        const double rounds = TargetInflight(tcb) / tcb->m_segmentSize;
        return (ns3::Simulator::Now() - m_cycleStart).GetSeconds() > m_probeWaitS ||
               m_roundsSinceProbe >= std::min(rounds, 63.0);
    }

    bool IsAtLongTermBound(Socket tcb) const
    {
        return (m_limited || m_wasLimited) && tcb->m_cWnd.Get() >= std::floor(m_inflightLong);
    }

    /// What may be in flight: less after losses of more than 2 %, more while a probe has none (5.5.10.2).
    void AdaptLongTerm(Socket tcb, const Sample& sample)
    {
        if (m_acks == STARTING && m_roundStart)
        {
            m_acks = FEEDBACK;
        }
        if (m_acks == STOPPING && m_roundStart)
        {
            m_acks = OTHER;
            m_probeSamples = false;
            if (IsProbeBw() && !m_appLimited)
            {
                m_maxBandwidth[1] = std::exchange(m_maxBandwidth[0], 0); // the next cycle (5.5.6)
            }
        }
        if (IsInflightTooHigh())
        {
            if (m_probeSamples && m_newlyLost > 0)
            {
                LowerLongTerm(tcb);
            }
        }
        else if (!std::isinf(m_inflightLong))
        {
            m_inflightLong = std::max(m_inflightLong, FlightThen());
            if (m_mode == UP && IsAtLongTermBound(tcb))
            {
                m_upRounds += m_roundStart;
                const double growth = std::exp2(std::min(m_upRounds - 1, 30u));
                const double slope = growth * tcb->m_segmentSize / tcb->m_cWnd.Get();
                m_inflightLong += sample.m_ackedSacked * std::min(1.0, slope);
            }
        }
    }

    /// To what was in flight when the losses became too many.
    void LowerLongTerm(Socket tcb)
    {
        m_probeSamples = false;
        if (!m_appLimited)
        {
            const double before = FlightThen() - m_newlyLost;
            const double allowed = m_lossThreshold * before - (LostInFlight() - m_newlyLost);
            const double then = before + std::max(0.0, allowed) / (1 - m_lossThreshold);
            m_inflightLong = std::max(then, m_beta * TargetInflight(tcb));
        }
        if (m_mode == UP)
        {
            StartDown();
        }
    }

    // ProbeRTT (5.3.4)

    void CheckProbeRtt(Socket tcb)
    {
        if (m_mode != PROBE_RTT && m_probeRttExpired)
        {
            Enter(PROBE_RTT);
            SaveWindow(tcb);
            m_probeRttDone = Time(0);
            m_acks = STOPPING;
            StartRound();
            m_limitedFrom = m_delivered;
        }
        if (m_mode != PROBE_RTT)
        {
            return;
        }
        const Time now = ns3::Simulator::Now();
        m_limitedTo = m_delivered + tcb->m_bytesInFlight.Get() + 1;
        if (m_probeRttDone.IsZero() && tcb->m_bytesInFlight.Get() <= ProbeRttWindow(tcb))
        {
            m_probeRttDone = now + ns3::MilliSeconds(200);
            m_probeRttRound = false;
            StartRound();
        }
        else if (!m_probeRttDone.IsZero())
        {
            m_probeRttRound |= m_roundStart;
            if (m_probeRttRound && now > m_probeRttDone)
            {
                m_probeRttStamp = now;
                tcb->m_cWnd = std::max(m_priorWindow, tcb->m_cWnd.Get());
                ResetShortTerm();
                if (m_reachedFull)
                {
                    StartDown();
                }
                Enter(m_reachedFull ? CRUISE : STARTUP);
            }
        }
    }

    // What is set

    double MaxBandwidth() const
    {
        return std::max(m_maxBandwidth[0], m_maxBandwidth[1]);
    }

    /// bw, in bit/s.
    double Bandwidth() const
    {
        return std::min(MaxBandwidth(), m_bandwidthShort);
    }

    /// bdp, in bytes.
    double Product(ns3::Ptr<const State> tcb) const
    {
        return m_minRtt == Time::Max() ? tcb->m_initialCWnd * tcb->m_segmentSize
                                       : Bandwidth() * m_minRtt.GetSeconds() / 8;
    }

    double Inflight(ns3::Ptr<const State> tcb, double gain, double extra = 0) const
    {
        const double probe = m_mode == UP ? 2 * tcb->m_segmentSize : 0;
        return std::max<double>(gain * Product(tcb) + extra, LeastWindow(tcb)) + probe;
    }

    double TargetInflight(Socket tcb) const
    {
        return std::min<double>(Product(tcb), tcb->m_cWnd.Get());
    }

    double WithHeadroom(ns3::Ptr<const State> tcb) const
    {
        const double left = std::max<double>(tcb->m_segmentSize, m_headroom * m_inflightLong);
        return std::isinf(m_inflightLong)
                   ? NO_BOUND
                   : std::max<double>(m_inflightLong - left, LeastWindow(tcb));
    }

    double ProbeRttWindow(ns3::Ptr<const State> tcb) const
    {
        return std::max<double>(0.5 * Product(tcb), LeastWindow(tcb));
    }

    static uint32_t LeastWindow(ns3::Ptr<const State> tcb)
    {
        return 4 * tcb->m_segmentSize;
    }

    /// In Startup it only rises (5.6.2).
    void SetPacingRate(Socket tcb)
    {
        const double bitRate = 0.99 * m_pacingGain * Bandwidth();
        const ns3::DataRate rate(static_cast<uint64_t>(bitRate));
        if (bitRate >= 1 && (m_reachedFull || rate > tcb->m_pacingRate))
        {
            tcb->m_pacingRate = std::min(rate, tcb->m_maxPacingRate);
        }
    }

    /// 5.6.4.
    void SetWindow(Socket tcb, const Sample& sample)
    {
        const uint32_t acked = sample.m_ackedSacked;
        double window = tcb->m_cWnd.Get();
        const double most = Inflight(tcb, m_windowGain, m_extraAcked.Get());
        if (m_reachedFull)
        {
            window = std::min(window + acked, most);
        }
        else if (window < most || m_delivered < tcb->m_initialCWnd * tcb->m_segmentSize)
        {
            window += acked;
        }
        double bound = m_mode == PROBE_RTT || m_mode == CRUISE ? WithHeadroom(tcb)
                       : IsProbeBw()                           ? m_inflightLong
                                                               : NO_BOUND;
        bound = std::min(bound, m_inflightShort);
        bound = std::min(bound, m_mode == PROBE_RTT ? ProbeRttWindow(tcb) : NO_BOUND);
        const double least = LeastWindow(tcb);
        tcb->m_cWnd =
            static_cast<uint32_t>(std::clamp(window, least, std::max(least, std::min(bound, 4e9))));
    }

    /// The last good window (5.6.4.4).
    void SaveWindow(ns3::Ptr<const State> tcb)
    {
        const auto state = tcb->m_congState.Get();
        const bool good =
            state != State::CA_RECOVERY && state != State::CA_LOSS && m_mode != PROBE_RTT;
        m_priorWindow = good ? tcb->m_cWnd.Get() : std::max(m_priorWindow, tcb->m_cWnd.Get());
    }

    static constexpr double STARTUP_GAIN = 2.77; //!< 4 ln 2
    static constexpr double NO_BOUND = std::numeric_limits<double>::infinity();

    double m_lossThreshold{};
    double m_beta{};
    double m_headroom{};
    Time m_probeRttInterval;
    ns3::Ptr<ns3::UniformRandomVariable> m_random{
        ns3::CreateObject<ns3::UniformRandomVariable>()}; //!< for the waits

    Mode m_mode{NONE};
    Acks m_acks{OTHER};
    double m_pacingGain{1};
    double m_windowGain{2};
    uint32_t m_priorWindow{0};         //!< the last good window, in bytes
    uint32_t m_windowAfterRecovery{0}; //!< in bytes; 0: none

    // Of the last ACK
    bool m_valid{false};
    bool m_roundStart{false};
    bool m_appLimited{false};
    double m_rate{0};        //!< in bit/s
    double m_sampleBytes{0}; //!< delivered since the segment was sent
    uint32_t m_newlyLost{0}; //!< in bytes
    uint64_t m_prior{0};     //!< bytes delivered when the segment was sent

    uint64_t m_delivered{0}; //!< bytes so far
    uint64_t m_lost{0};      //!< bytes so far
    uint64_t m_lostBefore{0};
    std::deque<std::pair<uint64_t, uint64_t>> m_losses; //!< delivered and lost when some were
    uint32_t m_round{0};
    uint64_t m_roundEnd{0};
    bool m_limited{false};    //!< the window was full in this round trip
    bool m_wasLimited{false}; //!< and in the last one
    uint64_t m_limitedFrom{0};
    uint64_t m_limitedTo{0}; //!< ProbeRTT kept the window small for what was delivered between

    double m_maxBandwidth[2]{0, 0}; //!< of this cycle and of the last, in bit/s
    double m_bandwidthLatest{0};    //!< of this round trip
    double m_inflightLatest{0};
    double m_bandwidthShort{NO_BOUND};
    double m_inflightShort{NO_BOUND};
    double m_inflightLong{NO_BOUND};
    bool m_lossRoundStart{false};
    uint64_t m_lossRoundEnd{0};
    bool m_lossInRound{false};
    uint32_t m_lossRanges{0};
    uint32_t m_lossRangesOfRound{0};

    Time m_minRtt;
    Time m_minRttStamp;
    Time m_probeRttMin;
    Time m_probeRttStamp;
    bool m_probeRttExpired{false};
    Time m_probeRttDone; //!< when ProbeRTT may end; 0: it has not begun to count
    bool m_probeRttRound{false};

    WindowedMax m_extraAcked;
    Time m_ackEpoch;
    double m_ackEpochBytes{0};

    double m_full{0}; //!< the rate when it last grew by a quarter
    uint32_t m_fullCount{0};
    bool m_fullNow{false};     //!< the pipe is full since it was last looked at
    bool m_reachedFull{false}; //!< Startup is over
    uint32_t m_drainRound{0};

    uint32_t m_roundsSinceProbe{0};
    double m_probeWaitS{0};
    Time m_cycleStart;
    uint32_t m_upRounds{0};
    bool m_probeSamples{false}; //!< losses are those of a probe
};

NS_OBJECT_ENSURE_REGISTERED(TcpBbr3);

} // namespace longfat

#endif
