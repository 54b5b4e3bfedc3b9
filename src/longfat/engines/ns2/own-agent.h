// SPDX-License-Identifier: GPL-2.0-only
//
// How ns-2's own senders, which know no congestion controls, are given some: functions of one agent are
// replaced. Needs the program as it is, and no header of it.
//
// ns-2 makes its agent, and has bound its variables to numbers that OTcl set just before:
//
//     $tcp set cwnd_ 1234567.890625; $tcp set ssthresh_ 987654321; $tcp set srtt_ 192837465
//
// Where these stand in the agent is where the variables are. The agent gets a table of virtual functions
// of its own, in which some are ours.

#ifndef LONGFAT_NS2_OWN_AGENT_H
#define LONGFAT_NS2_OWN_AGENT_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CWND = 1234567.890625;
static const int SSTHRESH = 987654321;
static const int SRTT = 192837465;

struct agent
{
    struct agent* next;
    char* begin;
    char* end;
    double* cwnd;
    int* ssthresh;
    int* srtt;
};

static struct agent* agents;

typedef int Command(void*, void*, int, const char**);
extern int Tcl_Eval(void*, const char*);
extern const char* Tcl_GetStringResult(void*);
extern void Tcl_AppendResult(void*, ...);
extern void* Tcl_CreateCommand(void*, const char*, Command*, void*, void*);
extern char _ZN3Tcl9instance_E[];                    // Tcl::instance_
extern char* _ZN3Tcl6lookupEPKc(void*, const char*); // Tcl::lookup

// The beginning of a packet, and of its TCP header, in ns-2.35.
struct packet
{
    void* event[3];
    double time;
    long long uid;
    char* headers;
};

struct tcp_header
{
    double ts;
    double ts_echo;
    int seqno;
};

enum
{
    RETRANSMISSION = 0
}; // of its timers

extern int _ZN7hdr_tcp7offset_E; // hdr_tcp::offset_

static inline const struct tcp_header*
HeaderOf(const struct packet* packet)
{
    const struct tcp_header* tcp = (struct tcp_header*)(packet->headers + _ZN7hdr_tcp7offset_E);
    if (!(0 <= tcp->ts_echo && tcp->ts_echo < tcp->ts && tcp->ts < 1e9 && tcp->seqno >= -1))
    {
        fprintf(stderr, "error: this ns-2 has other packets than 2.35\n");
        exit(3);
    }
    return tcp;
}

// A function of the agent: its name in the program, ours, and where theirs is kept.
struct replacement
{
    const char* name;
    void* ours;
    void** theirs;
};

static struct agent*
AgentOf(const char* self)
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
    return it;
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

// Returns whether each was in the table.
static int
Replace(struct agent* it, const struct replacement* replacements, size_t count)
{
    Dl_info about;
    const ElfW(Sym) * symbol;
    if (!dladdr1(*(void**)it->begin, &about, (void**)&symbol, RTLD_DL_SYMENT) || !symbol)
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
    for (size_t i = 0; i < count; i++)
    {
        void* theirs = dlsym(RTLD_DEFAULT, replacements[i].name);
        *replacements[i].theirs = theirs;
        int replaced = 0;
        for (void** slot = (void**)own; (char*)slot < own + symbol->st_size; slot++)
        {
            if (theirs && *slot == theirs)
            {
                *slot = replacements[i].ours;
                replaced++;
            }
        }
        if (!replaced)
        {
            return 0;
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
    return 1;
}

// Take the agent of that name; returns whether it is as it must be.
static int
TakeAgent(struct agent* it, const char* name, const struct replacement* replacements, size_t count)
{
    it->begin = _ZN3Tcl6lookupEPKc(_ZN3Tcl9instance_E, name);
    if (!it->begin)
    {
        return 0;
    }
    it->begin += (*(ptrdiff_t**)it->begin)[-2]; // from its TclObject to the top of the whole
    it->end = it->begin + malloc_usable_size(it->begin);
    it->cwnd = (double*)FindOnce(it, &CWND, sizeof CWND);
    it->ssthresh = (int*)FindOnce(it, &SSTHRESH, sizeof SSTHRESH);
    it->srtt = (int*)FindOnce(it, &SRTT, sizeof SRTT);
    it->next = agents;
    agents = it;
    return it->cwnd && it->ssthresh && it->srtt && Replace(it, replacements, count);
}

#endif
