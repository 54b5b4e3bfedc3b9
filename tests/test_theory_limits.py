"""What the models take and refuse, to the ends of its range."""

import numpy as np
import pytest
from sympy import Rational

from longfat.errors import InputError
from longfat.papers import hybla, ucc
from longfat.papers.hybla import renewal

DELAYS = {"min_delay": 0.001, "threshold_delay": 0.005, "max_probability": 0.05}


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: ucc.backoff_probability(0.02, max_delay=0, **DELAYS), 0.0),
        (lambda: ucc.backoff_probability(0.0, max_delay=0.04, **DELAYS), 0.0),
        (lambda: ucc.closed_utilization(0, 5.0), 0.0),
        (lambda: ucc.closed_utilization(1, 5.0), 1 / 6),
    ],
)
def test_the_end_of_a_range_is_within_it(call, value):
    assert call() == pytest.approx(value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hybla.newton_window(1.0, 0.1, 0.025), "loss is 1"),
        (lambda: hybla.newton_window(0.0, 0.1, 0.025), "loss is 0"),
        (lambda: ucc.closed_utilization(1.5, 5.0), "window is 1.5"),
        # 50 states are just too few for a part of 1e-12, and just enough.
        (lambda: ucc.correlated_sample(2, 1.1e-12 ** (1 / 50), 50), "utilization is"),
        # W^2 / (2 rho^2) segments to the limit: just above the 200,000 that are followed.
        (lambda: renewal.throughput(1e-9, 0.1, 0.1, 640), "max_window is too large"),
        (lambda: renewal.throughput(1e-9, 0.2, 0.1, 1300), "max_window is too large"),
    ],
)
def test_what_is_just_outside_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_just_enough_states_are_taken():
    assert ucc.correlated_sample(2, 0.9e-12 ** (1 / 50), 50)["mean"] > 0


@pytest.mark.parametrize("left_at", [10, 12])
@pytest.mark.parametrize(("segments", "parts"), [(10, 1), (11, 2), (20, 2), (21, 3)])
def test_a_transfer_that_leaves_slow_start_at_the_largest_window(segments, parts, left_at):
    """(39) where W_m = 10 = d_ss, and W_ss is that or above.

    So many of slow start, first loss and rest are paid.
    """
    times = {hybla.T_twhs: 0, hybla.R: 0, hybla.T_ss: 1, hybla.T_loss: 1, hybla.T_ca: 1}
    windows = {hybla.W_ss: left_at, hybla.W_m: 10, hybla.d_ss: 10, hybla.d: segments}
    assert hybla.EQ[39].rhs.subs(times | windows) == parts


def test_half_windows_of_a_definition_are_exact():
    assert hybla.HALVED_ONCE[4].rhs == Rational(1, 2)
    assert np.isclose(float(hybla.EQ[35].rhs.subs({hybla.p: 0, hybla.T_0: 3})), 3)
