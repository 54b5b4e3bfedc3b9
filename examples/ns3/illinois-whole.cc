// SPDX-License-Identifier: GPL-2.0-only
//
// TcpIllinois: with alpha below 1 the window does not grow at all; of 1.9 an ACK counts 1.
//
// TCP-Illinois (Liu, Basar and Srikant 2008, section 3) adds alpha segments a round trip, from 0.3
// where the queue is full to 10 where it is empty. TcpIllinois counts ACKs times alpha in an
// integer, `m_ackCnt += segmentsAcked * m_alpha`, which loses the fraction at every ACK. m_ackCnt
// has to be double.

#include "ns3/nstime.h"
#include "ns3/tcp-illinois.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

using namespace ns3;

/// So many ACKs at a window of 100 segments and that round trip.
void
Acknowledge(Ptr<TcpIllinois> illinois, Ptr<TcpSocketState> tcb, Time rtt, uint32_t acks)
{
    for (uint32_t i = 0; i < acks; ++i)
    {
        tcb->m_lastAckedSeq += 1000;
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + 100'000;
        illinois->PktsAcked(tcb, 1, rtt);
        illinois->IncreaseWindow(tcb, 1);
    }
}

int
main()
{
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_cWnd = 100'000;
    auto illinois = CreateObject<TcpIllinois>();
    Acknowledge(illinois, tcb, MilliSeconds(100), 200); // the base round trip
    Acknowledge(illinois, tcb, MilliSeconds(200), 300); // the largest: alpha is 0.3
    tcb->m_cWnd = 100'000;
    Acknowledge(illinois, tcb, MilliSeconds(200), 1000);
    const uint32_t growth = (tcb->m_cWnd - 100'000) / 1000;

    std::cout << "10 round trips at a window of 100 segments and the largest delay (alpha 0.3)\n"
              << "expected 2 or 3 segments more, observed " << growth << std::endl;
    return growth < 2;
}
