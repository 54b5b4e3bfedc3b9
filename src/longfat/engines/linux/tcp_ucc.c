// SPDX-License-Identifier: GPL-2.0-only
//
// UCC for Linux, written from the paper: the utilization by equation (6), what is done at a loss by
// (7). Growth, and what follows a timeout, are Linux's NewReno's.
//
// A delay is what the timestamp option tells (RFC 7323): the receiver's clock in an ACK (TSval) less
// the sender's, which it echoes (TSecr). Both tick every millisecond, or every microsecond where the
// route has tcp_usec_ts; by what they are apart does not matter. An ACK that tells of no progress
// echoes an old time (RFC 7323, 4.3), and is no sample: the packets that wait behind a hole are not
// among the N. One ACK is one packet of the N, also where it acknowledges two.
//
// What the paper leaves open is said in cc/ucc.h; here as whole numbers, parameters of the module.

#include <linux/math64.h>
#include <linux/module.h>
#include <net/tcp.h>

static uint alpha_millionths = 990000;
static uint clock_ticks = 1; // of the timestamps': a coarser clock
static uint tolerance_ticks; // of that clock's
static uint lifetime_ticks; // of the timestamps'; 0: the minimum is for ever
static bool minimum_of_epoch;
static int drift_billionths;
module_param(alpha_millionths, uint, 0644);
module_param(clock_ticks, uint, 0644);
module_param(tolerance_ticks, uint, 0644);
module_param(lifetime_ticks, uint, 0644);
module_param(minimum_of_epoch, bool, 0644);
module_param(drift_billionths, int, 0644);

struct ucc
{
    u32 packets; // N
    u32 at_minimum; // N_min
    s64 minimum; // the smallest delay, by the clock
    bool has_minimum;
    bool has_begun;
    u32 sent_at_begin; // whole ticks of the clock, as those below
    u32 received_at_begin;
    u32 since; // when the minimum was last forgotten
    u32 acknowledged; // snd_una
};

static void begin_epoch(struct ucc* ucc, bool forgets_minimum)
{
    ucc->packets = 0;
    ucc->at_minimum = 0;
    ucc->has_minimum = ucc->has_minimum && !forgets_minimum;
}

static void ucc_init(struct sock* sk)
{
    memset(inet_csk_ca(sk), 0, sizeof(struct ucc));
}

static void on_packet(struct ucc* ucc, u32 sent, u32 received)
{
    if (!ucc->has_begun)
    {
        ucc->has_begun = true;
        ucc->sent_at_begin = sent - sent % clock_ticks;
        ucc->received_at_begin = received - received % clock_ticks;
        ucc->since = received;
    }
    if (lifetime_ticks && received - ucc->since >= lifetime_ticks)
    {
        ucc->since = received;
        begin_epoch(ucc, true);
    }
    const s64 elapsed = received - ucc->received_at_begin;
    const s64 drifted = elapsed + div_s64(elapsed * drift_billionths, 1000000000);
    const s64 delay = div_s64(drifted, clock_ticks) - (sent - ucc->sent_at_begin) / clock_ticks;
    ucc->packets++;
    if (!ucc->has_minimum || delay < ucc->minimum)
    {
        if (!ucc->has_minimum || ucc->minimum - delay > tolerance_ticks)
        {
            ucc->at_minimum = 0; // they had met a queue after all
        }
        ucc->has_minimum = true;
        ucc->minimum = delay;
    }
    ucc->at_minimum += delay - ucc->minimum <= tolerance_ticks;
}

static void ucc_pkts_acked(struct sock* sk, const struct ack_sample* sample)
{
    const struct tcp_sock* tp = tcp_sk(sk);
    struct ucc* ucc = inet_csk_ca(sk);
    const bool advances = tp->snd_una != ucc->acknowledged;
    ucc->acknowledged = tp->snd_una;
    if (advances && tp->rx_opt.saw_tstamp && tp->rx_opt.rcv_tsecr)
    {
        on_packet(ucc, tp->rx_opt.rcv_tsecr, tp->rx_opt.rcv_tsval);
    }
}

// Equation (7).
static u32 ucc_ssthresh(struct sock* sk)
{
    struct ucc* ucc = inet_csk_ca(sk);
    const u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));
    const u64 busy = 1000000ull * (ucc->packets - ucc->at_minimum);
    const bool congested = !ucc->packets || busy > (u64)alpha_millionths * ucc->packets;
    begin_epoch(ucc, minimum_of_epoch);
    return congested ? tcp_reno_ssthresh(sk) : max(cwnd, 2U);
}

static void ucc_cwnd_event(struct sock* sk, enum tcp_ca_event event)
{
    if (event == CA_EVENT_LOSS) // a timeout, after it has asked for ssthresh
    {
        tcp_sk(sk)->snd_ssthresh = tcp_reno_ssthresh(sk);
    }
}

static struct tcp_congestion_ops ucc __read_mostly = {
    .init = ucc_init,
    .ssthresh = ucc_ssthresh,
    .cong_avoid = tcp_reno_cong_avoid,
    .undo_cwnd = tcp_reno_undo_cwnd,
    .pkts_acked = ucc_pkts_acked,
    .cwnd_event = ucc_cwnd_event,
    .owner = THIS_MODULE,
    .name = "ucc",
};

static int __init ucc_register(void)
{
    BUILD_BUG_ON(sizeof(struct ucc) > ICSK_CA_PRIV_SIZE);
    return clock_ticks ? tcp_register_congestion_control(&ucc) : -EINVAL;
}

module_init(ucc_register);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TCP UCC");
