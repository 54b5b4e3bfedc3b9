// SPDX-License-Identifier: GPL-2.0-only
//
// What a packet carries that is not TCP's: a block of a file.

#ifndef LONGFAT_SEGMENT_DATAGRAM_H
#define LONGFAT_SEGMENT_DATAGRAM_H

#include <cstdint>

namespace longfat::segment
{

struct Datagram
{
    enum class Kind : uint8_t
    {
        ORIGINAL,
        AGAIN, //!< somebody asked for it
        LAST,  //!< the file's last one
    };

    uint64_t fingerprint; //!< of the block that the sender read (transfer.h)
    Kind kind;
};

} // namespace longfat::segment

#endif
