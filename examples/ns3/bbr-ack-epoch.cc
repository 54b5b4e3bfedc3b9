// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBbr: sees no more than four segments of ACKs that come in bunches.
//
// Linux (tcp_bbr.c, bbr_update_ack_aggregation) measures by how much the ACKs of an epoch run ahead
// of BtlBw, and gives the window so much more room. UpdateAckAggregation holds the epoch's length
// in a uint32_t of seconds, and its default AckEpochAckedResetThresh, 1 << 12, which are bytes here
// and 1 << 20 packets in Linux, ends it with the fifth segment. Here 20 ACKs arrive at once.

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
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
    tcb->m_srtt = tcb->m_lastRtt = tcb->m_minRtt = MilliSeconds(20);
    auto bbr = CreateObject<TcpBbr>();
    bbr->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    TcpRateOps::TcpRateConnection connection;
    TcpRateOps::TcpRateSample sample;
    sample.m_deliveryRate = DataRate("8Mbps"); // 20 segments in 20 ms
    sample.m_interval = MilliSeconds(20);
    sample.m_ackedSacked = sample.m_delivered = 1000;
    for (uint32_t bunch = 1; bunch <= 20; ++bunch)
    {
        Simulator::Schedule(MilliSeconds(20 * bunch), [&] {
            sample.m_priorDelivered = connection.m_delivered;
            for (uint32_t acks = 0; acks < 20; ++acks)
            {
                connection.m_delivered += 1000;
                tcb->m_bytesInFlight = 20'000;
                bbr->CongControl(tcb, connection, sample);
            }
        });
    }
    Simulator::Run();
    Simulator::Destroy();
    const uint32_t segments = tcb->m_cWnd / 1000;

    std::cout << "window in ProbeBW, 20 segments fill the path, ACKs in bunches of 20\n"
              << "expected 60 segments at least, observed " << segments << std::endl;
    return segments < 60;
}
