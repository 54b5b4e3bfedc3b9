// SPDX-License-Identifier: GPL-2.0-only
//
// TcpCubic: HyStart ends slow start when the round trip has doubled, not when it has risen by an
// eighth.
//
// HyStart's delay increase (Linux, tcp_cubic.c; RFC 9406, section 4.2) looks for a rise of an
// eighth of the smallest round trip, 4 ms at least. TcpCubic's HystartDelayThresh bounds the round
// trip itself where Linux bounds an eighth of it, `ca->delay_min >> 3`. Up to its upper bound of 1
// s the queue has to be as long as the path. (Linux's ACK train lasts half a round trip, too; here
// a whole.)

#include "ns3/nstime.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 0xffffffff;
    tcb->m_isCwndLimited = true;
    auto cubic = CreateObject<TcpCubic>();
    cubic->Init(tcb);
    for (const uint32_t ms : {100, 190}) // round trips of two rounds: the queue nearly doubles it
    {
        tcb->m_lastAckedSeq += 200'000; // beyond what had been sent
        tcb->m_highTxMark = tcb->m_lastAckedSeq + 100'000;
        cubic->IncreaseWindow(tcb, 1); // begins a round
        for (uint32_t i = 0; i < 20; ++i)
        {
            cubic->PktsAcked(tcb, 1, MilliSeconds(ms));
        }
    }
    const bool isOver = tcb->m_ssThresh != 0xffffffff;

    std::cout << "slow start after a round of 100 ms and one of 190 ms\n"
              << "expected over, observed " << (isOver ? "over" : "going on") << std::endl;
    return !isOver;
}
