// SPDX-License-Identifier: GPL-2.0-only
//
// A transfer, as the engines in C++ take it (longfat.transfers says what each field means).

#ifndef LONGFAT_TRANSFER_SPEC_H
#define LONGFAT_TRANSFER_SPEC_H

#include <cstdint>
#include <string>
#include <vector>

namespace longfat
{

/// A file, and how it goes over. The TCP connections of control messages are FlowSpecs of their own.
struct TransferSpec
{
    enum Method : uint8_t
    {
        PARTS,  //!< parallel TCP: a part of the file a flow
        BLOCKS, //!< GridFTP: blocks from a common queue
        RBUDP,
        TSUNAMI,
    };

    Method method{PARTS};
    uint64_t fileBytes{0};
    std::vector<uint64_t> carriers; //!< PARTS and BLOCKS: which flows
    uint64_t blockBytes{0};         //!< BLOCKS: of a block; RBUDP and TSUNAMI: of a datagram
    // RBUDP and TSUNAMI
    std::vector<std::string> way; //!< nodes that the file passes
    double beginS{0};
    double payloadBps{0};    //!< rate of sending, at most
    double drainBps{0};      //!< what the receiver takes from its socket; infinite: all at once
    uint64_t socketBytes{0}; //!< how much may wait there
    // TSUNAMI
    double threshold{0}; //!< part of the blocks that may be asked for again
    double slower{0};    //!< factor of the delay between packets, at worst
    double faster{0};    //!< the same, otherwise
    double history{0};   //!< weight of what was before in the error rate
    double everyS{0};    //!< between reports
    uint64_t mostAsked{0};
#ifdef LONGFAT_RESTARTS
    // BLOCKS
    struct Restart
    {
        double cutS;              //!< all connections before it end
        std::size_t firstCarrier; //!< that goes on
    };

    std::vector<Restart> restarts;
    double markerEveryS{0}; //!< infinite: there are none
    double adaptEveryS{0};  //!< 0: all streams from the beginning
    double adaptGain{0};

    bool Changes() const
    {
        return !restarts.empty() || adaptEveryS > 0;
    }
#endif
};

} // namespace longfat

#endif
