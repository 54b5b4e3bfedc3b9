"""A link of the core, alone: what is put in, and what comes out (segment_link.cc)."""

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from longfat import builds
from longfat.cc import catalogue
from longfat.engines.segment import native
from longfat.topologies import duplex

HERE = Path(__file__).parent
COUNTS = ["offered", "overflow", "early", "marked", "sent", "again", "lost", "outage", "arrived"]
COUNTS += ["under_way", "waiting"]
ECT, CE, LOW = 4, 8, 128  # flags of a packet (link.h)


class Offered(NamedTuple):
    """A packet with a congestion header, or with none (`rtt_s` None)."""

    time_s: float
    size: int
    flags: int = 0
    rtt_s: float | None = None
    spacing_s: float = 0.0
    feedback: float = 1e9


@dataclass(frozen=True)
class Arrival:
    number: int
    time_s: float
    marked: bool
    ttl: int
    xcp_ttl: int
    feedback: float


@cache
def program() -> Path:
    """Return the program of segment_link.cc, under sanitizers, compiled once for all."""
    flags, folders = [*catalogue.FLAGS, *native.SANITIZED], [catalogue.CORE, catalogue.FOLDER]
    return builds.compiled("tests", "link", flags, [HERE / "segment_link.cc"], folders)


def send(packets, duration_s: float, seed: int = 1, **link: Any):
    """Put packets into a link; return those that arrive, in order, and the link's counts.

    A packet is `Offered`, or a time in s, bytes on the wire, and whether it can be marked.
    """
    plain = {"rate_bps": 8e6, "delay_s": 0.01, "queue_packets": 1000}
    links = [one.model_dump(mode="json") for one in duplex("a", "b", **(plain | link))]
    flow = {"source": "a", "target": "b", "congestion_control": "newreno"}
    scenario = {"links": links, "flows": [flow], "duration_s": duration_s, "seed": seed}
    offered = [
        one if isinstance(one, Offered) else Offered(one[0], one[1], ECT if one[2] else 0)
        for one in packets
    ]
    lines = [json.dumps(scenario)]
    lines += [
        f"{round(1e9 * p.time_s)} {p.size} {p.flags} {int(p.rtt_s is not None)} "
        f"{p.rtt_s or 0!r} {p.spacing_s!r} {p.feedback!r}"
        for p in offered
    ]
    text = "\n".join(lines) + "\n"
    done = subprocess.run([program()], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr}")
    *arrivals, counts = done.stdout.splitlines()
    return (
        [
            Arrival(
                int(number), int(time) / 1e9, bool(int(flags) & CE), int(ttl), int(xcp), float(told)
            )
            for number, time, flags, ttl, xcp, told in map(str.split, arrivals)
        ],
        dict(zip(COUNTS, map(int, counts.split()), strict=True)),
    )


def refusals(scenarios: list[dict]) -> list[str]:
    """Return what the reader of scenarios says of each: "" where nothing is wrong."""
    text = "".join(json.dumps(one) + "\n" for one in scenarios)
    done = subprocess.run(
        [program(), "read"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.split("\n")[:-1]
