// SPDX-License-Identifier: GPL-2.0-only
//
// TcpSocketState: whoever is paced, sends 4 Gb/s at most.
//
// MaxPacingRate is 4 Gb/s by default, and nothing says so where it applies: TcpBbr on a link of 10
// Gb/s is held to 40 % of it. In Linux sk_max_pacing_rate is unlimited until a program sets it
// (SO_MAX_PACING_RATE). The socket works its rate out here without a network.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"

using namespace ns3;

struct Sender : public TcpSocketBase
{
    /// Of a window of 100 MB in 0.1 s.
    double GetGigabits()
    {
        SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
        m_tcb->m_pacing = true;
        m_tcb->m_pacingCaRatio = 100;
        m_tcb->m_ssThresh = 10'000;
        m_tcb->m_cWnd = 100'000'000;
        m_tcb->m_srtt = MilliSeconds(100);
        UpdatePacingRate();
        return 1e-9 * m_tcb->m_pacingRate.Get().GetBitRate();
    }
};

int
main()
{
    const double rate = CreateObject<Sender>()->GetGigabits();
    std::cout << "pacing rate of 100 MB a round trip of 0.1 s\n"
              << "expected 8 Gb/s, observed " << rate << " Gb/s" << std::endl;
    return rate < 7.9;
}
