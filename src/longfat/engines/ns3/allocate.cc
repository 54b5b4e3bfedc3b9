// SPDX-License-Identifier: GPL-2.0-only
//
// A packet's memory, kept for the next packet.
//
// ns-3 allocates and frees some 75 pieces for a segment and its ACK, of a few sizes below 130 bytes.
// glibc spends a hundred instructions on each. Here a freed piece goes to the front of the list of
// its size and is taken from there: ten instructions. What these lists hand out was made by malloc,
// and they take only what malloc has made, so that it does not matter which of new, delete, malloc
// and free a piece meets.

#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace
{

/// malloc's chunks have 16 * k bytes, of which 16 * k - 8 can be used.
constexpr std::size_t KINDS = 17; //!< of chunks, up to 256 bytes

struct Piece
{
    Piece* next;
};

thread_local Piece* freed[KINDS] __attribute__((tls_model("initial-exec")));

std::size_t
KindFor(std::size_t bytes)
{
    const std::size_t kind = (bytes + 8 + 15) / 16;
    return kind < 2 ? 2 : kind;
}

void
Keep(void* memory, std::size_t kind)
{
    if (kind >= KINDS)
    {
        std::free(memory);
        return;
    }
    auto* piece = static_cast<Piece*>(memory);
    piece->next = freed[kind];
    freed[kind] = piece;
}

} // namespace

void*
operator new(std::size_t bytes)
{
    const std::size_t kind = KindFor(bytes);
    if (kind < KINDS && freed[kind])
    {
        Piece* piece = freed[kind];
        freed[kind] = piece->next;
        return piece;
    }
    if (void* memory = std::malloc(bytes ? bytes : 1))
    {
        return memory;
    }
    throw std::bad_alloc();
}

void
operator delete(void* memory, std::size_t bytes) noexcept
{
    if (memory)
    {
        Keep(memory, KindFor(bytes));
    }
}

void
operator delete(void* memory) noexcept
{
    if (memory)
    {
        Keep(memory, (malloc_usable_size(memory) + 8) / 16);
    }
}
