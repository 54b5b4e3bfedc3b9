"""The full ns-3 stack: a scenario built and run by JIT-compiled C++, in a process of its own."""

import atexit
import hashlib
import importlib.util
import json
import math
import platform
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from longfat.cc.catalogue import ALGORITHMS
from longfat.errors import InputError, SimulationError
from longfat.result import FLOW_COLUMNS, Result
from longfat.scenario import Flow, Link, Scenario

VERSION = "3.44"
SOURCES = [
    Path(str(files("longfat.engines.ns3") / name))
    for name in ("network.h", "flow.h", "simulation.h")
]
RECOVERY = {"prr": "ns3::TcpPrrRecovery", "halving": "ns3::TcpClassicRecovery"}
START_LIMIT_S = 300


def simulate(scenario: Scenario, time_limit_s: float = 3600) -> Result:
    """Run the scenario on ns-3 and return the result. Same scenario, same digits.

    Raises InputError where this machine has no ns-3, SimulationError when ns-3 gives up or takes
    longer than `time_limit_s`.
    """
    answer = _ask(request(scenario) | {"time_limit_s": time_limit_s})
    if "failed" in answer:
        words = answer["last_words"]
        raise SimulationError(
            f"ns-3 {answer['failed']} on scenario {scenario.sha256()[:12]}"
            + (f"; its last words: {words}" if words else "")
        )
    return _result(scenario, answer)


def ingredients(scenario: Scenario) -> dict[str, str]:
    """Return what decides the result beside the scenario: engine, version, headers by content."""
    headers = {a.header_path for f in scenario.flows if (a := _algorithm(f)).header_path}
    return {
        "engine": "ns3",
        "engine_version": VERSION,
        "headers_sha256": _content_sha256(tuple([*SOURCES, *sorted(headers)])),
    }


@cache
def _content_sha256(paths: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _algorithm(flow: Flow):
    return ALGORITHMS[flow.congestion_control.name]


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
        "flows": [_flow_request(flow) for flow in scenario.flows],
        "series": list(scenario.record.series),
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
    }


def _flow_request(flow: Flow) -> dict[str, Any]:
    algorithm = _algorithm(flow)
    attributes = [
        [algorithm.parameters[name].attribute, algorithm.parameters[name].ns3_text(name, value)]
        for name, value in flow.congestion_control.parameters.items()
    ]
    if flow.max_window_segments is not None:
        attributes.append(["MaxWindow", str(flow.max_window_segments)])
    return {
        "source": flow.source,
        "target": flow.target,
        "congestionControl": algorithm.type_id,
        "attributes": attributes,
        "recovery": RECOVERY[flow.recovery],
        "segmentBytes": flow.segment_bytes,
        "initialWindowSegments": flow.initial_window_segments,
        "initialSsthreshSegments": flow.initial_ssthresh_segments or 0,
        "sendBufferBytes": flow.send_buffer_bytes,
        "receiveBufferBytes": flow.receive_buffer_bytes,
        "segmentsPerAck": flow.segments_per_ack,
        "ackTimeoutS": flow.ack_timeout_s,
        "sack": flow.sack,
        "minRtoS": flow.min_rto_s,
        "startS": flow.start_s,
        "stopS": flow.stop_s if flow.stop_s is not None else math.inf,
        "bytes": flow.bytes or 0,
    }


def _result(scenario: Scenario, answer: dict[str, Any]) -> Result:
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
    traces = {}
    for series in scenario.record.series:
        parts = [
            pd.DataFrame({"flow": row["flow"], "time_s": times, series: values})
            for row, measured in zip(rows, answer["flows"], strict=True)
            for times, values in [measured["series"][series]]
        ]
        traces[series] = pd.concat(parts, ignore_index=True)
    provenance = ingredients(scenario) | {
        "longfat_version": version("longfat"),
        "ns3_wheel_version": version("ns3"),
        "seed": scenario.seed,
        "platform": platform.platform(),
        "events": answer["events"],
        "simulated_s": answer["end_s"],
        "wall_s": round(answer["wall_s"], 3),
    }
    return Result(scenario, flows, pd.DataFrame(answer["links"]), traces, provenance)


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    path = _server_socket()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rwb") as stream:
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
            answer = stream.read()
    if not answer:
        raise SimulationError("the process that has ns-3 loaded ended in the middle of a run")
    return json.loads(answer)


_lock = threading.Lock()
_server: tuple[subprocess.Popen, str] | None = None


def _server_socket() -> str:
    """Return the socket of this process's ns-3 server; start it the first time."""
    global _server
    with _lock:
        if _server is None or _server[0].poll() is not None:
            _server = _start_server()
        return _server[1]


def _start_server() -> tuple[subprocess.Popen, str]:
    if importlib.util.find_spec("ns3") is None:
        raise InputError(
            "simulating needs ns-3, which this environment does not have: it is installed by "
            "'make setup' on x86-64 Linux with CPython 3.11 to 3.13 and a C++ compiler; "
            "elsewhere use the container or Binder"
        )
    folder = tempfile.TemporaryDirectory(prefix="longfat-")
    atexit.register(folder.cleanup)
    path = str(Path(folder.name) / "ns3.socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "longfat.engines.ns3.server", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if line == "ready\n":
            atexit.register(_stop_server, process)
            return process, path
    raise SimulationError(f"ns-3 could not be loaded (exit status {process.wait()})")


def _stop_server(process: subprocess.Popen) -> None:
    process.stdin.close()
    process.wait()
