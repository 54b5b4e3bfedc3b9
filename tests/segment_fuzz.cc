// SPDX-License-Identifier: GPL-2.0-only
//
// A target for libFuzzer (tools/fuzz.py): any bytes as a scenario. The reader refuses them with a sentence
// or makes a scenario of them, and that is built and begun. Conditions that sanitizers see, and the run's
// own checks, end the process.

#include "scenario.h"
#include "simulation.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace longfat;
using namespace longfat::core;

namespace
{

/// A scenario may ask for more than a fuzzer has time and memory for.
bool
is_small(const ScenarioSpec& scenario)
{
    bool small = scenario.points <= 1000;
    for (const FlowSpec& flow : scenario.flows)
    {
        small = small && flow.initial_window <= 100;
    }
    return small;
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    constexpr uint64_t MOST_EVENTS = 2000;
    ScenarioSpec scenario;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string refused = ScenarioReader().read(text, &scenario);
    if (refused.find('\n') != refused.npos && text.find('\n') == text.npos &&
        text.find("\\n") == text.npos)
    {
        std::abort(); // one sentence
    }
    if (!refused.empty() || !is_small(scenario))
    {
        return 0;
    }
    Simulation simulation(std::move(scenario));
    simulation.run(NEVER, MOST_EVENTS);
    if (const char* wrong = simulation.wrong())
    {
        std::fprintf(stderr, "%s\n", wrong);
        std::abort();
    }
    JsonWriter head;
    std::vector<double> numbers;
    head.Begin('{');
    simulation.write(head, numbers);
    head.End('}');
    return 0;
}
