// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHtcp: a throughput that has nearly doubled counts as steady.
//
// H-TCP (Leith and Shorten 2004; draft-leith-tcp-htcp-06, section 3) leaves RTT_min / RTT_max of
// the window where the throughput has changed by less than a fifth since the loss before, and a
// half otherwise. UpdateBeta divides two uint32_t, diff / m_lastThroughput, which is 0 up to twice
// the throughput, and 0 <= 0.2.

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
    tcb->m_cWnd = 100'000;
    tcb->m_congState = TcpSocketState::CA_OPEN;
    auto htcp = CreateObject<TcpHtcp>();
    uint32_t ssThresh = 0;
    for (const uint32_t second : {1, 2}) // 100 segments in the first second, 190 in the other
    {
        Simulator::Schedule(Seconds(second), [&, second] {
            for (const uint32_t ms : {100, 125})
            {
                tcb->m_lastRtt = MilliSeconds(ms);
                htcp->PktsAcked(tcb, second == 1 ? 50 : 95, MilliSeconds(ms));
            }
            ssThresh = htcp->GetSsThresh(tcb, 100'000);
        });
    }
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "threshold after a loss with 100 segments of 1000 bytes in flight, 1.9 times as "
              << "fast as before\nexpected 50000 bytes, observed " << ssThresh << std::endl;
    return ssThresh > 51'000;
}
