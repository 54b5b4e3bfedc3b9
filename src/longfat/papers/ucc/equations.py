"""UCC, HD and CHD: equations (1) to (7), and what the estimate of the utilization is worth
(paper: ucc).

Windows are in segments, times in seconds. `rho` is the utilization of the bottleneck: the fraction
of time in which it sends. (6) estimates it by the fraction of packets that met a queue; the
functions below say how far the two are apart. The derivations are in
`longfat.papers.ucc.derivation`, the simulated queues in `longfat.papers.ucc.queues`.
"""

import functools

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import linalg, optimize
from sympy import And, Expr, Function, Lt, Max, Piecewise, symbols

from longfat.errors import InputError, nearest
from longfat.papers import inputs
from longfat.papers.ledger import Eq, Equations, numeric

# The algorithms.
w, w_next, s, s_next = symbols("w_i w_{i+1} s_i s_{i+1}", nonnegative=True)  # window, shadow window
q, h, h_b = symbols("q_i h_r h_b", nonnegative=True)  # queueing delay: ACK's, round's, back-off's
q_min, q_th, q_max, p_max = symbols("q_min q_th q_max p_max", positive=True)  # of figure 1
X = symbols("X", nonnegative=True)  # a random number from [0, 1]
g = Function("g")  # probability of a back-off, figure 1
packet_loss = symbols("packetloss")  # a condition: duplicate ACKs have revealed a loss
alpha = symbols("alpha", positive=True)

# The estimate.
rho, p_0 = symbols("rho p_0", nonnegative=True)
N, N_min = symbols("N N_min", positive=True)

EQ = Equations("ucc")

# Section 2.1: HD, for each ACK.
EQ[1] = Eq(w_next, Piecewise((w / 2, Lt(X, g(q))), (w + 1 / w, True)))

# Section 2.2: CHD. (2) once a round trip, (3) with it, (4) at each loss.
EQ[2] = Eq(w_next, Piecewise((w / 2, Lt(X, g(h))), (w + 1, True)))
EQ[3] = Eq(
    s_next,
    Piecewise(
        (Max(w, s), And(Lt(X, g(h)), h < q_th, h > h_b)),
        (Max(w, s), And(Lt(X, g(h)), h > q_th)),
        (0, True),
        evaluate=False,
    ),
)
EQ[4] = Eq(w_next, Piecewise((Max(w, s) / 2, And(packet_loss, h > q_th)), (w, True)))

# Section 3: the utilization, and its estimate.
EQ[5] = Eq(rho, 1 - p_0)
EQ[6] = Eq(rho, (N - N_min) / N)

# Section 4: UCC, at each loss.
EQ[7] = Eq(w_next, Piecewise((w / 2, And(packet_loss, rho > alpha)), (w, True)))

PRINTED: dict = {}  # each equation is printed as it stands here

# Figure 1: no back-off up to q_min; region A up to q_th; region B up to q_max; nothing is above.
BACKOFF: Expr = Piecewise(
    (0, q <= q_min),
    (p_max * (q - q_min) / (q_th - q_min), q <= q_th),
    (p_max * (q_max - q) / (q_max - q_th), q <= q_max),
    (0, True),
)


def backoff_probability(
    queueing_delay: ArrayLike,
    min_delay: ArrayLike,
    threshold_delay: ArrayLike,
    max_delay: ArrayLike,
    max_probability: ArrayLike,
) -> np.ndarray:
    """Return g(q), the probability of a back-off (figure 1). All arguments broadcast.

    Delays in s: q, q_min, q_th (above q_min) and q_max = RTT_max - RTT_min; p_max is for each ACK
    in HD, for each round trip in CHD. Where q_max is not above q_th there is no region B.
    Raises InputError for values out of range.

    >>> from longfat.papers import ucc
    >>> delays = {"min_delay": 0.001, "threshold_delay": 0.005, "max_delay": 0.04}
    >>> ucc.backoff_probability([0, 0.005, 0.03], **delays, max_probability=0.05).round(3)
    array([0.   , 0.05 , 0.014])
    """
    given = {
        "q_i": inputs.numbers("queueing_delay", queueing_delay, lambda x: x >= 0, "0 s or more"),
        "q_min": inputs.numbers("min_delay", min_delay, lambda x: x >= 0, "0 s or more"),
        "q_th": inputs.positive("threshold_delay", threshold_delay, "s"),
        "q_max": inputs.numbers("max_delay", max_delay, lambda x: x >= 0, "0 s or more"),
        "p_max": inputs.numbers(
            "max_probability", max_probability, lambda x: (x >= 0) & (x <= 1), "from 0 to 1"
        ),
    }
    if np.any(given["q_th"] <= given["q_min"]):
        raise InputError("threshold_delay must be above min_delay")
    given = dict(zip(given, np.broadcast_arrays(*given.values()), strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):  # region B of no width
        probability = numeric(BACKOFF)(*(given[name] for name in sorted(given)))
    above = given["q_i"] > given["q_max"]  # a maximum below q_th ends region A
    return np.where(above, 0.0, probability)[()]


def utilization(packets: ArrayLike, packets_at_minimum: ArrayLike) -> np.ndarray:
    """Return the estimate (6) for N packets of which N_min had the smallest delay.

    Both broadcast. Raises InputError for N below 1, and for an N_min outside 0 to N.

    >>> from longfat.papers import ucc
    >>> float(ucc.utilization(packets=50, packets_at_minimum=4))
    0.92
    """
    packets = inputs.at_least_one("packets", packets, "packet")
    at_minimum = inputs.numbers(
        "packets_at_minimum",
        packets_at_minimum,
        lambda x: (x >= 0) & (x <= packets),
        "from 0 to packets",
    )
    return EQ.calculate((6,), N=packets, N_min=at_minimum)["rho"][()]


# --- (6) with N independent packets, each of which meets a queue with probability rho


def estimate_mean(
    packets: ArrayLike, utilization: ArrayLike, minimum_known: bool = True
) -> np.ndarray:
    """Return the mean of (6): rho with the smallest delay known, rho - rho^N / N without.

    Without, the smallest of the N delays is taken for it: where all N packets met a queue, one of
    them is counted as if it had not. Arguments broadcast; errors as in `utilization`.
    """
    packets, utilization = _sample(packets, utilization)
    return (utilization - (not minimum_known) * utilization**packets / packets)[()]


def estimate_variance(
    packets: ArrayLike, utilization: ArrayLike, minimum_known: bool = True
) -> np.ndarray:
    """Return the variance of (6): rho (1 - rho) / N with the smallest delay known.

    Without, N_min is 1 instead of 0 where all N packets met a queue (see `estimate_mean`).
    """
    packets, utilization = _sample(packets, utilization)
    none = utilization**packets  # all met a queue
    mean, square = packets * (1 - utilization), packets * utilization * (1 - utilization)
    square = square + mean**2
    if not minimum_known:
        mean, square = mean + none, square + none
    return ((square - mean**2) / packets**2)[()]


def halving_probability(
    packets: ArrayLike, utilization: ArrayLike, alpha: float = 0.99, minimum_known: bool = True
) -> np.ndarray:
    """Return the probability that (6) is above `alpha`, so that (7) halves the window.

    That is N_min < (1 - alpha) N. Without the smallest delay known N_min is 1 at least, so that
    N <= 1 / (1 - alpha) packets never suffice.

    >>> from longfat.papers import ucc
    >>> ucc.halving_probability([10, 200], utilization=0.95).round(3)
    array([0.599, 0.   ])
    """
    packets, utilization = _sample(packets, utilization)
    least = np.ceil(np.round((1 - alpha) * packets, 9)) - 1  # the largest N_min that halves
    halving = scipy.stats.binom.cdf(least, packets, 1 - utilization)
    return np.where((least < 1) & (not minimum_known), 0.0, halving)[()]


def _sample(packets: ArrayLike, utilization: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    packets = inputs.at_least_one("packets", packets, "packet")
    utilization = inputs.numbers(
        "utilization", utilization, lambda x: (x >= 0) & (x <= 1), "from 0 to 1"
    )
    packets, utilization = np.broadcast_arrays(packets, utilization)
    return packets, utilization


# --- (6) with packets that follow each other through one queue


@functools.cache
def correlated_sample(packets: int, utilization: float, states: int = 700) -> dict[str, float]:
    """Return what N successive packets of a stationary M/M/1 queue give, where waits correlate.

    Keys: `none`, the probability that none of them finds the queue empty; `mean` and `variance` of
    N_min; `independent_none`, rho^N, and `independent_variance` for comparison. Calculated from
    the Markov chain of what an arriving packet finds, cut off at `states` packets. Raises
    InputError for values out of range, or if the cut-off would show.
    """
    _sample(packets, utilization)
    if utilization**states > 1e-12:
        raise InputError(
            f"utilization is {utilization}: more than {states} states are needed; "
            "raise states or take a smaller utilization"
        )
    # Between two arrivals the queue serves k packets with probability (1 - r) r^k, r = 1/(1+rho).
    served = 1 / (1 + utilization)
    band = np.repeat([[1.0], [-served]], states - 1, axis=1)

    def step(found: np.ndarray) -> np.ndarray:
        """What the next packet finds: Q' = max(Q + 1 - k, 0)."""
        # From above: those that found one packet less, and k = 0, 1, 2, ... services. A recursion,
        # y[n] = x[n] + r y[n-1], as equations of one band below the diagonal.
        after = np.zeros_like(found)
        filtered, _ = linalg.lapack.dtbtrs(band, found[:, -2::-1].T, uplo="L", diag="U")
        after[:, 1:] = (1 - served) * filtered.T[:, ::-1]
        after[:, 0] = found.sum(axis=1) - after.sum(axis=1)
        return after

    # What a packet finds where none before it found the queue empty; where the first of a pair did.
    empty = 1 - utilization
    chains = np.zeros((2, states))
    chains[0, 1:] = empty * utilization ** np.arange(1, states)
    chains[1, 0] = 1.0
    covariance = 0.0
    for lag in range(1, packets):
        chains = step(chains)
        chains[0, 0] = 0.0
        covariance += 2 * (packets - lag) * empty * (chains[1, 0] - empty)
    independent = packets * utilization * (1 - utilization)
    return {
        "none": float(chains[0].sum()),
        "mean": packets * (1 - utilization),
        "variance": float(independent + covariance),
        "independent_none": float(utilization**packets),
        "independent_variance": float(independent),
    }


# --- (5) for packets: what they meet, where they do not arrive at random

# Laplace transforms of the time between packets, with mean 1; x is its argument.
INTERARRIVALS = {
    "M": lambda x: 1 / (1 + x),
    "D": lambda x: np.exp(-x),
    "E4": lambda x: (1 + x / 4) ** -4.0,
    "H2": lambda x: 0.9 / (1 + x / 1.8) + 0.1 / (1 + x / 0.2),
}


def queued_fraction(utilization: ArrayLike, arrivals: str = "M") -> np.ndarray:
    """Return the fraction of packets that meet a queue in a G/M/1 queue: sigma, not rho.

    `arrivals` is the distribution of the time between packets: M (exponential), D (constant), E4
    (Erlang with 4 phases), H2 (hyperexponential: nine in ten short, one in ten long, with a squared
    coefficient of variation of 4.6). sigma solves sigma = A*(mu (1 - sigma)), the transform of that
    time. Raises InputError for another name, or a utilization not between 0 and 1.

    >>> from longfat.papers import ucc
    >>> [round(float(ucc.queued_fraction(0.9, arrivals)), 2) for arrivals in ("M", "D", "H2")]
    [0.9, 0.81, 0.96]
    """
    if arrivals not in INTERARRIVALS:
        known = list(INTERARRIVALS)
        raise InputError(
            f"arrivals is '{arrivals}': known are {', '.join(known)}.{nearest(arrivals, known)}"
        )
    utilization = inputs.numbers(
        "utilization", utilization, lambda x: (x > 0) & (x < 1), "above 0 and below 1"
    )
    transform = INTERARRIVALS[arrivals]

    def sigma(rho: float) -> float:
        return optimize.brentq(lambda x: transform((1 - x) / rho) - x, 0, 1 - (1 - rho) * 1e-3)

    return np.vectorize(sigma, otypes=[float])(utilization)[()]


def closed_utilization(window: ArrayLike, pipe: ArrayLike) -> np.ndarray:
    """Return the utilization of a link by a sender that keeps `window` packets under way.

    The closed queue M/M/1//W: each packet is served in a mean time S, then its ACK takes a mean
    time Z to come back and release the next; both are exponential, and `pipe` is Z / S, the
    packets that the path holds without a queue. By the arrival theorem a packet finds what is
    there, on average over time, with one packet less: (6) tends to the value for `window` - 1.
    Both broadcast. Raises InputError for values out of range.
    """
    window = inputs.numbers(
        "window", window, lambda x: (x >= 0) & (x == np.floor(x)), "a whole number of packets"
    )
    pipe = inputs.positive("pipe", pipe, "packets")

    def busy(window: float, pipe: float) -> float:
        # p_n / p_0 = W! / (W - n)! (S / Z)^n: p_0 is an Erlang loss formula.
        blocked = 1.0
        for packets in range(1, int(window) + 1):
            blocked = pipe * blocked / (packets + pipe * blocked)
        return 1 - blocked

    return np.vectorize(busy, otypes=[float])(window, pipe)[()]


# --- (6) by a clock


def tick_probability(delay: ArrayLike, min_delay: ArrayLike, clock: float) -> np.ndarray:
    """Return how often a delay looks like the smallest one to clocks that tick every `clock` s.

    Sender and receiver read the same clock, floor(t / clock), and packets are sent at any phase of
    it. The smallest difference that a delay D_0 shows is m = floor(D_0 / clock) ticks; a delay D
    shows m with probability max(0, 1 - (D - m clock) / clock). Delays in s, both broadcast.
    """
    clock = float(inputs.positive("clock", clock, "s"))
    delay, min_delay = np.broadcast_arrays(
        inputs.positive("delay", delay, "s"), inputs.positive("min_delay", min_delay, "s")
    )
    smallest = np.floor(min_delay / clock)
    return np.clip(1 - (delay / clock - smallest), 0, 1)[()]


def tick_estimate(
    utilization: ArrayLike, min_delay: ArrayLike, packet_time: ArrayLike, clock: float
) -> np.ndarray:
    """Return the mean of (6) with such a clock, for waits as in an M/D/1 queue of that utilization.

    `min_delay` is the one-way delay without a queue, `packet_time` the time that a packet takes to
    be sent, both in s. Packets with part of a packet in front of them are mixed up with those that
    meet no queue, and those in turn are taken for queued where the clock ticks in between.
    """
    utilization = inputs.numbers(
        "utilization", utilization, lambda x: (x >= 0) & (x < 1), "from 0 to below 1"
    )
    packet_time = inputs.positive("packet_time", packet_time, "s")
    utilization, min_delay, packet_time = np.broadcast_arrays(utilization, min_delay, packet_time)

    def estimate(rho: float, min_delay: float, packet_time: float) -> float:
        # A tick is up to a few packet times long: the waiting time up to there, by Erlang's series.
        waits = np.linspace(0, clock, 2001)
        cdf = _md1_wait(waits / packet_time, rho)
        at_minimum = tick_probability(min_delay + waits, min_delay, clock)
        middle = (at_minimum[1:] + at_minimum[:-1]) / 2
        return 1 - (cdf[0] * at_minimum[0] + np.sum(np.diff(cdf) * middle))

    return np.vectorize(estimate, otypes=[float])(utilization, min_delay, packet_time)[()]


def _md1_wait(wait: np.ndarray, rho: float) -> np.ndarray:
    """Distribution of the wait in M/D/1, in packet times (Erlang 1909)."""
    total = np.zeros_like(wait)
    factorial = 1.0
    for k in range(int(wait.max()) + 1):
        factorial *= max(k, 1)
        x = np.where(wait >= k, rho * (k - wait), 0.0)
        total += np.where(wait >= k, x**k * np.exp(-x) / factorial, 0.0)
    return (1 - rho) * total


def double_clock_share(
    packets: int, duration: float, link_times: tuple[float, ...], seed: int = 1
) -> dict[str, float]:
    """Return how often equal delays are equal in a simulator whose clock is a double, like ns-2's.

    Each of `packets` packets leaves at a random time within `duration` s, and its clock is advanced
    by every element of `link_times` (s) in turn: transmission and propagation. The delay is the
    difference of the last time and the first. Keys: `share`, of packets whose delay equals the
    smallest of all, where in exact arithmetic all would; `distinct`, the number of different
    delays; `spread`, the largest minus the smallest, in s.
    """
    sent = np.random.default_rng(seed).uniform(0, duration, packets)
    now = sent.copy()
    for link_time in link_times:
        now = now + link_time
    delay = now - sent
    return {
        "share": float(np.mean(delay == delay.min())),
        "distinct": len(np.unique(delay)),
        "spread": float(np.ptp(delay)),
    }
