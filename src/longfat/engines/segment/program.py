"""What the server's process does for this engine: compile its C++, and run a request."""

import resource
import time
from typing import Any

from longfat.engines.ns3 import server


def load(cppyy) -> None:
    """Compile the engine and all that a run needs."""
    from longfat.engines.segment import PROGRAM, request

    cppyy.include(str(PROGRAM))
    execute(cppyy.gbl.longfat, request(server.warm_up_scenario()))


def execute(cpp, request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network of links, senders and receivers, run it, return what it did."""
    segment = cpp.segment
    simulation = segment.Simulation(request["seed"], request["durationS"], request["points"])
    links = [link for pair in request["links"] for link in pair]
    for link in links:
        simulation.AddLink(server.fill(segment.LinkSpec(), link))
    for series in request["linkSeries"]:
        simulation.RecordLinks(series)
    for wanted in request["flows"]:
        spec = server.fill(segment.FlowSpec(), wanted["spec"])
        spec.timestamps = wanted["timestamps"]
        simulation.AddFlow(spec)
        for path in wanted["connections"]:
            simulation.AddConnection(spec, server.strings(path))
        for at_s, path in wanted["reroutes"]:
            simulation.AddReroute(at_s, server.strings(path))
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
        "series": server.series(flow),
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
        "series": server.series(link),
    }
