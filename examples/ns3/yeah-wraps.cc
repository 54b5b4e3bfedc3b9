// SPDX-License-Identifier: GPL-2.0-only
//
// TcpYeah: a loss with little in flight raises the slow-start threshold to nearly 2^32.
//
// GetSsThresh may take two segments from what is in flight, and where that is less than two
// segments the difference wraps around; "at least two segments" comes too late. It needs a queue
// of two segments, or Reno flows, before the loss; with little in flight a timeout is likely. RFC
// 5681, section 3.1: no more than half of what is in flight, or two segments.

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-yeah.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto yeah = CreateObject<TcpYeah>();
    for (uint32_t i = 0; i < 400; ++i) // four round trips, the last two with a queue of 20
    {
        tcb->m_lastAckedSeq += 1000;
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + 100'000;
        yeah->PktsAcked(tcb, 1, MilliSeconds(i < 200 ? 100 : 125));
        yeah->IncreaseWindow(tcb, 1);
    }
    const uint32_t ssThresh = yeah->GetSsThresh(tcb, 1000);

    std::cout << "threshold after a loss with one segment of 1000 bytes in flight\n"
              << "expected 2000 bytes, observed " << ssThresh << std::endl;
    return ssThresh != 2000;
}
