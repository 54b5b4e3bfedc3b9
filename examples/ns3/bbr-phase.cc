// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBbr: never begins ProbeBW in the phase after that of gain 3/4.
//
// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4: it begins in a random one of the
// eight phases, but not in that of 3/4. EnterProbeBW draws (int)GetValue(0, 6), one of six numbers,
// where Linux draws one of seven. A begin in the phase after 3/4 would have six phases before the
// next one of 5/4.

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    uint32_t longest = 0;
    for (uint32_t stream = 1; stream <= 200; ++stream)
    {
        auto tcb = CreateObject<TcpSocketState>();
        tcb->m_segmentSize = 1000;
        tcb->m_cWnd = 10'000;
        tcb->m_pacing = true;
        tcb->m_maxPacingRate = DataRate("1Gbps");
        tcb->m_srtt = tcb->m_lastRtt = tcb->m_minRtt = MilliSeconds(100);
        auto bbr = CreateObjectWithAttributes<TcpBbr>("Stream", UintegerValue(stream));
        bbr->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
        TcpRateOps::TcpRateConnection connection;
        TcpRateOps::TcpRateSample sample;
        sample.m_deliveryRate = DataRate("8Mbps");
        sample.m_interval = MilliSeconds(100);
        sample.m_ackedSacked = sample.m_delivered = 1000;
        uint32_t phases = 0; // before the first of gain 5/4
        double gain = 0;
        while (gain < 1.1 || gain > 1.3)
        {
            sample.m_priorDelivered = connection.m_delivered;
            connection.m_delivered += 1000;
            bbr->CongControl(tcb, connection, sample);
            gain = tcb->m_pacingRate.Get().GetBitRate() / 8e6;
            phases += gain > 0.9 && gain < 1.1;
            Simulator::Stop(MilliSeconds(110)); // longer than the round trip: the next phase
            Simulator::Run();
        }
        longest = std::max(longest, phases);
    }
    Simulator::Destroy();

    std::cout << "most phases of ProbeBW before the first of gain 5/4, of 200 connections\n"
              << "expected 6, observed " << longest << std::endl;
    return longest != 6;
}
