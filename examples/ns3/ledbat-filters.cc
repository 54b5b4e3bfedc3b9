// SPDX-License-Identifier: GPL-2.0-only
//
// TcpLedbat: its filters keep one delay less than their attributes say.
//
// RFC 6817, section 2.4.2: current_delays has CURRENT_FILTER entries, base_delays BASE_HISTORY.
// AddDelay removes the oldest entry as soon as there are maxlen of them, so that maxlen - 1 stay.
// With NoiseFilterLen 2 no noise is filtered: here every other delay is 200 ms too long, and the
// smaller one of the last two never is.

#include "ns3/nstime.h"
#include "ns3/tcp-ledbat.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <iostream>

int
main()
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
    auto ledbat = CreateObjectWithAttributes<TcpLedbat>("NoiseFilterLen", UintegerValue(2));
    for (uint32_t i = 0; i < 100; ++i)
    {
        tcb->m_rcvTimestampEchoReply = 1000;
        tcb->m_rcvTimestampValue = i % 2 ? 1210 : 1010;
        ledbat->PktsAcked(tcb, 1, MilliSeconds(50));
        ledbat->IncreaseWindow(tcb, 1);
    }
    const int growth = int(tcb->m_cWnd) - 100'000;

    std::cout << "a window of ACKs of 100 segments of 1000 bytes, the smaller of two delays short\n"
              << "expected about 1000 bytes more, observed " << growth << std::endl;
    return growth < 950;
}
