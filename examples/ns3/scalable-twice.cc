// SPDX-License-Identifier: GPL-2.0-only
//
// TcpScalable: grows twice as fast as it should.
//
// Kelly 2003: each segment that is acknowledged adds 0.01 segments. TcpScalable adds one for 50,
// the number that Linux once had for delayed ACKs, which acknowledge two segments each, but it
// counts segments: segmentsAcked, and not ACKs.

#include "ns3/tcp-scalable.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 500'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto scalable = CreateObject<TcpScalable>();
    for (uint32_t i = 0; i < 500; ++i)
    {
        scalable->IncreaseWindow(tcb, 1);
    }
    const double growth = (tcb->m_cWnd - 500'000) / 1000.0;

    std::cout << "a window of 500 segments, a round trip of ACKs, one for each\n"
              << "expected 5 segments more, observed " << growth << std::endl;
    return growth > 5.5;
}
