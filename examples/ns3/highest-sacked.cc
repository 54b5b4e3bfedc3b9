// SPDX-License-Identifier: GPL-2.0-only
//
// TcpTxBuffer: three segments that SACK reports from above downwards do not make the head lost.
//
// RFC 6675, section 4, IsLost: lost is what has three SACKed segments above it. Update remembers
// where the highest SACKed segment begins, and takes the one just below it for higher:
// `m_highestSack.second <= beginOfCurrentPacket + pktSize` compares a beginning with an end.
// UpdateLostCount, which counts from there downwards, then misses what is above. Segments that
// arrive out of order do this.

#include "ns3/packet.h"
#include "ns3/tcp-tx-buffer.h"

#include <iostream>

int
main()
{
    using namespace ns3;
    auto buffer = CreateObject<TcpTxBuffer>();
    buffer->SetSegmentSize(1000);
    buffer->SetDupAckThresh(3);
    buffer->SetHeadSequence(SequenceNumber32(1));
    buffer->Add(Create<Packet>(10'000));
    for (uint32_t i = 0; i < 10; ++i) // ten segments are sent
    {
        buffer->CopyFromSequence(1000, SequenceNumber32(1 + 1000 * i));
    }
    for (const uint32_t i : {9, 8, 7}) // and three of them arrive
    {
        TcpOptionSack::SackList blocks;
        blocks.emplace_back(SequenceNumber32(1 + 1000 * i), SequenceNumber32(10'001));
        buffer->Update(blocks);
    }
    const bool isLost = buffer->IsLost(SequenceNumber32(1));

    std::cout << "head of ten segments after SACK of the 10th, 9th and 8th\n"
              << "expected lost, observed " << (isLost ? "lost" : "not lost") << std::endl;
    return !isLost;
}
