// SPDX-License-Identifier: GPL-2.0-only
//
// TcpIllinois: does not see a queue of less than a millisecond.
//
// Liu, Basar and Srikant 2008, section 3: a loss takes beta, from 1/8 with an empty queue to 1/2
// with a full one. RecalcParam takes the delays in whole milliseconds. At 10 Gb/s a queue of 700
// full packets is 0.84 ms, for TcpIllinois none: it takes 1/8, and grows by ten segments a round
// trip.

#include "ns3/nstime.h"
#include "ns3/tcp-illinois.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto illinois = CreateObject<TcpIllinois>();
    for (const uint32_t us : {20'000, 20'840, 20'840, 20'840}) // empty, and then always full
    {
        tcb->m_cWnd = 100'000;
        tcb->m_lastAckedSeq = tcb->m_nextTxSequence.Get(); // a round is over
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + 100'000;
        tcb->m_lastRtt = MicroSeconds(us);
        illinois->PktsAcked(tcb, 1, MicroSeconds(us));
        illinois->IncreaseWindow(tcb, 1);
    }
    tcb->m_cWnd = 100'000;
    const uint32_t ssThresh = illinois->GetSsThresh(tcb, 100'000);

    std::cout << "threshold after a loss of 100 segments of 1000 bytes, the queue full (0.84 ms)\n"
              << "expected 50000 bytes, observed " << ssThresh << std::endl;
    return ssThresh > 51'000;
}
