"""The core on this machine: compiled by its C++ compiler when first used, a process a run.

The program has the engine, and each header of congestion controls is a shared object of its own
that the program loads when a scenario asks for it (`longfat.cc.catalogue`): a header that does not
compile takes only itself away.
"""

import json
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from longfat.cc import catalogue
from longfat.engines import host
from longfat.errors import InputError, SimulationError

HERE = catalogue.CORE
HOW_FAR = b"simulated until: "
SANITIZED = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def run(
    scenario: dict[str, Any],
    flags: tuple[str, ...] = (),
    own: Path | None = None,
    time_limit_s: float = 600,
) -> Any:
    """Run a scenario, as `Scenario.model_dump(mode="json")` writes it, and return the answer.

    `own` is a congestion control's header beside those in `cc`; `flags` are further options for
    the compiler. Raises InputError for what a scenario may not say, SimulationError where the run
    has found itself wrong, or takes longer than `time_limit_s`.
    """
    stated = [flow.get("congestion_control", "") for flow in scenario.get("flows", ())]
    names = [one if isinstance(one, str) else one.get("name", "") for one in stated]
    names += ["newreno"] * bool(scenario.get("transfers"))  # for control messages
    known = catalogue.algorithms()
    headers = [own] if own else []
    headers += [header for name in names if name in known and (header := known[name].header)]
    answer = run_text(json.dumps(scenario), headers, time_limit_s, None, flags)
    if "failed" in answer:
        ended = host.how_it_ended(answer["failed"], answer["last_words"], time_limit_s, None)
        raise SimulationError(f"segment {ended}; its last words: {answer['last_words'][-300:]}")
    if "error" in answer:
        raise (InputError if answer["input"] else SimulationError)(answer["error"])
    return answer


def run_text(
    scenario_json: str,
    headers: Iterable[Path],
    time_limit_s: float,
    memory_limit_bytes: int | None,
    flags: Sequence[str] = (),
) -> dict[str, Any]:
    """Run a scenario with the congestion controls of those headers; return the answer of engine.h.

    It has the series as lists, and what the run took. A run that failed has `failed`, the status of
    its process, and `last_words`. Raises InputError for a header that does not compile.
    """
    program, *plugins = made(headers, flags)
    limits = [repr(float(time_limit_s)), str(memory_limit_bytes or 0)]
    output, words, status = _processes.run([program, *limits, *plugins], scenario_json)
    if status:
        return {"failed": status, "last_words": words.strip()}
    head, took, numbers = output.split(b"\n", 2)
    return read(json.loads(head), array("d", numbers)) | json.loads(took)


def made(headers: Iterable[Path], flags: Sequence[str] = ()) -> list[Path]:
    """Return the program, and what the headers are compiled to."""
    with ThreadPoolExecutor(2) as threads:
        program = threads.submit(catalogue.program, flags)
        plugins = threads.submit(catalogue.plugins, headers, flags)
        return [program.result(), *plugins.result()]


_behind: set[Path] = set()  # headers that this process has had compiled


def compile_behind(headers: Iterable[Path]) -> None:
    """Have the program and these headers compiled by a process that nobody waits for."""
    new = [header for header in headers if header not in _behind]
    if not new:
        return
    _behind.update(new)
    command = [sys.executable, "-m", "longfat.engines.segment", "native", *map(str, new)]
    nothing = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)


def read(answer: dict[str, Any], numbers: Sequence[float]) -> dict[str, Any]:
    """Put each series in an answer in the place of where it stands among the numbers."""
    for carrier in (
        one for kind in ("flows", "links", "transfers") for one in answer.get(kind, ())
    ):
        for name, (first, count) in carrier.get("series", {}).items():
            middle, end = first + count, first + 2 * count
            carrier["series"][name] = [list(numbers[first:middle]), list(numbers[middle:end])]
    return answer


class _Processes:
    """The runs of this process that are under way, so that they can be given up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._given_up: set[subprocess.Popen] = set()

    def run(self, command: list, text: str) -> tuple[bytes, str, int]:
        """Run a program on that input; return its output, last words and status.

        Lines in which it says how far it is are no words: they are for `host.watcher`.
        """
        report = host.watcher.get()
        says, writes = os.pipe()
        with self._lock:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=writes,
                process_group=0,  # an interrupt from the keyboard is for this process alone
            )
            self._running.add(process)
        words: list[bytes] = []
        os.close(writes)
        listens = threading.Thread(target=_listen, args=(says, words, report))
        listens.start()
        try:
            output, _ = process.communicate(text.encode())
        finally:
            process.kill()
            process.wait()
            listens.join()
            with self._lock:
                self._running.discard(process)
                given_up = process in self._given_up
                self._given_up.discard(process)
        if given_up:
            raise SimulationError("the run was given up")
        return output, b"".join(words).decode(errors="replace"), process.returncode

    def stop(self) -> None:
        with self._lock:
            for process in self._running:
                self._given_up.add(process)
                process.kill()


def _listen(says: int, words: list[bytes], report: Callable[[float], None] | None) -> None:
    """Tell how far a run is; keep what else it says."""
    with open(says, "rb") as lines:
        for line in lines:
            if not line.startswith(HOW_FAR):
                words.append(line)
            elif report:
                report(float(line.removeprefix(HOW_FAR)))


_processes = _Processes()
stop = _processes.stop
