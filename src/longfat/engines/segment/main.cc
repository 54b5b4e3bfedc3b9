// SPDX-License-Identifier: GPL-2.0-only
//
// The program that runs one scenario on this machine, and ends: it costs a run if it crashes.
//
//     core SECONDS BYTES CONGESTION-CONTROL...   <scenario.json   >answer
//     core --catalogue SECONDS CONGESTION-CONTROL...
//
// It runs for so many seconds at most and takes so many bytes of memory beyond its own (0: any), and
// loads the congestion controls that are named, shared objects each made of a header. The answer is a line
// of JSON, a line of what the run took, and the series (engine.h). With --catalogue it prints the entries and
// parameters of what it has loaded, as JSON.

#include "engine.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace
{

/// End by SIGALRM at the time limit.
void
limit_time(double seconds)
{
    itimerval time{};
    time.it_value.tv_sec = static_cast<time_t>(seconds);
    time.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - time.it_value.tv_sec));
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &time, nullptr);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // no run outlives who asked for it
#endif
}

/// Let memory grow by so much at most.
void
limit_memory(double bytes)
{
#ifdef __linux__
    if (FILE* score = std::fopen("/proc/self/oom_score_adj", "w"))
    {
        std::fputs("1000", score); // if memory runs out, the kernel ends a run, not the sweep
        std::fclose(score);
    }
    unsigned long pages = 0;
    if (FILE* sizes = std::fopen("/proc/self/statm", "r"))
    {
        if (std::fscanf(sizes, "%lu", &pages) != 1)
        {
            pages = 0;
        }
        std::fclose(sizes);
    }
    if (bytes > 0)
    {
        const rlim_t all = pages * sysconf(_SC_PAGESIZE) + static_cast<rlim_t>(bytes);
        const rlimit limit{all, all};
        setrlimit(RLIMIT_AS, &limit);
    }
#endif
}

/// What getrusage counts in: kB on Linux, bytes on macOS.
#ifdef __APPLE__
constexpr double MEMORY_UNIT = 1;
#else
constexpr double MEMORY_UNIT = 1024;
#endif

/// Run to the end, and say on standard error every second how far that is.
void
run_all(LongfatRun* run)
{
    using Clock = std::chrono::steady_clock;
    constexpr double EVENTS = 100'000; // between two looks at the clock
    Clock::time_point says = Clock::now() + std::chrono::seconds(1);
    while (longfat_run(run, 1e300, EVENTS))
    {
        if (const auto now = Clock::now(); now >= says)
        {
            std::fprintf(stderr, "simulated until: %.9g\n", longfat_now(run));
            says = now + std::chrono::seconds(1);
        }
    }
}

/// All of standard input, in memory of longfat_alloc.
char*
read_all(unsigned* bytes)
{
    std::string text;
    char part[65536];
    ssize_t got;
    while ((got = read(0, part, sizeof(part))) > 0)
    {
        text.append(part, got);
    }
    *bytes = text.size();
    char* kept = longfat_alloc(*bytes);
    text.copy(kept, *bytes);
    return kept;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 3)
    {
        std::fprintf(stderr, "usage: core SECONDS BYTES CONGESTION-CONTROL... <scenario\n");
        return 2;
    }
    const bool catalogue = argv[1] == std::string_view("--catalogue");
    limit_time(std::atof(argv[catalogue ? 2 : 1]));
    for (int i = 3; i < argc; ++i)
    {
        if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
        {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    if (catalogue)
    {
        std::printf("%s\n", longfat_catalogue());
        return 0;
    }
    limit_memory(std::atof(argv[2]));
    unsigned bytes;
    char* text = read_all(&bytes);
    const auto started = std::chrono::steady_clock::now();
    const std::clock_t cpu_started = std::clock();
    LongfatRun* run = longfat_start(text, bytes);
    run_all(run);
    const double cpu_s = double(std::clock() - cpu_started) / CLOCKS_PER_SEC;
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::printf("%s\n{\"cpu_s\": %.9f, \"wall_s\": %.9f, \"peak_memory_bytes\": %.0f}\n",
                longfat_answer(run),
                cpu_s,
                wall_s,
                MEMORY_UNIT * used.ru_maxrss);
    if (longfat_number_count(run) > 0) // else there is no place where they stand
    {
        std::fwrite(longfat_numbers(run), sizeof(double), longfat_number_count(run), stdout);
    }
    longfat_end(run);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
