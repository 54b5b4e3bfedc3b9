"""Models of TCP Reno and NewReno, which Hybla's model is measured against.

Windows and data are in segments, times in seconds; p is the probability that a segment is lost, b
the number of segments that an ACK acknowledges. Every throughput tends to W_m / R as p tends to 0.

- `square_root_law`: Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997.
- `pftk`: Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998, equation 31, with (13) and (28);
  `pftk_approximation` is its closed short form (the one of RFC 5348, section 3.1, with the cap).
- `newreno`: a cycle without timeouts in the manner of Parvez, Mahanti and Williamson (2010). Their
  closed form could not be consulted: this one is derived here from premises stated with it.
- `cardwell_transfer_time`: Cardwell, Savage and Anderson, INFOCOM 2000, equations 4 to 25.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, Or, Piecewise, Poly, Sum, log, simplify, sqrt, symbols

from longfat.papers import inputs
from longfat.papers.ledger import Eq, Equations, numeric

p, q, R, b, W, W_m, w, B = symbols("p q R b W W_m w B", positive=True)
T_0, T_s, d, w_1, gamma = symbols("T_0 T_s d w_1 gamma", positive=True)
m, X, V, Y, A = symbols("m X V Y A", positive=True)
Q, Q_W, Q_m, Q_ss, G = symbols("Q Q_W Q_m Q_ss G", positive=True)
L_h, d_ss, W_ss, T_ss, l_ss = symbols("L_h d_ss W_ss T_ss l_ss", positive=True)
Z_TO, T_loss, d_ca, T_ca, T, T_delack = symbols(
    "Z_TO T_loss d_ca T_ca T T_delack", nonnegative=True
)

# Loss 0 is calculated as this: far below what changes a double, far above what overflows.
_NO_LOSS = 1e-100

# Mathis et al.: 1/p segments a cycle that grows by 1/b a round trip from W/2 to W.
SQUARE_ROOT = Eq(B, sqrt(3 / (2 * b * p)) / R)

# Padhye et al., with the numbers of the SIGCOMM paper.
PFTK = Equations("pftk")
PFTK[13] = Eq(W, (2 + b) / (3 * b) + sqrt(8 * (1 - p) / (3 * b * p) + ((2 + b) / (3 * b)) ** 2))
PFTK[28] = Eq(G, 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6)
PFTK[31] = Eq(
    B,
    Piecewise(
        (
            ((1 - p) / p + W + Q_W / (1 - p)) / (R * (b * W / 2 + 1) + Q_W * G * T_0 / (1 - p)),
            W_m > W,
        ),
        (
            ((1 - p) / p + W_m + Q_m / (1 - p))
            / (R * (b * W_m / 8 + (1 - p) / (p * W_m) + 2) + Q_m * G * T_0 / (1 - p)),
            True,
        ),
    ),
)


def _timeout_probability() -> Expr:
    """Q(w), the probability that a loss in a window w ends in a timeout, from the same paper."""
    kept = (1 - p) ** 3
    some = (1 - kept) * (1 + kept * (1 - (1 - p) ** (w - 3))) / (1 - (1 - p) ** w)
    return Piecewise((1, Or(w <= 3, some >= 1)), (some, True))


TIMEOUT = Eq(Q, _timeout_probability())
PFTK_APPROXIMATION = Eq(
    B,
    1
    / (
        R * sqrt(2 * b * p / 3)
        + T_0
        * Piecewise((1, 3 * sqrt(3 * b * p / 8) >= 1), (3 * sqrt(3 * b * p / 8), True))
        * p
        * (1 + 32 * p**2)
    ),
)


@functools.cache  # deriving takes a while, and few pages need it
def newreno_cycle() -> Equations:
    """Return a cycle of NewReno without timeouts, numbered here.

    Premises: p is the loss of a segment after a recovery, q that of the others in the window of the
    first lost one. The window grows from W/2 to W, one segment a round. Each lost segment costs a
    round of recovery, which sends W/2 segments, one of them again. Up to the first loss 1/p new
    segments are sent, and W - 1 in the rest of its window.
    """
    k = symbols("k", integer=True)
    half = symbols("half", integer=True, positive=True)
    growing = simplify(Sum(W / 2 + k, (k, 0, half)).doit().subs(half, W / 2))
    losses = 1 + q * (W - 1)
    recovery = losses * (W / 2 - 1)
    square, linear, constant = Poly(growing + recovery - (1 / p + W - 1), W).all_coeffs()
    equations = Equations("newreno")
    equations[1] = Eq(m, losses)
    equations[2] = Eq(W, (-linear + sqrt(linear**2 - 4 * square * constant)) / (2 * square))
    equations[3] = Eq(V, (1 / p + W - 1 - growing - recovery) / W)  # rounds at the limit
    equations[4] = Eq(A, (W / 2 + 1 + V + m) * R)
    equations[5] = Eq(B, (1 / p + W - 1) / A)
    return equations


# Cardwell et al., with their numbers; (19) is (28) above, (23) is (13).
CARDWELL = Equations("cardwell")
CARDWELL[4] = Eq(L_h, R + T_s * (2 * (1 - p) / (1 - 2 * p) - 2))  # SYN and SYN-ACK may be lost
CARDWELL[5] = Eq(d_ss, (1 - (1 - p) ** d) * (1 - p) / p + 1)
CARDWELL[11] = Eq(W_ss, d_ss * (gamma - 1) / gamma + w_1 / gamma)
CARDWELL[15] = Eq(
    T_ss,
    Piecewise(
        (
            R
            * (log(W_m / w_1) / log(gamma) + 1 + (d_ss - (gamma * W_m - w_1) / (gamma - 1)) / W_m),
            W_ss > W_m,
        ),
        (R * log(d_ss * (gamma - 1) / w_1 + 1, gamma), True),
    ),
)
CARDWELL[16] = Eq(l_ss, 1 - (1 - p) ** d)
CARDWELL[18] = Eq(Z_TO, G * T_0 / (1 - p))
CARDWELL[20] = Eq(T_loss, l_ss * (Q_ss * Z_TO + (1 - Q_ss) * R))
CARDWELL[21] = Eq(d_ca, Piecewise((d - d_ss, d > d_ss), (0, True)))
CARDWELL[22] = Eq(
    B,
    Piecewise(
        (
            ((1 - p) / p + W / 2 + Q_W) / (R * (b * W / 2 + 1) + Q_W * G * T_0 / (1 - p)),
            W_m > W,
        ),
        (
            ((1 - p) / p + W_m / 2 + Q_m)
            / (R * (b * W_m / 8 + (1 - p) / (p * W_m) + 2) + Q_m * G * T_0 / (1 - p)),
            True,
        ),
    ),
)
CARDWELL[24] = Eq(T_ca, d_ca / B)
CARDWELL[25] = Eq(T, T_ss + T_loss + T_ca + T_delack)


def _given(loss: Any, rtt: Any, max_window: Any, below: float = 1) -> Any:
    return {
        "p": np.maximum(inputs.loss(loss, below), _NO_LOSS),
        "R": inputs.positive("rtt", rtt, "s"),
        "W_m": inputs.at_least_one("max_window", max_window, "segment"),
    }


def square_root_law(
    loss: ArrayLike, rtt: ArrayLike, max_window: ArrayLike, acked_per_ack: ArrayLike = 1
) -> np.ndarray:
    """Return sqrt(3 / (2 b p)) / R, capped at max_window / rtt, in segments/s.

    loss: 0 <= loss < 1; rtt in s; max_window in segments; acked_per_ack: b, segments an ACK.
    All arguments broadcast. Raises InputError for values out of range.
    """
    given = _given(loss, rtt, max_window)
    acked = inputs.at_least_one("acked_per_ack", acked_per_ack, "segment")
    law = numeric(SQUARE_ROOT.rhs)(given["R"], acked, given["p"])
    return np.minimum(law, given["W_m"] / given["R"])


def _timeouts(probability: Any, window: Any) -> Any:
    return numeric(TIMEOUT.rhs)(*np.broadcast_arrays(probability, window))


def _padhye(
    loss: Any, rtt: Any, max_window: Any, rto: Any, acked_per_ack: Any, below: float = 1
) -> Any:
    """What (31) of Padhye et al. and (22) of Cardwell et al. are calculated from, by name."""
    given = _given(loss, rtt, max_window, below) | {
        "T_0": inputs.positive("rto", rto, "s"),
        "b": inputs.at_least_one("acked_per_ack", acked_per_ack, "segment"),
    }
    values = PFTK.calculate((13, 28), **given)
    values["Q_W"] = _timeouts(values["p"], values["W"])
    values["Q_m"] = _timeouts(values["p"], values["W_m"])
    return values


def pftk(
    loss: ArrayLike,
    rtt: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
    acked_per_ack: ArrayLike = 1,
) -> np.ndarray:
    """Return the sending rate of Reno by the full model of Padhye et al., in segments/s.

    rto: the mean first retransmission timeout T_0, s; the others as in `square_root_law`.
    Like Hybla's model it jumps a little where the peak window (13) reaches `max_window`.
    Raises InputError for values out of range.
    """
    return PFTK.calculate((31,), **_padhye(loss, rtt, max_window, rto, acked_per_ack))["B"][()]


def pftk_approximation(
    loss: ArrayLike,
    rtt: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
    acked_per_ack: ArrayLike = 1,
) -> np.ndarray:
    """Return the short form of `pftk`, capped at max_window / rtt, in segments/s."""
    values = _padhye(loss, rtt, max_window, rto, acked_per_ack)
    names = ("R", "T_0", "b", "p")
    rate = numeric(PFTK_APPROXIMATION.rhs)(*(values[name] for name in names))
    return np.minimum(rate, values["W_m"] / values["R"])


def newreno(
    loss: ArrayLike,
    rtt: ArrayLike,
    max_window: ArrayLike,
    in_window_loss: ArrayLike | None = None,
) -> np.ndarray:
    """Return the throughput of NewReno without timeouts, in segments/s, from `newreno_cycle`.

    in_window_loss: the loss q of the other segments in the window of the first lost one; like
    `loss` by default, which is independent losses. The others as in `square_root_law`.
    Raises InputError for values out of range.
    """
    cycle = newreno_cycle()
    given = _given(loss, rtt, max_window)
    given["q"] = given["p"] if in_window_loss is None else inputs.loss(in_window_loss)
    peak = cycle.calculate((2,), **given)["W"]
    window = np.minimum(peak, given["W_m"])
    values = cycle.calculate((1, 3), **given | {"W": window})
    values["V"] = np.where(peak < given["W_m"], 0.0, values["V"])
    return cycle.calculate((4, 5), **values)["B"][()]


def cardwell_transfer_time(
    segments: ArrayLike,
    loss: ArrayLike,
    rtt: ArrayLike,
    max_window: ArrayLike,
    rto: ArrayLike,
    initial_window: ArrayLike = 1,
    acked_per_ack: ArrayLike = 1,
    syn_timeout: ArrayLike = 3.0,
    delayed_ack: ArrayLike = 0.0,
) -> np.ndarray:
    """Return the time of handshake (4) and transfer (25) by Cardwell et al., in s.

    segments: the transfer's length, at least 1; loss: that of data, SYN and SYN-ACK alike, below
    1/2; initial_window: segments; delayed_ack: mean wait for a delayed ACK of a lone first segment,
    s. The others as in `pftk`. (5) counts one segment more than its derivation gives; it is kept.
    Raises InputError for values out of range.
    """
    values = _padhye(loss, rtt, max_window, rto, acked_per_ack, below=0.5) | {
        "d": inputs.at_least_one("segments", segments, "segment"),
        "w_1": inputs.at_least_one("initial_window", initial_window, "segment"),
        "T_s": inputs.positive("syn_timeout", syn_timeout, "s"),
        "T_delack": inputs.numbers(
            "delayed_ack", delayed_ack, lambda x: (x >= 0) & (x < np.inf), "at least 0 s"
        ),
    }
    values["gamma"] = 1 + 1 / values["b"]
    values = CARDWELL.calculate((4, 5, 11, 15, 16, 18), **values)
    values["Q_ss"] = _timeouts(values["p"], values["W_ss"])
    values = CARDWELL.calculate((20, 21, 22, 24, 25), **values)
    return (values["L_h"] + values["T"])[()]
