"""A process that has ns-3 loaded and forks a child for each run.

Loading ns-3 takes seconds, a fork takes milliseconds, and a forked child always starts from the
same state: the same scenario gives the same digits whatever ran before. A run that ns-3 aborts
costs its child only. This is the pattern of the standard library's forkserver, which is not used
itself because it imports the caller's main module again.

Started by `longfat.engines.ns3` with one end of a socket pair as its standard input. Each message
there brings the socket of one run. On that come the request, a line of JSON, and in return lines
of which the last is the answer. No file is left behind, and nothing outlives the process that
started it: at the end of its standard input the server ends, and its runs end with it.
"""

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import resource
import select
import selectors
import signal
import socket
import tempfile
import time
from dataclasses import dataclass
from typing import get_args

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def warm_up_scenario():
    """Return a scenario with something of everything."""
    from longfat.network import duplex
    from longfat.scenario import Flow, FlowSeries, LinkSeries, Record, Scenario

    path = duplex(
        "a",
        "b",
        rate_bps=1e6,
        delay_s=0.01,
        queue_packets=5,
        mark_above_packets=2,
        loss_per_packet=0.02,
        outages=[{"start_s": 0.5, "duration_s": 0.1}],
        changes=[{"at_s": 0.7, "rate_bps": 2e6}, {"at_s": 0.8, "loss_per_packet": 0.01}],
    )
    other = duplex("b", "c", rate_bps=1e6, delay_s=0.01, queue_packets=5)
    series = [name for kind in (FlowSeries, LinkSeries) for name in get_args(kind)]
    offered = [name for name in series if name not in ("bandwidth_bps", "utilization")]
    flows = [
        Flow(
            source="a",
            target="b",
            congestion_control={"name": "hybla", "parameters": {"rtt0_s": 0.025}},
            max_window_segments=50,
            stop_s=1.5,
            ecn=True,
            path=["a", "b"],
            reroutes=[{"at_s": 1, "path": ["a", "b"]}],
            handoffs=[{"at_s": 1, "kind": "local"}],
        ),
        Flow(
            source="a",
            target="c",
            congestion_control="newreno",
            bytes=10_000,
            relays=["b"],
            send_buffer_bytes="auto",
            receive_buffer_bytes="auto",
        ),
    ]
    everything = Record(series=offered, points=2)
    return Scenario(links=[*path, *other], flows=flows, duration_s=2, record=everything)


def load(headers: bool = True):
    """Load ns-3, every congestion control and the engines' C++; return their namespace.

    Without `headers`, load ns-3 alone.
    """
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    from longfat.engines.ns3 import accelerate

    accelerate.load()
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    import cppyy

    if not headers:
        return None
    from longfat.cc import catalogue
    from longfat.engines.ns3 import PROGRAM, request
    from longfat.engines.segment import program

    for header in [PROGRAM, *(a.header_path for a in catalogue.algorithms().values() if a.header)]:
        cppyy.include(str(header))
    # What runs once is compiled, before the forks.
    execute(cppyy.gbl.longfat, request(warm_up_scenario()))
    cppyy.gbl.ns3.Simulator.Destroy()
    program.load(cppyy)
    cppyy.gbl.ns3.Simulator.Destroy()
    return cppyy.gbl.longfat


@contextlib.contextmanager
def _quiet_stderr():
    saved = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(saved, kept.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def execute(cpp, request: dict) -> dict:
    """Build the requested network in ns-3, run it, and return what it measured."""
    if request.get("engine") == "segment":
        from longfat.engines.segment import program

        return program.execute(cpp, request)
    simulation = cpp.Simulation(request["seed"])
    for pair in request["links"]:
        simulation.network.AddLinks(*(fill(cpp.Link(), link) for link in pair))
    simulation.network.FindRoutes()
    for series in request["linkSeries"]:
        simulation.network.Record(series, request["durationS"], request["points"])
    flows = []
    for wanted in request["flows"]:
        spec = fill(cpp.FlowSpec(), wanted["spec"])
        _set_timestamps(wanted["timestamps"])  # of the sockets that the flow makes
        flow = simulation.AddFlow(spec, request["durationS"], request["points"])
        for at_s, path in wanted["paths"]:
            flow.SetPath(at_s, strings(path))
        for handoff in wanted["handoffs"]:
            flow.AddHandoff(*handoff)
        for series in wanted["series"]:
            flow.Record(series)
        flows.append(flow)
    started, cpu_started = time.perf_counter(), time.process_time()
    simulation.Run(request["durationS"], request["untilComplete"])
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "flows": [_flow_result(flow) for flow in flows],
        "links": [
            _link_result(simulation.network, link) for pair in request["links"] for link in pair
        ],
        "events": simulation.events,
        "end_s": simulation.endS,
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def _set_timestamps(on: bool) -> None:
    from cppyy.gbl import ns3

    ns3.Config.SetDefault("ns3::TcpSocketBase::Timestamp", ns3.BooleanValue(on))


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


def _flow_result(flow) -> dict:
    completion = flow.completionS
    return {
        "delivered_bytes": int(flow.deliveredBytes),
        "completion_s": None if completion != completion else float(completion),
        "segments_sent": int(flow.GetSegmentsSent()),
        "retransmissions": int(flow.GetRetransmissions()),
        "recoveries": int(flow.GetRecoveries()),
        "timeouts": int(flow.GetTimeouts()),
        "series": series(flow),
    }


def _link_result(network, link: dict) -> dict:
    count = network.GetCount(link["source"], link["target"])
    return {
        "source": link["source"],
        "target": link["target"],
        "packets_sent": int(count.sent),
        "packets_lost": int(count.lost),
        "packets_lost_in_outage": int(count.outage),
        "packets_dropped_by_queue": int(count.overflow),
        "series": series(count),
    }


def series(of) -> dict:
    """Return the series that a C++ flow or link has kept: times and values by name."""
    return {
        str(kept.first): [list(kept.second.timeS), list(kept.second.values)] for kept in of.series
    }


@dataclass(frozen=True)
class _Run:
    pid: int
    process: int  # its pidfd: readable when it has ended
    connection: socket.socket
    words: int  # memory file of what it prints

    def finish(self) -> None:
        """Reap the process, and answer in its place if it could not."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with self.connection, contextlib.suppress(OSError):  # nobody may wait any longer
            if status != 0:
                failure = {"failed": status, "last_words": self._last_words()}
                self.connection.sendall(b"\n" + json.dumps(failure).encode() + b"\n")
            self.connection.shutdown(socket.SHUT_RDWR)  # later runs have copies of this socket
        os.close(self.process)
        os.close(self.words)

    def _last_words(self) -> str:
        size = os.fstat(self.words).st_size
        return os.pread(self.words, 10_000, max(0, size - 10_000)).decode(errors="replace").strip()


class _Server:
    """Starts and reaps the runs, all in one thread."""

    def __init__(self, cpp, requests: socket.socket):
        self._cpp = cpp
        self._requests = requests
        self._libc = ctypes.CDLL(None)
        self._events = selectors.PollSelector()
        self._events.register(requests, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            ready = {key.fd: key.data for key, _ in self._events.select()}
            for run in {run for run in ready.values() if run}:
                if run.process not in ready:  # its connection is: nobody waits for the answer
                    os.kill(run.pid, signal.SIGKILL)
                self._events.unregister(run.process)
                self._events.unregister(run.connection)
                run.finish()
            if self._requests.fileno() in ready:
                message, sockets, _, _ = socket.recv_fds(self._requests, 1, 1)
                if not message:
                    return
                self._start(socket.socket(fileno=sockets[0]))

    def _start(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            line = stream.readline()
        if not line:
            connection.close()
            return
        words = os.memfd_create("words")
        pid = os.fork()
        if pid == 0:
            self._run_and_exit(json.loads(line), connection, words)
        run = _Run(pid, os.pidfd_open(pid), connection, words)
        self._events.register(run.process, selectors.EVENT_READ, run)
        self._events.register(connection, selectors.EVENT_READ, run)

    def _run_and_exit(self, request: dict, connection: socket.socket, words: int) -> None:
        status = 1
        try:
            os.dup2(words, 1)
            os.dup2(words, 2)
            for abnormal in (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL):
                signal.signal(abnormal, signal.SIG_DFL)  # not ROOT's slow stack trace
            self._end_with_the_server()
            _limit(request["time_limit_s"], request["memory_limit_bytes"])
            connection.sendall(json.dumps(execute(self._cpp, request)).encode() + b"\n")
            status = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(status)

    def _end_with_the_server(self) -> None:
        PR_SET_PDEATHSIG = 1
        self._libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == 1:
            os._exit(1)


def _limit(time_limit_s: float, memory_limit_bytes: int | None) -> None:
    """End this process by SIGALRM at its time limit, and let it allocate so much at most."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, time_limit_s)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")  # if memory runs out, the kernel ends a run, not the sweep
    if memory_limit_bytes is not None:
        with open("/proc/self/statm") as sizes:
            present = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (present + memory_limit_bytes,) * 2)


def settle() -> None:
    """Make the memory of this process ready to be shared with the children that it forks."""
    gc.collect()
    gc.freeze()  # so that no garbage collection copies these pages in a child
    ctypes.CDLL(None).malloc_trim(0)  # what the compiler has freed


def main() -> None:
    """Load ns-3, then serve; a line on standard output says when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that started us
    requests = socket.socket(fileno=0)
    # Until the server listens, the end of its standard input ends it by SIGIO.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        return  # it ended before that
    cpp = load()
    fcntl.fcntl(0, fcntl.F_SETFL, flags)
    settle()
    print("ready", flush=True)
    _Server(cpp, requests).serve()
    os._exit(0)  # the runs end with this process


if __name__ == "__main__":
    main()
