// SPDX-License-Identifier: GPL-2.0-only
//
// TcpLinuxReno: slow start grows a window that is not used.
//
// Linux's tcp_reno_cong_avoid asks tcp_is_cwnd_limited first; in slow start half of the window must
// have been in flight (RFC 7661, section 4.3, says why). TcpLinuxReno asks m_isCwndLimited in
// CongestionAvoidance only, so that an application that sends little at a time opens its window
// without end, and may later send all of it at once.

#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 10'000;
    tcb->m_ssThresh = 0xffffffff;
    auto reno = CreateObject<TcpLinuxReno>();
    for (uint32_t i = 0; i < 100; ++i) // one segment at a time
    {
        tcb->m_isCwndLimited = false;
        tcb->m_bytesInFlight = 0;
        reno->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = tcb->m_cWnd - 10'000;

    std::cout << "a window of 10 segments of 1000 bytes, 100 ACKs, each with one in flight\n"
              << "expected 0 bytes more, observed " << growth << std::endl;
    return growth > 0;
}
