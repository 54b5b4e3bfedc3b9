"""Run scenarios on ns-3 in this process and print what came out, for test_accelerate.py.

Standard input: a JSON list of {"request": what the engine's server gets, "late": the probability
that a packet is late, "late_s": by how much at most}. Standard output: a JSON object with one
result for each, and whether the accelerator was in use.
"""

import json
import os
import sys
import tempfile

LATE = """
#include "ns3/error-model.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

/// Packets that arrive behind others: each is lost as the link says, or late with a probability.
class Late : public ns3::ErrorModel
{
  public:
    Late(ns3::Ptr<ns3::PointToPointNetDevice> device, double probability, double delayS)
        : m_device(device), m_probability(probability), m_delayS(delayS),
          m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>())
    {
        ns3::PointerValue link;
        device->GetAttribute("ReceiveErrorModel", link);
        m_link = link.Get<ns3::ErrorModel>();
    }

    static void OnEveryLink(double probability, double delayS)
    {
        for (uint32_t n = 0; n < ns3::NodeList::GetNNodes(); ++n)
        {
            auto node = ns3::NodeList::GetNode(n);
            for (uint32_t d = 0; d < node->GetNDevices(); ++d)
            {
                auto device = ns3::DynamicCast<ns3::PointToPointNetDevice>(node->GetDevice(d));
                if (device)
                {
                    device->SetReceiveErrorModel(
                        ns3::CreateObject<Late>(device, probability, delayS));
                }
            }
        }
    }

  private:
    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override
    {
        if (m_again)
        {
            return false;
        }
        if (m_link && m_link->IsCorrupt(packet))
        {
            return true;
        }
        if (m_uniform->GetValue() >= m_probability)
        {
            return false;
        }
        const auto delay = ns3::Seconds(m_delayS * m_uniform->GetValue());
        ns3::Simulator::Schedule(delay, &Late::Again, this, packet->Copy());
        return true;
    }

    void Again(ns3::Ptr<ns3::Packet> packet)
    {
        m_again = true;
        m_device->Receive(packet);
        m_again = false;
    }

    void DoReset() override {}

    ns3::Ptr<ns3::PointToPointNetDevice> m_device;
    ns3::Ptr<ns3::ErrorModel> m_link;
    double m_probability;
    double m_delayS;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    bool m_again{false};
};

void ScheduleLate(double probability, double delayS)
{
    ns3::Simulator::Schedule(ns3::Seconds(0), &Late::OnEveryLink, probability, delayS);
}
"""


def _run(bindings, run: dict) -> dict:
    """Run one scenario in a child, as the engine's server does."""
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            import cppyy

            if run["late"]:
                cppyy.gbl.ScheduleLate(run["late"], run["late_s"])
            answer.write(json.dumps(bindings.execute(run["request"])).encode())
            answer.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        answer.seek(0)
        result = json.loads(answer.read() or b"{}")
    same = {key: result.get(key) for key in ("events", "end_s", "flows", "links")}
    return same | {"exit_status": status}


def main() -> None:
    from longfat.engines.ns3 import bindings

    bindings.load()
    import cppyy

    cppyy.cppdef(LATE)
    with open("/proc/self/maps") as maps:
        accelerated = "/accelerate-" in maps.read()
    results = [_run(bindings, run) for run in json.load(sys.stdin)]
    print(json.dumps({"accelerated": accelerated, "results": results}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
