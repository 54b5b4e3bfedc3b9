"""TCP-J and TCP Westwood: bandwidth estimates, windows after a loss, handoffs (paper: tcpj).

Bandwidths are in bit/s, times in seconds, windows in segments, sizes in bytes. `EQ[n]` is equation
(n) of the paper. The two filters, (2) and (9), are systems in discrete time: `transfer_function`
takes their z-transform, from which all else about them follows.
"""

import functools
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sympy import Expr, Piecewise, Symbol, Tuple, acos, log, solve, symbols

from longfat.errors import InputError
from longfat.papers import inputs, reno
from longfat.papers.ledger import Eq, Equations, numeric

# An ACK at t_k reports d_k bits; (t_k - t_{k-1}) is written Delta where only it matters.
d_k, t_k, t_last = symbols("d_k t_k t_{k-1}", positive=True)
Delta, T = symbols("Delta T", positive=True)
alpha = symbols("alpha", positive=True)  # 0 < alpha < 1
b_k, b_last = symbols("b_k b_{k-1}", nonnegative=True)  # samples of Westwood
bhat_k, bhat_last = symbols(r"\hat{b}_k \hat{b}_{k-1}", nonnegative=True)  # its estimate
sample_k, sample_last = symbols("BW_{sample}(k) BW_{sample}(k-1)", nonnegative=True)  # of TCP-J
BW_k, BW_last = symbols("BW_k BW_{k-1}", nonnegative=True)

# A loss, with the window and threshold before it.
cwnd, ssthresh, cwnd_next, ssthresh_next = symbols("cwnd ssthresh cwnd' ssthresh'", positive=True)
BW, RTT_min, S = symbols("BW RTT_min S", positive=True)  # S: segment size, in bits

EQ = Equations("tcpj")

# Section 2.1: TCP Westwood.
EQ[1] = Eq(b_k, d_k / (t_k - t_last))
EQ[2] = Eq(
    bhat_k,
    (2 * T / Delta - 1) / (2 * T / Delta + 1) * bhat_last + (b_k + b_last) / (2 * T / Delta + 1),
)

# Sections 3.1 and 3.2: after three duplicate ACKs, (3), (5) and (6); after a timeout, (4) and (7).
filled = BW * RTT_min / S  # segments that fill the path at that bandwidth
after_loss = Tuple(ssthresh_next, cwnd_next)
EQ[3] = Eq(after_loss, Tuple(cwnd / 2, cwnd / 2))
EQ[4] = Eq(after_loss, Tuple(cwnd / 2, 1))
EQ[5] = Eq(after_loss, Piecewise((Tuple(filled, filled), ssthresh <= cwnd)))
EQ[6] = Eq(after_loss, Piecewise((Tuple(filled, cwnd), ssthresh > cwnd)))
EQ[7] = Eq(after_loss, Tuple(filled, 1))

# Section 3.3: TCP-J's available bandwidth estimation, ABE.
EQ[8] = Eq(sample_k, d_k / (t_k - t_last))
EQ[9] = Eq(BW_k, alpha * BW_last + (1 - alpha) * (sample_k + sample_last) / 2)

# Table 3, in words there: after a movement the link layer waits half a beacon interval, the network
# layer 30 ms and a round trip to whoever must know.
C, T_link, T_net, X, Y = symbols("C T_link T_net X Y", positive=True)
HANDOFF_COST = {
    "local": Eq(C, T_link + T_net + Y),  # Y: round trip to the regional router
    "non-local": Eq(C, T_link + T_net + X),  # X: round trip to the correspondent
}

# The bits of a segment are lost independently: a segment is lost unless all of them arrive.
p, epsilon, n = symbols("p epsilon n", positive=True)
SEGMENT_LOSS = Eq(p, 1 - (1 - epsilon) ** (8 * n))

# Of a filter H = g (1 + 1/z) / (1 - a/z) with unit gain, all by its pole a.
z, a = symbols("z a")
k = Symbol("k", integer=True, nonnegative=True)
omega = Symbol("omega", positive=True)  # radians a sample
STEP_RESPONSE = 1 - (1 + a) / 2 * a**k  # after k + 1 samples of 1
NOISE_GAIN = (1 - a) / 2  # variance of the estimate over that of independent samples
CUT_OFF = acos(2 * a / (1 + a**2))  # radians a sample, where the gain is 1/sqrt(2)
SETTLING = log(2 * symbols("r") / (1 + a)) / log(a)  # samples until r of a step is missing


@functools.cache
def transfer_function(number: int) -> Expr:
    """Return H(z) of filter (2) or (9): the z-transform of the estimate over that of the samples.

    In (2) the interval Delta is taken as constant: only then is it a system with an H. Raises
    InputError for another number.
    """
    if number not in (2, 9):
        raise InputError(f"number is {number}: the paper's filters are (2) and (9)")
    now, last, new, old = {
        2: (bhat_k, bhat_last, b_k, b_last),
        9: (BW_k, BW_last, sample_k, sample_last),
    }[number]
    output, given = symbols("Y U")
    shifted = EQ[number].subs({now: output, last: output / z, new: given, old: given / z})
    return (solve(shifted, output)[0] / given).cancel().factor()


@functools.cache
def pole(number: int) -> Expr:
    """Return the pole of filter (2) or (9), in z."""
    (root,) = solve(1 / transfer_function(number), z)
    return root


def alpha_of(interval: ArrayLike, time_constant: ArrayLike) -> np.ndarray:
    """Return the alpha with which (9) is (2), for ACKs every `interval` s and T in s."""
    interval = inputs.positive("interval", interval, "s")
    time_constant = inputs.positive("time_constant", time_constant, "s")
    return numeric(pole(2))(interval, time_constant)  # alphabetical: Delta, T


def time_constant_of(alpha_value: ArrayLike, interval: ArrayLike) -> np.ndarray:
    """Return the T with which (2) is (9), s, for ACKs every `interval` s."""
    alpha_value = _alpha(alpha_value)
    interval = inputs.positive("interval", interval, "s")
    return numeric(_time_constant())(interval, alpha_value)  # alphabetical: Delta, alpha


@functools.cache
def _time_constant() -> Expr:
    (constant,) = solve(Eq(pole(2), pole(9)), T)
    return constant


def filter_properties(pole_value: ArrayLike) -> pd.DataFrame:
    """Return what a pole means, a row a value: all in samples.

    Columns: pole; noise_gain (variance of the estimate over that of independent samples);
    cut_off (radians a sample); samples_95 (until 95 % of a step has been followed).
    Raises InputError for a pole outside 0 to 1.
    """
    pole_value = np.atleast_1d(_alpha(pole_value, "pole"))
    return pd.DataFrame(
        {
            "pole": pole_value,
            "noise_gain": numeric(NOISE_GAIN)(pole_value),
            "cut_off": numeric(CUT_OFF)(pole_value),
            "samples_95": numeric(SETTLING)(pole_value, 0.05),
        }
    )


def estimate(
    number: int,
    bits: ArrayLike,
    intervals: ArrayLike,
    alpha_value: float = 0.9,
    time_constant: float = 1.0,
) -> np.ndarray:
    """Return the estimates by filter (2) or (9), bit/s, one an ACK, from 0 on.

    bits: reported by each ACK; intervals: since the ACK before, s; both of one length. Uneven
    intervals are allowed; samples of zero in silence are not put in.
    Raises InputError for values out of range.

    >>> from longfat.papers import tcpj
    >>> tcpj.estimate(9, bits=[24_000] * 4, intervals=[0.008] * 4).round()  # up to 3 Mb/s
    array([150000., 435000., 691500., 922350.])
    """
    if number not in (2, 9):
        raise InputError(f"number is {number}: the paper's filters are (2) and (9)")
    intervals = inputs.positive("interval", intervals, "s")
    bits, intervals = np.broadcast_arrays(np.asarray(bits, dtype=float), intervals)
    step = numeric(EQ[number].rhs)
    results = np.empty(len(bits))
    value = last = 0.0
    for i, (size, interval) in enumerate(zip(bits, intervals, strict=True)):
        new = size / interval
        if number == 2:  # alphabetical: Delta, T, \hat{b}_{k-1}, b_k, b_{k-1}
            value = step(interval, time_constant, value, new, last)
        else:  # alphabetical: BW_{k-1}, BW_{sample}(k), BW_{sample}(k-1), alpha
            value = step(value, new, last, alpha_value)
        results[i] = value
        last = new
    return results


def threshold(bandwidth: ArrayLike, rtt_min: ArrayLike, segment_bytes: ArrayLike) -> np.ndarray:
    """Return the right side of (5) to (7), segments, for a bandwidth in bit/s and a time in s.

    >>> from longfat.papers import tcpj
    >>> float(tcpj.threshold(3e6, rtt_min=0.04, segment_bytes=1500))
    10.0
    """
    values = (
        inputs.numbers("bandwidth", bandwidth, lambda x: x >= 0, "at least 0 bit/s"),
        inputs.positive("rtt_min", rtt_min, "s"),
        8 * inputs.positive("segment_bytes", segment_bytes, "bytes"),
    )
    return numeric(filled)(*values)  # alphabetical: BW, RTT_min, S


def handoff_cost(kind: str, rtt: ArrayLike, link: float = 0.05, network: float = 0.03) -> Any:
    """Return how long a handoff interrupts, s (table 3).

    kind: `local` or `non-local`; rtt: to the regional router or to the correspondent, s; link: half
    a beacon interval; network: of the movement protocol. Raises InputError for values out of range.

    >>> from longfat.papers import tcpj
    >>> float(tcpj.handoff_cost("local", rtt=0.01))  # s
    0.09
    """
    if kind not in HANDOFF_COST:
        raise InputError(f"kind is '{kind}': it must be {' or '.join(HANDOFF_COST)}")
    rtt = inputs.positive("rtt", rtt, "s")
    return numeric(HANDOFF_COST[kind].rhs)(link, network, rtt)


def segment_loss(bit_error_rate: ArrayLike, packet_bytes: ArrayLike) -> np.ndarray:
    """Return the probability that a packet of so many bytes loses a bit, and so is lost.

    Bits are lost independently. Raises InputError for values out of range.
    """
    rate = inputs.loss(bit_error_rate)
    size = inputs.positive("packet_bytes", packet_bytes, "bytes")
    return -np.expm1(8 * size * np.log1p(-rate))


def expected_goodput(
    bit_error_rate: ArrayLike,
    rate_bps: ArrayLike,
    rtt: ArrayLike,
    segment_bytes: float = 1460,
    header_bytes: float = 42,
    window_bytes: float = 65_535,
    rto: float = 1.0,
    segments_per_ack: float = 2,
) -> pd.DataFrame:
    """Return what the models of the hybla chapter expect of NewReno over the radio link, bit/s.

    A row a bit error rate. Columns: loss (per packet); square_root, pftk, newreno (without
    timeouts): models of Reno and NewReno; full: the link always busy, with each lost segment sent
    again. No model knows of a queue: the round trip is `rtt` and a packet's time on the radio link,
    and the models end at `full`. Raises InputError for values out of range.

    >>> from longfat.papers import tcpj
    >>> tcpj.expected_goodput([1e-7, 1e-5], rate_bps=3e6, rtt=0.04)[["newreno", "full"]].round(-4)
         newreno       full
    0  2910000.0  2910000.0
    1   710000.0  2590000.0
    """
    rate = inputs.positive("rate_bps", rate_bps, "bit/s")
    error_rate = np.atleast_1d(inputs.loss(bit_error_rate))
    packet_bytes = segment_bytes + header_bytes
    loss = segment_loss(error_rate, packet_bytes)
    round_trip = inputs.positive("rtt", rtt, "s") + 8 * packet_bytes / rate
    window = window_bytes / segment_bytes
    full = rate * segment_bytes / packet_bytes * (1 - loss)
    models = {
        "square_root": reno.square_root_law(loss, round_trip, window, segments_per_ack),
        "pftk": reno.pftk(loss, round_trip, window, rto, segments_per_ack),
        "newreno": reno.newreno(loss, round_trip, window),
    }
    columns = {name: np.minimum(8 * segment_bytes * b, full) for name, b in models.items()}
    return pd.DataFrame({"bit_error_rate": error_rate, "loss": loss} | columns | {"full": full})


def sample_bias(intervals: ArrayLike) -> pd.Series:
    """Return how far the estimates are above the rate of arrivals, for independent intervals.

    `intervals` (s) are between ACKs of one segment each. Index `abe`: the mean of the samples over
    the rate, E[D] E[1/D]; `tustin`: that of (2) with a long T, which weighs a sample by its own and
    the next interval, (1 + E[D] E[1/D]) / 2. Both are 1 for even intervals and above it otherwise.
    """
    intervals = inputs.positive("interval", intervals, "s")
    excess = float(np.mean(intervals) * np.mean(1 / intervals))
    return pd.Series({"abe": excess, "tustin": (1 + excess) / 2})


def _alpha(value: ArrayLike, name: str = "alpha") -> np.ndarray:
    return inputs.numbers(name, value, lambda x: (x > 0) & (x < 1), "above 0 and below 1")
