"""The explorer of the utilization that a window gives, and of its estimate (paper: ucc, section 3).

One sender with a fixed window on one link: `ucc.closed_utilization` with packets at random, and the
utilization law with an even clock of ACKs. The estimate (6) tends to what a packet finds, which is
the utilization with one packet less. Over the packets between two losses, with the smallest of
their delays in place of the smallest of all, its mean is `ucc.estimate_mean`.
"""

from typing import Any

import numpy as np
from sympy import Min, Symbol, symbols

from longfat.papers import ucc
from longfat.papers.explorer import Curve, Explorer, Input, Repeated

PACKET_BYTES, ACK_BYTES = 1054, 54  # on the link

W, R, C, p = symbols("W R C p", positive=True)  # C in Mb/s
pipe, k = symbols("pipe k", positive=True)  # Z / S of the closed queue
blocked, blocked_less = symbols("blocked blocked_less", positive=True)  # p_0 with W, with W - 1
rho_random, rho_even, found, since_loss = symbols(
    "rho_random rho_even found since_loss", nonnegative=True
)


def explorer(
    window_segments: int = 48, rtt_s: float = 0.04, rate_mbps: float = 10, loss: float = 0.02
) -> Explorer:
    """Return the explorer of utilization over window, with sliders that begin at these values."""
    packets = 1 / p  # between two losses, on average
    at_minimum = packets * (1 - found) + found**packets  # N_min; one where all N have waited
    return Explorer(
        name="ucc-explorer",
        title="How busy a window keeps the link, and what UCC's estimate makes of it",
        inputs=(
            Input(W, "window W", 1, 200, window_segments, "segments", whole=True),
            Input(R, "round-trip time R without a queue", 0.005, 0.6, rtt_s, "s", scale="log"),
            Input(C, "rate C of the link", 1, 50, rate_mbps, "Mb/s", scale="log"),
            Input(p, "probability p of loss", 1e-4, 0.2, loss, scale="log"),
        ),
        steps={
            pipe: (R + _link_time(ACK_BYTES)) / _link_time(PACKET_BYTES),
            blocked: Repeated(_erlang(blocked), 1, k, W),
            blocked_less: Repeated(_erlang(blocked_less), 1, k, W - 1),
            rho_random: ucc.EQ[5].rhs.subs(ucc.p_0, blocked),
            rho_even: Min(1, W / (pipe + 1)),
            found: ucc.EQ[5].rhs.subs(ucc.p_0, blocked_less),
            since_loss: ucc.EQ[6].rhs.subs({ucc.N: packets, ucc.N_min: at_minimum}),
        },
        x=W,
        curves=(
            Curve("utilization, packets at random", rho_random, _random),
            Curve("utilization, on an even clock of ACKs", rho_even, _even),
            Curve("estimate (6), at random, smallest delay known", found, _found),
            Curve("the same, smallest delay since the last loss", since_loss, _since_loss),
        ),
        y_label="part of time, or of packets",
    )


def _link_time(size_bytes: int) -> Any:
    return 8 * size_bytes / (10**6 * C)


def _erlang(state: Symbol) -> Any:
    """Erlang's loss formula with one packet more, from that with k - 1: p_0 of the closed queue."""
    return pipe * state / (k + pipe * state)


def _pipe(R: Any, C: Any) -> Any:
    return (R + 8e-6 * ACK_BYTES / C) / (8e-6 * PACKET_BYTES / C)


def _random(W: Any, R: Any, C: Any, p: Any) -> Any:
    return ucc.closed_utilization(W, _pipe(R, C))


def _even(W: Any, R: Any, C: Any, p: Any) -> Any:
    return np.minimum(1, W / (_pipe(R, C) + 1))


def _found(W: Any, R: Any, C: Any, p: Any) -> Any:
    return ucc.closed_utilization(W - 1, _pipe(R, C))


def _since_loss(W: Any, R: Any, C: Any, p: Any) -> Any:
    return ucc.estimate_mean(1 / p, _found(W, R, C, p), minimum_known=False)
