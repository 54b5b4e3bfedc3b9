// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHybla: the window shrinks in slow start, because the increment of an ACK wraps around.
//
// An ACK adds 2^rho - 1 segments (Caini and Firrincieli 2004), with rho the round trip by the
// reference of 25 ms. At 800 ms, a satellite's round trip with a queue, rho is 32: 2^32 - 1
// segments of 1000 bytes. SlowStart casts that to 32 bits, where it is beyond their range
// (undefined; on x86-64 -1000), and adds it to the window in 32 bits before the threshold limits
// it. Both belong into 64 bits or double.

#include "ns3/nstime.h"
#include "ns3/tcp-hybla.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 10'000;
    tcb->m_ssThresh = 500'000; // 500 segments
    tcb->m_minRtt = MilliSeconds(800);
    auto hybla = CreateObject<TcpHybla>();
    hybla->SetAttribute("RRTT", TimeValue(MilliSeconds(25)));
    hybla->PktsAcked(tcb, 1, tcb->m_minRtt); // sets rho
    hybla->IncreaseWindow(tcb, 1);

    std::cout << "window after one ACK of slow start, rho 32, threshold 500 segments\n"
              << "expected 500000 bytes, observed " << tcb->m_cWnd << std::endl;
    return tcb->m_cWnd != 500'000;
}
