// SPDX-License-Identifier: GPL-2.0-only
//
// TcpLedbat: forgets the fraction of a byte at each ACK.
//
// RFC 6817, section 2.4.2: an ACK changes cwnd by GAIN off_target bytes_newly_acked MSS / cwnd.
// CongestionAvoidance adds that to a uint32_t, which cuts it: what is less than a byte never adds
// anything, and always takes a whole byte away. Here the queueing delay is 5 ms below or above the
// target of 100 ms, and the window of 100 segments: half a byte an ACK.

#include "ns3/nstime.h"
#include "ns3/tcp-ledbat.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

/// Bytes that a window of ACKs adds where so many ms of delay wait in a queue.
int
GetGrowth(uint32_t queueMs)
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_isCwndLimited = true;
    tcb->m_lastAckedSackedBytes = 1000;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 1000; // congestion avoidance
    tcb->m_highTxMark = tcb->m_lastAckedSeq + 1'000'000;
    tcb->m_bytesInFlight = 1'000'000; // nothing limits the window
    tcb->m_lastRtt = MilliSeconds(50);
    auto ledbat = CreateObject<TcpLedbat>();
    tcb->m_rcvTimestampEchoReply = 1000;
    tcb->m_rcvTimestampValue = 1010; // the base delay, 10 ms
    ledbat->PktsAcked(tcb, 1, MilliSeconds(50));
    tcb->m_rcvTimestampValue = 1010 + queueMs;
    for (uint32_t i = 0; i < 10; ++i) // longer than the filter
    {
        ledbat->PktsAcked(tcb, 1, MilliSeconds(50));
    }
    for (uint32_t i = 0; i < 100; ++i)
    {
        ledbat->IncreaseWindow(tcb, 1);
    }
    return int(tcb->m_cWnd) - 100'000;
}

int
main()
{
    const int below = GetGrowth(95);
    const int above = GetGrowth(105);

    std::cout << "a window of ACKs, 5 ms below the target and 5 ms above it\n"
              << "expected 50 and -50 bytes, observed " << below << " and " << above << std::endl;
    return below < 45 || above < -55;
}
