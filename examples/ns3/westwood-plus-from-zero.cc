// SPDX-License-Identifier: GPL-2.0-only
//
// TcpWestwoodPlus: its filter begins at zero, so that an early loss takes nearly the whole window.
//
// Linux (tcp_westwood.c, westwood_filter) fills the filter with the first sample. EstimateBW takes
// nine tenths of m_lastBW, zero, and a tenth of the mean of m_lastSampleBW, zero, and the sample: a
// twentieth is left. After ten round trips a quarter of it is still missing.

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-westwood-plus.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = 1000;
    tcb->m_cWnd = 100'000;
    tcb->m_minRtt = MilliSeconds(100);
    tcb->m_lastRtt = MilliSeconds(100);
    tcb->m_lastAckedSackedBytes = 100'000;
    auto westwood = CreateObject<TcpWestwoodPlus>();
    for (uint32_t trips = 1; trips <= 10; ++trips) // 100 segments each: 8 Mb/s
    {
        Simulator::Schedule(MilliSeconds(100 * trips), [&] {
            tcb->m_lastAckedSeq += 100'000;
            westwood->PktsAcked(tcb, 100, MilliSeconds(100));
        });
    }
    uint32_t ssThresh = 0;
    Simulator::Schedule(MilliSeconds(1150),
                        [&] { ssThresh = westwood->GetSsThresh(tcb, 100'000); });
    Simulator::Run();
    Simulator::Destroy();

    std::cout << "threshold at a loss, after ten round trips of 0.1 s at 8 Mb/s\n"
              << "expected 100000 bytes, observed " << ssThresh << std::endl;
    return ssThresh < 95'000;
}
