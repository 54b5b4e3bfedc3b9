// SPDX-License-Identifier: GPL-2.0-only
//
// TcpLinuxReno: what an ACK has left over at the end of slow start is forgotten.
//
// Linux's tcp_reno_cong_avoid hands the segments that slow start did not need to
// tcp_cong_avoid_ai. TcpLinuxReno::SlowStart returns their number, and IncreaseWindow, whose
// congestion avoidance stands in the else, drops it.

#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 9000;
    tcb->m_bytesInFlight = 9000;
    tcb->m_ssThresh = 10'000;
    auto reno = CreateObject<TcpLinuxReno>();
    reno->IncreaseWindow(tcb, 11); // one for slow start, ten for congestion avoidance
    const uint32_t growth = tcb->m_cWnd - 9000;

    std::cout << "an ACK of 11 segments of 1000 bytes, one segment below ssthresh, which is 10\n"
              << "expected 2000 bytes more, observed " << growth << std::endl;
    return growth != 2000;
}
