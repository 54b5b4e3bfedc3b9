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
    exp,
    factorial,
    limit,
    oo,
    simplify,
    solve,
    summation,
    symbols,
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

lam, mu, T, C = symbols("lambda mu T C", positive=True)  # arrivals/s, services/s, s, packets
S, t, sigma = symbols("S s sigma", positive=True)  # service time, argument of a transform
B = Function("B")  # transform of the service time
k, n, W = symbols("k n W", integer=True, nonnegative=True)


def _utilization_law() -> Steps:
    busy = C * S
    yield "In a time T the server completes C packets, which take S each on average:", busy
    yield "The utilization is the busy part of that time:", Eq(rho, busy / T)
    empty = solve(Eq(rho, 1 - p_0), p_0)[0]
    idle = simplify((T - busy) / T)
    yield "The rest of the time the queue is empty:", Eq(p_0, idle)
    assert simplify(empty.subs(rho, busy / T) - idle) == 0
    yield "So, for any arrivals, services and order, as a part of time:", Eq(rho, 1 - p_0)


def _estimate() -> Steps:
    yield "Of N packets N_min met an empty queue: their part estimates p_0,", Eq(p_0, N_min / N)
    yield "if packets see what there is over time. By (5):", Eq(rho, simplify(1 - N_min / N))


DERIVATIONS: dict[int, Callable[[], Steps]] = {5: _utilization_law, 6: _estimate}


# --- what packets meet


def _mm1() -> Steps:
    p = Function("p")
    yield (
        "Up- and downward steps balance (arrivals at rate lambda, services at rate mu):",
        Eq(lam * p(n), mu * p(n + 1)),
    )
    yield "So, with rho = lambda / mu:", Eq(p(n), p_0 * rho**n)
    total = Sum(p_0 * rho**n, (n, 0, oo))
    yield "All probabilities sum to 1:", Eq(total, 1)
    series = p_0 * summation(rho**n, (n, 0, oo)).args[0].expr  # where it converges: rho < 1
    yield "Packets that arrive at random see the same (PASTA):", Eq(rho, solve(series - 1, rho)[0])


def _pollaczek_khinchine(transform: Basic) -> Basic:
    """The probability that a packet does not wait: the transform of the wait, as s goes to oo."""
    wait = (1 - rho) * t / (t - lam * (1 - transform))
    return limit(wait, t, oo)


def _mg1() -> Steps:
    wait = (1 - rho) * t / (t - lam * (1 - B(t)))
    yield "Transform of the wait, by Pollaczek and Khinchine, B that of the service time:", wait
    bounded = Symbol("B", positive=True)  # 0 < B(s) <= 1 for every s
    empty = _pollaczek_khinchine(bounded)
    yield "At s to infinity only a wait of 0 is left, and B(s) is between 0 and 1:", Eq(p_0, empty)
    assert empty == 1 - rho
    yield "For every distribution of the service time:", Eq(rho, 1 - p_0)


def _md1() -> Steps:
    transform = exp(-t * S)
    yield "Every packet takes S:", Eq(B(t), transform)
    yield "In Pollaczek and Khinchine's formula:", (1 - rho) * t / (t - lam * (1 - transform))
    # exp(-s S) lies between 0 and 1; sympy takes its limit 0 for positive S.
    yield "At s to infinity:", Eq(p_0, _pollaczek_khinchine(transform))


def _gm1() -> Steps:
    A = Function("A")
    yield (
        "A is the transform of the time between arrivals; a packet waits with probability sigma:",
        Eq(sigma, A(mu * (1 - sigma))),
    )
    poisson = lam / (lam + mu * (1 - sigma))
    roots = [root for root in solve(Eq(sigma, poisson), sigma) if root != 1]
    assert roots == [lam / mu]
    yield "Only arrivals at random give the utilization, lambda / mu:", Eq(sigma, roots[0])
    constant = exp(-(1 - sigma) / rho)
    yield "Arrivals at constant distance give less than rho:", Eq(sigma, constant)


def _window() -> Steps:
    Z = Symbol("Z", positive=True)
    p = Function("p")
    weight = factorial(W) / factorial(W - n) * (S / Z) ** n
    yield (
        "W packets are either in the queue (service S) or on their way (Z), all exponential:",
        Eq(p(n) / p_0, weight),
    )
    yield (
        "What a packet finds is what there is with W - 1 packets (arrival theorem), and not p_0:",
        Eq(Symbol("p_0^{packet}"), 1 / Sum(weight.subs(W, W - 1), (n, 0, W - 1))),
    )
    few = (1 / Sum(weight.subs(W, 1), (n, 0, 1))).doit()
    yield "Over time, a window of one packet keeps the link busy for this part:", Eq(rho, 1 - few)
    yield "but that packet never meets a queue, so that (6) is 0:", Eq(Symbol("\\hat\\rho"), 0)


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
        ("Up to q_min, and just above it:", Eq(g(q_min), limit(a, q, q_min, "+"))),
        ("At q_th from below (region A):", Eq(g(q_th), limit(a, q, q_th, "-"))),
        ("At q_th from above (region B):", Eq(g(q_th), limit(b, q, q_th, "+"))),
        ("At q_max, where a queue is full:", Eq(g(q_max), limit(b, q, q_max, "-"))),
        (
            "The largest delay seen so far is q_max itself, so a new one never makes it back off.",
            Eq(g(q).subs(q, q_max), b.subs(q, q_max)),
        ),
    )


def _estimate_error() -> tuple[float, str]:
    utilization = np.array([0.5, 0.8, 0.9, 0.95, 0.99])
    error = 1 - ucc.queued_fraction(utilization, "D") / utilization
    worst = int(np.argmax(error))
    return error[worst], (
        f"for packets at constant distance in D/M/1 at rho = {utilization[worst]:g} "
        f"({error[-1]:.1e} at 0.99); with constant service times too, no packet waits at any "
        "rho below 1, and all of rho is missed"
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
