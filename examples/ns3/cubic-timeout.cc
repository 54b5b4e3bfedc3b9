// SPDX-License-Identifier: GPL-2.0-only
//
// TcpCubic: after a timeout it climbs back to the window of before, as after fast recovery.
//
// RFC 9438, section 4.8: once congestion avoidance begins after a timeout, K is 0 and W_max is the
// window then. CubicReset does not clear m_lastMaxCwnd (since issue 1085), so that Update computes
// K from the window at the timeout.

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
    tcb->m_lastRtt = MilliSeconds(100);
    tcb->m_srtt = MilliSeconds(100);
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = cubic->GetSsThresh(tcb, 100'000); // the timeout
    cubic->CongestionStateSet(tcb, TcpSocketState::CA_LOSS);
    tcb->m_cWnd = tcb->m_ssThresh.Get(); // slow start has come up to it
    const uint32_t before = tcb->m_cWnd;
    for (uint32_t round = 1; round <= 10; ++round)
    {
        for (uint32_t acks = tcb->GetCwndInSegments(); acks > 0; --acks)
        {
            cubic->PktsAcked(tcb, 1, MilliSeconds(100));
            cubic->IncreaseWindow(tcb, 1);
        }
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
    }
    Simulator::Destroy();
    const uint32_t growth = tcb->m_cWnd - before;

    std::cout << "the first second after a timeout at 100 segments of 1000 bytes, by CUBIC alone\n"
              << "expected 400 bytes more, observed " << growth << std::endl;
    return growth > 1000;
}
