// SPDX-License-Identifier: GPL-2.0-only
//
// What the core needs in WebAssembly beside engine.cc and the congestion controls, so that it needs
// nothing from outside.

#include "engine.h"

#include <cstddef>

namespace
{

char g_last_words[200];

[[noreturn]] void
give_up(const char* words)
{
    for (std::size_t i = 0; words[i] != '\0' && i + 1 < sizeof(g_last_words); ++i)
    {
        g_last_words[i] = words[i];
    }
    __builtin_trap();
}

} // namespace

const char*
longfat_last_words()
{
    return g_last_words;
}

// What the library would print with, where something ends a program: nothing that the engine calls.
extern "C" int
__imported_wasi_snapshot_preview1_fd_write(int, int, int, int)
{
    give_up("the standard library gave up");
}

extern "C" int
__imported_wasi_snapshot_preview1_fd_seek(int, long long, int, int)
{
    give_up("the standard library gave up");
}

extern "C" int
close(int)
{
    give_up("the standard library gave up");
}

/// No memory, or the standard library gives up: it would print why, for which there is no place.
namespace std
{
inline namespace __1
{

[[noreturn]] void
__libcpp_verbose_abort(const char*, ...) noexcept
{
    give_up("the standard library gave up");
}

} // namespace __1
} // namespace std

void*
operator new(std::size_t bytes)
{
    void* memory = longfat_alloc(bytes);
    if (!memory)
    {
        give_up("out of memory");
    }
    return memory;
}
