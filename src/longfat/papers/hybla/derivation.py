"""The derivation of each numbered equation of the Hybla paper, carried out by sympy.

`derive(n)` goes from the paper's premises and earlier equations to equation (n), step by step;
`ledger()` runs all of them and says how each printed equation stood up. What the model leaves out
has its size here too: `dropped_tail`, `slow_start_rounds`, `rest_of_transfer`.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize import brentq
from sympy import (
    And,
    Eq,
    Expr,
    Function,
    Integral,
    Le,
    Limit,
    Not,
    Or,
    Piecewise,
    S,
    Sum,
    Symbol,
    binomial,
    diff,
    expand_log,
    integrate,
    limit,
    log,
    oo,
    piecewise_fold,
    powsimp,
    simplify,
    solve,
    sqrt,
    summation,
    symbols,
)

from longfat.papers import inputs, value
from longfat.papers.hybla import equations as hybla
from longfat.papers.hybla.equations import (
    CA,
    EQ,
    PRINTED,
    SS,
    T_0,
    Z_TO,
    A,
    B,
    D,
    D_m,
    L,
    L_m,
    R,
    T,
    T_ca,
    T_loss,
    T_s,
    T_ss,
    T_twhs,
    U,
    V,
    W,
    W_i,
    W_m,
    W_ss,
    X,
    Y,
    cwnd,
    d,
    d_1,
    d_ca,
    d_ss,
    i,
    k,
    l_ss,
    l_tda,
    loss_count,
    m,
    p,
    r_1,
    r_2,
    rho,
    ssdata,
)
from longfat.papers.ledger import Ledger, Steps
from longfat.style import number

NAMES = {
    1: "window after an ACK",
    2: "probability of m losses at the peak",
    3: "losses at the peak",
    4: "reduction of the window",
    5: "segments of a cycle, from its losses",
    6: "growth back to the peak",
    7: "round trips of growth",
    8: "segments of a cycle, from its window",
    9: "duration of a cycle",
    10: "throughput below the limit",
    11: "losses at the limit",
    12: "reduction from the limit",
    13: "segments of a cycle at the limit, from its losses",
    14: "growth back to the limit",
    15: "round trips of growth to the limit",
    16: "round trips of congestion avoidance",
    17: "segments of a cycle at the limit, from its window",
    18: "round trips at the limit",
    19: "round trips of congestion avoidance, in full",
    20: "duration of a cycle at the limit",
    21: "throughput at the limit",
    22: "three-way handshake",
    23: "segments before the first loss",
    24: "window of the next round of slow start",
    25: "data of i rounds, as a sum",
    26: "data of i rounds",
    27: "rounds for given data",
    28: "window at the end of slow start",
    29: "data until the window reaches the limit",
    30: "rounds until the window reaches the limit",
    31: "rounds at the limit",
    32: "duration of slow start",
    33: "probability of a loss",
    34: "probability of a loss that duplicate ACKs reveal",
    35: "mean retransmission timeout",
    36: "duration of the first recovery",
    37: "data left after it",
    38: "duration of the rest",
    39: "transfer time",
}

# What each equation says that is a definition.
MEANINGS = {
    1: "An ACK makes the window $W_i$ larger, in slow start ($SS$) by $2^\\rho - 1$, in congestion "
    "avoidance ($CA$) by its part of $\\rho^2$:",
    9: "$X$ round trips of growth and $2 - 1/L$ of recovery, each of $R$ seconds:",
    16: "Congestion avoidance is growth, then the time at the limit:",
    20: "As (9), with the losses at the limit:",
    38: "What is left goes at the pace of the steady state:",
}

n = Symbol("n", integer=True, nonnegative=True)
j = Symbol("j", integer=True, nonnegative=True)
z, t = symbols("z t", positive=True)

# Section 3.1: the cycle.


def _binomial_probability() -> Steps:
    yield (
        "The first of the $W$ segments is lost, and of the others any $m - 1$ may be lost with it. "
        "They can be chosen in so many ways:",
        binomial(W - 1, m - 1),
    )
    one = p ** (m - 1) * (1 - p) ** ((W - 1) - (m - 1))
    yield (
        "Losses are independent. A choice happens if those $m - 1$ are lost and the rest is not:",
        one,
    )
    yield "Together:", Eq(loss_count(W, m), binomial(W - 1, m - 1) * one)


def _generating_function(why: str) -> Steps:
    """Mean of z**j over the j losses among the n segments that follow the first lost one."""
    mean, closed = _mean_power()
    yield why, mean
    yield "It is a power of a binomial:", closed


@functools.cache  # (3) and (4) begin with it
def _mean_power() -> tuple[Expr, Expr]:
    """Return that mean as a sum, and what the sum is."""
    term = binomial(n, j) * p**j * (1 - p) ** (n - j) * z**j
    closed = (1 - p + p * z) ** n
    total = (1 - p) ** n * _first_case(summation(simplify(term / (1 - p) ** n), (j, 0, n)))
    assert simplify(powsimp(total / closed, force=True)) == 1
    return Sum(term, (j, 0, n)), closed


def _first_case(expression: Expr) -> Expr:
    """What a sum is where it converges, which is the first case that sympy gives."""
    folded = piecewise_fold(expression)
    return folded.args[0].expr if isinstance(folded, Piecewise) else folded


def _losses() -> Steps:
    steps = list(
        _generating_function(
            "Give each further loss a factor $z$. With $n = W - 1$ segments behind the first, the "
            "mean of $z^j$ over their $j$ losses is this sum, which may run on to $n$ since the "
            "last three terms weigh nothing:"
        )
    )
    yield from steps
    mean = 1 + diff(steps[-1][1], z).subs(z, 1)
    yield "Its slope at $z = 1$ is their mean number. With the first loss:", mean
    yield "In the paper's letters:", Eq(L, simplify(mean).subs(n, W - 1))


def _reduction() -> Steps:
    steps = list(
        _generating_function(
            "Every loss halves the window once more, so what is left of it is the same mean with "
            "$z = 1/2$:"
        )
    )
    yield from steps
    half = steps[-1][1].subs(z, S.Half) / 2
    yield "and half of that, for the first loss:", half
    yield "In the paper's letters:", Eq(D, half.subs(n, W - 1))


def _as_below_the_limit(number: int, renamed: dict) -> Steps:
    """The cycle at the limit has the same equation, with the window W_m."""
    equation = EQ[number].subs(renamed, simultaneous=True)
    yield f"As ({number}), with the largest window:", equation


def _delivered() -> Steps:
    place = k * p * (1 - p) ** (k - 1)
    first = simplify(_first_case(summation(place, (k, 1, oo))))
    yield (
        "The first loss is segment $k$ with probability $p (1 - p)^{k - 1}$. On average that is "
        "segment",
        Sum(place, (k, 1, oo)),
    )
    yield "which is", first
    yield (
        "One more window is on its way before the sender notices, and lost segments do not count:",
        Eq(Y, first + W - L),
    )


def _growth() -> Steps:
    per_ack = EQ[1].rhs.args[1].expr - W_i
    assert EQ[1].rhs.args[1].cond == CA
    yield (
        "If each of $W_i$ ACKs found the same window $W_i$, a round trip would add, by (1),",
        Eq(Symbol("\\Delta W"), W_i * per_ack),
    )
    yield (
        "So $X$ round trips lead from the reduced window back to the peak:",
        Eq(W, D * W + W_i * per_ack * X),
    )


def _growth_rounds() -> Steps:
    yield "Solved for $X$:", Eq(X, solve(EQ[6], X)[0])


def _segments_from_window() -> Steps:
    total = Sum(D * W + rho**2 * k, (k, 1, n))
    yield (
        "Round trip $k$ of the climb sends the window that it ends with. So $n$ of them send",
        total,
    )
    yield "which is", total.doit()
    yield (
        "There are $X$ round trips, and recovery sends half a window:",
        Eq(Y, total.doit().subs(n, X) + W / 2),
    )


def _throughput(delivered: int) -> Steps:
    yield "A cycle delivers $Y$ segments in the time $A$:", Y / A
    yield f"with $Y$ from ({delivered}):", Eq(B, EQ[delivered].rhs / A)


def _growth_rounds_at_limit() -> Steps:
    yield "Solved for $U$:", Eq(U, solve(EQ[14], U)[0])


def _segments_from_window_at_limit() -> Steps:
    growing = Integral(D_m * W_m + (1 - D_m) * W_m / U * t, (t, 0, U))
    yield (
        "For $U$ round trips the window rises evenly from $D_m W_m$ to $W_m$. If each sends the "
        "mean of its window, they send",
        growing,
    )
    yield (
        "Then follow $V$ whole windows, and half a window in recovery:",
        Eq(Y, growing.doit() + W_m * V + W_m / 2),
    )


def _rounds_at_limit() -> Steps:
    balance = Eq(EQ[13].rhs, EQ.substitute(EQ[17].rhs, 15))
    yield "What the losses allow (13) is what the window sends (17), with $U$ from (15):", balance
    yield "Solved for $V$:", Eq(V, solve(balance, V, simplify=False)[0])


def _all_rounds() -> Steps:
    total = EQ.substitute(EQ[16].rhs, 15, 18)
    yield "The sum (16) of (15) and (18):", total
    square = (1 - D_m) ** 2
    yield (
        "Its terms in $W_m$ make a square:",
        (Eq(X, simplify(total - square * W_m / (2 * rho**2)) + square * W_m / (2 * rho**2))),
    )


# Section 3.2: the transfer.


def _handshake() -> Steps:
    failures = Sum(p**j * (1 - p) * (2**j - 1) * T_s, (j, 0, oo))
    yield (
        "Each lost SYN doubles the wait for the next one. After $j$ losses $(2^j - 1) T_s$ are "
        "gone; on average",
        failures,
    )
    waits = sum(_first_case(summation(term, (j, 0, oo))) for term in _terms(failures.function))
    yield "which is finite for $p < 1/2$ only:", simplify(waits)
    yield "The handshake that succeeds takes a round trip more:", Eq(T_twhs, R + simplify(waits))


def _terms(expression: Expr) -> tuple[Expr, ...]:
    return expression.expand().args


def _before_first_loss() -> Steps:
    total = Sum((1 - p) ** j, (j, 1, n))
    yield (
        "At least $j$ segments come before the first loss with probability $(1 - p)^j$. Of $n$ "
        "segments so many do on average:",
        total,
    )
    yield "In closed form, for a transfer of $n = d$:", Eq(d_ss, simplify(total.doit()).subs(n, d))


def _next_round() -> Steps:
    per_ack = EQ[1].rhs.args[0].expr - W_i
    assert EQ[1].rhs.args[0].cond == SS
    yield "In slow start an ACK adds, by (1),", per_ack
    yield (
        "and a round brings $cwnd_i$ of them:",
        Eq(cwnd(i + 1), simplify(cwnd(i) + cwnd(i) * per_ack)),
    )


def _window_of_round(number: Expr) -> Expr:
    """The solution of (24) that starts with rho in round 1."""
    return rho * 2 ** ((number - 1) * rho)


def _data_as_sum() -> Steps:
    window = _window_of_round(i)
    assert window.subs(i, 1) == rho
    assert simplify(_window_of_round(i + 1) - EQ[24].rhs.subs(cwnd(i), window)) == 0
    yield "From $\\rho$ in the first round (24) leads to", Eq(cwnd(i), window)
    yield "All rounds up to $i$ have sent", Eq(ssdata, Sum(_window_of_round(k), (k, 1, i)))


def _data() -> Steps:
    yield (
        "The sum (25) is geometric. Times its ratio less 1, all but two terms cancel:",
        (Eq(ssdata * (2**rho - 1), _window_of_round(i + 1) - _window_of_round(1))),
    )
    # That the right side telescopes: it is 0 for no round, and grows by the term of (25).
    grown = _window_of_round(i + 1) - _window_of_round(i)
    assert simplify(grown - (2**rho - 1) * EQ[25].rhs.function.subs(k, i)) == 0
    total = (_window_of_round(i + 1) - _window_of_round(1)) / (2**rho - 1)
    yield "Divided by that factor:", Eq(ssdata, total)


def _rounds() -> Steps:
    power = symbols("q", positive=True)
    balance = EQ[26].rhs.subs(2 ** (i * rho), power)
    solution = solve(Eq(ssdata, balance), power)[0]
    yield "(26) holds the round $i$ in one power:", Eq(2 ** (i * rho), solution)
    yield "Its logarithm is the number of rounds:", Eq(i, log(solution, 2) / rho)


def _last_window() -> Steps:
    growth = 2 ** (EQ[27].rhs.subs(ssdata, d_ss) * rho)
    yield "The rounds that $d_{ss}$ segments take, by (27):", EQ[27].subs(ssdata, d_ss)
    power = symbols("q", positive=True)
    window = _window_of_round(i).expand(power_exp=True)
    yield "and the window of that round, by (24):", Eq(W_ss, _window_of_round(i))
    window = simplify(window / 2 ** (i * rho)) * power
    yield "Together:", Eq(W_ss, window.subs(power, simplify(growth)))


def _data_to_limit() -> Steps:
    yield (
        "Solved for the data at which the window (28) is $W_m$:",
        (Eq(d_1, solve(EQ[28].subs(W_ss, W_m), d_ss)[0])),
    )


def _rounds_to_limit() -> Steps:
    rounds = EQ[27].rhs.subs(ssdata, EQ[29].rhs).replace(log, lambda data: log(simplify(data)))
    yield "(27) for the data of (29):", Eq(r_1, rounds, evaluate=False)
    yield "The logarithm of a product is a sum:", Eq(r_1, expand_log(rounds, force=True).expand())


def _rounds_at_limit_of_slow_start() -> Steps:
    yield "Each further round sends $W_m$ of what is left of $d_{ss}$:", Eq(W_m * r_2, d_ss - d_1)
    yield "Solved for $r_2$:", Eq(r_2, solve(Eq(W_m * r_2, d_ss - d_1), r_2)[0])


def _slow_start() -> Steps:
    limited = EQ.substitute(R * (r_1 + r_2), 31, 30, 29)
    free = R * EQ[27].rhs.subs(ssdata, d_ss)
    yield "Where $W_{ss} > W_m$ both phases count, by (29) to (31):", limited
    yield "Where it is not, the first one alone, by (27):", free
    yield "Together:", Eq(T_ss, Piecewise((limited, W_ss > W_m), (free, True)))


def _some_loss() -> Steps:
    none = (1 - p) ** d
    yield "No segment of $d$ is lost with probability", none
    yield "and at least one with the rest of it:", Eq(l_ss, 1 - none)


def _revealed_loss() -> Steps:
    total = Sum(p * (1 - p) ** (k - 1), (k, 1, n))
    yield "The first loss is among the first $n$ segments with probability", total
    closed = simplify(total.doit())
    yield "which is", closed
    yield (
        "At least three follow it if it is among the first $n = d - 3$, and never if there are "
        "only three:",
        (Eq(l_tda, Piecewise((closed.subs(n, d - 3), d > 3), (0, True)))),
    )


def _mean_timeout() -> Steps:
    doubling = Sum(p ** (j - 1) * (1 - p) * (2**j - 1) * T_0, (j, 1, 6))
    yield "Timeouts double up to six times: $j$ of them last $(2^j - 1) T_0$,", doubling
    constant = Sum(p ** (j - 1) * (1 - p) * (63 + 64 * (j - 6)) * T_0, (j, 7, oo))
    yield "and each further one $64\\, T_0$:", constant
    sums = (summation(term * p**j, (j, 7, oo)) for term in _terms(63 + 64 * (j - 6)))
    tail = (1 - p) / p * T_0 * sum(map(_first_case, sums))
    yield "Together:", Eq(Z_TO, (doubling.doit() + tail).factor())


def _first_recovery() -> Steps:
    total = l_tda * R + (l_ss - l_tda) * Z_TO
    revealed = EQ[34].rhs.args[0].expr
    yield "A loss that duplicate ACKs reveal costs a round trip, any other one a timeout:", total
    yield "For $d > 3$ that is, by (33) and (34),", EQ.substitute(total, 33).subs(l_tda, revealed)
    yield "For any $d$, as the paper writes it first:", Eq(T_loss, total)


def _rest() -> Steps:
    yield (
        "The window in which the first loss falls is still sent; what is left goes on after it:",
        (Eq(d_ca, Piecewise((d - d_ss - W_m, W_ss > W_m), (d - d_ss - W_ss, True)))),
    )


def _transfer_time() -> Steps:
    at_limit, below = EQ[37].rhs.args[0], EQ[37].rhs.args[1]
    ends = Or(
        And(at_limit.cond, Le(d, solve(at_limit.expr, d)[0])),
        And(Not(at_limit.cond), Le(d, solve(below.expr, d)[0])),
    )
    yield "Nothing is left for the steady state where (37) is not above 0:", ends
    start = T_twhs + T_ss - R / 2
    cases = ((start, d <= d_ss), (start + T_loss, ends), (start + T_loss + T_ca, True))
    yield (
        "The last window only has to arrive, which takes half a round trip:",
        Eq(T, Piecewise(*cases)),
    )


DERIVATIONS: dict[int, Callable[[], Steps]] = {
    2: _binomial_probability,
    3: _losses,
    4: _reduction,
    5: _delivered,
    6: _growth,
    7: _growth_rounds,
    8: _segments_from_window,
    10: lambda: _throughput(5),
    11: lambda: _as_below_the_limit(3, {L: L_m, W: W_m}),
    12: lambda: _as_below_the_limit(4, {D: D_m, W: W_m}),
    13: lambda: _as_below_the_limit(5, {L: L_m, W: W_m}),
    14: lambda: _as_below_the_limit(6, {D: D_m, W: W_m, X: U}),
    15: _growth_rounds_at_limit,
    17: _segments_from_window_at_limit,
    18: _rounds_at_limit,
    19: _all_rounds,
    21: lambda: _throughput(13),
    22: _handshake,
    23: _before_first_loss,
    24: _next_round,
    25: _data_as_sum,
    26: _data,
    27: _rounds,
    28: _last_window,
    29: _data_to_limit,
    30: _rounds_to_limit,
    31: _rounds_at_limit_of_slow_start,
    32: _slow_start,
    33: _some_loss,
    34: _revealed_loss,
    35: _mean_timeout,
    36: _first_recovery,
    37: _rest,
    39: _transfer_time,
}


# How much is neglected.

LOSSES = np.array([c * 10.0**e for e in range(-6, -2) for c in (1, 2, 5)] + [1e-2])  # section 4
# Tables 1 and 2, and rtt0 of section 3.
PAPER: dict[str, Any] = {name: value("hybla", name) for name in ("rtt", "rtt0", "max_window")}
SEGMENTS = np.array([10_000.0, 50_000.0, 100_000.0])  # 10, 50 and 100 Mbytes in 1000-byte packets


def dropped_tail(window: ArrayLike, loss: ArrayLike) -> pd.DataFrame:
    """Return what (3) and (4) add by summing up to W losses where the premise stops at W - 3.

    A row for each element of the broadcast window (segments, whole, at least 4) and loss. L and D
    are the approximations (3) and (4); L_exact and D_exact stop at W - 3; L_error and D_error are
    the dropped terms over the exact sums.
    """
    window = inputs.numbers(
        "window", window, lambda x: (x >= 4) & (x == np.floor(x)), "a whole number of at least 4"
    )
    window, loss = np.broadcast_arrays(window, inputs.loss(loss))
    known = EQ.calculate((3, 4), W=window, p=loss)
    after, arrive = window[..., None] - 1, np.arange(3)  # of those that follow the first loss
    others, lost = after - arrive, loss[..., None]
    probability = special.binom(after, arrive) * lost**others * (1 - lost) ** arrive
    dropped = {
        "L": np.sum((1 + others) * probability, axis=-1),
        "D": np.sum(0.5 ** (1 + others) * probability, axis=-1),
    }
    columns = {"W": window, "p": loss}
    for name, tail in dropped.items():
        columns |= {name: known[name], f"{name}_exact": known[name] - tail}
        columns[f"{name}_error"] = tail / (known[name] - tail)
    return pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})


def slow_start_rounds(segments: float, ratio: float, max_window: float) -> float:
    """Return the rounds that (24) takes when rounds are whole, from `ratio` up to the limit.

    The last round counts with the part of its window that is needed. `segments` and `max_window`
    are in segments, `ratio` is rho. (32) divides by the round-trip time what this is compared to.
    """
    rounds, left, window = 0.0, float(segments), min(float(ratio), float(max_window))
    while left > window:
        rounds, left = rounds + 1, left - window
        window = min(window * 2.0**ratio, float(max_window))
    return rounds + left / window


def rest_of_transfer(
    segments: ArrayLike,
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
) -> pd.DataFrame:
    """Return what (37) neglects: it takes the mean first loss for the first loss.

    d_ca is (37), not below 0; d_ca_mean is the mean of what is left over all places where the first
    loss can fall; T is (39), and T_mean is (39) with d_ca_mean; error is T / T_mean - 1. A row for
    each element of the broadcast arguments, which are those of `hybla.transfer_time`.
    """
    parts = hybla.latency(segments, loss, rtt, rtt0, max_window, rto)
    path = np.broadcast_arrays(loss, rtt, rtt0, max_window, segments)
    steady = hybla.steady_state(path[0], path[1], path[2], path[3])
    # The mean of max(n - K, 0), for K segments before the first loss, is n - E[min(K, n)]: (23).
    n_rest = np.maximum(parts.d - np.minimum(parts.W_ss, steady.W_m), 0)
    mean = n_rest - EQ.calculate((23,), d=n_rest, p=steady.p)["d_ss"]
    printed = np.maximum(parts.d_ca, 0)
    time = parts["T"] + (mean - printed) / steady.B
    return pd.DataFrame(
        {
            "d": parts.d,
            "p": parts.p,
            "d_ca": printed,
            "d_ca_mean": mean,
            "T": parts["T"],
            "T_mean": time,
            "error": parts["T"] / time - 1,
        }
    )


def round_of_growth() -> tuple[tuple[str, object], ...]:
    """Derive what a round trip of congestion avoidance adds by (1), in sentences and expressions.

    The last expression is W_1, the window after the ACKs of a window W_0, of which (6) and (14) say
    W_0 + rho^2. Each expression follows from those before it by sympy.
    """
    acks = Symbol("n", positive=True)
    w_0, w_1, w = symbols("W_0 W_1 w", positive=True)
    window = Function("W")(acks)
    per_ack = EQ[1].rhs.args[1].expr - W_i
    rate = Eq(window.diff(acks), per_ack.subs(W_i, window))
    # How many ACKs lead from w_0 to w, solved for w. (`dsolve` finds the same in half a second.)
    (reached,) = solve(integrate(1 / per_ack.subs(W_i, w), (w, w_0, w)) - acks, w)
    solution = Eq(window, reached)
    after = solution.rhs.subs(acks, w_0)
    square = Eq(w_1**2, (after**2).expand())
    added = limit(after - w_0, w_0, oo)
    assert added == rho**2
    return (
        ("Equation {eq}`hybla-1` is for one ACK. Over many of them the window follows", rate),
        ("which begins at $W_0$ and has the solution", solution),
        (
            "A round trip brings as many ACKs as segments were under way at its beginning: $W_0$, "
            "and not the larger window that it grows to. So",
            square,
        ),
        (
            "Only for a window that is large beside $\\rho^2$ does this add what is printed:",
            Eq(Limit(sqrt(w_0**2 + 2 * rho**2 * w_0) - w_0, w_0, oo), added),
        ),
    )


def window_after_round(window: ArrayLike, ratio: float) -> np.ndarray:
    """Return the window after a round trip of congestion avoidance, by (1) and not by (6).

    `window` is the one before, in segments: as many ACKs arrive. `ratio` is rho.

    >>> from longfat.papers.hybla import derivation
    >>> derivation.window_after_round([72.0, 275.0], 22.0).round(1)
    array([273.6, 584.7])
    """
    window = np.asarray(window, dtype=float)
    return np.sqrt(window**2 + 2 * ratio**2 * window)


def rounds_of_growth(start: float, end: float, ratio: float) -> tuple[float, float]:
    """Return how many round trips of `window_after_round` lead from a window to another.

    And how many segments they send, which is the window at the end of each: an ACK sends what it
    acknowledges and what it adds. The last one counts with the part of its ACKs that is needed.
    """
    rounds = sent = 0.0
    while (after := float(window_after_round(start, ratio))) < end:
        rounds, sent, start = rounds + 1, sent + after, after
    acks = (end**2 - start**2) / (2 * ratio**2)
    return rounds + acks / start, sent + acks + (end - start)


class MendedCycle(NamedTuple):
    """A cycle of the model: windows in segments, times in round trips.

    W: window at the peak; L: segments lost in it; D: share of W that is left; U: round trips of
    growth; X: those and at the limit; B: throughput, segments/s.
    """

    W: float
    L: float
    D: float
    U: float
    X: float
    B: float


@functools.cache  # engines are compared with it one by one
def mended_cycle(
    loss: float, rtt: float, rtt0: float, max_window: float, mended: tuple[str, ...]
) -> MendedCycle:
    """Return the model's cycle with some of its premises mended.

    `mended` may have "halving" (once for all losses of a window, in place of (4) and (12)),
    "growth" (that of `rounds_of_growth`, in place of (6) and (14)), "count" (what a round trip of
    growth sends is the window at its end as in (8), in place of the mean in (17)), and "recovery"
    (one round trip for all losses, in place of (9) and (20)). Below the limit W is where the
    segments sent since the last loss are those of (5). With nothing mended B is `hybla.throughput`.
    """
    ratio = float(hybla.growth_ratio(rtt, rtt0))

    def cycle(peak: float) -> dict[str, float]:
        known = {k: float(v) for k, v in EQ.calculate((3, 4, 5), W=peak, p=loss).items()}
        reduced = 0.5 if "halving" in mended else known["D"]
        rounds = (1 - reduced) * peak / ratio**2
        sent = rounds * (reduced * peak + ratio**2 / 2 * (rounds + 1))
        if "growth" in mended:
            rounds, sent = rounds_of_growth(reduced * peak, peak, ratio)
        if peak == max_window and "count" not in mended:
            sent = rounds * (1 + reduced) / 2 * peak
        left = known["Y"] - peak / 2 - sent
        return known | {"W": peak, "D": reduced, "U": rounds, "left": left}

    at = cycle(float(max_window))
    almost = max_window * (1 - 1e-12)
    if cycle(almost)["left"] < 0:  # the next loss comes before the limit
        at = cycle(brentq(lambda peak: cycle(peak)["left"], 2.0, almost)) | {"left": 0.0}
    at["X"] = at["U"] + at["left"] / at["W"]
    recovery = 1 if "recovery" in mended else 2 - 1 / at["L"]
    at["B"] = at["Y"] / ((at["X"] + recovery) * rtt)
    return MendedCycle(**{name: at[name] for name in MendedCycle._fields})


def _tail_error(name: str) -> tuple[float, str]:
    tails = dropped_tail(np.arange(4, 551)[:, None], LOSSES)
    worst = tails.loc[tails[f"{name}_error"].idxmax()]
    smallest = np.floor(hybla.peak_window(LOSSES, **PAPER).min())
    used = dropped_tail(np.arange(smallest, 551)[:, None], LOSSES)[f"{name}_error"].max()
    there = f"{used:.0e}" if used > 0 else "less than a double can hold"
    return worst[f"{name}_error"], (
        f"largest at $W = {worst.W:.0f}$, $p = {worst.p:g}$, over $W$ from 4 to 550; "
        f"{there} at the model's own windows, {smallest:.0f} to 550"
    )


def _growth_error() -> tuple[float, str]:
    window, ratio = PAPER["max_window"] / 2, PAPER["rtt"] / PAPER["rtt0"]
    added = float(window_after_round(window, ratio)) - window
    return ratio**2 / added - 1, (
        f"after a halving from the limit: the ACKs of a window of {window:.0f} add {added:.0f} "
        f"segments, and not {ratio**2:.0f}; larger for smaller windows"
    )


def _whole_rounds_error() -> tuple[float, str]:
    states = hybla.steady_state(LOSSES, **PAPER).query("regime == 1")
    whole = np.floor(states.X)
    part = states.X - whole
    start, ratio = states.D * states.W, states.rho**2
    sent = whole * (start + ratio * (whole + 1) / 2) + part * (start + ratio * (whole + 1))
    error = (states.Y - states.W / 2) / sent - 1
    worst = int(error.abs().idxmax())
    return abs(error[worst]), (
        f"of what growth sends, at a loss of {number(states.p[worst])}, where the sum runs over "
        f"{states.X[worst]:.2f} of a round trip"
    )


def _mean_window_error() -> tuple[float, str]:
    path = (PAPER["rtt"], PAPER["rtt0"], PAPER["max_window"])
    losses = LOSSES[hybla.regime(LOSSES, *path) == 2]
    counted = np.array([mended_cycle(loss, *path, ("count",)).B for loss in losses])
    error = hybla.throughput(losses, *path) / counted - 1
    worst = int(np.abs(error).argmax())
    return abs(error[worst]), (
        f"of $B$, at a loss of {number(losses[worst])}, if a round trip of growth counts with the "
        "window at its end as in (8)"
    )


def _slow_start_error() -> tuple[float, str]:
    ratio, limit = PAPER["rtt"] / PAPER["rtt0"], PAPER["max_window"]
    whole = np.array([slow_start_rounds(size, ratio, limit) for size in SEGMENTS])
    real = hybla.latency(SEGMENTS, 0, rto=1.0, **PAPER)["T_ss"] / PAPER["rtt"]
    error = np.abs(real / whole - 1)
    worst = int(np.argmax(error))
    return error[worst], (
        f"rounds are whole: {whole[worst]:.2f} against {real[worst]:.2f} for "
        f"{SEGMENTS[worst]:.0f} segments without loss"
    )


def _rest_error() -> tuple[float, str]:
    table = rest_of_transfer(SEGMENTS[:, None], LOSSES, rto=1.0, **PAPER)
    worst = table.loc[table.error.abs().idxmax()]
    return abs(worst.error), (
        f"of $T$, at $d = {worst.d:.0f}$ and a loss of {number(worst.p)}, where {worst.d_ca:.0f} "
        f"segments are left by (37) and {worst.d_ca_mean:.0f} on average"
    )


APPROXIMATIONS: dict[int, Callable[[], tuple[float, str]]] = {
    3: lambda: _tail_error("L"),
    4: lambda: _tail_error("D"),
    6: _growth_error,
    8: _whole_rounds_error,
    11: lambda: _tail_error("L"),
    12: lambda: _tail_error("D"),
    17: _mean_window_error,
    32: _slow_start_error,
    37: _rest_error,
}

REASONS = {
    1: "The algorithm: growth for each ACK in slow start (SS) and congestion avoidance (CA).",
    3: "The sum may go on to $W$ losses instead of $W - 3$.",
    4: "The sum may go on to $W$ losses instead of $W - 3$.",
    5: "The cited model of Reno counts $W - 1$ segments after the first lost one, this one $W$.",
    6: "Holds where each ACK of a round trip finds the window with which it began, which grows.",
    8: "$X$ is treated as whole, and a round counts with the window at its end; (17) takes the "
    r"mean over the round, which is $\rho^2 X / 2$ segments less.",
    9: "A premise: recovery lasts a round trip, and $1 - 1/L$ more for further losses under SACK.",
    11: "(3) at $W_m$.",
    12: "(4) at $W_m$.",
    13: "(5) at $W_m$.",
    16: "A name for the sum.",
    17: "Holds where a round trip of growth sends the mean of its window, but an ACK releases what "
    "it acknowledges and what it adds: that is the window at the end.",
    20: "(9) at $W_m$.",
    22: "Only the SYN can be lost, and only $p < 1/2$ has a mean.",
    32: "Follows from (27) and (29) to (31), but rounds of slow start are not fractions.",
    35: "Holds for the timeout of a sequence that doubles six times (Padhye et al.).",
    37: "Follows with the mean first loss; the mean over first losses is larger, so that $T$ is "
    "too short where losses are rare.",
    38: "A premise: the rest goes at the pace of the steady state.",
}


LEDGER = Ledger(
    EQ, NAMES, DERIVATIONS, printed=PRINTED, approximations=APPROXIMATIONS, reasons=REASONS
)
derive = LEDGER.derive
ledger = LEDGER.table
