"""The least time that a transfer over a long path can take, from a few numbers of the path.

The clock starts with the first packet of the handshake and stops when the last byte is there, as in
the tests of QUIC stacks. Each time is one sympy expression (`LEAST`), which `least_time_s`
evaluates; the notebook derives them. What holds for all: a round trip R for the handshake, half of
one for the last byte to arrive, and the wire, which carries `C` of payload.
"""

import functools
from collections.abc import Callable

import sympy as sp

from longfat.errors import InputError, nearest

R, S, C, W0, J, A, k, m = sp.symbols("R S C W_0 J A k m", positive=True)
MEANINGS = {
    R: "round trip without queues (s)",
    S: "size of the file (bytes)",
    C: "what the path carries of payload (bytes/s)",
    W0: "first window (bytes)",
    J: "window after the jump (bytes)",
    A: "acknowledgments that the way back carries (1/s)",
    k: "segments that one of them acknowledges",
    m: "payload of a segment (bytes)",
}
WIRE = S / C
ENDS = R + R / 2  # the handshake, and the last byte's way
# Rounds of doubling until a window fills the path, and what arrives in them.
ROUNDS = sp.log(C * R / W0, 2)
DOUBLED = W0 * (2**ROUNDS - 1)

LEAST = {
    # The path is known, and all its rate is there from the first moment.
    "path": ENDS + WIRE,
    # The way back carries the acknowledgments, each of k segments, that clock the segments.
    "acknowledgments": ENDS + S / (k * m * A),
    # A window doubles until it fills the path.
    "doubling": ENDS + ROUNDS * R + (S - DOUBLED) / C,
    # A round for the first window; one for the jump, paced; then the window has doubled, at least.
    "jump": ENDS + 2 * R + (S - W0 - J) / C,
}


@functools.cache
def _functions() -> dict[str, Callable[..., float]]:
    return {
        name: sp.lambdify([R, S, C, W0, J, A, k, m], expression)
        for name, expression in LEAST.items()
    }


def least_time_s(
    bound: str,
    *,
    rtt_s: float,
    size_bytes: float,
    payload_bps: float,
    first_window_bytes: float = 14_480,
    jump_bytes: float | None = None,
    acks_per_s: float = float("inf"),
    segments_per_ack: float = 1,
    segment_bytes: float = 1448,
) -> float:
    """Return the least time of a transfer by one of the bounds in `LEAST`, in s.

    "path": nobody can be faster; "acknowledgments": who is clocked by them; "doubling": who
    begins with the first window and doubles it each round trip; "jump": Careful Resume (RFC 9959),
    whose window jumps to `jump_bytes` (half of what the path holds, if not stated) when the first
    one is acknowledged. Raises InputError for another bound.

    >>> from longfat.studies.least_times import least_time_s
    >>> round(least_time_s("path", rtt_s=0.6, size_bytes=1e8, payload_bps=2.4e8), 3)
    4.233
    """
    if bound not in LEAST:
        known = list(LEAST)
        raise InputError(
            f"no bound '{bound}': there are {', '.join(known)}.{nearest(bound, known)}"
        )
    carried = payload_bps / 8
    jump = carried * rtt_s / 2 if jump_bytes is None else jump_bytes
    return float(
        _functions()[bound](
            *(rtt_s, size_bytes, carried, first_window_bytes),
            *(jump, acks_per_s, segments_per_ack, segment_bytes),
        )
    )
