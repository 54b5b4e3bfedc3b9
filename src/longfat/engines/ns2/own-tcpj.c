// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-J in ns-2's own SACK sender, written from the paper: the estimate by equation (9), the window after a
// loss by (5) to (7), and what is done after a movement (section 3.4). Growth and recovery are the
// sender's.
//
//     load own-tcpj.so Tcpj
//     own_tcpj $tcp ALPHA RTT_TICK ADVERTISED
//     own_tcpj_moved $tcp LOCAL RATE
//     own_tcpj_rate $tcp
//
// ADVERTISED is the receiver's window in segments. LOCAL is 1 after a movement that leaves the upper
// router the same; RATE, in segments a second, is the announced one of the new radio link, or 0. The last
// gives the estimate, in segments a second.

#include "own-bandwidth.h"

struct tcpj
{
    struct estimator estimator; // first: what is known of it
    double alpha;
    double announced;
    double advertised;
    int restarts; // at the next ACK or timeout
};

static void
Smooth(struct estimator* own, double segments, double interval)
{
    const double alpha = ((struct tcpj*)own)->alpha;
    const double sample = segments / interval;
    own->rate = alpha * own->rate + (1 - alpha) * (sample + own->last_sample) / 2; // (9)
    own->last_sample = sample;
}

static void
Reduce(struct estimator* own, double cwnd, double ssthresh, int is_timeout)
{
    struct tcpj* tcpj = (struct tcpj*)own;
    struct agent* it = &own->agent;
    if (is_timeout && tcpj->restarts)
    {
        tcpj->restarts = 0;
        *it->ssthresh = (int)tcpj->advertised;
        return;
    }
    const double threshold = Threshold(own, fmin(own->rate, tcpj->announced));
    if (!is_timeout)
    {
        *it->cwnd = ssthresh <= cwnd ? threshold : cwnd; // (5), (6)
    }
    *it->ssthresh = (int)threshold; // (5) to (7)
}

static void
BeforeAck(struct estimator* own)
{
    struct tcpj* tcpj = (struct tcpj*)own;
    if (tcpj->restarts)
    {
        tcpj->restarts = 0;
        *own->agent.cwnd = 1;
        *own->agent.ssthresh = (int)tcpj->advertised;
    }
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    struct tcpj* own = calloc(1, sizeof *own);
    if (count != 5 || !own)
    {
        return 1;
    }
    own->alpha = strtod(words[2], NULL);
    own->estimator.rtt_tick = strtod(words[3], NULL);
    own->advertised = strtod(words[4], NULL);
    own->announced = INFINITY;
    return !TakeEstimator(&own->estimator, words[1], 0);
}

static int
Moved(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    (void)interpreter;
    struct tcpj* own = count == 4 ? (struct tcpj*)EstimatorOf(words[1]) : NULL;
    if (!own)
    {
        return 1;
    }
    const double announced = strtod(words[3], NULL);
    own->announced = INFINITY;
    if (words[2][0] == '1' && announced > 0)
    {
        own->announced = announced;
        return 0;
    }
    own->estimator.rate = 0;
    own->estimator.last_sample = 0;
    own->estimator.last_ack = -1;
    own->estimator.uncounted = 0;
    own->restarts = 1;
    return 0;
}

int
Tcpj_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "own_tcpj", Add, NULL, NULL) == NULL ||
           Tcl_CreateCommand(interpreter, "own_tcpj_moved", Moved, NULL, NULL) == NULL ||
           Tcl_CreateCommand(interpreter, "own_tcpj_rate", Rate, NULL, NULL) == NULL;
}
