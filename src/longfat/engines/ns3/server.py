"""A process that has ns-3 loaded and forks a child for each run.

A fork takes milliseconds, and a forked child always starts from the same state: the same scenario
gives the same digits whatever ran before. A run that ns-3 aborts costs its child only. This is the
pattern of the standard library's forkserver, which is not used itself because it imports the
caller's main module again.

Started by `longfat.engines.ns3` with one end of a socket pair as its standard input. Each message
there brings the socket of one run. On that come the request, a line of JSON, and in return lines
of which the last is the answer. No file is left behind, and nothing outlives the process that
started it: at the end of its standard input the server ends, and its runs end with it.

ns-3 and the engine are shared libraries that were compiled before, as are the congestion controls,
which a run loads for itself: this file needs nothing but the standard library, so that the process
is there at once.

    python server.py ENGINE       the library's path
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
import sys
from collections.abc import Callable
from dataclasses import dataclass


def load(engine: str) -> Callable[[str], str]:
    """Load ns-3 with the engine; return what runs a request."""
    run = ctypes.CDLL(engine, ctypes.RTLD_GLOBAL).longfat_run
    run.argtypes, run.restype = [ctypes.c_char_p], ctypes.c_char_p
    return lambda request: run(request.encode()).decode()


def serve(load: Callable[[], Callable[[str], str]]) -> None:
    """Load ns-3, then serve; a line on standard output says when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that started us
    requests = socket.socket(fileno=0)
    # Until the server listens, the end of its standard input ends it by SIGIO.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        return  # it ended before that
    run = load()
    fcntl.fcntl(0, fcntl.F_SETFL, flags)
    settle()
    print("ready", flush=True)
    _Server(run, requests).serve()
    os._exit(0)  # the runs end with this process


def settle() -> None:
    """Make the memory of this process ready to be shared with the children that it forks."""
    gc.collect()
    gc.freeze()  # so that no garbage collection copies these pages in a child
    ctypes.CDLL(None).malloc_trim(0)  # what the compiler has freed


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

    def __init__(self, run: Callable[[str], str], requests: socket.socket):
        self._run = run
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
            self._run_and_exit(line.decode(), connection, words)
        run = _Run(pid, os.pidfd_open(pid), connection, words)
        self._events.register(run.process, selectors.EVENT_READ, run)
        self._events.register(connection, selectors.EVENT_READ, run)

    def _run_and_exit(self, line: str, connection: socket.socket, words: int) -> None:
        status = 1
        try:
            os.dup2(words, 1)
            os.dup2(words, 2)
            for abnormal in (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE, signal.SIGILL):
                signal.signal(abnormal, signal.SIG_DFL)  # not ROOT's slow stack trace
            self._end_with_the_server()
            request = json.loads(line)
            for path in request["libraries"]:
                ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
            _limit(request["time_limit_s"], request["memory_limit_bytes"])
            connection.sendall(self._run(line).encode() + b"\n")
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


if __name__ == "__main__":
    serve(lambda: load(*sys.argv[1:]))
