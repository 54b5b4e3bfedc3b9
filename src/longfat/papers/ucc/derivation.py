"""The derivation of equation (5) of the UCC paper for each queue that the paper names, by sympy.

`derive(5)` is the utilization law, which holds for every queue with one server, over time.
`QUEUES` derives the same for the packets of M/M/1, M/D/1 and M/G/1, and what takes its place where
packets do not arrive at random: G/M/1, and a sender with a window. `ledger()` says how each of the
paper's equations stood up. Equations (1) to (4) and (7) are algorithms: there is nothing to derive.
"""

from collections.abc import Callable

import numpy as np
from sympy import (
    Basic,
    Eq,
    Function,
    Sum,
    Symbol,
    apart,
    exp,
    factorial,
    limit,
    oo,
    solve,
    summation,
    symbols,
    together,
)

from longfat.errors import InputError, nearest
from longfat.papers.ledger import Ledger, Steps
from longfat.papers.ucc import equations as ucc
from longfat.papers.ucc.equations import (
    BACKOFF,
    EQ,
    PRINTED,
    N,
    N_min,
    p_0,
    q,
    q_max,
    q_min,
    q_th,
    rho,
)

NAMES = {
    1: "HD's window after an ACK",
    2: "CHD's window after a round trip",
    3: "CHD's shadow window",
    4: "CHD's window after a loss",
    5: "utilization and empty queue",
    6: "estimate of the utilization",
    7: "UCC's window after a loss",
}

# What each equation says that is a definition.
MEANINGS = {
    1: "With probability $g$ an ACK halves the window, and else adds its part of a segment:",
    2: "With probability $g$ a round trip halves the window, and else adds a segment:",
    3: "A back-off remembers the window that it gave up: in region A only while the delay still "
    "grows, in region B always:",
    4: "A loss counts as congestion above $q_{th}$ only, and then halves the larger of window and "
    "shadow:",
    7: "A loss halves the window where more than the part $\\alpha$ of the packets have met a "
    "queue, and changes nothing otherwise:",
}

lam, mu, T, C = symbols("lambda mu T C", positive=True)  # arrivals/s, services/s, s, packets
S, t, sigma = symbols("S s sigma", positive=True)  # service time, argument of a transform
B = Function("B")  # transform of the service time
k, n, W = symbols("k n W", integer=True, nonnegative=True)


def _utilization_law() -> Steps:
    busy = C * S
    yield (
        "Watch the link for a time $T$. It sends $C$ packets, and each takes $S$ on average, so "
        "that it"
        " is busy for",
        busy,
    )
    yield "The utilization is the busy part of that time:", Eq(rho, busy / T)
    idle = apart((T - busy) / T, T)
    yield "and for the rest of the time there is nothing to send:", Eq(p_0, idle)
    # It is linear, and to simplify what is solved takes sympy's units, a seventh of a second.
    law = Eq(rho, solve(Eq(p_0, idle.subs(busy, rho * T)), rho, simplify=False)[0])
    yield (
        "Put the first into the second. Nothing was said of how packets come, how long they are "
        "or in"
        " which order they leave: it holds for every queue with one server, as long as a part of "
        "*time*"
        " is meant.",
        law,
    )


def _estimate() -> Steps:
    part = N_min / N
    yield (
        "A sender cannot watch the link, but it can count. Of $N$ packets $N_{min}$ found the queue"
        " empty. If packets find what there is over time, that part is $p_0$,",
        Eq(p_0, part),
    )
    yield "and (5) turns it into the utilization:", Eq(rho, together(EQ[5].rhs.subs(p_0, part)))


DERIVATIONS: dict[int, Callable[[], Steps]] = {5: _utilization_law, 6: _estimate}


# --- what packets meet


def _mm1() -> Steps:
    p = Function("p")
    yield (
        "Packets come at rate $\\lambda$ and are served at rate $\\mu$, both at random. In the "
        "long run"
        " the queue grows from $n$ to $n + 1$ packets as often as it shrinks back:",
        Eq(lam * p(n), mu * p(n + 1)),
    )
    step = solve(Eq(lam * p(n), mu * p(n + 1)), p(n + 1))[0] / p(n)
    ratio = step.subs(lam, rho * mu)
    yield (
        "so that each further packet is less likely by the same factor $\\rho = \\lambda / \\mu$:",
        Eq(p(n), p_0 * ratio**n),
    )
    total = Sum(p_0 * ratio**n, (n, 0, oo))
    yield "All probabilities together are 1:", Eq(total, 1)
    series = p_0 * summation(ratio**n, (n, 0, oo)).args[0].expr  # where it converges: rho < 1
    yield (
        "which is a geometric series. Packets that come at random find what there is over time "
        "(PASTA),"
        " so that this $p_0$ is also the part of packets that wait for nobody.",
        Eq(rho, solve(series - 1, rho)[0]),
    )


def _pollaczek_khinchine(transform: Basic) -> Basic:
    """The probability that a packet does not wait: the transform of the wait, as s goes to oo."""
    wait = (1 - rho) * t / (t - lam * (1 - transform))
    return limit(wait, t, oo)


def _mg1() -> Steps:
    wait = (1 - rho) * t / (t - lam * (1 - B(t)))
    yield (
        "Now a packet may take any time, with the transform $B(s)$. Pollaczek and Khinchine have "
        "the"
        " transform of the wait:",
        wait,
    )
    bounded = Symbol("B", positive=True)  # 0 < B(s) <= 1 for every s
    empty = _pollaczek_khinchine(bounded)
    yield (
        "For large $s$ every wait above 0 drops out of a transform, and what is left is the "
        "probability"
        " of no wait. $B(s)$ stays between 0 and 1:",
        Eq(p_0, empty),
    )
    yield (
        "It is the same for every length of packets.",
        Eq(rho, solve(Eq(p_0, empty), rho)[0]),
    )


def _md1() -> Steps:
    transform = exp(-t * S)
    yield "On a link all packets of one size take the same time $S$:", Eq(B(t), transform)
    yield (
        "In Pollaczek and Khinchine's formula the wait has the transform",
        (1 - rho) * t / (t - lam * (1 - transform)),
    )
    # exp(-s S) lies between 0 and 1; sympy takes its limit 0 for positive S.
    yield (
        "and no packet is in front of a part of them that is",
        Eq(p_0, _pollaczek_khinchine(transform)),
    )


def _gm1() -> Steps:
    A = Function("A")
    yield (
        "Turn it round: the link is random, the packets come as they like, with the transform "
        "$A$ of the"
        " time between them. A packet then waits with a probability $\\sigma$ that solves",
        Eq(sigma, A(mu * (1 - sigma))),
    )
    poisson = lam / (lam + mu * (1 - sigma))
    roots = [root for root in solve(Eq(sigma, poisson), sigma) if root != 1]
    yield "For packets at random that is the utilization:", Eq(sigma, roots[0])
    constant = exp(-t / lam).subs(t, mu * (1 - sigma)).subs(mu, lam / rho)
    yield (
        "For packets at constant distance it is less:",
        Eq(sigma, constant),
    )


def _window() -> Steps:
    Z = Symbol("Z", positive=True)
    p = Function("p")
    weight = factorial(W) / factorial(W - n) * (S / Z) ** n
    yield (
        "A sender with a window $W$ is no source that does not care: all its packets are in the "
        "queue"
        " (a mean time $S$ each) or on their way (a mean time $Z$ each). With both times at "
        "random:",
        Eq(p(n) / p_0, weight),
    )
    yield (
        "A packet never finds itself. What it finds is what there is with $W - 1$ packets (arrival"
        " theorem), and not $p_0$:",
        Eq(Symbol("p_0^{packet}"), 1 / Sum(weight.subs(W, W - 1), (n, 0, W - 1))),
    )
    few = (1 / Sum(weight.subs(W, 1), (n, 0, 1))).doit()
    yield (
        "The plainest case is a window of one packet. Over time it keeps the link busy for this "
        "part:",
        Eq(rho, 1 - few),
    )
    yield (
        "But it never meets a queue, so that $N_{min} = N$, and (6) says",
        Eq(Symbol("\\hat\\rho"), EQ[6].rhs.subs(N_min, N)),
    )


QUEUES: dict[str, Callable[[], Steps]] = {
    "M/M/1": _mm1,
    "M/G/1": _mg1,
    "M/D/1": _md1,
    "G/M/1": _gm1,
    "window": _window,
}


def derive_queue(queue: str) -> tuple[tuple[str, Basic], ...]:
    """Return the steps, each a sentence and an expression, to what packets of that queue meet.

    Raises InputError for a queue that is not in `QUEUES`.
    """
    if queue not in QUEUES:
        known = list(QUEUES)
        raise InputError(
            f"queue is '{queue}': derived are {', '.join(known)}.{nearest(queue, known)}"
        )
    return tuple(QUEUES[queue]())


def backoff_limits() -> tuple[tuple[str, Basic], ...]:
    """Return the values of g(q) at the ends of its regions (figure 1), as limits from both sides.

    Each is a sentence and an equation.
    """
    g = ucc.g
    regions = {condition: expression for expression, condition in BACKOFF.args}
    a, b = regions[q <= q_th], regions[q <= q_max]
    return (
        ("Up to $q_{min}$, and just above it:", Eq(g(q_min), limit(a, q, q_min, "+"))),
        ("At $q_{th}$ from below (region A):", Eq(g(q_th), limit(a, q, q_th, "-"))),
        ("At $q_{th}$ from above (region B):", Eq(g(q_th), limit(b, q, q_th, "+"))),
        (
            "At $q_{max}$, the largest delay seen so far. A delay that sets a new record is "
            "$q_{max}$"
            " itself, so that it never makes a sender back off:",
            Eq(g(q_max), b.subs(q, q_max)),
        ),
    )


def _estimate_error() -> tuple[float, str]:
    utilization = np.array([0.5, 0.8, 0.9, 0.95, 0.99])
    error = 1 - ucc.queued_fraction(utilization, "D") / utilization
    worst = int(np.argmax(error))
    return error[worst], (
        rf"for packets at constant distance in D/M/1 at $\rho = {utilization[worst]:g}$ "
        f"({100 * error[-1]:.0f} % at {utilization[-1]:g}); with constant service times too, no "
        r"packet waits at any $\rho$ below 1, and all of it is missed"
    )


APPROXIMATIONS: dict[int, Callable[[], tuple[float, str]]] = {6: _estimate_error}

REASONS = {
    1: "The algorithm.",
    2: "The algorithm.",
    3: "The algorithm; its last line can only be meant for a back-off, or the shadow window would "
    "never last two round trips.",
    4: "The algorithm.",
    5: "Holds as a part of time for any queue with one server; for what packets meet it needs "
    "arrivals at random.",
    6: "Takes the part of packets for the part of time: exact for arrivals at random only (PASTA), "
    "which a sender with a window does not give.",
    7: "The algorithm.",
}


LEDGER = Ledger(
    EQ, NAMES, DERIVATIONS, printed=PRINTED, approximations=APPROXIMATIONS, reasons=REASONS
)
derive = LEDGER.derive
ledger = LEDGER.table
