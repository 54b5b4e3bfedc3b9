// SPDX-License-Identifier: GPL-2.0-only
//
// TcpNewReno: an ACK that ends slow start earns two increments.
//
// RFC 5681, section 3.1: an ACK adds SMSS at most. IncreaseWindow calls SlowStart, which takes one
// of the segments acknowledged, and then, as the window has reached ssthresh, CongestionAvoidance
// with the others.

#include "ns3/tcp-congestion-ops.h"
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
    tcb->m_ssThresh = 10'000;
    auto newReno = CreateObject<TcpNewReno>();
    newReno->IncreaseWindow(tcb, 2); // a delayed ACK
    const uint32_t growth = tcb->m_cWnd - 9000;

    std::cout << "an ACK of two segments of 1000 bytes, one segment below ssthresh\n"
              << "expected 1000 bytes more, observed " << growth << std::endl;
    return growth > 1000;
}
