"""The full ns-3 stack: a scenario built and run by JIT-compiled C++, in a process of its own."""

import atexit
import hashlib
import importlib.util
import json
import math
import os
import platform
import signal
import socket
import subprocess
import sys
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


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario on ns-3 and return the result. Same scenario, same digits.

    Raises InputError where this machine has no ns-3, SimulationError when ns-3 gives up, takes
    longer than `time_limit_s`, or allocates more than `memory_limit_bytes` beyond what it has
    before the scenario.
    """
    limits = {"time_limit_s": time_limit_s, "memory_limit_bytes": memory_limit_bytes}
    answer = _ask(request(scenario) | limits)
    if "failed" not in answer:
        return _result(scenario, answer)
    words = answer["last_words"]
    what = f"ns-3 {_how_it_ended(answer['failed'], words, **limits)}"
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
        "peak_memory_bytes": answer["peak_memory_bytes"],
    }
    return Result(scenario, flows, pd.DataFrame(answer["links"]), traces, provenance)


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    """Have the server run the request in a child of its own; return the answer."""
    requests = _server_requests()
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


def _server_requests() -> socket.socket:
    """Return the socket to this process's ns-3 server; start it the first time."""
    global _server
    with _lock:
        if _server is None or _server[0].poll() is not None:
            _server = _start_server()
        return _server[1]


def _start_server() -> tuple[subprocess.Popen, socket.socket]:
    if importlib.util.find_spec("ns3") is None:
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
        )
    for line in process.stdout:
        if line == "ready\n":
            atexit.register(stop)
            return process, requests
    raise SimulationError(f"ns-3 could not be loaded (exit status {process.wait()})")


def server_environment() -> dict[str, str]:
    """Return the environment of the server, with huge pages for what is allocated.

    ns-3 takes 700 MB: in small pages, each fork takes 20 ms to copy their table.
    """
    tunables = [os.environ.get("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1"]
    return os.environ | {"GLIBC_TUNABLES": ":".join(filter(None, tunables))}


def stop() -> None:
    """End the ns-3 server of this process, if there is one, and every run of it."""
    if _server is not None:
        _server[1].close()
        _server[0].wait()
