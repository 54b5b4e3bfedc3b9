// SPDX-License-Identifier: GPL-2.0-only
//
// TcpIllinois: it is never standard TCP, whatever WinThresh says.
//
// TCP-Illinois (Liu, Basar and Srikant 2008, section 3) is standard TCP, alpha = 1 and beta = 1/2,
// while its window is below W_thresh, so that it does not harm others where windows are small.
// TcpIllinois compares bytes with segments: `RecalcParam(tcb->m_cWnd)`, `cWnd < m_winThresh`. A
// window is always more than 15 bytes; alpha is 10 at a window of 10 segments. GetCwndInSegments()
// is meant.

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
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_cWnd = 10'000;
    auto illinois = CreateObject<TcpIllinois>(); // WinThresh: 15 segments
    for (uint32_t i = 0; i < 10; ++i)
    {
        tcb->m_lastAckedSeq += 1000;
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + 10'000;
        illinois->PktsAcked(tcb, 1, MilliSeconds(100));
        illinois->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = (tcb->m_cWnd - 10'000) / 1000;

    std::cout << "a round trip at a window of 10 segments, below WinThresh\n"
              << "expected 1 segment more, observed " << growth << std::endl;
    return growth != 1;
}
