"""How fast is the engine? Ratios measured side by side: `python -m longfat.bench`.

Writes data/bench.csv, a row a ratio with the bar it has to reach, and data/bench-machine.csv, which
says where it was measured. Nothing comes from the archive or the cache. Other work on the machine
disturbs the numbers, so most are the best of a few repetitions; the load is written down.
"""

import json
import math
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from longfat import paths
from longfat.engines import ns3
from longfat.engines.ns3 import accelerate, server
from longfat.errors import SimulationError
from longfat.scenario import Flow, Record, Scenario
from longfat.topologies import duplex, satellite

TABLE = paths.DATA / "bench.csv"
MACHINE = paths.DATA / "bench-machine.csv"

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

# A whole program of the engine's headers, compiled ahead: the satellite scenario, as generated.
NATIVE = """
#include "ns3/simulator.h"
#include "{simulation}"
{includes}
#include <chrono>
#include <cstdio>
#include <limits>
int main()
{{
    longfat::Simulation simulation({seed});
{links}
    simulation.network.FindRoutes();
{flows}
    const auto started = std::chrono::steady_clock::now();
    simulation.Run({duration}, false);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    std::printf("%.6f %llu\\n", wall.count(), (unsigned long long)simulation.events);
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


def bench() -> pd.DataFrame:
    """Measure everything; return a row a number: what, value, unit, bar, passed, detail."""
    rows: list[dict[str, Any]] = []

    def add(what: str, value: float, unit: str, bar: str, passed: bool | None, detail: str):
        verdict = {True: "yes", False: "no", None: "-"}[passed]
        rows.append(
            {
                "what": what,
                "value": float(f"{value:.3g}"),
                "unit": unit,
                "bar": bar,
                "passed": verdict,
                "detail": detail,
            }
        )
        print(f"{what}: {value:.3g} {unit} (bar: {bar or 'none'}; {verdict}) {detail}", flush=True)

    stock, fast = {}, {}
    _restart(accelerated=False)
    stock["pipe"] = ns3.simulate(LONG_FAT_PIPE)
    stock["satellite"] = _best(lambda: ns3.simulate(SATELLITE), 2)
    compiled = _native(compiler) if (compiler := _compiler()) else None
    _restart(accelerated=True)
    fast["pipe"] = _best(lambda: ns3.simulate(LONG_FAT_PIPE), 2)
    fast["satellite"] = _best(lambda: ns3.simulate(SATELLITE), 3)
    for name, title, bar in (
        ("pipe", "accelerated / stock ns-3, long fat pipe", 10),
        ("satellite", "accelerated / stock ns-3, satellite", 2),
    ):
        if not stock[name].flows.equals(fast[name].flows) or (
            stock[name].provenance["events"] != fast[name].provenance["events"]
        ):
            raise SimulationError(f"{title}: the results differ")
        times = [result.provenance["wall_s"] for result in (stock[name], fast[name])]
        ratio = times[0] / times[1]
        detail = f"{times[0]:.2f} s stock, {times[1]:.2f} s accelerated, same results"
        add(title, ratio, "times", f"at least {bar}", ratio >= bar, detail)

    if compiled:
        ratio, detail = compiled
        add("JIT-compiled / compiled by g++", ratio, "times", "at most 1.03", ratio <= 1.03, detail)

    setup_ms = _setup_ms()
    add(
        "set-up beyond the simulation, a run",
        setup_ms,
        "ms",
        "below 50",
        setup_ms < 50,
        "median of 20 runs of 1 s, in a warm sweep",
    )

    one, two = (_sweep_s(workers) for workers in (1, 2))
    add(
        "2 workers / 1 worker",
        one / two,
        "times",
        "at least 1.8",
        one / two >= 1.8,
        f"{one:.2f} s and {two:.2f} s for 8 satellite runs of 100 s",
    )

    memory = {
        duration_s: ns3.simulate(
            satellite(
                loss=1e-4,
                duration_s=duration_s,
                record=Record(series=("cwnd_segments", "rtt_s", "delivered_bytes")),
            )
        ).provenance["peak_memory_bytes"]
        for duration_s in (100, 1000)
    }
    growth_mb = (memory[1000] - memory[100]) / 1e6
    add(
        "memory of 1000 s beyond that of 100 s",
        growth_mb,
        "MB",
        "no growth: below 4",
        growth_mb < 4,
        f"{memory[100] / 1e6:.1f} MB and {memory[1000] / 1e6:.1f} MB, all of ns-3 included",
    )

    if ns2 := shutil.which("ns"):
        ns2_s, segments = _ns2(ns2)
        ns3_s = fast["satellite"].provenance["wall_s"]
        sent = fast["satellite"].flows["segments_sent"].sum()
        add(
            "ns-2, satellite",
            ns2_s,
            "s",
            "",
            None,
            f"{1e6 * ns2_s / segments:.1f} us for each of {segments} segments (it does not keep to "
            f"the window); accelerated ns-3: {ns3_s:.2f} s, {1e6 * ns3_s / sent:.1f} us a segment",
        )
    return pd.DataFrame(rows)


def _restart(accelerated: bool) -> None:
    """Start the ns-3 server again, with or without the accelerator."""
    ns3.stop()
    os.environ["LONGFAT_ACCELERATE"] = "1" if accelerated else "0"
    ns3.simulate(satellite(loss=0, duration_s=0.1))


def _best(run, repetitions: int):
    """Return the result of the quickest of so many equal runs."""
    return min((run() for _ in range(repetitions)), key=lambda result: result.provenance["wall_s"])


def _setup_ms() -> float:
    """Return the time a run takes in a warm sweep beyond the simulation itself (median)."""
    beyond = []
    for seed in range(1, 21):
        started = time.perf_counter()
        result = ns3.simulate(satellite(loss=1e-3, duration_s=1, seed=seed))
        beyond.append(time.perf_counter() - started - result.provenance["wall_s"])
    return 1000 * sorted(beyond)[len(beyond) // 2]


def _sweep_s(workers: int) -> float:
    """Return how long eight satellite runs take with so many workers."""
    scenarios = [satellite(loss=1e-4, duration_s=100, seed=seed) for seed in range(1, 9)]
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(ns3.simulate, scenarios))
    return time.perf_counter() - started


def _compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")


def _native(compiler: str) -> tuple[float, str]:
    """Return JIT time over g++ time for the satellite on stock ns-3, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(compiler, Path(folder))
        jit, native = [], []
        for _ in range(3):
            result = ns3.simulate(SATELLITE)
            jit.append(result.provenance["wall_s"])
            done = subprocess.run(
                [program], env=ns3.server_environment(), check=True, capture_output=True, text=True
            )
            wall_s, events = done.stdout.split()
            native.append(float(wall_s))
            if int(events) != result.provenance["events"]:
                raise SimulationError("the program compiled by g++ executed other events")
    detail = f"{min(jit):.2f} s JIT, {min(native):.2f} s g++, same number of events"
    return min(jit) / min(native), detail


def _compile(compiler: str, folder: Path) -> str:
    from longfat.cc.catalogue import ALGORITHMS

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
        _cpp_structure("FlowSpec", f"flow{i}", flow)
        + f"\n    simulation.AddFlow(flow{i}, {request['durationS']}, {request['points']});"
        for i, flow in enumerate(request["flows"])
    )
    source, program = folder / "main.cc", folder / "main"
    source.write_text(
        NATIVE.format(
            simulation=ns3.SOURCES[-1],
            includes="\n".join(f'#include "{header}"' for header in headers),
            seed=request["seed"],
            duration=request["durationS"],
            links=links,
            flows=flows,
        )
    )
    libraries = accelerate._ns3() / "lib64"
    command = [*shlex.split(compiler), "-std=c++20", *shlex.split(server.JIT_FLAGS)]
    command += [f"-I{accelerate._ns3() / 'include'}", str(source), "-o", str(program)]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--no-as-needed"]
    command += ["-Wl,--allow-shlib-undefined", *(f"-l:{name}" for name in accelerate.LIBRARIES)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SimulationError(f"g++ does not compile the headers: {done.stderr[:300]}")
    return str(program)


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
