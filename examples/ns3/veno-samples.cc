// SPDX-License-Identifier: GPL-2.0-only
//
// TcpVeno: its congestion avoidance never runs; it is NewReno's.
//
// TCP Veno (Fu and Liew 2003, section II) adds a segment every other round trip once beta = 3 of
// its segments wait in a queue. TcpVeno wants more than two samples of the round trip for that,
// and sets their count to zero at the end of every IncreaseWindow, that is with every ACK ("every
// RTT", says the comment). So there is one at a time. Here 50 of 100 segments wait.

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-veno.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_cWnd = 100'000;
    auto veno = CreateObject<TcpVeno>();
    veno->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    veno->PktsAcked(tcb, 1, MilliSeconds(50)); // the base round trip
    veno->IncreaseWindow(tcb, 1);
    tcb->m_cWnd = 100'000;
    for (uint32_t i = 0; i < 100; ++i)
    {
        veno->PktsAcked(tcb, 1, MilliSeconds(100));
        veno->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = tcb->m_cWnd - 100'000;

    std::cout << "a round trip at a window of 100 segments of 1000 bytes, 50 of them in a queue\n"
              << "expected 500 bytes more, observed " << growth << std::endl;
    return growth > 510;
}
