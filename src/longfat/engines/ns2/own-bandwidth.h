// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP-J and Westwood share in ns-2: their ACKs are counted, and what ns-2's sender makes of its window
// after a loss is replaced. How samples are smoothed, and what the window is then, own-tcpj.c and
// own-westwood.c say (Smooth, Reduce, BeforeAck).
//
// What an ACK reports is counted as Westwood's authors do (MobiCom 2001): a duplicate ACK is one segment,
// and one of progress is what it acknowledges, less the duplicates before it. Times are those of the
// simulator's events. A round trip is from when the segment was sent that has caused the ACK.
//
// Rates are in segments a second.

#ifndef LONGFAT_NS2_OWN_BANDWIDTH_H
#define LONGFAT_NS2_OWN_BANDWIDTH_H

#include "own-agent.h"

#include <math.h>

struct estimator
{
    struct agent agent; // first: what is known of it
    double rate;        // the estimate
    double last_sample;
    double last_ack;  // when it came; negative: none did
    double uncounted; // segments that belong to the next sample
    double min_rtt;
    double rtt_tick;  // to which it is rounded; 0: exact
    int acknowledged; // the last segment
    int of;           // which of CLASSES it is
    int duplicates;   // segments counted that no ACK of progress has told of
};

// The functions of a class that are replaced. ns-2's senders without SACK have several tables: from some
// of them a function is reached by a thunk, which needs the pointer that it is called with.
enum
{
    RECV,
    DUPACK_ACTION,
    TIMEOUT,
    FUNCTIONS_OF_ONE
};
enum
{
    CLASSES = 3,
    WAYS = 3
};

static const char* const FUNCTIONS[CLASSES][FUNCTIONS_OF_ONE][WAYS] = {
    {{"_ZN13Sack1TcpAgent4recvEP6PacketP7Handler"},
     {"_ZN13Sack1TcpAgent13dupack_actionEv"},
     {"_ZN13Sack1TcpAgent7timeoutEi"}},
    {{"_ZN15NewRenoTcpAgent4recvEP6PacketP7Handler",
      "_ZTv0_n48_N15NewRenoTcpAgent4recvEP6PacketP7Handler",
      "_ZTv0_n72_N15NewRenoTcpAgent4recvEP6PacketP7Handler"},
     {"_ZN15NewRenoTcpAgent13dupack_actionEv",
      "_ZTv0_n64_N15NewRenoTcpAgent13dupack_actionEv",
      "_ZTv0_n360_N15NewRenoTcpAgent13dupack_actionEv"},
     {"_ZN12RenoTcpAgent7timeoutEi", "_ZTv0_n152_N12RenoTcpAgent7timeoutEi"}},
    {{"_ZN12RenoTcpAgent4recvEP6PacketP7Handler",
      "_ZTv0_n72_N12RenoTcpAgent4recvEP6PacketP7Handler"},
     {"_ZN12RenoTcpAgent13dupack_actionEv", "_ZTv0_n360_N12RenoTcpAgent13dupack_actionEv"},
     {"_ZN12RenoTcpAgent7timeoutEi", "_ZTv0_n152_N12RenoTcpAgent7timeoutEi"}},
};

static void* theirs[CLASSES][FUNCTIONS_OF_ONE][WAYS];

static void Smooth(struct estimator* own, double segments, double interval);
static void Reduce(struct estimator* own, double cwnd, double ssthresh, int is_timeout);
static void BeforeAck(struct estimator* own);

static void
Count(struct estimator* own, const struct packet* packet)
{
    const struct tcp_header* tcp = HeaderOf(packet);
    const double now = packet->time;
    if (tcp->seqno < 0)
    {
        return;
    }
    if (tcp->seqno > 0) // not of the SYN, which is shorter
    {
        own->min_rtt = fmin(own->min_rtt, now - tcp->ts_echo);
    }
    if (tcp->seqno > own->acknowledged)
    {
        const int all = tcp->seqno - own->acknowledged;
        own->uncounted += fmax(0, all - own->duplicates);
        own->duplicates = own->duplicates > all ? own->duplicates - all : 0;
        own->acknowledged = tcp->seqno;
    }
    else if (tcp->seqno == own->acknowledged)
    {
        own->uncounted++;
        own->duplicates++;
    }
    if (own->last_ack < 0) // the first ACK starts the clock
    {
        own->last_ack = now;
        own->uncounted = 0;
    }
    else if (now > own->last_ack)
    {
        Smooth(own, own->uncounted, now - own->last_ack);
        own->last_ack = now;
        own->uncounted = 0;
    }
}

// The right side of the paper's (5) to (7), in segments.
static double
Threshold(const struct estimator* own, double rate)
{
    double rtt = isinf(own->min_rtt) ? 0 : own->min_rtt;
    if (own->rtt_tick > 0)
    {
        rtt = own->rtt_tick * fmax(1, floor(rtt / own->rtt_tick + 0.5));
    }
    return fmax(2, rate * rtt);
}

static void
Recv(char* self, struct packet* packet, void* handler, int way)
{
    struct estimator* own = (struct estimator*)AgentOf(self);
    BeforeAck(own);
    Count(own, packet);
    ((void (*)(char*, struct packet*, void*))theirs[own->of][RECV][way])(self, packet, handler);
}

// The third duplicate ACK. Theirs reduces the window, but not twice for the losses of one.
static void
DupackAction(char* self, int way)
{
    struct agent* it = AgentOf(self);
    struct estimator* own = (struct estimator*)it;
    const double cwnd = *it->cwnd;
    const int ssthresh = *it->ssthresh;
    ((void (*)(char*))theirs[own->of][DUPACK_ACTION][way])(self);
    if (*it->cwnd != cwnd || *it->ssthresh != ssthresh)
    {
        Reduce(own, cwnd, ssthresh, 0);
    }
}

static void
Timeout(char* self, int timer, int way)
{
    struct agent* it = AgentOf(self);
    struct estimator* own = (struct estimator*)it;
    const double cwnd = *it->cwnd;
    const int ssthresh = *it->ssthresh;
    ((void (*)(char*, int))theirs[own->of][TIMEOUT][way])(self, timer);
    if (timer == RETRANSMISSION)
    {
        Reduce(own, cwnd, ssthresh, 1);
    }
}

#define WAY(N)                                                                                     \
    static void Recv##N(char* self, struct packet* packet, void* handler)                          \
    {                                                                                              \
        Recv(self, packet, handler, N);                                                            \
    }                                                                                              \
    static void DupackAction##N(char* self)                                                        \
    {                                                                                              \
        DupackAction(self, N);                                                                     \
    }                                                                                              \
    static void Timeout##N(char* self, int timer)                                                  \
    {                                                                                              \
        Timeout(self, timer, N);                                                                   \
    }
WAY(0)
WAY(1)
WAY(2)
#undef WAY

static void* const OURS[FUNCTIONS_OF_ONE][WAYS] = {
    {Recv0, Recv1, Recv2},
    {DupackAction0, DupackAction1, DupackAction2},
    {Timeout0, Timeout1, Timeout2},
};

// Take the agent of that name, of one of CLASSES; returns whether it is as it must be.
static int
TakeEstimator(struct estimator* own, const char* name, int of)
{
    own->of = of;
    own->last_ack = -1;
    own->acknowledged = -1;
    own->min_rtt = INFINITY;
    struct replacement all[FUNCTIONS_OF_ONE * WAYS];
    size_t count = 0;
    for (int function = 0; function < FUNCTIONS_OF_ONE; function++)
    {
        for (int way = 0; way < WAYS && FUNCTIONS[of][function][way]; way++)
        {
            const struct replacement one = {FUNCTIONS[of][function][way],
                                            OURS[function][way],
                                            &theirs[of][function][way]};
            all[count++] = one;
        }
    }
    return TakeAgent(&own->agent, name, all, count);
}

static struct estimator*
EstimatorOf(const char* name)
{
    const char* it = _ZN3Tcl6lookupEPKc(_ZN3Tcl9instance_E, name);
    return it ? (struct estimator*)AgentOf(it + (*(ptrdiff_t**)it)[-2]) : NULL;
}

// The estimate, in segments a second, as a command of OTcl.
static int
Rate(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    const struct estimator* own = count == 2 ? EstimatorOf(words[1]) : NULL;
    if (!own)
    {
        return 1;
    }
    char text[32];
    snprintf(text, sizeof text, "%.17g", own->rate);
    Tcl_AppendResult(interpreter, text, (char*)NULL);
    return 0;
}

#endif
