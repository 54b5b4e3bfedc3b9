// SPDX-License-Identifier: GPL-2.0-only
//
// A link of the core, alone: packets are put into it, and those that come out are printed
// (tests/segment_link_driver.py). Standard input is a scenario, whose first link it is, on a line, and then
// a packet a line: TIME (ns), BYTES on the wire, FLAGS, 1 if it has a congestion header, else 0, and that
// header's RTT (s), SPACING (s) and FEEDBACK (bytes/s). The answer is, for each that arrives, its number
// among those lines, TIME, FLAGS, TTL, the header's TTL and FEEDBACK; then a line of counts.
//
// With the argument `read`, standard input is a scenario a line, each answered by what is wrong with it.

#include "newreno.h"
#include "scenario.h"
#include "step-link.h"

#include <cstdio>
#include <iostream>
#include <sstream>

using namespace longfat;
using namespace longfat::core;

namespace
{

class Printer : public Endpoint
{
  public:
    void receive(const Packet& packet, Time now) override
    {
        const Options& options = *packet.options;
        std::printf("%llu %lld %d %d %d %.17g\n",
                    static_cast<unsigned long long>(packet.number),
                    static_cast<long long>(now),
                    int(packet.flags),
                    options.ttl,
                    options.xcp.ttl,
                    options.xcp.feedback);
    }
};

int
read_all()
{
    for (std::string line; std::getline(std::cin, line);)
    {
        ScenarioSpec scenario;
        std::printf("%s\n", ScenarioReader().read(line, &scenario).c_str());
    }
    return 0;
}

} // namespace

int
main(int argc, char**)
{
    if (argc > 1)
    {
        return read_all();
    }
    std::string line;
    std::getline(std::cin, line);
    ScenarioSpec scenario;
    const std::string wrong = ScenarioReader().read(line, &scenario);
    if (!wrong.empty())
    {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        return 2;
    }
    const LinkSpec& spec = scenario.links[0];
    EventQueue events;
    std::unique_ptr<Link> link;
    if (spec.needs_steps())
    {
        link = std::make_unique<StepLink>(events, spec, 0, 0, scenario.seed);
    }
    else
    {
        link = std::make_unique<DropTailLink>(events, spec, 0, 0, scenario.seed);
    }
    Printer printer;
    Route route{link.get(), {nullptr}, &printer};
    Packet packet{};
    packet.route = &route;
    for (uint64_t number = 0; std::getline(std::cin, line); ++number)
    {
        Time time;
        int flags;
        CongestionHeader header;
        std::istringstream(line) >> time >> packet.wire_bytes >> flags >> header.present >>
            header.rtt_s >> header.spacing_s >> header.feedback;
        header.ttl = Options::TTL;
        packet.number = number;
        packet.flags = static_cast<uint16_t>(flags);
        packet.options.emplace().xcp = header;
        events.at(time, [&link, &events, packet] { link->send(packet, events.now()); });
    }
    events.at(scenario.duration, [&events] { events.end(); });
    events.run(NEVER, NO_LIMIT);
    if (!link->finish(events.now()))
    {
        std::fprintf(stderr, "packets are not conserved\n");
        return 3;
    }
    const PacketCount& count = link->count;
    for (const uint64_t number : {count.offered,
                                  count.overflow,
                                  count.early,
                                  count.marked,
                                  count.sent,
                                  count.again,
                                  count.lost,
                                  count.outage,
                                  count.arrived,
                                  count.under_way,
                                  count.waiting})
    {
        std::printf("%llu ", static_cast<unsigned long long>(number));
    }
    return 0;
}
