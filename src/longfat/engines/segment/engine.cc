// SPDX-License-Identifier: GPL-2.0-only

#include "engine.h"

#include "algorithm.h"
#include "scenario.h"
#include "simulation.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace longfat;
using namespace longfat::segment;

struct LongfatRun
{
    std::unique_ptr<Simulation> simulation;
    std::string error;
    bool inputIsToBlame{false};
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
    run->error = ScenarioReader(KnownAlgorithms()).Read(std::string(text, bytes), &scenario);
    run->inputIsToBlame = !run->error.empty();
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

int
longfat_run(LongfatRun* run, double untilS, double events)
{
    if (!run->simulation || !run->error.empty())
    {
        return 0;
    }
    const bool more =
        run->simulation->Run(untilS, events < 1e18 ? static_cast<uint64_t>(events) : NO_LIMIT);
    run->error = run->simulation->WhatIsWrong();
    return more;
}

double
longfat_now(const LongfatRun* run)
{
    return run->simulation ? run->simulation->NowS() : 0;
}

const char*
longfat_answer(LongfatRun* run)
{
    JsonWriter head;
    head.Begin('{');
    run->numbers.clear();
    if (run->error.empty())
    {
        run->simulation->Write(head, run->numbers);
    }
    else
    {
        head.Name("error").Text(run->error).Name("input").Truth(run->inputIsToBlame);
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
