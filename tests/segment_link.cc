// SPDX-License-Identifier: GPL-2.0-only
//
// A link of the segment engine, alone: packets are put into it, and those that come out are printed
// (tests/link_driver.py). Standard input is a scenario, whose first link it is, on a line, and then a
// packet a line: TIME (ns), BYTES on the wire, and 1 if it can be marked, else 0. The answer is, for
// each that arrives, its number among those lines, TIME, and 1 if it was marked; then a line of counts.

#include "algorithm.h"
#include "helped-link.h"
#include "scenario.h"

#include "ns3/abort.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace longfat;
using namespace longfat::segment;

extern "C" const Algorithm newreno;

std::vector<const Algorithm*>
longfat::segment::KnownAlgorithms()
{
    return {&newreno};
}

void
ns3::GiveUp(const char* words)
{
    std::fprintf(stderr, "%s\n", words);
    std::abort();
}

namespace
{

class Printer : public Endpoint
{
  public:
    void Receive(const Packet& packet, Ticks now) override
    {
        std::printf("%llu %lld %d\n",
                    static_cast<unsigned long long>(packet.number),
                    static_cast<long long>(now),
                    (packet.flags & Packet::CE) != 0);
    }
};

} // namespace

int
main()
{
    std::string line;
    std::getline(std::cin, line);
    ScenarioSpec scenario;
    const std::string wrong = ScenarioReader(KnownAlgorithms()).Read(line, &scenario);
    if (!wrong.empty())
    {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        return 2;
    }
    EventQueue events(scenario.seed);
    const ns3::Simulator::Running running(&events.state);
    Link link(events, scenario.links[0], 0, 0);
    if (link.spec.HasHelpers())
    {
        link.Help(std::make_unique<HelpedLink>(events, link, 0));
    }
    Printer printer;
    Route route{&link, {nullptr}, &printer};
    Packet packet{};
    packet.route = &route;
    for (uint64_t number = 0; std::getline(std::cin, line); ++number)
    {
        Ticks time;
        int bytes;
        int ect;
        std::istringstream(line) >> time >> bytes >> ect;
        packet.number = number;
        packet.wireBytes = static_cast<uint16_t>(bytes);
        packet.flags = ect ? Packet::ECT : 0;
        events.At(time, [&link, &events, packet] { link.Send(packet, events.Now()); });
    }
    events.At(FromSeconds(scenario.durationS), [&events] { events.End(); });
    events.Run(NEVER, NO_LIMIT);
    if (!link.Finish(events.Now()))
    {
        std::fprintf(stderr, "packets are not conserved\n");
        return 3;
    }
    const PacketCount& count = link.count;
    for (const uint64_t number : {count.offered,
                                  count.overflow,
                                  count.early,
                                  count.marked,
                                  count.sent,
                                  count.again,
                                  count.lost,
                                  count.outage,
                                  count.arrived,
                                  count.underWay,
                                  count.waiting})
    {
        std::printf("%llu ", static_cast<unsigned long long>(number));
    }
    return 0;
}
