// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Hybla with what its authors put around equation (1) (hybla.h) against its first burst: C. Caini
// and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", 2004, section 4.
//
//     pacing      segments leave RTT / W apart, and not as ACKs come
//     estimate    the first threshold is bandwidth times round trip: the bandwidth is that of the
//                 first three ACKs (J. C. Hoe, "Improving the start-up behavior of a congestion
//                 control scheme for TCP", 1996), the round trip the least
//     window      the first window is rho times TCP's, not rho
//
// Assumed: the window does not grow before the estimate is there, for with the first ACK it would grow
// by 2^rho; the first window is not paced, or there would be no estimate.

/* catalogue
title = "TCP Hybla with pacing and an estimate at the start"
type_id = "longfat::TcpHybla2004"
source = "Caini and Firrincieli 2004, section 4; Hoe 1996"
caps_window = true
[parameters]
rtt0_s = {attribute = "Rtt0"}
pacing = {attribute = "Pacing"}
estimate = {attribute = "Estimate"}
scaled_first_window = {attribute = "ScaledFirstWindow"}
*/

#ifndef LONGFAT_HYBLA_2004_H
#define LONGFAT_HYBLA_2004_H

#include "hybla.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"

namespace longfat
{

class TcpHybla2004 : public TcpHybla
{
  public:
    using State = ns3::TcpSocketState;
    using Tcb = ns3::Ptr<State>;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHybla2004")
                .SetParent<TcpHybla>()
                .AddConstructor<TcpHybla2004>()
                .AddAttribute("Pacing",
                              "a window is spread over its round trip",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpHybla2004::m_paces),
                              ns3::MakeBooleanChecker())
                .AddAttribute("Estimate",
                              "the first threshold is what the first ACKs say of the path",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpHybla2004::m_estimates),
                              ns3::MakeBooleanChecker())
                .AddAttribute("ScaledFirstWindow",
                              "the first window is rho times TCP's",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpHybla2004::m_scales),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHybla2004>(this);
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        const double first = GetWindow(tcb);
        TcpHybla::CongestionStateSet(tcb, state);
        if (m_scales && !m_started)
        {
            SetWindow(tcb, first * GetRho(tcb));
        }
        m_started = true;
    }

    /// The first ACKs: how far apart what they acknowledge left the bottleneck.
    void PktsAcked(Tcb tcb, uint32_t segmentsAcked, const ns3::Time& /* rtt */) override
    {
        if (m_paces && tcb->m_srtt.Get().IsStrictlyPositive()) // else W / RTT is none
        {
            tcb->m_pacing = true;
            tcb->m_pacingSsRatio = tcb->m_pacingCaRatio = 100;
        }
        if (!m_estimates || m_acks == ACKS)
        {
            return;
        }
        const ns3::Time now = ns3::Simulator::Now();
        if (m_acks++ == 0)
        {
            m_first = now;
            return;
        }
        m_segments += segmentsAcked;
        const double elapsed = (now - m_first).GetSeconds();
        if (m_acks == ACKS && elapsed > 0)
        {
            const double held = m_segments / elapsed * tcb->m_minRtt.GetSeconds();
            const double bytes = std::max(2.0, held) * tcb->m_segmentSize;
            tcb->m_ssThresh = std::min<double>(bytes, tcb->m_ssThresh.Get());
        }
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_estimates || m_acks == ACKS)
        {
            TcpHybla::IncreaseWindow(tcb, segmentsAcked);
        }
        if (m_paces && tcb->m_cWnd > LARGEST_PACED)
        {
            SetWindow(tcb, double(LARGEST_PACED) / tcb->m_segmentSize);
        }
    }

  private:
    static constexpr uint32_t ACKS = 3;
    static constexpr uint32_t LARGEST_PACED = (1U << 29) - 1; //!< sockets count its bits in 32 bits

    bool m_paces{};         //!< segments leave RTT / W apart
    bool m_estimates{};     //!< the first threshold
    bool m_scales{};        //!< the first window
    bool m_started{false};  //!< there has been a first window
    uint32_t m_acks{0};     //!< of the estimate, so far
    uint32_t m_segments{0}; //!< that the second and third acknowledge
    ns3::Time m_first;      //!< when the first came
};

NS_OBJECT_ENSURE_REGISTERED(TcpHybla2004);

} // namespace longfat

#endif
