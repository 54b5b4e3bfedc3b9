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
import selectors
import signal
import socket
import tempfile
import time
from dataclasses import dataclass

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def _warm_up() -> dict:
    from longfat.engines.ns3 import request
    from longfat.scenario import Flow, Record, Scenario
    from longfat.topologies import duplex

    outages = [{"start_s": 0.5, "duration_s": 0.1}]
    path = duplex(
        "a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=5, loss_per_packet=0.02, outages=outages
    )
    everything = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=2)
    flows = [
        Flow(
            source="a",
            target="b",
            congestion_control={"name": "hybla", "parameters": {"rtt0_s": 0.025}},
            max_window_segments=50,
            stop_s=1.5,
        ),
        Flow(source="a", target="b", congestion_control="newreno", bytes=10_000),
    ]
    return request(Scenario(links=path, flows=flows, duration_s=2, record=everything))


def load():
    """Load ns-3, the engine's C++ and every congestion control; return their namespace."""
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    from longfat.engines.ns3 import accelerate

    accelerate.load()
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    import cppyy

    from longfat.cc.catalogue import ALGORITHMS
    from longfat.engines.ns3 import SOURCES

    for header in [*SOURCES, *(a.header_path for a in ALGORITHMS.values() if a.header)]:
        cppyy.include(str(header))
    execute(cppyy.gbl.longfat, _warm_up())  # compiles everything once, before the forks
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
    simulation = cpp.Simulation(request["seed"])
    for pair in request["links"]:
        simulation.network.AddLinks(*(_fill(cpp.Link(), link) for link in pair))
    simulation.network.FindRoutes()
    flows = []
    for spec in request["flows"]:
        flow = simulation.AddFlow(
            _fill(cpp.FlowSpec(), spec), request["durationS"], request["points"]
        )
        for series in request["series"]:
            flow.Record(series)
        flows.append(flow)
    started = time.perf_counter()
    simulation.Run(request["durationS"], request["untilComplete"])
    wall_s = time.perf_counter() - started
    return {
        "flows": [_flow_result(flow, request["series"]) for flow in flows],
        "links": [
            _link_result(simulation.network, link) for pair in request["links"] for link in pair
        ],
        "events": simulation.events,
        "end_s": simulation.endS,
        "wall_s": wall_s,
        "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def _fill(structure, values: dict):
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


def _flow_result(flow, series) -> dict:
    members = {
        "cwnd_segments": flow.cwndSegments,
        "rtt_s": flow.rttS,
        "delivered_bytes": flow.deliveredSeries,
    }
    completion = flow.completionS
    return {
        "delivered_bytes": int(flow.deliveredBytes),
        "completion_s": None if completion != completion else float(completion),
        "segments_sent": int(flow.segmentsSent),
        "retransmissions": int(flow.retransmissions),
        "recoveries": int(flow.recoveries),
        "timeouts": int(flow.timeouts),
        "series": {
            name: [list(members[name].timeS), list(members[name].values)] for name in series
        },
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


def main() -> None:
    """Load ns-3, then serve; a line on standard output says when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that started us
    requests = socket.socket(fileno=0)
    # Until the server listens, the end of its standard input ends it by SIGIO.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    cpp = load()
    fcntl.fcntl(0, fcntl.F_SETFL, flags)
    gc.collect()
    gc.freeze()  # so that no garbage collection copies these pages in a child
    ctypes.CDLL(None).malloc_trim(0)  # what the compiler has freed
    print("ready", flush=True)
    _Server(cpp, requests).serve()
    os._exit(0)  # the runs end with this process


if __name__ == "__main__":
    main()
