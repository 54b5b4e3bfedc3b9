// SPDX-License-Identifier: GPL-2.0-only
//
// Hybla in ns-2's own senders (Sack1, Newreno): only how a window grows is replaced, by equation (1) of
// the paper.
//
//     load own-hybla.so Hybla
//     own_hybla $tcp TICK RTT0 LARGEST
//
// For each ACK of news in the open state the window grows by 2^rho - 1 segments below the slow-start
// threshold, and not above it; by rho^2 / W above, and not above LARGEST. rho is the least smoothed
// round-trip time over RTT0, at least 1.

#include "own-agent.h"

#include <math.h>

enum { EIGHTHS = 8 };

struct hybla
{
    struct agent agent; // first: what is known of it
    double tick;
    double rtt0;
    double largest;
    int least_srtt;
};

static void
OpenCwnd(char* self)
{
    struct agent* it = AgentOf(self);
    struct hybla* own = (struct hybla*)it;
    if (*it->srtt > 0 && (own->least_srtt == 0 || *it->srtt < own->least_srtt))
    {
        own->least_srtt = *it->srtt;
    }
    const double rho = fmax(1, own->least_srtt * own->tick / EIGHTHS / own->rtt0);
    const double limit = fmin(own->largest, *it->ssthresh);
    if (*it->cwnd < *it->ssthresh)
    {
        *it->cwnd = fmin(*it->cwnd + exp2(rho) - 1, limit);
    }
    else
    {
        *it->cwnd += rho * rho / *it->cwnd;
    }
    *it->cwnd = fmin(*it->cwnd, own->largest);
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    static void* theirs;
    static const struct replacement REPLACED[] = {{"_ZN8TcpAgent8opencwndEv", OpenCwnd, &theirs}};
    struct hybla* own = calloc(1, sizeof *own);
    if (count != 5 || !own)
    {
        return 1;
    }
    own->tick = strtod(words[2], NULL);
    own->rtt0 = strtod(words[3], NULL);
    own->largest = strtod(words[4], NULL);
    return !TakeAgent(&own->agent, words[1], REPLACED, 1);
}

int
Hybla_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "own_hybla", Add, NULL, NULL) == NULL;
}
