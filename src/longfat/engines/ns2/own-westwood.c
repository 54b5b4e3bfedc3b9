// SPDX-License-Identifier: GPL-2.0-only
//
// TCP Westwood as first published, in ns-2's own senders, written from equations (1) and (2) of the paper
// tcpj and from Westwood's authors' account (MobiCom 2001): the estimate by Tustin's approximation of a
// low-pass filter, samples of zero while nothing arrives, and after a loss the threshold that it fills.
// Growth and recovery are the sender's: with SACK, NewReno's, or Reno's, of which it says that it is based
// on it.
//
//     load own-westwood.so Westwood
//     own_westwood $tcp CLASS TIME_CONSTANT RTT_TICK
//     own_westwood_rate $tcp
//
// CLASS is 0 for a SACK sender, 1 for NewReno's, 2 for Reno's. The last gives the estimate, in segments a
// second.

#include "own-bandwidth.h"

struct westwood
{
    struct estimator estimator; // first: what is known of it
    double time_constant;
};

static void* tcl;

static double
Step(double rate, double samples, double interval, double time_constant)
{
    const double ratio = 2 * time_constant / interval;
    return ((ratio - 1) * rate + samples) / (ratio + 1); // (2)
}

// The estimate after so many samples of zero, each after half of the time constant.
static double
AfterZeros(const struct estimator* own, double zeros, double time_constant)
{
    double rate = own->rate;
    for (double i = 0; i < fmin(zeros, 2000); i++)
    {
        rate = Step(rate, i == 0 ? own->last_sample : 0, time_constant / 2, time_constant);
    }
    return rate;
}

static void
Smooth(struct estimator* own, double segments, double interval)
{
    const double constant = ((struct westwood*)own)->time_constant;
    double zeros = floor(interval / (constant / 2));
    if (zeros > 0 && interval - zeros * constant / 2 < 0.01) // a sample over almost no time
    {
        zeros--;
    }
    const double rest = interval - zeros * constant / 2;
    const double sample = segments / rest;
    const double before = zeros > 0 ? 0 : own->last_sample;
    own->rate = Step(AfterZeros(own, zeros, constant), sample + before, rest, constant);
    own->last_sample = sample;
}

static double
Now(void)
{
    return Tcl_Eval(tcl, "[Simulator instance] now") == 0 ? strtod(Tcl_GetStringResult(tcl), NULL)
                                                          : NAN;
}

static void
Reduce(struct estimator* own, double cwnd, double ssthresh, int is_timeout)
{
    (void)ssthresh;
    const double constant = ((struct westwood*)own)->time_constant;
    const double silence = own->last_ack < 0 ? 0 : Now() - own->last_ack;
    const double rate = AfterZeros(own, floor(silence / (constant / 2)), constant);
    const double threshold = Threshold(own, own->last_ack < 0 ? 0 : rate);
    if (!is_timeout)
    {
        *own->agent.cwnd = fmin(cwnd, threshold);
    }
    *own->agent.ssthresh = (int)threshold;
}

static void
BeforeAck(struct estimator* own)
{
    (void)own;
}

static int
Add(void* data, void* interpreter, int count, const char** words)
{
    (void)data;
    struct westwood* own = calloc(1, sizeof *own);
    if (count != 5 || !own)
    {
        return 1;
    }
    tcl = interpreter;
    own->time_constant = strtod(words[3], NULL);
    own->estimator.rtt_tick = strtod(words[4], NULL);
    return !TakeEstimator(&own->estimator, words[1], words[2][0] - '0');
}

int
Westwood_Init(void* interpreter)
{
    return Tcl_CreateCommand(interpreter, "own_westwood", Add, NULL, NULL) == NULL ||
           Tcl_CreateCommand(interpreter, "own_westwood_rate", Rate, NULL, NULL) == NULL;
}
