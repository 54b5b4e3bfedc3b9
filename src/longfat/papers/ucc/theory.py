"""What theory says of UCC's estimate: tables that need no run of an engine.

A number in brackets is that of an equation of the paper.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from longfat.papers import ucc
from longfat.papers.ucc import equations, queues
from longfat.papers.ucc.plan import ACCESS_BPS, ACK_BYTES, PACKET_BYTES, RADIO_BPS, RADIO_DELAY_S

PACKET_S = 8 * PACKET_BYTES / RADIO_BPS  # of a packet on the radio link
# What the path of figure 2 holds without a queue, apart from the packet that is being sent.
PIPE_PACKETS = (2 * RADIO_DELAY_S + 8 * ACK_BYTES / RADIO_BPS) / PACKET_S
EMPTY_S = RADIO_DELAY_S + PACKET_S + 8 * PACKET_BYTES / ACCESS_BPS  # one-way, without a queue


def backoff_curves(largest_s: Sequence[float] = (0.04, 0.05)) -> pd.DataFrame:
    """Return figure 1: the probability of a back-off, a column for each largest delay (in ms)."""
    delays = np.linspace(0, 0.05, 501)
    curves = pd.DataFrame({"queueing delay (ms)": 1000 * delays})
    for largest in largest_s:
        curves[f"{1000 * largest:g}"] = ucc.backoff_probability(delays, 0.005, 0.03, largest, 0.5)
    return curves


def simulated_queues(
    names: Sequence[str] = (
        "M/M/1",
        "M/D/1",
        "M/H2/1",
        "D/M/1",
        "E4/M/1",
        "H2/M/1",
        "U/U/1",
        "D/D/1",
    ),
) -> pd.DataFrame:
    """Return the parts of time and of packets in simulated queues at 0.8.

    Columns: queue, utilization, busy (of time), queued (of packets), theory (of packets, where it
    is known).
    """
    events = pd.DataFrame([queues.simulate(name, 0.8) for name in names])
    events["theory"] = [_queued_by_theory(*name.split("/")[:2]) for name in names]
    return events[["queue", "utilization", "busy", "queued", "theory"]]


def _queued_by_theory(arrivals: str, services: str) -> float:
    known = arrivals in ucc.INTERARRIVALS and "M" in (arrivals, services)
    return float(ucc.queued_fraction(0.8, arrivals)) if known else np.nan


def estimate_errors(rhos: Sequence[float] = (0.95, 0.99)) -> pd.DataFrame:
    """Return bias and standard deviation of (6) for N independent packets, a row an N."""
    table = pd.DataFrame({"N": [10, 20, 50, 100, 1000]})
    for rho in rhos:
        for known, word in ((True, "known"), (False, "unknown")):
            variance = ucc.estimate_variance(table["N"], rho, known)
            table[f"bias, {word}, {rho}"] = ucc.estimate_mean(table["N"], rho, known) - rho
            table[f"sd, {word}, {rho}"] = np.sqrt(variance)
    return table


def samples_met(
    sizes: Sequence[int] = (20, 100, 500, 2000, 10_000), utilization: float = 0.95
) -> pd.DataFrame:
    """Return how many of N packets meet no queue in M/M/1, a row an N.

    Columns: N, mean and sd (packets), independent sd (if they were), none (the probability that
    no packet does) and independent_none.
    """
    table = pd.DataFrame([{"N": n} | ucc.correlated_sample(n, utilization) for n in sizes])
    table["sd"] = np.sqrt(table["variance"])
    table["independent sd"] = np.sqrt(table["independent_variance"])
    return table[["N", "mean", "sd", "independent sd", "none", "independent_none"]]


def halving_probabilities(rhos: Sequence[float] = (0.95, 0.98, 0.99, 1.0)) -> pd.DataFrame:
    """Return the probability that (7) halves the window after N independent packets, a row an N."""
    table = pd.DataFrame({"N": [10, 50, 100, 101, 200, 1000, 10_000]})
    for rho in rhos:
        unknown = ucc.halving_probability(table["N"], rho, minimum_known=False)
        table[f"{rho:g}"] = ucc.halving_probability(table["N"], rho)
        table[f"{rho:g}, unknown"] = unknown
    return table


def constants() -> int:
    """Return how many constants (7) has, besides the window, what it depends on, and the loss."""
    state = {equations.w, equations.w_next, equations.rho, equations.packet_loss}
    return len(ucc.EQ[7].free_symbols - state)


def clocks(ticks_s: Sequence[float] = (1e-6, 1e-4, 1e-3, 1e-2)) -> pd.DataFrame:
    """Return the mean of (6) on figure 2's path by clocks of these ticks, a row a utilization."""
    table = pd.DataFrame({"utilization": [0.0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99]})
    for tick_s in ticks_s:
        mean = ucc.tick_estimate(table["utilization"], EMPTY_S, PACKET_S, tick_s)
        table[f"{1e3 * tick_s:g} ms"] = mean
    return table


READERS: dict[str, dict] = {
    "exact": {},
    "a tick of 1 ms": {"tick_s": 1e-3},
    "a tick of 1 µs": {"tick_s": 1e-6},
    "clocks 50 ppm apart": {"skew": 5e-5},
    "clocks 50 ppm apart, the other way": {"skew": -5e-5},
    "a radio that jitters by up to 0.5 ms": {"jitter_s": 5e-4},
    "a radio that jitters by up to 5 ms": {"jitter_s": 5e-3},
}


def readers(
    utilizations: Sequence[float] = (0.3, 0.7, 0.95, 0.99), packets: int = 20_000
) -> pd.DataFrame:
    """Return what clocks, and a radio that jitters, make of (6), a row a reader and tolerance.

    Packets at random on figure 2's path, so that (6) is the utilization but for how the delay is
    read. The tolerance is none, or one packet time (one tick, if that is longer): up to there above
    it, a delay counts as the smallest.
    Columns: how the delay is read, tolerance, and a utilization each.
    """
    times = {
        rho: (PACKET_S * sent, EMPTY_S + PACKET_S * queues.waits(sent))
        for rho in utilizations
        for sent in [queues.poisson(rho, packets, seed=1)]
    }
    rows = []
    for name, how in READERS.items():
        wide = max(PACKET_S, how.get("tick_s", 0.0))
        for tolerance_s, word in ((0.0, "none"), (wide, "one packet time")):
            read = {
                f"{rho:g}": queues.estimated(*times[rho], tolerance_s=tolerance_s, **how)
                for rho in utilizations
            }
            rows.append({"read by": name, "tolerance": word, **read})
    return pd.DataFrame(rows)


def clocks_in_doubles(sizes: Sequence[int] = (1000, 1040, PACKET_BYTES)) -> pd.DataFrame:
    """Return how many of 10 000 equal delays are equal in doubles, a row a size and draw.

    Columns: bytes on the link, draw, and those of `ucc.double_clock_share`.
    """
    return pd.DataFrame(
        [
            {"bytes on the link": size, "draw": seed}
            | ucc.double_clock_share(
                10_000, 100, (8 * size / ACCESS_BPS, 8 * size / RADIO_BPS, RADIO_DELAY_S), seed=seed
            )
            for size in sizes
            for seed in range(1, 4)
        ]
    )


def closed_queue(
    windows: Sequence[int] = (10, 20, 30, 40, 45, 48, 50, 55, 60, 80),
) -> pd.DataFrame:
    """Return utilization and (6) for a window on figure 2's path, a row a window W.

    Once where packets come at random, once on an even clock of ACKs.
    """
    sizes = np.array(windows)
    return pd.DataFrame(
        {
            "W": sizes,
            "random, rho": ucc.closed_utilization(sizes, PIPE_PACKETS),
            "random, (6)": ucc.closed_utilization(sizes - 1, PIPE_PACKETS),
            "even, rho": np.minimum(1, sizes / (PIPE_PACKETS + 1)),
            "even, (6)": (sizes > PIPE_PACKETS + 1).astype(float),
        }
    )


def queueing_elsewhere(
    cross: Sequence[float] = (0.05, 0.15, 0.3, 0.39), own: float = 0.6, seeds: int = 10
) -> pd.DataFrame:
    """Return (6) of the same packets at the bottleneck, and over two links, a row a load and seed.

    Packets at random keep a first link busy for `own` of the time. The second is as fast, and
    carries `cross` more of other traffic: it is the bottleneck. Columns: cross, seed, busy (of the
    bottleneck), alone ((6) by the waits at the bottleneck), both ((6) by the waits at both links),
    error (both less alone).
    """
    rows = []
    for load in cross:
        for seed in range(1, seeds + 1):
            met = queues.tandem(own, load, seed=seed)
            rows.append(
                {"cross": load, "seed": seed, "busy": met.busy[1], "alone": met.second}
                | {"both": met.both, "error": met.both - met.second}
            )
    return pd.DataFrame(rows)
