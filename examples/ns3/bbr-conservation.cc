// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBbr: ends packet conservation with the round trip in which the recovery began.
//
// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.4: for a round trip from the
// beginning of a recovery no more is sent than what is delivered; next_round_delivered is set to
// delivered for that. TcpBbr leaves m_nextRoundDelivered, so that the round trip under way ends it.

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
    tcb->m_cWnd = 100'000;
    tcb->m_initialCWnd = 10;
    tcb->m_initialSsThresh = 0xffffffff;
    tcb->m_pacing = true;
    tcb->m_srtt = tcb->m_lastRtt = tcb->m_minRtt = MilliSeconds(100);
    auto bbr = CreateObject<TcpBbr>();
    bbr->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    TcpRateOps::TcpRateConnection connection;
    TcpRateOps::TcpRateSample sample;
    sample.m_deliveryRate = DataRate("8Mbps"); // 100 segments in 100 ms
    sample.m_interval = MilliSeconds(100);
    sample.m_ackedSacked = sample.m_delivered = 1000;
    for (uint32_t acks = 1; acks <= 240; ++acks)
    {
        connection.m_delivered = 1000 * acks;
        sample.m_priorDelivered = 1000 * (acks > 100 ? acks - 100 : 0); // a window ago
        tcb->m_bytesInFlight = 99'000;
        if (acks == 151) // half of a round trip has passed
        {
            tcb->m_cWnd = 100'000;
            tcb->m_lastAckedSackedBytes = 1000;
            bbr->CongestionStateSet(tcb, TcpSocketState::CA_RECOVERY);
            tcb->m_congState = TcpSocketState::CA_RECOVERY;
        }
        bbr->CongControl(tcb, connection, sample);
    }

    std::cout << "window after 90 of the 100 ACKs of a recovery's first round trip, Startup\n"
              << "expected 100000 bytes, observed " << tcb->m_cWnd << std::endl;
    return tcb->m_cWnd > 100'000;
}
