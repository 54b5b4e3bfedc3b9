// SPDX-License-Identifier: GPL-2.0-only
//
// What ns-2's Linux agents lack, as congestion controls that they load: Debian's `ns` stays as it is.
//
//     load senders.so Senders
//     linux_sender NAME INNER INITIAL_WINDOW HALVING MENDS
//     $tcp select_ca NAME
//
// NAME does what ns-2's Linux congestion control INNER does, and
//
// - never has a window above the agent's window_ (most modules of ns-2 do not look at it, and Hybla's
//   takes its limit away);
// - has INITIAL_WINDOW segments when its SYN is acknowledged, and does not grow for that ACK;
// - if HALVING is 1, has the slow-start threshold as its window at once when it enters recovery, where
//   the agent itself halves its rate: one segment for every two that arrive, until half of the
//   threshold is in flight;
// - does otherwise than the module of 2007 what MENDS, a sum of GROWTH, DECREASE, DELAY and THRESHOLD,
//   names: so that it is seen what of a difference each of them is.
//
// ns-2 hands a congestion control its socket and takes an operation's result by these structures of its
// TCP-Linux, whose names are those of Linux 2.6.22; its u32 is an unsigned long, u16 an unsigned int.

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long u32;
typedef long long s64;

enum { PRIVATE_WORDS = 16, NAME_LENGTH = 16, RECOVERY = 3 };
enum { KELLY_WINDOW = 16, KELLY_ACKS = 100 }; // Scalable TCP: standard up to here; ACKs a segment
enum { GROWTH = 1, DECREASE = 2, DELAY = 4, THRESHOLD = 8 };

struct sock
{
    int state;
    u32 snd_nxt;
    u32 snd_una;
    u32 mss_cache;
    u32 srtt;
    u32 rcv_tsval;
    u32 rcv_tsecr;
    unsigned int saw_tstamp;
    u32 snd_ssthresh;
    u32 snd_cwnd;
    unsigned int snd_cwnd_cnt;
    unsigned int snd_cwnd_clamp;
    u32 snd_cwnd_stamp;
    u32 bytes_acked;
    struct operations* ca_ops;
    unsigned char ca_state;
    u32 ca_private[PRIVATE_WORDS];
};

struct entry
{
    struct entry* prev;
    struct entry* next;
    const char* file_name;
};

struct operations
{
    struct entry list;
    unsigned long flags;
    int non_restricted;
    void (*init)(struct sock*);
    void (*release)(struct sock*);
    u32 (*ssthresh)(struct sock*);
    u32 (*min_cwnd)(const struct sock*);
    void (*cong_avoid)(struct sock*, u32, u32, u32, int);
    void (*rtt_sample)(struct sock*, u32);
    void (*set_state)(struct sock*, unsigned char);
    void (*cwnd_event)(struct sock*, int);
    u32 (*undo_cwnd)(struct sock*);
    void (*pkts_acked)(struct sock*, u32, s64);
    void (*get_info)(struct sock*, u32, void*);
    char name[NAME_LENGTH];
    void* owner;
};

// What an agent has behind its socket: a flag, and the window of its rate halving, an integer that
// OTcl can see, which knows its own name.
struct behind
{
    unsigned char initialized;
    struct
    {
        void* table;
        unsigned char initialized;
        const char* name;
        void* owner;
        void* tracer;
        void* next;
        int value;
    } next_pkts_in_flight;
};

extern struct entry ns_tcp_cong_list;
extern struct operations tcp_reno;
extern int tcp_register_congestion_control(struct operations*);

typedef int Command(void*, void*, int, const char**);
extern void* Tcl_CreateCommand(void*, const char*, Command*, void*, void*);

struct sender
{
    struct operations ops; // first: what ns-2 sees
    const struct operations* inner;
    u32 initial_window;
    int halving;
    unsigned mends;
};

static struct sender*
SenderOf(struct sock* sock)
{
    return (struct sender*)sock->ca_ops;
}

static struct behind*
Behind(struct sock* sock)
{
    return (struct behind*)(sock + 1);
}

static void
Cap(struct sock* sock)
{
    if (sock->snd_cwnd > sock->snd_cwnd_clamp)
    {
        sock->snd_cwnd = sock->snd_cwnd_clamp;
    }
}

static void
Init(struct sock* sock)
{
    // The structures above are of this very binary, or this name is not here.
    if (strcmp(Behind(sock)->next_pkts_in_flight.name, "next_pkts_in_flight_") != 0)
    {
        fprintf(stderr, "this ns-2 is laid out otherwise than 2.35\n");
        exit(3);
    }
    const unsigned int largest = sock->snd_cwnd_clamp;
    sock->snd_cwnd = SenderOf(sock)->initial_window;
    if (SenderOf(sock)->inner->init)
    {
        SenderOf(sock)->inner->init(sock);
    }
    sock->snd_cwnd_clamp = largest;
    Cap(sock);
}

static int
Mends(struct sock* sock, const char* inner, unsigned mend)
{
    const struct sender* sender = SenderOf(sock);
    return (sender->mends & mend) && strcmp(sender->inner->name, inner) == 0;
}

static void
CongAvoid(struct sock* sock, u32 ack, u32 rtt, u32 in_flight, int good)
{
    if (sock->snd_una <= sock->mss_cache)
    {
        return; // of the SYN, which is ns-2's first segment
    }
    if (Mends(sock, "bic", GROWTH))
    {
        sock->ca_private[6] = 16; // delayed_ack: an ACK counts for one segment, in sixteenths
    }
    if (Mends(sock, "vegas", GROWTH))
    {
        sock->ca_private[2] = sock->snd_cwnd; // beg_snd_cwnd: that of now, so that each round grows
    }
    if (Mends(sock, "scalable", GROWTH) && sock->snd_cwnd > sock->snd_ssthresh)
    {
        const u32 acks = sock->snd_cwnd <= KELLY_WINDOW ? sock->snd_cwnd : KELLY_ACKS;
        if (in_flight >= sock->snd_cwnd && ++sock->snd_cwnd_cnt >= acks)
        {
            sock->snd_cwnd++;
            sock->snd_cwnd_cnt = 0;
        }
    }
    else
    {
        SenderOf(sock)->inner->cong_avoid(sock, ack, rtt, in_flight, good);
    }
    Cap(sock);
}

static void
PktsAcked(struct sock* sock, u32 count, s64 last)
{
    const u32 before = sock->snd_cwnd;
    if (Mends(sock, "lp", DELAY))
    {
        sock->ca_private[5] = 1000; // remote_hz: both ends have one clock, of milliseconds
        sock->ca_private[6] = sock->ca_private[7] = 0; // and no two ACKs estimate it
    }
    SenderOf(sock)->inner->pkts_acked(sock, count, last);
    if (Mends(sock, "lp", THRESHOLD) && sock->snd_cwnd < before &&
        sock->snd_cwnd < sock->snd_ssthresh)
    {
        sock->snd_ssthresh = sock->snd_cwnd; // additive increase follows, and not slow start
    }
}

static u32
Ssthresh(struct sock* sock)
{
    const u32 window = sock->snd_cwnd;
    u32 left = SenderOf(sock)->inner->ssthresh(sock);
    if (Mends(sock, "illinois", DECREASE))
    {
        left = window - left; // the module leaves what it should take
    }
    if (Mends(sock, "vegas", DECREASE))
    {
        left = window * 3 / 4;
    }
    if (Mends(sock, "scalable", DECREASE) && window <= KELLY_WINDOW)
    {
        left = window / 2;
    }
    return left < 2 ? 2 : left;
}

static void
SetState(struct sock* sock, unsigned char state)
{
    if (SenderOf(sock)->inner->set_state)
    {
        SenderOf(sock)->inner->set_state(sock, state);
    }
    if (state == RECOVERY && SenderOf(sock)->halving)
    {
        Behind(sock)->next_pkts_in_flight.value = 0;
        sock->snd_cwnd = sock->snd_ssthresh; // a module's own lower end of rate halving is half of it
        Cap(sock);
    }
}

static const struct operations*
Find(const char* name)
{
    if (strcmp(name, "reno") == 0)
    {
        return &tcp_reno;
    }
    for (struct entry* at = ns_tcp_cong_list.next; at != &ns_tcp_cong_list; at = at->next)
    {
        if (strcmp(((struct operations*)at)->name, name) == 0)
        {
            return (struct operations*)at;
        }
    }
    return NULL;
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    const struct operations* inner = count == 6 ? Find(words[2]) : NULL;
    struct sender* sender = calloc(1, sizeof *sender);
    if (!inner || !sender)
    {
        return 1;
    }
    sender->ops = *inner;
    snprintf(sender->ops.name, NAME_LENGTH, "%s", words[1]);
    sender->ops.init = Init;
    sender->ops.cong_avoid = CongAvoid;
    sender->ops.set_state = SetState;
    sender->mends = strtoul(words[5], NULL, 10);
    if (sender->mends)
    {
        sender->ops.ssthresh = Ssthresh;
        sender->ops.pkts_acked = inner->pkts_acked ? PktsAcked : NULL;
    }
    sender->inner = inner;
    sender->initial_window = strtoul(words[3], NULL, 10);
    sender->halving = words[4][0] == '1';
    return tcp_register_congestion_control(&sender->ops) != 0;
}

int
Senders_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "linux_sender", Add, NULL, NULL) == NULL;
}
