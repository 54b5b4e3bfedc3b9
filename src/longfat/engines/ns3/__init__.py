"""The full ns-3 stack: a scenario built and run by JIT-compiled C++, in a process of its own."""

import atexit
import hashlib
import importlib.util
import json
import math
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from longfat.cc import catalogue
from longfat.errors import InputError, SimulationError
from longfat.result import FLOW_COLUMNS, LINK_SERIES, Result, trace_carrier
from longfat.scenario import Flow, Link, Scenario

VERSION = "3.44"
PROGRAM = Path(str(files("longfat.engines.ns3") / "simulation.h"))  # includes all the others
RECOVERY = {"prr": "ns3::TcpPrrRecovery", "halving": "ns3::TcpClassicRecovery"}
ESTIMATES = ("bandwidth_bps", "utilization")  # series that only some algorithms offer


HOW_TO_GET = "it needs x86-64 Linux, CPython 3.11 to 3.13 and `make setup`"


def is_here() -> bool:
    """Return whether this environment has ns-3."""
    return importlib.util.find_spec("ns3") is not None


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario on ns-3 and return the result. Same scenario, same digits.

    Raises InputError where this machine has no ns-3, SimulationError when ns-3 gives up, takes
    longer than `time_limit_s`, or allocates more than `memory_limit_bytes` beyond what it has
    before the scenario.
    """
    return run(scenario, request(scenario), ingredients(scenario), time_limit_s, memory_limit_bytes)


def run(
    scenario: Scenario,
    request: dict[str, Any],
    ingredients: dict[str, str],
    time_limit_s: float,
    memory_limit_bytes: int | None,
) -> Result:
    """Have the server run a request and return the result; errors as in `simulate`."""
    limits = {"time_limit_s": time_limit_s, "memory_limit_bytes": memory_limit_bytes}
    answer = _ask(request | limits)
    if "failed" not in answer:
        return _result(scenario, answer, ingredients)
    words = answer["last_words"]
    what = f"{ingredients['engine']} {_how_it_ended(answer['failed'], words, **limits)}"
    raise SimulationError(
        f"{what} on scenario {scenario.sha256()[:12]}"
        + (f"; its last words: {words[-300:]}" if words else ""),
        failure={"what": what, "scenario": json.loads(scenario.to_json()), "last_words": words},
    )


def _how_it_ended(
    status: int, words: str, time_limit_s: float, memory_limit_bytes: int | None
) -> str:
    if status == -signal.SIGALRM:
        return f"took longer than its limit of {time_limit_s:g} s"
    if any(sign in words for sign in ("bad_alloc", "MemoryError", "out of memory")):
        limit = f" (its limit is {memory_limit_bytes / 1e6:g} MB)" if memory_limit_bytes else ""
        return f"ran out of memory{limit}"
    if status == -signal.SIGKILL:
        return "was ended, perhaps by the kernel for want of memory, with signal SIGKILL"
    if status < 0:
        return f"ended with signal {signal.Signals(-status).name}"
    return f"ended with exit status {status}"


def ingredients(scenario: Scenario) -> dict[str, str]:
    """Return what decides the result beside the scenario: engine, version, headers by content."""
    return ingredients_of("ns3", PROGRAM, scenario)


def ingredients_of(engine: str, program: Path, scenario: Scenario) -> dict[str, str]:
    """Return the ingredients of a run on an engine whose headers `program` includes.

    The headers are those of the engine, those of the scenario's congestion controls, and what these
    include of the package's own.
    """
    headers = {a.header_path for f in scenario.flows if (a := _algorithm(f)).header_path}
    return {
        "engine": engine,
        "engine_version": VERSION,
        "headers_sha256": _content_sha256(tuple([program, *sorted(headers)])),
    }


@cache
def _content_sha256(headers: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for path in with_includes(headers):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def with_includes(headers: Iterable[Path]) -> list[Path]:
    """Return the headers and all that they include by a path relative to their own, in order."""
    found = {}
    waiting = [path.resolve() for path in headers]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = None
            included = re.findall(r'^ *# *include *"(.+?)"', path.read_text("utf-8"), re.MULTILINE)
            waiting += [
                there for name in included if (there := (path.parent / name).resolve()).exists()
            ]
    return sorted(found)


def _algorithm(flow: Flow):
    algorithm = catalogue.find(flow.congestion_control.name)
    if not algorithm.type_id:
        raise InputError(
            f"ns-3 has no congestion control '{flow.congestion_control.name}': "
            "only the engine 'linux' has it"
        )
    return algorithm


def request(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario in the words of the engine's C++ structures, ready for the server."""
    links = {(link.source, link.target): link for link in scenario.links}
    pairs = []
    for (source, target), link in links.items():
        if not any(back is link for _, back in pairs):
            pairs.append((link, links[target, source]))
    finite = all(flow.bytes is not None for flow in scenario.flows)
    return {
        "seed": scenario.seed,
        "links": [[_link_request(a), _link_request(b)] for a, b in pairs],
        "linkSeries": [name for name in scenario.record.series if name in LINK_SERIES],
        "flows": [_flow_request(scenario, number) for number in range(len(scenario.flows))],
        "points": scenario.record.points,
        "durationS": scenario.duration_s,
        "untilComplete": finite,
    }


def _link_request(link: Link) -> dict[str, Any]:
    return {
        "source": link.source,
        "target": link.target,
        "rateBps": link.rate_bps,
        "delayS": link.delay_s,
        "queueSize": f"{link.queue_packets}p" if link.queue_packets else f"{link.queue_bytes}B",
        "lossPerPacket": link.loss_per_packet,
        "lossPerBit": link.loss_per_bit,
        "outageStartS": [outage.start_s for outage in link.outages],
        "outageEndS": [outage.start_s + outage.duration_s for outage in link.outages],
        "markAbovePackets": link.mark_above_packets or 0,
        "changeAtS": [change.at_s for change in link.changes],
        "changeRateBps": [_or_nan(change.rate_bps) for change in link.changes],
        "changeDelayS": [_or_nan(change.delay_s) for change in link.changes],
        "changeLossPerPacket": [_or_nan(change.loss_per_packet) for change in link.changes],
        "changeLossPerBit": [_or_nan(change.loss_per_bit) for change in link.changes],
    }


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _flow_request(scenario: Scenario, number: int) -> dict[str, Any]:
    flow = scenario.flows[number]
    if (flow.sack or flow.relays) and not flow.limited_transmit:
        raise InputError(
            f"flows.{number}.limited_transmit: false is allowed only with sack false and without "
            "relays: ns-3 sends new segments on duplicate ACKs whenever it has SACK, and does not "
            "allow it otherwise to a sender that waits for its relay"
        )
    paths = [[0.0, flow.path]] if flow.path else []
    return {
        "spec": _flow_spec(flow),
        "timestamps": flow.timestamps,
        "paths": paths + [[reroute.at_s, reroute.path] for reroute in flow.reroutes],
        "handoffs": [
            [handoff.at_s, handoff.kind == "local", handoff.announced_rate_bps or 0.0]
            for handoff in flow.handoffs
        ],
        "series": [
            name
            for name in scenario.record.series
            if name not in LINK_SERIES
            and (name not in ESTIMATES or name in _algorithm(flow).traces)
        ],
    }


def _flow_spec(flow: Flow) -> dict[str, Any]:
    algorithm = _algorithm(flow)
    attributes = [
        [algorithm.parameters[name].attribute, algorithm.parameters[name].ns3_text(value)]
        for name, value in flow.congestion_control.parameters.items()
    ]
    if flow.max_window_segments is not None:
        attributes.append(["MaxWindow", str(flow.max_window_segments)])
    return {
        "source": flow.source,
        "target": flow.target,
        "relays": list(flow.relays),
        "congestionControl": algorithm.type_id,
        "attributes": attributes,
        "recovery": RECOVERY[flow.recovery],
        "segmentBytes": flow.segment_bytes,
        "initialWindowSegments": flow.initial_window_segments,
        "initialSsthreshSegments": flow.initial_ssthresh_segments or 0,
        "sendBufferBytes": 0 if flow.send_buffer_bytes == "auto" else flow.send_buffer_bytes,
        "receiveBufferBytes": (
            0 if flow.receive_buffer_bytes == "auto" else flow.receive_buffer_bytes
        ),
        "segmentsPerAck": flow.segments_per_ack,
        "ackTimeoutS": flow.ack_timeout_s,
        "sack": flow.sack,
        "limitedTransmit": flow.limited_transmit,
        "ecn": flow.ecn,
        "minRtoS": flow.min_rto_s,
        "startS": flow.start_s,
        "stopS": flow.stop_s if flow.stop_s is not None else math.inf,
        "bytes": flow.bytes or 0,
    }


def _result(scenario: Scenario, answer: dict[str, Any], ingredients: dict[str, str]) -> Result:
    rows = []
    for number, (flow, measured) in enumerate(zip(scenario.flows, answer["flows"], strict=True)):
        end_s = min(
            scenario.duration_s, flow.stop_s or math.inf, measured["completion_s"] or math.inf
        )
        completed = measured["completion_s"] is not None
        rows.append(
            {
                "flow": flow.name or str(number),
                "goodput_bps": 8 * measured["delivered_bytes"] / (end_s - flow.start_s),
                "transfer_time_s": measured["completion_s"] - flow.start_s if completed else None,
            }
            | {key: measured[key] for key in FLOW_COLUMNS[3:]}
        )
    flows = pd.DataFrame(rows, columns=FLOW_COLUMNS).astype({"transfer_time_s": float})
    links = pd.DataFrame(answer["links"])
    kept = {
        "flow": list(zip(flows["flow"], (flow["series"] for flow in answer["flows"]), strict=True)),
        "link": list(zip(links["source"] + ">" + links["target"], links["series"], strict=True)),
    }
    traces = {}
    for series in scenario.record.series:
        carrier = trace_carrier(series)
        parts = [
            pd.DataFrame({carrier: name, "time_s": times, series: values})
            for name, measured in kept[carrier]
            if series in measured
            for times, values in [measured[series]]
        ]
        traces[series] = pd.concat(parts, ignore_index=True)
    provenance = ingredients | {
        "longfat_version": version("longfat"),
        "ns3_wheel_version": version("ns3"),
        "seed": scenario.seed,
        "platform": platform.platform(),
        "events": answer["events"],
        "simulated_s": answer["end_s"],
        "wall_s": round(answer["wall_s"], 3),
        "peak_memory_bytes": answer["peak_memory_bytes"],
    }
    return Result(scenario, flows, links.drop(columns="series"), traces, provenance)


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    """Have the server run the request in a child of its own; return the answer."""
    requests = _server_requests(_stops)
    mine, its = socket.socketpair()
    answer = b""
    with mine, its:
        try:
            socket.send_fds(requests, [b"r"], [its.fileno()])
            its.close()
            mine.sendall(json.dumps(request).encode() + b"\n")
            with mine.makefile("rb") as stream:
                answer = stream.read()
        except OSError:
            pass
    if not answer.endswith(b"\n"):
        raise SimulationError("the process that has ns-3 loaded ended in the middle of a run")
    return json.loads(answer.splitlines()[-1])


_lock = threading.Lock()
_server: tuple[subprocess.Popen, socket.socket] | None = None
_stops = 0  # how often `stop` was called: what was asked before gets no new server


def _server_requests(stops: int) -> socket.socket:
    """Return the socket to this process's ns-3 server; start it the first time."""
    with _lock:
        if stops != _stops:
            raise SimulationError("the run was given up")
        if _server is None or _server[0].poll() is not None:
            _start_server()
        return _server[1]


def _start_server() -> None:
    """Start the server and wait until it has loaded ns-3."""
    global _server
    if not is_here():
        raise InputError(
            "simulating needs ns-3, which this environment does not have: it is installed by "
            "'make setup' on x86-64 Linux with CPython 3.11 to 3.13 and a C++ compiler; "
            "elsewhere use the container or Binder"
        )
    requests, its = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with its:
        process = subprocess.Popen(
            [sys.executable, "-m", "longfat.engines.ns3.server"],
            stdin=its,
            stdout=subprocess.PIPE,
            text=True,
            env=server_environment(),
            process_group=0,  # an interrupt from the keyboard is for this process alone
        )
    _server = process, requests
    atexit.register(stop)
    try:
        for line in process.stdout:
            if line == "ready\n":
                return
    except KeyboardInterrupt:
        stop()
        raise
    raise SimulationError(f"ns-3 could not be loaded (exit status {process.wait()})")


def server_environment() -> dict[str, str]:
    """Return the environment of the server, with huge pages for what is allocated.

    ns-3 takes 700 MB: in small pages, each fork takes 20 ms to copy their table.
    """
    tunables = [os.environ.get("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1"]
    return os.environ | {"GLIBC_TUNABLES": ":".join(filter(None, tunables))}


def stop() -> None:
    """End the ns-3 server of this process, if there is one, and every run of it.

    Runs that other threads have asked for end with a SimulationError, also while ns-3 loads.
    """
    global _server, _stops
    _stops += 1
    server, _server = _server, None
    if server is not None:
        process, requests = server
        process.kill()  # its runs end with it
        requests.close()
        process.wait()
