// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHtcp: a loss takes nothing from the window where no queue has built up.
//
// H-TCP (Leith and Shorten 2004; draft-leith-tcp-htcp-06, section 3) leaves the part beta =
// RTT_min / RTT_max of the window, no less than 0.5 and no more than 0.8. UpdateBeta has no such
// bounds: with losses that are not congestion's the two round trips are the same, beta is 1, and
// the window stays.

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-htcp.h"
#include "ns3/tcp-socket-state.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_congState = TcpSocketState::CA_OPEN;
    auto htcp = CreateObject<TcpHtcp>();
    uint32_t ssThresh = 0;
    // Two losses, the throughput a little larger before the second; round trips of 100 ms.
    for (const uint32_t second : {1, 2})
    {
        Simulator::Schedule(Seconds(second), [&, second] {
            htcp->PktsAcked(tcb, 99 + second, MilliSeconds(100));
            ssThresh = htcp->GetSsThresh(tcb, 100'000);
        });
    }
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "threshold after a loss with 100 segments of 1000 bytes in flight, no queue\n"
              << "expected 80000 bytes, observed " << ssThresh << std::endl;
    return ssThresh > 80'000;
}
