// SPDX-License-Identifier: GPL-2.0-only
//
// Prints times, rates and random numbers, bit by bit: with ns-3 itself (-DNS3) and with the segment
// engine's stand-in for it, and the outputs must be the same.

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#ifdef NS3
#include "ns3/rng-seed-manager.h"
#else
#include "ns3/simulator.h"
#endif

#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace ns3;

/// Any bits, always the same.
static uint64_t
Bits()
{
    static uint64_t state = 88172645463325252ull; // G. Marsaglia, "Xorshift RNGs", 2003
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double
Fraction()
{
    return static_cast<double>(Bits() >> 11) * 0x1p-53;
}

static void
Print(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    std::printf("%016llx\n", static_cast<unsigned long long>(bits));
}

static void
Print(int64_t value)
{
    std::printf("%lld\n", static_cast<long long>(value));
}

static void
PrintTimes()
{
    const auto ticks = static_cast<int64_t>(Bits() >> 1) >> Bits() % 63;
    const Time time(Bits() & 1 ? ticks : -ticks);
    Print(time.GetSeconds());
    Print(time.ToDouble(Time::MS));
    Print(time.ToDouble(Time::US));
    Print(time.GetMilliSeconds());
    Print(time.GetMicroSeconds());
    const double scale = Bits() & 3 ? 1 : 1e-9;
    Print(Seconds(Fraction() * static_cast<double>(1ull << Bits() % 33) * scale).GetTimeStep());
    const auto shorter = Time(static_cast<int64_t>(Bits() >> 1) >> (20 + Bits() % 40));
    Print((shorter * (4 * Fraction())).GetTimeStep());
    Print((shorter / (0.01 + 10 * Fraction())).GetTimeStep());
    Print((Time(ticks >> 20) / (shorter + Time(1))).GetDouble());
    const DataRate rate(1 + (Bits() >> (20 + Bits() % 43)));
    Print(rate.CalculateBytesTxTime(Bits() % 9100).GetTimeStep());
    Print(rate * shorter);
}

int
main()
{
#ifdef NS3
    RngSeedManager::SetSeed(1);
#else
    SimulatorState state;
    const Simulator::Running running(&state);
#endif
    for (int i = 0; i < 50'000; ++i)
    {
        PrintTimes();
    }
    for (uint64_t i = 1; i < 40; ++i)
    {
        const uint64_t run = i * i * 7919;
#ifdef NS3
        RngSeedManager::SetRun(run);
#else
        state.run = run;
#endif
        auto uniform = CreateObject<UniformRandomVariable>();
        uniform->SetStream(i % 3 == 0 ? 1'000'000 + i / 3 - 1 : i % 7);
        for (int j = 0; j < 500; ++j)
        {
            Print(uniform->GetValue());
        }
        Print(static_cast<int64_t>(uniform->GetInteger(3, 9)));
        Print(uniform->GetValue(2, 5));
    }
}
