// SPDX-License-Identifier: GPL-2.0-only
//
// TcpVeno: never forgets the smallest round trip, so that a longer path looks like a queue.
//
// Fu and Liew 2003, section II: each loss begins the search for baseRTT anew, since a path may
// change. TcpVeno keeps the smallest round trip of the connection. Here the path has 50 ms and then
// 100 ms; after the first loss there Veno should know that nothing waits in a queue, and the second
// loss, a random one then, should take a fifth.

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
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto veno = CreateObject<TcpVeno>();
    veno->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    uint32_t ssThresh = 0;
    for (const uint32_t ms : {50, 100, 100})
    {
        tcb->m_lastRtt = MilliSeconds(ms);
        for (uint32_t i = 0; i < 4; ++i)
        {
            veno->PktsAcked(tcb, 1, MilliSeconds(ms));
        }
        veno->IncreaseWindow(tcb, 1);
        tcb->m_cWnd = 100'000;
        if (ms == 100)
        {
            ssThresh = veno->GetSsThresh(tcb, 100'000);
            veno->CongestionStateSet(tcb, TcpSocketState::CA_RECOVERY);
            veno->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
        }
    }

    std::cout << "threshold at the second loss since the path became longer, no queue\n"
              << "expected 80000 bytes, observed " << ssThresh << std::endl;
    return ssThresh < 79'000;
}
