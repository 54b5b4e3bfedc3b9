// SPDX-License-Identifier: GPL-2.0-only
//
// Loaded before the emulated kernel: what it asks of the machine's kernel and must not hear as is.
//
// Random bytes come from LONGFAT_SEED instead (splitmix64, Steele, Lea and Flood 2014).
//
// The processor state of a guest's process has the size of AVX-512's in user-mode Linux before 6.13
// (HOST_FP_SIZE). A machine with more, such as AMX's tiles, takes it back only in its own size: the
// rest, which nothing in the guest uses, is added as zeros.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

static uint64_t state;
static int started;

static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

ssize_t getrandom(void* buffer, size_t length, unsigned flags)
{
    (void)flags;
    if (!started)
    {
        const char* seed = getenv("LONGFAT_SEED");
        state = seed ? strtoull(seed, NULL, 10) : 1;
        started = 1;
    }
    for (size_t done = 0; done < length; done += 8)
    {
        const uint64_t value = next();
        memcpy((char*)buffer + done, &value, length - done < 8 ? length - done : 8);
    }
    return length;
}

typedef long (*Ptrace)(int request, pid_t pid, void* address, void* data);

long ptrace(enum __ptrace_request request, ...)
{
    static Ptrace real;
    static struct iovec whole; // the machine's size, once it is known
    static char buffer[65536];
    va_list arguments;
    va_start(arguments, request);
    const pid_t pid = va_arg(arguments, pid_t);
    void* address = va_arg(arguments, void*);
    void* data = va_arg(arguments, void*);
    va_end(arguments);
    if (!real)
    {
        real = (Ptrace)dlsym(RTLD_NEXT, "ptrace");
    }
    if (request != PTRACE_SETREGSET || (intptr_t)address != NT_X86_XSTATE)
    {
        return real(request, pid, address, data);
    }
    if (!whole.iov_len)
    {
        struct iovec asked = {buffer, sizeof buffer};
        if (real(PTRACE_GETREGSET, pid, address, &asked) < 0)
        {
            return -1;
        }
        memset(buffer, 0, sizeof buffer);
        whole = asked;
    }
    const struct iovec* given = data;
    if (given->iov_len >= whole.iov_len)
    {
        return real(request, pid, address, data);
    }
    memcpy(buffer, given->iov_base, given->iov_len);
    struct iovec filled = whole;
    return real(request, pid, address, &filled);
}
