// SPDX-License-Identifier: GPL-2.0-only
//
// The core's parts by themselves: prints what they do, as JSON, for tests/test_segment_parts.py.

#include "event.h"
#include "exact-math.h"
#include "loss-detection.h"
#include "recovery.h"
#include "round-trip.h"
#include "scoreboard.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

using namespace longfat::core;

namespace
{

/// `parts math FUNCTION` reads lines of one or two hexadecimal numbers, and writes one each.
int
math(const std::string& function)
{
    double x;
    double y;
    while (std::scanf("%la %la", &x, &y) == 2)
    {
        const double value = function == "exp"    ? exact_exp(x)
                             : function == "log"  ? exact_log(x)
                             : function == "pow"  ? exact_pow(x, y)
                             : function == "exp2" ? exact_exp2(x)
                                                  : exact_cbrt(x);
        std::printf("%a\n", value);
    }
    return 0;
}

/// The timeouts after a round trip in s, as they are backed off.
int
timeouts(double rtt_s)
{
    RetransmissionTimeout rto(1'000'000'000);
    rto.on_sample(from_seconds(rtt_s));
    for (int i = 0; i < 12; ++i)
    {
        std::printf("%.9f\n", seconds(rto.rto()));
        rto.back_off();
    }
    return 0;
}

/// Windows of a proportional rate reduction from `flight` segments to half of them, one lost, an ACK for
/// each of the others; all that is allowed is sent.
int
reduction(int flight)
{
    constexpr Bytes MSS = 1000;
    Recovery recovery(false);
    Bytes in_flight = flight * MSS;
    const Bytes ssthresh = in_flight / 2;
    recovery.begin(in_flight - 2 * MSS); // two were reported before
    in_flight -= 3 * MSS;                // and now a third; one is lost
    in_flight -= MSS;
    for (int i = 3; i < flight; ++i)
    {
        const Bytes cwnd = recovery.on_ack(MSS, in_flight, ssthresh, false, MSS);
        for (; in_flight + MSS <= cwnd; in_flight += MSS)
        {
            recovery.on_sent(MSS);
        }
        std::printf("%lld\n", static_cast<long long>(in_flight / MSS));
        in_flight -= MSS;
    }
    return 0;
}

/// How many of so many things that were done once, one after the other, are kept when the last is.
int
once(int count)
{
    EventQueue events;
    const auto token = std::make_shared<int>();
    for (int i = 1; i <= count; ++i)
    {
        events.at(i, [token] {});
        events.run(i, 1);
    }
    std::printf("%ld\n", token.use_count() - 1);
    return 0;
}

/// Ten segments of 1000 bytes; the first is acknowledged in so many parts, between which it is thought
/// lost and sent again. A line a part: bytes acknowledged by it, bytes in flight, and whether the marks
/// add up.
int
division(int parts)
{
    FlowSpec spec;
    spec.segment_bytes = 1000;
    const Stream stream{spec.segment_bytes};
    LossDetection detection(spec, stream);
    Scoreboard& board = detection.board;
    for (uint64_t i = 0; i < 10; ++i)
    {
        board.send(i, 1);
    }
    for (int i = 1; i <= parts; ++i)
    {
        Packet ack{};
        ack.number = i == parts;
        ack.part = static_cast<uint32_t>(1000 * i / parts % 1000);
        Bytes told = 0;
        const Delivery all =
            detection.on_ack(ack, 1000, [&](const SentSegment&, uint32_t bytes, bool) {
                told += bytes;
            });
        const bool adds_up = board.is_consistent() && told == all.delivered &&
                             board.acknowledged() == Bytes(1000 * i / parts);
        std::printf("%lld %lld %d\n",
                    static_cast<long long>(all.acked),
                    static_cast<long long>(board.pipe()),
                    adds_up);
        if (i == 1)
        {
            board.mark_head_lost([](const SentSegment&, uint64_t, uint32_t) {});
            board.send(0, 2);
        }
    }
    return 0;
}

/// Of ten segments sent and two and a half acknowledged: whether an ACK of that segment, and of so many
/// bytes of it, is old, and whether it is of what has not been sent.
int
acceptable(int number, int part)
{
    const Stream stream{1000};
    Scoreboard board(stream, true, true, false);
    for (uint64_t i = 0; i < 10; ++i)
    {
        board.send(i, 1);
    }
    board.acknowledge(2, 2, [](const SentSegment&, uint64_t, uint32_t) {});
    board.acknowledge_part(500, [](const SentSegment&, uint32_t) {});
    const auto segment = static_cast<uint64_t>(number);
    const auto bytes = static_cast<uint32_t>(part);
    std::printf("%d %d\n", board.is_old(segment, bytes), board.is_unsent(segment, bytes));
    return 0;
}

} // namespace

int
main(int argc, char** argv)
{
    const std::string what = argc > 2 ? argv[1] : "";
    return what == "math"        ? math(argv[2])
           : what == "timeouts"  ? timeouts(std::atof(argv[2]))
           : what == "reduction" ? reduction(std::atoi(argv[2]))
           : what == "once"      ? once(std::atoi(argv[2]))
           : what == "division"  ? division(std::atoi(argv[2]))
           : what == "ack"       ? acceptable(std::atoi(argv[2]), std::atoi(argv[3]))
                                 : 2;
}
