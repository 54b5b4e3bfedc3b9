"""The parts of the engine by themselves: mathematics, timeouts, the rate reduction, events."""

import math
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from mpmath import mp, mpf

from longfat import builds
from longfat.cc import catalogue

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def parts():
    """Run the program of the parts with these arguments; return its numbers."""
    sources, folders = [HERE / "segment_parts.cc"], [catalogue.CORE]
    program = builds.compiled("tests", "parts", catalogue.FLAGS, sources, folders)

    def run(*arguments: str, lines: list[str] | None = None) -> list[float]:
        text = "\n".join(lines or [])
        done = subprocess.run(
            [program, *arguments], input=text, capture_output=True, text=True, check=True
        )
        read = float.fromhex if lines else float
        return [read(line) for line in done.stdout.split()]

    return run


def drawn(function: str) -> list[tuple[float, float]]:
    draw = random.Random(7)
    if function in ("exp", "exp2"):
        near = [draw.uniform(-1, 1) * 10 ** draw.uniform(-8, 2.5) for _ in range(300)]
        return [(x, 0.0) for x in [*near, 0.0, 1.0, -700.0, 700.0]]
    if function == "pow":
        bits = [(1 - 10 ** draw.uniform(-9, -3), draw.uniform(1, 80_000)) for _ in range(200)]
        return [*bits, *((draw.uniform(0, 10), draw.uniform(-30, 30)) for _ in range(100))]
    near = [1 + draw.uniform(-1, 1) * 10 ** draw.uniform(-12, -0.1) for _ in range(150)]
    return [(x, 0.0) for x in [*near, *(10 ** draw.uniform(-300, 300) for _ in range(150))]]


@pytest.mark.parametrize("function", ["exp", "log", "pow", "exp2", "cbrt"])
def test_mathematics_is_right_to_the_last_digits(parts, function):
    """Against 40 digits: below two units in the last place."""
    exact = {
        "exp": lambda x, y: mp.exp(x),
        "log": lambda x, y: mp.log(x),
        "pow": lambda x, y: mp.power(x, y),
        "exp2": lambda x, y: mp.power(2, x),
        "cbrt": lambda x, y: mp.cbrt(x),
    }[function]
    pairs = drawn(function)
    found = parts("math", function, lines=[f"{x.hex()} {y.hex()}" for x, y in pairs])
    assert len(found) == len(pairs)
    with mp.workdps(60):
        for (x, y), value in zip(pairs, found, strict=True):
            wanted = exact(mpf(x), mpf(y))
            assert abs(mpf(value) - wanted) < 2 * math.ulp(float(wanted)), f"{function}({x}, {y})"


def test_a_back_off_never_makes_a_timeout_shorter(parts):
    """B7: the bound of 60 s is the back-off's, and is no bound of what round trips ask for."""
    assert parts("timeouts", "0.1")[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert parts("timeouts", "50") == [150] * 12


def test_proportional_rate_reduction_comes_down_in_step(parts):
    """RFC 9937: from 100 in flight to 50 in one round trip, a segment out for every two in."""
    in_flight = parts("reduction", "100")
    assert in_flight[-1] == 50
    steps = [before - after for before, after in pairwise(in_flight)]
    assert set(steps) <= {0, 1}
    assert sum(steps) == pytest.approx(in_flight[0] - 50, abs=1)


def test_proportional_rate_reduction_holds_products_of_large_windows(parts):
    """4 million segments: prr_delivered * ssthresh has more than 32 bits, and more than 62."""
    in_flight = parts("reduction", "4000000")
    assert in_flight[-1] == 2_000_000


# --- ACKs of parts of a segment


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_parts_of_a_segment_are_acknowledged_to_the_byte(parts, count):
    """Also of one that is thought lost and is sent again in between: in all they are a segment."""
    found = parts("division", str(count))
    acked, in_flight, adds_up = found[::3], found[1::3], found[2::3]
    assert sum(acked) == 1000
    assert max(acked) - min(acked) <= 1
    assert in_flight[-1] == 9000
    assert [before - after for before, after in pairwise([10_000, *in_flight])] == acked
    assert all(adds_up)


@pytest.mark.parametrize(
    ("number", "part", "old", "unsent"),
    [
        (2, 499, 1, 0),
        (2, 500, 0, 0),  # a duplicate
        (2, 501, 0, 0),
        (10, 0, 0, 0),  # all that was sent
        (10, 1, 0, 1),
        (11, 0, 0, 1),
    ],
)
def test_an_ack_is_acceptable_between_what_is_acknowledged_and_what_is_sent(
    parts, number, part, old, unsent
):
    """RFC 5961, section 5.2: from SND.UNA to SND.NXT."""
    assert parts("ack", str(number), str(part)) == [old, unsent]


# --- events


def test_what_is_done_once_is_let_go(parts):
    """Audit D: each closure was kept for ever; a base station makes one a packet."""
    assert parts("once", "1000") == [0]
