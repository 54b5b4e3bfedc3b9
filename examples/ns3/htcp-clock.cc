// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHtcp: the later in a simulation a connection begins, the faster it grows.
//
// H-TCP's alpha rises with the time since the last loss; before the first loss that is the time
// since the connection began (Linux, tcp_htcp.c, htcp_init). TcpHtcp's m_lastCon is 0 then, so that
// the clock runs from the beginning of the simulation.

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-htcp.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

/// Bytes that the first ACK of a connection which begins then adds in congestion avoidance.
uint32_t
GetGrowth(double startS)
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_lastRtt = MilliSeconds(100);
    Simulator::Schedule(Seconds(startS), [&] {
        auto htcp = CreateObject<TcpHtcp>();
        htcp->CongestionStateSet(tcb, TcpSocketState::CA_OPEN); // the connection is made
        Simulator::Schedule(MilliSeconds(100), [&tcb, htcp] {
            htcp->PktsAcked(tcb, 1, MilliSeconds(100));
            htcp->IncreaseWindow(tcb, 1);
        });
    });
    Simulator::Run();
    Simulator::Destroy();
    return tcb->m_cWnd - 100'000;
}

int
main()
{
    const uint32_t first = GetGrowth(0);
    const uint32_t later = GetGrowth(100);

    std::cout << "first ACK of a connection that begins at 100 s; at 0 s it adds " << first
              << " bytes\nexpected the same, observed " << later << std::endl;
    return later != first;
}
