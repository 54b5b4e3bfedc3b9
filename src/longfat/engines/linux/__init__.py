"""A real Linux stack: user-mode Linux, an ordinary process, with its clock virtualised.

`make emulation` builds it (build.sh): the unmodified kernel, the same with UCC for runs that ask
for it, the programs that run in it, and a source of random numbers that repeats. A run is a process
that gets its root as an archive in memory: the first program and the plan (`planning.py`); what it
measured comes back as text. It makes no file, and ends with the process that asked for it.
"""

import contextlib
import functools
import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from longfat.engines import behaviour, host
from longfat.engines.linux.planning import has_ucc, plan
from longfat.errors import InputError, SimulationError
from longfat.result import Result
from longfat.scenario import Scenario

BEHAVIOUR = 1
VERSION = "6.12"  # of the archived results, and of what `make emulation` builds from Debian
SOURCES = [
    Path(str(files("longfat.engines.linux") / name))
    for name in ("kernel.config", "tcp_ucc.c", "guest.c", "host.c")
]
PLANNING = Path(str(files("longfat.engines.linux") / "planning.py"))
# Killed with the thread that waits for it; at the same addresses in every run, because the kernel
# hashes some of them.
LAUNCH = ["setpriv", "--pdeathsig", "KILL", "setarch", "-R"]
OPTIONS = [  # the kernel's random numbers begin with these: they name nothing of this machine
    "initrd=/proc/self/fd/0",
    "time-travel=inf-cpu",
    "time-travel-start=0",
    "con=null",
    "con0=null,fd:1",
    "uml_dir=/dev/null",  # where it can make no folder
    "quiet",
    "panic=-1",
]
OWN_MEMORY_BYTES = 96_000_000
MEMORY_BYTES = 2_000_000_000
LAST_LINES = 12


def folder() -> Path:
    """Return where the kernel is: environment variable LONGFAT_EMULATION, or the user's cache."""
    default = platformdirs.user_cache_dir("longfat-linux")
    return Path(os.environ.get("LONGFAT_EMULATION") or default)


def build() -> dict[str, str] | None:
    """Return what build.sh says of what is built, or None: kernel_version, config_sha256, …"""
    try:
        return json.loads((folder() / "build.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


HOW_TO_GET = "`make emulation` builds its kernel"


def is_here() -> bool:
    """Return whether the kernel is built."""
    return build() is not None


def part() -> behaviour.Part:
    """Return what decides results beside the scenario.

    It is the configuration, the guest programs, the planning, and the series (6.12) of the kernel
    that is built, or of the archive's where none is: so archived results are found without a
    kernel. Provenance has the whole version.
    """
    made = build()
    series = ".".join(made["kernel_version"].split(".")[:2]) if made else VERSION
    return behaviour.engine("linux", BEHAVIOUR, [*SOURCES, PLANNING], series)


def controls(scenario: Scenario) -> list[str]:
    """Return none: Linux has its own."""
    return []


@functools.cache
def _sources_sha256() -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in SOURCES)).hexdigest()


def simulate(
    scenario: Scenario, time_limit_s: float = 3600, memory_limit_bytes: int | None = None
) -> Result:
    """Run the scenario on Linux and return the result. Same scenario, same digits.

    `cwnd_segments`, `ssthresh_segments` and `rtt_s` (smoothed) are sampled at the end of each of
    the record's intervals. Raises InputError where no kernel is built and for what Linux does not
    have, SimulationError when the guest gives up, takes longer than `time_limit_s`, or more memory
    than `memory_limit_bytes` beyond the engine's own.
    """
    script = plan(scenario)
    made = build()
    if made is None:
        raise InputError(
            "engine 'linux' needs its kernel, which is not built here: run 'make emulation'"
        )
    if made["sources_sha256"] != _sources_sha256():
        raise InputError("engine 'linux' was built from older sources: run 'make emulation'")
    begin = time.monotonic()
    kernel = folder() / ("linux-ucc" if has_ucc(scenario) else "linux")
    if not kernel.exists():
        raise InputError(
            "engine 'linux' has no 'ucc' here: its kernel was built from LINUX_SOURCE, to which "
            "'make emulation' adds nothing, and not from Debian's source"
        )
    status, output = _run(kernel, script, scenario.seed, time_limit_s, memory_limit_bytes)
    wall_s = time.monotonic() - begin
    sections = _sections(output)
    if status or "plan ended with status 0" not in sections:
        raise _failure(scenario, status, output, time_limit_s, memory_limit_bytes)
    return _result(scenario, sections, made, wall_s)


# --- the process

_running: set[subprocess.Popen] = set()
_lock = threading.Lock()


def stop() -> None:
    """End every run of this process."""
    with _lock:
        for process in _running:
            process.kill()


def _run(
    kernel: Path, script: str, seed: int, time_limit_s: float, memory_limit_bytes: int | None
) -> tuple[int, str]:
    """Run the script in a guest; return the exit status and the console's text."""
    memory_bytes = OWN_MEMORY_BYTES + memory_limit_bytes if memory_limit_bytes else MEMORY_BYTES
    root = os.memfd_create("longfat-root")
    with os.fdopen(root, "wb") as file:
        guest = (folder() / "guest").read_bytes()
        file.write(_cpio({"init": guest, "plan": script.encode()}))
        file.flush()
        process = subprocess.Popen(
            [*LAUNCH, str(kernel), *OPTIONS, f"mem={memory_bytes // 2**20}M"],
            stdin=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                # of the guest's memory, a file that is unlinked as soon as it is open
                "TMPDIR": _memory_folder(memory_bytes),
                "LD_PRELOAD": str(folder() / "host.so"),
                "LONGFAT_SEED": str(seed),
            },
        )
    with _lock:
        _running.add(process)
    try:
        output, _ = process.communicate(timeout=time_limit_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        status = -signal.SIGALRM
    finally:
        process.kill()
        process.wait()
        with _lock:
            _running.discard(process)
    return status, output.decode(errors="replace").replace("\r", "")


def _memory_folder(size_bytes: int) -> str:
    """Return a folder for the guest's memory: in memory if it is large enough there."""
    with contextlib.suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > size_bytes:
            return "/dev/shm"
    return os.environ.get("TMPDIR", "/tmp")


def _cpio(contents: dict[str, bytes]) -> bytes:
    """Return an archive in the format of the kernel's initramfs ("newc") with executable files."""
    archive = b""
    for number, (name, data) in enumerate([*contents.items(), ("TRAILER!!!", b"")], start=1):
        mode = 0 if name == "TRAILER!!!" else 0o100755
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        archive += b"070701" + "".join(f"{field:08x}" for field in fields).encode()
        archive += name.encode() + b"\0"
        archive += bytes(-len(archive) % 4) + data
        archive += bytes(-len(archive) % 4)
    return archive


def _failure(
    scenario: Scenario,
    status: int,
    output: str,
    time_limit_s: float,
    memory_limit_bytes: int | None,
) -> SimulationError:
    lines = output.strip().splitlines()
    panic = [line for line in lines[:-LAST_LINES] if "Kernel panic" in line]
    words = "\n".join(panic + lines[-LAST_LINES:])
    what = "Linux ended before its plan did"
    if status < 0 or "out of memory" in output.lower():
        limits = time_limit_s, memory_limit_bytes
        what = f"Linux {host.how_it_ended(status, output.lower(), *limits)}"
    return SimulationError(
        f"{what} on scenario {scenario.sha256()[:12]}"
        + (f"; its last lines: {words}" if words else ""),
        failure={"what": what, "scenario": json.loads(scenario.to_json()), "last_words": words},
    )


# --- what came back


def _sections(output: str) -> dict[str, list[str]]:
    """Return the lines under each line '== NAME'."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in output.splitlines():
        if line.startswith("== "):
            lines = sections.setdefault(line[3:], [])
        elif line:
            lines.append(line)
    return sections


def _words(lines: list[str], first: str) -> list[list[float]]:
    """Return the numbers of every line that begins with the word."""
    split = (line.split() for line in lines)
    return [[float(word) for word in words] for key, *words in split if key == first]


def _result(
    scenario: Scenario, sections: dict[str, list[str]], made: dict[str, str], wall_s: float
) -> Result:
    answer = {
        "flows": [
            _flow(sections[f"s{number}"], sections[f"r{number}"], scenario.record.series)
            for number, _ in enumerate(scenario.flows)
        ],
        "links": _links(scenario, sections),
        "end_s": float(*sections["end"]),
        "wall_s": wall_s,
    }
    made_by = {
        "engine": "linux",
        "engine_version": f"{made['kernel_version']} ({made['built_from']})",
        "config_sha256": made["config_sha256"],
    }
    return host.result(scenario, answer, made_by)


def _flow(sender: list[str], receiver: list[str], series: Iterable[str]) -> dict[str, Any]:
    """Return what was measured of a flow, from what its two ends have said."""
    [[delivered, completion_s]] = _words(receiver, "received")
    [[sent, retransmissions, recoveries, timeouts, _]] = _words(sender, "sent")
    samples = _words(sender, "sender")
    kept = {}
    for name in series:
        if name == "delivered_bytes":
            points = _words(receiver, "delivered")
        else:
            column = ("cwnd_segments", "ssthresh_segments", "rtt_s").index(name) + 1
            scale = 1e-6 if name == "rtt_s" else 1
            points = [[words[0], words[column] * scale] for words in samples if words[column]]
        kept[name] = [list(values) for values in zip(*points, strict=True)] or [[], []]
    given_up = [when for [when] in _words(sender, "given_up")]
    return {
        "delivered_bytes": int(delivered),
        "completion_s": None if math.isnan(completion_s) else completion_s,
        "segments_sent": int(sent),
        "retransmissions": int(retransmissions),
        "recoveries": int(recoveries),
        "timeouts": int(timeouts),
        "series": kept,
    } | ({"given_up_s": given_up[0]} if given_up else {})


def _links(scenario: Scenario, sections: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return what became of the packets of each link, from the counters of its devices."""
    counts: dict[str, dict[str, int]] = {}
    for number, _ in enumerate(scenario.nodes):
        for queue in json.loads("".join(sections[f"links {number}"])):
            if queue["kind"] in ("tbf", "netem"):
                count = counts.setdefault(queue["dev"], {"packets": 0, "drops": 0})
                count["packets"] += queue["packets"]
                count["drops"] += queue["drops"]
    rows = []
    for number, link in enumerate(scenario.links):
        lost = counts[f"d{number}"]["drops"]
        # Losses so far, at the beginning and the end of each outage.
        marks = [
            sum(queue["drops"] for queue in json.loads(line) if queue["kind"] == "netem")
            for line in sections.get(f"outage{number}", [])
        ]
        if len(marks) % 2:
            marks.append(lost)
        in_outage = sum(marks[1::2]) - sum(marks[::2])
        rows.append(
            {
                "source": link.source,
                "target": link.target,
                "packets_sent": counts[f"l{number}"]["packets"],
                "packets_lost": lost - in_outage,
                "packets_lost_in_outage": in_outage,
                "packets_dropped_by_queue": counts[f"l{number}"]["drops"],
                "series": {},
            }
        )
    return rows
