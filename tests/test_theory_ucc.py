"""Equations (1) to (7) of the UCC paper, and what the estimate of the utilization is worth."""

import ciw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Eq, Max, simplify, symbols

from longfat.errors import InputError
from longfat.papers import ucc
from longfat.papers.ucc import derivation, queues

FIGURE_1 = {"min_delay": 0.005, "threshold_delay": 0.03, "max_delay": 0.04, "max_probability": 0.5}


def evaluate(number, **values):
    """The right side of an equation, with g(h) or g(q) given as `probability`."""
    probability = symbols("probability")
    expression = ucc.EQ[number].rhs.subs({ucc.g(ucc.h): probability, ucc.g(ucc.q): probability})
    names = {symbol.name: symbol for symbol in expression.free_symbols}
    known = {names[name]: value for name, value in values.items() if name in names}
    return expression.subs(known)


@pytest.mark.parametrize(("draw", "expected"), [(0.1, 5), (0.9, 10.1)])
def test_equation_1(draw, expected):
    assert float(evaluate(1, w_i=10, X=draw, probability=0.5)) == pytest.approx(expected)


@pytest.mark.parametrize(("draw", "expected"), [(0.1, 5), (0.9, 11)])
def test_equation_2(draw, expected):
    assert float(evaluate(2, w_i=10, X=draw, probability=0.5)) == expected


@pytest.mark.parametrize(
    ("delay", "last", "draw", "expected"),
    [
        (0.02, 0.01, 0.1, 12),  # region A, rising
        (0.02, 0.025, 0.1, 0),  # region A, falling
        (0.035, 0.038, 0.1, 12),  # region B
        (0.035, 0.01, 0.9, 0),  # no back-off: as printed
    ],
)
def test_equation_3(delay, last, draw, expected):
    values = {"w_i": 8, "s_i": 12, "X": draw, "probability": 0.5, "h_r": delay, "h_b": last}
    assert evaluate(3, q_th=0.03, **values) == expected


@pytest.mark.parametrize(
    ("loss", "delay", "expected"), [(True, 35, 8), (True, 30, 10), (0, 35, 10)]
)
def test_equation_4(loss, delay, expected):
    values = {"w_i": 10, "s_i": 16, "h_r": delay, "q_th": 30, "packetloss": bool(loss)}
    assert evaluate(4, **values) == expected


@pytest.mark.parametrize(
    ("loss", "rho", "expected"), [(True, 0.995, 5), (True, 0.99, 10), (0, 1, 10)]
)
def test_equation_7(loss, rho, expected):
    assert evaluate(7, w_i=10, rho=rho, alpha=0.99, packetloss=bool(loss)) == expected


def test_equation_3_takes_the_larger_window():
    assert ucc.EQ[3].rhs.args[0].expr == Max(ucc.w, ucc.s)


@given(delay=st.floats(0, 0.1))
def test_the_probability_of_a_back_off_stays_between_0_and_its_maximum(delay):
    assert 0 <= ucc.backoff_probability(delay, **FIGURE_1) <= 0.5


def test_figure_1_at_its_corners():
    corners = np.array([0, 0.005, 0.0175, 0.03, 0.035, 0.04, 0.05])
    expected = [0, 0, 0.25, 0.5, 0.25, 0, 0]
    assert ucc.backoff_probability(corners, **FIGURE_1) == pytest.approx(expected, abs=1e-12)


def test_without_a_region_b_the_largest_delay_is_in_region_a():
    delays = np.array([0.01, 0.02, 0.021])
    got = ucc.backoff_probability(delays, **(FIGURE_1 | {"max_delay": 0.02}))
    assert got == pytest.approx([0.1, 0.3, 0])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"threshold_delay": 0.004}, "threshold_delay"),
        ({"max_probability": 1.5}, "max_probability"),
        ({"min_delay": -1}, "min_delay"),
    ],
)
def test_bad_values_of_figure_1_are_named(change, word):
    with pytest.raises(InputError, match=word):
        ucc.backoff_probability(0.01, **(FIGURE_1 | change))


def test_a_queue_that_has_never_been_is_a_value_of_figure_1():
    assert ucc.backoff_probability(0.0, **(FIGURE_1 | {"min_delay": 0.0, "max_delay": 0.0})) == 0
    with pytest.raises(InputError, match="max_delay is -1"):
        ucc.backoff_probability(0.01, **(FIGURE_1 | {"max_delay": -1}))


def test_the_limits_of_figure_1_by_sympy():
    values = [equation for _, equation in derivation.backoff_limits()]
    assert values[1] == values[2] == Eq(ucc.g(ucc.q_th), ucc.p_max)
    assert values[0].rhs == values[3].rhs == 0


# --- the estimate


def test_equation_6_in_numbers():
    assert ucc.utilization(100, [0, 5, 100]) == pytest.approx([1, 0.95, 0])
    with pytest.raises(InputError, match="packets_at_minimum"):
        ucc.utilization(10, 11)
    with pytest.raises(InputError, match="packets is 0"):
        ucc.utilization(0, 0)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("packets", "rho"), [(5, 0.9), (20, 0.5), (40, 0.95)])
def test_mean_and_variance_of_the_estimate_by_drawing(known, packets, rho):
    """200,000 samples: means within 4 standard errors."""
    empty = np.random.default_rng(1).binomial(packets, 1 - rho, 200_000)
    estimate = 1 - (empty if known else np.maximum(empty, 1)) / packets
    error = estimate.std() / np.sqrt(len(estimate))
    assert ucc.estimate_mean(packets, rho, known) == pytest.approx(estimate.mean(), abs=4 * error)
    assert ucc.estimate_variance(packets, rho, known) == pytest.approx(estimate.var(), rel=0.02)


def test_the_paper_s_example_is_right_on_average():
    """100 packets at rho = 0.95: 5 at the minimum, if packets are independent."""
    sample = ucc.correlated_sample(100, 0.95)
    assert sample["mean"] == pytest.approx(5)
    assert sample["independent_none"] == pytest.approx(0.95**100)


def test_waits_of_successive_packets_correlate():
    """Drawn from the queue itself, by Lindley's recursion: 20,000 samples of 50 packets."""
    random = np.random.default_rng(2)
    rho, packets, samples = 0.8, 50, 20_000
    wait = np.where(random.random(samples) < rho, random.exponential(rho / (1 - rho), samples), 0)
    empty = np.zeros(samples)
    for _ in range(packets):
        empty += wait == 0
        wait = np.maximum(
            wait + random.exponential(rho, samples) - random.exponential(1, samples), 0
        )
    sample = ucc.correlated_sample(packets, rho)
    error = np.sqrt(sample["none"] * (1 - sample["none"]) / samples)
    assert sample["none"] == pytest.approx(np.mean(empty == 0), abs=4 * error)
    assert sample["mean"] == pytest.approx(empty.mean(), rel=0.02)
    assert sample["variance"] == pytest.approx(empty.var(), rel=0.05)
    assert sample["none"] > 100 * sample["independent_none"]


def test_a_cut_off_that_would_show_is_refused():
    with pytest.raises(InputError, match="states"):
        ucc.correlated_sample(10, 0.999)


@pytest.mark.parametrize("packets", [1, 50, 100])
def test_100_packets_never_halve_without_the_minimum_known(packets):
    assert ucc.halving_probability(packets, 0.999, 0.99, minimum_known=False) == 0
    assert ucc.halving_probability(packets, 0.999, 0.99) == pytest.approx(0.999**packets)


def test_halving_is_a_binomial_tail():
    """Of 1000 packets 9 may be at the minimum, for rho > 0.99."""
    empty = np.random.default_rng(3).binomial(1000, 0.01, 200_000)
    expected = np.mean(1 - empty / 1000 > 0.99)
    assert ucc.halving_probability(1000, 0.99) == pytest.approx(expected, abs=0.005)


# --- what packets meet


@pytest.mark.parametrize("queue", ["M/M/1", "M/D/1", "D/M/1", "E4/M/1", "H2/M/1"])
@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_theory_meets_the_simulated_queue(queue, rho):
    """Over time (5) holds; packets meet sigma. 200,000 packets: waits correlate, so 1 %."""
    measured = queues.simulate(queue, rho, seed=3)
    expected = rho if queue.startswith("M") else ucc.queued_fraction(rho, queue.split("/")[0])
    assert measured["busy"] == pytest.approx(rho, abs=0.01)
    assert measured["queued"] == pytest.approx(expected, abs=0.01)


def test_general_arrivals_and_services_are_neither():
    """Held against Ciw's queue, event by event, since there is no theory."""
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Uniform(0, 2)],
        service_distributions=[ciw.dists.Uniform(0, 2 * 0.8)],
        number_of_servers=[1],
    )
    ciw.seed(1)
    events = ciw.Simulation(network)
    events.simulate_until_max_customers(20_000)
    expected = np.mean([one.waiting_time > 1e-9 for one in events.get_all_records()])
    measured = queues.simulate("U/U/1", 0.8)
    assert measured["queued"] == pytest.approx(expected, abs=0.02)
    assert measured["busy"] == pytest.approx(0.8, abs=0.01)
    assert abs(measured["queued"] - 0.8) > 0.05


def test_constant_arrivals_and_services_never_queue():
    assert queues.simulate("D/D/1", 0.95, packets=2000)["queued"] == 0


@pytest.mark.parametrize("queue", ["X/M/1", "M/M/2", "M/M"])
def test_unknown_queues_are_named(queue):
    with pytest.raises(InputError, match="queue is"):
        queues.simulate(queue, 0.5)


def test_arrivals_at_random_give_the_utilization():
    rho = np.array([0.1, 0.5, 0.9, 0.99])
    assert ucc.queued_fraction(rho, "M") == pytest.approx(rho, abs=1e-9)
    assert np.all(ucc.queued_fraction(rho, "D") < rho)
    assert np.all(ucc.queued_fraction(rho, "H2") > rho)
    with pytest.raises(InputError, match="arrivals"):
        ucc.queued_fraction(0.5, "Q")


def test_a_closed_queue_by_its_balance():
    """p_n of M/M/1//W by solving the birth-death chain: up (W - n) / Z, down 1 / S."""
    window, pipe = 6, 4.0
    weights = np.cumprod([1.0, *((window - n) / pipe for n in range(window))])
    assert ucc.closed_utilization(window, pipe) == pytest.approx(1 - weights[0] / weights.sum())
    assert ucc.closed_utilization(0, pipe) == 0
    with pytest.raises(InputError, match=r"window is 2\.5: it must be a whole number"):
        ucc.closed_utilization(2.5, pipe)
    assert ucc.closed_utilization(1, pipe) == pytest.approx(1 / (1 + pipe))


@pytest.mark.parametrize("queue", list(derivation.QUEUES))
def test_every_queue_is_derived(queue):
    steps = derivation.derive_queue(queue)
    assert all(expression not in (True, False) for _, expression in steps)


def test_one_packet_keeps_the_link_busy_for_its_own_part():
    *_, (_, busy), _ = derivation.derive_queue("window")
    times = {symbol.name: symbol for symbol in busy.rhs.free_symbols}
    assert simplify(busy.rhs - times["S"] / (times["S"] + times["Z"])) == 0


@pytest.mark.parametrize("queue", ["M/M/1", "M/G/1"])
def test_the_derivations_end_in_equation_5(queue):
    assert derivation.derive_queue(queue)[-1][1] == ucc.EQ[5]


def test_the_ledger_has_a_row_an_equation():
    ledger = derivation.ledger().set_index("number")
    assert list(ledger.index) == list(range(1, 8))
    assert ledger.loc[5, "status"] == "derived"
    assert ledger.loc[6, "status"] == "approximation"
    assert set(ledger.loc[[1, 2, 3, 4, 7], "status"]) == {"definition"}
    with pytest.raises(InputError, match="definition"):
        derivation.derive(7)


# --- clocks


def test_a_clock_mixes_delays_within_a_tick_by_drawing():
    random = np.random.default_rng(4)
    sent = random.uniform(0, 100, 100_000)
    for delay in (0.0208, 0.0204, 0.0212):
        ticks = np.floor((sent + delay) / 1e-3) - np.floor(sent / 1e-3)
        expected = ucc.tick_probability(delay, 0.0208, 1e-3)
        assert np.mean(ticks == 20) == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_estimate_by_a_clock_by_drawing(rho):
    """M/D/1 by Lindley's recursion, read by a clock of a millisecond."""
    random = np.random.default_rng(5)
    packet_time, min_delay, packets = 0.00084, 0.0208, 200_000
    wait, seen = 0.0, 0
    gaps = random.exponential(packet_time / rho if rho else 1.0, packets)
    sent = np.cumsum(gaps)
    for gap, start in zip(gaps, sent, strict=True):
        wait = max(wait + packet_time - gap, 0.0)
        seen += np.floor((start + min_delay + wait) / 1e-3) - np.floor(start / 1e-3) == 20
    got = ucc.tick_estimate(rho, min_delay, packet_time, 1e-3)
    assert got == pytest.approx(1 - seen / packets, abs=0.01)


def test_doubles_tell_equal_delays_apart():
    """ns-2's clock: the same sums at another time of day round differently."""
    share = ucc.double_clock_share(10_000, 100, (0.00008, 0.0008, 0.02))
    assert share["distinct"] > 1
    assert share["share"] < 1
    assert share["spread"] < 1e-12
    assert ucc.double_clock_share(10_000, 100, (0.0, 0.0))["share"] == 1  # nothing to round


# --- the estimator, packet by packet


def test_waits_are_lindley_s():
    random = np.random.default_rng(6)
    arrivals = np.cumsum(random.exponential(1.2, 500))
    expected, wait = [], 0.0
    for gap in np.diff(arrivals, prepend=arrivals[0] - 1e9):
        wait = max(wait + 1 - gap, 0.0)
        expected.append(wait)
    assert queues.waits(arrivals) == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_packets_at_random_estimate_the_utilization(rho):
    arrivals = queues.poisson(rho, 50_000, seed=2)
    delays = 20 + queues.waits(arrivals)
    assert queues.estimated(arrivals, delays) == pytest.approx(rho, abs=0.02)
    # Read 2 % of a packet time too long at most, nothing but the equality changes.
    assert queues.estimated(arrivals, delays, jitter_s=0.02) > 0.99
    blurred = queues.estimated(arrivals, delays, jitter_s=0.02, tolerance_s=0.02)
    assert blurred == pytest.approx(rho, abs=0.03)


def test_drift_is_undone_by_the_clock_that_drifts_back():
    sent = np.arange(1000) * 1.0
    delays = np.full(1000, 0.25)
    assert queues.estimated(sent, delays) == 0
    assert queues.estimated(sent, delays, skew=1e-4) == pytest.approx(0.999)
    assert queues.estimated(sent, delays, skew=-1e-4) == pytest.approx(0.999)
    assert queues.estimated(sent, delays, skew=1e-4, tolerance_s=0.2) == 0


def test_a_packet_at_the_smallest_delay_of_a_path_is_so_at_both_its_links():
    for cross in (0.1, 0.3):
        met = queues.tandem(0.5, cross, packets=5000, seed=4)
        assert met.both >= max(met.first, met.second)
        assert met.busy == pytest.approx((0.5, 0.5 + cross), abs=0.03)
    alone = queues.tandem(0.5, 0.0, packets=5000, seed=4)
    assert alone.second == 0  # they come one packet time apart at least
    assert alone.both == alone.first
    with pytest.raises(InputError, match="below 1"):
        queues.tandem(0.6, 0.4)
