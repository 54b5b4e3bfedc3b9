"""The explorer of TCP Hybla's steady state (paper: hybla, section 3.1)."""

from typing import Any

from sympy import Expr, Max, Min, Piecewise, Rational, S, Symbol, sqrt, symbols

from longfat.papers import hybla, reno
from longfat.papers.explorer import Curve, Explorer, Input, Root
from longfat.papers.hybla.network import MAX_WINDOW_SEGMENTS, RTT0_S, RTT_S

p, R, rho, W, W_m, B = hybla.p, hybla.R, hybla.rho, hybla.W, hybla.W_m, hybla.B
R_0, W_u = symbols("R_0 W_u", positive=True)  # reference RTT; a window above the peak
B_reno = Symbol("B_reno", positive=True)


def explorer(
    rtt_s: float = RTT_S,
    rtt0_s: float = RTT0_S,
    max_window_segments: float = MAX_WINDOW_SEGMENTS,
    loss: float = 1e-4,
) -> Explorer:
    """Return the explorer of throughput over loss, with sliders that begin at these values."""
    return Explorer(
        name="hybla-explorer",
        title="TCP Hybla's throughput by the model",
        inputs=(
            Input(p, "probability p of loss", 1e-6, 1e-1, loss, scale="log"),
            Input(R, "round-trip time R", 0.02, 1.0, rtt_s, "s", scale="log"),
            Input(R_0, "reference round-trip time RTT₀", 0.01, 1.0, rtt0_s, "s", scale="log"),
            Input(
                W_m, "largest window Wₘ", 10, 10_000, max_window_segments, "segments", scale="log"
            ),
        ),
        steps={
            rho: Max(R / R_0, 1),
            W_u: _above_the_peak(),
            W: Root(hybla.window_equation(), S.Zero, Min(W_u, W_m)),
            B: Piecewise((_below_limit(), W_m > W), (_at_limit(), True)),
            B_reno: Min(reno.SQUARE_ROOT.rhs.subs(reno.b, 1), W_m / R),
        },
        x=p,
        curves=(
            Curve("TCP Hybla", B, _hybla),
            Curve("TCP Reno by the square-root law", B_reno, _reno),
        ),
        y_label="throughput (segments/s)",
    )


def _below_limit() -> Expr:
    """Equation (10) in p, R, rho and the peak W."""
    return hybla.EQ.substitute(hybla.EQ[10].rhs, 9, 7, 4, 3)


def _at_limit() -> Expr:
    """Equation (21) in p, R, rho and the limit W_m."""
    return hybla.EQ.substitute(hybla.EQ[21].rhs, 20, 19, 12, 11)


def _above_the_peak() -> Expr:
    """A window at which the window equation is positive (see `hybla._peak`)."""
    slope = (1 - 1 / (2 - p) ** 2) / (2 * rho**2)
    return (S.Half + sqrt(Rational(1, 4) + 4 * slope / p)) / (2 * slope)


def _hybla(p: Any, R: Any, R_0: Any, W_m: Any) -> Any:
    return hybla.throughput(loss=p, rtt=R, rtt0=R_0, max_window=W_m)


def _reno(p: Any, R: Any, R_0: Any, W_m: Any) -> Any:
    return reno.square_root_law(loss=p, rtt=R, max_window=W_m)
