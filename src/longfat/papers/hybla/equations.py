"""TCP Hybla: steady-state throughput and transfer time (paper: hybla).

Windows and data are in segments, times in seconds; p is the probability that a segment is lost.
`EQ[n]` is equation (n) in the form that holds; where the paper prints something else, `PRINTED[n]`
has that. The derivation of each is in `longfat.papers.hybla.derivation`.
"""

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import elementwise
from sympy import And, Expr, Function, Or, Piecewise, S, Sum, binomial, diff, log, symbols

from longfat.errors import InputError
from longfat.papers import inputs
from longfat.papers.ledger import Eq, Equations, Printed, numeric

# What is given.
p, R, rho, W_m, d = symbols("p R rho W_m d", positive=True)  # loss, RTT, RTT/RTT_0, limit, data
T_0, T_s = symbols("T_0 T_s", positive=True)  # first retransmission timeout, SYN timeout

# Section 3.1: one cycle of congestion avoidance and fast recovery.
W, L, D, X, Y, B = symbols("W L D X Y B", positive=True)
A = symbols("A", positive=True)  # the cycle's duration; A(W, m) below is something else
L_m, D_m, U, V = symbols("L_m D_m U V", positive=True)
loss_count = Function("A")  # A(W, m): probability that m of the W segments at the peak are lost

# Section 3.2: from the handshake to the last segment.
d_ss, d_ca, d_1, r_1, r_2, W_ss = symbols("d_ss d_ca d_1 r_1 r_2 W_ss", positive=True)
l_ss, l_tda, Z_TO = symbols("l_ss l_tda Z_TO", nonnegative=True)
T_twhs, T_ss, T_loss, T_ca, T = symbols("T_twhs T_ss T_loss T_ca T", positive=True)
cwnd = Function("cwnd")  # of the round of slow start
ssdata = symbols("ssdata_i", positive=True)  # what has been sent by the end of round i

W_i, W_next = symbols("W_i W_{i+1}", positive=True)
SS, CA = symbols("SS CA")  # slow start, congestion avoidance
i, k, m = symbols("i k m", integer=True, positive=True)

EQ = Equations("hybla")

# Section 2: the algorithm, for each ACK.
EQ[1] = Eq(W_next, Piecewise((W_i + 2**rho - 1, SS), (W_i + rho**2 / W_i, CA)))

# Section 3.1.1: the peak of the window stays below the limit.
EQ[2] = Eq(loss_count(W, m), binomial(W - 1, m - 1) * (1 - p) ** (W - m) * p ** (m - 1))
EQ[3] = Eq(L, 1 + p * (W - 1))  # losses in the window of the peak
EQ[4] = Eq(D, (2 - p) ** (W - 1) / 2**W)  # what is left of the window after them
EQ[5] = Eq(Y, 1 / p + W - L)  # segments delivered in a cycle, counted from the losses
EQ[6] = Eq(W, D * W + rho**2 * X)
EQ[7] = Eq(X, (1 - D) / rho**2 * W)  # round trips of congestion avoidance
EQ[8] = Eq(Y, X * (D * W + rho**2 / 2 * (X + 1)) + W / 2)  # the same, from the window's growth
EQ[9] = Eq(A, (X + 1 + (1 - 1 / L)) * R)
EQ[10] = Eq(B, (1 / p + W - L) / A)

# Section 3.1.2: the peak reaches the limit W_m and stays there for V round trips.
EQ[11] = Eq(L_m, 1 + p * (W_m - 1))
EQ[12] = Eq(D_m, (2 - p) ** (W_m - 1) / 2**W_m)
EQ[13] = Eq(Y, 1 / p + W_m - L_m)
EQ[14] = Eq(W_m, D_m * W_m + rho**2 * U)
EQ[15] = Eq(U, (1 - D_m) / rho**2 * W_m)
EQ[16] = Eq(X, U + V)
EQ[17] = Eq(Y, (D_m + 1) * W_m * U / 2 + W_m * V + W_m / 2)
EQ[18] = Eq(V, 1 / (p * W_m) + S.Half - L_m / W_m - (1 - D_m**2) / (2 * rho**2) * W_m)
EQ[19] = Eq(X, 1 / (p * W_m) + S.Half - L_m / W_m + (1 - D_m) ** 2 / (2 * rho**2) * W_m)
EQ[20] = Eq(A, (X + 1 + (1 - 1 / L_m)) * R)
EQ[21] = Eq(B, (1 / p + W_m - L_m) / A)

# Section 3.2.1: the handshake.
EQ[22] = Eq(T_twhs, R + T_s * ((1 - p) / (1 - 2 * p) - 1))

# Section 3.2.2: the first slow start.
EQ[23] = Eq(d_ss, (1 - (1 - p) ** d) * (1 - p) / p)  # segments before the first loss
EQ[24] = Eq(cwnd(i + 1), 2**rho * cwnd(i))
EQ[25] = Eq(ssdata, Sum(2 ** ((k - 1) * rho) * rho, (k, 1, i)))
EQ[26] = Eq(ssdata, rho * (2 ** (i * rho) - 1) / (2**rho - 1))
EQ[27] = Eq(i, log(ssdata * (2**rho - 1) / rho + 1, 2) / rho)
EQ[28] = Eq(W_ss, d_ss * (2**rho - 1) / 2**rho + rho / 2**rho)
EQ[29] = Eq(d_1, (2**rho * W_m - rho) / (2**rho - 1))
EQ[30] = Eq(r_1, log(W_m / rho, 2) / rho + 1)
EQ[31] = Eq(r_2, (d_ss - d_1) / W_m)
EQ[32] = Eq(
    T_ss,
    Piecewise(
        (
            R * (log(W_m / rho, 2) / rho + 1 + (d_ss - (2**rho * W_m - rho) / (2**rho - 1)) / W_m),
            W_ss > W_m,
        ),
        (R * log(d_ss * (2**rho - 1) / rho + 1, 2) / rho, True),
    ),
)

# Section 3.2.3: the first loss.
EQ[33] = Eq(l_ss, 1 - (1 - p) ** d)  # some segment is lost
EQ[34] = Eq(l_tda, Piecewise((1 - (1 - p) ** (d - 3), d > 3), (0, True)))  # with three to follow
EQ[35] = Eq(
    Z_TO,
    T_0 * (1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6) / (1 - p),
)
EQ[36] = Eq(T_loss, (l_ss - l_tda) * Z_TO + l_tda * R)

# Section 3.2.4: the rest.
EQ[37] = Eq(d_ca, Piecewise((d - d_ss - W_m, W_ss > W_m), (d - d_ss - W_ss, True)))
EQ[38] = Eq(T_ca, d_ca / B)

# Section 3.2.5: all of it.
EQ[39] = Eq(
    T,
    Piecewise(
        (T_twhs + T_ss - R / 2, d <= d_ss),
        (
            T_twhs + T_ss + T_loss - R / 2,
            Or(And(W_ss > W_m, d <= d_ss + W_m), And(W_ss <= W_m, d <= d_ss + W_ss)),
        ),
        (T_twhs + T_ss + T_loss + T_ca - R / 2, True),
    ),
)


PRINTED = {
    14: Printed(
        Eq(W_m, D_m * W + rho**2 * U),
        "The window shrinks from $W_m$, so $W$ must be $W_m$: only then does (15) follow. What a "
        "round trip adds is that of (6), an approximation.",
    ),
    34: Printed(
        Eq(l_tda, 1 - (1 - p) ** (d - 3)),
        "For one or two segments it is a negative probability: three can never follow, so it is 0.",
    ),
    39: Printed(
        EQ[39].subs(d <= d_ss, d < d_ss),
        "$d_{ss} < d$ for every $p > 0$, so the first case is never taken; it belongs to $p = 0$, "
        "where $d_{ss} = d$.",
    ),
}

# Variants for comparison, which are not the paper's.
# (4) and (12) halve the window for each loss of a window. A sender with SACK, which (9) assumes,
# halves it once in a recovery, however many segments were lost (RFC 6675, section 5).
HALVED_ONCE = EQ.replaced({4: Eq(D, S.Half), 12: Eq(D_m, S.Half)})
# (8) with the mean window of each round, as (17) has it: the two cases then meet.
EVEN_GROWTH = EQ.replaced({8: Eq(Y, X * (D * W + rho**2 / 2 * X) + W / 2)})

BELOW_LIMIT = (3, 4, 7, 5, 9, 10)  # the order of calculation from W, section 3.1.1
AT_LIMIT = (11, 12, 13, 15, 18, 16, 20, 21)  # and from W_m, section 3.1.2
TRANSFER = (22, 23, 28, 32, 33, 34, 35, 36, 37, 38, 39)  # and from B, section 3.2

# Loss 0 is calculated as this: far below what changes a double, far above what overflows.
_NO_LOSS = 1e-100
# 2**rho, the growth of slow start in a round, must fit a double.
_LARGEST_RHO = 1000


def growth_ratio(rtt: ArrayLike, rtt0: ArrayLike) -> np.ndarray:
    """Return rho = max(rtt / rtt0, 1), both times in seconds; the arguments broadcast.

    The paper (section 3) defines rtt / rtt0; that a faster connection than the reference grows like
    the reference is from Hybla's authors (Caini and Firrincieli 2004), and in Linux.
    Raises InputError for times that are not above 0 and a ratio above 1000.

    >>> from longfat.papers import hybla
    >>> float(hybla.growth_ratio(rtt=0.55, rtt0=0.025))
    22.0
    """
    ratio = inputs.positive("rtt", rtt, "s") / inputs.positive("rtt0", rtt0, "s")
    inputs.numbers("rtt / rtt0", ratio, lambda x: x <= _LARGEST_RHO, f"at most {_LARGEST_RHO}")
    return np.maximum(ratio, 1.0)


def window_equation(equations: Equations = EQ) -> Expr:
    """Return what must be 0 at the peak W of the window: (8) minus (5), with (7), (4) and (3).

    For 0 < p < 1 it has exactly one root W > 0: it is negative at 0, and its slope in W is
    negative at most up to some window and positive from there on.
    """
    return equations.substitute(equations[8].rhs - equations[5].rhs, 7, 4, 3)


def peak_window(
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike = np.inf,
    equations: Equations = EQ,
) -> np.ndarray:
    """Return the expected window at the peak of a cycle, in segments.

    It is the root of `window_equation` where that lies below `max_window` (segments), otherwise
    `max_window`. Times are in seconds; all arguments broadcast; the result has their shape.
    Source: paper hybla, section 3.1. Raises InputError for values out of range.

    >>> from longfat.papers import hybla
    >>> hybla.peak_window([1e-5, 1e-3], rtt=0.55, rtt0=0.025, max_window=550).round(1)
    array([550., 550.])
    """
    loss = inputs.loss(loss)
    max_window = inputs.at_least_one("max_window", max_window, "segment", infinite=True)
    loss, ratio, max_window = np.broadcast_arrays(loss, growth_ratio(rtt, rtt0), max_window)
    peak = _peak(np.maximum(loss, _NO_LOSS), ratio, max_window, equations)
    return np.where(loss == 0, max_window, peak)[()]


def _peak(loss: Any, ratio: Any, max_window: Any, equations: Any) -> Any:
    """`peak_window` for checked arrays of one shape, with all losses above 0."""
    # D <= 1 / (2 - p) makes the window equation at least slope W^2 - W / 2 - 1 / p, which is
    # positive from this window on.
    slope = (1 - 1 / (2 - loss) ** 2) / (2 * ratio**2)
    upper = (1 / 2 + np.sqrt(1 / 4 + 4 * slope / loss)) / (2 * slope)
    upper = np.minimum(upper, max_window)
    excess = numeric(window_equation(equations))  # alphabetical: W, p, rho
    root = elementwise.find_root(excess, (np.zeros_like(upper), upper), args=(loss, ratio))
    return np.where(excess(upper, loss, ratio) > 0, root.x, max_window)


def regime(
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    equations: Equations = EQ,
) -> np.ndarray:
    """Return 1 where the window's peak stays below `max_window`, 2 where it reaches it.

    These are the two cases of section 3.1 of the paper; arguments as in `throughput`.
    """
    return np.where(peak_window(loss, rtt, rtt0, max_window, equations) < max_window, 1, 2)[()]


def throughput(
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    equations: Equations = EQ,
    model: Literal["printed", "renewal"] = "printed",
) -> np.ndarray:
    """Return the steady-state throughput B in segments/s (paper hybla, equations 2 to 21).

    loss: probability that a segment is lost, 0 <= loss < 1; at 0 it is max_window / rtt.
    rtt, rtt0: round-trip times of the connection and of the reference, s.
    max_window: the largest congestion window, segments, at least 1.
    equations: the paper's, or a variant of them such as `HALVED_ONCE`.
    model: "renewal" is ours, with the windows' distribution (`longfat.papers.hybla.renewal`).
    Loss, times and window broadcast; the result has their shape.

    Below the limit, (10) holds, at the limit (21). The two do not meet: (8) counts a round of
    congestion avoidance at its end, (17) at its middle, so B jumps where the peak reaches the
    limit, and it is not monotone there. `regime_jump` says where and how far.
    Raises InputError for values out of range.

    >>> from longfat.papers import hybla
    >>> hybla.throughput([0, 1e-4, 1e-2], rtt=0.55, rtt0=0.025, max_window=550).round(1)
    array([1000. ,  964.7,  324.8])
    """
    if model == "renewal":
        from longfat.papers.hybla import renewal

        return renewal.throughput(loss, rtt, rtt0, max_window)
    if model != "printed":
        raise InputError(f"model is '{model}': it must be printed or renewal")
    return _steady(loss, rtt, rtt0, max_window, equations)["B"]


def _steady(loss: Any, rtt: Any, rtt0: Any, max_window: Any, equations: Any) -> Any:
    """All quantities of section 3.1 by name, in arrays of one shape."""
    loss = inputs.loss(loss)
    max_window = inputs.at_least_one("max_window", max_window, "segment")
    ratio = growth_ratio(rtt, rtt0)
    loss, rtt, ratio, max_window = np.broadcast_arrays(
        np.maximum(loss, _NO_LOSS), np.asarray(rtt, dtype=float), ratio, max_window
    )
    peak = _peak(loss, ratio, max_window, equations)
    given = {"p": loss, "R": rtt, "rho": ratio, "W_m": max_window}
    below = equations.calculate(BELOW_LIMIT, W=peak, **given)
    at = equations.calculate(AT_LIMIT, **given)
    below |= {"U": below["X"], "V": np.zeros_like(peak)}
    at |= {"W": max_window, "L": at["L_m"], "D": at["D_m"]}
    is_below = peak < max_window
    chosen = {name: np.where(is_below, below[name], at[name])[()] for name in "WLDUVXYAB"}
    return given | {"regime": np.where(is_below, 1, 2)} | chosen


def steady_state(
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    equations: Equations = EQ,
) -> pd.DataFrame:
    """Return every quantity of section 3.1, a row for each element of the broadcast arguments.

    Columns are the paper's symbols: p, R, rho, W_m (given), regime (1 below the limit, 2 at it),
    W, L, D (of the peak; at the limit W_m, L_m, D_m), U, V, X (round trips: growing, at the limit,
    both), Y (segments), A (s), B (segments/s). Arguments and errors as in `throughput`.

    >>> from longfat.papers import hybla
    >>> state = hybla.steady_state(1e-3, rtt=0.55, rtt0=0.025, max_window=550)
    >>> state[["regime", "W", "B"]].round(1)
       regime      W      B
    0       2  550.0  724.1
    """
    return _table(
        _steady(loss, rtt, rtt0, max_window, equations), "p R rho W_m regime W L D U V X Y A B"
    )


def _table(values: Any, columns: Any) -> Any:
    names = columns.split()
    arrays = np.broadcast_arrays(*(values[name] for name in names))
    table = pd.DataFrame({name: np.ravel(a) for name, a in zip(names, arrays, strict=True)})
    return table.replace({"p": {_NO_LOSS: 0.0}}) if "p" in table else table


def transfer_time(
    segments: ArrayLike,
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
    syn_timeout: ArrayLike = 3.0,
    equations: Equations = EQ,
) -> np.ndarray:
    """Return the expected time T in s to transfer `segments` (paper hybla, equations 22 to 39).

    segments: the transfer's length d, at least 1.
    rto: the mean first retransmission timeout T_0, s; syn_timeout: T_s, s.
    The others are as in `throughput`, but loss must be below 1/2: the SYN's timeout doubles with
    each loss, and its mean (22) has no limit from there on. All arguments broadcast.
    Raises InputError for values out of range.

    >>> from longfat.papers import hybla
    >>> transfer = {"rtt": 0.55, "rtt0": 0.025, "max_window": 550, "rto": 1.0}
    >>> hybla.transfer_time(10_000, [0, 1e-3], **transfer).round(2)
    array([10.39, 13.61])
    """
    return _transfer(segments, loss, rtt, rtt0, max_window, rto, syn_timeout, equations)["T"][()]


def _transfer(
    segments: Any,
    loss: Any,
    rtt: Any,
    rtt0: Any,
    max_window: Any,
    rto: Any,
    syn_timeout: Any,
    equations: Any,
) -> Any:
    """All quantities of section 3.2 by name, together with those of 3.1."""
    given = {
        "d": inputs.at_least_one("segments", segments, "segment"),
        "T_0": inputs.positive("rto", rto, "s"),
        "T_s": inputs.positive("syn_timeout", syn_timeout, "s"),
    }
    steady = _steady(inputs.loss(loss, below=0.5), rtt, rtt0, max_window, equations)
    return equations.calculate(TRANSFER, **given, **steady)


def latency(
    segments: ArrayLike,
    loss: ArrayLike,
    rtt: ArrayLike,
    rtt0: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
    syn_timeout: ArrayLike = 3.0,
    equations: Equations = EQ,
) -> pd.DataFrame:
    """Return the parts of `transfer_time`, a row for each element of the broadcast arguments.

    Columns are the paper's symbols: d, p (given), d_ss, W_ss, d_ca (segments; d_ca is negative
    where the transfer ends with the first recovery, and T_ca is then 0), l_ss, l_tda
    (probabilities), Z_TO, T_twhs, T_ss, T_loss, T_ca, T (s). T is the sum of the four parts minus
    half a round trip. Arguments and errors as in `transfer_time`.
    """
    values = _transfer(segments, loss, rtt, rtt0, max_window, rto, syn_timeout, equations)
    values["T_ca"] = np.maximum(values["T_ca"], 0)
    return _table(values, "d p d_ss W_ss d_ca l_ss l_tda Z_TO T_twhs T_ss T_loss T_ca T")


def newton_window(
    loss: float, rtt: float, rtt0: float, start: float | None = None, iterations: int = 50
) -> np.ndarray:
    """Return Newton's iterates for the unlimited peak window W, the first being `start`.

    This is how the paper (section 4) solves its window equation; it does not say from where. The
    default is the window of a cycle that loses one segment, rho * sqrt(8 / (3 p)). Ends when W
    stays within 1e-12 of itself. Raises InputError where it does not within `iterations`, or where
    an iterate leaves the windows above 0; `peak_window` always finds the root.
    """
    loss = float(inputs.numbers("loss", loss, lambda x: (x > 0) & (x < 1), "above 0 and below 1"))
    ratio = float(growth_ratio(rtt, rtt0))
    excess, slope = numeric(window_equation()), numeric(diff(window_equation(), W))
    iterates = [ratio * np.sqrt(8 / (3 * loss)) if start is None else float(start)]
    for _ in range(iterations):
        last = iterates[-1]
        iterates.append(last - excess(last, loss, ratio) / slope(last, loss, ratio))
        if not 0 < iterates[-1] < np.inf:
            raise InputError(f"start is {iterates[0]:g}: from there Newton leaves the windows > 0")
        if abs(iterates[-1] - last) <= 1e-12 * last:
            return np.array(iterates)
    raise InputError(f"iterations is {iterations}: Newton needs more from start {iterates[0]:g}")


def regime_jump(
    rtt: ArrayLike, rtt0: ArrayLike, max_window: ArrayLike, equations: Equations = EQ
) -> pd.DataFrame:
    """Return where the two cases of section 3.1 meet, and how far apart they are there.

    loss: where the peak reaches `max_window`; `throughput` changes over from (21) to (10) there.
    below, at: what (10) and (21) give at that loss, segments/s; jump: below / at - 1.
    V: round trips that (18) still has at the limit there; 0 if (8) and (17) agreed.
    loss_V0: the loss at which (18) has none left; between the two, both cases are possible.
    All are NaN where the peak reaches `max_window` at every loss. Arguments as in `throughput`.
    """
    ratio = growth_ratio(rtt, rtt0)
    max_window = inputs.at_least_one("max_window", max_window, "segment")
    rtt, ratio, max_window = np.broadcast_arrays(np.asarray(rtt, float), ratio, max_window)
    given = {"R": rtt, "rho": ratio, "W_m": max_window}
    excess = numeric(window_equation(equations))

    def excess_at_limit(loss: Any, ratio: Any, max_window: Any) -> Any:
        return excess(max_window, loss, ratio)

    def rounds_at_limit(loss: Any, ratio: Any, max_window: Any) -> Any:
        return equations.calculate((11, 12, 18), p=loss, rho=ratio, W_m=max_window)["V"]

    bracket = (np.full(rtt.shape, 1e-12), np.full(rtt.shape, 1 - 1e-12))
    loss = elementwise.find_root(excess_at_limit, bracket, args=(ratio, max_window)).x
    loss_v0 = elementwise.find_root(rounds_at_limit, bracket, args=(ratio, max_window)).x
    below = equations.calculate(BELOW_LIMIT, p=loss, W=max_window, **given)["B"]
    at = equations.calculate(AT_LIMIT, p=loss, **given)
    values = {"loss": loss, "below": below, "at": at["B"], "jump": below / at["B"] - 1}
    values |= {"V": at["V"], "loss_V0": loss_v0} | given
    return _table(values, "R rho W_m loss below at jump V loss_V0")
