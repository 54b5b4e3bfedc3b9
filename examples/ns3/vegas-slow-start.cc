// SPDX-License-Identifier: GPL-2.0-only
//
// TcpVegas: doubles its window each round trip of slow start.
//
// Brakmo and Peterson 1995, section 3.3: slow start doubles every other round trip, and between two
// doublings the window stays, so that expected and actual rate can be compared. TcpVegas calls
// NewReno's SlowStart for every ACK (as Linux does).

#include "ns3/nstime.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-vegas.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_cWnd = 10'000;
    tcb->m_ssThresh = 0xffffffff;
    tcb->m_nextTxSequence = SequenceNumber32(10'000);
    tcb->m_lastRtt = MilliSeconds(100);
    auto vegas = CreateObject<TcpVegas>();
    vegas->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    for (uint32_t round = 0; round < 4; ++round)
    {
        const SequenceNumber32 end = tcb->m_nextTxSequence;
        while (tcb->m_lastAckedSeq < end)
        {
            tcb->m_lastAckedSeq += 1000;
            vegas->PktsAcked(tcb, 1, MilliSeconds(100));
            vegas->IncreaseWindow(tcb, 1);
            tcb->m_nextTxSequence = tcb->m_lastAckedSeq + tcb->m_cWnd.Get();
        }
    }
    const uint32_t segments = tcb->GetCwndInSegments();

    std::cout << "window of slow start, from 10 segments, after four round trips without a queue\n"
              << "expected 40 to 44 segments, observed " << segments << std::endl;
    return segments > 44;
}
