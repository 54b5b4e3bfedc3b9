"""The segment-level engine: senders, links and receivers hand each other segments, on ns-3's core.

The very same congestion controls as in the full ns-3 stack, driven as its TCP would (sender.h says
how), without headers, buffers and sockets, and so many times as fast (`make bench`). Its C++ is
JIT-compiled in the process that has ns-3 loaded (longfat.engines.ns3.server).
"""

import itertools
import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx

from longfat.engines import host, ns3
from longfat.result import Result
from longfat.scenario import Flow, Scenario

PROGRAM = Path(str(files("longfat.engines.segment") / "simulation.h"))  # includes all the others


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario, segment by segment, and return the result. Same scenario, same digits.

    Arguments and errors as in `longfat.engines.ns3.simulate`.
    """
    stops = _server.stops
    limits = time_limit_s, memory_limit_bytes
    return ns3.run(scenario, request(scenario), ingredients(scenario), _server, stops, *limits)


def ingredients(scenario: Scenario) -> dict[str, str]:
    """Return what decides the result beside the scenario: engine, version, headers by content."""
    return ns3.ingredients_of("segment", PROGRAM, scenario)


def _command() -> tuple[list[str], dict[str, str]]:
    ns3.check_is_here()
    return ns3.bindings_command("longfat.engines.segment.program")


_server = host.Server(_command)
is_here = ns3.is_here
stop = _server.stop


def request(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario in the words of the engine's C++ structures, ready for the server."""
    asked = ns3.request(scenario)
    for link in itertools.chain.from_iterable(asked["links"]):
        for name in ("changeRateBps", "changeDelayS", "changeLossPerPacket", "changeLossPerBit"):
            link[name] = [math.nan if value is None else value for value in link[name]]
    graph = networkx.Graph((link.source, link.target) for link in scenario.links)
    for flow, wanted in zip(scenario.flows, asked["flows"], strict=True):
        wanted["spec"]["stopS"] = math.inf if flow.stop_s is None else flow.stop_s
        wanted["connections"] = _paths(graph, flow)
        wanted["reroutes"] = [[reroute.at_s, reroute.path] for reroute in flow.reroutes]
    return asked | {"libraries": []}


def _paths(graph: networkx.Graph, flow: Flow) -> list[list[str]]:
    """Return the path of each connection: the stated one, or the shortest to the next relay."""
    if flow.path:
        return [list(flow.path)]
    ends = itertools.pairwise((flow.source, *flow.relays, flow.target))
    return [networkx.shortest_path(graph, *pair) for pair in ends]
