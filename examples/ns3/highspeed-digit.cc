// SPDX-License-Identifier: GPL-2.0-only
//
// TcpHighSpeed: a number of its table has a wrong digit.
//
// The program in RFC 3649, appendix B, which computes the table, gives 53677 for the window at
// which a(w) changes from 62 to 63. TableLookupA and TableLookupB have 53667.

#include "ns3/tcp-highspeed.h"

#include <iostream>

int
main()
{
    const uint32_t before = ns3::TcpHighSpeed::TableLookupA(53'600);
    const uint32_t at = ns3::TcpHighSpeed::TableLookupA(53'670);

    std::cout << "a(53670), in segments a round trip\n"
              << "expected " << before << ", observed " << at << std::endl;
    return at != before;
}
