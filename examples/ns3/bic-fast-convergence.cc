// SPDX-License-Identifier: GPL-2.0-only
//
// TcpBic: fast convergence sets W_max to the window after the loss, so that nothing is left to
// search.
//
// BIC (Xu, Harfoush and Rhee 2004, section III) with fast convergence sets W_max midway between
// the window before the loss and the one that it leaves, w (1 + beta) / 2 (so Linux), where w has
// not come up to the last W_max. GetSsThresh takes beta w. The window then begins at W_max, in the
// slowest part of growth.

#include "ns3/tcp-bic.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    auto bic = CreateObject<TcpBic>();
    for (const uint32_t segments : {1000, 900}) // two losses, the second at a smaller window
    {
        tcb->m_cWnd = 1000 * segments;
        tcb->m_ssThresh = bic->GetSsThresh(tcb, tcb->m_cWnd);
    }
    tcb->m_cWnd = tcb->m_ssThresh.Get(); // 720; W_max should be 810, 16 segments a round trip
    for (uint32_t i = 0; i < 720; ++i)
    {
        bic->IncreaseWindow(tcb, 1);
    }
    const uint32_t growth = tcb->m_cWnd / 1000 - 720;

    std::cout << "a round trip after the second loss, at a window of 720 segments\n"
              << "expected 15 segments more, observed " << growth << std::endl;
    return growth < 10;
}
