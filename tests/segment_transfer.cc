// SPDX-License-Identifier: GPL-2.0-only
//
// The proof that every byte arrived once, alone (tests/test_transfers.py): a file of so many bytes, the
// first argument, and pieces BEGIN END, a line each on standard input. The answer is 1 if the engine
// takes the file for whole after them.

#include "transfer.h"

#include "ns3/abort.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace longfat;
using namespace longfat::segment;

void
ns3::GiveUp(const char* words)
{
    std::fprintf(stderr, "%s\n", words);
    std::abort();
}

namespace
{

class Pieces : public Transfer
{
  public:
    using Transfer::Transfer;

    bool Take(uint64_t begin, uint64_t end)
    {
        return Add(end - begin, Fingerprint(begin, end));
    }

    TransferCount Total() const override
    {
        return m_count;
    }
};

} // namespace

int
main(int, char** arguments)
{
    EventQueue events(1);
    const ns3::Simulator::Running running(&events.state);
    TransferSpec spec;
    spec.fileBytes = std::strtoull(arguments[1], nullptr, 10);
    Pieces pieces(events, spec);
    bool whole = false;
    for (uint64_t begin, end; std::cin >> begin >> end;)
    {
        whole = pieces.Take(begin, end);
    }
    std::printf("%d %d\n", whole, pieces.WhatIsWrong() == nullptr);
}
