"""The explorer of standard TCP, HSTCP and Scalable TCP on a lossy path (paper: survey)."""

from collections.abc import Callable
from typing import Any

from sympy import Expr, Min, Piecewise, S, Symbol, symbols

from longfat.papers import survey
from longfat.papers.explorer import Curve, Explorer, Input

p, R, M, G, N = survey.p, survey.R, survey.M, survey.G, survey.N
w_s, w_h, w_k = symbols("w_s w_h w_k", positive=True)  # mean windows of the three
limit = Symbol("limit", positive=True)  # of the socket buffers
B_one, B_N, B_h, B_k = symbols("B_one B_N B_h B_k", positive=True)


def explorer(
    rtt_s: float = 0.1,
    loss: float = 1e-6,
    segment_bytes: float = 1500,
    buffer_bytes: float = 8e6,
    connections: int = 4,
) -> Explorer:
    """Return the explorer of throughput over loss, with sliders that begin at these values."""
    return Explorer(
        name="survey-explorer",
        title="Three response functions on a path of your own",
        inputs=(
            Input(p, "probability p of loss", 1e-8, 1e-2, loss, scale="log"),
            Input(R, "round-trip time R", 0.001, 1.0, rtt_s, "s", scale="log"),
            Input(M, "segment size M", 500, 9000, segment_bytes, "bytes"),
            Input(G, "socket buffer G", 64e3, 64e6, buffer_bytes, "bytes", scale="log"),
            Input(N, "parallel connections N", 1, 16, connections, whole=True),
        ),
        steps={
            w_s: _standard(),
            w_h: Piecewise((_highspeed(), p < survey.RFC3649["p_L"]), (w_s, True)),
            w_k: survey.EQ[35].rhs.subs(_numbers(survey.SCALABLE)),
            limit: _mbps(survey.EQ[13].rhs),
            B_one: Min(_rate(w_s), limit),
            B_N: Min(_mbps(survey.EQ[25].rhs), N * limit),
            B_h: Min(_rate(w_h), limit),
            B_k: Min(_rate(w_k), limit),
        },
        x=p,
        curves=(
            Curve("standard TCP", B_one, _python("standard")),
            Curve("N connections of standard TCP", B_N, _parallel),
            Curve("HSTCP", B_h, _python("highspeed")),
            Curve("Scalable TCP", B_k, _python("scalable")),
        ),
        y_label="throughput (Mb/s)",
        y_scale="log",
    )


def _standard() -> Expr:
    """Equation (22) for standard TCP with an ACK a segment."""
    return survey.EQ[22].rhs.subs({survey.a: 1, survey.b: S.Half, survey.d: 1})


def _highspeed() -> Expr:
    """Equation (27) with the numbers of RFC 3649."""
    return survey.EQ[27].rhs.subs(_numbers(survey.RFC3649))


def _rate(window: Expr) -> Expr:
    """Equation (23), in Mb/s."""
    return _mbps(survey.EQ[23].rhs.subs(survey.w, window))


def _mbps(bytes_per_s: Expr) -> Expr:
    return 8 * bytes_per_s / 10**6


def _numbers(values: dict[str, float]) -> dict[Symbol, float]:
    return {getattr(survey, name): value for name, value in values.items()}


def _python(algorithm: str) -> Callable[..., Any]:
    def throughput(p: Any, R: Any, M: Any, G: Any, N: Any) -> Any:
        rate = 8e-6 * survey.mean_window(algorithm, p) * M / R
        return rate.clip(max=survey.buffer_limit(G, R) / 1e6)

    return throughput


def _parallel(p: Any, R: Any, M: Any, G: Any, N: Any) -> Any:
    rate = survey.throughput(loss=p, rtt=R, segment_bytes=M)
    return (N * rate.clip(max=survey.buffer_limit(G, R))) / 1e6
