// SPDX-License-Identifier: GPL-2.0-only
//
// TcpNewReno: in congestion avoidance a round trip adds anything but a segment.
//
// RFC 5681, section 3.1: SMSS bytes a round trip, roughly, and no more. CongestionAvoidance casts
// SMSS SMSS / cwnd to whole bytes, one at least, and forgets the fraction: with segments of 1000
// bytes, 1.82 bytes become 1 at a window of 550 segments, and 0.25 become 1 at 4000. (One byte at
// least is section 3.1's note for integer arithmetic; a fraction that is kept needs no such rule.)
// H-TCP, Vegas, Veno, YeAH, TCP-LP and LEDBAT inherit it.

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

/// Bytes that a round trip of ACKs, one for a segment, adds to a window of that many segments.
uint32_t
GetGrowth(uint32_t segments)
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 1000 * segments;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto newReno = CreateObject<TcpNewReno>();
    for (uint32_t i = 0; i < segments; ++i)
    {
        newReno->IncreaseWindow(tcb, 1);
    }
    return tcb->m_cWnd - 1000 * segments;
}

int
main()
{
    bool isRight = true;
    for (const uint32_t segments : {100, 550, 4000})
    {
        const uint32_t growth = GetGrowth(segments);
        std::cout << "window of " << segments << " segments of 1000 bytes, after a round trip: "
                  << "expected 990 to 1000 bytes more, observed " << growth << std::endl;
        isRight = isRight && growth >= 990 && growth <= 1000;
    }
    return !isRight;
}
