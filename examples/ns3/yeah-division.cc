// SPDX-License-Identifier: GPL-2.0-only
//
// TcpYeah: any delay at all is taken for congestion.
//
// YeAH-TCP (Baiocchi, Castellani and Vacirca 2007, section II) leaves its fast mode when the
// queueing delay is more than 1/phi of the base round trip, phi being 8. TcpYeah divides whole
// numbers, `L > (1 / m_phy)`, which is `L > 0`. Here a round trip of 101 ms on a path of 100 ms,
// with 9 segments of its own in the queue (80 are allowed), makes it grow as Reno, a tenth as
// fast.

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-yeah.h"

#include <iostream>

using namespace ns3;

/// A round trip of 1000 segments, each with its own ACK.
void
Acknowledge(Ptr<TcpYeah> yeah, Ptr<TcpSocketState> tcb, Time rtt)
{
    for (uint32_t i = 0; i < 1000; ++i)
    {
        tcb->m_lastAckedSeq += 1000;
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + 1'000'000;
        yeah->PktsAcked(tcb, 1, rtt);
        yeah->IncreaseWindow(tcb, 1);
    }
}

int
main()
{
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    auto yeah = CreateObject<TcpYeah>();
    tcb->m_nextTxSequence = SequenceNumber32(1'000'000);
    yeah->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    tcb->m_cWnd = 1'000'000;
    Acknowledge(yeah, tcb, MilliSeconds(100));
    tcb->m_cWnd = 1'000'000;
    Acknowledge(yeah, tcb, MilliSeconds(101));
    tcb->m_cWnd = 1'000'000;
    Acknowledge(yeah, tcb, MilliSeconds(101));
    const uint32_t growth = (tcb->m_cWnd - 1'000'000) / 1000;

    std::cout << "1000 ACKs at a window of 1000 segments, queueing delay 1 % of the round trip\n"
              << "expected 10 segments more (fast mode), observed " << growth << std::endl;
    return growth < 9;
}
