// SPDX-License-Identifier: GPL-2.0-only

#include "engine.h"

#include "scenario.h"
#include "simulation.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace longfat;
using namespace longfat::core;

struct LongfatRun
{
    std::unique_ptr<Simulation> simulation;
    std::string error;
    bool input_is_to_blame{false};
    std::string answer;
    std::vector<double> numbers;
};

char*
longfat_alloc(unsigned bytes)
{
    return static_cast<char*>(std::malloc(bytes + 1));
}

LongfatRun*
longfat_start(char* text, unsigned bytes)
{
    auto* run = new LongfatRun;
    ScenarioSpec scenario;
    run->error = ScenarioReader().read(std::string(text, bytes), &scenario);
    run->input_is_to_blame = !run->error.empty();
    std::free(text);
    if (run->error.empty())
    {
        run->simulation = std::make_unique<Simulation>(std::move(scenario));
    }
    return run;
}

const char*
longfat_error(const LongfatRun* run)
{
    return run->error.c_str();
}

/// What is wrong is looked for every so many events, so that a run which has found itself wrong ends.
int
longfat_run(LongfatRun* run, double until_s, double events)
{
    constexpr uint64_t MOST = 100'000;
    const Time until = until_s < 9e9 ? from_seconds(until_s) : NEVER;
    bool more = run->simulation && run->error.empty();
    for (double left = events; more && left > 0; left -= MOST)
    {
        const uint64_t before = run->simulation->events();
        const uint64_t most = left < MOST ? static_cast<uint64_t>(left) : MOST;
        more = run->simulation->run(until, most);
        if (const char* wrong = run->simulation->wrong())
        {
            run->error = wrong;
        }
        if (run->simulation->events() - before < most) // the rest is later
        {
            break;
        }
    }
    return more;
}

double
longfat_now(const LongfatRun* run)
{
    return run->simulation ? seconds(run->simulation->now()) : 0;
}

const char*
longfat_answer(LongfatRun* run)
{
    JsonWriter head;
    head.Begin('{');
    run->numbers.clear();
    if (run->error.empty())
    {
        run->simulation->write(head, run->numbers);
    }
    else
    {
        head.Name("error").Text(run->error).Name("input").Truth(run->input_is_to_blame);
    }
    head.End('}');
    run->answer = std::move(head.text);
    return run->answer.c_str();
}

const double*
longfat_numbers(LongfatRun* run)
{
    return run->numbers.data();
}

unsigned
longfat_number_count(LongfatRun* run)
{
    return run->numbers.size();
}

void
longfat_end(LongfatRun* run)
{
    delete run;
}

const char*
longfat_catalogue()
{
    static std::string text;
    JsonWriter all;
    all.Begin('[');
    for (const Algorithm* algorithm : Algorithm::all())
    {
        algorithm->write(all);
    }
    all.End(']');
    text = std::move(all.text);
    return text.c_str();
}
