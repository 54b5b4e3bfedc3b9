"""The models of Reno and NewReno: limits, ranges, and second implementations."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.errors import InputError
from longfat.papers import reno

THROUGHPUTS = {
    "square_root_law": lambda p, r, w: reno.square_root_law(p, r, w),
    "pftk": lambda p, r, w: reno.pftk(p, r, w, 1.0),
    "pftk_approximation": lambda p, r, w: reno.pftk_approximation(p, r, w, 1.0),
    "newreno": lambda p, r, w: reno.newreno(p, r, w),
}
every_model = pytest.mark.parametrize("model", THROUGHPUTS.values(), ids=THROUGHPUTS)


def plain_pftk(p, rtt, w_m, rto, b):
    """Equation 31 of Padhye et al. (SIGCOMM 1998), number by number."""

    def timeout(w):
        if w <= 3:
            return 1.0
        q = 1 - p
        return min(1.0, (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w))

    c = (2 + b) / (3 * b)
    w = c + sqrt(8 * (1 - p) / (3 * b * p) + c * c)
    backoff = sum([1, p, 2 * p**2, 4 * p**3, 8 * p**4, 16 * p**5, 32 * p**6]) * rto / (1 - p)
    if w < w_m:
        sent = (1 - p) / p + w + timeout(w) / (1 - p)
        return sent / (rtt * (b / 2 * w + 1) + timeout(w) * backoff)
    sent = (1 - p) / p + w_m + timeout(w_m) / (1 - p)
    return sent / (rtt * (b / 8 * w_m + (1 - p) / (p * w_m) + 2) + timeout(w_m) * backoff)


@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("w_m", [2, 20, 550])
@pytest.mark.parametrize("p", [1e-6, 1e-4, 1e-2, 0.2, 0.6])
def test_pftk_is_that_of_the_second_implementation(p, w_m, b):
    expected = plain_pftk(p, 0.1, w_m, 1.5, b)
    assert reno.pftk(p, 0.1, w_m, 1.5, b) == pytest.approx(expected, rel=1e-9)


def test_square_root_law_by_hand():
    assert reno.square_root_law(0.01, 0.1, 1000) == pytest.approx(sqrt(150) * 10)
    assert reno.square_root_law(0.01, 0.1, 1000, 2) == pytest.approx(sqrt(75) * 10)
    assert reno.square_root_law(0.01, 0.1, 5) == 50


def test_pftk_approximation_by_hand():
    p, rtt, rto = 0.02, 0.2, 2.0
    cost = rtt * sqrt(2 * p / 3) + rto * 3 * sqrt(3 * p / 8) * p * (1 + 32 * p**2)
    assert reno.pftk_approximation(p, rtt, 1e4, rto) == pytest.approx(1 / cost)


@pytest.mark.parametrize(("p", "q", "w_m"), [(1e-3, 1e-3, 1000), (1e-2, 0.1, 64), (1e-5, 0, 64)])
def test_newreno_counts_each_round(p, q, w_m):
    """The peak is bisected; the segments of a cycle are added up round by round."""

    def cycle(w):
        losses = 1 + q * (w - 1)
        growing = (w / 2 + 1) * (w / 2 + w) / 2
        return losses, growing + losses * (w / 2 - 1) - (1 / p + w - 1)

    low, high = 1.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if cycle(middle)[1] < 0 else (low, middle)
    w = min(low, w_m)
    losses, surplus = cycle(w)
    at_limit = -surplus / w if low > w_m else 0
    expected = (1 / p + w - 1) / ((w / 2 + 1 + at_limit + losses) * 0.1)
    assert reno.newreno(p, 0.1, w_m, q) == pytest.approx(expected, rel=1e-9)


@every_model
def test_without_loss_the_window_is_the_limit(model):
    assert model(0, 0.1, 64) == pytest.approx(640, rel=1e-12)


@every_model
@pytest.mark.parametrize("p", [1e-10, 1e-8])
def test_rare_losses_follow_the_square_root_law(model, p):
    law = sqrt(1.5 / p) / 0.1
    assert model(p, 0.1, 1e9) == pytest.approx(law, rel=30 * sqrt(p))


@every_model
@given(p=st.floats(1e-7, 0.3), rtt=st.floats(1e-3, 2), w=st.floats(4, 5000))
def test_throughput_is_positive_and_below_the_limit(model, p, rtt, w):
    assert 0 < model(p, rtt, w) <= 1.05 * w / rtt


@every_model
def test_throughput_falls_with_loss_where_the_peak_is_below_the_limit(model):
    rates = model(np.geomspace(1e-4, 0.3, 50), 0.1, 5000)
    assert np.all(np.diff(rates) < 0)


@pytest.mark.parametrize("name", ["pftk", "pftk_approximation", "square_root_law"])
def test_delayed_acks_cost_throughput(name):
    arguments = (1e-2, 0.1, 1000) if name == "square_root_law" else (1e-2, 0.1, 1000, 1.0)
    model = getattr(reno, name)
    assert model(*arguments, acked_per_ack=2) < model(*arguments, acked_per_ack=1)


@pytest.mark.parametrize("p", [0, 1e-6, 1e-3, 1e-2, 0.2])
def test_cardwell_is_that_of_the_second_implementation(p):
    d, rtt, w_m, rto, b, w_1 = 1000, 0.1, 64, 1.0, 2, 2
    gamma, q = 1.5, 1 - p
    handshake = rtt + 3.0 * (q / (1 - 2 * p) + q / (1 - 2 * p) - 2)
    d_ss = 1 + sum(q**j for j in range(1, d + 1))
    w_ss = d_ss * (gamma - 1) / gamma + w_1 / gamma
    if w_ss > w_m:
        until = (gamma * w_m - w_1) / (gamma - 1)
        slow_start = rtt * (log(w_m / w_1) / log(gamma) + 1 + (d_ss - until) / w_m)
    else:
        slow_start = rtt * log(d_ss * (gamma - 1) / w_1 + 1) / log(gamma)
    expected = handshake + slow_start
    if p > 0:

        def timeout(w):
            if w <= 3:
                return 1.0
            return min(1.0, (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w))

        back_off = (1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6) * rto / q
        expected += (1 - q**d) * (timeout(w_ss) * back_off + (1 - timeout(w_ss)) * rtt)
        c = (2 + b) / (3 * b)
        w = c + sqrt(8 * q / (3 * b * p) + c * c)
        if w < w_m:
            rate = (q / p + w / 2 + timeout(w)) / (rtt * (b * w / 2 + 1) + timeout(w) * back_off)
        else:
            rounds = b * w_m / 8 + q / (p * w_m) + 2
            rate = (q / p + w_m / 2 + timeout(w_m)) / (rtt * rounds + timeout(w_m) * back_off)
        expected += max(d - d_ss, 0) / rate
    time = reno.cardwell_transfer_time(d, p, rtt, w_m, rto, w_1, b)
    assert time == pytest.approx(expected, rel=1e-9)


def test_cardwell_grows_with_data_and_loss():
    times = reno.cardwell_transfer_time(
        np.array([[10], [100], [10_000]]), [1e-4, 1e-2, 0.1], 0.1, 64, 1.0
    )
    assert times.shape == (3, 3)
    assert np.all(np.diff(times, axis=0) > 0)
    assert np.all(np.diff(times, axis=1) > 0)


@every_model
def test_arguments_broadcast(model):
    rates = model(np.array([[1e-3], [1e-2]]), [0.1, 0.2, 0.3], 64)
    assert rates.shape == (2, 3)
    # NumPy may round the last bit of a power differently in arrays, by the processor's instructions
    assert rates[1, 2] == pytest.approx(model(1e-2, 0.3, 64), rel=1e-14)
    assert np.ndim(model(1e-2, 0.3, 64)) == 0


@every_model
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0.1, 64), "loss is 1: it must be a probability of at least 0 and below 1"),
        ((np.nan, 0.1, 64), "loss is nan: it must be a probability"),
        ((0.1, 0, 64), "rtt is 0: it must be above 0 s, and finite"),
        ((0.1, 0.1, 0), "max_window is 0: it must be at least 1 segment"),
    ],
)
def test_bad_input_is_one_clear_sentence(model, arguments, message):
    with pytest.raises(InputError) as error:
        model(*arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": 0.5}, "loss is 0.5: it must be a probability of at least 0 and below 0.5"),
        ({"segments": 0}, "segments is 0: it must be at least 1 segment, and finite"),
        ({"rto": -1}, "rto is -1: it must be above 0 s, and finite"),
        ({"acked_per_ack": 0}, "acked_per_ack is 0: it must be at least 1 segment, and finite"),
        ({"initial_window": 0}, "initial_window is 0: it must be at least 1 segment, and finite"),
        ({"delayed_ack": -1}, "delayed_ack is -1: it must be at least 0 s"),
    ],
)
def test_bad_input_to_a_transfer_is_one_clear_sentence(changes, message):
    good = {"segments": 100, "loss": 0.01, "rtt": 0.1, "max_window": 64, "rto": 1.0}
    with pytest.raises(InputError) as error:
        reno.cardwell_transfer_time(**good | changes)
    assert str(error.value) == message
