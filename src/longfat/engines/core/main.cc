// SPDX-License-Identifier: GPL-2.0-only
//
// The program that runs one scenario on this machine, and ends.
//
//     core                      <scenario.json   >answer
//     core --catalogue                           the congestion controls that it has, as JSON
//
// The answer is a line of JSON, a line of what the run took, and the series: for each, in the place that
// the JSON tells, times and then values, as doubles. Where something is wrong the answer is {"error":
// sentence, "input": whether the scenario is to blame}, and the status 2 or 1.

#include "scenario.h"
#include "simulation.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>

using namespace longfat;
using namespace longfat::core;

namespace
{

int
fail(const std::string& sentence, bool input)
{
    JsonWriter answer;
    answer.Begin('{').Name("error").Text(sentence).Name("input").Truth(input).End('}');
    std::printf("%s\n{}\n", answer.text.c_str());
    return input ? 2 : 1;
}

int
print_catalogue()
{
    JsonWriter all;
    all.Begin('[');
    for (const Algorithm* algorithm : Algorithm::all())
    {
        algorithm->write(all);
    }
    all.End(']');
    std::printf("%s\n", all.text.c_str());
    return 0;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc == 2 && std::string(argv[1]) == "--catalogue")
    {
        return print_catalogue();
    }
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    ScenarioSpec scenario;
    const std::string refused = ScenarioReader().read(text, &scenario);
    if (!refused.empty())
    {
        return fail(refused, true);
    }
    const std::clock_t started = std::clock();
    Simulation simulation(std::move(scenario));
    simulation.run(NEVER, NO_LIMIT);
    const double cpu_s = double(std::clock() - started) / CLOCKS_PER_SEC;
    if (const char* wrong = simulation.wrong())
    {
        return fail(wrong, false);
    }
    JsonWriter head;
    std::vector<double> numbers;
    head.Begin('{');
    simulation.write(head, numbers);
    head.End('}');
    std::printf("%s\n{\"cpu_s\": %.9f}\n", head.text.c_str(), cpu_s);
    if (!numbers.empty())
    {
        std::fwrite(numbers.data(), sizeof(double), numbers.size(), stdout);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
