// SPDX-License-Identifier: GPL-2.0-only
//
// A queue disc of ns-3's own in front of a transmitter of 8 Mb/s (tests/test_queues_as_ns3.py). The
// arguments are its type, a random run, the time at which it ends (s), and names and values of
// attributes; standard input has a packet a line: TIME (ns), BYTES, and 1 if it can be marked. The
// answer is, for each that leaves, its number among those lines, TIME at which it has been sent, and 1 if
// it was marked.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

class Item : public QueueDiscItem
{
  public:
    Item(Ptr<Packet> packet, uint64_t number, bool canBeMarked)
        : QueueDiscItem(packet, Address(), 0),
          number(number),
          m_canBeMarked(canBeMarked)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        marked |= m_canBeMarked;
        return m_canBeMarked;
    }

    const uint64_t number;
    bool marked{false};

  private:
    const bool m_canBeMarked;
};

Ptr<QueueDisc> g_queue;
bool g_busy = false;

void
Go()
{
    Ptr<QueueDiscItem> next = g_busy ? nullptr : g_queue->Dequeue();
    if (!next)
    {
        return;
    }
    g_busy = true;
    Simulator::Schedule(MicroSeconds(next->GetSize()), [next] {
        const auto item = StaticCast<Item>(next);
        std::printf("%llu %lld %d\n",
                    static_cast<unsigned long long>(item->number),
                    static_cast<long long>(Simulator::Now().GetNanoSeconds()),
                    item->marked);
        g_busy = false;
        Go();
    });
}

} // namespace

int
main(int count, char** arguments)
{
    RngSeedManager::SetRun(std::stoull(arguments[2]));
    ObjectFactory factory;
    factory.SetTypeId(arguments[1]);
    for (int i = 4; i + 1 < count; i += 2)
    {
        factory.Set(arguments[i], StringValue(arguments[i + 1]));
    }
    g_queue = factory.Create<QueueDisc>();
    g_queue->Initialize();
    int64_t time;
    uint32_t bytes;
    int ect;
    for (uint64_t number = 0; std::cin >> time >> bytes >> ect; ++number)
    {
        Simulator::Schedule(NanoSeconds(time), [number, bytes, ect] {
            g_queue->Enqueue(Create<Item>(Create<Packet>(bytes), number, ect));
            Go();
        });
    }
    Simulator::Stop(Seconds(std::stod(arguments[3])));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
