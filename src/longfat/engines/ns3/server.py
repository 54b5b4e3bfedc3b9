"""A process that has ns-3 loaded and forks a child for each run.

Loading ns-3 takes seconds, a fork takes milliseconds, and a forked child always starts from the
same state: the same scenario gives the same digits whatever ran before. A run that ns-3 aborts
costs its child only. This is the pattern of the standard library's forkserver, with a socket
server of the standard library in its place because that one re-imports the caller's main module.

Run as `python -m longfat.engines.ns3.server SOCKET`; it ends when its standard input does.
"""

import contextlib
import json
import os
import select
import signal
import socketserver
import sys
import tempfile
import time

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def _warm_up() -> dict:
    from longfat.engines.ns3 import request
    from longfat.scenario import Flow, Record, Scenario
    from longfat.topologies import duplex

    path = duplex("a", "b", rate_bps=1e6, delay_s=0.01, queue_packets=5, loss_per_packet=0.02)
    everything = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"), points=2)
    flows = [
        Flow(source="a", target="b", congestion_control="hybla", stop_s=1.5),
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
    return {
        "flows": [_flow_result(flow, request["series"]) for flow in flows],
        "links": [
            _link_result(simulation.network, link) for pair in request["links"] for link in pair
        ],
        "events": simulation.events,
        "end_s": simulation.endS,
        "wall_s": time.perf_counter() - started,
    }


def _fill(structure, values: dict):
    for name, value in values.items():
        if isinstance(value, list):
            vector = getattr(structure, name)
            for item in value:
                vector.push_back(tuple(item) if isinstance(item, list) else item)
        else:
            setattr(structure, name, value)
    return structure


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


class _Handler(socketserver.StreamRequestHandler):
    """Answers one request. Runs in a child of the server, and forks again for ns-3 itself."""

    def handle(self):
        request = json.loads(self.rfile.readline())
        with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as words:
            pid = os.fork()
            if pid == 0:
                _run_and_exit(self.server.cpp, request, answer, words)
            status = self._wait(pid, request["time_limit_s"])
            if status == 0:
                answer.seek(0)
                self.wfile.write(answer.read())
            else:
                words.seek(0)
                last_words = words.read().decode(errors="replace").strip()
                self.wfile.write(
                    json.dumps({"failed": status, "last_words": last_words[-2000:]}).encode()
                )

    def _wait(self, pid: int, time_limit_s: float):
        """Wait for the child; end it when it takes too long or nobody waits for the answer."""
        child = os.pidfd_open(pid)
        ready, _, _ = select.select([child, self.connection], [], [], time_limit_s)
        os.close(child)
        if child not in ready:
            os.kill(pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not ready:
            return f"took longer than its limit of {time_limit_s:g} s"
        if code == 0:
            return 0
        reason = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return f"ended with {reason}"


def _run_and_exit(cpp, request, answer, words):
    status = 1
    try:
        os.dup2(words.fileno(), 2)
        os.dup2(words.fileno(), 1)
        for abnormal in (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL):
            signal.signal(abnormal, signal.SIG_DFL)  # not ROOT's stack trace, which takes seconds
        answer.write(json.dumps(execute(cpp, request)).encode())
        answer.flush()
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status)


class _Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    max_children = 1000
    request_queue_size = 128
    block_on_close = False

    def service_actions(self):
        super().service_actions()
        if select.select([sys.stdin], [], [], 0)[0] and not os.read(0, 1):
            os._exit(0)  # the process that started us is gone


def main(path: str) -> None:
    """Load ns-3, then serve on the Unix socket `path`; one line on standard output when ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that started us
    cpp = load()
    with _Server(path, _Handler) as server:
        server.cpp = cpp
        print("ready", flush=True)
        server.serve_forever(poll_interval=0.2)


if __name__ == "__main__":
    main(sys.argv[1])
