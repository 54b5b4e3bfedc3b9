// SPDX-License-Identifier: GPL-2.0-only
//
// BBR's model of the path (draft-ietf-ccwg-bbr-05, section 5.5; bbr3.h):
//
//     max_bw              the largest delivery rate of this cycle of probing and the last      5.5.6
//     min_rtt             the smallest round trip of 10 s                                      5.5.7
//     bw_shortterm, inflight_shortterm  what a round trip with losses leaves: seven tenths of
//                         what was, or what was just delivered, until the next probe           5.5.10.3
//     inflight_longterm   what was in flight when more than 2 % of it were lost                5.5.10.2
//
// The filter of max_bw goes on once a cycle, as in Linux.

#ifndef LONGFAT_BBR3_MODEL_H
#define LONGFAT_BBR3_MODEL_H

#include "bbr3-delivery.h"
#include "bbr3-filters.h"
#include "bbr3-full-pipe.h"
#include "bbr3-long-term.h"
#include "bbr3-short-term.h"

#include "ns3/nstime.h"
#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cstdint>

namespace longfat
{

/// What can be set (bbr3.h).
struct Bbr3Settings
{
    double lossThreshold;
    double beta;
    double headroom;
};

struct Bbr3Model
{
    using Tcb = ns3::Ptr<const ns3::TcpSocketState>;

    void Start(Tcb tcb, const Bbr3Settings& set)
    {
        settings = set;
        minRtt.Start(tcb->m_srtt.Get());
        extraAcked.Start();
    }

    /// An ACK, while the sender probes for bandwidth or not. It does not update inflight_longterm, which the
    /// states do, nor min_rtt, whose turn is after theirs.
    void Update(Tcb tcb,
                const ns3::TcpRateOps::TcpRateConnection& connection,
                const ns3::TcpRateOps::TcpRateSample& sample,
                bool probes)
    {
        const uint32_t window = tcb->m_cWnd.Get();
        ack = delivery.Take(tcb, connection, sample);
        maxBandwidth.Update(ack);
        shortTerm.Update(ack, probes, maxBandwidth.Get(), window, settings.beta);
        extraAcked.Update(ack, Bandwidth(), window, pipe.WasFull() ? 10 : 1);
        pipe.Update(ack);
    }

    /// bw, in bit/s.
    double Bandwidth() const
    {
        return std::min(maxBandwidth.Get(), shortTerm.Bandwidth());
    }

    /// bdp, in bytes.
    double Product(Tcb tcb) const
    {
        return minRtt.Get() == ns3::Time::Max() ? tcb->m_initialCWnd * tcb->m_segmentSize
                                                : Bandwidth() * minRtt.Get().GetSeconds() / 8;
    }

    /// So many products and as much more, in bytes.
    double Inflight(Tcb tcb, double gain, double extra = 0) const
    {
        return std::max<double>(gain * Product(tcb) + extra, LeastWindow(tcb));
    }

    /// What is in flight if the window is full, but no more than the product.
    double TargetInflight(Tcb tcb) const
    {
        return std::min<double>(Product(tcb), tcb->m_cWnd.Get());
    }

    /// inflight_longterm, but for what is left to others.
    double InflightWithHeadroom(Tcb tcb) const
    {
        return longTerm.WithHeadroom(settings.headroom, tcb, LeastWindow(tcb));
    }

    /// No more is in flight than the path holds.
    bool IsQueueEmpty(Tcb tcb) const
    {
        return tcb->m_bytesInFlight.Get() <= Inflight(tcb, 1);
    }

    static uint32_t LeastWindow(Tcb tcb)
    {
        return 4 * tcb->m_segmentSize;
    }

    Bbr3Settings settings{};
    Bbr3Delivery delivery;
    Bbr3Ack ack; //!< the last one
    Bbr3MaxBandwidth maxBandwidth;
    Bbr3MinRtt minRtt;
    Bbr3ExtraAcked extraAcked;
    Bbr3ShortTerm shortTerm;
    Bbr3LongTerm longTerm;
    Bbr3FullPipe pipe;
};

} // namespace longfat

#endif
