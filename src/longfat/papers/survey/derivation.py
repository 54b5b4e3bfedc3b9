"""The derivation of each equation of the survey's chapter, carried out by sympy.

`derive(n)` goes from the paper's premises and earlier equations to equation (n), step by step;
`ledger()` runs all of them and says how each stood up. The numbers are ours (see
`longfat.papers.survey`).
"""

from collections.abc import Callable

from sympy import (
    Eq,
    Expr,
    Integral,
    Min,
    Rational,
    Sum,
    Symbol,
    log,
    powdenest,
    simplify,
    solve,
    sqrt,
    symbols,
)

from longfat.papers.ledger import Ledger, Steps
from longfat.papers.survey import equations as survey
from longfat.papers.survey.equations import (
    B_S,
    EQ,
    PRINTED,
    SCALABLE,
    A,
    C,
    D,
    G,
    M,
    N,
    P,
    R,
    T_ca,
    T_loss,
    T_lss,
    T_ss,
    W,
    W_i,
    W_next,
    X,
    Y,
    Z,
    a,
    b,
    c,
    d,
    g_t,
    gamma,
    k,
    m,
    p,
    p_L,
    q,
    s,
    w,
    w_0,
    w_i,
    w_L,
    w_next,
)

NAMES = {
    1: "slow start, for each ACK",
    2: "congestion avoidance, for each ACK",
    3: "duration of a cycle",
    4: "mean throughput of the sawtooth",
    5: "data of a cycle",
    6: "loss rate of the sawtooth",
    7: "throughput by loss rate, in full",
    8: "throughput by loss rate",
    9: "window that fills a path: the bandwidth-delay product",
    10: "growth in congestion avoidance",
    11: "loss rate that a throughput allows",
    12: "time between two losses",
    13: "throughput through a socket buffer",
    14: "AIMD: increase for each ACK",
    15: "AIMD: decrease for each loss",
    16: "AIMD: standard TCP",
    17: "AIMD: HSTCP",
    18: "AIMD: Scalable TCP",
    19: "AIMD: round trips of a cycle",
    20: "AIMD: mean window",
    21: "AIMD: loss rate by peak window",
    22: "AIMD: response function",
    23: "throughput by mean window",
    24: "throughput with delayed ACKs",
    25: "throughput of N connections",
    26: "HSTCP: exponent of the response function (RFC 3649, section 5)",
    27: "HSTCP: response function (RFC 3649, section 5)",
    28: "HSTCP: loss rate by window (RFC 3649, section 5)",
    29: "HSTCP: decrease b(w) (RFC 3649, section 5)",
    30: "HSTCP: increase a(w) (RFC 3649, section 5)",
    31: "time between two losses, by window",
    32: "Scalable TCP: round trips of a cycle",
    33: "Scalable TCP: loss rate by peak window",
    34: "Scalable TCP: mean window",
    35: "Scalable TCP: response function",
    36: "Scalable TCP: recovery time",
    37: "FAST TCP: update of the window (Jin, Wei and Low 2004)",
    38: "FAST TCP: equilibrium",
    39: "FAST TCP: queueing delay of N flows",
    40: "FAST TCP: the way to the equilibrium",
    41: "slow start up to a window",
    42: "congestion avoidance from half a window",
    43: "limited slow start up to a window (RFC 3742)",
    44: "overhead of headers",
    45: "measure of the Land Speed Record",
}

# What an equation that is a definition says, for those who read it in the book.
MEANINGS = {
    1: "Each ACK adds a full segment to the window:",
    14: "An ACK adds $A$ segments:",
    15: "A loss takes the part $B$:",
    16: "In standard TCP the ACKs of a round trip add one segment together, and $B = 1/2$:",
    17: "In HSTCP they add $a(w_i)$ segments together, and $B = b(w_i)$, by the window:",
    18: "In Scalable TCP each ACK adds the same, and $B = 1/8$:",
    23: "A mean window $w$ of segments is sent once a round trip:",
    26: "The slope of the line through the two points, in logarithms:",
    27: "The line itself, the mean window that a loss rate is to leave:",
    29: "The part that a loss takes falls evenly with the logarithm of the window, from a half at "
    "$w_L$ to $b_H$ at $w_H$:",
    36: "A cycle of (32) in seconds. Unlike (42) it is the same for every window:",
    37: "Once every other round trip the window moves towards the one that leaves $\\alpha$ "
    "segments in the queue, but never beyond twice its size:",
    44: "Headers take this part of a packet:",
    45: "The measure of the record:",
}

t, x = symbols("t x", positive=True)
n = Symbol("n", integer=True, positive=True)
# The sawtooth: one loss a cycle, the window between W/2 and W.


def _per_ack() -> Steps:
    acks = W_i / M
    yield "A window of $W_i$ bytes is so many segments, and each brings an ACK:", acks
    yield "All of them together are to add one segment, so that each adds its part:", M / acks
    yield "One ACK therefore makes of the window", Eq(W_next, W_i + M / acks)


def _cycle() -> Steps:
    balance = Eq(M * Z / R, W - W / 2)
    yield (
        "In a cycle of $Z$ seconds there are $Z/R$ round trips, each adds a segment, and together "
        "they make up for the half that the loss took:",
        balance,
    )
    yield "Hence a cycle lasts", Eq(Z, solve(balance, Z)[0])


def _mean_throughput() -> Steps:
    mean = Integral(W / 2 + W / 2 * t / Z, (t, 0, Z)) / Z
    yield "The window climbs evenly from $W/2$ to $W$, so that its mean over a cycle is", mean
    yield (
        "three quarters of the peak. One such window is sent a round trip:",
        Eq(B_S, simplify(mean.doit()) / R),
    )


def _cycle_data() -> Steps:
    yield "A cycle carries its throughput times its duration:", Eq(Y, B_S * Z)
    yield "with both of them from above", Eq(Y, EQ.substitute(B_S * Z, 3, 4))


def _loss_rate() -> Steps:
    yield "One of the cycle's $Y/M$ segments is lost, so the share that is lost is", Eq(p, M / Y)
    yield "which depends on the peak alone:", Eq(p, EQ.substitute(M / Y, 5))


def _throughput_in_full() -> Steps:
    peak = solve(EQ[6], W)[0]
    yield "Read backwards, a share $p$ of losses lets the window climb to", Eq(W, peak)
    yield "and three quarters of that are sent a round trip:", Eq(B_S, EQ[4].rhs.subs(W, peak))


def _throughput() -> Steps:
    ratio = simplify(EQ[7].rhs * sqrt(p) * R / M)
    yield (
        r"The paper leaves the numbers in front of (7) as they come, and in (8) has one for them. "
        r"It is $\sqrt{3/2}$, about 1.22, which the paper rounds to 1.2:",
        ratio,
    )
    yield "So the throughput is", Eq(B_S, ratio * M / (sqrt(p) * R))


# Why the throughput does not rise.


def _full_pipe() -> Steps:
    balance = Eq(W / R, C)
    yield "A window is sent a round trip; it fills the path where that is the path's rate:", balance
    yield "so it must hold as much as the path does:", Eq(W, solve(balance, W)[0])


def _growth() -> Steps:
    per_ack = EQ[2].rhs - W_i
    yield "By (2) the $W_i/M$ ACKs of a round trip add together", W_i / M * per_ack
    yield "one segment, whatever the window. In time:", Eq(g_t, simplify(W_i / M * per_ack) / R)


def _allowed_loss() -> Steps:
    yield "Solved for the loss, (8) says what a throughput can bear:", Eq(p, solve(EQ[8], p)[0])


def _interval() -> Steps:
    yield "Between two losses lie $1/p$ segments, sent at $S/M$ a second:", 1 / p / (B_S / M)
    yield "that is, a time of", Eq(T_loss, 1 / p / (B_S / M))


def _buffer() -> Steps:
    yield (
        "What is sent must be kept until its ACK is there, a round trip later, so the window is "
        "never larger than the buffer $G$:",
        Eq(W, G),
    )
    yield "and the throughput never larger than", Eq(B_S, (W / R).subs(W, G))


# AIMD in general.


def _rounds() -> Steps:
    balance = Eq(P * (1 - b) + a / d * X, P)
    yield (
        "A loss leaves $(1-b)P$; with an ACK for $d$ segments a round trip adds $a/d$, and after "
        "$X$ of them the window is back at its peak:",
        balance,
    )
    yield "That takes", Eq(X, solve(balance, X)[0])


def _mean_window() -> Steps:
    mean = Integral(P * (1 - b) + b * P * t / X, (t, 0, X)) / X
    yield "The window is a straight line from $(1-b)P$ to $P$, with the mean", mean
    yield "halfway between the two:", Eq(w, simplify(mean.doit()))


def _peak_loss() -> Steps:
    yield (
        "A cycle of $X$ round trips with the mean window $w$ loses one segment:",
        Eq(p, 1 / (X * w)),
    )
    yield "With both from above", Eq(p, simplify(EQ.substitute(1 / (X * w), 20, 19)))


def _response() -> Steps:
    peak = solve(EQ[20], P)[0]
    yield "The peak is larger than the mean window, by (20)", Eq(P, peak)
    balance = Eq(p, simplify(EQ[21].rhs.subs(P, peak)))
    yield "so that the loss by the mean window is", balance
    yield "and the mean window by the loss", Eq(w, solve(balance, w)[0])


def _delayed() -> Steps:
    yield (
        "Standard TCP adds one segment ($a=1$) and halves ($b=1/2$), so its mean window is",
        EQ[22].subs({a: 1, b: Rational(1, 2)}),
    )
    rate = EQ.substitute(EQ[23].rhs, 22).subs({a: 1, b: Rational(1, 2)})
    yield "and by (23) its throughput", Eq(B_S, simplify(rate))


def _parallel() -> Steps:
    one = EQ[24].rhs.subs(d, 1)
    yield "One connection with an ACK for each segment has", one
    yield (
        "and $N$ of them, which each lose with the same probability, have $N$ times as much:",
        Eq(B_S, N * one),
    )


# HSTCP.


def _loss_by_window() -> Steps:
    balance = Eq(log(w / w_L), s * log(p / p_L))
    yield "In logarithms (27) is a straight line:", balance
    yield (
        "Read the other way it gives the loss:",
        Eq(p, powdenest(solve(balance, p)[0], force=True)),
    )


def _increase() -> Steps:
    balance = EQ[22].subs(d, 1)
    yield (
        "The response function (22), with an ACK for each segment, ties the increase to window and "
        "loss:",
        balance,
    )
    yield (
        "so the response that is wanted asks for the increase",
        Eq(a, simplify(solve(balance, a)[0])),
    )


def _interval_by_window() -> Steps:
    yield "Equation (12), with the throughput of a mean window $w$:", EQ.substitute(EQ[12].rhs, 23)
    yield (
        "Between two losses lie $1/p$ segments, $w$ of them a round trip:",
        Eq(T_loss, EQ.substitute(EQ[12].rhs, 23)),
    )


# Scalable TCP: a round trip multiplies the window by 1 + A.


def _scalable_rounds() -> Steps:
    balance = Eq(P * (1 - b) * (1 + A) ** X, P)
    yield (
        "Each of a window's $w$ ACKs adds $A$, so that a round trip multiplies the window by "
        "$1+A$; after $X$ of them the loss is made up for:",
        balance,
    )
    solution = solve(log(1 - b) + X * log(1 + A), X)[0]
    yield "In logarithms that takes", Eq(X, solution)
    yield "or, with the sign inside,", Eq(X, log(1 / (1 - b)) / log(1 + A))


def _scalable_data() -> Expr:
    """Segments of a cycle: windows P (1 - b) (1 + A)^j of round trips j = 0 ... X - 1."""
    j = Symbol("j", integer=True, nonnegative=True)
    ratio = symbols("r", positive=True)
    total = Sum(ratio**j, (j, 0, n - 1)).doit()
    closed = next(piece.expr for piece in total.args if piece.cond != Eq(ratio, 1))
    return P * (1 - b) * simplify(closed.subs(ratio**n, 1 / (1 - b)).subs(ratio, 1 + A))


def _scalable_loss() -> Steps:
    j = Symbol("j", integer=True, nonnegative=True)
    yield (
        "The windows of a cycle grow like interest, and it sends",
        Sum(P * (1 - b) * (1 + A) ** j, (j, 0, X - 1)),
    )
    total = simplify(_scalable_data())
    yield "segments, a geometric sum that ends where $(1-b)(1+A)^X=1$:", total
    yield "One of them is lost, so that", Eq(p, simplify(1 / total))


def _scalable_mean() -> Steps:
    total = simplify(_scalable_data())
    yield "The mean window is a cycle's segments over its round trips:", total / X
    yield "that is,", Eq(w, simplify(total / X))


def _scalable_response() -> Steps:
    peak = solve(EQ[33], P)[0]
    yield "By (33) a loss rate of $p$ means a peak of", Eq(P, peak)
    yield "and by (34) a mean window of", Eq(w, simplify(EQ[34].rhs.subs(P, peak)))
    yield (
        "With the round trips of (32) the peak is gone, and so is every unknown:",
        Eq(w, simplify(EQ[34].rhs.subs(P, peak)).subs(X, EQ[32].rhs)),
    )


# FAST TCP.


def _relaxed(window: Expr) -> Expr:
    """The second argument of the minimum in (37)."""
    relaxed = next(part for part in EQ[37].rhs.args if part.has(gamma))
    assert EQ[37].rhs == Min(2 * w_i, relaxed)
    return relaxed.subs(w_i, window)


def _fast_equilibrium() -> Steps:
    fixed = Eq(w, _relaxed(w))
    yield "The window stays where an update gives it back:", fixed
    yield "which it does at", Eq(w, simplify(solve(fixed, w)[0]))


def _fast_queue() -> Steps:
    balance = Eq(N * EQ[38].rhs / (D + q), c)
    yield (
        "$N$ such windows a round trip are all that a link of $c$ segments a second can carry:",
        balance,
    )
    yield "so the delay in its queue is", Eq(q, solve(balance, q)[0])


def _fast_way() -> Steps:
    queue = w_i / c - D
    yield (
        "One flow alone finds as its queueing delay what its own window has too much for the pipe:",
        Eq(q, queue),
    )
    step = simplify(_relaxed(w_i).subs(q, queue))
    yield "With that an update is", Eq(w_next, step)
    fixed = solve(Eq(w, step.subs(w_i, w)), w)[0]
    yield "It stays where the pipe is full and $\\alpha$ segments wait:", Eq(w, fixed)
    factor = simplify((step - fixed) / (w_i - fixed))
    yield "The distance from there shrinks at each update by the factor", factor
    yield "so after $k$ updates the window is", Eq(w_i, fixed + (w_0 - fixed) * factor**k)


# Filling a pipe.


def _slow_start() -> Steps:
    balance = Eq(w_0 * (1 + 1 / d) ** x, w)
    yield "A round trip brings $w/d$ ACKs, and each adds a segment; after $x$ round trips", balance
    logarithm = Eq(log(w / w_0), x * log(1 + 1 / d))
    yield "or, in logarithms,", logarithm
    yield "so that it takes", Eq(T_ss, R * logarithm.lhs / (logarithm.rhs / x))


def _avoidance() -> Steps:
    balance = Eq(w / 2 + x / d, w)
    yield "A round trip adds $1/d$ segments; from the half, after $x$ round trips,", balance
    yield "so that it takes", Eq(T_ca, R * solve(balance, x)[0])


def _limited() -> Steps:
    first = EQ[41].rhs.subs({d: 1, w: m})
    yield "Up to the window $m$ it is slow start, which takes", first
    balance = Eq(m + m / 2 * x, w)
    yield "From there on a round trip adds $m/2$ segments; after $x$ more", balance
    second = R * 2 * (w - m) / m
    assert simplify(second - R * solve(balance, x)[0]) == 0
    yield "Together", Eq(T_lss, R * (first / R + second / R))


DERIVATIONS: dict[int, Callable[[], Steps]] = {
    2: _per_ack,
    3: _cycle,
    4: _mean_throughput,
    5: _cycle_data,
    6: _loss_rate,
    7: _throughput_in_full,
    8: _throughput,
    9: _full_pipe,
    10: _growth,
    11: _allowed_loss,
    12: _interval,
    13: _buffer,
    19: _rounds,
    20: _mean_window,
    21: _peak_loss,
    22: _response,
    24: _delayed,
    25: _parallel,
    28: _loss_by_window,
    30: _increase,
    31: _interval_by_window,
    32: _scalable_rounds,
    33: _scalable_loss,
    34: _scalable_mean,
    35: _scalable_response,
    38: _fast_equilibrium,
    39: _fast_queue,
    40: _fast_way,
    41: _slow_start,
    42: _avoidance,
    43: _limited,
}


def _constant_error() -> tuple[float, str]:
    exact = float(sqrt(Rational(3, 2)))
    return abs(survey.PRINTED_CONSTANT / exact - 1), r"the paper computes with 1.2 for $\sqrt{3/2}$"


def _scalable_error() -> tuple[float, str]:
    exact = float(survey.mean_window("scalable", 1e-6))
    short = SCALABLE["A"] / (SCALABLE["b"] * 1e-6)
    return abs(short / exact - 1), "the usual short form is $A / (b p)$, at every $p$"


APPROXIMATIONS: dict[int, Callable[[], tuple[float, str]]] = {
    8: _constant_error,
    35: _scalable_error,
}

REASONS = {
    1: "The algorithm.",
    4: "A loss at the peak costs the halving and no time.",
    8: "Exact under the paper's premises, one loss a cycle at equal distances; 1.2 is rounded.",
    9: "The paper has it as a necessary condition.",
    13: "A window that cannot be larger than the buffer, once a round trip.",
    14: "The algorithm, in general.",
    15: "The algorithm, in general.",
    16: "In segments; $B = 1/2$.",
    17: "In segments; $B = b(w)$.",
    18: "In segments, for each ACK; $B = 1/8$.",
    26: "The line through two points in logarithms.",
    27: "The RFC's choice, from which $a(w)$ follows.",
    29: "The RFC's choice.",
    30: "With $b$ held through the cycle.",
    35: "Exact for whole round trips; the usual short form leaves out the growth during a cycle.",
    36: "It does not depend on the window.",
    37: "The algorithm, once every other round trip.",
    40: "While the doubling of (37) does not bind.",
    43: "RFC 3742 rounds $2 w / m$ down, which whole steps do not notice.",
}


LEDGER = Ledger(
    EQ, NAMES, DERIVATIONS, printed=PRINTED, approximations=APPROXIMATIONS, reasons=REASONS
)
derive = LEDGER.derive
ledger = LEDGER.table
