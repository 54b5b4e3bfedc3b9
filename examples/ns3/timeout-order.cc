// SPDX-License-Identifier: GPL-2.0-only
//
// TcpTxBuffer: after a timeout, new data go before what was lost above the highest SACKed segment.
//
// A timeout makes all lost that SACK has not reported (SetSentListLost); RFC 5681, section 3.1,
// and RFC 6675, section 5.1, then send it again in order. NextSeg's rule (1) takes only segments
// below the highest SACKed one, a limit for losses that SACK reveals, so that rule (2), new data,
// comes first. What is lost waits until SACK reports something above it, often for another
// timeout.

#include "ns3/callback.h"
#include "ns3/packet.h"
#include "ns3/tcp-tx-buffer.h"

#include <iostream>

uint32_t
GetReceiverWindow()
{
    return 1'000'000;
}

int
main()
{
    using namespace ns3;
    auto buffer = CreateObject<TcpTxBuffer>();
    buffer->SetRWndCallback(MakeCallback(&GetReceiverWindow));
    buffer->SetSegmentSize(1000);
    buffer->SetDupAckThresh(3);
    buffer->SetHeadSequence(SequenceNumber32(1));
    buffer->Add(Create<Packet>(20'000));
    for (uint32_t i = 0; i < 10; ++i) // segments 0 to 9 are sent
    {
        buffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
    }
    buffer->Update({{SequenceNumber32(2001), SequenceNumber32(3001)}}); // segment 2 arrives
    buffer->SetSentListLost(false);                                     // timeout

    std::cout << "segments 0 to 9 sent, 2 reported by SACK, timeout: sent next\n"
              << "expected 0 1 3 4, observed";
    bool isRight = true;
    for (const uint32_t expected : {0, 1, 3, 4})
    {
        SequenceNumber32 next;
        SequenceNumber32 end;
        buffer->NextSeg(&next, &end, false);
        buffer->CopyFromSequence(1000, next);
        const uint32_t segment = next.GetValue() / 1000;
        std::cout << " " << segment;
        isRight = isRight && segment == expected;
    }
    std::cout << std::endl;
    return !isRight;
}
