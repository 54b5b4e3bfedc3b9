"""A link of the segment engine whose router speaks XCP, alone (segment_xcp.cc)."""

import subprocess
from typing import Any, NamedTuple

from programs import WARNINGS, compiled

from longfat import Scenario
from longfat.engines import segment
from longfat.scenario import Flow
from longfat.topologies import duplex


class Offered(NamedTuple):
    """A packet with a congestion header, or with none (`rtt_s` None)."""

    time_s: float
    size: int
    rtt_s: float | None = None
    spacing_s: float = 0.0
    feedback: float = 1e9


class Arrival(NamedTuple):
    number: int
    time_s: float
    ttl: int
    xcp_ttl: int
    feedback: float


def send(packets: list[Offered], duration_s: float, **link: Any) -> list[Arrival]:
    """Put packets into a link; return those that arrive, in order."""
    plain = {"rate_bps": 8e6, "delay_s": 0.01, "queue_packets": 100_000, "xcp": {}}
    scenario = Scenario(
        links=duplex("a", "b", **(plain | link)),
        flows=(Flow(source="a", target="b", congestion_control="newreno"),),
        duration_s=duration_s,
    )
    lines = [segment.request(scenario)]
    lines += [
        f"{round(1e9 * p.time_s)} {p.size} {int(p.rtt_s is not None)} "
        f"{p.rtt_s or 0!r} {p.spacing_s!r} {p.feedback!r}"
        for p in packets
    ]
    done = subprocess.run(
        [
            compiled(
                "segment_xcp.cc",
                "-O1",
                *WARNINGS,
                features=frozenset({"routers"}),
                controls=("newreno",),
            )
        ],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return [
        Arrival(int(number), int(time) / 1e9, int(ttl), int(xcp_ttl), float(feedback))
        for number, time, ttl, xcp_ttl, feedback in rows
    ]
