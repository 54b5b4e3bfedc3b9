"""What do the bandwidth filters of Westwood and TCP-J cost? `python tools/bench_filters.py`.

Writes data/bench-filters.csv, nanoseconds an ACK in the compiled headers (JIT, -O2), and
data/bench-filters-machine.csv, which says where. Each time is the best of several repetitions of a
million ACKs: other work on the machine can only add to it.
"""

import bench
import pandas as pd

from longfat import paths
from longfat.engines.ns3 import bindings

TABLE = paths.DATA / "bench-filters.csv"
MACHINE = paths.DATA / "bench-filters-machine.csv"
ACKS = 1_000_000
REPETITIONS = 15

CODE = """
#include <chrono>
namespace longfat_bench
{
/// A congestion control whose filter can be called from outside.
template <typename Control>
struct Open : Control
{
    double Step(double bits, double intervalS)
    {
        this->m_bandwidth = this->Filter(bits, intervalS);
        return this->m_bandwidth.Get();
    }
};

/// The intervals between ACKs, uneven so that no compiler can know them.
std::vector<double> Intervals()
{
    std::vector<double> intervals;
    for (int i = 0; i < 1024; ++i)
    {
        intervals.push_back(0.002 + 0.003 * ((i * 7919) % 1024) / 1024.0);
    }
    return intervals;
}

/// Nanoseconds an ACK of a step (a function of bits and interval), the best of the repetitions.
template <typename Step>
double Measure(Step step, int acks, int repetitions)
{
    const auto intervals = Intervals();
    double best = 1e9;
    volatile double sink = 0;
    for (int r = 0; r < repetitions; ++r)
    {
        const auto start = std::chrono::steady_clock::now();
        double sum = 0;
        for (int i = 0; i < acks; ++i)
        {
            sum += step(23360.0, intervals[i & 1023]);
        }
        sink = sink + sum;
        const std::chrono::duration<double, std::nano> taken =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count() / acks);
    }
    return best;
}

double Loop(int acks, int repetitions)
{
    return Measure([](double bits, double s) { return bits + s; }, acks, repetitions);
}

double WestwoodClass(int acks, int repetitions)
{
    auto control = ns3::CreateObject<Open<longfat::TcpWestwood>>(); // with its attributes
    return Measure([&](double b, double s) { return control->Step(b, s); }, acks, repetitions);
}

double TcpJClass(int acks, int repetitions)
{
    auto control = ns3::CreateObject<Open<longfat::TcpJ>>(); // with its attributes
    return Measure([&](double b, double s) { return control->Step(b, s); }, acks, repetitions);
}

/// Equation (2) alone, with T = 1 s.
double WestwoodFormula(int acks, int repetitions)
{
    double bandwidth = 0;
    double last = 0;
    return Measure(
        [&](double bits, double s) {
            const double sample = bits / s;
            const double ratio = 2.0 / s;
            bandwidth = ((ratio - 1) * bandwidth + sample + last) / (ratio + 1);
            last = sample;
            return bandwidth;
        },
        acks,
        repetitions);
}

/// Equation (9) alone, with alpha = 0.9.
double TcpJFormula(int acks, int repetitions)
{
    double bandwidth = 0;
    double last = 0;
    return Measure(
        [&](double bits, double s) {
            const double sample = bits / s;
            bandwidth = 0.9 * bandwidth + 0.05 * (sample + last);
            last = sample;
            return bandwidth;
        },
        acks,
        repetitions);
}
}
"""

WHAT = {
    "Loop": "the loop alone",
    "WestwoodFormula": "equations (1) and (2)",
    "TcpJFormula": "equations (8) and (9)",
    "WestwoodClass": "westwood.h: (1), (2), samples of zero, trace",
    "TcpJClass": "tcpj.h: (8), (9), trace",
}


def measure(acks: int = ACKS, repetitions: int = REPETITIONS) -> pd.DataFrame:
    """Return the time of each step: columns step, what, ns_per_ack, acks, repetitions."""
    bindings.load()
    import cppyy

    if not hasattr(cppyy.gbl, "longfat_bench"):
        cppyy.cppdef(CODE)
    functions = cppyy.gbl.longfat_bench
    return pd.DataFrame(
        {
            "step": step,
            "what": what,
            "ns_per_ack": round(getattr(functions, step)(acks, repetitions), 2),
            "acks": acks,
            "repetitions": repetitions,
        }
        for step, what in WHAT.items()
    )


def main() -> None:
    """Measure, print the table and write both files."""
    where = bench.machine()
    table = measure()
    table.to_csv(TABLE, index=False, lineterminator="\n")
    where.to_csv(MACHINE, index=False, lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
