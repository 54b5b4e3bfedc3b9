// SPDX-License-Identifier: GPL-2.0-only
//
// TcpVegas: a loss takes one segment from the window.
//
// Between losses Vegas adjusts the threshold to stay out of slow start, min(ssthresh, cwnd - 1).
// The class gives that rule as GetSsThresh too, which the socket calls for losses and timeouts.
// Linux has it in a function of its own (tcp_vegas_ssthresh) and halves at a loss
// (tcp_reno_ssthresh); the authors' code takes a quarter. RFC 5681, equation (4): half.

#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-vegas.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 100'000;
    tcb->m_ssThresh = 0xffffffff;
    const uint32_t ssThresh = CreateObject<TcpVegas>()->GetSsThresh(tcb, 100'000);

    std::cout << "threshold after a loss at a window of 100 segments of 1000 bytes\n"
              << "expected 50000 bytes (75000 at most), observed " << ssThresh << std::endl;
    return ssThresh > 75'000;
}
