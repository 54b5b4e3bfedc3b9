// SPDX-License-Identifier: GPL-2.0-only
//
// A sender of Linux, alone (tests/linux_sender.py): a TCP connection whose far end is not a kernel but
// peer.h, which reads and writes its segments through a raw socket. What Linux then sends after each
// ACK is printed, a line of JSON each, as segment_sender.cc prints it. It runs in the emulated kernel
// of engine `linux`, whose virtual time stands still while anybody computes.
//
//     linux_sender END RTT GAP SACK WORD...     seconds; the words are peer.h's
//
// Namespace s has the sender, 10.1.0.1, r the far end, 10.2.0.1; both have the device `host`. In r
// there is no route back, so that its kernel's own answers, resets, go nowhere.

#define _GNU_SOURCE
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum
{
    SEGMENT_BYTES = 1000,
    PORT = 5000,
    START_S = 1 // of the connection, after the emulated kernel's time 0
};

static int
check(int result, const char* what)
{
    if (result < 0)
    {
        perror(what);
        exit(1);
    }
    return result;
}

/// Nanoseconds since the connection began; the guest's time 0 is 1000 s after its boot.
static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (time.tv_sec - 1000 - START_S) * 1000000000ll + time.tv_nsec;
}

static void
wait_until(int64_t ns)
{
    const int64_t whole = ns + (1000 + START_S) * 1000000000ll;
    const struct timespec target = {whole / 1000000000, whole % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, NULL);
}

static void
enter(const char* namespace)
{
    const int fd = check(open(namespace, O_RDONLY), namespace);
    check(setns(fd, CLONE_NEWNET), namespace);
    close(fd);
}

static uint32_t
add_words(const void* data, int bytes, uint32_t sum)
{
    const uint8_t* at = data;
    for (; bytes > 1; bytes -= 2, at += 2)
    {
        sum += at[0] << 8 | at[1];
    }
    return sum;
}

/// Give the sender a segment without data; `echo`: with ECE.
static void
answer(int raw,
       const struct tcphdr* cause,
       uint32_t number,
       int syn,
       int echo,
       const uint8_t* options,
       int bytes)
{
    struct
    {
        struct tcphdr tcp;
        uint8_t options[40];
    } out = {0};
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a010001)};
    const uint32_t from = htonl(0x0a020001);
    const int length = sizeof out.tcp + bytes;
    out.tcp.source = htons(PORT);
    out.tcp.dest = cause->source;
    out.tcp.seq = htonl(syn ? 0 : 1);
    out.tcp.ack_seq = htonl(number);
    out.tcp.doff = length / 4;
    out.tcp.syn = syn;
    out.tcp.ack = 1;
    out.tcp.ece = echo;
    out.tcp.window = 0xffff;
    if (bytes)
    {
        memcpy(out.options, options, bytes);
    }
    uint32_t sum = IPPROTO_TCP + length;
    sum = add_words(&from, 4, add_words(&to.sin_addr, 4, add_words(&out, length, sum)));
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    out.tcp.check = htons(~sum);
    check(sendto(raw, &out, length, 0, (const struct sockaddr*)&to, sizeof to), "sendto");
}

static struct peer peer;
static struct tcphdr first; //!< the sender's SYN
static char sent[1 << 16];  //!< since the last line, as JSON
static int sent_length;

/// Read what the sender has sent, at that time.
static void
take(int raw, int64_t time_ns)
{
    static uint8_t buffer[1 << 16];
    ssize_t length;
    while ((length = recv(raw, buffer, sizeof buffer, MSG_DONTWAIT)) > 0)
    {
        const struct iphdr* ip = (const void*)buffer;
        const struct tcphdr* tcp = (const void*)(buffer + 4 * ip->ihl);
        const int payload = length - 4 * ip->ihl - 4 * tcp->doff;
        if (tcp->syn)
        {
            first = *tcp;
        }
        if (payload <= 0)
        {
            continue;
        }
        const uint32_t offset = ntohl(tcp->seq) - ntohl(first.seq) - 1;
        if (payload != SEGMENT_BYTES || offset % SEGMENT_BYTES)
        {
            fprintf(stderr, "not a segment: %d bytes from %u\n", payload, offset);
            exit(1);
        }
        const uint32_t segment = offset / SEGMENT_BYTES;
        peer_take(&peer, segment, tcp->cwr, time_ns);
        sent_length += sprintf(sent + sent_length,
                               "%s[%.9f, %u, \"%s\"]",
                               sent_length ? ", " : "",
                               1e-9 * time_ns,
                               segment,
                               tcp->cwr ? "CWR" : "");
    }
}

static void
print(int fd, int64_t time_ns, const char* more)
{
    static const char* const STATES[] = {"open", "disorder", "cwr", "recovery", "loss"};
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    check(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length), "TCP_INFO");
    sent[sent_length] = 0;
    printf("{\"time_s\": %.9f%s, \"sent\": [%s], \"cwnd\": %u, \"ssthresh\": %u, \"pipe\": %d, "
           "\"state\": \"%s\"}\n",
           1e-9 * time_ns,
           more,
           sent,
           info.tcpi_snd_cwnd,
           info.tcpi_snd_ssthresh,
           (int)(info.tcpi_unacked - info.tcpi_sacked - info.tcpi_lost + info.tcpi_retrans),
           STATES[info.tcpi_ca_state]);
    sent_length = 0;
}

static void
acknowledge(int raw, int fd)
{
    const struct peer_ack ack = peer_answer(&peer);
    const uint32_t zero = ntohl(first.seq) + 1;
    uint8_t options[4 + 8 * PEER_BLOCKS] = {1, 1, 5, 2 + 8 * ack.blocks};
    char told[256];
    int length = sprintf(told, ", \"ack\": %u, \"sack\": [", ack.number);
    for (int i = 0; i < ack.blocks; ++i)
    {
        const uint32_t edges[] = {htonl(zero + ack.first[i] * SEGMENT_BYTES),
                                  htonl(zero + ack.end[i] * SEGMENT_BYTES)};
        memcpy(options + 4 + 8 * i, edges, sizeof edges);
        length += sprintf(told + length, "%s[%u, %u]", i ? ", " : "", ack.first[i], ack.end[i]);
    }
    sprintf(told + length, "], \"echo\": %d", ack.echo);
    answer(raw,
           &first,
           zero + ack.number * SEGMENT_BYTES,
           0,
           ack.echo,
           options,
           ack.blocks ? 4 + 8 * ack.blocks : 0);
    usleep(1); // until all that follows from it has happened
    take(raw, ack.time_ns);
    print(fd, ack.time_ns, told);
}

static void
write_for_ever(int fd)
{
    static char data[1 << 16];
    while (1)
    {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        poll(&ready, 1, -1);
        if (write(fd, data, sizeof data) < 0 && errno != EAGAIN)
        {
            exit(1);
        }
    }
}

int
main(int count, char** words)
{
    if (count < 5)
    {
        fprintf(stderr, "usage: linux_sender END RTT GAP SACK WORD...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    const int64_t end = llround(1e9 * atof(words[1]));
    peer.rtt_ns = llround(1e9 * atof(words[2]));
    peer.gap_ns = llround(1e9 * atof(words[3]));
    peer.sack = atoi(words[4]);
    for (char** word = words + 5; *word; ++word)
    {
        if (!peer_option(&peer, *word))
        {
            fprintf(stderr, "unknown word: %s\n", *word);
            return 2;
        }
    }
    enter("/run/netns/r");
    const int raw = check(socket(AF_INET, SOCK_RAW, IPPROTO_TCP), "raw socket");
    check(setsockopt(raw, SOL_SOCKET, SO_BINDTODEVICE, "host", 5), "bind to device");
    enter("/run/netns/s");
    const int fd = check(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
    check(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4), "reno");
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(PORT),
                                   .sin_addr.s_addr = htonl(0x0a020001)};
    wait_until(0);
    connect(fd, (const struct sockaddr*)&to, sizeof to);
    wait_until(peer.rtt_ns);
    take(raw, 0);
    // 1000 bytes a segment; SACK; a window in units of 2^14
    const uint8_t with_sack[] = {2, 4, 3, 232, 4, 2, 3, 3, 14, 1, 1, 1};
    const uint8_t without[] = {2, 4, 3, 232, 3, 3, 14, 1};
    answer(raw,
           &first,
           ntohl(first.seq) + 1,
           1,
           peer.ecn,
           peer.sack ? with_sack : without,
           peer.sack ? sizeof with_sack : sizeof without);
    usleep(1);
    // The window of a SYN has no units; a later change would make an ACK no duplicate (RFC 5681, 2).
    answer(raw, &first, ntohl(first.seq) + 1, 0, 0, NULL, 0);
    usleep(1);
    const int writer = check(fork(), "fork");
    if (!writer)
    {
        write_for_ever(fd);
    }
    usleep(1);
    take(raw, peer.rtt_ns);
    print(fd, peer.rtt_ns, "");
    while (1)
    {
        const int64_t next =
            peer.count > 0 && peer.under_way_ns[0] < end ? peer.under_way_ns[0] : end;
        const int64_t left = next - now();
        const struct timespec wait = {left / 1000000000, left % 1000000000};
        struct pollfd ready = {.fd = raw, .events = POLLIN};
        if (left > 0 && ppoll(&ready, 1, &wait, NULL) > 0)
        {
            const int64_t time = now();
            take(raw, time);
            print(fd, time, ""); // a timer's
        }
        else if (next == end)
        {
            break;
        }
        else
        {
            acknowledge(raw, fd);
        }
    }
    kill(writer, SIGKILL);
    return fflush(stdout);
}
