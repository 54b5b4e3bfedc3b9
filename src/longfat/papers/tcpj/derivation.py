"""The derivation of the TCP-J paper's numbered equations, and of its two filters' properties.

`derive(n)` goes from the premises to equation (n); `ledger()` runs all of them and says how each
printed equation stood up. `properties()` derives what `longfat.papers.tcpj` says of a filter with
one pole. Most of the paper's equations are definitions: what the algorithms do.
"""

from collections.abc import Callable

from sympy import (
    Abs,
    Basic,
    Eq,
    Expr,
    Function,
    I,
    Integral,
    Rational,
    Sum,
    Symbol,
    cos,
    exp,
    expand,
    factor,
    fraction,
    oo,
    simplify,
    solve,
    symbols,
)

from longfat.papers.ledger import Ledger, Steps
from longfat.papers.tcpj import equations as tcpj
from longfat.papers.tcpj.equations import (
    EQ,
    BW_k,
    BW_last,
    Delta,
    T,
    a,
    alpha,
    b_k,
    b_last,
    bhat_k,
    bhat_last,
    k,
    omega,
    sample_k,
    sample_last,
    z,
)

NAMES = {
    1: "Westwood's sample of the bandwidth",
    2: "Westwood's filter",
    3: "standard TCP after duplicate ACKs",
    4: "standard TCP after a timeout",
    5: "TCP-J after duplicate ACKs, in congestion avoidance",
    6: "TCP-J after duplicate ACKs, in slow start",
    7: "TCP-J after a timeout",
    8: "TCP-J's sample of the bandwidth",
    9: "TCP-J's filter",
}


def _tustin() -> Steps:
    b, bhat = Function("b"), Function(r"\hat{b}")
    t, start = symbols("t t_{k-1}", positive=True)
    flow = Eq(T * bhat(t).diff(t), b(t) - bhat(t))
    yield (
        r"Westwood takes the estimate $\hat{b}$ for the output of a low-pass filter whose "
        r"input are the samples $b$. It moves towards its input, the faster the further it"
        r" is away; $T$ is its time constant:",
        flow,
    )
    both = Eq(T * (bhat_k - bhat_last), Integral(b(t) - bhat(t), (t, start, start + Delta)))
    yield (
        r"Over the interval $\Delta = t_k - t_{k-1}$ between two ACKs it moves by what is "
        r"under the curve:",
        both,
    )
    trapezoid = Eq(
        T * (bhat_k - bhat_last), Delta * ((b_k + b_last) / 2 - (bhat_k + bhat_last) / 2)
    )
    yield (
        "Between ACKs nobody knows the input. Tustin's approximation draws a straight "
        "line from the last value to the new one, so that the area is a trapezoid:",
        trapezoid,
    )
    solution = solve(trapezoid, bhat_k)[0]
    # Written as in the paper: both numerator and denominator over Delta.
    written = EQ[2].rhs
    assert simplify(solution - written) == 0
    yield (
        r"The new estimate stands on both sides now. Solved for it, and divided by "
        r"$\Delta$ as the paper writes it:",
        Eq(bhat_k, written),
    )


def _abe() -> Steps:
    names = {bhat_k: BW_k, bhat_last: BW_last, b_k: sample_k, b_last: sample_last}
    even = Eq(BW_k, EQ[2].rhs.subs(names))
    yield "Begin where Westwood ended, with (2) for TCP-J's samples:", even
    (constant,) = solve(Eq((2 * T / Delta - 1) / (2 * T / Delta + 1), alpha), T)
    numerator, denominator = fraction(constant)  # both with the sign turned, as one writes them
    chosen = Eq(T, factor(-numerator) / expand(-denominator))
    yield (
        r"The weight of the old estimate differs from interval to interval. TCP-J gives it"
        r" one value $\alpha$ for all of them, which amounts to a time constant of so many"
        r" intervals:",
        chosen,
    )
    weight = simplify((1 / (2 * T / Delta + 1)).subs(T, constant))
    assert simplify(weight - (1 - alpha) / 2) == 0
    yield (
        r"What is left, $1 - \alpha$, is shared by the two newest samples, so that each "
        r"weighs:",
        weight,
    )
    merged = EQ[9].rhs
    assert simplify(even.rhs.subs(T, constant) - merged) == 0
    yield "Together that is TCP-J's filter:", Eq(BW_k, merged)


DERIVATIONS: dict[int, Callable[[], Steps]] = {2: _tustin, 9: _abe}


MEANINGS = {
    1: "The sample is what the ACK reports as arrived, $d_k$, over the time since the last ACK:",
    3: "After three duplicate ACKs threshold and window (in this order) become half of the "
    "window before:",
    4: "After a timeout the threshold is the same, and the window one segment:",
    5: "In congestion avoidance, where the threshold was not above the window, both become what "
    "the estimate fills in the smallest round trip, in segments of $S$ bytes:",
    6: "In slow start, where the threshold was above the window, the window stays as it was:",
    7: "After a timeout the window is one segment, as ever, and slow start goes up to what the "
    "estimate fills:",
    8: "TCP-J's sample is Westwood's:",
}


def properties() -> dict[str, tuple[tuple[str, Basic], ...]]:
    """Return the derivations of a one-pole filter's step response, noise gain and cut-off.

    Each ends in an equation whose right side is that of `longfat.papers.tcpj`.
    """
    return {
        "step response": tuple(_step_response()),
        "noise gain": tuple(_noise_gain()),
        "cut-off": tuple(_cut_off()),
    }


def _of_pole() -> Expr:
    """H with pole a and gain 1 at z = 1; both of the paper's filters are of this form."""
    transfer = (1 - a) / 2 * (1 + 1 / z) / (1 - a / z)
    for number in (2, 9):
        same = transfer.subs(a, tcpj.pole(number))
        assert simplify(same - tcpj.transfer_function(number)) == 0
    return transfer


def _impulse_response(sample: Symbol) -> Expr:
    """h_k for k >= 1; h_0 is (1 - a) / 2."""
    return (1 - a) / 2 * (1 + a) * a ** (sample - 1)


def _step_response() -> Steps:
    yield (
        "Both filters are of this form, with $a$ for the weight of the old estimate:",
        Eq(Function("H")(z), _of_pole()),
    )
    m = Symbol("m", integer=True, positive=True)
    total = (1 - a) / 2 + Sum(_impulse_response(m), (m, 1, k))
    yield (
        "A step is the sum of impulses, so that its response is the sum of theirs up to then:",
        total,
    )
    response = Function("s")(k)
    # The sum grows by the last term of the impulse response, from (1 - a) / 2.
    grown = tcpj.STEP_RESPONSE - tcpj.STEP_RESPONSE.subs(k, k - 1)
    assert simplify(grown - _impulse_response(k)) == 0
    assert simplify(tcpj.STEP_RESPONSE.subs(k, 0) - (1 - a) / 2) == 0
    yield "The sum is geometric. In closed form:", Eq(response, tcpj.STEP_RESPONSE)


def _noise_gain() -> Steps:
    pole = symbols("a", positive=True)
    total = ((1 - a) / 2) ** 2 + Sum(_impulse_response(k) ** 2, (k, 1, oo))
    yield "Independent samples add their variances, each multiplied by its squared weight:", total
    series = (1 - pole**2) ** 2 / 4 / (1 - pole**2)  # of squares, geometric with ratio a**2
    closed = ((1 - pole) / 2) ** 2 + series
    assert simplify(closed - tcpj.NOISE_GAIN.subs(a, pole)) == 0
    yield "That is geometric too:", Eq(Symbol("G"), tcpj.NOISE_GAIN)


def _cut_off() -> Steps:
    gain = Abs(Function("H")(exp(I * omega))) ** 2
    squared = (1 - a) ** 2 / 2 * (1 + cos(omega)) / (1 + a**2 - 2 * a * cos(omega))
    real = symbols("a", positive=True)
    direct = _of_pole().subs({z: exp(I * omega), a: real})
    conjugate = _of_pole().subs({z: exp(-I * omega), a: real})
    assert simplify((direct * conjugate - squared.subs(a, real)).rewrite(cos)) == 0
    yield (
        r"A frequency $\omega$ (radians a sample) is passed on with this gain, squared:",
        Eq(gain, squared),
    )
    c = symbols("c", real=True)
    (half,) = solve(Eq(squared.subs(cos(omega), c), Rational(1, 2)), c)
    assert simplify(half - 2 * a / (1 + a**2)) == 0
    yield "Half of its power is left at the cut-off frequency:", Eq(omega, tcpj.CUT_OFF)


REASONS = {
    1: "What an ACK reports as arrived, over the time since the last one.",
    2: r"The paper calls $T$ a cut-off frequency; it is a time constant, the cut-off is "
    r"$1/(2 \pi T)$.",
    3: "RFC 5681; the paper halves the window, the RFC what is in flight.",
    4: "RFC 5681.",
    5: "Raises the window where the estimate is high: the text speaks of narrowing it.",
    6: "The window stays, even above the new threshold.",
    7: "As in Westwood.",
    8: "(1) under another name.",
    9: r"(2) where all intervals are $2 T (1 - \alpha) / (1 + \alpha)$ long; for others it is a "
    "filter of its own, with a time constant in ACKs instead of seconds.",
}


LEDGER = Ledger(EQ, NAMES, DERIVATIONS, reasons=REASONS)
derive = LEDGER.derive
ledger = LEDGER.table
