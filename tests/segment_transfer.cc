// SPDX-License-Identifier: GPL-2.0-only
//
// Whether pieces make a file of so many bytes (tests/test_transfers.py): standard input has a piece a
// line, its begin and its end.

#include "transfer.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace longfat::core;

namespace
{

class Pieces : public Transfer
{
  public:
    using Transfer::add;
    using Transfer::Transfer;

    TransferCount count() const override
    {
        return m_count;
    }
};

} // namespace

int
main(int, char** arguments)
{
    EventQueue events;
    Checks checks;
    TransferSpec spec;
    spec.bytes = std::strtoull(arguments[1], nullptr, 10);
    Pieces pieces(events, spec, checks);
    bool whole = false;
    for (uint64_t begin, end; std::cin >> begin >> end;)
    {
        whole = pieces.add(begin, end);
    }
    pieces.finish();
    std::printf("%d %d\n", whole, checks.wrong() == nullptr);
}
