// SPDX-License-Identifier: GPL-2.0-only
//
// Hybla in ns-2's own senders (Sack1, Newreno), which know no congestion controls: only how a window
// grows is replaced, by equation (1) of the paper.
//
//     load own-hybla.so Hybla
//     $tcp set cwnd_ 1234567.890625; $tcp set ssthresh_ 987654321; $tcp set srtt_ 192837465
//     own_hybla $tcp TICK RTT0 LARGEST
//
// For each ACK of news in the open state the window grows by 2^rho - 1 segments below the slow-start
// threshold, and not above it; by rho^2 / W above, and not above LARGEST. rho is the least smoothed
// round-trip time over RTT0, at least 1.
//
// ns-2 makes its agent, and has bound its variables to numbers that OTcl set just before: where these
// three stand in the agent is where the variables are. The agent gets a table of virtual functions
// of its own, in which opencwnd is ours.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double CWND = 1234567.890625;
static const int SSTHRESH = 987654321;
static const int SRTT = 192837465;
enum { EIGHTHS = 8 };

struct agent
{
    struct agent* next;
    char* begin;
    char* end;
    double* cwnd;
    int* ssthresh;
    int* srtt;
    double tick;
    double rtt0;
    double largest;
    int least_srtt;
};

static struct agent* agents;

typedef int Command(void*, void*, int, const char**);
extern void* Tcl_CreateCommand(void*, const char*, Command*, void*, void*);
extern char _ZN3Tcl9instance_E[];             // Tcl::instance_
extern char* _ZN3Tcl6lookupEPKc(void*, const char*); // Tcl::lookup

static void
OpenCwnd(char* self)
{
    struct agent* it = agents;
    while (it && !(it->begin <= self && self < it->end))
    {
        it = it->next;
    }
    if (!it)
    {
        abort();
    }
    if (*it->srtt > 0 && (it->least_srtt == 0 || *it->srtt < it->least_srtt))
    {
        it->least_srtt = *it->srtt;
    }
    const double rho = fmax(1, it->least_srtt * it->tick / EIGHTHS / it->rtt0);
    const double limit = fmin(it->largest, *it->ssthresh);
    if (*it->cwnd < *it->ssthresh)
    {
        *it->cwnd = fmin(*it->cwnd + exp2(rho) - 1, limit);
    }
    else
    {
        *it->cwnd += rho * rho / *it->cwnd;
    }
    *it->cwnd = fmin(*it->cwnd, it->largest);
}

static char*
FindOnce(struct agent* it, const void* value, size_t size)
{
    char* found = NULL;
    for (char* at = it->begin; at + size <= it->end; at += size)
    {
        if (memcmp(at, value, size) == 0)
        {
            if (found)
            {
                return NULL;
            }
            found = at;
        }
    }
    return found;
}

static int
ReplaceOpenCwnd(struct agent* it)
{
    Dl_info about;
    const ElfW(Sym) * symbol;
    void* theirs = dlsym(RTLD_DEFAULT, "_ZN8TcpAgent8opencwndEv");
    if (!theirs || !dladdr1(*(void**)it->begin, &about, (void**)&symbol, RTLD_DL_SYMENT) || !symbol)
    {
        return 0;
    }
    char* table = about.dli_saddr;
    char* own = malloc(symbol->st_size);
    if (!own)
    {
        return 0;
    }
    memcpy(own, table, symbol->st_size);
    int replaced = 0;
    for (void** slot = (void**)own; (char*)slot < own + symbol->st_size; slot++)
    {
        if (*slot == theirs)
        {
            *slot = OpenCwnd;
            replaced++;
        }
    }
    // An agent with several bases points into its tables from several places.
    for (char** word = (char**)it->begin; (char*)(word + 1) <= it->end; word++)
    {
        if (table <= *word && *word < table + symbol->st_size)
        {
            *word = own + (*word - table);
        }
    }
    return replaced > 0;
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    struct agent* it = calloc(1, sizeof *it);
    if (count != 5 || !it || !(it->begin = _ZN3Tcl6lookupEPKc(_ZN3Tcl9instance_E, words[1])))
    {
        return 1;
    }
    it->begin += (*(ptrdiff_t**)it->begin)[-2]; // from its TclObject to the top of the whole
    it->end = it->begin + malloc_usable_size(it->begin);
    it->cwnd = (double*)FindOnce(it, &CWND, sizeof CWND);
    it->ssthresh = (int*)FindOnce(it, &SSTHRESH, sizeof SSTHRESH);
    it->srtt = (int*)FindOnce(it, &SRTT, sizeof SRTT);
    it->tick = strtod(words[2], NULL);
    it->rtt0 = strtod(words[3], NULL);
    it->largest = strtod(words[4], NULL);
    it->next = agents;
    agents = it;
    return !(it->cwnd && it->ssthresh && it->srtt && ReplaceOpenCwnd(it));
}

int
Hybla_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "own_hybla", Add, NULL, NULL) == NULL;
}
