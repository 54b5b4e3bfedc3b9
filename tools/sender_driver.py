"""A sender of the segment engine, stepped ACK by ACK (segment_sender.cc)."""

import functools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from longfat import Scenario
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.engines.segment import native, registration
from longfat.scenario import Flow
from longfat.topologies import duplex

HERE = Path(__file__).parent
ALGORITHMS = ("newreno", "reno")


@functools.cache
def _program() -> Path:
    """Compile the driver, once a process."""
    folder = Path(tempfile.mkdtemp(prefix="longfat-sender-"))
    lines = []
    includes = set()
    for name in ALGORITHMS:
        algorithm = catalogue.find(name)
        includes.add(f"-I{catalogue.FOLDER}")
        lines.append(registration.cpp(name, algorithm, name))
    source = folder / "algorithms.cc"
    source.write_text("\n".join(lines), encoding="utf-8")
    program = folder / "sender"
    command = [
        *(native.compiler() or ()),
        "-std=c++20",
        "-O0",
        "-Wall",
        f"-I{native.HERE}",
        *includes,
    ]
    files = [HERE / "segment_sender.cc", source, native.HERE / "ns3" / "random-variable-stream.cc"]
    subprocess.run([*command, *map(str, files), "-o", str(program)], check=True)
    return program


def play(commands: list[str], faults=(), **flow: Any) -> list[dict[str, Any]]:
    """Give a sender with those settings the commands; return its answer to each."""
    flow = {"source": "a", "target": "b", "congestion_control": "newreno"} | flow
    scenario = Scenario(
        links=duplex("a", "b", rate_bps=1e9, delay_s=0.01, queue_packets=100),
        flows=(Flow(**flow),),
        duration_s=1000,
        faults=faults,
    )
    text = "\n".join([segment.request(scenario), *commands]) + "\n"
    done = subprocess.run([_program()], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
