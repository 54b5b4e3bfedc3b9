// SPDX-License-Identifier: GPL-2.0-only
//
// TcpTxBuffer: no rescue retransmission, so that a lost tail waits for the timer.
//
// RFC 6675, section 4, NextSeg (4): when nothing else can be sent, the highest segment outstanding
// may be, once a recovery. NextSeg leaves the rule out, as its comment says. Here segments 0, 8 and
// 9 of ten are lost. SACK reports 1 to 7, which says nothing about 8 and 9.

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
    buffer->Add(Create<Packet>(10'000)); // no more is to be sent
    for (uint32_t i = 0; i < 10; ++i)
    {
        buffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
    }
    buffer->Update({{SequenceNumber32(1001), SequenceNumber32(8001)}});
    SequenceNumber32 next;
    SequenceNumber32 end;
    buffer->NextSeg(&next, &end, true); // segment 0
    buffer->CopyFromSequence(1000, next);
    const bool isRescued = buffer->NextSeg(&next, &end, true);

    std::cout << "segments 0 to 9 sent, 1 to 7 reported by SACK, 0 sent again: sent next\n"
              << "expected 9, observed "
              << (isRescued ? std::to_string(next.GetValue() / 1000) : "nothing") << std::endl;
    return !isRescued;
}
