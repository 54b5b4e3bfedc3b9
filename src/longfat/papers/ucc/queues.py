"""Queues simulated packet by packet, to check (5) and (6) for packets and for time (paper: ucc).

`simulate` has what packets meet in a queue. `waits`, `tandem` and `estimated` follow the packets of
one sender, and read their delays as an estimator would: by a clock with ticks, by two clocks that
do not run alike, behind a radio link that jitters, over two queues.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from longfat.errors import InputError, nearest
from longfat.papers.ucc import equations as ucc

# Times of a mean, with the squared coefficients of variation 1, 0, 1/4, 4.6 and 1/3.
DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, float, int], np.ndarray]] = {
    "M": lambda draw, mean, size: draw.exponential(mean, size),
    "D": lambda draw, mean, size: np.full(size, mean),
    "E4": lambda draw, mean, size: draw.gamma(4, mean / 4, size),
    "H2": lambda draw, mean, size: draw.exponential(
        np.where(draw.random(size) < 0.9, mean / 1.8, mean / 0.2)
    ),
    "U": lambda draw, mean, size: draw.uniform(0, 2 * mean, size),
}


@functools.cache
def simulate(queue: str, utilization: float, packets: int = 200_000, seed: int = 1) -> pd.Series:
    """Return what `packets` packets of a queue with one server meet, which is empty at first.

    `queue` is Kendall's notation such as "M/D/1", with M, D, E4, H2 or U (uniform) for the times
    between arrivals and for the service times. `busy` is the fraction of time in which the server
    works, `queued` the fraction of packets that wait, which is what (6) measures.
    Raises InputError for another queue, or a utilization not between 0 and 1.
    """
    parts = queue.split("/")
    for name in parts[:2]:
        if name not in DISTRIBUTIONS:
            known = list(DISTRIBUTIONS)
            raise InputError(
                f"queue is '{queue}': distributions are {', '.join(known)}.{nearest(name, known)}"
            )
    if len(parts) != 3 or parts[2] != "1":
        raise InputError(f"queue is '{queue}': write for example M/D/1, with one server")
    if not 0 < utilization < 1:
        raise InputError(f"utilization is {utilization}: it must be above 0 and below 1")
    draw = np.random.default_rng(seed)
    arrivals = np.cumsum(DISTRIBUTIONS[parts[0]](draw, 1.0, packets))
    services = DISTRIBUTIONS[parts[1]](draw, utilization, packets)
    waited = waits(arrivals, services)
    return pd.Series(
        {
            "queue": queue,
            "utilization": utilization,
            "busy": services.sum() / (arrivals + waited + services)[-1],
            "queued": np.mean(waited > 0),
            "packets": packets,
        }
    )


# --- what an estimator makes of the delays that packets have


def waits(arrivals: ArrayLike, service: ArrayLike = 1.0) -> np.ndarray:
    """Return how long each packet waits in a queue that serves one at a time, in order.

    `arrivals` are the times at which they come, rising; each takes `service`, or its own of them.
    Lindley's recursion: a packet waits for what the one before it has left to do.

    >>> from longfat.papers.ucc import queues
    >>> queues.waits([0.0, 0.5, 3.0]).tolist()
    [0.0, 0.5, 0.0]
    """
    arrivals = np.asarray(arrivals, dtype=float)
    services = np.broadcast_to(np.asarray(service, dtype=float), arrivals.shape)
    left = np.concatenate([[0.0], np.cumsum(services[:-1] - np.diff(arrivals))])
    waited = left - np.minimum.accumulate(left)
    return np.where(waited < 1e-9, 0.0, waited)  # sums of doubles that should be 0


def poisson(rate: float, packets: int, seed: int) -> np.ndarray:
    """Return the times at which so many packets arrive at random, `rate` of them in a unit."""
    return np.cumsum(np.random.default_rng(seed).exponential(1 / rate, packets))


def estimated(
    sent: ArrayLike,
    delay: ArrayLike,
    *,
    tick_s: float = 0.0,
    skew: float = 0.0,
    jitter_s: float = 0.0,
    tolerance_s: float = 0.0,
    seed: int = 1,
) -> float:
    """Return (6) for packets sent at these times with these one-way delays, both in s.

    Both ends read a clock that ticks every `tick_s` (0: exact), and the receiver's gains `skew`
    seconds a second on the sender's. A radio link adds up to `jitter_s` to each delay, drawn
    evenly. A delay counts as the smallest if it is above it by `tolerance_s` at most.

    >>> from longfat.papers.ucc import queues
    >>> queues.estimated(sent=[0, 1, 2, 3], delay=[0.02, 0.021, 0.02, 0.023])
    0.5
    """
    sent, delay = np.asarray(sent, dtype=float), np.asarray(delay, dtype=float)
    delay = delay + jitter_s * np.random.default_rng(seed).random(len(delay))
    received = (1 + skew) * (sent + delay)
    if tick_s:
        sent, received = (tick_s * np.floor(times / tick_s) for times in (sent, received))
    shown = received - sent
    # A tenth of a nanosecond is no difference: doubles round equal delays differently.
    smallest = np.count_nonzero(shown <= shown.min() + tolerance_s + 1e-10)
    return float(ucc.utilization(len(shown), smallest))


class Tandem(NamedTuple):
    """What packets of one sender meet in two queues, one after the other.

    `busy` is how much of the time each works; `first`, `second` and `both` are (6), from the waits
    of the very same packets in the first queue, in the second, and in both together.
    """

    busy: tuple[float, float]
    first: float
    second: float
    both: float


def tandem(own: float, cross: float, packets: int = 20_000, seed: int = 1) -> Tandem:
    """Send packets that arrive at random through two queues; other traffic joins at the second.

    Every packet takes a unit of time in each. `own` and `cross` are how many of the sender's and of
    the others' come in a unit; both queues must be able to serve what comes to them.
    Raises InputError where they are not.
    """
    if not (own > 0 and cross >= 0 and own + cross < 1):
        raise InputError(
            f"own is {own}, cross is {cross}: own must be above 0, and both together below 1"
        )
    sent = poisson(own, packets, seed)
    in_first = waits(sent)
    leaving = sent + in_first + 1
    others = np.empty(0)
    if cross:
        count = int(1.5 * cross * leaving[-1]) + 100
        others = poisson(cross, count, seed + 1_000_000)
        others = others[others < leaving[-1]]
    order = np.argsort(np.concatenate([leaving, others]), kind="stable")
    in_second = np.empty(len(order))
    in_second[order] = waits(np.concatenate([leaving, others])[order])
    in_second = in_second[:packets]
    ends = leaving[-1]
    return Tandem(
        (packets / ends, (packets + len(others)) / ends),
        *(estimated(sent, delay) for delay in (in_first, in_second, in_first + in_second)),
    )
