r"""A model of Hybla's steady state that goes by ACKs and keeps the windows' distribution.

The paper's model (`equations`) has one mean cycle. This one has a Markov chain: its state is the
window $w$ that a recovery leaves, and a step leads from the beginning of a recovery to that of the
next. Nothing in it is fitted. It assumes what the paper assumes of the path: losses are
independent, with probability $p$ for each segment, and the round trip $R$ is constant. Of the
sender it takes what RFC 6675, RFC 9937 and equation (1) say:

- A recovery that began at a window $2 w$ lasts until all is acknowledged that had been sent by
  then. Of these segments more may be lost; if the last of them is the part $u$ of the window behind
  the first, the recovery takes $(1 + u) R$: $P(u \le y) = (1 - p)^{2 w (1 - y)}$. A retransmission
  that is lost takes one round trip more. All the while $w$ segments leave in a round trip.
- Then the window grows by each ACK, $W \leftarrow W + \rho^2 / W$, so after $a$ of them it is
  $\min(\sqrt{w^2 + 2 \rho^2 a}, W_m)$. Segment $a + W(a)$ leaves when ACK $a$ arrives, and its
  ACK comes a round trip later: that is the clock.
- The first segment that is lost, of those sent since the recovery began, ends this, when three
  segments more have arrived: the window is halved once. If it was sent in the first $w u$ of the
  recovery, the next one begins at once, with the window that there is.

The throughput is what is delivered in the mean step, over its mean time. Timeouts are left out:
they come with losses of several in a hundred.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from longfat.errors import InputError
from longfat.papers import inputs
from longfat.papers.hybla import equations

WINDOWS = 140  # of the chain, from two segments to half of the largest
POSITIONS = 40  # of the last loss in a window
MOST_SEGMENTS = 200_000  # that are followed one by one from a recovery to the window's limit
MEAN_DISTANCES = 15  # between losses: one in 3 million is longer
DUPLICATES = 3  # of the ACK before a lost segment (RFC 5681, section 3.2)


class Growth(NamedTuple):
    """From a recovery's end to the next loss: expectations over where that is.

    time_s; segments, sent after those of the recovery; and windows, the probabilities of the
    states that follow.
    """

    time_s: float
    segments: float
    windows: np.ndarray


def throughput(
    loss: ArrayLike, rtt: ArrayLike, rtt0: ArrayLike, max_window: ArrayLike
) -> np.ndarray:
    """Return the steady-state throughput in segments/s, without what is sent twice.

    loss: probability that a segment is lost, 0 <= loss < 1; at 0 it is max_window / rtt.
    rtt, rtt0: round-trip times of the connection and of the reference, s.
    max_window: the largest congestion window, segments, at least 5.
    The arguments broadcast; the result has their shape. Raises InputError for values out of range,
    and where the window takes more than `MOST_SEGMENTS` to its limit and to the next loss.

    >>> from longfat.papers.hybla import renewal
    >>> renewal.throughput([0, 1e-3], rtt=0.55, rtt0=0.025, max_window=550).round(0)
    array([1000.,  812.])
    """
    loss = inputs.loss(loss)
    largest = inputs.numbers(
        "max_window", max_window, lambda x: (x >= 5) & (x < np.inf), "at least 5 segments"
    )
    ratio = equations.growth_ratio(rtt, rtt0)
    loss, rtt, ratio, largest = np.broadcast_arrays(
        loss, np.asarray(rtt, dtype=float), ratio, largest
    )
    to_follow = np.minimum(largest**2 / (2 * ratio**2), MEAN_DISTANCES / np.maximum(loss, 1e-300))
    if (to_follow > MOST_SEGMENTS).any():
        raise InputError(
            f"max_window is too large for this loss and round trip: more than {MOST_SEGMENTS} "
            "segments go from a loss to the limit"
        )
    points = zip(loss.flat, rtt.flat, ratio.flat, largest.flat, strict=True)
    found = [w_m / r if p == 0 else _throughput(p, r, rho, w_m) for p, r, rho, w_m in points]
    return np.array(found).reshape(loss.shape)


def windows_after_loss(
    loss: float, rtt: float, rtt0: float, max_window: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the windows that a recovery leaves, in segments, and how probable each is."""
    ratio = float(equations.growth_ratio(rtt, rtt0))
    states, moves, _, _ = _chain(loss, rtt, ratio, max_window)
    return states, _stationary(moves)


@cache
def _throughput(p: float, rtt: float, ratio: float, max_window: float) -> float:
    _, moves, times_s, delivered = _chain(p, rtt, ratio, max_window)
    share = _stationary(moves)
    return float(share @ delivered / (share @ times_s))


def _chain(
    p: float, rtt: float, ratio: float, max_window: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the states, the probabilities of going from each to each, and of a step from each its
    mean time (s) and the mean number of segments that it delivers."""
    highest = np.sqrt(2 * ratio**2 * MEAN_DISTANCES / p) + 2
    states = np.linspace(2, min(max_window / 2, highest), WINDOWS)
    moves = np.zeros((WINDOWS, WINDOWS))
    times_s, delivered = np.zeros(WINDOWS), np.zeros(WINDOWS)
    edges = np.linspace(0, 1, POSITIONS + 1)
    u = np.concatenate([[0], (edges[:-1] + edges[1:]) / 2])  # the last loss, and none but the first
    for i, w in enumerate(states):
        up_to = (1 - p) ** (2 * w * (1 - edges))
        share = np.concatenate([[up_to[0]], np.diff(up_to)])
        last = share @ u
        none_yet = share @ (1 - p) ** (w * u)  # none of the first w u segments is lost
        repeated = 1 + 2 * w * p
        again = 1 - (1 - p) ** repeated  # a retransmission is lost
        longer = last + again * (1 - last / 2)  # of the recovery, in round trips
        growth = _growth(w, p, rtt, ratio, max_window, states)
        times_s[i] = rtt * (1 + longer) + none_yet * growth.time_s
        sent = w * longer + none_yet * growth.segments + (1 - none_yet) * w
        delivered[i] = sent - repeated
        moves[i] = none_yet * growth.windows
        moves[i] += _spread(np.array([w / 2]), np.array([1 - none_yet]), states)
    return states, moves, times_s, delivered


def _growth(
    w: float, p: float, rtt: float, ratio: float, max_window: float, states: np.ndarray
) -> Growth:
    """Return what follows a recovery that leaves the window w, if nothing is known to be lost."""
    to_limit = max(0.0, max_window**2 - w * w) / (2 * ratio**2)
    followed = int(np.ceil(min(MEAN_DISTANCES / p, to_limit + 8 * max_window)))
    acked = np.arange(followed + DUPLICATES + 1)
    window = np.minimum(max_window, np.sqrt(w * w + 2 * ratio**2 * acked))
    arrives_s = _arrivals_s(w, window, rtt)
    number = np.arange(1, followed + 1)  # of the first segment that is lost
    chance = p * (1 - p) ** (number - 1)
    beyond = (1 - p) ** followed  # at the limit, where each window is as the one before
    noticed = window[number - 1]
    last = window[followed]
    return Growth(
        time_s=chance @ arrives_s[number + DUPLICATES]
        + beyond * (arrives_s[followed] + rtt / last / p),
        segments=chance @ (number - 1 + noticed) + beyond * (followed + 1 / p - 1 + last),
        windows=_spread(noticed / 2, chance, states)
        + _spread(np.array([last / 2]), np.array([beyond]), states),
    )


def _arrivals_s(w: float, window: np.ndarray, rtt: float) -> np.ndarray:
    """Return when each ACK arrives after a recovery that left w segments in flight, evenly spread.

    `window` is the window after so many ACKs. The segment that ACK a releases is a + window[a].
    """
    acked = np.arange(len(window))
    released_by = np.interp(acked, acked + window, acked)
    arrives_s = rtt * acked / w
    known = int(np.floor(w)) + 1
    while known < len(window):
        end = int(np.searchsorted(released_by, known - 1, side="right"))
        end = max(known + 1, min(len(window), end))
        before = np.interp(released_by[known:end], acked[:known], arrives_s[:known])
        arrives_s[known:end] = rtt + before
        known = end
    return arrives_s


def _spread(windows: np.ndarray, chance: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Return the probabilities of the states: a window's goes to the two that it is between."""
    place = np.clip((windows - states[0]) / (states[1] - states[0]), 0, len(states) - 1)
    below = np.minimum(place.astype(int), len(states) - 2)
    part = place - below
    count = len(states)
    return np.bincount(below, chance * (1 - part), count) + np.bincount(
        below + 1, chance * part, count
    )


def _stationary(moves: np.ndarray) -> np.ndarray:
    """Return how often the chain is in each state."""
    moves = moves / moves.sum(axis=1, keepdims=True)
    # One of the balances follows from the others; in its place stands that all is one.
    system = moves.T - np.eye(len(moves))
    system[-1] = 1.0
    return np.linalg.solve(system, np.eye(len(moves))[-1])
