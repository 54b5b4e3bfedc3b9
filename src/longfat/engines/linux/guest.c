// SPDX-License-Identifier: GPL-2.0-only
//
// What runs inside the emulated kernel beside a shell, ip and tc: its first process, and the two
// ends of a TCP connection. All times are seconds of virtual time since the start of the scenario.
//
//   guest                          as process 1: mount, run the plan, report, power off
//   guest now                      print the time
//   guest until TIME               wait
//   guest sysctl NS NAME=VALUE...  set net.ipv4.NAME in a network namespace
//   guest route NS ADDRESS NAME=VALUE...  a host's, whose timestamps tick in microseconds (ip before
//                                  6.7 cannot)
//   guest netem NS VERB NAME=VALUE...  add or change a netem (tc before 6.6 cannot seed one)
//   guest warm NS ADDRESS          open and close a connection, so that Linux caches its metrics
//   guest receive NAME=VALUE...    the receiver; returns when its part of the scenario is over
//   guest send NAME=VALUE...       the sender; the same

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>

enum { ZERO_S = 1000, PORT = 5000, CHUNK_BYTES = 1 << 20 }; // time 0 is so long after the boot

static void fail(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "guest: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, errno ? ": %s\n" : "\n", strerror(errno));
    exit(1);
}

static int check(int result, const char* what)
{
    if (result < 0)
    {
        fail("%s", what);
    }
    return result;
}

// --- time

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec - ZERO_S + 1e-9 * time.tv_nsec;
}

static void until(double time)
{
    errno = 0;
    if (now() > time + 1e-9)
    {
        fail("it is %.9f s, too late to wait for %.9f s", now(), time);
    }
    const int64_t ns = llround(1e9 * time);
    const struct timespec target = {ZERO_S + ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, NULL);
}

/// Wait for the events or the time, whichever comes first; return what came.
///
/// By a timer of its own: poll's timeout may be late by a thousandth.
static int wait_for(int fd, int events, double time)
{
    static int timer = -1;
    if (timer < 0)
    {
        timer = check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd");
    }
    const int64_t ns = ceil(1e9 * (ZERO_S + time)); // up: else it could come too early for ever
    const struct itimerspec target = {.it_value = {ns / 1000000000, ns % 1000000000}};
    check(timerfd_settime(timer, TFD_TIMER_ABSTIME, &target, NULL), "timerfd");
    struct pollfd both[] = {{.fd = fd, .events = events}, {.fd = timer, .events = POLLIN}};
    check(poll(both, 2, -1), "poll");
    return both[0].revents;
}

// --- arguments and files

static char** settings;

static const char* find_setting(const char* name)
{
    const size_t length = strlen(name);
    for (char** s = settings; *s; ++s)
    {
        if (!strncmp(*s, name, length) && (*s)[length] == '=')
        {
            return *s + length + 1;
        }
    }
    return NULL;
}

static const char* setting(const char* name)
{
    const char* value = find_setting(name);
    if (!value)
    {
        errno = 0;
        fail("no setting '%s'", name);
    }
    return value;
}

static double number(const char* name)
{
    return atof(setting(name));
}

static void write_file(const char* path, const char* text)
{
    const int fd = check(open(path, O_WRONLY), path);
    check(write(fd, text, strlen(text)), path);
    close(fd);
}

static void copy_file(const char* from, const char* to)
{
    static char buffer[1 << 16];
    const int in = check(open(from, O_RDONLY), from);
    const int out = check(open(to, O_WRONLY | O_CREAT, 0755), to);
    ssize_t length;
    while ((length = check(read(in, buffer, sizeof buffer), from)) > 0)
    {
        check(write(out, buffer, length), to);
    }
    close(in);
    close(out);
}

static void enter_namespace(const char* name)
{
    char path[64];
    snprintf(path, sizeof path, "/run/netns/%s", name);
    const int fd = check(open(path, O_RDONLY), path);
    check(setns(fd, CLONE_NEWNET), path);
    close(fd);
}

/// Set NAME=VALUE in net.ipv4 of this process's namespace.
static void sysctl(char* assignment)
{
    char path[128];
    char* value = strchr(assignment, '=');
    *value++ = 0;
    snprintf(path, sizeof path, "/proc/sys/net/ipv4/%s", assignment);
    write_file(path, value);
}

/// A counter of this process's namespace, from /proc/net/netstat: a line of names, one of values.
static long long counter(const char* name)
{
    static char names[1 << 14], values[1 << 14];
    FILE* file = fopen("/proc/self/net/netstat", "r");
    while (file && fgets(names, sizeof names, file) && fgets(values, sizeof values, file))
    {
        char *n, *v;
        char* a = strtok_r(names, " \n", &n);
        char* b = strtok_r(values, " \n", &v);
        for (; a && b; a = strtok_r(NULL, " \n", &n), b = strtok_r(NULL, " \n", &v))
        {
            if (!strcmp(a, name))
            {
                fclose(file);
                return atoll(b);
            }
        }
    }
    fail("no counter %s", name);
    return 0;
}

// --- links and routes

static void put(struct nlmsghdr* message, int type, const void* data, size_t length)
{
    struct rtattr* attribute = (void*)((char*)message + NLMSG_ALIGN(message->nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(length);
    memcpy(RTA_DATA(attribute), data, length);
    message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

/// Send a message to the kernel; fail unless it says that all is well.
static void ask(const struct nlmsghdr* message, const char* what)
{
    const int fd = check(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), "netlink");
    check(send(fd, message, message->nlmsg_len, 0), "netlink");
    struct
    {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char more[512];
    } answer;
    check(recv(fd, &answer, sizeof answer, 0), "netlink");
    errno = -answer.error.error;
    if (errno)
    {
        fail("%s", what);
    }
}

/// Give a device a netem: packets are lost by random numbers of its own, from its seed.
static void netem(const char* namespace, const char* verb)
{
    enum { SEED = 14 }; // TCA_NETEM_PRNG_SEED, of Linux 6.6
    static struct
    {
        struct nlmsghdr header;
        struct tcmsg qdisc;
        char attributes[512];
    } message;
    enter_namespace(namespace);
    message.header.nlmsg_len = NLMSG_LENGTH(sizeof message.qdisc);
    message.header.nlmsg_type = RTM_NEWQDISC;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    if (!strcmp(verb, "add"))
    {
        message.header.nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
    }
    message.qdisc.tcm_family = AF_UNSPEC;
    message.qdisc.tcm_ifindex = if_nametoindex(setting("device"));
    const unsigned band = number("band"); // 0: the root
    message.qdisc.tcm_parent = band ? TC_H_MAKE(1 << 16, band) : TC_H_ROOT;
    message.qdisc.tcm_handle = (band ? 16 + band : 1) << 16;
    put(&message.header, TCA_KIND, "netem", sizeof "netem");
    struct rtattr* options = (void*)((char*)&message + NLMSG_ALIGN(message.header.nlmsg_len));
    const struct tc_netem_qopt sizes = {
        .limit = 1000000,
        .loss = fmin(rint(number("loss") * 4294967296.0), 4294967295.0),
    };
    put(&message.header, TCA_OPTIONS, &sizes, sizeof sizes);
    const int64_t delay_ns = atoll(setting("delay_ns"));
    put(&message.header, TCA_NETEM_LATENCY64, &delay_ns, sizeof delay_ns);
    const uint64_t bytes_per_s = atoll(setting("bytes_per_s"));
    if (bytes_per_s >> 32)
    {
        put(&message.header, TCA_NETEM_RATE64, &bytes_per_s, sizeof bytes_per_s);
    }
    const struct tc_netem_rate rate = {
        .rate = bytes_per_s >> 32 ? ~0u : bytes_per_s,
        .packet_overhead = number("overhead"),
    };
    put(&message.header, TCA_NETEM_RATE, &rate, sizeof rate);
    const uint64_t seed = strtoull(setting("seed"), NULL, 10);
    put(&message.header, SEED, &seed, sizeof seed);
    options->rta_len = (char*)&message + message.header.nlmsg_len - (char*)options;

    ask(&message.header, "netem");
}

/// Give a host a route, with metrics of the connections over it: their timestamps tick in
/// microseconds.
static void route(const char* namespace, const char* to)
{
    static const uint32_t MICROSECONDS = 1 << 4; // RTAX_FEATURE_TCP_USEC_TS, of Linux 6.7
    static const struct
    {
        const char* name;
        int type;
    } KNOWN[] = {
        {"advmss", RTAX_ADVMSS},
        {"rto_min", RTAX_RTO_MIN},
        {"initcwnd", RTAX_INITCWND},
        {"quickack", RTAX_QUICKACK},
    };
    static struct
    {
        struct nlmsghdr header;
        struct rtmsg route;
        char attributes[512];
    } message;
    enter_namespace(namespace);
    message.header.nlmsg_len = NLMSG_LENGTH(sizeof message.route);
    message.header.nlmsg_type = RTM_NEWROUTE;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    message.route = (struct rtmsg){
        .rtm_family = AF_INET,
        .rtm_dst_len = 32,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_protocol = RTPROT_BOOT,
        .rtm_scope = RT_SCOPE_LINK,
        .rtm_type = RTN_UNICAST,
    };
    struct in_addr target;
    inet_pton(AF_INET, to, &target);
    put(&message.header, RTA_DST, &target, sizeof target);
    const int device = if_nametoindex("host");
    put(&message.header, RTA_OIF, &device, sizeof device);
    struct rtattr* metrics = (void*)((char*)&message + NLMSG_ALIGN(message.header.nlmsg_len));
    put(&message.header, RTA_METRICS, "", 0);
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; ++k)
    {
        if (find_setting(KNOWN[k].name)) // rto_min in ms
        {
            const uint32_t value = number(KNOWN[k].name);
            put(&message.header, KNOWN[k].type, &value, sizeof value);
        }
    }
    put(&message.header, RTAX_FEATURES, &MICROSECONDS, sizeof MICROSECONDS);
    metrics->rta_len = (char*)&message + message.header.nlmsg_len - (char*)metrics;
    ask(&message.header, "route");
}

// --- the two ends of a connection

static void set_tcp(int fd, int option, int value)
{
    check(setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value), "setsockopt TCP");
}

static struct tcp_info tcp_info(int fd)
{
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    check(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length), "TCP_INFO");
    return info;
}

/// Go on in a child; the parent returns to the plan when the child says so. The child lives on, so
/// that its connection does not end before the links are counted.
static int finished;

static void go_on_in_child(void)
{
    int ends[2];
    check(pipe(ends), "pipe");
    if (check(fork(), "fork"))
    {
        char status = 1;
        close(ends[1]);
        if (read(ends[0], &status, 1) != 1)
        {
            status = 1;
        }
        exit(status);
    }
    close(ends[0]);
    finished = ends[1];
}

static void finish(FILE* out)
{
    fclose(out);
    check(write(finished, "", 1), "pipe");
    close(finished);
    while (true)
    {
        pause();
    }
}

static FILE* output(void)
{
    FILE* out = fopen(setting("out"), "w");
    if (!out)
    {
        fail("%s", setting("out"));
    }
    return out;
}

static void receive(void)
{
    const double end = number("end"), interval = number("interval");
    const long long total = atoll(setting("bytes"));
    const int window = atoi(setting("window")); // 0: as Linux likes
    FILE* out = output();
    enter_namespace(setting("namespace"));
    const int listener = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    if (window)
    {
        // So large that what waits to be read does not lessen the window.
        const int buffer = 4 * window > CHUNK_BYTES * 8 ? 4 * window : CHUNK_BYTES * 8;
        check(setsockopt(listener, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer), "buffer");
        set_tcp(listener, TCP_WINDOW_CLAMP, window);
    }
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    check(bind(listener, (const struct sockaddr*)&any, sizeof any), "bind");
    check(listen(listener, 8), "listen");
    go_on_in_child();

    int fd = -1;
    long long bytes = 0;
    double completion = NAN, next = interval;
    bool open = true, warm = atoi(setting("warm"));
    while (true)
    {
        const double time = fmin(end, next);
        if (fd < 0)
        {
            if (wait_for(listener, POLLIN, time))
            {
                fd = check(accept4(listener, NULL, NULL, SOCK_NONBLOCK), "accept");
                if (warm)
                {
                    while (wait_for(fd, POLLIN, time) && recv(fd, NULL, 1 << 24, MSG_TRUNC) > 0)
                    {
                    }
                    close(fd);
                    fd = -1;
                    warm = false;
                }
            }
        }
        else
        {
            // Wake up for a chunk only, or for the last byte, after the first segments. What waits
            // to be read lessens a window that Linux chooses.
            const int chunk = bytes < 1 << 16 ? 1 : window ? CHUNK_BYTES : 1 << 14;
            const int lowat = total && total - bytes < chunk ? total - bytes : chunk;
            check(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof lowat), "lowat");
            if (window)
            {
                // Linux forgets it when, with the first segments, it learns what one costs in memory.
                set_tcp(fd, TCP_WINDOW_CLAMP, window);
            }
            wait_for(fd, open ? POLLIN : 0, time);
            ssize_t length;
            while ((length = recv(fd, NULL, 1 << 24, MSG_TRUNC)) > 0)
            {
                bytes += length;
            }
            if (total && bytes == total && isnan(completion))
            {
                completion = now();
            }
            open = open && length < 0 && errno == EAGAIN;
        }
        if (now() >= next)
        {
            fprintf(out, "delivered %.9f %lld\n", now(), bytes);
            next += interval;
        }
        if (now() >= end || !isnan(completion))
        {
            break;
        }
    }
    fprintf(out, "received %lld %.9f\n", bytes, completion);
    if (fd >= 0)
    {
        shutdown(fd, SHUT_WR);
    }
    finish(out);
}

/// Have Linux cap the congestion window of the connections that this process will open.
///
/// Hybla sets the cap of its own, 65535, when it is initialised. This program is called as a
/// connection is established; it initialises the algorithm and sets the cap after that.
static void cap_window(const char* algorithm, int cap)
{
    char name[16] = {0};
    strncpy(name, algorithm, sizeof name - 1);
    int64_t words[2];
    memcpy(words, name, sizeof words);
    enum { R0, R1, R2, R3, R4, R5, R6, R10 = 10 };
#define MOVE(to, from) {.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from}
#define SET(to, value) {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .imm = value}
#define ADD(to, value) {.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = to, .imm = value}
#define SET64(to, value)                                                                           \
    {.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = to, .imm = (int32_t)(value)},                    \
    {.imm = (int32_t)((uint64_t)(value) >> 32)}
#define STORE64(at, from)                                                                          \
    {.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = R10, .src_reg = from, .off = at}
#define STORE32(at, value) {.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = R10, .off = at, .imm = value}
#define RETURN {.code = BPF_JMP | BPF_EXIT}
#define SETSOCKOPT {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_setsockopt}
    const struct bpf_insn program[] = {
        MOVE(R6, R1),
        {.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = R2, .src_reg = R6,
         .off = offsetof(struct bpf_sock_ops, op)},
        {.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = R2, .off = 2, // over the return
         .imm = BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB},
        SET(R0, 1), RETURN,
        SET64(R3, words[0]), STORE64(-16, R3),
        SET64(R3, words[1]), STORE64(-8, R3),
        MOVE(R1, R6), SET(R2, IPPROTO_TCP), SET(R3, TCP_CONGESTION),
        MOVE(R4, R10), ADD(R4, -16), SET(R5, (int)strlen(name) + 1), SETSOCKOPT,
        STORE32(-16, cap),
        MOVE(R1, R6), SET(R2, IPPROTO_TCP), SET(R3, TCP_BPF_SNDCWND_CLAMP),
        MOVE(R4, R10), ADD(R4, -16), SET(R5, 4), SETSOCKOPT,
        SET(R0, 1), RETURN,
    };
    static char log[1 << 14];
    union bpf_attr load = {
        .prog_type = BPF_PROG_TYPE_SOCK_OPS,
        .insns = (uintptr_t)program,
        .insn_cnt = sizeof program / sizeof *program,
        .license = (uintptr_t) "GPL",
        .log_buf = (uintptr_t)log,
        .log_size = sizeof log,
        .log_level = 1,
    };
    const int loaded = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
    if (loaded < 0)
    {
        fail("BPF_PROG_LOAD: %s", log);
    }
    char path[64];
    snprintf(path, sizeof path, "/run/cgroup/%d", getpid());
    check(mkdir(path, 0755), path);
    union bpf_attr attach = {
        .target_fd = check(open(path, O_RDONLY | O_DIRECTORY), path),
        .attach_bpf_fd = loaded,
        .attach_type = BPF_CGROUP_SOCK_OPS,
    };
    check(syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach), "BPF_PROG_ATTACH");
    strcat(path, "/cgroup.procs");
    write_file(path, "0");
}

static struct sockaddr_in address(const char* text)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

static void warm(const char* namespace, const char* to)
{
    enter_namespace(namespace);
    const struct sockaddr_in target = address(to);
    const int fd = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    check(connect(fd, (const struct sockaddr*)&target, sizeof target), "connect");
    char nothing = 0;
    check(write(fd, &nothing, 1), "write");
    shutdown(fd, SHUT_WR);
    while (read(fd, &nothing, 1) > 0)
    {
    }
    close(fd);
}

static void send_data(void)
{
    static char data[1 << 17];
    const double end = number("end"), interval = number("interval"), stop = number("stop");
    const long long total = atoll(setting("bytes"));
    const int cap = atoi(setting("cap")), buffer = atoi(setting("buffer"));
    const char* algorithm = setting("algorithm");
    const struct sockaddr_in target = address(setting("to"));
    FILE* out = output();
    go_on_in_child();
    if (cap)
    {
        cap_window(algorithm, cap);
    }
    enter_namespace(setting("namespace"));
    const long long recoveries = counter("TCPSackRecovery") + counter("TCPRenoRecovery");
    const long long timeouts = counter("TCPTimeouts");
    const int fd = check(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
    if (!cap)
    {
        check(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm, strlen(algorithm)), algorithm);
    }
    if (buffer)
    {
        check(setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer), "buffer");
    }
    // Enough unsent data that the congestion window is what limits, and no more.
    set_tcp(fd, TCP_NOTSENT_LOWAT, 4 * CHUNK_BYTES);
    until(number("start"));
    if (connect(fd, (const struct sockaddr*)&target, sizeof target) && errno != EINPROGRESS)
    {
        fail("connect");
    }

    long long written = 0;
    double next = interval;
    while (next < number("start"))
    {
        next += interval;
    }
    bool open = true, over = false, dead = false; // dead: it has given up, and is counted as it is
    while (!over)
    {
        const double time = fmin(fmin(end, next), open ? stop : end);
        const int events = wait_for(dead ? -1 : fd, open ? POLLOUT : POLLIN, time);
        if (open && events & POLLOUT)
        {
            size_t size = sizeof data;
            ssize_t length = 1;
            while (length > 0 && (!total || written < total))
            {
                size = total && total - written < (long long)size ? total - written : size;
                length = write(fd, data, size);
                written += length > 0 ? length : 0;
            }
        }
        if (open && ((total && written == total) || now() >= stop))
        {
            shutdown(fd, SHUT_WR);
            open = false;
        }
        // The receiver closes when it has everything.
        over = now() >= end || (total && !open && events & (POLLIN | POLLHUP));
        if (events & POLLERR)
        {
            fprintf(out, "given_up %.9f\n", now());
            dead = true;
            open = false;
        }
        while (now() >= next)
        {
            const struct tcp_info info = tcp_info(fd);
            fprintf(out, "sender %.9f %u %u %u\n", now(), info.tcpi_snd_cwnd,
                    info.tcpi_snd_ssthresh, info.tcpi_rtt);
            next += interval;
        }
    }
    const struct tcp_info info = tcp_info(fd);
    fprintf(out, "sent %u %u %lld %lld %u\n", info.tcpi_data_segs_out, info.tcpi_total_retrans,
            counter("TCPSackRecovery") + counter("TCPRenoRecovery") - recoveries,
            counter("TCPTimeouts") - timeouts, info.tcpi_snd_mss);
    finish(out);
}

// --- process 1

static void mount_at(const char* type, const char* path, unsigned long flags, const char* options)
{
    mkdir(path, 0755);
    check(mount(type, path, type, flags, options), path);
}

static void first_process(void)
{
    const int console = check(open("/dev/console", O_RDWR), "console");
    dup2(console, 1);
    dup2(console, 2);
    mount_at("hostfs", "/host", MS_RDONLY, "/");
    mount_at("proc", "/host/proc", 0, NULL);
    mount_at("sysfs", "/host/sys", 0, NULL);
    mount_at("tmpfs", "/host/run", 0, NULL);
    mount_at("tmpfs", "/host/tmp", 0, NULL);
    mount_at("cgroup2", "/host/run/cgroup", 0, NULL);
    check(mkdir("/host/run/netns", 0755), "netns");
    copy_file("/init", "/host/run/guest");
    copy_file("/plan", "/host/run/plan");
    int status = 1;
    if (!check(fork(), "fork"))
    {
        check(chroot("/host"), "chroot");
        check(chdir("/run"), "chdir");
        char* const arguments[] = {"sh", "-eu", "/run/plan", NULL};
        char* const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
        execve("/bin/sh", arguments, environment);
        fail("/bin/sh");
    }
    while (wait(&status) < 0)
    {
    }
    printf("== plan ended with status %d\n", WEXITSTATUS(status));
    fflush(stdout);
    reboot(RB_POWER_OFF);
}

int main(int count, char** words)
{
    setvbuf(stderr, NULL, _IOLBF, 0);
    prctl(PR_SET_TIMERSLACK, 1); // ns
    settings = words + (count > 1 ? 2 : 1);
    const char* task = count > 1 ? words[1] : "";
    if (getpid() == 1)
    {
        first_process();
    }
    else if (!strcmp(task, "now"))
    {
        printf("%.9f\n", now());
    }
    else if (!strcmp(task, "until"))
    {
        until(atof(words[2]));
    }
    else if (!strcmp(task, "sysctl"))
    {
        enter_namespace(words[2]);
        for (char** assignment = words + 3; *assignment; ++assignment)
        {
            sysctl(*assignment);
        }
    }
    else if (!strcmp(task, "netem"))
    {
        netem(words[2], words[3]);
    }
    else if (!strcmp(task, "route"))
    {
        route(words[2], words[3]);
    }
    else if (!strcmp(task, "warm"))
    {
        warm(words[2], words[3]);
    }
    else if (!strcmp(task, "receive"))
    {
        receive();
    }
    else if (!strcmp(task, "send"))
    {
        send_data();
    }
    else
    {
        errno = 0;
        fail("unknown task '%s'", task);
    }
    return 0;
}
