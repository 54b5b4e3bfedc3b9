"""A sender of the segment engine, stepped ACK by ACK (segment_sender.cc)."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from longfat import Scenario, builds
from longfat.cc import catalogue
from longfat.engines import segment
from longfat.scenario import Flow
from longfat.topologies import duplex


@cache
def program() -> Path:
    """Return the driver, compiled once for all."""
    source = Path(__file__).with_name("segment_sender.cc")
    flags = [*catalogue.FLAGS, "-O0", "-Wall", "-fno-access-control"]
    return builds.compiled("tests", "sender", flags, [source], [catalogue.CORE, catalogue.FOLDER])


def play(commands: list[str], **flow: Any) -> list[dict[str, Any]]:
    """Give a sender with those settings the commands; return its answer to each."""
    flow = {"source": "a", "target": "b", "congestion_control": "newreno"} | flow
    scenario = Scenario(
        links=duplex("a", "b", rate_bps=1e9, delay_s=0.01, queue_packets=100),
        flows=(Flow(**flow),),
        duration_s=1000,
    )
    text = "\n".join([segment.request(scenario), *commands]) + "\n"
    done = subprocess.run([program()], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
