"""The explorer of a loss after the bandwidth has changed (paper: tcpj, sections 2.1 and 3).

Until the change both filters have settled at the old rate of arrivals. From then on an ACK comes
for every two segments at the new one, so that each sample is the new rate: the estimates follow
`tcpj.STEP_RESPONSE`. The tests hold it against the recursions (2) and (9) themselves.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import Expr, Piecewise, Symbol, floor, symbols

from longfat.papers import tcpj
from longfat.papers.explorer import Curve, Explorer, Input

ACK_BITS = 2 * 8 * 1460  # reported by an ACK: two segments

alpha, T, Delta, cwnd = tcpj.alpha, tcpj.T, tcpj.Delta, tcpj.cwnd
RTT, BW_0, BW_1, t = symbols("RTT BW_0 BW_1 t", positive=True)  # BW in Mb/s
samples, a_w = symbols("samples a_w", positive=True)  # since the change; Westwood's pole
estimate_j, estimate_w = symbols("estimate_j estimate_w", positive=True)
tcpj_threshold, westwood_threshold, full, half = symbols(
    "tcpj_threshold westwood_threshold full half", positive=True
)


def explorer(
    alpha_value: float = 0.9,
    time_constant_s: float = 1.0,
    rtt_s: float = 0.04,
    before_mbps: float = 3.0,
    after_mbps: float = 1.0,
    window_segments: float = 22,
) -> Explorer:
    """Return the explorer of ssthresh over the time of a loss; sliders begin at these values.

    The round trip's slider reaches as far as its value.
    """
    longest_s = max(0.6, rtt_s)
    return Explorer(
        name="tcpj-explorer",
        title="A loss after the bandwidth has changed: the slow-start threshold",
        inputs=(
            Input(t, "time t from the change to the loss", 0.0, 3.0, 0.2, "s"),
            Input(alpha, "TCP-J's constant α", 0.5, 0.99, alpha_value),
            Input(T, "Westwood's time constant T", 0.15, 4.0, time_constant_s, "s", scale="log"),
            Input(BW_0, "rate before", 0.1, 10.0, before_mbps, "Mb/s", scale="log"),
            Input(BW_1, "rate after", 0.1, 10.0, after_mbps, "Mb/s", scale="log"),
            Input(RTT, "smallest round-trip time", 0.01, longest_s, rtt_s, "s", scale="log"),
            Input(cwnd, "congestion window at the loss", 2, 200, window_segments, "segments"),
        ),
        steps={
            Delta: ACK_BITS / (10**6 * BW_1),
            samples: floor(t / Delta),
            a_w: tcpj.pole(2),
            estimate_j: _followed(tcpj.pole(9)),
            estimate_w: _followed(a_w),
            tcpj_threshold: _threshold(estimate_j),
            westwood_threshold: _threshold(estimate_w),
            full: _threshold(BW_1),
            half: tcpj.EQ[3].rhs[0],
        },
        x=t,
        curves=(
            Curve("TCP-J", tcpj_threshold, _python(9)),
            Curve("Westwood", westwood_threshold, _python(2)),
            Curve("half of the window, NewReno", half, _half),
            Curve("what fills the path after the change", full, _full),
        ),
        y_label="threshold after the loss (segments)",
    )


def _followed(pole: Expr | Symbol) -> Expr:
    """The estimate in Mb/s after `samples` samples of BW_1, by a filter with this pole."""
    step = tcpj.STEP_RESPONSE.subs(tcpj.a, pole).subs(tcpj.k, samples - 1)
    return Piecewise((BW_0, samples < 1), (BW_0 + (BW_1 - BW_0) * step, True))


def _threshold(bandwidth: Expr) -> Expr:
    """The right side of (5) to (7), of a bandwidth in Mb/s."""
    sizes = {tcpj.S: 8 * 1460, tcpj.RTT_min: RTT, tcpj.BW: 10**6 * bandwidth}
    return tcpj.filled.subs(sizes)


def _python(number: int) -> Callable[..., Any]:
    def settled(t: Any, alpha: Any, T: Any, BW_0: Any, BW_1: Any) -> Any:
        interval = ACK_BITS / (10**6 * BW_1)
        count = int(t / interval)
        if count == 0:
            return BW_0
        change = (BW_1 - BW_0) * interval * np.ones(count)  # the filters are linear
        return BW_0 + tcpj.estimate(number, change, interval, alpha, T)[-1]

    def threshold(t: Any, alpha: Any, T: Any, BW_0: Any, BW_1: Any, RTT: Any, cwnd: Any) -> Any:
        bandwidth = np.vectorize(settled)(t, alpha, T, BW_0, BW_1)
        return tcpj.threshold(1e6 * bandwidth, RTT, 1460)

    return threshold


def _half(t: Any, alpha: Any, T: Any, BW_0: Any, BW_1: Any, RTT: Any, cwnd: Any) -> Any:
    return cwnd / 2


def _full(t: Any, alpha: Any, T: Any, BW_0: Any, BW_1: Any, RTT: Any, cwnd: Any) -> Any:
    return tcpj.threshold(1e6 * BW_1, RTT, 1460)
