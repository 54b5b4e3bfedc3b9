"""A sender of the segment engine, stepped ACK by ACK (segment_sender.cc)."""

import json
import subprocess
from typing import Any

from programs import compiled

from longfat import Scenario
from longfat.engines import segment
from longfat.scenario import Flow
from longfat.topologies import duplex


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
    driver = compiled("segment_sender.cc", "-O0", "-Wall", controls=("newreno", "reno"))
    done = subprocess.run([driver], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
