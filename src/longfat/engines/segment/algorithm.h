// SPDX-License-Identifier: GPL-2.0-only
//
// A congestion control as the catalogue (longfat.cc.catalogue) has it: what compile.py writes beside
// each header, and the engine looks up.

#ifndef LONGFAT_SEGMENT_ALGORITHM_H
#define LONGFAT_SEGMENT_ALGORITHM_H

#include <vector>

namespace longfat::segment
{

struct Parameter
{
    const char* name;      //!< in scenarios
    const char* attribute; //!< in C++
};

struct Algorithm
{
    const char* name; //!< in scenarios
    const char* type; //!< of the class
    bool capsWindow;  //!< it has MaxWindow
    const Parameter* parameters;
    int parameterCount;
};

/// Those of this process: what host.cc has loaded, or all of them in WebAssembly.
std::vector<const Algorithm*> KnownAlgorithms();

} // namespace longfat::segment

#endif
