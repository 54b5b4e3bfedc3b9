// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBbr: begins with four segments after a timeout, and not with the window of before.
//
// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.4: the window is saved before a
// timeout, and restored when what was lost is repaired (Linux: bbr_set_cwnd_to_recover_or_restore).
// TcpBbr saves it, and calls RestoreCwnd for CA_EVENT_COMPLETE_CWR alone, which does not follow a
// timeout.

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
    tcb->m_ssThresh = bbr->GetSsThresh(tcb, 100'000); // the timeout, in TcpSocketBase's order
    bbr->CwndEvent(tcb, TcpSocketState::CA_EVENT_LOSS);
    bbr->CongestionStateSet(tcb, TcpSocketState::CA_LOSS);
    tcb->m_congState = TcpSocketState::CA_LOSS;
    tcb->m_cWnd = 1000;
    bbr->CongestionStateSet(tcb, TcpSocketState::CA_OPEN); // all is repaired
    tcb->m_congState = TcpSocketState::CA_OPEN;
    TcpRateOps::TcpRateConnection connection;
    TcpRateOps::TcpRateSample sample;
    connection.m_delivered = 200'000;
    sample.m_ackedSacked = sample.m_delivered = 1000;
    bbr->CongControl(tcb, connection, sample);

    std::cout << "window when a timeout has been repaired, 100 segments of 1000 bytes before it\n"
              << "expected 100000 bytes, observed " << tcb->m_cWnd << std::endl;
    return tcb->m_cWnd < 100'000;
}
