"""Snoop and Quick-Start on ns-2, beside the same networks here. (XCP's is in `routers`.)

What ns-2 does is archived in data/routers-ns2-*.csv, which tools/routers_ns2.py writes anew.
"""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from longfat import paths, statistics
from longfat.experiment import Experiment, Runs
from longfat.links import Snoop
from longfat.scenario import Scenario
from longfat.studies import proxies, routers

SNOOP = paths.DATA / "proxies-ns2-snoop.csv"
QUICK_START = paths.DATA / "routers-ns2-quick-start.csv"
DURATION_S, WINDOW = 30.0, 100  # segments: as many as ns-2's cache has
LOSSES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
SEEDS = range(1, 9)
# Snoop or not, least local timeout (s), duplicate ACKs after which the sender itself repairs.
SNOOP_CASES: dict[str, tuple[int, float, int]] = {
    "no agent": (0, 0.1, 3),
    "Snoop": (1, 0.1, 3),
    "Snoop, deaf sender": (1, 0.1, 1000),
    "Snoop, deaf sender, fast timer": (1, 0.02, 1000),
}
SEGMENTS = (100, 1000, 3000)
ASKED = (0.0, 1.28, 5.12, 10.24)  # Mb/s


def _ns(name: str, *numbers: float) -> dict[str, float]:
    """Run a script of this folder; return what it says in lines that begin with "="."""
    command = ["ns", str(Path(__file__).with_name(name)), *(f"{n:.12g}" for n in numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line[1:].split() for line in done.stdout.splitlines() if line.startswith("=")]
    return {name: float(value) for name, value in lines}


def run_snoop(case: str, loss: float, seed: int) -> dict[str, float]:
    """Return ns-2's acked (segments), again (sent again by the sender) and timeouts."""
    snoop, tick_s, duplicates = SNOOP_CASES[case]
    network = (proxies.WIRE_BPS, proxies.WIRE_S, proxies.RADIO_BPS, proxies.RADIO_S)
    return _ns("snoop.tcl", *network, loss, snoop, WINDOW, DURATION_S, seed, tick_s, duplicates)


def run_quick_start(segments: int, asked: float, part: float = 1.0) -> dict[str, float]:
    """Return ns-2's done (s) and again, for a transfer that asks for so many Mb/s, where the router
    approves a part of its link (0: it does not speak Quick-Start)."""
    path = routers.SATELLITE
    network = (path["rate_bps"], path["delay_s"], path["queue_packets"])
    return _ns("quick-start.tcl", *network, segments, 1e3 * asked / 8, part)


def make() -> None:
    """Write what ns-2 does into the archive."""
    cases = [(case, loss, seed) for case in SNOOP_CASES for loss in LOSSES for seed in SEEDS]
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda case: run_snoop(*case), cases))
    rows = [
        {"case": case, "loss": loss, "seed": seed} | own
        for (case, loss, seed), own in zip(cases, found, strict=True)
    ]
    pd.DataFrame(rows).to_csv(SNOOP, index=False)
    asks = [*((asked, 1.0) for asked in ASKED), (5.12, 0.0)]
    transfers = [(segments, *ask) for segments in SEGMENTS for ask in asks]
    table = pd.DataFrame(transfers, columns=["segments", "asked", "part"])
    times = pd.DataFrame([run_quick_start(*one) for one in transfers])
    table.join(times).round(6).to_csv(QUICK_START, index=False)


def _snoop(case: str, loss: float, seed: int) -> Scenario:
    snoops = case == "Snoop"
    return proxies.cell(
        "Snoop" if snoops else "Reno",
        loss,
        radio={"base_station": Snoop(cache_packets=WINDOW)} if snoops else None,
        duration_s=DURATION_S,
        seed=seed,
        congestion_control="newreno",
        sack=False,
        timestamps=False,
        receive_buffer_bytes=1000 * WINDOW,
    )


def snoop_experiment() -> Experiment:
    """Return what is run beside ns-2's Snoop: the first two of `SNOOP_CASES`."""
    points = {"case": ("no agent", "Snoop"), "loss": LOSSES}
    return Experiment(
        name="proxies-beside-ns2", build=_snoop, points=points, repetitions=len(SEEDS)
    )


def snoop(runs: Runs) -> pd.DataFrame:
    """Return goodput with and without Snoop here and on ns-2: a row a case, a loss and an engine.

    Columns: case, engine, loss, Mb/s (mean), halfwidth (of its 95 % interval), repetitions. Cases
    are those of `SNOOP_CASES`, here only the first two, with Snoop's cache of as many segments.
    """
    there = pd.read_csv(SNOOP)
    there["Mb/s"] = there["acked"] * 8e-3 / DURATION_S
    parts = [
        statistics.interval(table, ["case", "loss"], "Mb/s").assign(engine=engine)
        for engine, table in (("segment", runs.flows("proxies-beside-ns2")), ("ns2", there))
    ]
    return pd.concat(parts, ignore_index=True)


def _quick_start(segments: int, asked: float, part: float) -> Scenario:
    asks: dict[str, Any] = {"quick_start_bps": 1e6 * asked} if asked else {}
    speaks: dict[str, Any] = {"approve_bps": 20e6} if part else {}
    own = routers.flow("newreno", bytes=1000 * int(segments), **asks)
    return routers.scenario(own, duration_s=120.0, **speaks, **routers.SATELLITE)


def quick_start_experiment() -> Experiment:
    """Return what is run beside ns-2's Quick-Start."""
    points = pd.read_csv(QUICK_START)[["segments", "asked", "part"]]
    name = "routers-quick-start-beside-ns2"
    return Experiment(name=name, build=_quick_start, points=points)


def quick_start(runs: Runs) -> pd.DataFrame:
    """Return the time of a transfer over the satellite here and on ns-2.

    Columns: segments, asked (Mb/s; 0: nothing), approves (whether the router does), here and ns2
    (s, until the last segment has arrived: ns-2 tells when its ACK has, one way later).
    """
    there = pd.read_csv(QUICK_START)
    table = runs.flows("routers-quick-start-beside-ns2")
    return pd.DataFrame(
        {
            "segments": there["segments"],
            "asked": there["asked"],
            "approves": there["part"] > 0,
            "here": table["transfer_time_s"],
            "ns2": there["done"] - routers.SATELLITE["delay_s"],
        }
    )
