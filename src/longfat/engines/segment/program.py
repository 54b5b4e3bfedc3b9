"""The process that runs this engine: ns-3 with its bindings, which compile the engine's C++."""

import json
import resource
import time
from typing import Any

from longfat.engines.ns3 import accelerate, bindings, server


def load():
    """Load ns-3, compile the engine and all that a run needs; return their namespace."""
    from longfat.engines.segment import PROGRAM, request

    cpp = bindings.load()
    import cppyy

    cppyy.include(str(PROGRAM))
    execute(cpp, request(bindings.warm_up_scenario()))
    cppyy.gbl.ns3.Simulator.Destroy()
    return cpp


def execute(cpp, request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network of links, senders and receivers, run it, return what it did."""
    segment = cpp.segment
    simulation = segment.Simulation(request["seed"], request["durationS"], request["points"])
    links = [link for pair in request["links"] for link in pair]
    for link in links:
        simulation.AddLink(fill(segment.LinkSpec(), link))
    for series in request["linkSeries"]:
        simulation.RecordLinks(series)
    for wanted in request["flows"]:
        spec = fill(segment.FlowSpec(), wanted["spec"])
        spec.timestamps = wanted["timestamps"]
        simulation.AddFlow(spec)
        for path in wanted["connections"]:
            simulation.AddConnection(spec, strings(path))
        for at_s, path in wanted["reroutes"]:
            simulation.AddReroute(at_s, strings(path))
        for handoff in wanted["handoffs"]:
            simulation.AddHandoff(*handoff)
        for series in wanted["series"]:
            simulation.Record(series)
    started, cpu_started = time.perf_counter(), time.process_time()
    simulation.Run()
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "flows": [_flow_result(simulation.GetFlow(i)) for i in range(len(request["flows"]))],
        "links": [_link_result(simulation.GetLink(i), link) for i, link in enumerate(links)],
        "events": simulation.events,
        "end_s": simulation.endS,
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def fill(structure, values: dict):
    """Set the members of a C++ structure; return it."""
    for name, value in values.items():
        if isinstance(value, list):
            vector = getattr(structure, name)
            for item in value:
                vector.push_back(_pair(*item) if isinstance(item, list) else item)
        else:
            setattr(structure, name, value)
    return structure


def _pair(name: str, value: str):
    """Return a C++ pair; to make one from a tuple, cppyy would compile for a tenth of a second."""
    import cppyy

    return cppyy.gbl.std.pair["std::string", "std::string"](name, value)


def strings(values: list[str]):
    """Return them as a C++ vector."""
    import cppyy

    strings = cppyy.gbl.std.vector["std::string"]()
    for value in values:
        strings.push_back(value)
    return strings


def _flow_result(flow) -> dict[str, Any]:
    completion = flow.completionS
    count = flow.Count()
    return {
        "delivered_bytes": int(flow.DeliveredBytes()),
        "completion_s": None if completion != completion else float(completion),
        "segments_sent": int(count.segments),
        "retransmissions": int(count.retransmissions),
        "recoveries": int(count.recoveries),
        "timeouts": int(count.timeouts),
        "series": series(flow),
    }


def _link_result(link, request: dict[str, Any]) -> dict[str, Any]:
    count = link.count
    return {
        "source": request["source"],
        "target": request["target"],
        "packets_sent": int(count.sent),
        "packets_lost": int(count.lost),
        "packets_lost_in_outage": int(count.outage),
        "packets_dropped_by_queue": int(count.overflow),
        "series": series(link),
    }


def series(of) -> dict:
    """Return the series that a C++ flow or link has kept: times and values by name."""
    return {
        str(kept.first): [list(kept.second.timeS), list(kept.second.values)] for kept in of.series
    }


def _loaded():
    cpp = load()
    return lambda request: json.dumps(execute(cpp, json.loads(request))), accelerate.loaded


if __name__ == "__main__":
    server.serve(_loaded)
