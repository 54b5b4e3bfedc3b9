"""Why TCP cannot fill a long fat pipe, in equations (paper: survey).

The paper numbers none of its equations: the numbers here are ours. (1) to (18) are the paper's, in
the order of its text, with windows W in bytes and rates in bytes/s as there. (19) to (45) are not
the paper's: they are of what it cites (delayed ACKs, RFC 3649, Scalable TCP, FAST TCP, RFC 3742),
or ours, with windows in segments.
`EQ[n]` is equation (n) in the form that holds; where the paper prints something else, `PRINTED[n]`
has that. The derivation of each is in `longfat.papers.survey.derivation`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.integrate import quad
from sympy import Function, Integer, Min, Rational, S, log, sqrt, symbols

from longfat.errors import InputError, nearest
from longfat.papers import inputs
from longfat.papers.ledger import Eq, Equations, Printed, numeric

# The paper's own: W, M (MSS), Y, G (buffer) in bytes, R (RTT) in s, rates in bytes/s.
p, M, R, W, C, G = symbols("p M R W C G", positive=True)
W_i, W_next = symbols("W_i W_{i+1}", positive=True)
Z, Y, B_S, T_loss = symbols("Z Y S T_loss", positive=True)  # duration, data, throughput, interval
g_t = symbols("dW/dt", positive=True)

# In segments: w (mean window), P (its peak), w_i and w_next; a is per round trip, A per ACK.
w, P, w_i, w_next = symbols("w P w_i w_{i+1}", positive=True)
a, b, d, X, A, B, N = symbols("a b d X A B N", positive=True)
a_of, b_of = Function("a"), Function("b")

# RFC 3649, section 5: Low_Window, High_Window, Low_P, High_P, High_Decrease, and the exponent.
w_L, w_H, p_L, p_H, b_H = symbols("w_L w_H p_L p_H b_H", positive=True)
s = symbols("s", real=True)

# FAST TCP: baseRTT, queueing delay, target of queued segments, weight, rate in segments/s.
D, q, alpha, gamma, c, w_0 = symbols("D q alpha gamma c w_0", positive=True)
k = symbols("k", integer=True, nonnegative=True)

# Times to fill a pipe; headers; the Land Speed Record.
T_ss, T_ca, T_lss, T_r, m = symbols("T_ss T_ca T_lss T_r m", positive=True)
h, MTU, H, L, V = symbols("h MTU H L V", positive=True)

EQ = Equations("survey")

# The window, and the sawtooth.
EQ[1] = Eq(W_next, W_i + M)  # slow start, for each ACK
EQ[2] = Eq(W_next, W_i + M**2 / W_i)  # congestion avoidance, for each ACK
EQ[3] = Eq(Z, R * W / (2 * M))  # duration of a cycle
EQ[4] = Eq(B_S, 3 * W / (4 * R))  # mean throughput
EQ[5] = Eq(Y, 3 * W**2 / (8 * M))  # bytes of a cycle
EQ[6] = Eq(p, 8 * M**2 / (3 * W**2))
EQ[7] = Eq(B_S, 3 * sqrt(8) * M / (4 * sqrt(3 * p) * R))
EQ[8] = Eq(B_S, sqrt(Rational(3, 2)) * M / (sqrt(p) * R))

# Why the throughput does not rise.
EQ[9] = Eq(W, C * R)  # [1]: the window must reach the bandwidth-delay product
EQ[10] = Eq(g_t, M / R)  # [3]: growth in congestion avoidance
EQ[11] = Eq(p, Rational(3, 2) * (M / (B_S * R)) ** 2)  # the loss that a throughput allows
EQ[12] = Eq(T_loss, M / (p * B_S))  # time between two losses
EQ[13] = Eq(B_S, G / R)  # a socket buffer's limit

# AIMD in general.
EQ[14] = Eq(w_next, w_i + A)  # for each ACK
EQ[15] = Eq(w_next, w_i * (1 - B))  # for each loss
EQ[16] = Eq(A, 1 / w_i)  # standard TCP, with B = 1/2
EQ[17] = Eq(A, a_of(w_i) / w_i)  # HSTCP, with B = b(w)
EQ[18] = Eq(A, Rational(1, 100))  # Scalable TCP, with B = 1/8

# The response function of AIMD that grows by a a round trip, and shrinks by the part b.
EQ[19] = Eq(X, b * d * P / a)  # round trips of a cycle, with d segments an ACK
EQ[20] = Eq(w, (1 - b / 2) * P)
EQ[21] = Eq(p, 2 * a / (b * d * (2 - b) * P**2))
EQ[22] = Eq(w, sqrt(a * (2 - b) / (2 * b * d * p)))
EQ[23] = Eq(B_S, w * M / R)
EQ[24] = Eq(B_S, sqrt(3 / (2 * d * p)) * M / R)  # standard TCP with delayed ACKs
EQ[25] = Eq(B_S, N * sqrt(3 / (2 * p)) * M / R)  # N connections, each with loss p

# HSTCP: RFC 3649, section 5.
EQ[26] = Eq(s, (log(w_H) - log(w_L)) / (log(p_H) - log(p_L)))
EQ[27] = Eq(w, w_L * (p / p_L) ** s)
EQ[28] = Eq(p, p_L * (w / w_L) ** (1 / s))
EQ[29] = Eq(b, (b_H - S.Half) * (log(w) - log(w_L)) / (log(w_H) - log(w_L)) + S.Half)
EQ[30] = Eq(a, 2 * w**2 * p * b / (2 - b))
EQ[31] = Eq(T_loss, R / (p * w))

# Scalable TCP: Kelly 2003.
EQ[32] = Eq(X, log(1 / (1 - b)) / log(1 + A))  # round trips of a cycle
EQ[33] = Eq(p, A / (b * P))
EQ[34] = Eq(w, b * P / (A * X))
EQ[35] = Eq(w, log(1 + A) / (p * log(1 / (1 - b))))
EQ[36] = Eq(T_r, R * X)  # recovery after one loss, at any window

# FAST TCP: Jin, Wei and Low 2004.
EQ[37] = Eq(w_next, Min(2 * w_i, (1 - gamma) * w_i + gamma * (D / (D + q) * w_i + alpha)))
EQ[38] = Eq(w, alpha * (D + q) / q)  # where it stays
EQ[39] = Eq(q, N * alpha / c)  # N such flows on one link
EQ[40] = Eq(w_i, c * D + alpha + (w_0 - c * D - alpha) * (1 - gamma) ** k)  # one, after k updates

# The time until the window is w.
EQ[41] = Eq(T_ss, R * log(w / w_0) / log(1 + 1 / d))
EQ[42] = Eq(T_ca, R * d * w / 2)
EQ[43] = Eq(T_lss, R * (log(m / w_0) / log(Integer(2)) + 2 * (w - m) / m))

# Two lines of the introduction.
EQ[44] = Eq(H, h / MTU)
EQ[45] = Eq(V, L * B_S)


PRINTED = {
    2: Printed(
        Eq(W_next, W_i + M / W_i),
        "$MSS/cw$ bytes an ACK are one byte a round trip; $MSS$ bytes a round trip, as the text "
        "says, need $MSS^2/cw$ bytes, which is $MSS/cw$ segments.",
    ),
}

PRINTED_CONSTANT = 1.2  # for sqrt(3/2) in (8)

RFC3649 = {"w_L": 38.0, "w_H": 83000.0, "p_L": 1e-3, "p_H": 1e-7, "b_H": 0.1}
RFC3649 |= {"s": float(EQ.calculate((26,), **RFC3649)["s"])}
SCALABLE = {"A": 0.01, "b": 0.125}
SCALABLE |= {"X": float(EQ.calculate((32,), **SCALABLE)["X"])}


def throughput(
    loss: ArrayLike, rtt: ArrayLike, segment_bytes: ArrayLike, segments_per_ack: ArrayLike = 1
) -> np.ndarray:
    """Return standard TCP's mean throughput in bit/s by (24), which is (8) where every segment
    has its ACK.

    loss: probability that a segment is lost, above 0; rtt: s; segment_bytes: MSS; segments_per_ack:
    2 with delayed ACKs. All broadcast. Raises InputError for values out of range.

    >>> from longfat.papers import survey
    >>> round(float(survey.throughput(1e-6, rtt=0.1, segment_bytes=1460)) / 1e6)  # Mb/s
    143
    """
    given = {
        "p": _loss(loss),
        "R": inputs.positive("rtt", rtt, "s"),
        "M": inputs.positive("segment_bytes", segment_bytes, "bytes"),
        "d": inputs.at_least_one("segments_per_ack", segments_per_ack, "segment"),
    }
    return 8 * EQ.calculate((24,), **given)["S"][()]


def allowed_loss(
    rate_bps: ArrayLike,
    rtt: ArrayLike,
    segment_bytes: ArrayLike,
    constant: float = float(np.sqrt(1.5)),
) -> np.ndarray:
    """Return the loss probability at which standard TCP's mean throughput is `rate_bps`: (11).

    `constant` is that of (8); the paper computes with 1.2. Arguments broadcast; rtt in s.

    >>> from longfat.papers import survey
    >>> f"{survey.allowed_loss(10e9, rtt=0.1, segment_bytes=1500):.1e}"
    '2.2e-10'
    """
    rate = inputs.positive("rate_bps", rate_bps, "bit/s")
    rtt = inputs.positive("rtt", rtt, "s")
    size = inputs.positive("segment_bytes", segment_bytes, "bytes")
    return (EQ.calculate((11,), S=rate / 8, R=rtt, M=size)["p"] * (constant**2 / 1.5))[()]


def bandwidth_delay_product(rate_bps: ArrayLike, rtt: ArrayLike) -> np.ndarray:
    """Return rate times round-trip time (9), in bytes; rtt in s; both broadcast."""
    rate = inputs.positive("rate_bps", rate_bps, "bit/s")
    return EQ.calculate((9,), C=rate / 8, R=inputs.positive("rtt", rtt, "s"))["W"][()]


def buffer_limit(buffer_bytes: ArrayLike, rtt: ArrayLike) -> np.ndarray:
    """Return the largest throughput through a socket buffer, in bit/s: (13); rtt in s.

    >>> from longfat.papers import survey
    >>> float(survey.buffer_limit(64_000, rtt=0.1))  # bit/s
    5120000.0
    """
    size = inputs.positive("buffer_bytes", buffer_bytes, "bytes")
    return 8 * EQ.calculate((13,), G=size, R=inputs.positive("rtt", rtt, "s"))["S"][()]


def header_overhead(mtu_bytes: ArrayLike, header_bytes: ArrayLike) -> np.ndarray:
    """Return the part of a full packet that headers take (44); both in bytes."""
    given = {"MTU": inputs.positive("mtu_bytes", mtu_bytes, "bytes")}
    given["h"] = inputs.positive("header_bytes", header_bytes, "bytes")
    return EQ.calculate((44,), **given)["H"][()]


# --- HSTCP and Scalable TCP


def highspeed_decrease(window: ArrayLike) -> np.ndarray:
    """Return b(w) of RFC 3649 at windows in segments: 1/2 up to 38, (29) above."""
    w = inputs.at_least_one("window", window, "segment")
    above = EQ.calculate((29,), w=np.maximum(w, RFC3649["w_L"]), **RFC3649)["b"]
    return np.where(w > RFC3649["w_L"], above, 0.5)[()]


def highspeed_increase(window: ArrayLike) -> np.ndarray:
    """Return a(w) of RFC 3649 in segments a round trip: 1 up to 38 segments, (30) above.

    >>> from longfat.papers import survey
    >>> survey.highspeed_increase([38, 1000, 10000]).round(1)
    array([ 1. ,  7.9, 29.6])
    """
    w = inputs.at_least_one("window", window, "segment")
    above = EQ.calculate((28, 29, 30), w=np.maximum(w, RFC3649["w_L"]), **RFC3649)["a"]
    return np.where(w > RFC3649["w_L"], above, 1.0)[()]


def rfc3649_table(largest: int = 100_000) -> pd.DataFrame:
    """Return the table of RFC 3649, appendix B: the windows at which a(w) has grown by one more.

    Columns w (segments), a (whole segments), b (two digits). As in the RFC's program, p(w) is
    rounded to 1 / (12.8 w^1.2) here, and nowhere else.
    """
    w = np.arange(RFC3649["w_L"], largest)
    b = highspeed_decrease(w)
    a = numeric(EQ[30].rhs)(b, 1 / (12.8 * w**1.2), w)  # alphabetical: b, p, w
    rows, last = [(38, 1, 0.5)], 1.0
    for window, increase, decrease in zip(w, a, b, strict=True):
        if increase > last + 1:
            rows.append((int(window), int(increase), round(float(decrease), 2)))
            last = increase
    return pd.DataFrame(rows, columns=["w", "a", "b"])


class Response(NamedTuple):
    """What an algorithm's window does: mean window (segments) by loss, loss by mean window, and
    round trips from a loss back to the peak before it."""

    window: Callable[[np.ndarray], np.ndarray]
    loss: Callable[[np.ndarray], np.ndarray]
    recovery: Callable[[float], float]


def _standard_window(loss: Any) -> Any:
    return EQ.calculate((22,), p=loss, a=1.0, b=0.5, d=1.0)["w"]


def _standard_loss(window: Any) -> Any:
    return EQ.calculate((21,), P=window * 4 / 3, a=1.0, b=0.5, d=1.0)["p"]


def _standard_recovery(peak: Any) -> Any:
    return float(EQ.calculate((19,), P=peak, a=1.0, b=0.5, d=1.0)["X"])


def _highspeed_window(loss: Any) -> Any:
    above = EQ.calculate((27,), p=loss, **RFC3649)["w"]
    return np.where(loss < RFC3649["p_L"], above, _standard_window(loss))


def _highspeed_loss(window: Any) -> Any:
    above = EQ.calculate((28,), w=window, **RFC3649)["p"]
    return np.where(window > RFC3649["w_L"], above, _standard_loss(window))


def _highspeed_recovery(peak: Any) -> Any:
    low = peak * (1 - highspeed_decrease(peak))
    return quad(lambda x: 1 / float(highspeed_increase(x)), low, peak, points=[min(peak, 38)])[0]


def _scalable_window(loss: Any) -> Any:
    return EQ.calculate((35,), p=loss, **SCALABLE)["w"]


def _scalable_loss(window: Any) -> Any:
    return EQ.calculate((35,), p=window, **SCALABLE)["w"]  # (35) is its own inverse


def _scalable_recovery(peak: Any) -> Any:
    return SCALABLE["X"]


RESPONSES = {
    "standard": Response(_standard_window, _standard_loss, _standard_recovery),
    "highspeed": Response(_highspeed_window, _highspeed_loss, _highspeed_recovery),
    "scalable": Response(_scalable_window, _scalable_loss, _scalable_recovery),
}


def _response(algorithm: str) -> Response:
    if algorithm not in RESPONSES:
        known = list(RESPONSES)
        raise InputError(
            f"algorithm is '{algorithm}': it must be one of {', '.join(known)}."
            f"{nearest(algorithm, known)}"
        )
    return RESPONSES[algorithm]


def mean_window(algorithm: str, loss: ArrayLike) -> np.ndarray:
    """Return the mean window in segments at a loss probability: the response function.

    algorithm: "standard" (22), "highspeed" (27), "scalable" (35). Scalable TCP's response is that
    above its legacy window. Raises InputError for another name, and losses that are not above 0.

    >>> from longfat.papers import survey
    >>> names = ("standard", "highspeed", "scalable")
    >>> [round(float(survey.mean_window(name, 1e-6))) for name in names]
    [1225, 12141, 74517]
    """
    return _response(algorithm).window(_loss(loss))[()]


def loss_for_window(algorithm: str, window: ArrayLike) -> np.ndarray:
    """Return the loss probability at a mean window in segments: `mean_window` turned round."""
    return _response(algorithm).loss(inputs.at_least_one("window", window, "segment"))[()]


def recovery_time(algorithm: str, peak: float, rtt: float) -> float:
    """Return the time in s from one loss at the window `peak` (segments) back to that window.

    Standard TCP: (19); HSTCP: the integral of 1 / a(w) over the windows between; Scalable: (36).
    Without queueing, so that each round trip takes `rtt` s.

    >>> from longfat.papers import survey
    >>> [round(survey.recovery_time(name, 5000, rtt=0.1)) for name in ("standard", "scalable")]
    [250, 1]
    """
    peak = float(inputs.at_least_one("peak", peak, "segment"))
    return float(inputs.positive("rtt", rtt, "s")) * _response(algorithm).recovery(peak)


def loss_interval(
    algorithm: str, rate_bps: float, rtt: float, segment_bytes: float
) -> dict[str, float]:
    """Return what a mean throughput asks of the path.

    Keys: window (mean, segments), loss (probability), packets (between two losses), seconds
    (between them), by (23), the response function and (31).
    """
    rate, trip = inputs.positive("rate_bps", rate_bps, "bit/s"), inputs.positive("rtt", rtt, "s")
    window = rate * trip / (8 * inputs.positive("segment_bytes", segment_bytes, "bytes"))
    loss = loss_for_window(algorithm, window)
    seconds = EQ.calculate((31,), p=loss, R=trip, w=window)["T_loss"]
    return {
        "window": float(window),
        "loss": float(loss),
        "packets": float(1 / loss),
        "seconds": float(seconds),
    }


def responses(loss: ArrayLike, rtt: float, segment_bytes: float) -> pd.DataFrame:
    """Return what each algorithm's response function gives, a row a loss probability and algorithm.

    rtt: s. Columns loss, algorithm, window_segments (mean), throughput_bps by (23),
    loss_interval_s by (31), recovery_time_s from one loss back to that window.
    """
    rtt = float(inputs.positive("rtt", rtt, "s"))
    size = float(inputs.positive("segment_bytes", segment_bytes, "bytes"))
    rows = []
    for p in np.atleast_1d(_loss(loss)):
        for algorithm in RESPONSES:
            window = float(mean_window(algorithm, p))
            rows.append(
                {
                    "loss": float(p),
                    "algorithm": algorithm,
                    "window_segments": window,
                    "throughput_bps": 8 * float(EQ.calculate((23,), w=window, M=size, R=rtt)["S"]),
                    "loss_interval_s": float(EQ.calculate((31,), p=p, R=rtt, w=window)["T_loss"]),
                    "recovery_time_s": recovery_time(algorithm, max(window, 1), rtt),
                }
            )
    return pd.DataFrame(rows)


# --- FAST TCP


def fast_equilibrium(
    rate_bps: ArrayLike, base_rtt: ArrayLike, segment_bytes: ArrayLike, alpha: float, flows: int = 1
) -> dict[str, np.ndarray]:
    """Return where FAST TCP stays with `flows` flows of the same `base_rtt` (s) on one link.

    Keys: queueing_delay_s by (39), window (segments a flow) by (38), queue_packets (all flows).
    """
    rate = inputs.positive("rate_bps", rate_bps, "bit/s") / (8 * np.asarray(segment_bytes))
    given = {"N": float(flows), "alpha": float(alpha), "c": rate}
    given["D"] = inputs.positive("base_rtt", base_rtt, "s")
    values = EQ.calculate((39, 38), **given)
    return {
        "queueing_delay_s": values["q"][()],
        "window": values["w"][()],
        "queue_packets": flows * alpha,
    }


# --- how long it takes to fill a pipe


def slow_start_time(
    window: ArrayLike, rtt: ArrayLike, initial_window: ArrayLike = 1, segments_per_ack: float = 1
) -> np.ndarray:
    """Return the time in s in which slow start reaches a window (41); windows in segments."""
    given = {"w": inputs.at_least_one("window", window, "segment"), "d": segments_per_ack}
    given |= {"w_0": inputs.at_least_one("initial_window", initial_window, "segment")}
    return EQ.calculate((41,), **given, R=inputs.positive("rtt", rtt, "s"))["T_ss"][()]


def avoidance_time(
    window: ArrayLike, rtt: ArrayLike, segments_per_ack: ArrayLike = 1
) -> np.ndarray:
    """Return the time in s in which congestion avoidance grows from half a window to it (42)."""
    given = {"w": inputs.at_least_one("window", window, "segment"), "d": segments_per_ack}
    return EQ.calculate((42,), **given, R=inputs.positive("rtt", rtt, "s"))["T_ca"][()]


# --- the text's numbers


def recomputed() -> dict[str, float]:
    """Return each number of the text that follows from others of it, by the id of its claim."""
    ten_gigabits = {"rate_bps": 10e9, "rtt": 0.1, "segment_bytes": 1500}
    printed = allowed_loss(**ten_gigabits, constant=PRINTED_CONSTANT)
    lsr_rate = 1.1e12 * 8 / 3700
    return {
        "survey-constant": float(sqrt(Rational(3, 2))),
        "survey-10g-packets": float(1 / printed),
        "survey-10g-minutes": float(1500 * 8 / (printed * 10e9)) / 60,
        "survey-10g-hstcp-seconds": loss_interval("highspeed", **ten_gigabits)["seconds"],
        "survey-lsr-rate": lsr_rate / 1e9,
        "survey-lsr-product": 2.38e9 * 10037e3 / 1e12,
        "survey-bdp": float(bandwidth_delay_product(600e6, 0.1)) / 1e6,
    }


FIBRE_S_PER_M = 5e-9  # light in glass travels at about two thirds of its speed in vacuum


def paths(table: pd.DataFrame) -> pd.DataFrame:
    """Add to table 1 (columns name, rate_mbps, distance_km, rtt_s) what each path's pipe holds.

    rtt_s: where it is missing, out and back through fibre, at 5 µs/km (assumed: the paper states
    the round trip of the first path only); bdp_megabytes; window: that in packets of 1500 bytes;
    slow_start_s, avoidance_s: until standard TCP's window is as large, from one segment and from
    its half; loss: what standard TCP's mean throughput at this rate allows.
    """
    rtt = table["rtt_s"].fillna(2 * table["distance_km"] * 1e3 * FIBRE_S_PER_M)
    rate = table["rate_mbps"] * 1e6
    bdp = bandwidth_delay_product(rate, rtt)
    window = bdp / 1500
    return table.assign(
        rtt_s=rtt,
        bdp_megabytes=bdp / 1e6,
        window=window,
        slow_start_s=slow_start_time(window, rtt),
        avoidance_s=avoidance_time(window, rtt),
        loss=allowed_loss(rate, rtt, 1500),
    )


def _loss(value: ArrayLike) -> np.ndarray:
    return inputs.numbers("loss", value, lambda x: (x > 0) & (x < 1), "above 0 and below 1")
