// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBbr: holds its first pacing rate for a bandwidth that it has measured.
//
// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.1.1.5: BtlBw is 0 until a rate has been
// measured. InitPacingRate begins the filter with the first window over the round trip. A sample
// that the application limits counts only if it is larger: while it does, BtlBw stays what it was
// never measured to be. Here the link has 100 kb/s, and the first window is ten segments in 100 ms.

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 10'000;
    tcb->m_initialCWnd = 10;
    tcb->m_initialSsThresh = 0xffffffff;
    tcb->m_pacing = true;
    tcb->m_maxPacingRate = DataRate("1Gbps");
    tcb->m_srtt = tcb->m_lastRtt = tcb->m_minRtt = MilliSeconds(100);
    auto bbr = CreateObject<TcpBbr>();
    bbr->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    TcpRateOps::TcpRateConnection connection;
    TcpRateOps::TcpRateSample sample;
    sample.m_deliveryRate = DataRate("100kbps");
    sample.m_interval = MilliSeconds(100);
    sample.m_isAppLimited = true;
    sample.m_ackedSacked = sample.m_delivered = 1000;
    tcb->m_bytesInFlight = 1000;
    for (uint32_t acks = 1; acks <= 60; ++acks)
    {
        sample.m_priorDelivered = connection.m_delivered;
        connection.m_delivered += 1000;
        bbr->CongControl(tcb, connection, sample);
    }
    const uint32_t segments = tcb->GetCwndInSegments();

    std::cout << "window after 60 ACKs on a link of 100 kb/s and 0.1 s, which holds 1.25 segments\n"
              << "expected the first 20 or less, observed " << segments << std::endl;
    return segments > 20;
}
