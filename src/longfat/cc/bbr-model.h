// SPDX-License-Identifier: GPL-2.0-only
//
// The model that BBR version 1 has of the path (draft-cardwell-iccrg-bbr-congestion-control-00, section
// 4.1; bbr.h): BtlBw, the largest delivery rate of 10 round trips (4.1.1), RTprop, whether the pipe is
// full, and how far ACKs run ahead.

#ifndef LONGFAT_BBR_MODEL_H
#define LONGFAT_BBR_MODEL_H

#include "bbr-ack-aggregation.h"
#include "bbr-app-limited.h"
#include "bbr-full-pipe.h"
#include "bbr-min-rtt.h"
#include "bbr-rounds.h"
#include "windowed-max.h"

#include "ns3/nstime.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace longfat
{

/// What can be set (bbr.h).
struct BbrSettings
{
    double highGain;
    uint32_t bandwidthWindow; //!< of BtlBw, in round trips
    ns3::Time rttWindow;      //!< of RTprop
    ns3::Time probeRttTime;   //!< least time in ProbeRTT
    bool asNs3;               //!< with the faults of ns-3 3.44
};

struct BbrModel
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;
    using Sample = ns3::TcpRateOps::TcpRateSample;

    void Start(Tcb tcb)
    {
        minRtt.Start(tcb->m_srtt.Get());
        ackAggregation.StartEpoch();
    }

    /// An ACK; so many bytes are delivered so far. It does not update RTprop, whose turn is after the
    /// states'.
    void Update(Tcb tcb, uint64_t delivered, const Sample& sample)
    {
        appLimited.Update(delivered, settings.asNs3);
        rounds.Update(delivered, sample, settings.asNs3);
        const bool isAppLimited = appLimited.Limits(sample, settings.asNs3);
        const uint64_t rate = sample.m_deliveryRate.GetBitRate();
        if (rounds.HasRate() && (rate >= bandwidth.Get() || !isAppLimited))
        {
            bandwidth.Update(rate, rounds.Count(), settings.bandwidthWindow);
        }
        if (sample.m_ackedSacked != 0 && sample.m_delivered >= 0)
        {
            if (rounds.IsStart())
            {
                ackAggregation.StartRound();
            }
            ackAggregation.Update(tcb, sample, bandwidth.Get(), settings.asNs3);
        }
        if (rounds.IsStart() && !isAppLimited)
        {
            pipe.Update(bandwidth.Get());
        }
    }

    void OnTimeout()
    {
        rounds.OnTimeout();
        if (!settings.asNs3)
        {
            pipe.OnTimeout();
        }
    }

    /// Packet conservation lasts for a round trip; as ns-3 3.44 for the rest of the one under way.
    void OnRecovery()
    {
        if (!settings.asNs3)
        {
            rounds.Start();
        }
    }

    /// gain BtlBw RTprop, with room for what waits in the two ends and for `probe`, in bytes (4.2.3.2).
    uint32_t InFlight(Tcb tcb, double gain, uint32_t probe = 0) const
    {
        if (minRtt.Get() == ns3::Time::Max())
        {
            return tcb->m_initialCWnd * tcb->m_segmentSize;
        }
        const double product = bandwidth.Get() * minRtt.Get().GetSeconds() / 8;
        return static_cast<uint32_t>(gain * product + 3 * tcb->m_segmentSize + probe);
    }

    static uint32_t LeastWindow(Tcb tcb)
    {
        return 4 * tcb->m_segmentSize;
    }

    BbrSettings settings{};
    BbrRounds rounds;
    BbrAppLimited appLimited;
    WindowedMax bandwidth; //!< BtlBw, in bit/s
    BbrMinRtt minRtt;      //!< RTprop
    BbrAckAggregation ackAggregation;
    BbrFullPipe pipe;
};

} // namespace longfat

#endif
