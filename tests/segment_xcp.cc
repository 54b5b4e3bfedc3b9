// SPDX-License-Identifier: GPL-2.0-only
//
// A link whose router speaks XCP, alone (tests/test_routers.py). Standard input is a scenario, whose
// first link it is, on a line, and then a packet a line: TIME (ns), BYTES on the wire, 1 if it has a
// congestion header, else 0, and that header's RTT (s), SPACING (s) and FEEDBACK (bytes/s). The answer
// is, for each that arrives, its number among those lines, TIME, TTL, the header's TTL and FEEDBACK.

#include "algorithm.h"
#include "scenario.h"
#include "xcp-link.h"

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
        std::printf("%llu %lld %d %d %.17g\n",
                    static_cast<unsigned long long>(packet.number),
                    static_cast<long long>(now),
                    packet.router.ttl,
                    packet.router.xcp.ttl,
                    packet.router.xcp.feedback);
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
    link.UseRouter(std::make_unique<XcpLink>(events, link, 0));
    Printer printer;
    Route route{&link, {nullptr}, &printer};
    Packet packet{};
    packet.route = &route;
    for (uint64_t number = 0; std::getline(std::cin, line); ++number)
    {
        Ticks time;
        int bytes;
        CongestionHeader header;
        std::istringstream(line) >> time >> bytes >> header.isThere >> header.rttS >>
            header.spacingS >> header.feedback;
        header.ttl = RouterHeader::TTL;
        packet.number = number;
        packet.wireBytes = static_cast<uint16_t>(bytes);
        packet.router = {};
        packet.router.xcp = header;
        events.At(time, [&link, &events, packet] { link.Send(packet, events.Now()); });
    }
    events.At(FromSeconds(scenario.durationS), [&events] { events.End(); });
    events.Run(NEVER, NO_LIMIT);
    if (!link.Finish(events.Now()))
    {
        std::fprintf(stderr, "packets are not conserved\n");
        return 3;
    }
    return 0;
}
