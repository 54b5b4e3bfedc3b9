"""The filters of the paper tcpj against scipy's, the formulas against their limits."""

import numpy as np
import pytest
from scipy import signal
from sympy import lambdify

from longfat.errors import InputError
from longfat.papers import tcpj


def scipy_filter(number, values):
    """The transfer function as scipy sees it: coefficients of 1/z."""
    numerator, denominator = tcpj.transfer_function(number).subs(values).as_numer_denom()
    numerator, denominator = (
        np.array([complex(c).real for c in part.as_poly(tcpj.z).all_coeffs()])
        for part in (numerator, denominator)
    )
    return numerator, denominator


FILTERS = [
    (2, {tcpj.T: 1.0, tcpj.Delta: 0.05}, {"time_constant": 1.0}, 0.05),
    (9, {tcpj.alpha: 0.9}, {"alpha_value": 0.9}, 0.005),
]


@pytest.mark.parametrize(("number", "values", "options", "interval"), FILTERS)
def test_the_recursion_is_the_transfer_function(number, values, options, interval):
    samples = np.random.default_rng(7).uniform(1e6, 5e6, 300)
    ours = tcpj.estimate(number, samples * interval, np.full(300, interval), **options)
    theirs = signal.lfilter(*scipy_filter(number, values), samples)
    assert ours == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize(("number", "values", "options", "interval"), FILTERS)
def test_step_response_noise_gain_and_cut_off_are_scipys(number, values, options, interval):
    coefficients = scipy_filter(number, values)
    pole = float(tcpj.pole(number).subs(values))
    step = signal.lfilter(*coefficients, np.ones(500))
    closed = lambdify((tcpj.k, tcpj.a), tcpj.STEP_RESPONSE)(np.arange(500), pole)
    assert closed == pytest.approx(step, rel=1e-10)
    found = tcpj.filter_properties(pole).iloc[0]
    impulse = signal.lfilter(*coefficients, np.eye(1, 5000)[0])
    assert found.noise_gain == pytest.approx((impulse**2).sum(), rel=1e-9)
    _, gain = signal.freqz(*coefficients, worN=[0.0, found.cut_off])
    assert np.abs(gain) == pytest.approx([1, 1 / np.sqrt(2)], rel=1e-9)
    reached = np.argmax(step >= 0.95)
    assert reached - 1 < found.samples_95 <= reached


def test_alpha_and_time_constant_are_inverse():
    intervals = np.array([0.001, 0.005, 0.1])
    alphas = tcpj.alpha_of(intervals, 1.0)
    assert tcpj.time_constant_of(alphas, intervals) == pytest.approx([1, 1, 1])
    assert tcpj.time_constant_of(0.9, 0.005) == pytest.approx(9.5 * 0.005)
    both = [
        tcpj.estimate(2, 11_680, np.full(50, 0.005), time_constant=0.0475),
        tcpj.estimate(9, 11_680, np.full(50, 0.005), alpha_value=0.9),
    ]
    assert both[0] == pytest.approx(both[1], rel=1e-12)


def test_uneven_intervals_raise_both_estimates_as_sample_bias_says():
    intervals = np.random.default_rng(1).uniform(0.2, 1.8, 400_000) * 0.005
    rate = 8000 / intervals.mean()
    bias = tcpj.sample_bias(intervals)
    abe = tcpj.estimate(9, 8000, intervals)[1000:].mean() / rate
    # A mean over time: each estimate holds until the next ACK.
    tustin = tcpj.estimate(2, 8000, intervals, time_constant=1.0)
    tustin = np.average(tustin[20_000:-1], weights=intervals[20_001:]) / rate
    assert abe == pytest.approx(bias.abe, rel=0.01)
    assert tustin == pytest.approx(bias.tustin, rel=0.01)
    assert 1.1 < bias.tustin < bias.abe
    assert tcpj.sample_bias([0.01, 0.01]).to_list() == [1, 1]


def test_loss_of_a_segment():
    assert tcpj.segment_loss(1e-6, 1500) == pytest.approx(1 - (1 - 1e-6) ** 12_000, rel=1e-9)
    assert tcpj.segment_loss(1e-12, 1500) == pytest.approx(1.2e-8, rel=1e-6)
    assert tcpj.segment_loss(0, 1500) == 0
    symbolic = float(tcpj.SEGMENT_LOSS.rhs.subs({tcpj.epsilon: 1e-5, tcpj.n: 1500}))
    assert tcpj.segment_loss(1e-5, 1500) == pytest.approx(symbolic, rel=1e-9)


def test_handoffs_cost_what_the_paper_says():
    """120 ms for figure 14, which leaves 40 ms for the round trip."""
    assert tcpj.handoff_cost("non-local", 0.04) == pytest.approx(0.12)
    assert tcpj.handoff_cost("local", [0.01, 0.02]) == pytest.approx([0.09, 0.1])


def test_threshold_is_the_bandwidth_delay_product():
    assert tcpj.threshold(5e6, 0.04, 1460) == pytest.approx(5e6 * 0.04 / 8 / 1460)


def test_expected_goodput_falls_with_the_error_rate_and_never_passes_the_link():
    table = tcpj.expected_goodput(np.geomspace(1e-8, 1e-5, 31), rate_bps=5e6, rtt=0.04)
    for model in ("square_root", "pftk", "newreno"):
        assert (table[model].diff().dropna() <= 0).all()
        assert (table[model] <= table["full"]).all()
    assert table["full"].iloc[0] == pytest.approx(5e6 * 1460 / 1502, rel=1e-3)
    assert table["pftk"].iloc[-1] < 0.05 * table["full"].iloc[-1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tcpj.transfer_function(3), r"number is 3: .* \(2\) and \(9\)"),
        (lambda: tcpj.estimate(1, [1], [1]), "number is 1"),
        (lambda: tcpj.estimate(9, [1], [0]), "interval is 0: it must be above 0 s"),
        (lambda: tcpj.filter_properties(1.0), "pole is 1: it must be above 0 and below 1"),
        (lambda: tcpj.filter_properties(0.0), "pole is 0: it must be above 0 and below 1"),
        (lambda: tcpj.handoff_cost("lokal", 0.1), "kind is 'lokal': it must be local or non-local"),
        (lambda: tcpj.segment_loss(1.5, 1500), "loss is 1.5"),
        (lambda: tcpj.threshold(-1, 0.04, 1460), "bandwidth is -1: it must be at least 0 bit/s"),
    ],
)
def test_values_out_of_range_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
