// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Probing (V. Tsaoussidis and H. Badr, "TCP-Probing: towards an error control schema with energy
// and throughput performance gains", ICNP 2000; paper: tcpj, reference 12).
//
// NewReno's window (newreno.h); but where it would time out or begin a recovery it suspends the data
// and begins a probe cycle: PROBE1, its answer, PROBE2, its answer, two packets without data and two
// round trips. A probe that is not answered in time begins the cycle anew, so that it lasts as long as
// an outage does. Then, by the two round trips,
//
//     both short     immediate recovery: window and threshold stay
//     else           what it would have done: half the window, or slow start after a timeout
//
// Assumed, for the paper is at hand as an abstract only: short is up to best + Short (worst - best) of
// the round trips seen; a probe has Patience smoothed round trips; after immediate recovery what was
// outstanding and is not reported is sent again within the window.

/* catalogue
title = "TCP-Probing"
type_id = "longfat::TcpProbing"
source = "Tsaoussidis and Badr 2000; paper tcpj, reference 12"
signals = ["own packets"]
[parameters]
short = {attribute = "Short"}
patience = {attribute = "Patience"}
probes_at_duplicates = {attribute = "AtDuplicates"}
*/

#ifndef LONGFAT_PROBING_H
#define LONGFAT_PROBING_H

#include "newreno.h"
#include "own-packets.h"

#include "ns3/double.h"
#include "ns3/simulator.h"

namespace longfat
{

class TcpProbing : public TcpNewReno, public OwnPacketsSignal
{
  public:
    using Tcb = OwnPacketsSignal::Tcb;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpProbing")
                .SetParent<TcpNewReno>()
                .AddConstructor<TcpProbing>()
                .AddAttribute("Short",
                              "round trips up to this part of the way from best to worst are short",
                              ns3::DoubleValue(0.5),
                              ns3::MakeDoubleAccessor(&TcpProbing::m_short),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Patience",
                              "smoothed round trips that a probe may take",
                              ns3::DoubleValue(2),
                              ns3::MakeDoubleAccessor(&TcpProbing::m_patience),
                              ns3::MakeDoubleChecker<double>(1, 100))
                .AddAttribute("AtDuplicates",
                              "probes in place of a recovery too, not only of a timeout",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpProbing::m_atDuplicates),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpProbing>(this);
    }

    void SetOwnPackets(Tcb /* tcb */, OwnPackets* own) override
    {
        m_own = own;
    }

    void PktsAcked(Tcb tcb, uint32_t /* segmentsAcked */, const ns3::Time& /* rtt */) override
    {
        const ns3::Time rtt = tcb->m_lastRtt.Get();
        m_best = std::min(m_best, rtt);
        m_worst = std::max(m_worst, rtt);
    }

    bool Suspends(Tcb tcb, bool timeout) override
    {
        m_timeout = timeout;
        if (timeout || m_atDuplicates)
        {
            Probe(tcb, 1);
        }
        return timeout || m_atDuplicates;
    }

    void OnProbeAnswer(Tcb tcb, uint32_t number, ns3::Time sent) override
    {
        if (number != m_number) // of a cycle that was given up
        {
            return;
        }
        const ns3::Time rtt = ns3::Simulator::Now() - sent;
        const double limit = m_best.GetSeconds() + m_short * (m_worst - m_best).GetSeconds();
        m_long = m_long || rtt.GetSeconds() > limit;
        if (m_step == 1)
        {
            Probe(tcb, 2);
            return;
        }
        m_number = 0;
        m_own->SetOwnTimer(ns3::Time(0)); // never
        m_own->Resume(!m_long     ? Resumption::UNCHANGED
                      : m_timeout ? Resumption::SLOW_START
                                  : Resumption::HALVED);
    }

    void OnOwnTimer(Tcb tcb) override
    {
        Probe(tcb, 1); // the last one, or its answer, is lost
    }

  private:
    void Probe(Tcb tcb, uint32_t step)
    {
        m_step = step;
        m_long = m_long && step > 1;
        m_number = ++m_probes;
        m_own->SendProbe(m_number, 0, false);
        m_own->SetOwnTimer(ns3::Seconds(m_patience * tcb->m_srtt.Get().GetSeconds()));
    }

    double m_short{};                   //!< part of the way from best to worst
    double m_patience{};                //!< smoothed round trips
    bool m_atDuplicates{};              //!< probes in place of a recovery too
    OwnPackets* m_own{nullptr};         //!< where an engine has them
    ns3::Time m_best{ns3::Time::Max()}; //!< round trip
    ns3::Time m_worst;                  //!< round trip
    bool m_timeout{false};              //!< began the cycle
    bool m_long{false};                 //!< a round trip of this cycle was
    uint32_t m_step{0};                 //!< which probe of the cycle is under way
    uint32_t m_probes{0};               //!< sent
    uint32_t m_number{0};               //!< of that under way; 0: none is
};

NS_OBJECT_ENSURE_REGISTERED(TcpProbing);

} // namespace longfat

#endif
