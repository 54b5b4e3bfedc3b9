"""ns-2, the simulator that three of the four papers used: Debian's `ns` 2.35, an ordinary process.

`make ns2` (build.sh) compiles what its senders lack, a library that the unchanged program loads.
A run is a process that reads its program (run.tcl, and the plan of planning.py) from its standard
input and says what it measured on its standard error. It makes no file, and ends with the process
that asked for it. What ns-2 does by habit is `Scenario.ns2`.
"""

import functools
import hashlib
import json
import math
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import platformdirs

from longfat.engines import behaviour, host
from longfat.engines.ns2 import planning
from longfat.engines.ns2.planning import OWN_AGENTS, SOURCES, plan
from longfat.errors import InputError
from longfat.result import Result
from longfat.scenario import Flow, Scenario

BEHAVIOUR = 1
VERSION = "2.35"
LAUNCH = ["setpriv", "--pdeathsig", "KILL"]  # killed with the thread that waits for it
OWN_MEMORY_BYTES = 22_000_000  # of addresses, before the scenario
WRAP = 2**32  # ns-2 counts bytes in 32 bits
LAST_LINES = 12
# What is measured is said on the standard error: some of ns-2's modules talk on its output, and
# would break its lines.
ASIDE = """rename puts say
proc puts {args} {
    if {[llength $args] == 1} {
        say stderr [lindex $args 0]
    } else {
        say {*}$args
    }
}
"""
NO_MEMORY = ("unable to alloc", "could not allocate", "failed to map")  # what ns-2 and Tcl say then
HOW_TO_GET = "`make ns2` prepares Debian's package ns2"


def folder() -> Path:
    """Return where the library is: environment variable LONGFAT_NS2, or the user's cache."""
    default = platformdirs.user_cache_dir("longfat-ns2")
    return Path(os.environ.get("LONGFAT_NS2") or default)


def build() -> dict[str, str] | None:
    """Return what build.sh says of what is there, or None: ns2_version, built_from, …"""
    try:
        return json.loads((folder() / "build.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def is_here() -> bool:
    """Return whether ns-2 is prepared."""
    return build() is not None


def part() -> behaviour.Part:
    """Return what decides results beside the scenario: ns-2, what it loads, and the planning."""
    sources = [*SOURCES, *OWN_AGENTS, Path(planning.__file__)]
    return behaviour.engine("ns2", BEHAVIOUR, sources, VERSION)


def controls(scenario: Scenario) -> list[str]:
    """Return none: ns-2 has its own."""
    return []


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario on ns-2 and return the result. Same scenario, same digits.

    Series are sampled at the end of each of the record's intervals; `rtt_s` is smoothed. What a
    transfer sends is whole segments. Raises InputError where ns-2 is not prepared and for what it
    does not have, SimulationError when it gives up, takes longer than `time_limit_s`, or more
    memory than `memory_limit_bytes` beyond the engine's own.
    """
    program = plan(scenario)
    made = build()
    if made is None:
        raise InputError("engine 'ns2' is not prepared here: install ns2 and run 'make ns2'")
    own = planning.own_agents(scenario)
    if made["sources_sha256"] != _sha256(SOURCES[1]) or (
        own and made.get("own_sha256") != _sha256(*OWN_AGENTS)
    ):
        raise InputError("engine 'ns2' was built from older sources: run 'make ns2'")
    text = SOURCES[0].read_text("utf-8")
    begin_with = f"{ASIDE}load {{{folder() / 'senders.so'}}} Senders\n"
    for name in own:
        begin_with += f"load {{{folder() / f'own-{name}.so'}}} {name.capitalize()}\n"
    begin = time.monotonic()
    status, output, words = _run(f"{begin_with}{text}\n{program}", time_limit_s, memory_limit_bytes)
    wall_s = time.monotonic() - begin
    said: dict[str, list[list[str]]] = {}
    complaints = []
    for line in words.splitlines():
        if line.startswith("="):
            key, *values = line[1:].split()
            said.setdefault(key, []).append(values)
        else:
            complaints.append(line)
    if status or "end" not in said or any("error" in line for line in complaints):
        last = "\n".join([*output.splitlines(), *complaints][-LAST_LINES:])
        if any(sign in last for sign in NO_MEMORY):
            last = f"out of memory\n{last}"
        limits = time_limit_s, memory_limit_bytes
        ended = host.how_it_ended(status, last, *limits) if status else "ended before its plan did"
        raise host.failure(scenario, "ns-2", ended, last)
    whole_version = f"ns-{said['end'][0][1]} ({made['built_from']})"
    made_by = {"engine": "ns2", "engine_version": whole_version}
    answer = _answer(scenario, said) | {"wall_s": wall_s}
    return host.result(scenario, answer, made_by)


@functools.cache
def _sha256(*files: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


# --- the process

_running: set[subprocess.Popen] = set()
_lock = threading.Lock()


def stop() -> None:
    """End every run of this process."""
    with _lock:
        for process in _running:
            process.kill()


def _run(program: str, time_limit_s: float, memory_limit_bytes: int | None) -> tuple[int, str, str]:
    """Have ns-2 run the program; return the exit status, its output and its complaints."""
    limit = (
        ["prlimit", f"--as={OWN_MEMORY_BYTES + memory_limit_bytes}"] if memory_limit_bytes else []
    )
    process = subprocess.Popen(
        [*LAUNCH, *limit, "ns", "/dev/stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
        process_group=0,  # an interrupt from the keyboard is for this process alone
    )
    with _lock:
        _running.add(process)
    try:
        output, words = process.communicate(program.encode(), timeout=time_limit_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, words = process.communicate()
        status = -signal.SIGALRM
    finally:
        process.kill()
        process.wait()
        with _lock:
            _running.discard(process)
    return status, output.decode(errors="replace"), words.decode(errors="replace")


# --- what came back


def _answer(scenario: Scenario, said: dict[str, list[list[str]]]) -> dict[str, Any]:
    flows, links = [], []
    for number, flow in enumerate(scenario.flows):
        [counts] = [values[1:] for values in said["flow"] if values[0] == str(number)]
        samples = [values[1:] for values in said.get("f", ()) if values[0] == str(number)]
        flows.append(_flow(scenario, flow, counts, samples))
    for number, link in enumerate(scenario.links):
        [counts] = [values[1:] for values in said["link"] if values[0] == str(number)]
        samples = [values[1:] for values in said.get("l", ()) if values[0] == str(number)]
        sent, dropped, *losses = map(int, counts)
        series = {
            "queue_packets": [[float(s[0]) for s in samples], [int(s[1]) for s in samples]],
            "sent_bytes": [[float(s[0]) for s in samples], [int(s[2]) for s in samples]],
        }
        links.append(
            {
                "source": link.source,
                "target": link.target,
                "packets_sent": sent,
                "packets_lost": losses[0] + losses[1],
                "packets_lost_in_outage": losses[2],
                "packets_dropped_by_queue": dropped,
                "series": series,
            }
        )
    return {"flows": flows, "links": links, "end_s": float(said["end"][0][0])}


def _flow(
    scenario: Scenario, flow: Flow, counts: list[str], samples: list[list[str]]
) -> dict[str, Any]:
    completion = float(counts[0])
    received, acked, sent, sent_bytes, again, cuts, timeouts = map(int, counts[1:])
    syns = next(n for n in range(sent + 1) if not _bytes(sent - n, flow, sent_bytes))
    columns: dict[str, Any] = {
        "cwnd_segments": lambda s: float(s[1]),
        "ssthresh_segments": lambda s: float(s[2]) if int(s[2]) < planning.LARGEST else math.inf,
        "rtt_s": lambda s: int(s[3]) / 8 * scenario.ns2.tick_s,
        "delivered_bytes": lambda s: _delivered(scenario, flow, int(s[4]), int(s[5])),
    }
    if flow.congestion_control.name in planning.ESTIMATORS:
        columns["bandwidth_bps"] = lambda s: 8 * flow.segment_bytes * float(s[6])
    kept = {}
    for name, column in columns.items():
        points = [(float(s[0]), column(s)) for s in samples]
        points = [(t, value) for t, value in points if value or name == "delivered_bytes"]
        points = [(t, value) for t, value in points if value < math.inf]
        kept[name] = [list(values) for values in zip(*points, strict=True)] or [[], []]
    return {
        "delivered_bytes": _delivered(scenario, flow, received, acked),
        "completion_s": None if completion < 0 else completion,
        "segments_sent": sent - syns,
        "retransmissions": again - max(0, syns - 1),
        "recoveries": cuts - timeouts,
        "timeouts": timeouts,
        "series": kept,
    }


def _bytes(segments: int, flow: Flow, counted: int) -> int:
    """Return 0 where so many segments give the counter of bytes."""
    return (segments * flow.segment_bytes - counted) % WRAP


def _delivered(scenario: Scenario, flow: Flow, received: int, acked: int) -> int:
    """Return the payload that the receiver has in order.

    Its counter includes headers and has 32 bits: what the sender knows to be acknowledged, segment
    0 being the SYN, says how often it has begun again.
    """
    wire = flow.segment_bytes + planning.header_bytes(scenario, flow)
    known = max(0, acked)
    behind = (received - planning.syn_bytes(scenario, flow) - known * wire) % WRAP
    segments = known + behind // wire if received else 0
    payload = segments * flow.segment_bytes
    return payload if flow.bytes is None else min(payload, flow.bytes)
