// SPDX-License-Identifier: GPL-2.0-only
//
// UCC in ns-2's own SACK sender, written from the paper: the utilization by equation (6), what is done
// at a loss by (7). Growth and what follows a timeout are the sender's.
//
//     load own-ucc.so Ucc
//     own_ucc $tcp ALPHA CLOCK MINIMUM_OF_EPOCH MINIMUM_LIFETIME TOLERANCE DRIFT
//
// Both ends read ns-2's clock, a double: the sender's time stands in each packet, and comes back in its
// ACK with the receiver's. Their difference is the packet's delay. By itself the clock is as it is, and
// two packets that met no queue have delays that may differ in their last digits; with CLOCK above 0
// both ends see whole ticks of it. What the others change is said in cc/ucc.h.

#include "own-agent.h"

#include <math.h>

struct ucc
{
    struct agent agent; // first: what is known of it
    double alpha;
    double clock;
    int minimum_of_epoch;
    double lifetime;
    double tolerance;
    double drift;
    double minimum; // of the delays; in ticks where there are some
    double since;
    long packets;
    long at_minimum;
};

static void (*their_recv)(char*, struct packet*, void*);
static void (*their_dupack_action)(char*);
static void (*their_timeout)(char*, int);

static double
Read(const struct ucc* own, double time)
{
    return own->clock > 0 ? floor(time / own->clock) : time;
}

static void
BeginEpoch(struct ucc* own, int forgets_minimum)
{
    own->packets = 0;
    own->at_minimum = 0;
    if (forgets_minimum)
    {
        own->minimum = INFINITY;
    }
}

static void
Count(struct ucc* own, double sent, double received)
{
    if (own->lifetime > 0 && received - own->since >= own->lifetime)
    {
        own->since = received;
        BeginEpoch(own, 1);
    }
    const double delay = Read(own, received * (1 + own->drift)) - Read(own, sent);
    const double tolerance = Read(own, own->tolerance);
    own->packets++;
    if (delay < own->minimum)
    {
        if (!(own->minimum - delay <= tolerance)) // those had met a queue
        {
            own->at_minimum = 0;
        }
        own->minimum = delay;
    }
    if (delay - own->minimum <= tolerance)
    {
        own->at_minimum++;
    }
}

static void
Recv(char* self, struct packet* packet, void* handler)
{
    const struct tcp_header* tcp = HeaderOf(packet);
    if (tcp->seqno > 0) // not of the SYN, which is shorter
    {
        Count((struct ucc*)AgentOf(self), tcp->ts_echo, tcp->ts);
    }
    their_recv(self, packet, handler);
}

// The third duplicate ACK. Theirs reduces the window, but not twice for the losses of one.
static void
DupackAction(char* self)
{
    struct agent* it = AgentOf(self);
    struct ucc* own = (struct ucc*)it;
    const double cwnd = *it->cwnd;
    const int ssthresh = *it->ssthresh;
    their_dupack_action(self);
    if (*it->cwnd == cwnd && *it->ssthresh == ssthresh)
    {
        return;
    }
    const double busy = (double)(own->packets - own->at_minimum);
    if (own->packets && busy / (double)own->packets <= own->alpha)
    {
        *it->cwnd = cwnd;
        *it->ssthresh = (int)cwnd;
    }
    BeginEpoch(own, own->minimum_of_epoch);
}

static void
Timeout(char* self, int timer)
{
    their_timeout(self, timer);
    if (timer == RETRANSMISSION)
    {
        struct ucc* own = (struct ucc*)AgentOf(self);
        BeginEpoch(own, own->minimum_of_epoch);
    }
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    static const struct replacement REPLACED[] = {
        {"_ZN13Sack1TcpAgent4recvEP6PacketP7Handler", Recv, (void**)&their_recv},
        {"_ZN13Sack1TcpAgent13dupack_actionEv", DupackAction, (void**)&their_dupack_action},
        {"_ZN13Sack1TcpAgent7timeoutEi", Timeout, (void**)&their_timeout},
    };
    struct ucc* own = calloc(1, sizeof *own);
    if (count != 8 || !own)
    {
        return 1;
    }
    own->alpha = strtod(words[2], NULL);
    own->clock = strtod(words[3], NULL);
    own->minimum_of_epoch = words[4][0] == '1';
    own->lifetime = strtod(words[5], NULL);
    own->tolerance = strtod(words[6], NULL);
    own->drift = strtod(words[7], NULL);
    own->minimum = INFINITY;
    return !TakeAgent(&own->agent, words[1], REPLACED, sizeof REPLACED / sizeof *REPLACED);
}

int
Ucc_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "own_ucc", Add, NULL, NULL) == NULL;
}
