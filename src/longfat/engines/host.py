"""What the engines that run C++ have in common: processes and answers."""

import atexit
import json
import math
import platform
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from importlib.metadata import version
from typing import Any

from longfat.errors import SimulationError
from longfat.result import FLOW_COLUMNS, MORE_FLOW_COLUMNS, Result, trace_carrier
from longfat.scenario import Scenario
from longfat.transfers import Rbudp, Tsunami

# Who is told how far a run is, in seconds that are simulated.
watcher: ContextVar[Callable[[float], None] | None] = ContextVar("watcher", default=None)


class Server:
    """A process that forks a child for each run: started when first asked, ended with this one.

    `command` returns what starts it, and its environment. It gets a socket as its standard
    input, and says "ready" on its standard output when it listens.
    """

    def __init__(self, command: Callable[[], tuple[list[str], dict[str, str]]]):
        self._command = command
        self._lock = threading.Lock()
        self.stops = 0  # how often `stop` was called
        self._requests: socket.socket | None = None
        self.process: subprocess.Popen | None = None

    def ask(self, request: dict[str, Any], stops: int) -> dict[str, Any]:
        """Have it run the request in a child of its own; return the answer.

        `stops` is what it was before the request was prepared: a run that was given up meanwhile
        ends with a SimulationError.
        """
        requests = self.requests(stops)
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

    def requests(self, stops: int) -> socket.socket:
        """Return the socket to the process; start it the first time."""
        with self._lock:
            if self.process is None or self.process.poll() is not None:
                command, environment = self._command()
                if stops == self.stops:
                    self._start(command, environment)
            if stops != self.stops:
                raise SimulationError("the run was given up")
            assert self._requests, "the process was started"
            return self._requests

    def _start(self, command: list[str], environment: dict[str, str]) -> None:
        """Start the process and wait until it is ready."""
        self._requests, its = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with its:
            self.process = subprocess.Popen(
                command,
                stdin=its.fileno(),
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
                process_group=0,  # an interrupt from the keyboard is for this process alone
            )
        process = self.process
        atexit.register(self.stop)
        assert process.stdout
        try:
            for line in process.stdout:
                if line.startswith("ready"):
                    return
        except KeyboardInterrupt:
            self.stop()
            raise
        raise SimulationError(f"ns-3 could not be loaded (exit status {process.wait()})")

    def stop(self) -> None:
        """End the process, if there is one, and every run of it.

        Runs that other threads have asked for end with a SimulationError, also while it starts.
        """
        self.stops += 1
        process, self.process = self.process, None
        if process is not None:
            process.kill()  # its runs end with it
            if self._requests:
                self._requests.close()
            process.wait()


def failure(scenario: Scenario, engine: str, ended: str, words: str = "") -> SimulationError:
    """Return the error for a run that ended so (`how_it_ended`), with those last words."""
    what = f"{engine} {ended}"
    return SimulationError(
        f"{what} on scenario {scenario.sha256()[:12]}"
        + (f"; its last words: {words[-300:]}" if words else ""),
        failure={"what": what, "scenario": json.loads(scenario.to_json()), "last_words": words},
    )


def how_it_ended(
    status: int, words: str, time_limit_s: float, memory_limit_bytes: int | None
) -> str:
    """Say how a process ended: its exit status, or a signal's number less than 0."""
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


def result(scenario: Scenario, answer: dict[str, Any], provenance: dict[str, Any]) -> Result:
    """Make a result from what an engine answered: counts of flows and links, with their series."""
    rows = []
    for number, (flow, measured) in enumerate(zip(scenario.flows, answer["flows"], strict=True)):
        last_s = answer["end_s"] if scenario.transfers else scenario.duration_s
        end_s = min(last_s, flow.stop_s or math.inf, measured["completion_s"] or math.inf)
        completed = measured["completion_s"] is not None
        rows.append(
            {
                "flow": flow.name or str(number),
                "goodput_bps": 8 * measured["delivered_bytes"] / (end_s - flow.start_s),
                "transfer_time_s": measured["completion_s"] - flow.start_s if completed else None,
            }
            | {key: measured[key] for key in FLOW_COLUMNS[3:]}
            | {key: measured[key] for key in MORE_FLOW_COLUMNS if key in measured}
        )
    links = [{k: v for k, v in link.items() if k != "series"} for link in answer["links"]]
    kept = {
        "flow": [
            (row["flow"], own["series"]) for row, own in zip(rows, answer["flows"], strict=True)
        ],
        "link": [
            (f"{link['source']}>{link['target']}", link["series"]) for link in answer["links"]
        ],
    }
    transfers = []
    for number, (transfer, measured) in enumerate(
        zip(scenario.transfers, answer.get("transfers", ()), strict=True)
    ):
        name, own = transfer.name or str(number), dict(measured)
        kept.setdefault("transfer", []).append((name, own.pop("series")))
        start_s = transfer_start_s(scenario, number)
        received_s, acknowledged_s = own.pop("received_s"), own.pop("acknowledged_s")
        transfers.append(
            {
                "transfer": name,
                "method": transfer.method.kind,
                "transfer_time_s": None if received_s is None else received_s - start_s,
                "acknowledged_s": None if acknowledged_s is None else acknowledged_s - start_s,
            }
            | own
        )
    media_streams = [
        {"media_stream": stream.name or str(number)} | measured
        for number, (stream, measured) in enumerate(
            zip(scenario.media_streams, answer.get("media_streams", ()), strict=True)
        )
    ]
    traces: dict[str, dict[str, list]] = {}
    for series in scenario.record.series:
        carrier = trace_carrier(series)
        table: dict[str, list] = {carrier: [], "time_s": [], series: []}
        for name, measured in kept.get(carrier, ()):
            times, values = measured.get(series, ((), ()))
            table[carrier] += [name] * len(times)
            table["time_s"] += times
            table[series] += values
        traces[series] = table
    provenance = provenance | {
        "longfat_version": _version_of("longfat"),
        "seed": scenario.seed,
        "platform": platform.platform(),
        "simulated_s": answer["end_s"],
        "wall_s": round(answer["wall_s"], 6),
    }
    for name in ("events", "peak_memory_bytes"):  # not every engine has them
        if name in answer:
            provenance[name] = answer[name]
    kinds = ("xcp", "quick_start_bps", "ptp", "ptp_queries")
    told = [{k: own[k] for k in kinds if k in own} for own in answer["flows"]]
    if any(told):
        provenance["routers"] = told
    return Result(scenario, rows, links, traces, provenance, transfers, media_streams)


def transfer_start_s(scenario: Scenario, number: int) -> float:
    """Return when a transfer begins: itself, or with the first flow that carries it."""
    method = scenario.transfers[number].method
    if isinstance(method, Rbudp | Tsunami):
        return method.start_s
    return min(scenario.flows[place].start_s for place in method.flows)


_version_of = cache(version)
