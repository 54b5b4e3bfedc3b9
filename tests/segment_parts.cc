// SPDX-License-Identifier: GPL-2.0-only
//
// The core's parts by themselves: prints what they do, as JSON, for tests/test_segment_parts.py.

#include "event.h"
#include "exact-math.h"
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

} // namespace

int
main(int argc, char** argv)
{
    const std::string what = argc > 2 ? argv[1] : "";
    return what == "math"        ? math(argv[2])
           : what == "timeouts"  ? timeouts(std::atof(argv[2]))
           : what == "reduction" ? reduction(std::atoi(argv[2]))
           : what == "once"      ? once(std::atoi(argv[2]))
                                 : 2;
}
