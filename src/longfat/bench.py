"""How fast is the engine? Ratios measured side by side: `python -m longfat.bench`.

Writes data/bench.csv, a row a ratio with the bar it has to reach, and data/bench-machine.csv, which
says where it was measured. Nothing comes from the archive or the cache. Other work on the machine
disturbs the numbers, so most are the best of a few repetitions; the load is written down.
"""

import ctypes
import json
import math
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from longfat import paths
from longfat.cc.catalogue import ALGORITHMS
from longfat.engines import ns3, segment
from longfat.engines.ns3 import accelerate, server
from longfat.errors import SimulationError
from longfat.result import Result
from longfat.scenario import Flow, Record, Scenario
from longfat.topologies import duplex, satellite

TABLE = paths.DATA / "bench.csv"
MACHINE = paths.DATA / "bench-machine.csv"

TURNS = 9
SATELLITE = satellite(loss=1e-4, duration_s=100)
LONG_FAT_PIPE = Scenario(
    links=duplex(
        "sender",
        "receiver",
        rate_bps=600e6,
        delay_s=0.05,
        queue_packets=5000,
        loss_per_packet=1e-5,
        backward={"loss_per_packet": 0.0},
    ),
    flows=[
        Flow(
            source="sender",
            target="receiver",
            congestion_control="scalable",
            segment_bytes=1448,
            send_buffer_bytes=8_000_000,
            receive_buffer_bytes=8_000_000,
        )
    ],
    duration_s=4,
)

# The satellite scenario of the engine's headers, compiled ahead: a function that runs it once.
COMPILED = """
#include "{program}"
{includes}
#include <ctime>
#include <limits>
extern "C" void run(double* cpu_s, double* events)
{{
    longfat::Simulation simulation({seed});
{links}
    simulation.network.FindRoutes();
{flows}
    const std::clock_t started = std::clock();
    simulation.Run({duration}, false);
    *cpu_s = double(std::clock() - started) / CLOCKS_PER_SEC;
    *events = simulation.events;
}}
"""

# The same path and algorithm in ns-2, whose Linux TCP does not keep to the window of 550. Only its
# time is compared, a segment each.
NS2 = """
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 100Mb 275ms DropTail
$ns queue-limit $a $b 1000
set errors [new ErrorModel]
$errors unit pkt
$errors set rate_ 1e-4
$errors ranvar [new RandomVariable/Uniform]
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $a $b
set tcp [new Agent/TCP/Linux]
set sink [new Agent/TCPSink/Sack1]
$tcp set timestamps_ true
$tcp set window_ 550
$tcp set packetSize_ 1000
$sink set ts_echo_rfc1323_ true
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$tcp select_ca hybla"
$ns at 0 "$ftp start"
$ns at 100 {puts [$tcp set ack_]; exit 0}
$ns run
"""


Row = dict[str, Any]  # what, value, unit, bar, passed, detail


def _row(
    what: str, value: float, unit: str, bar: str, passed: bool | None, detail: str = ""
) -> Row:
    """Return a row of the table; `passed` is None where there is no bar."""
    verdict = {True: "yes", False: "no", None: "-"}[passed]
    value = float(f"{value:.3g}")
    print(f"{what}: {value:g} {unit} (bar: {bar or 'none'}; {verdict}) {detail}", flush=True)
    return dict(what=what, value=value, unit=unit, bar=bar, passed=verdict, detail=detail)


def bench() -> pd.DataFrame:
    """Measure everything; return a row a number: what, value, unit, bar, passed, detail."""
    return pd.DataFrame([row for section in SECTIONS for row in section()])


# --- ns-3 beside itself, without the accelerator


def beside_stock() -> list[Row]:
    """The accelerator must not change a result, and be so many times faster."""
    rows = []
    for name, scenario, bar, turns, runs in (
        ("long fat pipe", LONG_FAT_PIPE, 10, 2, 1),
        ("satellite", SATELLITE, 2, 3, 3),
    ):
        results = {False: [], True: []}
        for _ in range(turns):
            for accelerated, so_far in results.items():
                _restart(accelerated)
                so_far += [ns3.simulate(scenario) for _ in range(runs)]
        slow, quick = map(_quickest_of, results.values())
        if not slow.flows.equals(quick.flows) or (
            slow.provenance["events"] != quick.provenance["events"]
        ):
            raise SimulationError(f"{name}: the accelerator changes the result")
        times = [result.provenance["wall_s"] for result in (slow, quick)]
        ratio = times[0] / times[1]
        detail = f"{times[0]:.2f} s stock, {times[1]:.2f} s accelerated, same results"
        what = f"accelerated / stock ns-3, {name}"
        rows.append(_row(what, ratio, "times", f"at least {bar}", ratio >= bar, detail))
    return rows


def _restart(accelerated: bool) -> None:
    """Start the ns-3 server again, with or without the accelerator."""
    ns3.stop()
    os.environ["LONGFAT_ACCELERATE"] = "1" if accelerated else "0"
    ns3.simulate(satellite(loss=0, duration_s=0.1))


def _quickest_of(results: Iterable[Result]) -> Result:
    return min(results, key=lambda result: result.provenance["wall_s"])


@cache
def _fast_satellite() -> Result:
    return _quickest_of(ns3.simulate(SATELLITE) for _ in range(3))


# --- headers compiled by Cling as the process starts, beside the same compiled ahead


def compilers() -> list[Row]:
    """JIT-compiled headers must be as fast as the same code compiled by g++.

    Both run the satellite on stock ns-3 in a forked child of a Python process that has ns-3 loaded,
    with the same allocator: the state of memory (small or huge pages, shared or not) is the same,
    and only the compiler differs. They take turns; the least processor time of each counts, for
    whatever else happens on the machine only adds to it. The median of the turns' ratios is told.
    """
    compiler = _compiler()
    if compiler is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        library = _compile(compiler, Path(folder))
        jit, compiled = _Turns("jit"), _Turns(str(library))
        with jit, compiled:
            pairs = [(jit.run(), compiled.run()) for _ in range(TURNS)]
    if len({events for pair in pairs for _, events in pair}) > 1:
        raise SimulationError("what g++ has compiled executes other events")
    times = [[cpu_s for cpu_s, _ in turns] for turns in zip(*pairs, strict=True)]
    ratio = min(times[0]) / min(times[1])
    median = statistics.median(a / b for a, b in zip(*times, strict=True))
    detail = (
        f"{min(times[0]):.2f} s JIT, {min(times[1]):.2f} s g++, the least of {TURNS} turns, whose "
        f"ratios have the median {median:.2f}; same number of events"
    )
    return [
        _row(
            "JIT-compiled / compiled by g++", ratio, "times", "at most 1.03", ratio <= 1.03, detail
        )
    ]


class _Turns:
    """A process that has ns-3 and one kind of code loaded, and runs the satellite when asked."""

    def __init__(self, code: str):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "longfat.bench", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ns3.server_environment() | {"LONGFAT_ACCELERATE": "0"},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def run(self) -> tuple[float, int]:
        """Return the seconds of processor time that one run takes, and its number of events."""
        self._process.stdin.write("run\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if len(answer) != 2:
            raise SimulationError("a run of the comparison of compilers failed")
        return float(answer[0]), int(answer[1])


def _take_turns(code: str) -> None:
    """Be the process behind `_Turns`: for each line of standard input, run once in a child."""
    cpp = server.load(headers=code == "jit")
    request = ns3.request(SATELLITE)
    library = None if code == "jit" else ctypes.CDLL(code)
    server.settle()
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            if library is None:
                answer = server.execute(cpp, request)
                cpu_s, events = answer["cpu_s"], answer["events"]
            else:
                numbers = ctypes.c_double(), ctypes.c_double()
                library.run(*(ctypes.byref(number) for number in numbers))
                cpu_s, events = (number.value for number in numbers)
            print(cpu_s, int(events), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    os._exit(0)


def _compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")


def _compile(compiler: str, folder: Path) -> Path:
    request = ns3.request(SATELLITE)
    headers = [a.header_path for a in ALGORITHMS.values() if a.header]
    links = "\n".join(
        _cpp_structure("Link", f"link{i}{j}", link)
        for i, pair in enumerate(request["links"])
        for j, link in enumerate(pair)
    ) + "".join(
        f"\n    simulation.network.AddLinks(link{i}0, link{i}1);"
        for i in range(len(request["links"]))
    )
    flows = "\n".join(
        _cpp_structure("FlowSpec", f"flow{i}", flow["spec"])
        + f"\n    simulation.AddFlow(flow{i}, {request['durationS']}, {request['points']});"
        for i, flow in enumerate(request["flows"])
    )
    source, library = folder / "compiled.cc", folder / "compiled.so"
    source.write_text(
        COMPILED.format(
            program=ns3.PROGRAM,
            includes="\n".join(f'#include "{header}"' for header in headers),
            seed=request["seed"],
            duration=request["durationS"],
            links=links,
            flows=flows,
        )
    )
    command = [*shlex.split(compiler), "-std=c++20", *shlex.split(server.JIT_FLAGS)]
    command += ["-shared", "-fPIC", f"-I{accelerate._ns3() / 'include'}", str(source)]
    libraries = accelerate._ns3() / "lib64"
    command += ["-o", str(library), f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    command += ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
    command += [f"-l:{name}" for name in accelerate.LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SimulationError(f"g++ does not compile the headers: {done.stderr[:300]}")
    return library


def _cpp_structure(kind: str, name: str, values: dict[str, Any]) -> str:
    """Write the C++ that fills a structure with what the server would fill in."""

    def text(value) -> str:
        if isinstance(value, list):
            return "{" + ", ".join(text(item) for item in value) + "}"
        if isinstance(value, float) and math.isinf(value):
            return "std::numeric_limits<double>::infinity()"
        return json.dumps(value)

    lines = [f"    longfat::{kind} {name};"]
    lines += [f"    {name}.{member} = {text(value)};" for member, value in values.items()]
    return "\n".join(lines)


# --- sweeps


def set_up() -> list[Row]:
    """The time a run takes in a warm sweep beyond the simulation itself."""
    _restart(accelerated=True)
    beyond = []
    for seed in range(1, 21):
        started = time.perf_counter()
        result = ns3.simulate(satellite(loss=1e-3, duration_s=1, seed=seed))
        beyond.append(time.perf_counter() - started - result.provenance["wall_s"])
    value_ms = 1000 * statistics.median(beyond)
    detail = "median of 20 runs of 1 s, in a warm sweep"
    what = "set-up beyond the simulation, a run"
    return [_row(what, value_ms, "ms", "below 50", value_ms < 50, detail)]


def workers() -> list[Row]:
    """Two workers beside one."""
    turns = [[_sweep_s(number) for number in (1, 2)] for _ in range(3)]
    one, two = (min(times) for times in zip(*turns, strict=True))
    detail = f"{one:.2f} s and {two:.2f} s for 8 satellite runs of 100 s, the best of 3 turns"
    passed = one / two >= 1.8
    return [_row("2 workers / 1 worker", one / two, "times", "at least 1.8", passed, detail)]


def _sweep_s(workers: int) -> float:
    """Return how long eight satellite runs take with so many workers."""
    scenarios = [satellite(loss=1e-4, duration_s=100, seed=seed) for seed in range(1, 9)]
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(ns3.simulate, scenarios))
    return time.perf_counter() - started


def memory() -> list[Row]:
    """A run's memory must not grow with its length, with every series of the flow kept."""
    series = Record(series=("cwnd_segments", "rtt_s", "delivered_bytes"))
    short, long = (
        ns3.simulate(satellite(loss=1e-4, duration_s=duration_s, record=series)).provenance[
            "peak_memory_bytes"
        ]
        for duration_s in (100, 1000)
    )
    growth_mb = (long - short) / 1e6
    detail = f"{short / 1e6:.1f} MB and {long / 1e6:.1f} MB, all of ns-3 included"
    what = "memory of 1000 s beyond that of 100 s"
    return [_row(what, growth_mb, "MB", "no growth: below 4", growth_mb < 4, detail)]


# --- another simulator


def ns2() -> list[Row]:
    """The time of ns-2 for the satellite, where it is installed."""
    program = shutil.which("ns")
    if program is None:
        return []
    ns2_s, segments = _ns2(program)
    ns3_s = _fast_satellite().provenance["wall_s"]
    sent = _fast_satellite().flows["segments_sent"].sum()
    detail = (
        f"{1e6 * ns2_s / segments:.1f} us for each of {segments} segments (it does not keep to the "
        f"window); accelerated ns-3: {ns3_s:.2f} s, {1e6 * ns3_s / sent:.1f} us a segment"
    )
    return [_row("ns-2, satellite", ns2_s, "s", "", None, detail)]


def _ns2(ns2: str) -> tuple[float, int]:
    """Return the time that ns-2 takes for the satellite run (the best of three), and segments."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "satellite.tcl"
        script.write_text(NS2)
        times = []
        for _ in range(3):
            started = time.perf_counter()
            done = subprocess.run([ns2, str(script)], capture_output=True, text=True)
            times.append(time.perf_counter() - started)
            words = done.stdout.split()
            if done.returncode or not words or not words[0].isdigit():
                raise SimulationError(f"ns-2 failed: {(done.stderr or done.stdout)[-300:]}")
    return min(times), int(words[0])


# --- the segment engine


def segment_engine() -> list[Row]:
    """The segment engine beside stock ns-3 and ns-2, and its cost a segment over window and flows.

    In processor time, which other work on the machine disturbs least; ns-2 by the clock.
    """
    rows = []
    for name, scenario, bar, turns in (
        ("satellite", SATELLITE, 100, 4),
        ("long fat pipe", LONG_FAT_PIPE, 300, 1),
    ):
        answers = []
        for _ in range(turns):
            _restart(accelerated=False)
            slow = _quickest([(ns3, scenario)], 1)
            _restart(accelerated=True)
            answers.append(slow + _quickest([(segment, scenario)], 9))
        slow, fast = map(_least, zip(*answers, strict=True))
        if slow["flows"] != fast["flows"]:
            raise SimulationError(f"{name}: the segment engine has another result than ns-3")
        ratio = slow["cpu_s"] / fast["cpu_s"]
        detail = (
            f"{slow['cpu_s']:.2f} s stock, {fast['cpu_s']:.4f} s segment engine "
            f"({_us_a_segment(fast):.2f} us a segment), same results"
        )
        what = f"segment engine / stock ns-3, {name}"
        rows.append(_row(what, ratio, "times", f"at least {bar}", ratio >= bar, detail))
    if program := shutil.which("ns"):
        ns2_s, segments = _ns2(program)
        (quick,) = _quickest([(segment, SATELLITE)], 9)
        ratio = 1e6 * ns2_s / segments / _us_a_segment(quick)
        detail = f"a segment; ns-2 takes {ns2_s:.2f} s for {segments} of them"
        what = "segment engine / ns-2, satellite"
        rows.append(_row(what, ratio, "times", "at least 1.5", ratio >= 1.5, detail))
    for what, cases in (
        ("windows of 10 to 10,000 segments", [(10, 1), (100, 1), (1000, 1), (10_000, 1)]),
        ("1 to 100 flows", [(100, 1), (100, 10), (100, 100)]),
    ):
        runs = _quickest([(segment, _windows(*case)) for case in cases], 15)
        costs = [_us_a_segment(run) for run in runs]
        spread = 100 * (max(costs) / min(costs) - 1)
        detail = ", ".join(f"{cost:.3f}" for cost in costs) + " us a segment"
        what = f"segment engine, highest over lowest cost, {what}"
        rows.append(_row(what, spread, "%", "at most 20", spread <= 20, detail))
    return rows


def _quickest(cases: list[tuple[Any, Scenario]], turns: int) -> list[dict[str, Any]]:
    """Return what the server answers to the quickest run of each engine and scenario.

    They take turns, so that a slow minute of the machine meets all of them.
    """
    limits = {"time_limit_s": 3600, "memory_limit_bytes": None}
    runs = [
        [ns3._ask(engine.request(scenario) | limits) for engine, scenario in cases]
        for _ in range(turns)
    ]
    return [_least(answers) for answers in zip(*runs, strict=True)]


def _least(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return min(answers, key=lambda answer: answer["cpu_s"])


def _windows(window: int, flows: int) -> Scenario:
    """Return flows that keep a window full on a path of 0.1 s: about 400,000 segments in all."""
    rtt_s = 0.1
    return Scenario(
        links=duplex(
            "sender", "receiver", rate_bps=100e9, delay_s=rtt_s / 2, queue_packets=10_000_000
        ),
        flows=[
            Flow(
                source="sender",
                target="receiver",
                congestion_control="hybla",
                max_window_segments=window,
                initial_window_segments=window,
                start_s=rtt_s * number / flows,
            )
            for number in range(flows)
        ],
        duration_s=400_000 * rtt_s / (window * flows),
    )


def _us_a_segment(answer: dict[str, Any]) -> float:
    return 1e6 * answer["cpu_s"] / sum(flow["segments_sent"] for flow in answer["flows"])


SECTIONS = [beside_stock, compilers, set_up, workers, memory, ns2, segment_engine]


def machine() -> pd.DataFrame:
    """Return what the numbers depend on: columns item and value."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    facts = {
        "processor": cpu,
        "cores": os.cpu_count(),
        "load before (1 min)": round(os.getloadavg()[0], 2),
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "ns-3 wheel": version("ns3"),
        "longfat": version("longfat"),
        "measured (UTC)": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
    }
    if compiler := _compiler():
        run = subprocess.run([*shlex.split(compiler), "--version"], capture_output=True, text=True)
        facts["compiler"] = run.stdout.splitlines()[0]
    return pd.DataFrame(facts.items(), columns=["item", "value"])


def main() -> None:
    """Measure, print the table and write both files. Exit status 1 where a bar is missed."""
    if sys.argv[1:]:
        _take_turns(sys.argv[1])
    where = machine()
    table = bench()
    table.to_csv(TABLE, index=False, lineterminator="\n")
    where.to_csv(MACHINE, index=False, lineterminator="\n")
    print(table.to_string(index=False))
    print(where.to_string(index=False, header=False))
    if (table["passed"] == "no").any():
        sys.exit(1)


if __name__ == "__main__":
    main()
