"""What an algorithm is told by the ns-3 engine, and offers to it: for test_ns3_features.py.

Standard input: a JSON list of the engine's requests; every flow gets an algorithm that writes down
its signals. Standard output: a JSON list with what each run told it, and what the engine answered.
"""

import json
import os
import sys
import tempfile

RECORDER = """
#include "{signals}"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/traced-value.h"

/// Grows like NewReno; counts as its estimate of the bandwidth how often it was told a delay.
class Recorder : public ns3::TcpNewReno,
                 public longfat::OneWayDelaySignal,
                 public longfat::HandoffSignal
{{
  public:
    static ns3::TypeId GetTypeId()
    {{
        static ns3::TypeId tid = ns3::TypeId("longfat_test::Recorder")
            .SetParent<ns3::TcpNewReno>()
            .AddConstructor<Recorder>()
            .AddTraceSource("Bandwidth", "Signals so far",
                            ns3::MakeTraceSourceAccessor(&Recorder::m_told),
                            "ns3::TracedValueCallback::Double");
        return tid;
    }}

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override {{ return ns3::CopyObject<Recorder>(this); }}

    void OnOneWayDelay(ns3::Time sent, ns3::Time received) override
    {{
        delaysS.push_back((received - sent).GetSeconds());
        m_told = m_told + 1;
    }}

    void OnHandoff(bool local, ns3::DataRate announced, uint32_t advertisedWindow) override
    {{
        handoffs.push_back(ns3::Simulator::Now().GetSeconds());
        handoffs.push_back(local);
        handoffs.push_back(announced.GetBitRate());
        handoffs.push_back(advertisedWindow);
    }}

    static inline std::vector<double> delaysS;
    static inline std::vector<double> handoffs;

  private:
    ns3::TracedValue<double> m_told{{0}};
}};
NS_OBJECT_ENSURE_REGISTERED(Recorder);
"""


def _run(bindings, request: dict) -> dict:
    """Run one request in a child, as the engine's server does."""
    for flow in request["flows"]:
        flow |= {"congestionControl": "longfat_test::Recorder", "attributes": []}
        flow["series"].append("bandwidth_bps")
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            import cppyy

            result = bindings.execute(request)
            told = {
                "delays_s": list(cppyy.gbl.Recorder.delaysS),
                "handoffs": list(cppyy.gbl.Recorder.handoffs),
            }
            answer.write(json.dumps(result | told).encode())
            answer.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        answer.seek(0)
        return json.loads(answer.read())


def main() -> None:
    from longfat.engines.ns3 import HERE, bindings

    bindings.load()
    import cppyy

    cppyy.cppdef(RECORDER.format(signals=HERE / "signals.h"))
    print(json.dumps([_run(bindings, request) for request in json.load(sys.stdin)]), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
