// SPDX-License-Identifier: GPL-2.0-only
//
// TcpYeah: its attribute StcpAiFactor has no effect.
//
// The constructor hands m_stcpAiFactor to the TcpScalable that it makes for fast mode. Attributes
// are set after the constructor has run, so that this is always the default, 100.

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-yeah.h"
#include "ns3/uinteger.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 200'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_nextTxSequence = SequenceNumber32(200'000);
    auto yeah = CreateObjectWithAttributes<TcpYeah>("StcpAiFactor", UintegerValue(25));
    yeah->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    for (uint32_t i = 0; i < 100; ++i)
    {
        yeah->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = tcb->m_cWnd - 200'000;

    std::cout << "100 ACKs in fast mode, a segment of 1000 bytes for each 25 of them\n"
              << "expected 4000 bytes more, observed " << growth << std::endl;
    return growth < 3900;
}
