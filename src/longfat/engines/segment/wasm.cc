// SPDX-License-Identifier: GPL-2.0-only
//
// What the engine needs in WebAssembly beside engine.cc and the congestion controls, so that it needs
// nothing from outside.

#include "engine.h"

#include "ns3/abort.h"

#include <cstddef>

namespace
{

char g_lastWords[200];

} // namespace

const char*
longfat_last_words()
{
    return g_lastWords;
}

void
ns3::GiveUp(const char* words)
{
    for (std::size_t i = 0; words[i] != '\0' && i + 1 < sizeof(g_lastWords); ++i)
    {
        g_lastWords[i] = words[i];
    }
    __builtin_trap();
}

/// No memory, or the standard library gives up: it would print why, for which there is no place.
namespace std
{
inline namespace __1
{

[[noreturn]] void
__libcpp_verbose_abort(const char*, ...) noexcept
{
    ns3::GiveUp("the standard library gave up");
}

} // namespace __1
} // namespace std

void*
operator new(std::size_t bytes)
{
    void* memory = longfat_alloc(bytes);
    if (!memory)
    {
        ns3::GiveUp("out of memory");
    }
    return memory;
}
