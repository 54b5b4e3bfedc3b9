"""A link of the segment engine, alone: what is put in, and what comes out (segment_link.cc)."""

import functools
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longfat import Scenario
from longfat.cc import catalogue
from longfat.engines import host, segment
from longfat.engines.segment import native, registration
from longfat.scenario import FEATURES, Flow
from longfat.topologies import duplex

HERE = Path(__file__).parent
COUNTS = ["offered", "overflow", "early", "marked", "sent", "again", "lost", "outage", "arrived"]
COUNTS += ["under_way", "waiting"]


@functools.cache
def _program() -> Path:
    """Compile the driver, once a process."""
    folder = Path(tempfile.mkdtemp(prefix="longfat-link-"))
    algorithm = catalogue.find("newreno")
    source = folder / "algorithms.cc"
    source.write_text(registration.cpp("newreno", algorithm, "newreno"), encoding="utf-8")
    program = folder / "link"
    command = [*native.compiler(), "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror"]
    command += [
        *host.macros(FEATURES),
        "-Wno-unused-parameter",
        f"-I{native.HERE}",
        f"-I{algorithm.header_path.parent}",
    ]
    files = [HERE / "segment_link.cc", source, native.HERE / "ns3" / "random-variable-stream.cc"]
    subprocess.run([*command, *map(str, files), "-o", str(program)], check=True)
    return program


@dataclass(frozen=True)
class Arrival:
    number: int
    time_s: float
    marked: bool


def send(packets, duration_s: float, seed: int = 1, **link: Any):
    """Put packets, each (time in s, bytes on the wire, whether it can be marked), into a link.

    Return those that arrive, in order, and the link's counts.
    """
    plain = {"rate_bps": 8e6, "delay_s": 0.01, "queue_packets": 1000}
    scenario = Scenario(
        links=duplex("a", "b", **(plain | link)),
        flows=(Flow(source="a", target="b", congestion_control="newreno"),),
        duration_s=duration_s,
        seed=seed,
    )
    lines = [segment.request(scenario)]
    lines += [f"{round(1e9 * at)} {size} {int(ect)}" for at, size, ect in packets]
    text = "\n".join(lines) + "\n"
    done = subprocess.run([_program()], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    *arrivals, counts = done.stdout.splitlines()
    rows = [line.split() for line in arrivals]
    return (
        [Arrival(int(number), int(time) / 1e9, mark == "1") for number, time, mark in rows],
        dict(zip(COUNTS, map(int, counts.split()), strict=True)),
    )
