// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBic: an ACK of less than a segment adds two segments.
//
// RFC 5681, section 3.1, equation (2): slow start adds no more than what is newly acknowledged. In
// slow start IncreaseWindow adds a segment whatever segmentsAcked is, and then takes one from it.
// From 0 that leaves 2^32 - 1, which congestion avoidance takes for as many segments.

#include "ns3/nstime.h"
#include "ns3/tcp-bic.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 99'000;
    tcb->m_ssThresh = 100'000;
    auto bic = CreateObject<TcpBic>();
    bic->IncreaseWindow(tcb, 0); // no whole segment is acknowledged
    const uint32_t growth = tcb->m_cWnd - 99'000;

    std::cout << "an ACK of no whole segment, one segment of 1000 bytes below ssthresh\n"
              << "expected 0 bytes more, observed " << growth << std::endl;
    return growth > 0;
}
