// SPDX-License-Identifier: GPL-2.0-only
//
// TcpLp: slow start goes on in the time of inference.
//
// TCP-LP (Kuzmanovic and Knightly 2003, section III) does not grow for three round trips after it
// has halved its window, to see whether others are there. TcpLp overrides CongestionAvoidance
// alone; Linux's tcp_lp_cong_avoid asks before either.

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-lp.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 0xffffffff; // slow start
    tcb->m_lastRtt = MilliSeconds(200);
    auto lp = CreateObject<TcpLp>();
    uint32_t growth = 0;
    for (uint32_t i = 0; i < 60; ++i) // one-way delays of 50 ms, and then of 150 ms: a queue
    {
        Simulator::Schedule(MilliSeconds(1000 + i), [&, i] {
            tcb->m_rcvTimestampEchoReply = 800 + i;
            tcb->m_rcvTimestampValue = 800 + i + (i < 30 ? 50 : 150);
            lp->PktsAcked(tcb, 1, MilliSeconds(200));
            const uint32_t before = tcb->m_cWnd;
            const bool isInferring = before < 100'000; // it has halved the window
            lp->IncreaseWindow(tcb, 1);
            growth += isInferring ? tcb->m_cWnd.Get() - before : 0;
            tcb->m_cWnd = isInferring ? tcb->m_cWnd.Get() : 100000U;
        });
    }
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "growth in the time of inference, in slow start, segments of 1000 bytes\n"
              << "expected 0 bytes, observed " << growth << std::endl;
    return growth > 0;
}
