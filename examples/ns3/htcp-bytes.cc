// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHtcp: alpha, in segments a round trip, is added in bytes an ACK.
//
// H-TCP (Leith and Shorten 2004; draft-leith-tcp-htcp-06, section 3) adds alpha segments a round
// trip: alpha SMSS SMSS / cwnd bytes for an ACK. CongestionAvoidance adds (SMSS SMSS + cwnd alpha)
// / cwnd, that is Reno's increment and alpha bytes. At a window of 100 segments, 3 s after a loss,
// that is 3 segments a round trip instead of 20.

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-htcp.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto htcp = CreateObject<TcpHtcp>();
    // A loss, then 3 s without: alpha = 1 + 10 (3 - 1) + ((3 - 1) / 2)^2 = 22.
    Simulator::Schedule(Seconds(1), [&] { htcp->GetSsThresh(tcb, 100'000); });
    Simulator::Schedule(Seconds(4), [&] {
        tcb->m_cWnd = 100'000;
        for (uint32_t i = 0; i < 100; ++i)
        {
            htcp->PktsAcked(tcb, 1, MilliSeconds(100));
            htcp->IncreaseWindow(tcb, 1);
        }
    });
    Simulator::Run();
    Simulator::Destroy();
    const uint32_t growth = (tcb->m_cWnd - 100'000) / 1000;

    std::cout << "a round trip at a window of 100 segments, alpha 22\n"
              << "expected 20 segments more, observed " << growth << std::endl;
    return growth < 19 || growth > 22;
}
