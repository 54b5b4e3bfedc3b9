// SPDX-License-Identifier: GPL-2.0-only
//
// TcpCubic: looks ahead by the smallest round trip, not by the present one.
//
// RFC 9438, section 4.2: the target is W_cubic(t + RTT), a smoothed round trip from now. Update
// adds m_delayMin (as Linux does), so that behind a long queue the window is later than its curve.
// Here the round trip has risen from 0.1 to 2.5 s, and the curve adds C 2.5^3 = 6.25 segments.

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    auto cubic = CreateObject<TcpCubic>();
    cubic->SetAttribute("TcpFriendliness", BooleanValue(false));
    cubic->Init(tcb);
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 1000;
    cubic->GetSsThresh(tcb, 100'000); // W_max is 100, and so is the window: K is 0
    for (const uint32_t ms : {100, 2500})
    {
        tcb->m_lastRtt = MilliSeconds(ms);
        tcb->m_srtt = MilliSeconds(ms);
        cubic->PktsAcked(tcb, 1, MilliSeconds(ms));
    }
    for (uint32_t i = 0; i < 100; ++i)
    {
        cubic->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = tcb->m_cWnd - 100'000;
    Simulator::Destroy();

    std::cout << "a window of ACKs at the beginning of the curve, the round trip 2.5 s\n"
              << "expected 4 to 7 segments of 1000 bytes more, observed " << growth / 1000.0
              << std::endl;
    return growth < 4000 || growth > 7000;
}
